//! Diagonals of two words: boards too large to be counted, unit by unit against the plain reference.

use std::{sync::Arc, time::Duration};

use ferz::{
    Error,
    testing::{
        engine::gpu::{self, Settings},
        method::{Block, Method, Record, Tally},
    },
};

use crate::support::{Edited, adapter, search};

/// Whether a diagonal of a unit can lie in the second word.
fn is_wide(method: &dyn Method) -> bool {
    let overrides = &method.kernels()[0].overrides;
    let of_size = |(name, _): &&(&str, f64)| ["COLUMNS", "ROWS"].contains(name);
    overrides.iter().filter(of_size).map(|(_, value)| value).sum::<f64>() > 33.0
}

/// Numbers below a bound, the same at every run.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 1u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

/// A unit `rows` deeper than a random unit of a block: a walk that turns back where it finds no way on.
fn deeper(method: &dyn Method, start: &Block, rows: u32, random: &mut impl FnMut(usize) -> usize) -> Block {
    loop {
        let mut at =
            Block { weights: vec![1], units: vec![start.units[random(start.units.len())]], ..start.clone() };
        for _ in 0..rows {
            let children = method.split(&at, 0).unwrap();
            if children.units.is_empty() {
                at = children;
                break;
            }
            let unit = children.units[random(children.units.len())];
            at = Block { units: vec![unit], weights: vec![1], ..children };
        }
        if !at.units.is_empty() {
            return at;
        }
    }
}

#[test]
fn units_of_wide_boards_agree_with_the_reference() {
    let Some(adapter) = adapter() else { return };
    let mut random = random();
    // (N, depth of the kernel, [(rows below it, units)])
    type Walks = &'static [(u32, usize)];
    let cases: [(u32, u32, Walks); 5] = [
        (19, 0, &[(2, 1), (4, 20), (6, 40), (8, 40), (10, 40)]),
        (20, 2, &[(1, 3), (3, 20), (5, 40), (8, 40), (10, 40)]),
        (24, 2, &[(7, 12), (9, 40), (12, 40), (15, 40)]),
        (28, 0, &[(13, 12), (15, 40), (18, 40), (21, 40)]),
        (32, 2, &[(14, 12), (15, 40), (18, 40), (21, 40)]),
    ];
    for (n, depth, walks) in cases {
        let method = search(n, Some(depth));
        assert!(is_wide(&*method), "N = {n}, depth {depth}");
        let root = method.block(0);
        let mut block = Block { units: Vec::new(), ..root.clone() };
        for &(rows, units) in walks {
            for _ in 0..units {
                block.units.extend(deeper(&*method, &root, rows, &mut random).units);
            }
        }
        block.weights = vec![1; block.units.len()];
        let mut engine = gpu::open(adapter, &method, Settings::default()).unwrap();
        engine.submit(Arc::new(block.clone())).unwrap();
        let finished = engine.poll(Duration::from_secs(120)).unwrap().expect("done within two minutes");
        for (unit, tally) in finished.tallies.iter().enumerate() {
            let words = block.units[unit];
            assert_eq!(tally.count, method.reference(&block, unit), "N = {n}, unit {unit}: {words:x?}");
            let twin: Record = method.count(&block, unit, u64::MAX);
            let twin = Tally { count: twin.count(), visits: twin.visits(), bucket: twin.bucket };
            assert_eq!(*tally, twin, "N = {n}, unit {unit}: {words:x?}");
        }
        let total: u64 = finished.tallies.iter().map(|tally| tally.visits).sum();
        eprintln!("N = {n}, depth {depth}: {} units, {total} visits", block.units.len());
        assert!(finished.tallies.iter().any(|tally| tally.count > 0), "N = {n}: no unit has a solution");
    }
}

#[test]
fn one_word_is_too_few_where_two_are_needed() {
    let Some(adapter) = adapter() else { return };
    // 18 inner columns and 16 rows are the least that is wide
    assert!(is_wide(&*search(20, Some(2))) && !is_wide(&*search(20, Some(3))));
    for (n, depth) in [(19, 0), (20, 0), (20, 2), (24, 2), (28, 2), (32, 5), (32, 20)] {
        let narrow = Edited::text(&search(n, Some(depth)), &[(" | ((high << 1u) << (31u - by))", "")]);
        let made = gpu::open(adapter, &narrow, Settings::default());
        assert!(matches!(made.err(), Some(Error::Disagree { .. })), "N = {n}: the self-test does not see it");
    }
}
