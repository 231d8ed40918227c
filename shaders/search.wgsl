// Counts the ways to complete a prefix: one workgroup a prefix, all lanes fed from one stack of nodes.
//
// Twin: src/method/search/count.rs. Prepended: shaders/lib/record.wgsl.
//
// Unit: src/method/search/unit.rs. Rows are those of the set in word 3, filled from the first (lowest) on; rows between
// them have their queen already, or none.
//
// A node is a placement in the first rows of the unit: the blocked squares of the next row, and what the queens of the
// placement take there: columns, diagonals (which move down, row by row) and antidiagonals (which move up). What leaves
// the board never comes back, so a word does for each, and its columns tell how many rows are filled. What the prefix
// takes is alike for all nodes, and comes from a table by row.
//
// A turn takes the topmost nodes of the stack, one a lane. Each lane puts a queen on the lowest free square of its node,
// and puts back the node, if it has squares left, and above it the child, if its row has any; a child in the last row
// is counted instead. So every lane works until the stack runs low, whatever rows the nodes are in, and nothing is
// ever undone.

// The workgroup size is a power of two, at most 128.
override COLUMNS: u32;
// Rows from the first to the last of a unit at most.
override ROWS: u32;
// Some squares are forbidden.
override CLOSED: bool;

// Nodes a lane that are held before turns are made smaller: with 4 a wave takes 1 to 5 % more turns, with 6 half a percent less.
const LOADS = 5u;
const NOTHING = 0xffffffffu;  // a row without a free square
// So the queens placed fit a word: at most 128 a turn, and the leaves of a lane: at most 30 a turn.
const MOST_TURNS = 0x1000000u;

// The forbidden squares of each row of the board.
@group(0) @binding(4) var<storage, read> closed: array<u32>;

// By the number of rows filled in a node before its queen is put: the squares of the row after hers that the prefix
// blocks, and how far it is away.
var<workgroup> beyond: array<vec2<u32>, ROWS>;
// Blocked squares, columns, diagonals, antidiagonals. From WORKGROUP * LOADS nodes on a turn takes one node only, which
// adds no more than one for each row before it and all above it are gone: ROWS more do.
var<workgroup> nodes: array<vec4<u32>, WORKGROUP * LOADS + ROWS>;
// Places given on the stack. Never cleared: `given` is what it held when the turn began.
var<workgroup> places: atomic<u32>;

// The low word of a pair moved down by `by` < 32, in two shifts, as one by 32 is not defined.
fn window(low: u32, high: u32, by: u32) -> u32 {
    return (low >> by) | ((high << 1u) << (31u - by));
}

// Fills the table and clears the stack, but for the barrier after it; the blocked squares of the first row.
fn prepare(unit: array<u32, 8>, lane: u32) -> u32 {
    let first = firstTrailingBit(unit[3]);
    let last = firstLeadingBit(unit[3]);
    var rows = unit[3];
    var above = first;
    var top = NOTHING;
    for (var filled = 0u; filled < countOneBits(unit[3]); filled++) {
        let row = firstTrailingBit(rows);
        rows &= rows - 1u;
        let diagonals = window(unit[1], unit[4], last - row) | window(unit[2], unit[5], row - first);
        var blocked = ~(0xffffffffu >> (32u - COLUMNS)) | (unit[0] | diagonals);
        if CLOSED { blocked |= closed[row]; }
        if filled == 0u {
            top = blocked;
        } else if lane == 0u {
            beyond[filled - 1u] = vec2(blocked, row - above);
        }
        above = row;
    }
    if lane == 0u {
        atomicStore(&places, 0u);
        nodes[0] = vec4(top, 0u, 0u, 0u);
    }
    return top;
}

// The sum over the lanes of the workgroup, given to the first.
fn sum_of(own: vec2<u32>, lane: u32) -> vec2<u32> {
    var sum = own;
    for (var gap = 1u; gap < WORKGROUP; gap += gap) {
        // nodes left by an unfinished unit may go
        nodes[lane] = vec4(sum, 0u, 0u);
        workgroupBarrier();
        if (lane & (2u * gap - 1u)) == 0u {
            let other = nodes[lane + gap];
            sum = add(sum, other.x) + vec2(0u, other.y);
        }
        workgroupBarrier();
    }
    return sum;
}

fn count_unit(index: u32, lane: u32) {
    let unit = units[index];
    let height = countOneBits(unit[3]);
    let top = prepare(unit, lane);
    workgroupBarrier();
    // one row is counted, not walked
    var size = select(0u, 1u, height > 1u && top != NOTHING);
    var leaves = select(0u, countOneBits(~top), height == 1u && lane == 0u);
    var placed = 0u;
    var given = 0u;
    var state = UNFINISHED;
    let budget = min(params.budget, MOST_TURNS);
    for (var turn = 0u; turn < budget; turn++) {
        if size == 0u {
            state = DONE;
            break;
        }
        let room = max(WORKGROUP * LOADS, size + 1u) - size;
        let taken = min(min(size, WORKGROUP), room);
        let bottom = size - taken;
        // all are read before the first barrier, as their places are written after it
        let node = nodes[bottom + lane];
        let filled = countOneBits(node.y);
        let next = beyond[filled];
        workgroupBarrier();
        if lane < taken {
            let rest = node.x | (node.x + 1u);
            let queen = node.x ^ rest;
            let columns = node.y | queen;
            let diagonals = (node.z | queen) >> next.y;
            let antidiagonals = (node.w | queen) << next.y;
            let blocked = ((columns | diagonals) | antidiagonals) | next.x;
            let base = bottom - given;
            if rest != NOTHING {
                nodes[base + atomicAdd(&places, 1u)] = vec4(rest, node.yzw);
            }
            if filled + 2u == height {
                leaves += countOneBits(~blocked);
            } else if blocked != NOTHING {
                nodes[base + atomicAdd(&places, 1u)] = vec4(blocked, columns, diagonals, antidiagonals);
            }
        }
        workgroupBarrier();
        let all = atomicLoad(&places);
        size = bottom + (all - given);
        given = all;
        placed += taken;
    }
    // by the second lane, whose sum is handed on
    let start = select(vec2(0u), vec2(unit[6], unit[7]), lane == min(1u, WORKGROUP - 1u));
    let sum = sum_of(add(start, leaves), lane);
    if lane == 0u {
        // no row to fill: one way, without a queen
        report(Record(index, params.run, state, 0u, add(sum, u32(height == 0u)), add(sum, placed)));
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear_totals(lane);
    if group.x < params.units {
        count_unit(group.x, lane);
    }
    publish_totals(lane);
}
