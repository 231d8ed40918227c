//! What can go wrong, and the exit code of each.

/// A failure: what was given or found, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Standard output is closed or full.
    #[error("{0}")]
    Output(String),
    /// The flags cannot be used as given.
    #[error("{0}")]
    Usage(String),
    /// No driver, or it did not compile the kernel.
    #[error("{0}")]
    Driver(String),
    /// Machine code that is not understood.
    #[error("the machine code has '{text}': {what}")]
    Code {
        /// The line of machine code.
        text: String,
        /// Why it is not understood.
        what: String,
    },
    /// The machine code did what no kernel may do.
    #[error("executing '{text}': {what}")]
    Fault {
        /// The line of machine code.
        text: String,
        /// What it did.
        what: String,
    },
    /// Registers that do not fit.
    #[error("{0}")]
    Spills(String),
    /// A check failed.
    #[error("{0}")]
    Check(String),
}

impl Error {
    /// The exit code of the process, as far as there is the same failure in ferz as there.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Spills(_) | Self::Output(_) => 1,
            Self::Usage(_) => 2,
            Self::Code { .. } => 3,
            Self::Driver(_) => 4,
            Self::Fault { .. } | Self::Check(_) => 7,
        }
    }
}
