//! What can go wrong, in the user's words: what was given, what is allowed, what to do.

use std::time::Duration;

/// Every failure of the library.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The input cannot be used as given.
    #[error("{what}")]
    Usage {
        /// What was given.
        what: String,
        /// What is allowed.
        hint: String,
    },
    /// No device or driver that could count.
    #[error("{what}")]
    NoDevice {
        /// What was looked for.
        what: String,
        /// What to do.
        hint: String,
    },
    /// The device was lost, or its driver reported an error.
    #[error("device {device} was lost: {what}")]
    DeviceLost {
        /// Name of the device.
        device: String,
        /// What the driver said.
        what: String,
    },
    /// A dispatch did not end in time. A wait that timed out is never taken for a result.
    #[error("device {device} hangs: a dispatch was not done after {waited:.1?}")]
    DeviceHung {
        /// Name of the device.
        device: String,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The bytes that came back from a device are not those that a kernel writes.
    #[error("device {device} returned a damaged buffer: {fault}")]
    Damaged {
        /// Name of the device.
        device: String,
        /// What is wrong with the bytes.
        fault: Fault,
    },
    /// Two counts of the same thing differ. A unit whose recount differs is counted again first: this is what remains where
    /// that did not help, or where it cannot be said what is wrong.
    #[error("{what}: {left_name} says {left}, {right_name} says {right}")]
    Disagree {
        /// What was counted twice.
        what: String,
        /// Who counted first.
        left_name: String,
        /// The first count.
        left: String,
        /// Who counted second.
        right_name: String,
        /// The second count.
        right: String,
    },
    /// A checkpoint that cannot be used, or not be written where that was asked for.
    #[error("{what}")]
    Checkpoint {
        /// Which, and why not.
        what: String,
        /// What to do.
        hint: String,
    },
    /// Stopped at the time that the caller set.
    #[error("stopped after {0:.1?}, as was asked")]
    Stopped(Duration),
    /// Cancelled by the caller.
    #[error("cancelled")]
    Cancelled,
    /// A fault of ferz itself or of the machine that is none of the above.
    #[error("{0}")]
    Internal(String),
}

/// What is wrong with a buffer that came back from a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// It is cut short or too long.
    #[error("{got} bytes where {want} were asked for")]
    Length {
        /// Bytes that came.
        got: usize,
        /// Bytes that were asked for.
        want: usize,
    },
    /// A record that no invocation wrote.
    #[error("the record of unit {unit} was never written (state {state:#010x})")]
    Unwritten {
        /// The unit.
        unit: u32,
        /// The word found.
        state: u32,
    },
    /// A record of another dispatch.
    #[error("the record of unit {unit} is of dispatch {got:#x}, not {want:#x}")]
    Stale {
        /// The unit.
        unit: u32,
        /// The tag found.
        got: u32,
        /// The tag of this dispatch.
        want: u32,
    },
    /// A record in the place of another.
    #[error("the record of unit {unit} says that it is of unit {got}")]
    Misplaced {
        /// The unit.
        unit: u32,
        /// The id found.
        got: u32,
    },
    /// The device's sum and the host's differ.
    #[error("the device's sum of '{word}' is {device:#010x}, the host's {host:#010x}")]
    Sum {
        /// Name of the word.
        word: &'static str,
        /// What the device says.
        device: u32,
        /// What the records add up to.
        host: u32,
    },
}

impl Error {
    /// An [`Error::Usage`].
    pub(crate) fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), hint: hint.into() }
    }

    /// An [`Error::NoDevice`].
    pub(crate) fn no_device(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::NoDevice { what: what.into(), hint: hint.into() }
    }

    /// An [`Error::Checkpoint`].
    pub(crate) fn checkpoint(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Checkpoint { what: what.into(), hint: hint.into() }
    }

    /// What the user can do about it, if there is anything to say.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Usage { hint, .. } | Self::NoDevice { hint, .. } | Self::Checkpoint { hint, .. } => {
                Some(hint)
            }
            Self::DeviceLost { .. } | Self::DeviceHung { .. } => {
                Some("try `workload` low, another `backend`, a newer driver, or `device` cpu")
            }
            Self::Damaged { .. } | Self::Disagree { .. } => Some(
                "no count is given; run `selftest` on this device, then try another driver or `device` cpu",
            ),
            Self::Stopped(_) | Self::Cancelled | Self::Internal(_) => None,
        }
    }

    /// The exit code of the command line for this error.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage { .. } => 2,
            Self::Stopped(_) => 3,
            Self::NoDevice { .. } => 4,
            Self::Checkpoint { .. } => 5,
            Self::DeviceLost { .. } | Self::DeviceHung { .. } => 6,
            Self::Damaged { .. } | Self::Disagree { .. } => 7,
            Self::Cancelled => 130,
            Self::Internal(_) => 1,
        }
    }
}
