// Asks the driver two things before any kernel is trusted: do the built-in operations that the kernels use give
// the right bits, and does a loop of as many turns as the step budget really take them all.
//
// Checked by src/engine/gpu/trust/probe.rs. Prepended: shaders/lib/record.wgsl.
//
// Unit: a, b, shift (< 32), turns of the loop. Record: bucket = turns taken, count = (ones in a ^ first set
// bit << 8 ^ last one << 16, (a << shift) ^ (b >> shift)), visits = the 64-bit number (a, a mixed by the loop) + b.

fn probe(index: u32) {
    let unit = units[index];
    var mixed = unit[0];
    var turns = 0u;
    // the value depends on every turn, so that no compiler can fold the loop away
    for (var turn = 0u; turn < unit[3]; turn++) {
        mixed = mixed * 1664525u + 1013904223u;
        turns += 1u;
    }
    let ones = countOneBits(unit[0]) ^ (firstTrailingBit(unit[0]) << 8u) ^ (firstLeadingBit(unit[0]) << 16u);
    let bits = vec2(ones, (unit[0] << unit[2]) ^ (unit[1] >> unit[2]));
    report(Record(index, params.run, DONE, turns, bits, add(vec2(unit[0], mixed), unit[1])));
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear_totals(lane);
    if invocation.x < params.units {
        probe(invocation.x);
    }
    publish_totals(lane);
}
