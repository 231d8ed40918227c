//! `ferz selftest`: known answers through the real kernels of a device, unit by unit against the CPU.

use std::{sync::Arc, time::Instant};

use crate::{
    Board, Error, Problem,
    engine::{
        DeviceInfo, Engine,
        cpu::{self, CpuEngine},
        gpu::{self, Settings},
        paired::Paired,
        select::{Member, pick},
    },
    method::{
        Method, MethodName, Tally,
        choice::make,
        ladder,
        search::{self, Cutting},
    },
    run::{Event, Options, Outcome, Verify, count_with},
};

/// The largest board that is counted by `join`, then by `search`; of larger ones only the self-tests of their
/// kernels are run, all of them.
const LARGEST: u32 = 13;
const LARGEST_SEARCHED: u32 = 12;

/// Boards whose kernels differ from those of small ones: diagonals of two words, many rows.
const TALL: [(u32, u32); 3] = [(20, 2), (28, 3), (32, 2)];

/// Ranks, files, queens in all, those given, squares forbidden.
type Constrained = (u32, u32, u32, &'static [&'static str], &'static [&'static str]);

/// Problems whose kernels read forbidden squares and leave rows out.
const CONSTRAINED: [Constrained; 4] = [
    (6, 9, 6, &[], &["c3", "d4", "g2"]),
    (9, 7, 5, &["d4"], &["a1", "b7"]),
    (8, 8, 5, &[], &[]),
    (10, 10, 10, &["c5", "h6"], &["d2", "f8", "i1"]),
];

/// A board and a method to count it by.
type Case = (Problem, Arc<dyn Method>);

fn cases() -> Result<Vec<Case>, Error> {
    let case = |name, problem: &Problem, depth, unit_visits| -> Result<Case, Error> {
        let cutting = Cutting { depth, unit_visits, mirrored: false };
        Ok((problem.clone(), make(name, problem, cutting)?))
    };
    let mut cases: Vec<Case> = Vec::new();
    for n in 1..=LARGEST_SEARCHED {
        let problem = Problem::queens(n)?;
        let deepest = search::deepest(&problem)?;
        let mut depths = vec![0, deepest / 2, deepest];
        depths.dedup();
        for depth in depths {
            cases.push(case(MethodName::Search, &problem, Some(depth), 1.0)?);
        }
    }
    for (ranks, files, place, given, forbidden) in CONSTRAINED {
        let whole = Problem::on(Board::new(ranks, files)?).placing(place)?;
        let given = given.iter().try_fold(whole, |problem, name| problem.with_queen(name.parse()?))?;
        let problem = forbidden.iter().try_fold(given, |problem, name| problem.forbidding(name.parse()?))?;
        cases.push(case(MethodName::Search, &problem, None, 64.0)?);
    }
    for (n, depth) in TALL {
        cases.push(case(MethodName::Search, &Problem::queens(n)?, Some(depth), 1.0)?);
    }
    for n in (1..=LARGEST).chain(TALL.map(|(n, _)| n)) {
        cases.push(case(MethodName::Join, &Problem::queens(n)?, None, 1.0)?);
    }
    Ok(cases)
}

/// What was tested on one device; that it exists means that nothing was wrong.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SelfTestReport {
    /// The device.
    pub device: DeviceInfo,
    /// Boards counted, each at some depths.
    pub counts: u32,
    /// Units compared with the reference or with the CPU.
    pub units: u64,
    /// Time it took.
    pub elapsed: std::time::Duration,
}

/// Counts small boards on every device that `options` choose: the driver's bit operations, the counters' carry
/// and every unit are compared with the CPU, every sum with the known answer.
///
/// # Errors
///
/// The first difference found, as [`Error::Disagree`] or [`Error::Damaged`]; see [`Error`] for others.
pub fn selftest(options: &Options, observe: &mut dyn FnMut(Event)) -> Result<Vec<SelfTestReport>, Error> {
    let pick = pick(&options.device, options.backend, options.threads, true)?;
    for notice in pick.notices {
        observe(Event::Warning(notice));
    }
    let pool = cpu::pool(options.threads)?;
    let cases = cases()?;
    let mut reports = Vec::new();
    for member in &pick.members {
        let start = Instant::now();
        let (mut counts, mut units) = (0, 0);
        for (problem, method) in &cases {
            options.cancel.check()?;
            units += twin_against_reference(&**method)?;
            let cpu = CpuEngine::new(Arc::clone(method), Arc::clone(&pool));
            let engine: Box<dyn Engine> = match member {
                Member::Cpu => Box::new(cpu),
                Member::Gpu(adapter) => {
                    let target = options.workload.target();
                    let settings = Settings { target, prove_all: true, ..Settings::default() };
                    let gpu = gpu::open(adapter, method, settings)?;
                    Box::new(Paired::new(gpu, Box::new(cpu), method.visits_agree()))
                }
            };
            if problem.place() > LARGEST {
                continue;
            }
            let options = Options { verify: Verify::Sample, strict: true, ..options.clone() };
            let outcome = count_with(problem, method, &pool, &mut [engine], &options, &mut |_| {})?;
            observe(Event::Detail(format!("{} of {problem}: {}", method.name(), outcome.count)));
            if problem.plain().is_none() {
                agree(problem, &outcome)?;
            }
            units += (0..method.blocks()).map(|block| method.block(block).units.len() as u64).sum::<u64>();
            counts += 1;
        }
        reports.push(SelfTestReport {
            device: member.device(&pool),
            counts,
            units,
            elapsed: start.elapsed(),
        });
    }
    Ok(reports)
}

/// Compares a count without a known answer with that of a plain counter.
fn agree(problem: &Problem, outcome: &Outcome) -> Result<(), Error> {
    let plain = u128::from(ladder::bitmask::count(problem)?.solutions);
    if outcome.count == plain {
        return Ok(());
    }
    Err(Error::Disagree {
        what: format!("the number of solutions of {problem}"),
        left_name: outcome.method.to_string(),
        left: outcome.count.to_string(),
        right_name: "bitmask".into(),
        right: plain.to_string(),
    })
}

/// Compares the twins of a method's kernels with what their self-tests expect.
fn twin_against_reference(method: &dyn Method) -> Result<u64, Error> {
    let mut units = 0;
    for kernel in 0..method.kernels().len() {
        let test = method.self_test(kernel);
        for (unit, expected) in test.expected.iter().enumerate() {
            let record = method.count(&test.block, unit, u64::MAX);
            let tally = Tally { count: record.count(), visits: record.visits(), bucket: record.bucket };
            if !tally.agrees(expected, method.visits_agree()) {
                return Err(Error::Disagree {
                    what: format!("self-test of '{}' ({kernel}) on the CPU, unit {unit}", method.name()),
                    left_name: "its twin".into(),
                    left: format!("{record:?}"),
                    right_name: "the reference".into(),
                    right: format!("{expected:?}"),
                });
            }
        }
        units += test.expected.len() as u64;
    }
    Ok(units)
}
