//! One table: every method on every engine.

use std::sync::Arc;

use ferz::{
    MethodChoice, Options, Verify,
    testing::{
        engine::{
            Engine,
            cpu::{self, CpuEngine},
            gpu::{self, Settings},
            listing::Wanted,
            paired::Paired,
        },
        method::{Method, join::Join},
    },
};

use crate::{
    common,
    support::{adapter, count, known, problem, search},
};

const METHODS: [MethodChoice; 5] = [
    MethodChoice::Permutations,
    MethodChoice::Backtrack,
    MethodChoice::Bitmask,
    MethodChoice::Search,
    MethodChoice::Join,
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum On {
    Cpu { threads: usize },
    Gpu,
    CpuAndGpu,
}

const ENGINES: [On; 4] = [On::Cpu { threads: 1 }, On::Cpu { threads: 2 }, On::Gpu, On::CpuAndGpu];

/// What the table says of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    /// The known count.
    Count,
    /// Refused as a usage error (exit code 2).
    NotSupported,
    /// No flag and no call of the library asks for it.
    NotOffered,
    /// It would take minutes: a larger board of the same method is refused, a smaller one counts.
    TooSlow,
}

/// The table.
fn cell(method: MethodChoice, on: On, n: u32) -> Cell {
    match (method, on) {
        (MethodChoice::Search | MethodChoice::Join, _) => Cell::Count,
        (_, On::CpuAndGpu) => Cell::NotOffered,
        (_, On::Gpu | On::Cpu { threads: 2 }) => Cell::NotSupported,
        (MethodChoice::Permutations, _) if n > 12 => Cell::NotSupported,
        (MethodChoice::Permutations, _) if n > 10 => Cell::TooSlow,
        _ => Cell::Count,
    }
}

fn options(method: MethodChoice, on: On, adapter: &str) -> Options {
    let mut options = Options::default();
    options.method = method;
    options.verify = Verify::None;
    options.device = match on {
        On::Cpu { threads } => {
            options.threads = Some(threads);
            Wanted::Cpu
        }
        _ => Wanted::Named(vec![adapter.to_owned()]),
    };
    options
}

/// One case; what it says is compared with the table.
fn run(method: MethodChoice, on: On, n: u32, part: &str) {
    let case = format!("{method:?} on {on:?}, N = {n}");
    let expected = cell(method, on, n);
    let outcome = match (expected, on) {
        (Cell::NotOffered | Cell::TooSlow, _) => return,
        (_, On::CpuAndGpu) => {
            let Some(adapter) = adapter() else { return };
            let method: Arc<dyn Method> = match method {
                MethodChoice::Join => Arc::new(Join::new(&problem(n)).unwrap()),
                _ => search(n, None),
            };
            let gpu = gpu::open(adapter, &method, Settings::default()).unwrap();
            let cpu = CpuEngine::new(Arc::clone(&method), cpu::pool(Some(2)).unwrap());
            let paired = Paired::new(Box::new(cpu), gpu, method.visits_agree());
            assert!(paired.device().name.to_lowercase().contains(&part.to_lowercase()));
            count(n, &method, Box::new(paired), Verify::None)
        }
        _ => ferz::count(&problem(n), &options(method, on, part), &mut |_| {}),
    };
    match (expected, outcome) {
        (Cell::Count, Ok(outcome)) => {
            assert_eq!(outcome.count, known(n), "{case}");
            if on == On::Gpu {
                let name = &outcome.devices[0].device.name;
                assert!(name.to_lowercase().contains(&part.to_lowercase()), "{case} ran on {name}");
            }
        }
        (Cell::NotSupported, Err(error)) => {
            assert_eq!(error.exit_code(), 2, "{case}: {error:?}");
            assert!(error.hint().is_some(), "{case}: {error:?}");
        }
        (_, outcome) => panic!("{case}: the table says {expected:?}, not {outcome:?}"),
    }
}

fn run_all(engines: &[On], part: &str) {
    for method in METHODS {
        for &on in engines {
            for n in 1..=13 {
                run(method, on, n, part);
            }
        }
    }
}

#[test]
fn every_method_on_the_cpu_counts_as_the_table_says() {
    run_all(&ENGINES[..2], "");
}

#[test]
fn every_method_on_the_gpu_and_paired_counts_as_the_table_says() {
    let Some(part) = common::gpu() else { return };
    run_all(&ENGINES[2..], &part);
}

#[test]
fn the_table_leaves_no_case_out_in_silence() {
    let cells = METHODS.map(|method| {
        ENGINES.map(|on| {
            let counts = (1..=13).filter(|&n| cell(method, on, n) == Cell::Count).count();
            let refused = (1..=13).filter(|&n| cell(method, on, n) == Cell::NotSupported).count();
            (counts, refused)
        })
    });
    let plain = |counts, refused| [(counts, refused), (0, 13), (0, 13), (0, 0)];
    assert_eq!(cells, [plain(10, 1), plain(13, 0), plain(13, 0), [(13, 0); 4], [(13, 0); 4]]);
}
