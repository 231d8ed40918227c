//! Which rows a benchmark has.

use std::time::Duration;

use super::{Effort, Row, Stop};
use crate::{Error, MethodChoice, engine::DeviceInfo, known, method::ladder::permutations, tuning::Tuning};

/// The largest N whose count is published: a time without a checked count is not told.
pub const LARGEST: u32 = 27;

/// The largest N of which the first solution is looked for.
pub const LARGEST_FIRST: u32 = 30;

/// The largest N that all rungs but permutations count within minutes.
pub const LARGEST_LADDER: u32 = 15;

/// By how much the time of a count may grow with N: that of backtracking grows by 9 to 11, that of the join by 2 to 6.
pub(super) const fn most_growth(method: MethodChoice) -> f64 {
    match method {
        MethodChoice::Join => 8.0,
        MethodChoice::Permutations => 16.0,
        _ => 12.0,
    }
}

/// What is asked of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Task {
    /// The number of all solutions
    #[default]
    Count,
    /// The first solution, by plain backtracking
    First,
}

impl Task {
    /// Its name, as in `--task`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::First => "first",
        }
    }

    /// What a run must find.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where that is not known.
    pub fn answer(self, n: u32) -> Result<u128, Error> {
        let (known, largest) = match self {
            Self::Count => (known::solutions(n), LARGEST),
            // a solution exists for every N but 2 and 3 (E. Pauls, 1874)
            Self::First => {
                let there = u128::from(!matches!(n, 2 | 3));
                ((1..=LARGEST_FIRST).contains(&n).then_some(there), LARGEST_FIRST)
            }
        };
        known.ok_or_else(|| {
            let task = self.name();
            Error::usage(
                format!("N = {n} cannot be timed with `task` {task}: its answer is not known"),
                format!("N is from 1 to {largest} for `task` {task}, as every answer is checked"),
            )
        })
    }
}

/// How and on what: what one curve of a plot shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The method; not auto.
    pub method: MethodChoice,
    /// Place in the list of devices; 0 is the CPU.
    pub index: usize,
    /// The device, as it is listed.
    pub device: DeviceInfo,
    /// CPU threads that count; none on a GPU, and none where one solution is looked for on one thread only.
    pub threads: Option<usize>,
    /// A tuning that is tried; none for what was measured before, or the default.
    pub tuning: Option<Tuning>,
}

impl Line {
    /// Name of the method, as in `--method`.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        match self.method {
            MethodChoice::Auto => "auto",
            MethodChoice::Search => "search",
            MethodChoice::Join => "join",
            MethodChoice::Bitmask => "bitmask",
            MethodChoice::Backtrack => "backtrack",
            MethodChoice::Permutations => "permutations",
        }
    }

    /// Whether the method is of any use for a board of this size.
    #[must_use]
    pub fn reaches(&self, n: u32) -> bool {
        self.method != MethodChoice::Permutations || n <= permutations::LARGEST
    }
}

/// All rows of a benchmark: each line for each size.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What is asked.
    pub task: Task,
    /// Board sizes, in the order of the rows.
    pub sizes: Vec<u32>,
    /// Lines, in the order of the rows of one size; the first is the reference.
    pub lines: Vec<Line>,
    /// How often each case is run.
    pub effort: Effort,
    /// The time that a line should not pass; rows beyond it are left out. None: every row is timed.
    pub limit: Option<Duration>,
}

impl Plan {
    /// Whether all answers are known.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where one is not.
    pub fn check(&self) -> Result<(), Error> {
        self.sizes.iter().try_for_each(|&n| self.task.answer(n).map(drop))
    }
}

/// The time left to a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// None where there is no limit.
    left: Option<f64>,
    /// Seconds that the next row should take at most.
    next: f64,
    runs: f64,
}

impl Budget {
    pub(super) fn new(limit: Option<Duration>, effort: Effort) -> Self {
        let least = match effort.stop {
            Stop::Runs(runs) => runs,
            Stop::Time(_) => Effort::LEAST_RUNS,
        };
        let runs = f64::from(effort.warmup) + f64::from(least);
        Self { left: limit.map(|limit| limit.as_secs_f64()), next: 0.0, runs }
    }

    /// Whether the next row is expected to end in time.
    pub(super) fn allows_another(&self) -> bool {
        self.left.is_none_or(|left| self.next <= left)
    }

    /// No row follows one that was left out.
    pub(super) fn close(&mut self) {
        if let Some(left) = &mut self.left {
            *left = f64::NEG_INFINITY;
        }
    }

    /// Notes what a row took.
    pub(super) fn spend(&mut self, took: Duration, row: &Row) {
        if let Some(left) = &mut self.left {
            *left -= took.as_secs_f64();
        }
        self.next =
            self.runs * most_growth(row.case.line.method).mul_add(row.compute.median, row.setup.median);
    }
}
