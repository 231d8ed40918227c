// What every kernel of ferz shares: its parameters, its units, and one record a unit in return.
// The Rust side of these structs is in src/method/mod.rs and src/engine/gpu/layout.rs; a test compares them.

// Invocations of a workgroup.
override WORKGROUP: u32;

struct Params {
    // units of this dispatch
    units: u32,
    // tag of this dispatch, echoed in every record
    run: u32,
    // turns of its loops that an invocation may take in all
    budget: u32,
    unused: u32,
}

struct Record {
    id: u32,
    run: u32,
    state: u32,
    bucket: u32,
    count: vec2<u32>,
    visits: vec2<u32>,
}

const DONE = 0x444f4e45u;
const UNFINISHED = 0x4d4f5245u;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> units: array<array<u32, 8>>;
@group(0) @binding(2) var<storage, read_write> records: array<Record>;
// the wrapping sum of each word over all records, for the host to compare
@group(0) @binding(3) var<storage, read_write> totals: array<atomic<u32>, 8>;

var<workgroup> workgroup_totals: array<atomic<u32>, 8>;

// A 64-bit number, low word first, plus a 32-bit one.
fn add(number: vec2<u32>, more: u32) -> vec2<u32> {
    let low = number.x + more;
    return vec2(low, number.y + u32(low < more));
}

// Before any record is reported; all invocations of the workgroup take part.
fn clear_totals(lane: u32) {
    for (var word = lane; word < 8u; word += WORKGROUP) {
        atomicStore(&workgroup_totals[word], 0u);
    }
    workgroupBarrier();
}

fn report(record: Record) {
    records[record.id] = record;
    atomicAdd(&workgroup_totals[0], record.id);
    atomicAdd(&workgroup_totals[1], record.run);
    atomicAdd(&workgroup_totals[2], record.state);
    atomicAdd(&workgroup_totals[3], record.bucket);
    atomicAdd(&workgroup_totals[4], record.count.x);
    atomicAdd(&workgroup_totals[5], record.count.y);
    atomicAdd(&workgroup_totals[6], record.visits.x);
    atomicAdd(&workgroup_totals[7], record.visits.y);
}

// After all records are reported; all invocations of the workgroup take part.
fn publish_totals(lane: u32) {
    workgroupBarrier();
    for (var word = lane; word < 8u; word += WORKGROUP) {
        atomicAdd(&totals[word], atomicLoad(&workgroup_totals[word]));
    }
}
