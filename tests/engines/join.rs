//! The join's kernel unit by unit on boards too large to be counted here: against the plain reference and its twin.

use std::{sync::Arc, time::Duration};

use ferz::testing::{
    engine::{
        Engine,
        gpu::{self, Settings},
    },
    method::{Block, Method, Tally},
};

use crate::{
    placements::{Board, Random, block},
    support::{Edited, adapter, join, set_override},
};

/// Counts a block on an engine.
pub fn tallies(engine: &mut dyn Engine, block: &Block) -> Vec<Tally> {
    let ticket = engine.submit(Arc::new(block.clone())).unwrap_or_else(|error| panic!("{error:?}"));
    let finished = engine.poll(Duration::from_secs(120)).unwrap().expect("done within two minutes");
    assert_eq!(finished.ticket, ticket);
    finished.tallies
}

/// Compares each unit with the reference and the twin; says how many count something.
pub fn compare(case: &str, method: &dyn Method, engine: &mut dyn Engine, block: &Block) -> usize {
    let tallies = tallies(engine, block);
    let twins = method.count_units(block, 0..block.units.len());
    for (unit, (tally, twin)) in tallies.iter().zip(&twins).enumerate() {
        let words = block.units[unit];
        assert_eq!(tally.count, method.reference(block, unit), "{case}, unit {unit}: {words:x?}");
        assert_eq!(
            (tally.count, tally.bucket),
            (twin.count(), twin.bucket),
            "{case}, unit {unit}: {words:x?}"
        );
    }
    tallies.iter().filter(|tally| tally.count > 0).count()
}

/// The kernels of k next to N/4 and of the k below it, and one far off: by turns that of the first k (from N = 24 on
/// it takes more than 11 rows), that of the last, and those between.
fn some_kernels(method: &dyn Method, n: u32) -> Vec<usize> {
    let (main, last) = (method.main_kernel(), method.kernels().len() - 1);
    let far = [main / 2, last, 0, main.midpoint(last)][n as usize % 4];
    let mut kernels = vec![main, main - 1, far];
    kernels.dedup();
    kernels
}

#[test]
fn units_of_large_boards_agree_with_the_reference() {
    let Some(adapter) = adapter() else { return };
    let (mut tall, mut packed, mut halves) = (0, 0, 0);
    for n in (16..=28).chain([30, 32]) {
        let method = join(n);
        let mut engine = gpu::open(adapter, &method, Settings::default()).unwrap();
        let mut random = Random::new(n.into());
        let mut nonzero = 0;
        for kernel in some_kernels(&*method, n) {
            let test = method.self_test(kernel).block;
            let k = test.units[0][5] & 255;
            let case = format!("N = {n}, k = {k}");
            let made = compare(&case, &*method, &mut *engine, &test);
            let real = Board::new(n).block(kernel, k, &mut random);
            let found = compare(&case, &*method, &mut *engine, &real);
            eprintln!(
                "{case}: {made} of {} made units count, {found} of {} real ones",
                test.units.len(),
                real.units.len()
            );
            assert!(made >= 16, "{case}: {made}");
            nonzero += found;
            let overrides = &method.kernels()[kernel].overrides;
            tall += usize::from(overrides.contains(&("TALL", 1.0)));
            packed += usize::from(overrides.contains(&("PACKED", 1.0)));
            halves += usize::from(overrides.contains(&("HALF", 8.0)));
        }
        assert!(nonzero > 0, "N = {n}: no real unit has a solution");
    }
    assert!(tall > 1 && packed > 1 && halves > 1, "{tall}, {packed}, {halves}");
}

/// N = 9 with k = 4 has one row in phase 0, so that a placement makes one leaf: a block of one unit with so many copies
/// of a placement that leaves one column free.
fn copies(column: u32, copies: usize, weight: Option<u32>) -> Block {
    const K: u32 = 4;
    let board = Board::new(9);
    let sets = board.sets(K);
    let others = board.all_odd() & !(1 << column);
    // the row is the first: bit E-1 + j of D is the diagonal of column j
    let black = [others << (board.even - 1), 0].repeat(copies);
    let rank = sets.iter().position(|&co| co == others).unwrap();
    let mut weights = vec![0; sets.len().div_ceil(4)];
    weights[rank / 4] = weight.unwrap_or(0) << (8 * (rank % 4));
    let kind = K | if weight.is_some() { 256 } else { 0 };
    let (re, ro) = (board.all_even() & !1, 0b1011);
    let unit = [0, 1, 0, copies as u32, re | ro << 16, kind, (sets.len() as u32) << 16, 0];
    block(3, vec![unit], [vec![0; 2], black], sets, weights)
}

/// The kernels with two entries of G a word, whatever the board.
fn packed(method: &Arc<dyn Method>) -> Arc<dyn Method> {
    Edited::kernels(method, |kernel| {
        set_override(kernel, "PACKED", 1.0);
        let table = kernel.overrides.iter().find(|(name, _)| *name == "TABLE").unwrap().1;
        set_override(kernel, "TABLE", (table / 2.0).ceil());
    })
}

#[test]
fn an_entry_that_runs_over_sixteen_bits_is_found_out() {
    let Some(adapter) = adapter() else { return };
    let right = packed(&join(9));
    let unchecked =
        Edited::text(&right, &[("return !PACKED || atomicLoad(&check) == state.leaves;", "return true;")]);
    let unweighed = Edited::text(&right, &[("if over > 0xffffu {", "if false {")]);
    let [mut right_engine, mut unchecked_engine, mut unweighed_engine] = [&right, &unchecked, &unweighed]
        .map(|method| gpu::open(adapter, method, Settings::default()).unwrap());
    for column in 0..4 {
        // the least that runs over, and the greatest that does not; without weights and with them
        for (number, weight, over) in
            [(65_535, None, false), (65_536, None, true), (8191, Some(8), false), (8192, Some(8), true)]
        {
            let block = copies(column, number, weight);
            let expected = right.reference(&block, 0);
            assert!(expected > 0 && expected.is_multiple_of(number as u64), "{expected}");
            let case = format!("{number} copies, column {column}, weight {weight:?}");
            assert_eq!(tallies(&mut *right_engine, &block)[0].count, expected, "{case}");
            let lie = tallies(&mut *unchecked_engine, &block)[0].count;
            assert_eq!(lie != expected, over, "{case}: without the check {lie} for {expected}");
            let lie = tallies(&mut *unweighed_engine, &block)[0].count;
            assert_eq!(lie != expected, over && weight.is_some(), "{case}: without a part of it {lie}");
        }
    }
}

/// As on the board itself: N = 28 is packed for lack of memory.
#[test]
fn a_placement_given_sixty_six_thousand_times_is_counted_right_on_a_packed_board() {
    let Some(adapter) = adapter() else { return };
    let method = join(28);
    let kernel = method.main_kernel();
    assert!(method.kernels()[kernel].overrides.contains(&("PACKED", 1.0)));
    let (board, mut random, k) = (Board::new(28), Random::new(1), 7);
    let sets = board.sets(k);
    let (mut re, mut ro, mut rank);
    let (black, white) = loop {
        (re, ro) = (random.subset(board.even, k), random.subset(board.odd, k));
        rank = random.below(sets.len());
        let co = sets[rank];
        let eo = board.placements([board.all_even() & !re, board.all_odd() & !co], [0, 1], 1);
        let oo = board.placements([ro, co], [1, 1], 1);
        if let (Some(eo), Some(oo)) = (eo.first(), oo.first()) {
            break (board.words(eo, [0, 1]), board.words(oo, [1, 1]));
        }
    };
    // all diagonals are blocked but those of the two ways to fill the rows
    let blocked = |held: [u32; 2]| held.map(|word| !word & 0x7fff_ffff);
    let lists = |number: usize| [blocked(white).to_vec(), blocked(black).repeat(number)];
    let unit = |number: usize| [0, 1, 0, number as u32, re | ro << 16, k, (sets.len() as u32) << 16, 0];
    let one = block(kernel, vec![unit(1)], lists(1), Arc::clone(&sets), vec![0]);
    let value = method.reference(&one, 0);
    assert!(value > 0);
    let number = 66_000;
    let many = block(kernel, vec![unit(number)], lists(number), Arc::clone(&sets), vec![0]);
    let mut engine = gpu::open(adapter, &method, Settings::default()).unwrap();
    assert_eq!(tallies(&mut *engine, &many)[0].count, value * number as u64);
}
