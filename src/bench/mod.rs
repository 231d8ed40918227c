//! Benchmarks: which counts are timed, how often, and what is made of the times.
//!
//! # What is timed
//!
//! A run is what [`crate::count`] does for one problem: choose, list and open the device, compile and test its kernel (the
//! *setup*), count (the *compute* time), add up. `wall` is both. The known answer is compared outside the time; the
//! recount of a sample, which a plain count does besides, is left out, as its time is not that of the method.
//!
//! Every run's count is compared with the published one. A wrong count ends the benchmark with an error, and no time of
//! its case is reported.
//!
//! Clock and counter are handed in ([`Clock`], [`Counter`]), so that all that is made of times is tested without a
//! clock.
//!
//! | file | does |
//! |---|---|
//! | [`case`] | what is timed: a task for one N, by a method on a device |
//! | [`suite`] | which cases there are, and in which order |
//! | `measure` | times one case |
//! | [`stats`] | what is made of its times |
//! | [`fit`] | growth per N of several measurements |
//! | [`sizes`] | classic sizes of the search space |
//! | [`real`] | the counter and the clock of this machine |

pub mod case;
pub mod fit;
mod measure;
pub mod real;
pub mod sizes;
pub mod stats;
pub mod suite;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::{
    case::{Case, Series, Task},
    measure::{Effort, Stop, run_once},
    stats::{Ratio, Stats, Warning},
    suite::Suite,
};
use crate::{Error, engine::DeviceInfo};

/// What one run returns.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Solutions counted, or found.
    pub found: u128,
    /// Queens placed; none where a method does not count them.
    pub visits: Option<u128>,
    /// Time before the first block was counted.
    pub setup: Duration,
    /// Time of the kernels by the device's own clock, or why it is not known.
    pub gpu: Result<Duration, &'static str>,
    /// What counted.
    pub device: DeviceInfo,
    /// Whether it was tuned as was measured before.
    pub tuned: bool,
}

/// Counts once.
pub trait Counter {
    /// Does what a case asks.
    ///
    /// # Errors
    ///
    /// Whatever stops the count.
    fn count(&mut self, case: &Case) -> Result<Run, Error>;
}

/// A clock that never goes back.
pub trait Clock {
    /// Time since some moment.
    fn now(&self) -> Duration;
}

/// What the runs of one case took, as it is exported. Times are seconds; counts are digits, as they may pass 2^53.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Measurement {
    /// Board size.
    pub n: u32,
    /// Solutions counted, or found; as published.
    pub count: String,
    /// How, and on what.
    #[serde(flatten)]
    pub series: Series,
    /// Runs, those for warming up not included.
    pub runs: usize,
    /// The very first run, whether for warming up or not.
    pub first_run_s: f64,
    /// A run.
    pub wall_s: Stats,
    /// Its setup.
    pub setup_s: Stats,
    /// The rest.
    pub compute_s: Stats,
    /// Its kernels by the device's clock; none, and then a reason, where that was not read or not believed.
    pub gpu_s: Option<Stats>,
    /// Why there is none.
    pub gpu_s_reason: Option<String>,
    /// Queens placed by a run; none where a method does not count them.
    pub visits: Option<String>,
    /// Queens placed a second of compute time.
    pub visits_per_s: Option<f64>,
    /// Solutions counted a second of compute time; none where one solution was looked for.
    pub solutions_per_s: Option<f64>,
    /// Whether a tuning that was measured before was used; exports of earlier versions do not show it.
    #[serde(default)]
    pub tuned: bool,
    /// Wall time in terms of that of the first series for this N; none for that.
    pub ratio: Option<Ratio>,
    /// Names of [`Warning`]s.
    pub warnings: Vec<String>,
    /// Each run in turn, those for warming up not included.
    pub samples_s: Vec<f64>,
}

/// What happens while a benchmark goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A case was measured.
    Measured(Box<Measurement>),
    /// A case is left out, as it would take longer than there is time.
    LeftOut(Case),
}

/// Times every case of a suite, in its order, and reports each as soon as it is done.
///
/// # Errors
///
/// [`Error::Disagree`] for a wrong count, any error of the counter, and whatever `report` returns; what was reported
/// before stays true.
pub fn bench<E: From<Error>>(
    suite: &Suite,
    counter: &mut dyn Counter,
    clock: &dyn Clock,
    report: &mut dyn FnMut(Step) -> Result<(), E>,
) -> Result<(), E> {
    let mut budgets = vec![suite::Budget::new(suite.limit, suite.effort); suite.series.len()];
    for &n in &suite.sizes {
        let mut reference: Option<Stats> = None;
        for (series, budget) in suite.series.iter().zip(&mut budgets) {
            let case = Case { n, task: suite.task, series: series.clone(), tuning: None };
            if !series.reaches(n) || !budget.allows_another() {
                budget.close();
                report(Step::LeftOut(case))?;
                continue;
            }
            let start = clock.now();
            let mut done = measure::measure(case, counter, clock, suite.effort)?;
            budget.spend(clock.now().saturating_sub(start), &done);
            match &reference {
                Some(reference) => done.ratio = Ratio::of(&done.wall_s, reference),
                None => reference = Some(done.wall_s),
            }
            report(Step::Measured(Box::new(done)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests;
