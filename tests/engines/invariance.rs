//! Counts and visits do not change with anything that only tunes.

use std::{collections::BTreeSet, time::Duration};

use ferz::{
    Verify,
    testing::engine::{
        cpu::{self, CpuEngine},
        gpu::{self, Settings},
    },
};

use crate::support::{Edited, adapter, count, counts_right, gl_adapter, join, known, methods, search};

#[test]
fn the_depth_of_prefixes_changes_nothing() {
    let Some(adapter) = adapter() else { return };
    for n in [5, 11] {
        for depth in 0..=n - 4 {
            let method = search(n, Some(depth));
            counts_right(&format!("N = {n}, depth {depth}"), n, &method, adapter, Settings::default());
        }
    }
}

#[test]
fn fourteen_queens_at_depths_two_to_six() {
    let Some(adapter) = adapter() else { return };
    for depth in 2..=6 {
        let method = search(14, Some(depth));
        let engine = gpu::open(adapter, &method, Settings::default()).unwrap();
        let outcome = count(14, &method, engine, Verify::None).unwrap();
        assert_eq!(outcome.count, 365_596, "depth {depth}");
    }
}

#[test]
fn the_size_and_the_order_of_blocks_change_nothing() {
    let Some(adapter) = adapter() else { return };
    let pool = cpu::pool(Some(2)).unwrap();
    for inner in methods(10, 3) {
        for (units, stride) in [(1, 1), (7, 1), (64, 3), (65, 1), (10_000, 5)] {
            let method = Edited::blocks_of(&inner, units, stride);
            let case = format!("blocks of {units} units, every {stride}th");
            counts_right(&case, 10, &method, adapter, Settings::default());
            let cpu = CpuEngine::new(method.clone(), pool.clone());
            assert_eq!(count(10, &method, Box::new(cpu), Verify::None).unwrap().count, known(10), "{case}");
        }
    }
}

#[test]
fn several_blocks_of_the_method_itself_add_up() {
    let Some(adapter) = adapter() else { return };
    let method = search(16, None);
    assert!(method.blocks() > 3, "{} blocks", method.blocks());
    let engine = gpu::open(adapter, &method, Settings::default()).unwrap();
    assert_eq!(count(16, &method, engine, Verify::None).unwrap().count, known(16));
}

#[test]
fn the_size_of_workgroups_changes_nothing() {
    let Some(adapter) = adapter() else { return };
    for method in [search(10, Some(0)), search(10, Some(2)), search(10, Some(4)), join(10)] {
        let mut visits = BTreeSet::new();
        for workgroup in [1, 2, 4, 8, 16, 32, 64, 128] {
            let settings = Settings { workgroup, ..Settings::default() };
            let case = format!("workgroups of {workgroup}");
            let engine = gpu::open(adapter, &method, settings).unwrap();
            assert!(engine.describe().contains(&format!("workgroups of {workgroup},")), "{case}");
            visits.insert(counts_right(&case, 10, &method, adapter, settings));
        }
        assert_eq!(visits.len(), 1, "{}: {visits:?}", method.name());
    }
}

#[test]
fn the_time_of_dispatches_and_the_compiler_checks_change_nothing() {
    let Some(adapter) = adapter() else { return };
    for (n, method) in [(12, search(12, Some(4))), (11, join(11))] {
        let mut visits = BTreeSet::new();
        for target in [Duration::from_micros(1), Duration::from_millis(2), Duration::from_secs(10)] {
            let settings = Settings { target, ..Settings::default() };
            visits.insert(counts_right(&format!("dispatches of {target:?}"), n, &method, adapter, settings));
        }
        let settings = Settings { runtime_checks: true, ..Settings::default() };
        visits.insert(counts_right("with the compiler's checks", n, &method, adapter, settings));
        assert_eq!(visits.len(), 1, "{}: {visits:?}", method.name());
    }
}

#[test]
fn the_api_changes_nothing() {
    let Some(adapter) = gl_adapter() else { return };
    assert_eq!(adapter.listed.info.backend.as_deref(), Some("gl"));
    for (n, depth) in [(8, 0), (8, 4), (12, 2), (12, 4)] {
        let method = search(n, Some(depth));
        counts_right(&format!("GL, N = {n}, depth {depth}"), n, &method, &adapter, Settings::default());
    }
    for n in [8, 11] {
        counts_right(&format!("GL, N = {n}"), n, &join(n), &adapter, Settings::default());
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut methods = [None, Some(0), Some(2), Some(7)].map(|depth| search(12, depth)).to_vec();
    methods.push(join(12));
    for threads in [1, 2, 3, 8] {
        for (at, method) in methods.iter().enumerate() {
            let cpu = CpuEngine::new(method.clone(), cpu::pool(Some(threads)).unwrap());
            let outcome = count(12, method, Box::new(cpu), Verify::None).unwrap();
            assert_eq!(outcome.count, known(12), "{threads} threads, method {at}");
        }
    }
}
