//! What a caller asks of a run.

use std::{path::PathBuf, time::Duration};

use crate::{
    CancelToken, MethodName,
    engine::{
        listing::{Backend, Wanted},
        tuning::Tuned,
    },
};

/// How to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum MethodChoice {
    /// The fastest that can answer the problem.
    #[default]
    Auto,
    /// Prefixes and a bitmask search below each.
    Search,
    /// The parity join.
    Join,
    /// Plain recursion over bit sets: the reference.
    Bitmask,
    /// Plain recursion over an array.
    Backtrack,
    /// Every permutation, tested.
    Permutations,
}

impl MethodChoice {
    /// The method; none where it is left open.
    #[must_use]
    pub const fn name(self) -> Option<MethodName> {
        match self {
            Self::Auto => None,
            Self::Search => Some(MethodName::Search),
            Self::Join => Some(MethodName::Join),
            Self::Bitmask => Some(MethodName::Bitmask),
            Self::Backtrack => Some(MethodName::Backtrack),
            Self::Permutations => Some(MethodName::Permutations),
        }
    }
}

impl From<MethodName> for MethodChoice {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Search => Self::Search,
            MethodName::Join => Self::Join,
            MethodName::Bitmask => Self::Bitmask,
            MethodName::Backtrack => Self::Backtrack,
            MethodName::Permutations => Self::Permutations,
        }
    }
}

/// What is checked besides the known answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Verify {
    /// The known answer where there is one, and the recount of a small sample of units.
    #[default]
    Auto,
    /// Nothing.
    None,
    /// As auto, with a sample of about 1000 units instead of 64: a fault in 1 % of the units is missed once in some thousand
    /// runs.
    Sample,
    /// As sample, and the whole count again: by the other method where there is one, else by another cut of the board
    /// as seen in a mirror.
    Full,
}

impl Verify {
    /// Units that are recounted, about.
    pub(super) const fn sample(self) -> u64 {
        match self {
            Self::Auto => 64,
            Self::None => 0,
            Self::Sample | Self::Full => 1000,
        }
    }
}

/// How long one dispatch of a GPU should take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Workload {
    /// 2 ms: the display stays smooth.
    Low,
    /// 12 ms.
    #[default]
    Default,
    /// 96 ms.
    High,
    /// 480 ms: for a card without a display.
    Headless,
}

impl Workload {
    /// The target time of a dispatch.
    #[must_use]
    pub const fn target(self) -> Duration {
        Duration::from_millis(match self {
            Self::Low => 2,
            Self::Default => 12,
            Self::High => 96,
            Self::Headless => 480,
        })
    }
}

/// Options of a run; the default is what `ferz count N` does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The method.
    pub method: MethodChoice,
    /// The devices.
    pub device: Wanted,
    /// Only adapters of this backend.
    pub backend: Option<Backend>,
    /// CPU threads; one a core where it is `None`.
    pub threads: Option<usize>,
    /// Rows that `search` expands into prefixes; chosen where it is `None`.
    pub depth: Option<u32>,
    /// Whether the solutions are counted by symmetry class too.
    pub classes: bool,
    /// What is checked.
    pub verify: Verify,
    /// How long a dispatch should take.
    pub workload: Workload,
    /// Tunings that were measured before; those of its devices are used.
    pub tuned: Vec<Tuned>,
    /// Where and how often the run is saved; nowhere by default.
    pub saving: Saving,
    /// How long to count before the run is saved and ends with [`crate::Error::Stopped`]; to its end where it is `None`.
    pub stop_after: Option<Duration>,
    /// Whether kernels are timed by the clock of the device, where it has one.
    pub gpu_time: bool,
    /// Whether the first unit that differs from the reference ends the run, as in a self-test, which looks
    /// for noise; else its block is counted again.
    pub strict: bool,
    /// Cancels the run.
    pub cancel: CancelToken,
}

/// Where and how often a run is saved, so that it can go on after it was stopped, by whatever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saving {
    /// Where.
    pub place: Place,
    /// Time from one save to the next, and to the first; 30 s where it is `None`.
    pub interval: Option<Duration>,
    /// Whether to begin again where there is a checkpoint, which gets another name.
    pub restart: bool,
}

/// Where a run is saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Nowhere.
    #[default]
    Nowhere,
    /// In the state folder of the platform, see [`crate::default_path`]; where that cannot be written there is a
    /// warning. A run that is done within a second leaves it alone.
    Default,
    /// In this file.
    File(PathBuf),
}
