//! Which cases a benchmark has, and in which order.

use std::time::Duration;

use super::{Effort, Measurement, Series, Stop, Task};
use crate::{Error, MethodName};

/// The largest N that all rungs but permutations count within minutes.
pub const LARGEST_LADDER: u32 = 15;

/// By how much the time of a count may grow with N: that of backtracking grows by 9 to 11, that of the join by 2 to 6.
pub const fn max_growth(method: MethodName) -> f64 {
    match method {
        MethodName::Join => 8.0,
        MethodName::Permutations => 16.0,
        _ => 12.0,
    }
}

/// All measurements of a benchmark: each series for each size.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// What is asked.
    pub task: Task,
    /// Board sizes, in the order of the measurements.
    pub sizes: Vec<u32>,
    /// Series, in the order of the measurements of one size; the first is the reference.
    pub series: Vec<Series>,
    /// How often each case is run.
    pub effort: Effort,
    /// The time that a series should not pass; measurements beyond it are left out. None: all are made.
    pub limit: Option<Duration>,
}

impl Suite {
    /// Whether all answers are known.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where one is not.
    pub fn check(&self) -> Result<(), Error> {
        self.sizes.iter().try_for_each(|&n| self.task.answer(n).map(drop))
    }
}

/// The time left to a series.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// None where there is no limit.
    left: Option<f64>,
    /// Seconds that the next measurement may take.
    next: f64,
    runs: f64,
}

impl Budget {
    pub(super) fn new(limit: Option<Duration>, effort: Effort) -> Self {
        let min = match effort.stop {
            Stop::Runs(runs) => runs,
            Stop::Time(_) => Effort::MIN_RUNS,
        };
        let runs = f64::from(effort.warmup) + f64::from(min);
        Self { left: limit.map(|limit| limit.as_secs_f64()), next: 0.0, runs }
    }

    /// Whether the next measurement is expected to end in time.
    pub(super) fn allows_another(&self) -> bool {
        self.left.is_none_or(|left| self.next <= left)
    }

    /// No measurement follows one that was left out.
    pub(super) fn close(&mut self) {
        if let Some(left) = &mut self.left {
            *left = f64::NEG_INFINITY;
        }
    }

    /// Subtracts what a measurement took.
    pub(super) fn spend(&mut self, took: Duration, done: &Measurement) {
        if let Some(left) = &mut self.left {
            *left -= took.as_secs_f64();
        }
        let growth = max_growth(done.series.method);
        self.next = self.runs * growth.mul_add(done.compute_s.median, done.setup_s.median);
    }
}
