//! Totals, contributions by k, colour totals; units against plain references; splits; plans.
//! (Longer than other files: all that the golden values say of one method.)

use std::collections::BTreeMap;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::{
    lists::{Lists, Stripe, WORDS, list_one},
    symmetry::{COMMON, Symmetry},
    unit::{Counter, Machine, queue::Queue},
    *,
};
use crate::{BoardSize, known};

fn shape(n: u32) -> Shape {
    Shape::of(BoardSize::new(n).unwrap_or_else(|error| panic!("{error}")))
}

fn join(n: u32) -> Join {
    Join { plan: Plan::new(shape(n), &Cut::default()) }
}

/// Every machine that this processor has, by name.
fn machines() -> Vec<(&'static str, Box<dyn Machine>)> {
    let mut all: Vec<(&str, Box<dyn Machine>)> = vec![("queue", Box::new(Queue::default()))];
    #[cfg(target_arch = "x86_64")]
    {
        all.extend(unit::avx2::Avx2::new().map(|m| ("avx2", Box::new(m) as Box<dyn Machine>)));
        all.extend(unit::avx512::Avx512::new().map(|m| ("avx512", Box::new(m) as Box<dyn Machine>)));
    }
    all
}

/// Rows of numbers of a golden file.
fn numbers(text: &str) -> impl Iterator<Item = Vec<u128>> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split_whitespace().filter_map(|word| word.parse().ok()).collect())
}

fn by_k(join: &Join, counter: &mut Counter) -> BTreeMap<u32, u128> {
    let mut sums = BTreeMap::new();
    for number in 0..join.blocks() {
        let block = join.block(number);
        let records = counter.count(join.plan.shape, &block, 0..block.units.len());
        assert_eq!(records.len(), block.weights.len());
        for ((at, record), &weight) in records.iter().enumerate().zip(&block.weights) {
            assert_eq!((record.id, record.state), (at as u32, Record::DONE));
            *sums.entry(record.bucket).or_default() += u128::from(record.count()) * u128::from(weight);
        }
    }
    sums
}

#[test]
fn totals_are_the_known_ones_on_every_machine() {
    for (name, machine) in machines() {
        let mut counter = Counter::new(machine);
        for n in 1..=14 {
            let total = by_k(&join(n), &mut counter).values().sum();
            assert_eq!(Some(total), known::solutions(n), "N = {n}, {name}");
        }
    }
    let mut counter = Counter::new(unit::machine());
    assert_eq!(Some(by_k(&join(16), &mut counter).values().sum()), known::solutions(16));
}

#[test]
fn contributions_by_k_are_those_tallied_without_the_method() {
    let mut counter = Counter::new(unit::machine());
    let mut boards = 0;
    for row in numbers(include_str!("../../../tests/data/parity-histogram.txt")) {
        let n = row[0] as u32;
        let shape = shape(n);
        let ours = by_k(&join(n), &mut counter);
        for k in shape.ks() {
            // for even N, k stands for N/2 - k too
            let (both, k_run) = match (n.is_multiple_of(2), 4 * k) {
                (true, four) if four < n => (2, k),
                (true, four) if four > n => (2, n / 2 - k),
                _ => (1, k),
            };
            let golden = row.get(2 + k as usize).copied().unwrap_or(0);
            assert_eq!(ours.get(&k_run).copied().unwrap_or(0), both * golden, "N = {n}, k = {k}");
        }
        boards += 1;
    }
    assert_eq!(boards, 15);
}

/// Pairs of placements without a common diagonal, summed over all sets: leaves of the searches without symmetry.
#[test]
fn colour_totals_are_those_tallied_without_the_method() {
    let golden = include_str!("../../../tests/data/colour-totals.txt");
    let mut checked = 0;
    for (name, mut machine) in machines() {
        for line in golden.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<u64> =
                line.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect();
            let shape = shape(fields[0] as u32);
            let sets = [parity::Sets::new(shape.even), parity::Sets::new(shape.odd)];
            for golden in fields[1..].chunks_exact(3) {
                let k = golden[0] as u32;
                let even = sets[0].of_size(k);
                let odd = sets[1].of_size(shape.odd_size(k));
                let not_odd: Vec<u32> = odd.iter().map(|ro| shape.all_odd() & !ro).collect();
                let not_even: Vec<u32> = even.iter().map(|re| shape.all_even() & !re).collect();
                let mut total = |class, listed: &[u32], searched: &[u32]| -> u64 {
                    let all = Stripe { high: 0, low: shape.all_even() };
                    let lists = Lists::new(class, listed, all, &sets[0]);
                    let all = lists.range(listed.len() - 1, lists_of(&sets[0], listed) - 1).end as usize;
                    let units = [&lists.words[..WORDS * all]];
                    searched
                        .iter()
                        .map(|&rows| {
                            let mut table = vec![0u32; 1 << shape.odd];
                            if rows == 0 {
                                return all as u64;
                            }
                            machine.fill(
                                &unit::Search { shape, rows, units: &units, sample: &units },
                                &mut table,
                            );
                            table.iter().map(|&leaves| u64::from(leaves)).sum()
                        })
                        .sum()
                };
                let w = total(shape.white(), even, odd);
                let b = total(shape.black(), &not_odd, &not_even);
                assert_eq!([w, b], golden[1..], "{name} {line} k = {k}");
                checked += 1;
            }
        }
    }
    assert!(checked > 30);
}

fn lists_of(sets: &parity::Sets, rows: &[u32]) -> usize {
    sets.of_size(rows[0].count_ones()).len()
}

/// The squares (r, c) of the whole board, so that attacks need no half coordinates.
type Squares = Vec<(i32, i32)>;

fn indices(set: u32, odd: i32) -> Vec<i32> {
    (0..16).filter(|i| set >> i & 1 == 1).map(|i| 2 * i + odd).collect()
}

fn placements(rows: &[i32], columns: &[i32]) -> Vec<Squares> {
    let Some((&r, rest)) = rows.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for &c in columns {
        let others: Vec<i32> = columns.iter().copied().filter(|&other| other != c).collect();
        for mut placement in placements(rest, &others) {
            if placement.iter().all(|&(y, x)| (y - r).abs() != (x - c).abs()) {
                placement.push((r, c));
                all.push(placement);
            }
        }
    }
    all
}

fn pairs(xs: &[Squares], ys: &[Squares]) -> u64 {
    let apart = |x: &Squares, y: &Squares| {
        x.iter().all(|&(r, c)| y.iter().all(|&(s, d)| (r - s).abs() != (c - d).abs()))
    };
    xs.iter().map(|x| ys.iter().filter(|y| apart(x, y)).count() as u64).sum()
}

/// W * B of one tuple by the definition.
fn tuple(shape: Shape, [re, ro, ce, co]: [u32; 4]) -> u64 {
    let (even, odd) = (|set| indices(set & shape.all_even(), 0), |set| indices(set & shape.all_odd(), 1));
    let w = pairs(&placements(&even(re), &even(ce)), &placements(&odd(ro), &odd(co)));
    if w == 0 {
        return 0;
    }
    w * pairs(&placements(&even(!re), &odd(!co)), &placements(&odd(!ro), &even(!ce)))
}

/// The units of a pair of row sets add up to what the definition and the weights of the tuples say: covers lists,
/// ranks, tables of weights and the choice of units.
#[test]
fn units_of_a_row_pair_add_up_to_the_definition() {
    let mut nonzero = 0;
    for n in 1..=12 {
        let join = join(n);
        let Plan { shape, even_sets, .. } = &join.plan;
        let odd_sets = &std::sync::Arc::new(super::parity::Sets::new(shape.odd));
        let mut sums: BTreeMap<(u32, u32, u32), u64> = BTreeMap::new();
        for number in 0..join.blocks() {
            let block = join.block(number);
            for (record, (unit, &weight)) in join
                .count_units(&block, 0..block.units.len())
                .iter()
                .zip(block.units.iter().zip(&block.weights))
            {
                let words = Words::unpack(unit);
                assert_eq!(weight, if words.table.is_some() { 1 } else { COMMON });
                *sums.entry((words.k, words.re, words.ro)).or_default() += record.count() * u64::from(weight);
            }
        }
        for k in shape.ks() {
            let Some(symmetry) = Symmetry::new(*shape, k, even_sets, odd_sets) else { continue };
            let (even, odd) = (even_sets.of_size(k), odd_sets.of_size(shape.odd_size(k)));
            // all of the small boards, some of the others
            let step = if n <= 8 { 1 } else { even.len() * odd.len() / 6 + 1 };
            for at in (0..even.len() * odd.len()).step_by(step) {
                let (re, ro) = (even[at % even.len()], odd[at / even.len()]);
                let tuples = even.iter().flat_map(|&ce| odd.iter().map(move |&co| (ce, co)));
                let expected: u64 = tuples
                    .map(|(ce, co)| match symmetry.weight(re, ro, ce, co) {
                        0 => 0,
                        weight => u64::from(weight) * tuple(*shape, [re, ro, ce, co]),
                    })
                    .sum();
                nonzero += u32::from(expected > 0);
                let ours = sums.get(&(k, re, ro)).copied().unwrap_or(0);
                assert_eq!(ours, expected, "N = {n}, k = {k}, Re {re:b}, Ro {ro:b}");
            }
        }
    }
    assert!(nonzero > 30, "{nonzero}");
}

/// Whole units, grouped as they come, against the reference; all machines.
#[test]
fn machines_agree_with_the_reference_unit_by_unit() {
    for (name, machine) in machines() {
        let mut counter = Counter::new(machine);
        for n in 1..=15 {
            let join = join(n);
            let step = (join.blocks() / 12).max(1) as usize;
            let (mut nonzero, mut tables) = (0, 0);
            for number in (0..join.blocks()).step_by(step) {
                let block = join.block(number);
                let range = 0..block.units.len().min(200);
                for (at, record) in counter.count(join.plan.shape, &block, range).iter().enumerate() {
                    let expected = join.reference(&block, at);
                    assert_eq!(record.count(), expected, "N = {n}, block {number}, unit {at}, {name}");
                    nonzero += u32::from(expected > 0);
                    tables += u32::from(Words::unpack(&block.units[at]).table.is_some());
                }
            }
            assert!(n < 9 || (nonzero > 4 && tables > 0), "N = {n}: {nonzero}, {tables}");
        }
    }
}

/// A block of one unit on the first placements of a random unit with k queens on EE.
fn random_unit(shape: Shape, k: u32, most: usize, rng: &mut ChaCha8Rng) -> Block {
    let sets = [parity::Sets::new(shape.even), parity::Sets::new(shape.odd)];
    let mut pick = |sets: &[u32]| sets[rng.next_u32() as usize % sets.len()];
    let co = sets[1].of_size(shape.odd_size(k));
    loop {
        let (re, ce, ro) = (pick(sets[0].of_size(k)), pick(sets[0].of_size(k)), pick(co));
        let white = list_one(shape.white(), re, ce, most);
        let black = list_one(shape.black(), shape.all_odd() & !ro, shape.all_even() & !ce, most);
        if white.is_empty() || black.is_empty() {
            continue;
        }
        let (white_len, black_len) = ((white.len() / WORDS) as u32, (black.len() / WORDS) as u32);
        let ranks = 0..co.len() as u32;
        let words = Words { white: 0..white_len, black: 0..black_len, re, ro, k, ranks, ..Words::default() };
        return Block {
            context: vec![white.into(), black.into(), co.into(), vec![0].into()],
            units: vec![words.pack()],
            weights: vec![1],
            ..Block::default()
        };
    }
}

/// Searches of up to 12 rows, on the largest boards, with values that are not 0.
#[test]
fn machines_agree_with_the_reference_on_the_deepest_searches() {
    for (n, k, most) in [
        (19, 7, 20),
        (22, 3, 400),
        (24, 3, 2000),
        (28, 4, 2000),
        (31, 7, 3),
        (31, 8, 3),
        (32, 8, 2),
        (32, 5, 300),
    ] {
        let join = Join { plan: Plan::new(shape(n), &Cut::default()) };
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(n));
        let mut nonzero = 0;
        for _ in 0..60 {
            let block = random_unit(join.plan.shape, k, most, &mut rng);
            let expected = join.reference(&block, 0);
            for (name, machine) in machines() {
                let records = Counter::new(machine).count(join.plan.shape, &block, 0..1);
                assert_eq!(records[0].count(), expected, "N = {n}, k = {k}, {name}");
            }
            nonzero += u32::from(expected > 0);
            if nonzero == 3 {
                break;
            }
        }
        assert!(nonzero > 0, "N = {n}, k = {k}");
    }
}

#[test]
fn halves_add_up_to_the_whole() {
    let join = join(14);
    let mut halved = 0;
    for number in (0..join.blocks()).step_by(61) {
        let block = join.block(number);
        let whole = join.count_units(&block, 0..block.units.len());
        for (unit, record) in whole.iter().enumerate().take(20) {
            let words = Words::unpack(&block.units[unit]);
            let Some(parts) = join.split(&block, unit) else {
                assert!(words.white.len() == 1 && words.black.len() == 1);
                continue;
            };
            assert_eq!(parts.weights, [1, 1]);
            let sum: u64 = join.count_units(&parts, 0..2).iter().map(Record::count).sum();
            assert_eq!(sum, record.count(), "block {number}, unit {unit}");
            halved += 1;
        }
    }
    assert!(halved > 50, "{halved}");
}

#[test]
fn counts_do_not_depend_on_the_units_asked_for_together() {
    let join = join(14);
    let block = join.block(join.blocks() / 2);
    let together = join.count_units(&block, 0..block.units.len());
    for (unit, record) in together.iter().enumerate() {
        let alone = join.count_units(&block, unit..unit + 1)[0];
        assert_eq!((alone.id, alone.count), (record.id, record.count));
    }
}

#[test]
fn totals_do_not_depend_on_the_size_of_blocks() {
    let mut counter = Counter::new(unit::machine());
    for n in [11, 12, 13] {
        let mut blocks = Vec::new();
        let cut = Cut::default();
        for cut in [
            Cut { chunks: 0.2, ..cut },
            Cut { chunks: 3.0, ..cut },
            Cut { chunks: 8.0, ..cut },
            Cut { chunks: 200.0, ..cut },
            // one list is too large: stripes
            Cut { black_bytes: 1000.0, ..cut },
            Cut { white_bytes: 200.0, ..cut },
            Cut { white_bytes: 1.0, ..cut },
        ] {
            let join = Join { plan: Plan::new(shape(n), &cut) };
            blocks.push(join.blocks());
            assert_eq!(Some(by_k(&join, &mut counter).values().sum()), known::solutions(n), "N = {n}");
        }
        blocks.sort_unstable();
        blocks.dedup();
        assert!(blocks.len() > 4, "{blocks:?}");
    }
}

#[test]
fn blocks_are_pure_and_share_lists() {
    for n in [8, 13, 20] {
        let join = join(n);
        let number = join.blocks() / 2;
        let (a, next, again) = (join.block(number), join.block(number + 1), join.block(number));
        assert_eq!((&a.units, &a.weights, &a.context), (&again.units, &again.weights, &again.context));
        assert!(std::sync::Arc::ptr_eq(&a.context[0], &again.context[0]));
        assert!(std::sync::Arc::ptr_eq(&a.context[2], &again.context[2]));
        assert!(n != 20 || std::sync::Arc::ptr_eq(&a.context[0], &next.context[0]));
        let other = Join { plan: Plan::new(shape(n), &Cut::default()) }.block(number);
        assert_eq!((a.units, a.context), (other.units, other.context));
    }
}

#[test]
fn blocks_of_a_part_are_for_its_kernel() {
    for n in [1, 2, 8, 13] {
        let join = join(n);
        let parts = join.parts();
        assert_eq!(parts.len(), join.kernels().len());
        assert_eq!(parts.last().map(|(_, blocks)| blocks.end), Some(join.blocks()));
        let mut next = 0;
        for (kernel, (k, blocks)) in parts.into_iter().enumerate() {
            assert_eq!(blocks.start, next);
            next = blocks.end;
            for block in blocks.map(|number| join.block(number)) {
                assert!(block.kernel == kernel && block.units.iter().all(|unit| unit[5] & 255 == k));
            }
        }
    }
}

#[test]
fn plans_are_bounded_and_costs_positive() {
    for n in 1..=32 {
        let join = join(n);
        let blocks = join.blocks();
        assert!(
            blocks > 0 && (!(16..=28).contains(&n) || (1000..2_500_000).contains(&blocks)),
            "N = {n}: {blocks}"
        );
        for number in [0, blocks / 3, blocks / 2, blocks - 1] {
            assert!(join.cost(number) >= 1.0);
        }
    }
}

/// The model is near what is counted.
#[test]
fn costs_add_up_to_about_the_visits() {
    let join = join(15);
    let (mut cost, mut visits) = (0.0, 0);
    for number in 0..join.blocks() {
        let block = join.block(number);
        cost += join.cost(number);
        visits += join.count_units(&block, 0..block.units.len()).iter().map(Record::visits).sum::<u64>();
    }
    let ratio = cost / visits as f64;
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}

#[test]
fn every_machine_passes_the_self_tests() {
    for (name, machine) in machines() {
        let mut counter = Counter::new(machine);
        for n in 1..=32 {
            let join = join(n);
            for kernel in 0..join.plan.parts.len() {
                let test = join.self_test(kernel);
                let records = counter.count(join.plan.shape, &test.block, 0..test.block.units.len());
                let ours: Vec<_> = records.iter().map(|record| (record.count(), record.bucket)).collect();
                let right: Vec<_> = test.expected.iter().map(|tally| (tally.count, tally.bucket)).collect();
                assert_eq!(ours, right, "N = {n}, kernel {kernel}, {name}");
            }
        }
    }
}

#[test]
fn words_pack_and_unpack() {
    let words = Words {
        white: 5..9,
        black: 1 << 30..(1 << 30) + 7,
        re: 0xffff,
        ro: 0x8001,
        k: 16,
        ranks: 3..12_870,
        table: Some(77),
        preset: true,
    };
    assert_eq!(Words::unpack(&words.pack()), words);
    let plain = Words { table: None, preset: false, ..words };
    assert_eq!(Words::unpack(&plain.pack()), plain);
}

#[test]
fn other_blocks_have_other_hashes() {
    let plans = (1..=20).map(|n| join(n).plan_hash()).chain([Plan::new(
        shape(16),
        &Cut { chunks: 40.0, ..Cut::default() },
    )
    .hash()]);
    let mut hashes: Vec<String> = plans.map(|hash| hash.to_string()).collect();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 21);
    assert_eq!(join(12).plan_hash(), join(12).plan_hash());
}

/// A change of the blocks shows here: give them another name in `plan_hash`, or old checkpoints would be taken for theirs.
#[test]
fn the_name_of_the_blocks_is_that_of_these_blocks() {
    let blocks = |n| {
        let join = join(n);
        let words = (0..join.blocks()).flat_map(|number| {
            let block = join.block(number);
            let units = block.units.into_iter().flatten().chain(block.weights);
            let context = block.context.into_iter().flat_map(|words| words.to_vec());
            units.chain(context).map(u64::from).collect::<Vec<_>>()
        });
        let blocks = PlanHash::of("blocks", words).to_string();
        format!("{n} {} {}", &join.plan_hash().to_string()[..16], &blocks[..16])
    };
    assert_eq!(
        [8, 11].map(blocks),
        ["8 1585abf3b09bd72b 0b9a55469053eaf9", "11 d444752e4635c0ee 7e80e080c77474d2"]
    );
}
