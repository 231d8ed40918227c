// Counts one unit of the parity join a workgroup, by a queue by level. What a unit and its context are is told at
// Join::block in src/method/join/mod.rs; why it is right, at the top of that file.
//
// Twin: src/method/join/unit/. Prepended: shaders/lib/record.wgsl, shaders/lib/table.wgsl.
//
// Phase 0, black: below each v in OE(~Ro, ~Ce) the rows ~Re of EO are filled; a leaf with columns S does G[~S] += 1.
// Then an entry of a Co outside low..high becomes 0; where the unit has weights, each is multiplied by its own.
// Phase 1, white: below each x in EE(Re, Ce) the rows Ro of OO are filled; a leaf with columns S does value += G[S].
//
// All open nodes of the workgroup lie in workgroup memory, one stack a level. A turn takes a load (one node a lane) of
// the deepest level that has a full one; each lane puts a queen on the lowest free square of its node's row, pushes the
// child one level down and puts the node back if it has squares left. So every lane works, all lanes are in the same
// row, and nothing is ever undone. No stack holds more than two loads, as a level with a full load is served before
// anything is pushed to it. (Level 1 is served two loads at a time, and holds three.)
//
// A level is named by m, the number of rows still empty. A row is 16 bits, and a set bit is a *blocked* square:
// blocking more is an or. S: the columns taken.
//
//   m >= 4  blocked | S << 16,  D,  A             blocked: of the row at hand; D, A: the diagonals held
//   m == 3  blocked | S << 16,  next | last << 16 the masks of all rows left: a child only blocks more of their squares,
//   m == 2  blocked | last << 16,  S              and is dropped as soon as one of them is full
//   m == 1  blocked | S << 16
//
// The lowest free square of w is w ^ (w | (w + 1)); w | (w + 1) is what is left of the row after it. Below level 4, S is
// complemented in phase 0, so that a leaf always has Co.

// The workgroup size is a power of two, at most 128.
override N: u32;
// Nodes that a lane has for the levels from 4 up: 2 (r - 4) + 1 for r > 3 rows at most, else 1.
override UPPER: u32;
// Rows may be more than 11.
override TALL: bool;
const WALL = 0xffffu;         // a row without a free square
const NOTHING = 0xffffffffu;  // a node without children
const LEVEL3 = 2u;            // loads of level 2 in `lower`, after which those of level 3 lie
const HAS_WEIGHTS = 256u;
const IS_PRESET = 512u;       // the count starts from 2^32 - 1
// So no entry of G runs over 32 bits: a turn has 2 * 128 leaves at most, the first has none of more than 128, and a
// weight is 8 at most.
const MOST_TURNS = 0x200000u;

@group(0) @binding(4) var<storage, read> white: array<vec2<u32>>; // D, A
@group(0) @binding(5) var<storage, read> black: array<vec2<u32>>;
// A node is one element, so that its index is put within bounds once. (Three words have no bank conflicts.)
var<workgroup> last_level: array<u32, WORKGROUP * 3u>;          // level 1
var<workgroup> lower: array<vec2<u32>, WORKGROUP * 4u>;         // levels 2 and 3
var<workgroup> upper: array<array<u32, 3>, WORKGROUP * UPPER>;  // levels from 4 up
// Places given to children, and to nodes put back. Never cleared: `given` is what they held when the turn began.
var<workgroup> places: array<atomic<u32>, 2>;

/// What all lanes know alike, and one thing they do not (sum).
struct State {
    lane: u32,
    n1: u32, n2: u32, n3: u32,  // nodes of levels 1, 2, 3
    n_upper: vec4<u32>,         // of levels from 4 up, a byte each
    next: u32,                  // placements taken
    given: vec2<u32>,
    visits: u32,                // queens placed
    leaves: u32,                // of them in the last row
    phase: u32,
    flip: u32,                  // all columns where S is to be complemented
    r: u32,                     // rows of the phase
    order: vec2<u32>,           // nibble m-1: the row of level m
    apart: vec3<u32>,           // distances of the rows of levels 2 and 1, 3 and 1, 3 and 2
    sum: vec2<u32>,             // this lane's share of the value
}
var<private> state: State;

fn even() -> u32 { return (N + 1u) / 2u; }
fn odd() -> u32 { return N / 2u; }
fn full() -> u32 { return (1u << odd()) - 1u; }

/// Called by lanes that want a place for a child, or for their node: the places from `base` on, in turn. (What is alike
/// in all lanes is put together first, which is an instruction a lane less.)
fn place_child(base: u32) -> u32 { return (base - state.given.x) + atomicAdd(&places[0], 1u); }
fn place_back(base: u32) -> u32 { return (base - state.given.y) + atomicAdd(&places[1], 1u); }

/// After the barrier: how many places of each kind were given in this turn.
fn placed() -> vec2<u32> {
    let all = vec2(atomicLoad(&places[0]), atomicLoad(&places[1]));
    let given = all - state.given;
    state.given = all;
    return given;
}

/// Blocked squares of a row under the columns S and diagonals; NOTHING if there is no free one.
fn blocked(s: u32, d: u32, a: u32, row: u32) -> u32 {
    return ~full() | (s | (d >> (even() - 1u - row)) | (a >> row));
}

/// Squares that a queen on b takes from a row `apart` rows away.
fn hit(b: u32, apart: u32) -> u32 { return (b | (b << apart)) | (b >> apart); }

fn row_of(m: u32) -> u32 {
    return select(state.order.x >> (4u * m - 4u), state.order.y >> (4u * m - 36u), m > 8u) & 15u;
}

fn apart(m: u32, other: u32) -> u32 {
    let i = row_of(m);
    let j = row_of(other);
    return max(i, j) - min(i, j);
}

/// Nodes of level m >= 4. The bytes never overflow, so adding to one cannot disturb another.
fn upper_nodes(m: u32) -> u32 {
    var word = select(state.n_upper.x, state.n_upper.y, m >= 8u);
    if TALL { word = select(word, select(state.n_upper.z, state.n_upper.w, m >= 16u), m >= 12u); }
    return (word >> ((m & 3u) * 8u)) & 255u;
}

fn add_upper(m: u32, n: u32) {
    let change = n << ((m & 3u) * 8u);
    state.n_upper.x += select(change, 0u, m >= 8u);
    state.n_upper.y += select(0u, change, m >= 8u && (!TALL || m < 12u));
    if TALL {
        state.n_upper.z += select(0u, change, m >= 12u && m < 16u);
        state.n_upper.w += select(0u, change, m >= 16u);
    }
}

/// The deepest level from 4 up with a full load; 0 if there is none.
fn deepest_load() -> u32 {
    let loaded = state.n_upper & vec4((256u - WORKGROUP) * 0x01010101u);
    if loaded.x != 0u { return 4u + firstTrailingBit(loaded.x) / 8u; }
    if loaded.y != 0u { return 8u + firstTrailingBit(loaded.y) / 8u; }
    if TALL {
        if loaded.z != 0u { return 12u + firstTrailingBit(loaded.z) / 8u; }
        if loaded.w != 0u { return 16u; }
    }
    return 0u;
}

/// The shallowest level from 4 up with nodes; 0 if there is none.
fn shallowest() -> u32 {
    if TALL {
        if state.n_upper.w != 0u { return 16u; }
        if state.n_upper.z != 0u { return 12u + firstLeadingBit(state.n_upper.z) / 8u; }
    }
    if state.n_upper.y != 0u { return 8u + firstLeadingBit(state.n_upper.y) / 8u; }
    if state.n_upper.x != 0u { return 4u + firstLeadingBit(state.n_upper.x) / 8u; }
    return 0u;
}

// One turn of each level. Idle lanes have a node without children instead of a test in every line. All nodes are read
// before the first barrier, as their places are written after it.

fn turn1() {
    let taken = min(state.n1, WORKGROUP);
    let bottom = state.n1 - taken;
    let node = select(NOTHING, last_level[bottom + state.lane], state.lane < taken);
    workgroupBarrier();
    let keep = node | (node + 1u);
    if state.lane < taken { leaf((node >> 16u) ^ (node ^ keep)); }
    if (keep & WALL) != WALL { last_level[place_back(bottom)] = keep; }
    workgroupBarrier();
    state.n1 = bottom + placed().y;
    state.visits += taken;
    state.leaves += taken;
}

/// Two loads of leaves at once: more of these turns than of any other, and each waits for memory twice.
fn turn1_twice() {
    let bottom = state.n1 - 2u * WORKGROUP;
    let node0 = last_level[bottom + state.lane];
    let node1 = last_level[bottom + WORKGROUP + state.lane];
    workgroupBarrier();
    let keep0 = node0 | (node0 + 1u);
    let keep1 = node1 | (node1 + 1u);
    leaf((node0 >> 16u) ^ (node0 ^ keep0));
    leaf((node1 >> 16u) ^ (node1 ^ keep1));
    if (keep0 & WALL) != WALL { last_level[place_back(bottom)] = keep0; }
    if (keep1 & WALL) != WALL { last_level[place_back(bottom)] = keep1; }
    workgroupBarrier();
    state.n1 = bottom + placed().y;
    state.visits += 2u * WORKGROUP;
    state.leaves += 2u * WORKGROUP;
}

fn turn2(whole: bool) {
    let taken = select(state.n2, WORKGROUP, whole);
    let bottom = state.n2 - taken;
    let both = lower[bottom + state.lane];
    let node = select(NOTHING, both.x, whole || state.lane < taken);
    let s = both.y;
    workgroupBarrier();
    let keep = node | (node + 1u);
    let b = node ^ keep;
    let last = (node >> 16u) | hit(b, state.apart.x);
    if (last & WALL) != WALL { last_level[place_child(state.n1)] = (last & WALL) | ((s ^ b) << 16u); }
    if (keep & WALL) != WALL { lower[place_back(bottom)] = vec2(keep, s); }
    workgroupBarrier();
    let given = placed();
    state.n1 += given.x;
    state.n2 = bottom + given.y;
    state.visits += taken;
}

fn turn3(whole: bool) {
    let taken = select(state.n3, WORKGROUP, whole);
    let bottom = state.n3 - taken;
    let start = LEVEL3 * WORKGROUP + bottom;
    let both = select(vec2(NOTHING), lower[start + state.lane], whole || state.lane < taken);
    let node = both.x;
    let others = both.y;
    workgroupBarrier();
    let keep = node | (node + 1u);
    let b = node ^ keep;
    let left = (others | (hit(b, state.apart.y) << 16u)) | (hit(b, state.apart.z) & WALL);
    if (left & WALL) != WALL && left < (WALL << 16u) { lower[place_child(state.n2)] = vec2(left, (node >> 16u) ^ b); }
    if (keep & WALL) != WALL { lower[place_back(start)] = vec2(keep, others); }
    workgroupBarrier();
    let given = placed();
    state.n2 += given.x;
    state.n3 = bottom + given.y;
    state.visits += taken;
}

/// Where the nodes of level m >= 4 begin. (The select keeps a compiler from moving this into the address of each lane.)
fn upper_at(m: u32, node: u32) -> u32 { return select((m - 4u) * 2u * WORKGROUP + node, 0u, m < 4u); }

fn turn_upper(m: u32) {
    let have = upper_nodes(m);
    let taken = min(have, WORKGROUP);
    let bottom = have - taken;
    let row = row_of(m);
    let start = upper_at(m, bottom);
    let all = upper[start + state.lane];
    let node = select(NOTHING, all[0], state.lane < taken);
    workgroupBarrier();
    let keep = node | (node + 1u);
    let b = node ^ keep;
    let s = (node >> 16u) | b;
    let d = all[1] | (b << (even() - 1u - row));
    let a = all[2] | (b << row);
    if m == 4u {
        let f1 = blocked(s, d, a, row_of(1u));
        let f2 = blocked(s, d, a, row_of(2u));
        let f3 = blocked(s, d, a, row_of(3u));
        if max(max(f1, f2), f3) != NOTHING {
            let child = vec2((f3 & WALL) | ((s ^ state.flip) << 16u), (f2 & WALL) | (f1 << 16u));
            lower[place_child(LEVEL3 * WORKGROUP + state.n3)] = child;
        }
    } else {
        let f = blocked(s, d, a, row_of(m - 1u));
        let base = upper_at(m - 1u, upper_nodes(m - 1u));
        if f != NOTHING { upper[place_child(base)] = array((f & WALL) | (s << 16u), d, a); }
    }
    if (keep & WALL) != WALL { upper[place_back(start)] = array(keep, all[1], all[2]); }
    workgroupBarrier();
    let given = placed();
    add_upper(m, given.y - taken);
    if m == 4u { state.n3 += given.x; } else { add_upper(m - 1u, given.x); }
    state.visits += taken;
}

/// Placements become nodes of level r: as many as make its load full.
fn turn_list(at: u32, len: u32) {
    let r = state.r;
    var top = 0u;
    if r >= 4u { top = upper_nodes(r); } else if r == 3u { top = state.n3; } else if r == 2u { top = state.n2; } else { top = state.n1; }
    let room = select(WORKGROUP, 2u * WORKGROUP, r == 1u) - top; // level 1 is served from two loads on
    let taken = min(len - state.next, min(room, WORKGROUP));
    var placement = vec2<u32>();
    if state.lane < taken {
        if state.phase == 0u { placement = black[at + state.next + state.lane]; } else { placement = white[at + state.next + state.lane]; }
    }
    state.next += taken;
    workgroupBarrier(); // the places of the turn before are read by all
    let d = placement.x;
    let a = placement.y;
    // the masks that a node of level r looks at
    var f1 = 0u;
    var f2 = 0u;
    var f = 0u;
    if r >= 4u { f = blocked(0u, d, a, row_of(r)); } else {
        if r >= 1u { f1 = blocked(0u, d, a, row_of(1u)); }
        if r >= 2u { f2 = blocked(0u, d, a, row_of(2u)); }
        if r == 3u { f = blocked(0u, d, a, row_of(3u)); }
    }
    let s = state.flip; // no column yet
    let push = state.lane < taken && max(max(f1, f2), f) != NOTHING;
    if r == 0u { // no row to fill: one leaf, the empty set
        if push { leaf(s); }
        state.leaves += taken;
    } else if push {
        let to = place_child(top);
        if r >= 4u {
            upper[upper_at(r, to)] = array(f & WALL, d, a);
        } else if r == 3u {
            lower[LEVEL3 * WORKGROUP + to] = vec2((f & WALL) | (s << 16u), (f2 & WALL) | (f1 << 16u));
        } else if r == 2u {
            lower[to] = vec2((f2 & WALL) | (f1 << 16u), s);
        } else {
            last_level[to] = (f1 & WALL) | (s << 16u);
        }
    }
    workgroupBarrier();
    let pushed = placed().x;
    if r >= 4u { add_upper(r, pushed); } else if r == 3u { state.n3 += pushed; } else if r == 2u { state.n2 += pushed; } else { state.n1 += pushed; }
}

/// Rows of a set, the one nearest the middle first (it has the fewest free squares), as nibbles: the first is row r.
fn order_of(rows: u32) -> vec2<u32> {
    var order = vec2<u32>();
    for (var t = 0u; t < even(); t++) {
        let row = select((even() + t) / 2u, (even() - 1u - t) / 2u, ((even() + t) & 1u) != 0u);
        if (rows >> row & 1u) != 0u { order = vec2((order.x << 4u) | row, (order.y << 4u) | (order.x >> 28u)); }
    }
    return order;
}

fn count_unit(index: u32) {
    let unit = units[index];
    let co = arrayLength(&sets);
    begin(co);
    // by the last lane, so that a small unit carries where lanes are summed, a large one at a leaf
    if (unit[5] & IS_PRESET) != 0u && state.lane == WORKGROUP - 1u { state.sum.x = 0xffffffffu; }
    let budget = min(params.budget, MOST_TURNS);
    var step = 0u;
    var finished = 0u;
    for (var phase = 0u; phase < 2u; phase++) {
        let rows = select(unit[4] >> 16u, ((1u << even()) - 1u) & ~(unit[4] & 0xffffu), phase == 0u);
        let at = select(unit[0], unit[2], phase == 0u);
        let len = select(unit[1], unit[3], phase == 0u);
        state.phase = phase;
        state.r = countOneBits(rows);
        state.flip = select(0u, full(), phase == 0u);
        state.order = order_of(rows);
        state.apart = vec3(apart(2u, 1u), apart(3u, 1u), apart(3u, 2u));
        state.next = 0u;
        var done = false;
        // what the host has set apart for G and the levels must do
        if co > select(TABLE, 2u * TABLE, PACKED) || (state.r > 3u && 2u * state.r - 7u > UPPER) || (state.r > 11u && !TALL) { break; }
        for (; step < budget; step++) {
            // the deepest full load; else more placements; else, draining, the shallowest nodes, which refill the levels below
            if state.n1 >= 2u * WORKGROUP { turn1_twice(); continue; }
            if state.n2 >= WORKGROUP { turn2(true); continue; }
            if state.n3 >= WORKGROUP { turn3(true); continue; }
            let more = state.next < len;
            var level = deepest_load();
            if level == 0u && !more { level = shallowest(); }
            if level != 0u { turn_upper(level); }
            else if more { turn_list(at, len); }
            else if state.n3 > 0u { turn3(false); }
            else if state.n2 > 0u { turn2(false); }
            else if state.n1 > 0u { turn1(); }
            else { done = true; break; }
        }
        // for all lanes alike, as all have taken the same turns
        if !done { break; }
        if phase == 0u {
            if !weigh(unit) { break; }
        }
        finished += 1u;
    }

    // the sum over the lanes; nodes left by an unfinished unit may go
    workgroupBarrier();
    lower[state.lane] = state.sum;
    for (var gap = 1u; gap < WORKGROUP; gap += gap) {
        workgroupBarrier();
        if (state.lane & (2u * gap - 1u)) == 0u {
            let other = lower[state.lane + gap];
            lower[state.lane] = add(lower[state.lane], other.x) + vec2(0u, other.y);
        }
    }
    if state.lane == 0u {
        let done = finished == 2u;
        let count = select(vec2(0u), lower[0], done);
        report(Record(index, params.run, select(UNFINISHED, DONE, done), unit[5] & 255u, count, vec2(state.visits, 0u)));
    }
}

@compute @workgroup_size(WORKGROUP)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    state = State();
    state.lane = lane;
    clear_totals(lane);
    if group.x < params.units {
        count_unit(group.x);
    }
    publish_totals(lane);
}
