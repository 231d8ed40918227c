use proptest::prelude::*;

use super::*;
use crate::{Square, known, method::ladder, problem::tests::any_problem};

fn problem(n: u32) -> Problem {
    Problem::queens(n).unwrap_or_else(|error| panic!("{error}"))
}

fn search(n: u32, depth: Option<u32>) -> Search {
    Search::new(&problem(n), depth, 4096.0).unwrap_or_else(|error| panic!("{error}"))
}

/// The weighted sum over all units, with every unit compared with the reference; then the visits.
fn sum(search: &Search) -> (u128, u64) {
    let (mut sum, mut visits) = (0, 0);
    for number in 0..search.blocks() {
        let block = search.block(number);
        visits += block.visits;
        for (unit, &weight) in block.weights.iter().enumerate() {
            let record = search.count(&block, unit, u64::MAX);
            assert_eq!(record.state, Record::DONE);
            let plain = reference::count(&search.inner, &block.units[unit]);
            assert_eq!((record.count(), record.visits()), (plain.solutions, plain.visits));
            sum += u128::from(record.count()) * u128::from(weight);
            visits += record.visits();
        }
    }
    (sum, visits)
}

#[test]
fn the_weighted_sum_is_the_known_count_at_every_depth_and_visits_do_not_change() {
    for n in 1..=11 {
        let deepest = search(n, None).profile().deepest();
        let mut all_visits = None;
        for depth in 0..=deepest {
            let (count, visits) = sum(&search(n, Some(depth)));
            assert_eq!(Some(count), known::solutions(n), "N = {n}, depth {depth}");
            assert_eq!(*all_visits.get_or_insert(visits), visits, "N = {n}, depth {depth}");
        }
    }
}

#[test]
fn eight_symmetries_leave_less_than_a_quarter_of_the_plain_tree() {
    // the gain grows with N: 1/5.4 at N = 16
    let (count, visits) = sum(&search(12, None));
    let plain = ladder::bitmask::count(&problem(12)).map(|counted| counted.visits);
    assert_eq!(count, 14_200);
    assert!(plain.is_ok_and(|plain| visits * 4 < plain), "{visits}");
}

#[test]
fn the_mirrored_search_does_the_same_work_on_other_bits() {
    for n in [1, 2, 3, 4, 5, 8, 11] {
        let cut = Cutting { depth: None, unit_visits: 500.0, mirrored: true };
        let mirrored = Search::cut(&problem(n), cut).unwrap_or_else(|error| panic!("{error}"));
        let plain = Search::cut(&problem(n), Cutting { mirrored: false, ..cut })
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(sum(&mirrored), sum(&plain), "N = {n}");
        if n >= 5 {
            assert_ne!(mirrored.block(0).units, plain.block(0).units, "N = {n}");
        }
    }
}

/// All placements on the border of the plain board by trying all choices of squares: their number, and that of
/// orbits.
fn borders_by_choice(n: u32) -> (u64, usize) {
    let problem = problem(n);
    let board = problem.board();
    let on_border =
        |square: &Square| [square.rank, square.file].iter().any(|&line| line == 0 || line == n - 1);
    let squares: Vec<Square> =
        (0..n * n).map(|number| Square { rank: number / n, file: number % n }).filter(on_border).collect();
    let mut sets: Vec<Vec<Square>> = vec![vec![]];
    let mut full = Vec::new();
    while let Some(set) = sets.pop() {
        let sides = [0, n - 1].map(|line| {
            [set.iter().any(|square| square.rank == line), set.iter().any(|square| square.file == line)]
        });
        if sides.as_flattened().iter().all(|&side| side) {
            full.push(set.clone());
        }
        for &square in &squares {
            if set.last().is_none_or(|&last| last < square) && !set.iter().any(|queen| queen.attacks(square))
            {
                sets.push([&set[..], &[square]].concat());
            }
        }
    }
    let least = |set: &Vec<Square>| {
        problem.symmetries().iter().map(|transform| transform.image(board, set)).min().unwrap_or_default()
    };
    let mut orbits: Vec<Vec<Square>> = full.iter().map(least).collect();
    orbits.sort_unstable();
    orbits.dedup();
    (full.len() as u64, orbits.len())
}

#[test]
fn the_weights_of_the_borders_add_up_to_all_of_them() {
    for n in [4, 5, 7, 9, 12, 13] {
        let (all, orbits) = borders_by_choice(n);
        let inner = Inner::of(&problem(n));
        let prefixes = border::prefixes(&problem(n), &inner, &mut 0).unwrap_or_default();
        let weighted: u64 = prefixes.iter().map(|prefix| u64::from(prefix.weight)).sum();
        // borders that close a whole inner row are left out
        assert!(weighted <= all && prefixes.len() <= orbits, "N = {n}: {weighted} of {all}");
        if n >= 12 {
            assert_eq!((weighted, prefixes.len()), (all, orbits), "N = {n}");
        }
        assert!(prefixes.iter().all(|prefix| [2, 4, 8].contains(&prefix.weight)), "N = {n}");
    }
}

#[test]
fn blocks_partition_the_seeds_and_are_pure() {
    for n in [1, 8, 14, 16, 20] {
        let search = search(n, None);
        let mut seen = vec![false; search.seeds.len()];
        let sizes = (0..search.blocks()).map(|number| {
            search.seeds_of(number).filter(|&at| !std::mem::replace(&mut seen[at], true)).count()
        });
        let (least, most) =
            sizes.fold((usize::MAX, 0), |(least, most), size| (least.min(size), most.max(size)));
        assert!(least > 0 && most <= least + 1, "N = {n}: {least} to {most}");
        assert!(seen.iter().all(|&seen| seen));
        let last = search.blocks() - 1;
        assert!(search.cost(last) > 0.0);
        assert_eq!(search.block(last).units, search.block(last).units);
    }
}

#[test]
fn a_stride_meets_every_seed() {
    for all in [1, 2, 3, 4, 6, 10, 30, 97, 1024, 3206] {
        let mut met: Vec<u64> = (0..all).map(|at| at * stride(all) % all).collect();
        met.sort();
        assert!(met.into_iter().eq(0..all), "{all}: {}", stride(all));
    }
}

#[test]
fn the_number_of_blocks_is_bounded_for_every_board() {
    for n in 1..=32 {
        let search = search(n, None);
        assert!((1..=1 << 18).contains(&search.blocks()), "N = {n}");
        // a second of one thread, and 128 MiB of seeds
        assert!(n < 16 || search.blocks() >= 100, "N = {n}: {} blocks", search.blocks());
        assert!(
            search.seeds.len() * size_of::<Prefix>() < 128 << 20,
            "N = {n}: {} seeds",
            search.seeds.len()
        );
        assert!(search.depth() < n);
        assert!(search.block(search.blocks() / 2).units.len() < 4 << 20, "N = {n}");
    }
}

#[test]
fn a_unit_out_of_steps_says_so_and_its_parts_add_up() {
    let search = search(14, Some(1));
    let mut block = search.block(0);
    block.units[1][6..].copy_from_slice(&[u32::MAX, 7]);
    for unit in 0..block.units.len().min(10) {
        let whole = search.count(&block, unit, u64::MAX);
        assert_eq!(search.count(&block, unit, 100).state, Record::UNFINISHED);
        let parts = search.split(&block, unit).unwrap_or_default();
        let mut sum = (0, parts.visits);
        for part in 0..parts.units.len() {
            let record = search.count(&parts, part, u64::MAX);
            sum = (sum.0 + record.count() * u64::from(parts.weights[part]), sum.1 + record.visits());
        }
        assert_eq!(sum, (whole.count(), whole.visits()));
    }
}

#[test]
fn depth_must_leave_a_row() {
    // below the border of 8 x 8 five rows are left at most
    assert!(matches!(Search::new(&problem(8), Some(5), 1e3), Err(Error::Usage { .. })));
    assert!(Search::new(&problem(8), Some(4), 1e3).is_ok());
}

#[test]
fn the_self_test_presets_carry_over_32_bits() {
    for n in [1, 2, 5, 8, 16, 32] {
        let search = search(n, None);
        let test = search.self_test(0);
        for (unit, expected) in test.expected.iter().enumerate() {
            let record = search.count(&test.block, unit, u64::MAX);
            assert_eq!((record.count(), record.visits()), (expected.count, expected.visits));
        }
        if n >= 8 {
            assert!(test.expected.iter().any(|tally| tally.visits > known_units::NEAR_WRAP));
        }
        if n == 8 || n == 16 {
            assert!(test.expected.iter().any(|tally| tally.count > known_units::NEAR_WRAP));
        }
    }
}

proptest! {
    #[test]
    fn constrained_counts_agree_with_the_rung(problem in any_problem((7, 9), any::<bool>()), unit_visits in 1.0..1e4, mirrored: bool) {
        let plain = ladder::bitmask::count(&problem)?.solutions;
        let search = Search::cut(&problem, Cutting { depth: None, unit_visits, mirrored })?;
        prop_assert_eq!(sum(&search).0, u128::from(plain), "{}", problem);
        let turned = Search::cut(&problem.transposed(), Cutting { depth: Some(0), unit_visits, mirrored })?;
        prop_assert_eq!(sum(&turned).0, u128::from(plain), "{}, transposed", problem);
    }
}

#[test]
fn the_queens_of_one_rank_add_up_to_all_solutions() {
    for (n, rank) in [(8, 0), (8, 3), (9, 4)] {
        let with = |file| {
            let problem =
                problem(n).with_queen(Square { rank, file }).unwrap_or_else(|error| panic!("{error}"));
            sum(&Search::new(&problem, None, 1e3).unwrap_or_else(|error| panic!("{error}"))).0
        };
        assert_eq!(Some((0..n).map(with).sum()), known::solutions(n), "N = {n}, rank {}", rank + 1);
    }
}

#[test]
fn a_problem_with_too_many_starts_is_refused_before_memory_ends() {
    let problem = problem(32).placing(16).unwrap_or_else(|error| panic!("{error}"));
    assert!(matches!(Search::new(&problem, None, 1e3), Err(Error::Usage { .. })));
}

/// What a checkpoint rests on: the blocks are the problem's, whatever is tuned.
#[test]
fn what_is_tuned_does_not_change_the_blocks() {
    for n in [4, 8, 18] {
        let chosen = search(n, None);
        let deepest = chosen.profile().deepest();
        for depth in [Some(0), Some(deepest.min(3)), Some(deepest), None] {
            for unit_visits in [100.0, 8192.0, 1e9] {
                let other =
                    Search::new(&problem(n), depth, unit_visits).unwrap_or_else(|error| panic!("{error}"));
                // fewer rows than the seeds have make other seeds, and say so
                let same = depth.is_none_or(|depth| depth >= chosen.seed_depth);
                assert_eq!(other.plan_hash() == chosen.plan_hash(), same, "N = {n}, depth {depth:?}");
                assert_eq!(other.cut() == chosen.cut(), same, "N = {n}, depth {depth:?}");
            }
        }
        assert_eq!(chosen.seed_depth > 0, n == 18, "both cases are looked at");
    }
}

#[test]
fn other_blocks_have_other_hashes() -> Result<(), Error> {
    let square = |name: &str| name.parse::<Square>();
    let eight = problem(8);
    let mut hashes = Vec::new();
    for problem in [
        eight.clone(),
        problem(9),
        Problem::on("8x9".parse()?),
        eight.clone().placing(7)?,
        eight.clone().with_queen(square("d1")?)?,
        eight.clone().with_queen(square("e1")?)?,
        eight.clone().forbidding(square("d4")?)?,
        eight.forbidding(square("d1")?)?,
    ] {
        for mirrored in [false, true] {
            let cut = Cutting { depth: None, unit_visits: 500.0, mirrored };
            hashes.push(Search::cut(&problem, cut)?.plan_hash().to_string());
        }
    }
    let all = hashes.len();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), all);
    Ok(())
}

/// A change of the blocks shows here: give them another name in `plan_hash`, or old checkpoints would be taken for theirs.
#[test]
fn the_name_of_the_blocks_is_that_of_these_blocks() {
    let blocks = |n| {
        let search = search(n, Some(search(n, None).seed_depth));
        let words = (0..search.blocks()).flat_map(|number| {
            let block = search.block(number);
            let units = block.units.into_iter().flatten().chain(block.weights);
            units.map(u64::from).collect::<Vec<_>>()
        });
        let blocks = PlanHash::of("blocks", words).to_string();
        format!("{n} {} {}", &search.plan_hash().to_string()[..16], &blocks[..16])
    };
    assert_eq!(
        [8, 15].map(blocks),
        ["8 69f58470d8cded19 57b504826d9a3adb", "15 626f6b0f08369c5b 9d62070ade275dfd"]
    );
}

#[test]
fn the_second_search_is_cut_at_another_depth_into_the_same_blocks() -> Result<(), Error> {
    for n in 6..=18 {
        let problem = Problem::queens(n)?.with_queen(Square { rank: 0, file: 1 })?;
        for visits in [unit_visits(false), unit_visits(true)] {
            let cutting = Cutting { unit_visits: visits, ..Cutting::default() };
            let first = Search::cut(&problem, cutting)?;
            let second = Search::mirrored(&problem, Some(cutting), visits)?;
            assert_ne!(second.depth(), first.depth(), "N = {n}");
            let alike = Search::cut(&problem, Cutting { mirrored: true, ..cutting })?;
            assert_eq!(second.plan_hash(), alike.plan_hash(), "N = {n}: blocks do not depend on depth");
        }
    }
    Ok(())
}
