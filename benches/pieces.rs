//! The inner pieces, each with its answer asserted: `cargo bench`, or once each by `cargo test --bench pieces`.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

mod yardstick;

use std::{hint::black_box, sync::Arc, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use ferz::{
    Problem, known_solutions,
    testing::method::{Block, Method, join::Join, ladder, search::Search},
};

fn problem(n: u32) -> Problem {
    Problem::queens(n).unwrap()
}

fn search(n: u32) -> Arc<dyn Method> {
    Arc::new(Search::new(&problem(n), None, 32_768.0).unwrap())
}

fn join(n: u32) -> Arc<dyn Method> {
    Arc::new(Join::new(&problem(n)).unwrap())
}

/// The sum over all units of a method.
fn total(method: &dyn Method) -> u128 {
    let count = |block: Block| -> u128 {
        let records = method.count_units(&block, 0..block.units.len());
        let weighted = records.iter().zip(&block.weights);
        weighted.map(|(record, &weight)| u128::from(record.count()) * u128::from(weight)).sum()
    };
    (0..method.blocks()).map(|number| count(method.block(number))).sum()
}

/// Borders and rows below them, as the CPU expands them into the prefixes of a block.
fn prefix_expansion(c: &mut Criterion) {
    let method = Search::new(&problem(14), Some(3), 1.0).unwrap();
    let block = method.block(0);
    assert_eq!(total(&method), known_solutions(14).unwrap());
    c.bench_function("expand a block of prefixes, N = 14", |b| {
        b.iter(|| assert_eq!(black_box(&method).block(0).units.len(), block.units.len()));
    });
}

/// One unit of the methods that have units, and the whole board of a plain counter.
fn one_unit(c: &mut Criterion) {
    for (method, n) in [(search(14), 14), (join(16), 16)] {
        let name = method.name();
        assert_eq!(total(&*method), known_solutions(n).unwrap());
        // the unit in the middle of a block in the middle
        let block = method.block(method.blocks() / 2);
        let unit = block.units.len() / 2;
        let answer = method.reference(&block, unit);
        c.bench_function(&format!("one unit of {name}, N = {n}"), |b| {
            b.iter(|| assert_eq!(method.count(black_box(&block), unit, u64::MAX).count(), answer));
        });
        let units = method.chunks(&block).swap_remove(0);
        let answer: u64 = units.clone().map(|unit| method.reference(&block, unit)).sum();
        c.bench_function(&format!("{} units of {name} together, N = {n}", units.len()), |b| {
            b.iter(|| {
                let records = method.count_units(black_box(&block), units.clone());
                assert_eq!(records.iter().map(ferz::testing::method::Record::count).sum::<u64>(), answer);
            });
        });
    }
    let ten = problem(10);
    c.bench_function("bitmask, N = 10", |b| {
        b.iter(|| {
            assert_eq!(ladder::bitmask::count(black_box(&ten)).map(|counted| counted.solutions), Ok(724))
        });
    });
}

/// The lists of placements of a block of the join, made anew each time, and its units.
fn list_building(c: &mut Criterion) {
    let (plan, number) = (join(18), 20);
    let units = plan.block(number).units.len();
    assert!(units > 0);
    c.bench_function("lists and units of a block of join, N = 18", |b| {
        // a new plan has no lists in its cache
        b.iter_with_setup(|| join(18), |plan| assert_eq!(plan.block(number).units.len(), units));
    });
}

/// One small dispatch there and back: what a dispatch costs beside its kernel.
fn dispatch(c: &mut Criterion) {
    use ferz::testing::engine::gpu::{Settings, adapters, open};
    let adapters = adapters(None).unwrap_or_default();
    let Some(adapter) = adapters.iter().find(|adapter| adapter.listed.unusable.is_none()) else {
        eprintln!("dispatch overhead: SKIPPED, there is no adapter");
        return;
    };
    let method: Arc<dyn Method> = Arc::new(Search::new(&problem(8), Some(1), 1.0).unwrap());
    let settings = Settings::suited(&adapter.listed.info);
    let mut engine = open(adapter, &method, settings).expect("an adapter that is said to be usable");
    let block = Arc::new(method.block(0));
    let name = engine.device().name;
    c.bench_function(&format!("a dispatch of {} units on {name}", block.units.len()), |b| {
        b.iter(|| {
            engine.submit(Arc::clone(&block)).unwrap();
            let finished = loop {
                if let Some(finished) = engine.poll(Duration::from_secs(1)).unwrap() {
                    break finished;
                }
            };
            let weighted = finished.tallies.iter().zip(&block.weights);
            assert_eq!(weighted.map(|(tally, &weight)| tally.count * u64::from(weight)).sum::<u64>(), 92);
        });
    });
}

/// The plain counter in C, beside ours.
fn yardstick(c: &mut Criterion) {
    let Some(program) = yardstick::compile() else { return };
    for n in [10, 12] {
        let answer = known_solutions(n).unwrap();
        c.bench_function(&format!("yardstick in C, N = {n}"), |b| {
            b.iter_custom(|runs| program.time(n, runs, answer));
        });
    }
}

criterion_group! {
    name = pieces;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800));
    targets = prefix_expansion, one_unit, list_building, dispatch, yardstick
}
criterion_main!(pieces);
