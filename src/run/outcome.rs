//! The result of a run.

use std::{path::PathBuf, time::Duration};

use super::{check::verdict::Verification, progress::Throttled};
use crate::{
    Classes, MethodName, Problem,
    engine::{DeviceInfo, DispatchTimes, Faults, tuning::Tuned},
};

/// A device, and its part in a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceShare {
    /// The device.
    pub device: DeviceInfo,
    /// The share of the visits of all sessions that it took, from 0 to 1.
    pub share: f64,
    /// The times of its dispatches in this session; none for a CPU, and for what had no part in this session.
    pub dispatches: Option<DispatchTimes>,
}

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
    /// The method.
    pub method: MethodName,
    /// What counted, in all sessions.
    pub devices: Vec<DeviceShare>,
    /// The solutions by symmetry class, where that was asked for.
    pub classes: Option<Classes>,
    /// How the count was checked.
    pub verification: Verification,
    /// Blocks counted, which are all.
    pub blocks: u64,
    /// The tunings that this session used.
    pub tuned: Vec<Tuned>,
    /// When the rate fell well below what it had been.
    pub throttled: Vec<Throttled>,
    /// Times that the run was begun or resumed.
    pub sessions: u64,
    /// What went wrong on devices in all sessions, before it went right.
    pub faults: Faults,
    /// The files from which the run would answer again: to be discarded once the count is delivered, by
    /// [`crate::discard`].
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

impl Outcome {
    /// A count of one session, of which no more is known.
    pub(super) fn new(
        problem: &Problem,
        method: MethodName,
        count: u128,
        verification: Verification,
    ) -> Self {
        Self {
            problem: problem.clone(),
            count,
            by_even_even: None,
            visits: None,
            method,
            devices: Vec::new(),
            classes: None,
            verification,
            blocks: 1,
            tuned: Vec::new(),
            throttled: Vec::new(),
            sessions: 1,
            faults: Faults::default(),
            checkpoints: Vec::new(),
            elapsed_total: Duration::ZERO,
            elapsed: Duration::ZERO,
            setup: Duration::ZERO,
            gpu: Err("no GPU took part"),
        }
    }
}
