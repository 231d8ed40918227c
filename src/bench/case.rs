//! What is timed.

use serde::{Deserialize, Serialize};

use crate::{
    Error, MethodName,
    engine::{DeviceInfo, DeviceKind, tuning::Tuning},
    known,
    method::ladder::permutations,
};

/// The largest N whose count is published: a time without a checked count is not reported.
pub const LARGEST: u32 = 27;

/// The largest N of which the first solution is looked for.
pub const LARGEST_FIRST: u32 = 30;

/// What is asked of a method.
#[derive(
    Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize, clap::ValueEnum, strum::Display,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Task {
    /// The number of all solutions
    #[default]
    Count,
    /// The first solution, by plain backtracking
    First,
}

impl Task {
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
            Error::usage(
                format!("N = {n} cannot be timed with `task` {self}: its answer is not known"),
                format!("N is from 1 to {largest} for `task` {self}, as every answer is checked"),
            )
        })
    }
}

/// The device of a series, as documents name it.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Target {
    /// Place in the list of devices; 0 is the CPU.
    pub index: usize,
    /// What it is.
    #[serde(flatten)]
    pub info: DeviceInfo,
    /// Whether it runs its kernels on the CPU.
    pub software: bool,
}

/// How and on what is counted: one curve of a plot.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Series {
    /// The method.
    pub method: MethodName,
    /// The device.
    pub device: Target,
    /// CPU threads that count; none on a GPU.
    pub threads: Option<usize>,
}

impl Series {
    /// A method on a device, by its place in the list of devices.
    #[must_use]
    pub fn new(method: MethodName, index: usize, info: DeviceInfo, threads: Option<usize>) -> Self {
        let software = info.is_software();
        Self { method, device: Target { index, info, software }, threads }
    }

    /// Whether the method is of any use for a board of this size.
    #[must_use]
    pub fn reaches(&self, n: u32) -> bool {
        self.method != MethodName::Permutations || n <= permutations::LARGEST
    }

    /// The device, in short: `cpu x2`, `gpu 1`, `software 2`.
    #[must_use]
    pub fn place(&self) -> String {
        let index = self.device.index;
        match (self.device.info.kind, self.threads) {
            (DeviceKind::Cpu, Some(threads)) => format!("cpu x{threads}"),
            (DeviceKind::Cpu, None) => "cpu".into(),
            (DeviceKind::Software, _) => format!("software {index}"),
            _ => format!("gpu {index}"),
        }
    }

    /// Method and device, in short.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}, {}", self.method, self.place())
    }
}

/// What is timed: one board size of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Board size.
    pub n: u32,
    /// What is asked.
    pub task: Task,
    /// How, and on what.
    pub series: Series,
    /// A tuning that is tried; none for what was measured before, or the default.
    pub tuning: Option<Tuning>,
}
