use std::{cell::Cell, rc::Rc, time::Duration};

use super::*;
use crate::{DeviceKind, MethodName, engine::DeviceInfo, known};

const MILLI: Duration = Duration::from_millis(1);

fn info(kind: &'static str) -> DeviceInfo {
    let name = kind.to_owned();
    DeviceInfo { kind: kind.parse().unwrap_or(DeviceKind::Other), name, backend: None, driver: None }
}

fn series(method: MethodName, kind: &'static str) -> Series {
    Series::new(method, usize::from(kind != "cpu"), info(kind), None)
}

/// A clock that stands still until it is advanced.
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Rc<Cell<Duration>>);

impl ManualClock {
    pub fn advance(&self, time: Duration) {
        self.0.set(self.0.get() + time);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        self.0.get()
    }
}

/// Counts right up to a run, and takes given times.
struct Scripted {
    clock: ManualClock,
    took: Box<dyn FnMut(&Case) -> Duration>,
    gpu: Box<dyn FnMut() -> Result<Duration, &'static str>>,
    wrong_from_run: u32,
    runs: u32,
}

impl Scripted {
    fn new(took: impl FnMut(&Case) -> Duration + 'static) -> Self {
        let clock = ManualClock::default();
        Self { clock, took: Box::new(took), gpu: Box::new(|| Err("none")), wrong_from_run: u32::MAX, runs: 0 }
    }

    fn bench(&mut self, suite: &Suite) -> (Vec<Step>, Result<(), Error>) {
        let (mut steps, clock) = (Vec::new(), self.clock.clone());
        let result = bench(suite, self, &clock, &mut |step| {
            steps.push(step);
            Ok(())
        });
        (steps, result)
    }
}

impl Counter for Scripted {
    fn count(&mut self, case: &Case) -> Result<Run, Error> {
        self.runs += 1;
        let took = (self.took)(case);
        self.clock.advance(took);
        let wrong = u128::from(self.runs >= self.wrong_from_run);
        Ok(Run {
            found: known::solutions(case.n).unwrap_or_default() ^ wrong,
            visits: Some(1000),
            setup: took / 4,
            gpu: (self.gpu)(),
            tuned: false,
            device: case.series.device.info.clone(),
        })
    }
}

fn suite(sizes: &[u32], series: Vec<Series>, effort: Effort) -> Suite {
    Suite { task: Task::Count, sizes: sizes.to_vec(), series, effort, limit: None }
}

const fn runs(warmup: u32, runs: u32) -> Effort {
    Effort { warmup, stop: Stop::Runs(runs) }
}

fn rows(steps: Vec<Step>) -> Vec<Measurement> {
    let row = |step| if let Step::Measured(row) = step { Some(*row) } else { None };
    steps.into_iter().filter_map(row).collect()
}

#[test]
fn a_row_says_what_its_runs_took() {
    let mut times = [90, 10, 12, 20, 12].into_iter();
    let mut counter = Scripted::new(move |_| times.next().unwrap_or_default() * MILLI);
    counter.gpu = Box::new(|| Ok(5 * MILLI));
    let (steps, result) = counter.bench(&suite(&[8], vec![series(MethodName::Join, "discrete")], runs(1, 4)));
    assert_eq!(result, Ok(()));
    let rows = rows(steps);
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(row.samples_s, [0.010, 0.012, 0.020, 0.012]);
    assert_eq!((&*row.count, row.visits.as_deref(), row.first_run_s), ("92", Some("1000"), 0.090));
    assert_eq!((row.wall_s.min, row.wall_s.median, row.wall_s.max), (0.010, 0.012, 0.020));
    assert!((row.wall_s.mean - 0.0135).abs() < 1e-12);
    // squares 12.25 + 2.25 + 42.25 + 2.25, by 3
    assert!(row.wall_s.stddev.is_some_and(|deviation| (deviation - (59e-6f64 / 3.0).sqrt()).abs() < 1e-9));
    assert!((row.setup_s.median - 0.012 / 4.0).abs() < 1e-12);
    assert!((row.compute_s.median + row.setup_s.median - row.wall_s.median).abs() < 1e-12);
    assert_eq!((row.gpu_s.map(|gpu| gpu.max), &row.gpu_s_reason), (Some(0.005), &None));
    assert!(row.visits_per_s.is_some_and(|rate| (rate - 1000.0 / row.compute_s.median).abs() < 1e-6));
    assert!(row.solutions_per_s.is_some_and(|rate| (rate - 92.0 / row.compute_s.median).abs() < 1e-6));
    assert_eq!((row.ratio, row.runs, row.warnings.len()), (None, 4, 0));
}

#[test]
fn a_wrong_count_ends_it_without_its_row() {
    // the first N takes three runs, so the fourth is of the second
    for (wrong_from_run, done) in [(1, 0), (2, 0), (3, 0), (4, 1), (6, 1), (7, 2)] {
        let mut counter = Scripted::new(|_| MILLI);
        counter.wrong_from_run = wrong_from_run;
        let all = vec![series(MethodName::Join, "cpu")];
        let (steps, result) = counter.bench(&suite(&[8, 9], all, runs(1, 2)));
        assert_eq!(steps.len(), done, "{wrong_from_run}");
        match result {
            Ok(()) => assert_eq!(wrong_from_run, 7),
            Err(error) => {
                assert_eq!(error.exit_code(), 7, "{error}");
                assert!(error.to_string().contains("join on cpu says"), "{error}");
            }
        }
    }
}

#[test]
fn runs_end_by_number_or_by_time() {
    let sizes = |effort, took: u32| {
        let mut counter = Scripted::new(move |_| took * MILLI);
        let (steps, _) = counter.bench(&suite(&[8], vec![series(MethodName::Join, "cpu")], effort));
        (rows(steps)[0].samples_s.len(), counter.runs)
    };
    let time = |millis| Effort { warmup: 2, stop: Stop::Time(millis * MILLI) };
    assert_eq!(sizes(runs(0, 1), 10), (1, 1));
    assert_eq!(sizes(runs(3, 7), 10), (7, 10));
    assert_eq!(sizes(time(95), 10), (10, 12));
    assert_eq!(sizes(time(100), 90), (3, 5), "the min is three");
    assert_eq!(sizes(time(1), 0), (1000, 1002), "a clock that stands still ends it too");
}

#[test]
fn rows_are_compared_with_the_first_of_their_size() {
    let took = |case: &Case| MILLI * if case.series.method == MethodName::Join { 10 } else { 30 + case.n };
    let all = vec![series(MethodName::Join, "cpu"), series(MethodName::Bitmask, "cpu")];
    let (steps, _) = Scripted::new(took).bench(&suite(&[8, 10], all, runs(0, 3)));
    let ratios: Vec<Option<Ratio>> = rows(steps).iter().map(|row| row.ratio).collect();
    let value = |ratio: Option<Ratio>| ratio.map(|ratio| (ratio.value * 1e6).round() / 1e6);
    assert_eq!(
        ratios.iter().map(|&ratio| value(ratio)).collect::<Vec<_>>(),
        [None, Some(3.8), None, Some(4.0)]
    );
}

#[test]
fn errors_of_ratios_add_up_as_squares() {
    let stats = |mean, deviation| Stats { min: mean, median: mean, mean, stddev: Some(deviation), max: mean };
    let ratio = Ratio::of(&stats(2.0, 0.06), &stats(1.0, 0.04));
    assert!(ratio.is_some_and(|ratio| (ratio.error.unwrap_or_default() - 0.1).abs() < 1e-12), "{ratio:?}");
    assert_eq!(Ratio::of(&stats(1.0, 0.1), &stats(0.0, 0.0)), None);
    let one = Stats::of(&[3.0]);
    assert_eq!(Ratio::of(&one, &one), Some(Ratio { value: 1.0, error: None }));
    for (value, error, slower) in
        [(1.2, Some(0.1), true), (1.2, Some(0.3), false), (1.2, None, true), (1.04, None, false)]
    {
        assert_eq!(Ratio { value, error }.is_slower_by(5.0), slower, "{value} {error:?}");
    }
}

#[test]
fn times_that_need_a_word_get_it() {
    let warned = |samples: &[u32], cold| {
        let seconds: Vec<f64> = samples.iter().map(|&millis| f64::from(millis) / 1e3).collect();
        Warning::of_samples(&seconds, cold)
    };
    assert_eq!(warned(&[100, 101, 99, 100], true), []);
    assert_eq!(warned(&[200, 101, 99, 100], true), [Warning::ColdFirstRun, Warning::Outliers]);
    assert_eq!(warned(&[100, 101, 99, 102, 98, 200], true), [Warning::Outliers]);
    assert_eq!(warned(&[100, 101, 99, 100, 101, 99, 120, 121, 119], true), [Warning::Throttled]);
    assert_eq!(warned(&[120, 121, 119, 100, 101, 99, 100, 101, 99], false), []);
    assert_eq!(warned(&[4, 4, 5], true), [Warning::Under5Ms]);
    assert_eq!(warned(&[1], true), [Warning::Under5Ms]);
}

#[test]
fn a_software_adapter_is_said_to_be_one() {
    let (steps, _) = Scripted::new(|_| 10 * MILLI).bench(&suite(
        &[8],
        vec![series(MethodName::Join, "software")],
        runs(0, 3),
    ));
    assert_eq!(rows(steps)[0].warnings, ["software"]);
}

#[test]
fn one_run_without_a_time_of_the_device_leaves_none() {
    let mut times = [Ok(5 * MILLI), Err("it has none"), Ok(6 * MILLI)].into_iter();
    let mut counter = Scripted::new(|_| 10 * MILLI);
    counter.gpu = Box::new(move || times.next().unwrap_or(Ok(MILLI)));
    let (steps, _) = counter.bench(&suite(&[8], vec![series(MethodName::Join, "discrete")], runs(0, 3)));
    let row = &rows(steps)[0];
    assert_eq!((row.gpu_s, row.gpu_s_reason.as_deref()), (None, Some("it has none")));
}

#[test]
fn rows_that_would_take_too_long_are_left_out() {
    let took = |case: &Case| match case.series.method {
        MethodName::Join => MILLI,
        _ => MILLI * 10u32.pow(case.n - 8),
    };
    let all = vec![series(MethodName::Join, "cpu"), series(MethodName::Bitmask, "cpu")];
    let mut suite = suite(&(8..=14).collect::<Vec<_>>(), all, runs(1, 3));
    suite.limit = Some(Duration::from_secs(10));
    let mut counter = Scripted::new(took);
    let (steps, _) = counter.bench(&suite);
    let left_out: Vec<u32> = steps
        .iter()
        .filter_map(|step| if let Step::LeftOut(case) = step { Some(case.n) } else { None })
        .collect();
    // 4 runs of 0.1 s lead to 4 of 1 s, and these could lead to 4 of 12 s
    assert_eq!(left_out, [12, 13, 14]);
    assert!(counter.clock.now() < Duration::from_secs(11));
    suite.limit = None;
    assert_eq!(rows(Scripted::new(took).bench(&suite).0).len(), 14, "what is asked for is timed");
}

#[test]
fn permutations_stop_where_they_are_of_no_use() {
    let (steps, result) = Scripted::new(|_| MILLI).bench(&suite(
        &[12, 13],
        vec![series(MethodName::Permutations, "cpu")],
        runs(0, 1),
    ));
    assert_eq!(result, Ok(()));
    assert!(matches!(&steps[..], [Step::Measured(_), Step::LeftOut(case)] if case.n == 13), "{steps:?}");
}

#[test]
fn sizes_without_a_known_answer_are_refused() {
    let mut suite = suite(&[8, 28], Vec::new(), runs(0, 1));
    assert!(suite.check().is_err_and(|error| error.exit_code() == 2));
    suite.task = Task::First;
    assert_eq!(suite.check(), Ok(()));
    suite.sizes = vec![31];
    assert!(suite.check().is_err());
    assert_eq!([1, 2, 3, 4].map(|n| Task::First.answer(n)), [Ok(1), Ok(0), Ok(0), Ok(1)]);
}

#[test]
fn a_report_that_fails_ends_it() {
    let mut counter = Scripted::new(|_| MILLI);
    let clock = counter.clock.clone();
    let suite = suite(&[8, 9], vec![series(MethodName::Join, "cpu")], runs(0, 1));
    let result = bench(&suite, &mut counter, &clock, &mut |_| Err(Error::Cancelled));
    assert_eq!((result, counter.runs), (Err(Error::Cancelled), 1));
}
