//! Stored machine code, executed without any driver: a bitmask search for N = 9 below prefixes of two rows, compiled by
//! Mesa 22.3.6. It is an earlier kernel `search`; what it must count is told here, so that it need not change with ferz.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use kernel_cost::{
    code::Program,
    error::Error,
    machine::{Executed, Machine, Memory, Shape},
};

const FAMILIES: [&str; 3] = ["navi21", "gfx1100", "vega10"];

const SHAPE: Shape = Shape { workgroup: 64, wave: 64 };

const FULL: u32 = 0x1ff;

/// Rows below a prefix.
const ROWS: u32 = 7;

/// Words of workgroup memory: totals, and a stack of all rows but the last for each lane.
const WORDS: usize = 8 + 64 * (ROWS as usize - 1);

const DONE: u32 = 0x444f_4e45;

/// What a walk takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Walk {
    solutions: u32,
    visits: u32,
    turns: u64,
}

/// Fills the last `rows` >= 2 rows, one queen or one step back a turn; the last row is counted in the turn of the queen
/// above it.
fn walk(columns: u32, left: u32, right: u32, rows: u32, sum: &mut Walk) {
    let mut free = FULL & !(columns | left | right);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        sum.visits += 1;
        sum.turns += 1;
        let (columns, left, right) = (columns | queen, (left | queen) << 1, (right | queen) >> 1);
        let below = FULL & !(columns | left | right);
        if rows == 2 {
            sum.solutions += below.count_ones();
            sum.visits += below.count_ones();
        } else if below != 0 {
            walk(columns, left, right, rows - 1, sum);
            sum.turns += 1;
        }
    }
}

/// The units: all ways to fill two rows, with what each takes. One turn more finds the end.
fn units() -> (Vec<[u32; 8]>, Vec<Walk>) {
    let (mut units, mut walks) = (Vec::new(), Vec::new());
    for (a, b) in (0..9).flat_map(|a| (0..9).map(move |b: i32| (a, b))) {
        if (a - b).abs() > 1 {
            let (a, b) = (1u32 << a, 1u32 << b);
            let [columns, left, right] = [a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1];
            let mut sum = Walk { turns: 1, ..Walk::default() };
            walk(columns, left, right, ROWS, &mut sum);
            units.push([columns, left, right, ROWS, 0, 0, 0, 0]);
            walks.push(sum);
        }
    }
    (units, walks)
}

fn text(family: &str) -> String {
    let file = format!("tests/data/search-9.{family}.s");
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// Executes all units: records, totals, and what was executed.
fn run(text: &str) -> Result<(Vec<u32>, Vec<u32>, Executed), Error> {
    let (units, _) = units();
    let buffers =
        vec![vec![units.len() as u32, 7, 1 << 20, 0], units.concat(), vec![0; 8 * units.len()], vec![0; 8]];
    let mut memory = Memory::new(buffers, 4 * WORDS);
    let program = Program::parse(text)?;
    let executed = Machine::new(&program, program.main_loop()?)?.dispatch(SHAPE, 1, &mut memory)?;
    let [.., records, totals] = &memory.buffers[..] else { unreachable!("there are four buffers") };
    Ok((records.clone(), totals.clone(), executed))
}

fn records() -> Vec<u32> {
    let record = |(id, walk): (u32, Walk)| [id, 7, DONE, 0, walk.solutions, 0, walk.visits, 0];
    (0..).zip(units().1).flat_map(record).collect()
}

fn sums(records: &[u32]) -> Vec<u32> {
    (0..8)
        .map(|word| records.iter().skip(word).step_by(8).fold(0u32, |sum, &next| sum.wrapping_add(next)))
        .collect()
}

#[test]
fn stored_machine_code_counts_nine_queens() {
    for family in FAMILIES {
        let (found, totals, _) = run(&text(family)).unwrap();
        assert_eq!(found, records(), "{family}");
        assert_eq!(totals, sums(&found), "{family}");
        assert_eq!(totals[4], 352, "solutions of N = 9");
    }
}

#[test]
fn a_wave_takes_the_turns_of_its_longest_unit() {
    let longest = units().1.iter().map(|walk| walk.turns).max();
    for family in FAMILIES {
        let program = Program::parse(&text(family)).unwrap();
        let (_, _, executed) = run(&text(family)).unwrap();
        let main_loop = program.main_loop().unwrap().unwrap();
        assert_eq!(Some(executed.times[main_loop.first]), longest, "{family}");
        let turns: u64 = executed.turns.values().map(|kind| kind.turns).sum();
        assert_eq!(Some(turns), longest, "{family}");
        // nothing but the walk is in the loop, and the walk is most of what there is to do
        let vector: u64 = executed.turns.values().map(|kind| kind.counts.vector).sum();
        let all = executed.counts(&program).vector;
        assert!(vector < all && 2 * vector > all, "{family}: {vector} of {all}");
    }
}

#[test]
fn machine_code_that_counts_wrong_leaves_other_records_or_totals() {
    let good = text("navi21");
    for (right, wrong) in [
        // one solution too many a leaf, a row too few, sums of another word, a record of another unit
        ("v_bcnt_u32_b32 v22, v18, 0", "v_bcnt_u32_b32 v22, v18, 1"),
        ("v_add_nc_u32_e32 v7, -1, v11", "v_add_nc_u32_e32 v7, -2, v11"),
        ("buffer_atomic_add v5, off, s[4:7], 0 offset:4", "buffer_atomic_add v5, off, s[4:7], 0 offset:8"),
        ("v_mov_b32_e32 v16, v1", "v_mov_b32_e32 v16, 3"),
    ] {
        assert_eq!(good.matches(&format!("{right}\n")).count(), 1, "{right}");
        let (found, totals, _) = run(&good.replace(&format!("{right}\n"), &format!("{wrong}\n"))).unwrap();
        assert!(found != records() || totals != sums(&found), "{wrong}");
    }
}

#[test]
fn workgroup_memory_that_is_not_there_is_seen() {
    let bad = text("navi21").replace("ds_write_b32 v15, v9 offset:32", "ds_write_b32 v15, v9 offset:3000");
    let Err(error) = run(&bad) else { panic!("it is not seen") };
    assert!(matches!(error, Error::Fault { .. }), "{error}");
}
