//! Benchmarks: which counts are timed, how often, and what is made of the times.
//!
//! # What is timed
//!
//! A run is what [`crate::count`] does for one problem: choose, list and open the device, compile and test its kernel (the
//! *setup*), count (the *compute* time), add up. `wall` is both. The known answer is compared outside the time; the
//! recount of a sample, which a plain count does besides, is left out, as its time says nothing of the method.
//!
//! Every run's count is compared with the published one. A wrong count ends the benchmark with an error, and no time of
//! its row is told.
//!
//! Clock and counter are handed in ([`Clock`], [`Counter`]), so that all that is made of times is tested without a
//! clock.
//!
//! | file | does |
//! |---|---|
//! | [`plan`] | which rows there are, and in which order |
//! | `measure` | times one row |
//! | [`stats`] | what is made of its times |
//! | [`fit`] | growth per N of several rows |
//! | [`tune`] | finds what is fastest on a device |
//! | [`sizes`] | classic sizes of the search space |
//! | [`real`] | the counter and the clock of this machine |

pub mod fit;
mod measure;
pub mod plan;
pub mod real;
pub mod sizes;
pub mod stats;
pub mod tune;

use std::time::Duration;

pub use self::{
    measure::{Effort, Stop},
    plan::{Line, Plan, Task},
    stats::{Ratio, Stats, Warning},
};
use crate::{Error, engine::DeviceInfo};

/// What is timed: one board size of one line.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Board size.
    pub n: u32,
    /// What is asked.
    pub task: Task,
    /// How, and on what.
    pub line: Line,
}

/// What one run says.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Solutions counted, or found.
    pub found: u128,
    /// Queens placed; none where a method does not tally them.
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

/// One row of the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was timed.
    pub case: Case,
    /// What counted, as the run said.
    pub device: DeviceInfo,
    /// Solutions counted, or found; as published.
    pub found: u128,
    /// Queens placed by a run; none where a method does not tally them.
    pub visits: Option<u128>,
    /// Seconds of each run in turn, warm-up runs left out.
    pub samples: Vec<f64>,
    /// Seconds of the very first run, whether for warming up or not.
    pub first_run: f64,
    /// Seconds of a run.
    pub wall: Stats,
    /// Seconds of its setup.
    pub setup: Stats,
    /// Seconds of the rest.
    pub compute: Stats,
    /// Seconds of its kernels by the device's clock, or why they are not known.
    pub gpu: Result<Stats, &'static str>,
    /// Whether it was tuned as was measured before.
    pub tuned: bool,
    /// Wall time in terms of that of the first row of this N; none for that row.
    pub ratio: Option<Ratio>,
    /// What should be known of the times.
    pub warnings: Vec<Warning>,
}

impl Row {
    /// Queens placed a second of compute time.
    #[must_use]
    pub fn visits_per_second(&self) -> Option<f64> {
        Some(self.visits? as f64 / self.compute.median).filter(|rate| rate.is_finite())
    }

    /// Solutions counted a second of compute time; none where one solution was looked for.
    #[must_use]
    pub fn solutions_per_second(&self) -> Option<f64> {
        let counted = self.case.task == Task::Count;
        counted.then(|| self.found as f64 / self.compute.median).filter(|rate| rate.is_finite())
    }
}

/// What a benchmark tells while it goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// A row is done.
    Row(Box<Row>),
    /// A row is left out, as it would take longer than there is time.
    LeftOut(Case),
}

/// Times every case of a plan, in its order, and tells each row as soon as it is done.
///
/// # Errors
///
/// [`Error::Disagree`] for a wrong count, any error of the counter, and whatever `tell` returns; what was told before
/// stays true.
pub fn bench<E: From<Error>>(
    plan: &Plan,
    counter: &mut dyn Counter,
    clock: &dyn Clock,
    tell: &mut dyn FnMut(Told) -> Result<(), E>,
) -> Result<(), E> {
    let mut budgets = vec![plan::Budget::new(plan.limit, plan.effort); plan.lines.len()];
    for &n in &plan.sizes {
        let mut reference: Option<Stats> = None;
        for (line, budget) in plan.lines.iter().zip(&mut budgets) {
            let case = Case { n, task: plan.task, line: line.clone() };
            if !line.reaches(n) || !budget.allows_another() {
                budget.close();
                tell(Told::LeftOut(case))?;
                continue;
            }
            let start = clock.now();
            let mut row = measure::measure(case, counter, clock, plan.effort)?;
            budget.spend(clock.now().saturating_sub(start), &row);
            match &reference {
                Some(reference) => row.ratio = Ratio::of(&row.wall, reference),
                None => reference = Some(row.wall),
            }
            tell(Told::Row(Box::new(row)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
