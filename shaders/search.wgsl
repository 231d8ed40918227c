// Counts the ways to complete a prefix: one invocation a prefix, one loop turn a queen put
// or taken back.
//
// Twin: src/method/search/count.rs. Prepended: shaders/lib/record.wgsl.
//
// Unit: columns, left and right diagonals taken as seen from the first free row, rows left (>= 1), then the
// 64-bit values from which its count and its visits start.
//
// State of an invocation: the free squares of the current row and three sets in fixed coordinates, so that a
// queen is put and taken back by the same exclusive or. A queen in row i and column c, with `last` the last
// row, has bit c of the columns, bit c + last - i of the left diagonals (window of row j: shift down by
// last - j) and bit c + i of the right ones (shift down by j). Bits beyond the word are read by no row. The
// stack holds one word a level, the free squares from the placed queen (its lowest bit) up.

override N: u32;
// Words of stack an invocation has: one for each row but the last.
override LEVELS: u32;
// Diagonals need two words: N + rows - 2 > 32.
override WIDE: bool;

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

fn count_unit(index: u32, lane: u32) {
    let unit = units[index];
    let full = 0xffffffffu >> (32u - N);
    let last = unit[3] - 1u;
    var columns = unit[0];
    var left = up(vec2(unit[1], 0u), last);
    var right = vec2(unit[2], 0u);
    var free = full & ~(unit[0] | unit[1] | unit[2]);
    var row = 0u;
    // 32 bits do: at most 32 a turn, and the budget is below 2^26
    var count = 0u;
    var visits = 0u;
    var state = UNFINISHED;
    if last == 0u {
        count = countOneBits(free);
        visits = count;
        state = DONE;
        free = 0u;
    }
    // Without branches but for the end: the invocations of a wave diverge, so that both sides of a branch would
    // be taken at almost every turn. A pop (no free square left) takes up the queen that it puts back down.
    for (var turn = 0u; turn < params.budget; turn++) {
        if (free | row) == 0u {
            state = DONE;
            break;
        }
        let pop = free == 0u;
        let at = row - u32(pop);
        let squares = select(free, stack[at * WORKGROUP + lane], pop);
        let queen = squares & (~squares + 1u);
        let next_columns = columns ^ queen;
        let next_left = left ^ up(vec2(queen, 0u), last - at);
        let next_right = right ^ up(vec2(queen, 0u), at);
        let below = full & ~(next_columns | window(next_left, last - at - 1u) | window(next_right, at + 1u));
        let leaf = at + 1u == last;
        let leaves = select(0u, countOneBits(below), leaf && !pop);
        count += leaves;
        visits += leaves + u32(!pop);
        let push = !(pop || leaf || below == 0u);
        // at every turn, as a store that some invocations skip is slow on a CPU: it is read after a push only
        stack[at * WORKGROUP + lane] = squares;
        let step = push || pop;
        columns = select(columns, next_columns, step);
        left = select(left, next_left, step);
        right = select(right, next_right, step);
        free = select(squares ^ queen, below, push);
        row = at + u32(push);
    }
    report(Record(index, params.run, state, 0u, add(vec2(unit[4], unit[5]), count), add(vec2(unit[6], unit[7]), visits)));
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(global_invocation_id) invocation: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    clear_totals(lane);
    if invocation.x < params.units {
        count_unit(invocation.x, lane);
    }
    publish_totals(lane);
}
