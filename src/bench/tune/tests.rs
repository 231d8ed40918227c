use std::{cell::Cell, rc::Rc};

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{DeviceKind, MethodChoice, bench::Run, engine::DeviceInfo, known};

/// A device whose times are known, up to noise, and the clock that they move.
struct Device<'a> {
    now: Rc<Cell<Duration>>,
    noise: f64,
    rng: ChaCha8Rng,
    /// The time of counting under a tuning, in terms of that by default.
    factor: &'a dyn Fn(&Tuning) -> f64,
    setup: f64,
    wrong_from_run: u32,
    runs: u32,
    largest: u32,
}

struct Simulated(Rc<Cell<Duration>>);

impl Clock for Simulated {
    fn now(&self) -> Duration {
        self.0.get()
    }
}

impl<'a> Device<'a> {
    fn new(noise: f64, seed: u64, factor: &'a dyn Fn(&Tuning) -> f64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let now = Rc::new(Cell::new(Duration::ZERO));
        Self { now, noise, rng, factor, setup: 0.0, wrong_from_run: u32::MAX, runs: 0, largest: 0 }
    }

    fn tune(&mut self, method: MethodChoice, on_gpu: bool, time: Duration) -> Result<Tuned, Error> {
        let device = DeviceInfo {
            kind: if on_gpu { DeviceKind::Discrete } else { DeviceKind::Cpu },
            name: "it".into(),
            backend: None,
            driver: None,
        };
        let line = Line { method, index: on_gpu.into(), device, threads: None, tuning: None };
        let clock = Simulated(Rc::clone(&self.now));
        tune(&Subject { line: &line, most_lanes: 256, time }, self, &clock)
    }
}

impl Counter for Device<'_> {
    fn count(&mut self, case: &Case) -> Result<Run, Error> {
        self.runs += 1;
        self.largest = self.largest.max(case.n);
        let tuning = case.line.tuning.ok_or_else(|| Error::Internal("a run without a tuning".into()))?;
        let noise = 1.0 + self.noise * self.rng.random_range(-1.0..1.0);
        let counting = 1e-9 * 9.0f64.powi(case.n as i32 - 6) * (self.factor)(&tuning) * noise;
        let setup = Duration::from_secs_f64(self.setup);
        self.now.set(self.now.get() + setup + Duration::from_secs_f64(counting));
        let wrong = u128::from(self.runs >= self.wrong_from_run);
        Ok(Run {
            found: known::solutions(case.n).unwrap_or_default() ^ wrong,
            visits: None,
            setup,
            gpu: Err("none"),
            device: case.line.device.clone(),
            tuned: false,
        })
    }
}

const TIME: Duration = Duration::from_secs(25);

/// A device that likes workgroups of 128 and units of 4096 visits.
fn liking(tuning: &Tuning) -> f64 {
    let of = |value: Option<u32>, liked: u32, gain: f64| if value == Some(liked) { 1.0 - gain } else { 1.0 };
    of(tuning.workgroup, 128, 0.15) * of(tuning.unit_visits, 4096, 0.1) * of(tuning.in_flight, 1, -0.5)
}

#[test]
fn what_is_faster_is_found_and_its_gain_told() -> Result<(), Error> {
    // enough for a board on which the depths of prefixes differ
    let time = 40 * TIME;
    for seed in 0..8 {
        let mut device = Device::new(0.03, seed, &liking);
        let tuned = device.tune(MethodChoice::Search, true, time)?;
        let best = Tuning::default().with(Parameter::Workgroup, 128).with(Parameter::UnitVisits, 4096);
        assert_eq!(tuned.tuning, best, "{seed}: {tuned:?}");
        let [lanes, units, flight] = &tuned.findings[..] else { panic!("{tuned:?}") };
        for (finding, gain) in [(lanes, 0.15), (units, 0.1)] {
            let told = finding.gain.unwrap_or_else(|| panic!("{finding:?}"));
            assert!((told.value - gain).abs() < 0.03 && told.error < 0.02, "{finding:?}");
        }
        assert_eq!((lanes.default, lanes.chosen, flight.chosen), (64, 128, 2));
        assert!(device.now.get() < time, "{:?}", device.now);
        assert!(device.largest >= 15, "a board that takes some time: {}", device.largest);
    }
    Ok(())
}

#[test]
fn noise_alone_changes_next_to_nothing() -> Result<(), Error> {
    let mut changed = 0;
    for seed in 0..100 {
        let mut device = Device::new(0.1, seed, &|_| 1.0);
        let tuned = device.tune(MethodChoice::Search, true, TIME / 10)?;
        changed += tuned.findings.iter().filter(|finding| finding.chosen != finding.default).count();
    }
    assert!(changed <= 300 / 50, "{changed} of 300 choices");
    Ok(())
}

#[test]
fn a_gain_that_noise_explains_is_left() {
    let gain = |value, error, pairs| Gain { value, error, pairs }.is_worth_it();
    assert!(gain(0.05, 0.012, 7) && gain(0.021, 0.0, 7) && gain(0.05, 0.012, 25));
    assert!(!gain(0.05, 0.013, 7) && !gain(0.019, 0.0, 7) && !gain(0.5, 0.0, 6) && !gain(-0.5, 0.0, 7));
    assert_eq!(Gain::of(&[]), None);
    assert_eq!(Gain::of(&[f64::INFINITY; 7]), None);
}

#[test]
fn a_wrong_count_ends_it() {
    let mut device = Device::new(0.0, 0, &liking);
    device.tune(MethodChoice::Join, true, TIME).unwrap_or_else(|error| panic!("{error}"));
    let runs = device.runs;
    for wrong_from_run in [1, 3, runs / 2, runs] {
        let mut device = Device { wrong_from_run, ..Device::new(0.0, 0, &liking) };
        let refused = device.tune(MethodChoice::Join, true, TIME);
        assert!(refused.is_err_and(|error| error.exit_code() == 7), "{wrong_from_run} of {runs}");
    }
}

#[test]
fn where_time_is_out_the_default_stays() -> Result<(), Error> {
    // nothing but a first run fits
    let mut slow = Device { setup: 30.0, ..Device::new(0.0, 0, &liking) };
    let tuned = slow.tune(MethodChoice::Search, true, TIME)?;
    assert_eq!((tuned.tuning, slow.runs), (Tuning::default(), 1));
    assert!(tuned.findings.iter().all(|finding| finding.gain.is_none() && finding.tried.is_none()));
    // a setup that takes its share: a larger board, fewer runs
    let mut busy = Device { setup: 0.3, ..Device::new(0.0, 0, &liking) };
    let tuned = busy.tune(MethodChoice::Search, true, TIME)?;
    assert_eq!(tuned.tuning.workgroup, Some(128), "{tuned:?}");
    assert!(busy.now.get() < TIME + Duration::from_secs(1) && busy.largest >= 13);
    Ok(())
}

#[test]
fn only_what_the_device_and_the_kernel_take_is_tried() -> Result<(), Error> {
    for method in [MethodChoice::Search, MethodChoice::Join] {
        let largest = Cell::new(0);
        let note = |tuning: &Tuning| {
            largest.set(largest.get().max(tuning.workgroup.unwrap_or_default()));
            1.0
        };
        Device::new(0.0, 0, &note).tune(method, true, TIME)?;
        assert_eq!(largest.get(), 128, "{method:?}");
    }
    let on_cpu = |tuning: &Tuning| {
        assert_eq!((tuning.workgroup, tuning.in_flight), (None, None));
        1.0
    };
    let tuned = Device::new(0.0, 0, &on_cpu).tune(MethodChoice::Join, false, TIME)?;
    assert_eq!(tuned.findings.len(), 1);
    Ok(())
}

#[test]
fn what_makes_no_difference_on_a_board_is_not_tried() {
    let device = crate::engine::cpu::listed(2).info;
    let line = Line { method: MethodChoice::Search, index: 0, device, threads: Some(2), tuning: None };
    let subject = Subject { line: &line, most_lanes: 0, time: TIME };
    let others = |n| {
        let board = subject.board(n);
        board.map(|board| board.choices.into_iter().map(|choice| choice.others).collect::<Vec<_>>())
    };
    assert_eq!(others(8), Ok(vec![Vec::new(), Vec::new()]), "one block of shallow prefixes");
    assert_eq!(others(17), Ok(vec![vec![1 << 12, 1 << 16], vec![1, 3, 4]]), "two values have one depth");
}
