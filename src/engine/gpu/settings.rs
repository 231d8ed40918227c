//! How the engine drives a device.

use std::time::Duration;

use crate::{
    Error,
    engine::{DeviceInfo, tuning},
};

/// How the engine drives a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Invocations of a workgroup; a device that takes less gets less.
    pub workgroup: u32,
    /// Dispatches under way at once.
    pub in_flight: u32,
    /// Turns of its loops that an invocation may take before its unit is split.
    pub budget: u32,
    /// Time that a dispatch should take.
    pub target: Duration,
    /// Time after which a dispatch is taken for hung.
    pub timeout: Duration,
    /// Whether wgpu adds bounds to the loops of the kernels, which bound their own.
    pub runtime_checks: bool,
    /// Whether dispatches are timed by the device's own clock, where it has one.
    pub timed: bool,
    /// Whether all kernels are tested at once; else each is before its first block.
    pub prove_all: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            workgroup: tuning::WORKGROUP,
            in_flight: tuning::IN_FLIGHT,
            budget: MOST_TURNS,
            target: Duration::from_millis(12),
            timeout: Duration::from_secs(60),
            runtime_checks: false,
            timed: false,
            prove_all: false,
        }
    }
}

impl Settings {
    /// The settings for a device for which nothing is tuned.
    #[must_use]
    pub fn suited(device: &DeviceInfo) -> Self {
        Self { workgroup: tuning::default_workgroup(device), ..Self::default() }
    }

    /// Whether they can be used.
    pub(super) fn check(&self) -> Result<(), Error> {
        if (LEAST_BUDGET..=GREATEST_BUDGET).contains(&self.budget) {
            return Ok(());
        }
        Err(Error::usage(
            format!("a step budget of {} is out of range", self.budget),
            format!("it is a whole number from {LEAST_BUDGET} to {GREATEST_BUDGET}"),
        ))
    }
}

/// The step budget that is tried first.
pub const MOST_TURNS: u32 = 1 << 18;

/// The smallest budget that lets every unit end once it is split often enough.
pub const LEAST_BUDGET: u32 = 64;

/// The largest budget: the kernels count the visits of an invocation in 32 bits.
pub const GREATEST_BUDGET: u32 = 1 << 26;
