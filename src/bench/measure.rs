//! Times one case.

use std::time::Duration;

use super::{Case, Clock, Counter, Measurement, Run, Series, Stats, Task, Warning};
use crate::Error;

/// When enough runs are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// After this many runs.
    Runs(u32),
    /// Once they took this long together, and there are [`Effort::MIN_RUNS`]; at [`Effort::MAX_RUNS`] in any case.
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
    /// The min runs that show a spread.
    pub const MIN_RUNS: u32 = 3;
    /// The max runs: more show nothing new.
    pub const MAX_RUNS: u32 = 1000;

    fn is_enough(self, samples: &[f64]) -> bool {
        let runs = samples.len() as u32;
        match self.stop {
            Stop::Runs(wanted) => runs >= wanted,
            Stop::Time(wanted) => {
                let time = samples.iter().sum::<f64>() >= wanted.as_secs_f64();
                runs >= Self::MAX_RUNS || (runs >= Self::MIN_RUNS && time)
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

/// Counts once, and returns the seconds that it took.
///
/// # Errors
///
/// [`Error::Disagree`] for a wrong count, and any error of the counter.
pub fn run_once(case: &Case, counter: &mut dyn Counter, clock: &dyn Clock) -> Result<(f64, Run), Error> {
    let answer = case.task.answer(case.n)?;
    let start = clock.now();
    let run = counter.count(case)?;
    let wall = clock.now().saturating_sub(start).as_secs_f64();
    if run.found == answer {
        return Ok((wall, run));
    }
    Err(Error::Disagree {
        what: format!("the answer for N = {} with `task` {}", case.n, case.task),
        left_name: format!("{} on {}", case.series.method, case.series.device.info.name),
        left: run.found.to_string(),
        right_name: "what is published".into(),
        right: answer.to_string(),
    })
}

/// Times a case.
pub(super) fn measure(
    case: Case,
    counter: &mut dyn Counter,
    clock: &dyn Clock,
    effort: Effort,
) -> Result<Measurement, Error> {
    let mut first_run = None;
    for _ in 0..effort.warmup {
        let (wall, _) = run_once(&case, counter, clock)?;
        first_run.get_or_insert(wall);
    }
    let (mut samples, mut setup, mut compute, mut gpu) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let last = loop {
        let (wall, run) = run_once(&case, counter, clock)?;
        // a clock with a coarse tick may show less than the run itself
        let before = run.setup.as_secs_f64().min(wall);
        samples.push(wall);
        setup.push(before);
        compute.push(wall - before);
        gpu.push(run.gpu.map(|time| time.as_secs_f64()));
        if effort.is_enough(&samples) {
            break run;
        }
    };
    let Case { n, task, series: Series { method, device, threads }, .. } = case;
    let mut warnings = Warning::of_samples(&samples, effort.warmup == 0);
    if last.device.is_software() {
        warnings.push(Warning::Software);
    }
    let compute_s = Stats::of(&compute);
    let gpu: Result<Vec<f64>, &str> = gpu.into_iter().collect();
    let rate = |number: u128| Some(number as f64 / compute_s.median).filter(|rate| rate.is_finite());
    Ok(Measurement {
        n,
        count: last.found.to_string(),
        series: Series::new(method, device.index, last.device, threads),
        runs: samples.len(),
        first_run_s: first_run.unwrap_or(samples[0]),
        wall_s: Stats::of(&samples),
        setup_s: Stats::of(&setup),
        compute_s,
        gpu_s: gpu.as_ref().ok().map(|times| Stats::of(times)),
        gpu_s_reason: gpu.err().map(str::to_owned),
        visits: last.visits.map(|visits| visits.to_string()),
        visits_per_s: last.visits.and_then(rate),
        solutions_per_s: if task == Task::Count { rate(last.found) } else { None },
        tuned: last.tuned,
        ratio: None,
        warnings: warnings.iter().map(|warning| warning.name().to_owned()).collect(),
        samples_s: samples,
    })
}
