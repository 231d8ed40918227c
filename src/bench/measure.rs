//! Times one row.

use std::time::Duration;

use super::{Case, Clock, Counter, Row, Run, Stats, Warning};
use crate::Error;

/// When enough runs are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// After this many runs.
    Runs(u32),
    /// Once they took this long together, and there are [`Effort::LEAST_RUNS`]; at [`Effort::MOST_RUNS`] in any case.
    Time(Duration),
}

/// How often a case is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Runs before those that are timed.
    pub warmup: u32,
    /// When to stop.
    pub stop: Stop,
}

impl Effort {
    /// Runs that a spread can be told from.
    pub const LEAST_RUNS: u32 = 3;
    /// Runs after which nothing is learnt any more.
    pub const MOST_RUNS: u32 = 1000;

    fn is_enough(self, samples: &[f64]) -> bool {
        let runs = samples.len() as u32;
        match self.stop {
            Stop::Runs(wanted) => runs >= wanted,
            Stop::Time(wanted) => {
                let time = samples.iter().sum::<f64>() >= wanted.as_secs_f64();
                runs >= Self::MOST_RUNS || (runs >= Self::LEAST_RUNS && time)
            }
        }
    }
}

impl Default for Effort {
    /// One run to warm up, then 0.3 s of runs.
    fn default() -> Self {
        Self { warmup: 1, stop: Stop::Time(Duration::from_millis(300)) }
    }
}

/// Times a case.
pub(super) fn measure(
    case: Case,
    counter: &mut dyn Counter,
    clock: &dyn Clock,
    effort: Effort,
) -> Result<Row, Error> {
    let answer = case.task.answer(case.n)?;
    let mut once = || -> Result<(f64, Run), Error> {
        let start = clock.now();
        let run = counter.count(&case)?;
        let wall = clock.now().saturating_sub(start).as_secs_f64();
        if run.found != answer {
            return Err(wrong(&case, run.found, answer));
        }
        Ok((wall, run))
    };
    let mut first_run = None;
    for _ in 0..effort.warmup {
        let (wall, _) = once()?;
        first_run.get_or_insert(wall);
    }
    let (mut samples, mut setup, mut compute, mut gpu) = (Vec::new(), Vec::new(), Vec::new(), Ok(Vec::new()));
    let last = loop {
        let (wall, run) = once()?;
        // a clock that ticks seldom may say less than the run itself
        let before = run.setup.as_secs_f64().min(wall);
        samples.push(wall);
        setup.push(before);
        compute.push(wall - before);
        match (&mut gpu, run.gpu) {
            (Ok(times), Ok(time)) => match within(time, wall) {
                Ok(seconds) => times.push(seconds),
                Err(reason) => gpu = Err(reason),
            },
            (Ok(_), Err(reason)) => gpu = Err(reason),
            (Err(_), _) => {}
        }
        if effort.is_enough(&samples) {
            break run;
        }
    };
    let first_run = first_run.unwrap_or(samples[0]);
    let mut warnings = Warning::of_samples(&samples, effort.warmup == 0);
    if last.device.is_software() {
        warnings.push(Warning::Software);
    }
    Ok(Row {
        device: last.device,
        found: answer,
        visits: last.visits,
        first_run,
        wall: Stats::of(&samples),
        setup: Stats::of(&setup),
        compute: Stats::of(&compute),
        gpu: gpu.map(|times| Stats::of(&times)),
        tuned: last.tuned,
        ratio: None,
        warnings,
        samples,
        case,
    })
}

/// The time of kernels, if it can be true.
fn within(time: Duration, wall: f64) -> Result<f64, &'static str> {
    match time.as_secs_f64() {
        0.0 => Err("the device's clock stood still"),
        seconds if seconds > wall => Err("the device's clock says more than the whole run took"),
        seconds => Ok(seconds),
    }
}

/// The error of a count that is not the published one.
pub(super) fn wrong(case: &Case, found: u128, answer: u128) -> Error {
    let line = &case.line;
    Error::Disagree {
        what: format!("the answer for N = {} with `task` {}", case.n, case.task.name()),
        left_name: format!("{} on {}", line.method(), line.device.name),
        left: found.to_string(),
        right_name: "what is published".into(),
        right: answer.to_string(),
    }
}
