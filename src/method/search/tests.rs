use super::*;
use crate::known;

/// The golden file of tree levels, one row a board: (N, placements of 0, 1, ... N rows).
fn tree_profile() -> Vec<(u32, Vec<u64>)> {
    include_str!("../../../tests/data/tree-profile.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
            Some((numbers.next()? as u32, numbers.collect()))
        })
        .collect()
}

fn size(n: u32) -> BoardSize {
    BoardSize::new(n).unwrap_or_else(|error| panic!("{error}"))
}

fn search(n: u32, depth: Option<u32>) -> Search {
    let problem = Problem { size: size(n) };
    Search::new(&problem, depth, 4096.0).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn expansion_without_symmetry_has_the_size_of_each_level_of_the_tree() {
    let golden = tree_profile();
    assert_eq!(golden.len(), 14);
    for (n, levels) in golden {
        for (depth, &expected) in levels.iter().enumerate().filter(|(_, level)| **level < 300_000) {
            let root = Prefix { symmetric: false, ..Prefix::EMPTY };
            let mut visits = 0;
            let prefixes = expand(size(n), vec![root], depth as u32, &mut visits);
            assert_eq!(prefixes.len() as u64, expected, "N = {n}, depth {depth}");
            assert_eq!(visits, levels[1..=depth].iter().sum::<u64>());
        }
    }
}

#[test]
fn expansion_with_symmetry_has_the_weighted_size_of_each_level() {
    for (n, levels) in tree_profile() {
        for (depth, &expected) in levels.iter().enumerate().filter(|(_, level)| **level < 300_000) {
            // a level of one row that is only mirrored once the second row stands still sums up
            let prefixes = expand(size(n), vec![Prefix::EMPTY], depth as u32, &mut 0);
            let weighted: u64 = prefixes.iter().map(|prefix| u64::from(prefix.weight)).sum();
            assert_eq!(weighted, expected, "N = {n}, depth {depth}");
        }
    }
}

#[test]
fn the_weighted_sum_is_the_known_count_at_every_depth() {
    for n in 1..=11 {
        for depth in 0..n {
            let search = search(n, Some(depth));
            let mut sum = 0;
            let mut visits = 0;
            for number in 0..search.blocks() {
                let block = search.block(number);
                visits += block.visits;
                for (unit, &weight) in block.weights.iter().enumerate() {
                    let record = search.count(&block, unit, u64::MAX);
                    assert_eq!(record.state, Record::DONE);
                    assert_eq!(record.count(), search.reference(&block, unit));
                    sum += u128::from(record.count()) * u128::from(weight);
                    visits += record.visits();
                }
            }
            assert_eq!(Some(sum), known::solutions(n), "N = {n}, depth {depth}");
            if depth >= 2 {
                let plain = ladder::bitmask::count(size(n)).visits;
                let half = plain / 2 + u64::from(n % 2 == 1);
                assert!(visits.abs_diff(half) <= 1, "N = {n}, depth {depth}: {visits} of {plain}");
            }
        }
    }
}

#[test]
fn blocks_partition_the_seeds_and_are_pure() {
    for n in [1, 8, 14, 16, 20] {
        let search = search(n, None);
        let mut next = 0;
        for number in 0..search.blocks() {
            let seeds = search.seeds_of(number);
            assert_eq!(seeds.start, next);
            assert!(search.cost(number) > 0.0);
            next = seeds.end;
        }
        assert_eq!(next, search.seeds.len());
        let last = search.blocks() - 1;
        assert_eq!(search.block(last).units, search.block(last).units);
    }
}

#[test]
fn the_number_of_blocks_is_bounded_for_every_board() {
    for n in 1..=32 {
        let search = search(n, None);
        assert!((1..=65_536).contains(&search.blocks()), "N = {n}");
        assert!(search.depth() < n);
        assert!(search.block(search.blocks() / 2).units.len() < 4 << 20, "N = {n}");
    }
}

#[test]
fn a_unit_out_of_steps_says_so_and_its_parts_add_up() {
    let search = search(12, Some(2));
    let mut block = search.block(0);
    block.units[1][4..].copy_from_slice(&[u32::MAX, 7, 5, u32::MAX]);
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
    let problem = Problem { size: size(8) };
    assert!(matches!(Search::new(&problem, Some(8), 1e3), Err(Error::Usage { .. })));
    assert!(Search::new(&problem, Some(7), 1e3).is_ok());
}

#[test]
fn the_self_test_presets_carry_over_32_bits() {
    for n in [1, 2, 5, 8, 16, 32] {
        let search = search(n, None);
        let test = search.self_test();
        for (unit, expected) in test.expected.iter().enumerate() {
            let record = search.count(&test.block, unit, u64::MAX);
            assert_eq!((record.count(), record.visits()), (expected.count, expected.visits));
        }
        if n >= 5 {
            assert!(test.expected.iter().any(|tally| tally.visits > u64::from(u32::MAX)));
        }
        if n == 8 || n == 16 {
            assert!(test.expected.iter().any(|tally| tally.count > u64::from(u32::MAX)));
        }
    }
}
