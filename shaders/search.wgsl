// Counts the ways to complete a prefix: one invocation a prefix, one loop turn a queen put
// or taken back.
//
// Twin: src/method/search/count.rs. Prepended: shaders/lib/record.wgsl.
//
// Unit: src/method/search/unit.rs. Rows are those of the set in word 3, filled from the first (lowest) on;
// rows between them have their queen already, or none.
//
// State of an invocation: the free squares of the current row and three sets in fixed coordinates, so that a
// queen is put and taken back by the same exclusive or. A queen in row i and column c has bit c of the columns,
// bit c + last - i of the diagonals (window of row j: shift down by last - j) and bit c + i - first of the
// antidiagonals (shift down by j - first). The stack holds one word a row, the free squares from the placed
// queen (its lowest bit) up.

override COLUMNS: u32;
// Words of stack an invocation has: one for each row from the first to the last, but the last.
override LEVELS: u32;
// Diagonals need two words: COLUMNS + rows from first to last > 33.
override WIDE: bool;
// Some squares are forbidden.
override CLOSED: bool;

// The forbidden squares of each row of the board.
@group(0) @binding(4) var<storage, read> closed: array<u32>;

var<workgroup> stack: array<u32, WORKGROUP * LEVELS>;

// The pair of words moved up by `by` < 32.
fn up(pair: vec2<u32>, by: u32) -> vec2<u32> {
    if WIDE {
        // in two shifts, as one by 32 is not defined
        return vec2(pair.x << by, (pair.y << by) | ((pair.x >> 1u) >> (31u - by)));
    }
    return vec2(pair.x << by, 0u);
}

// The low word of the pair moved down by `by` < 32.
fn window(pair: vec2<u32>, by: u32) -> u32 {
    if WIDE {
        return (pair.x >> by) | ((pair.y << 1u) << (31u - by));
    }
    return pair.x >> by;
}

// The squares of a row that are forbidden.
fn closed_in(row: u32) -> u32 {
    if CLOSED {
        return closed[row];
    }
    return 0u;
}

fn count_unit(index: u32, lane: u32) {
    let unit = units[index];
    let full = 0xffffffffu >> (32u - COLUMNS);
    let rows = unit[3];
    let first = firstTrailingBit(rows);
    let last = firstLeadingBit(rows);
    var columns = unit[0];
    var diagonals = vec2(unit[1], unit[4]);
    var antidiagonals = vec2(unit[2], unit[5]);
    var free = 0u;
    var row = first;
    // 32 bits do: at most 32 a turn, and the budget is below 2^26
    var count = 0u;
    var visits = 0u;
    var state = UNFINISHED;
    if rows == 0u {
        count = 1u;
    } else {
        free = full & ~(columns | window(diagonals, last - first) | antidiagonals.x | closed_in(first));
        if first == last {
            count = countOneBits(free);
            visits = count;
            free = 0u;
        }
    }
    // Without branches but for the end: the invocations of a wave diverge, so that both sides of a branch would
    // be taken at almost every turn. A pop (no free square left) takes up the queen that it puts back down.
    for (var turn = 0u; turn < params.budget; turn++) {
        if (free | (row ^ first)) == 0u {
            state = DONE;
            break;
        }
        let pop = free == 0u;
        let at = select(row, firstLeadingBit(rows & ((1u << row) - 1u)), pop);
        let next = firstTrailingBit(rows & (0xfffffffeu << at));
        let depth = at - first;
        let squares = select(free, stack[depth * WORKGROUP + lane], pop);
        let queen = squares & (~squares + 1u);
        let next_columns = columns ^ queen;
        let next_diagonals = diagonals ^ up(vec2(queen, 0u), last - at);
        let next_antidiagonals = antidiagonals ^ up(vec2(queen, 0u), depth);
        let taken = window(next_diagonals, last - next) | window(next_antidiagonals, next - first);
        let below = full & ~(next_columns | taken | closed_in(next));
        let leaf = next == last;
        let leaves = select(0u, countOneBits(below), leaf && !pop);
        count += leaves;
        visits += leaves + u32(!pop);
        let push = !(pop || leaf || below == 0u);
        // at every turn, as a store that some invocations skip is slow on a CPU: it is read after a push only
        stack[depth * WORKGROUP + lane] = squares;
        let step = push || pop;
        columns = select(columns, next_columns, step);
        diagonals = select(diagonals, next_diagonals, step);
        antidiagonals = select(antidiagonals, next_antidiagonals, step);
        free = select(squares ^ queen, below, push);
        row = select(at, next, push);
    }
    let start = vec2(unit[6], unit[7]);
    report(Record(index, params.run, state, 0u, add(start, count), add(start, visits)));
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear_totals(lane);
    if invocation.x < params.units {
        count_unit(invocation.x, lane);
    }
    publish_totals(lane);
}
