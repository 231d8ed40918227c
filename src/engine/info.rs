//! What counts, as reports and checkpoints name it.

use strum::{Display, EnumString};

/// The kind of a device; its name in documents and files is the word in lower case.
#[derive(Clone, Copy, Debug, Display, EnumString, PartialEq, Eq)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
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

/// A device.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
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
