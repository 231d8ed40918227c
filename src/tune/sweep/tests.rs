use std::cell::Cell;

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{
    DeviceKind, MethodName,
    bench::{Run, tests::ManualClock},
    engine::{DeviceInfo, tuning::candidates},
    known,
};

/// A device whose times are known, up to noise, and the clock that they move.
struct Device {
    clock: ManualClock,
    noise: f64,
    rng: ChaCha8Rng,
    /// The time of counting under a tuning, in terms of that by default.
    factor: Box<dyn Fn(&Tuning) -> f64>,
    setup: Duration,
    wrong_from_run: u32,
    runs: u32,
}

impl Device {
    fn new(noise: f64, seed: u64, factor: impl Fn(&Tuning) -> f64 + 'static) -> Self {
        Self {
            clock: ManualClock::default(),
            noise,
            rng: ChaCha8Rng::seed_from_u64(seed),
            factor: Box::new(factor),
            setup: Duration::ZERO,
            wrong_from_run: u32::MAX,
            runs: 0,
        }
    }

    fn sweep(&mut self, method: MethodName, time: Duration) -> Result<Sweep, Error> {
        let (kind, name) = (DeviceKind::Discrete, "it".into());
        let info = DeviceInfo { kind, name, backend: None, driver: None };
        let choices = candidates(method, &info);
        let clock = self.clock.clone();
        sweep(&Series::new(method, 1, info, None), &choices, time, self, &clock)
    }
}

impl Counter for Device {
    fn count(&mut self, case: &Case) -> Result<Run, Error> {
        self.runs += 1;
        let tuning = case.tuning.ok_or_else(|| Error::Internal("a run without a tuning".into()))?;
        let noise = 1.0 + self.noise * self.rng.random_range(-1.0..1.0);
        let counting = 1e-9 * 9.0f64.powi(case.n as i32 - 6) * (self.factor)(&tuning) * noise;
        self.clock.advance(self.setup + Duration::from_secs_f64(counting));
        let wrong = u128::from(self.runs >= self.wrong_from_run);
        Ok(Run {
            found: known::solutions(case.n).unwrap_or_default() ^ wrong,
            visits: None,
            setup: self.setup,
            gpu: Err("none"),
            device: case.series.device.info.clone(),
            tuned: false,
        })
    }
}

const TIME: Duration = Duration::from_secs(25);

/// A device that likes workgroups of 128 and small units, and only one dispatch in flight not at all.
fn liking(tuning: &Tuning) -> f64 {
    let of = |value: Option<u32>, liked: u32, gain: f64| if value == Some(liked) { 1.0 - gain } else { 1.0 };
    of(tuning.workgroup, 128, 0.15) * of(tuning.unit_visits, 8192, 0.1) * of(tuning.in_flight, 1, -0.5)
}

#[test]
fn what_is_faster_is_found_with_its_gain() -> Result<(), Error> {
    for seed in 0..8 {
        let mut device = Device::new(0.03, seed, liking);
        let sweep = device.sweep(MethodName::Search, TIME)?;
        let best = Tuning { workgroup: Some(128), unit_visits: Some(8192), ..Tuning::default() };
        assert_eq!(sweep.tuning, best, "{seed}: {sweep:?}");
        let gains: Vec<f64> =
            sweep.findings.iter().filter_map(|finding| Some(finding.fastest?.gain)).collect();
        let [workgroup, units, flight] = gains[..] else { panic!("{sweep:?}") };
        assert!((workgroup - 0.15).abs() < 0.04 && (units - 0.1).abs() < 0.04, "{sweep:?}");
        assert!(flight < MIN_GAIN, "{sweep:?}");
        assert!(device.clock.now() < TIME, "{:?}", device.clock);
        assert!(sweep.n >= 13, "a board that takes some time: {}", sweep.n);
    }
    Ok(())
}

#[test]
fn noise_alone_changes_little() -> Result<(), Error> {
    for (noise, allowed) in [(0.03, 0), (0.1, 30)] {
        let mut taken = 0;
        for seed in 0..100 {
            let sweep = Device::new(noise, seed, |_| 1.0).sweep(MethodName::Search, TIME)?;
            let fastest = sweep.findings.iter().filter_map(|finding| finding.fastest);
            taken += fastest.filter(Fastest::is_taken).count();
        }
        assert!(taken <= allowed, "{taken} of 300 choices at a noise of {noise}");
    }
    Ok(())
}

#[test]
fn both_the_median_and_the_rounds_decide() {
    let taken = |gain, wins| Fastest { tuning: Tuning::default(), gain, wins }.is_taken();
    assert!(taken(0.05, 7) && taken(0.05, 6) && taken(0.5, 6));
    assert!(!taken(0.5, 5) && !taken(0.049, 7) && !taken(-0.5, 7));
    let candidates = [None, Some(32), Some(128)].map(|workgroup| Tuning { workgroup, ..Tuning::default() });
    let rounds = [[2.0, 1.0, 3.0], [2.0, 1.5, 0.5], [4.0, 4.0, 6.0]].map(Vec::from);
    let fastest = Fastest { tuning: candidates[1], gain: 0.25, wins: 2 };
    assert_eq!(Fastest::of(&candidates, &rounds), Some(fastest));
    assert_eq!(Fastest::of(&candidates[..1], &rounds), None, "the default alone");
}

#[test]
fn a_machine_that_speeds_up_favours_no_candidate() -> Result<(), Error> {
    // each run takes 3 % less than the one before it: always in the same order, the last candidate would win each round
    let runs = Cell::new(0);
    let drifting = move |_: &Tuning| {
        runs.set(runs.get() + 1);
        0.97f64.powi(runs.get())
    };
    let sweep = Device::new(0.0, 0, drifting).sweep(MethodName::Join, TIME)?;
    assert_eq!(sweep.tuning, Tuning::default(), "{sweep:?}");
    Ok(())
}

#[test]
fn a_wrong_count_ends_it() -> Result<(), Error> {
    let mut device = Device::new(0.0, 0, liking);
    device.sweep(MethodName::Join, TIME)?;
    let runs = device.runs;
    for wrong_from_run in [1, 3, runs / 2, runs] {
        let mut device = Device { wrong_from_run, ..Device::new(0.0, 0, liking) };
        let refused = device.sweep(MethodName::Join, TIME);
        assert!(refused.is_err_and(|error| error.exit_code() == 7), "{wrong_from_run} of {runs}");
    }
    Ok(())
}

#[test]
fn where_time_runs_out_the_default_stays() -> Result<(), Error> {
    // nothing but a first run fits
    let mut slow = Device { setup: 2 * TIME, ..Device::new(0.0, 0, liking) };
    let sweep = slow.sweep(MethodName::Search, TIME)?;
    assert_eq!((sweep.tuning, slow.runs), (Tuning::default(), 1));
    assert!(sweep.findings.len() == 3 && sweep.findings.iter().all(|finding| finding.fastest.is_none()));
    // a setup that takes its share: a larger board, and time for the first choice
    let mut busy = Device { setup: TIME / 80, ..Device::new(0.0, 0, liking) };
    let sweep = busy.sweep(MethodName::Search, TIME)?;
    assert_eq!(sweep.tuning.workgroup, Some(128), "{sweep:?}");
    assert!(busy.clock.now() < TIME + Duration::from_secs(2) && sweep.n >= 13);
    Ok(())
}
