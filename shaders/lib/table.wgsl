// G of the parity join: how often each set of columns Co fills the rows of phase 0, indexed by the rank of Co.
//
// Used by shaders/join.wgsl, which follows. Prepended: shaders/lib/record.wgsl.

// Words of G, which is indexed by the rank of Co.
override TABLE: u32;
// Two entries of 16 bits a word of G; one that runs over is found out, and the unit is UNFINISHED.
override PACKED: bool;
// Columns whose part of a rank is looked up at once: at least half of them.
override HALF: u32;
// 1 << HALF
override RANKS: u32;

@group(0) @binding(6) var<storage, read> sets: array<u32>;        // all Co by rank
@group(0) @binding(7) var<storage, read> weights: array<u32>;     // by rank, four a word


var<workgroup> table: array<atomic<u32>, TABLE>;
var<workgroup> ranks: array<atomic<u32>, RANKS>;      // rank of the low columns | rank of the high ones << 16
var<workgroup> check: atomic<u32>;

fn entry(s: u32) -> u32 {
    return (atomicLoad(&ranks[s & ((1u << HALF) - 1u)]) & 0xffffu) + (atomicLoad(&ranks[s >> HALF]) >> 16u);
}

/// A leaf: phase 0 counts it, phase 1 adds up what phase 0 counted.
fn leaf(s: u32) {
    let at = entry(s);
    if state.phase == 0u {
        if PACKED { atomicAdd(&table[at >> 1u], 1u << ((at & 1u) * 16u)); } else { atomicAdd(&table[at], 1u); }
    } else {
        var found = 0u;
        if PACKED { found = (atomicLoad(&table[at >> 1u]) >> ((at & 1u) * 16u)) & 0xffffu; } else { found = atomicLoad(&table[at]); }
        state.sum = add(state.sum, found);
    }
}

/// Clears G, and looks the ranks up in `sets`: in numeric order all sets with the same high columns follow each other,
/// and their low columns are in numeric order too.
fn begin(co: u32) {
    for (var i = state.lane; i < TABLE; i += WORKGROUP) { atomicStore(&table[i], 0u); }
    for (var i = state.lane; i < RANKS; i += WORKGROUP) { atomicStore(&ranks[i], 0u); }
    if state.lane == 0u {
        atomicStore(&check, 0u);
        atomicStore(&places[0], 0u);
        atomicStore(&places[1], 0u);
    }
    workgroupBarrier();
    for (var i = state.lane; i < co; i += WORKGROUP) {
        let high = sets[i] >> HALF;
        if high != (sets[max(i, 1u) - 1u] >> HALF) { atomicOr(&ranks[high], i << 16u); }
    }
    workgroupBarrier();
    for (var i = state.lane; i < co; i += WORKGROUP) {
        let first = atomicLoad(&ranks[sets[i] >> HALF]) >> 16u;
        atomicOr(&ranks[sets[i] & ((1u << HALF) - 1u)], i - first);
    }
    workgroupBarrier();
}

/// Between the phases: gives each Co its weight. Says whether no entry of G ran over.
fn weigh(unit: array<u32, 8>) -> bool {
    let low = unit[6] & 0xffffu;
    let high = unit[6] >> 16u;
    let weighted = (unit[5] & HAS_WEIGHTS) != 0u;
    var found = 0u;
    var over = 0u;
    for (var i = state.lane; i < TABLE; i += WORKGROUP) {
        let word = atomicLoad(&table[i]);
        let rank = select(i, 2u * i, PACKED);
        var factors = vec2(1u);
        if weighted && word != 0u {
            let four = weights[unit[7] + rank / 4u] >> (8u * (rank % 4u));
            factors = vec2(four & 255u, (four >> 8u) & 255u);
        }
        factors *= vec2(u32(rank >= low && rank < high), u32(rank + 1u >= low && rank + 1u < high));
        if PACKED {
            let both = vec2(word & 0xffffu, word >> 16u);
            found += both.x + both.y;
            let product = both * factors;
            over |= product.x | product.y;
            atomicStore(&table[i], (product.x & 0xffffu) | (product.y << 16u));
        } else {
            atomicStore(&table[i], word * factors.x);
        }
    }
    if PACKED { // an entry that ran over 16 bits makes the sum of the halves too small
        atomicAdd(&check, found);
        if over > 0xffffu { atomicOr(&check, 0x80000000u); } // the sum is below
    }
    workgroupBarrier();
    return !PACKED || atomicLoad(&check) == state.leaves;
}
