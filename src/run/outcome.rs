//! The result of a run.

use std::{path::PathBuf, time::Duration};

use super::{Throttled, Verification};
use crate::{Classes, Faults, Problem, engine::DeviceInfo, tuning::Kept};

/// The result of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// What was counted.
    pub problem: Problem,
    /// The number of solutions.
    pub count: u128,
    /// Solutions by the number of queens on squares of even row and even column; none where the method does
    /// not tell.
    pub by_even_even: Option<Vec<u128>>,
    /// Queens placed; none where the method does not tally them.
    pub visits: Option<u128>,
    /// Name of the method.
    pub method: &'static str,
    /// What counted, with the share of the visits that each took.
    pub devices: Vec<(DeviceInfo, f64)>,
    /// The solutions by symmetry class, where that was asked for.
    pub classes: Option<Classes>,
    /// How the count was checked.
    pub verification: Verification,
    /// Blocks counted, which are all.
    pub blocks: u64,
    /// What was tuned for a device of this session, as it was measured before.
    pub tuned: Vec<Kept>,
    /// When the rate fell well below what it had been.
    pub throttled: Vec<Throttled>,
    /// Times that the run was begun or resumed.
    pub sessions: u64,
    /// What went wrong on devices in all sessions, before it went right.
    pub faults: Faults,
    /// The files from which the run would answer again: to be discarded once the count is told, by
    /// [`crate::checkpoint::discard`].
    pub checkpoints: Vec<PathBuf>,
    /// Time of all sessions.
    pub elapsed_total: Duration,
    /// Time of this session.
    pub elapsed: Duration,
    /// The part of it before the first block was counted.
    pub setup: Duration,
    /// The time of the kernels by the clocks of the GPUs, added up, or why it is not known.
    pub gpu: Result<Duration, &'static str>,
}
