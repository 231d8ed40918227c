//! What counts, as reports and checkpoints name it.

use std::{fmt, str::FromStr};

use crate::Error;

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The CPU, by its own engine.
    Cpu,
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the memory of the CPU.
    Integrated,
    /// A GPU as a virtual machine has it.
    Virtual,
    /// An adapter that runs its kernels on the CPU.
    Software,
    /// An adapter that does not say what it is.
    Other,
}

impl DeviceKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Cpu, Self::Discrete, Self::Integrated, Self::Virtual, Self::Software, Self::Other];

    /// Its name in documents and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Software => "software",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for DeviceKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            Error::usage(format!("'{text}' is no kind of device"), format!("the kinds are {names}"))
        })
    }
}

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its kind.
    pub kind: DeviceKind,
    /// Name of the adapter or processor.
    pub name: String,
    /// Graphics API; none for a CPU.
    pub backend: Option<String>,
    /// Driver and its version; none for a CPU.
    pub driver: Option<String>,
}

impl DeviceInfo {
    /// Whether it is an adapter that runs its kernels on the CPU.
    #[must_use]
    pub fn is_software(&self) -> bool {
        self.kind == DeviceKind::Software
    }
}
