// What every kernel of ferz shares: its parameters, its units, and one record a unit in return.
// The Rust side of these structs is in src/method/mod.rs and src/engine/gpu/dispatch/layout.rs; a test compares them.

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

// Before any record is reported; all invocations of the workgroup take part. No loop, here and below: a driver
// that limits loops counts these with those of the kernel, and after its limit would end them early.
fn clear_totals(lane: u32) {
    if lane == 0u {
        atomicStore(&workgroup_totals[0], 0u);
        atomicStore(&workgroup_totals[1], 0u);
        atomicStore(&workgroup_totals[2], 0u);
        atomicStore(&workgroup_totals[3], 0u);
        atomicStore(&workgroup_totals[4], 0u);
        atomicStore(&workgroup_totals[5], 0u);
        atomicStore(&workgroup_totals[6], 0u);
        atomicStore(&workgroup_totals[7], 0u);
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
    if lane == 0u {
        atomicAdd(&totals[0], atomicLoad(&workgroup_totals[0]));
        atomicAdd(&totals[1], atomicLoad(&workgroup_totals[1]));
        atomicAdd(&totals[2], atomicLoad(&workgroup_totals[2]));
        atomicAdd(&totals[3], atomicLoad(&workgroup_totals[3]));
        atomicAdd(&totals[4], atomicLoad(&workgroup_totals[4]));
        atomicAdd(&totals[5], atomicLoad(&workgroup_totals[5]));
        atomicAdd(&totals[6], atomicLoad(&workgroup_totals[6]));
        atomicAdd(&totals[7], atomicLoad(&workgroup_totals[7]));
    }
}
