//! What is tuned for a device: choices that no count depends on.
//!
//! A tuning decides how blocks are cut into units, how units are dispatched and how many are under way; never which
//! blocks there are, so that a checkpoint goes on under any tuning. The first dispatch is not tuned: it is small so that
//! no device stalls a display, whatever is fast.

use std::{fmt, ops::RangeInclusive, time::SystemTime};

use super::{DeviceInfo, DeviceKind, cpu};
use crate::{
    Error, Problem,
    method::{
        MethodName,
        choice::make,
        search::{Cutting, unit_visits},
    },
};

/// Invocations of a workgroup by default: two waves of most GPUs, one of others.
pub const WORKGROUP: u32 = 64;

/// The same on a software adapter: one vector of the CPU. A larger workgroup changes from one vector to the next at every
/// barrier: on llvmpipe the join takes two to three times as long in workgroups of 64 (November 2026).
const SOFTWARE_WORKGROUP: u32 = 8;

/// Dispatches under way at once by default: one is counted while the next is uploaded.
pub const IN_FLIGHT: u32 = 2;

/// The choices for one method on one device; `None` means the built-in default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "cli",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Tuning {
    /// Invocations of a workgroup of a GPU, a power of two; a device or kernel that takes less gets less.
    #[cfg_attr(feature = "cli", serde(skip_serializing_if = "Option::is_none"))]
    pub workgroup: Option<u32>,
    /// Dispatches under way at once on a GPU.
    #[cfg_attr(feature = "cli", serde(skip_serializing_if = "Option::is_none"))]
    pub in_flight: Option<u32>,
    /// Expected visits of a unit of search, which decide on the depth of prefixes below the seeds of blocks.
    #[cfg_attr(feature = "cli", serde(skip_serializing_if = "Option::is_none"))]
    pub unit_visits: Option<u32>,
    /// Blocks under way for each thread of a CPU.
    #[cfg_attr(feature = "cli", serde(skip_serializing_if = "Option::is_none"))]
    pub blocks_per_thread: Option<u32>,
}

impl Tuning {
    /// The name of each choice, what is chosen, and what is allowed; more would only cost time or memory.
    const fn choices(&self) -> [(&'static str, Option<u32>, RangeInclusive<u32>); 4] {
        [
            ("workgroup", self.workgroup, 1..=1024),
            ("in_flight", self.in_flight, 1..=8),
            ("unit_visits", self.unit_visits, 256..=1 << 24),
            ("blocks_per_thread", self.blocks_per_thread, 1..=16),
        ]
    }

    /// These choices, and those of `other` where this one has none.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            workgroup: self.workgroup.or(other.workgroup),
            in_flight: self.in_flight.or(other.in_flight),
            unit_visits: self.unit_visits.or(other.unit_visits),
            blocks_per_thread: self.blocks_per_thread.or(other.blocks_per_thread),
        }
    }

    /// Whether every choice is allowed; it may still be more than a device takes.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with the first that is not, and what is allowed.
    pub fn check(&self) -> Result<(), Error> {
        for (name, value, allowed) in self.choices() {
            if let Some(value) = value.filter(|value| !allowed.contains(value)) {
                return Err(Error::usage(
                    format!("{name} {value} is out of range"),
                    format!("it is from {} to {}", allowed.start(), allowed.end()),
                ));
            }
        }
        match self.workgroup.filter(|workgroup| !workgroup.is_power_of_two()) {
            None => Ok(()),
            Some(workgroup) => Err(Error::usage(
                format!("workgroup {workgroup} is no power of two"),
                "it is 32, 64, 128 and so on",
            )),
        }
    }
}

impl fmt::Display for Tuning {
    /// Names and values: `workgroup 128, unit_visits 16384`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chosen = |(name, value, _): (_, Option<u32>, _)| value.map(|value| format!("{name} {value}"));
        let words: Vec<String> = self.choices().into_iter().filter_map(chosen).collect();
        f.pad(&if words.is_empty() { "defaults".into() } else { words.join(", ") })
    }
}

/// The workgroup of a device for which nothing is tuned.
#[must_use]
pub fn default_workgroup(device: &DeviceInfo) -> u32 {
    if device.is_software() { SOFTWARE_WORKGROUP } else { WORKGROUP }
}

/// What a method leaves open on a device, in the order in which it is tuned: for each choice its candidates, the default
/// first.
#[must_use]
pub fn candidates(method: MethodName, device: &DeviceInfo) -> Vec<Vec<Tuning>> {
    let on_gpu = device.kind != DeviceKind::Cpu;
    let others: &[u32] = if device.is_software() { &[4, 16, 32] } else { &[32, 128] };
    let workgroups = each(|tuning| &mut tuning.workgroup, &[&[default_workgroup(device)], others].concat());
    let in_flight = each(|tuning| &mut tuning.in_flight, &[IN_FLIGHT, 1, 4]);
    // one level of prefixes more or less: it makes units smaller by 5 to 8
    let visits = unit_visits(on_gpu) as u32;
    let units = each(|tuning| &mut tuning.unit_visits, &[visits, visits / 8, visits * 8]);
    let blocks = each(|tuning| &mut tuning.blocks_per_thread, &[cpu::BLOCKS_PER_THREAD, 1, 4]);
    match (method, on_gpu) {
        (MethodName::Search, true) => vec![workgroups, units, in_flight],
        (MethodName::Join, true) => vec![workgroups, in_flight],
        (MethodName::Search, false) => vec![units, blocks],
        (MethodName::Join, false) => vec![blocks],
        _ => Vec::new(),
    }
}

/// A tuning for each value of one choice.
fn each(choice: fn(&mut Tuning) -> &mut Option<u32>, values: &[u32]) -> Vec<Tuning> {
    let with = |&value| {
        let mut tuning = Tuning::default();
        *choice(&mut tuning) = Some(value);
        tuning
    };
    values.iter().map(with).collect()
}

/// Names the kernels and their twins: another text or another version of ferz makes another name, as what was measured
/// may not hold any more.
///
/// # Errors
///
/// None in practice: those of making a method for a board of 8 queens.
fn kernels() -> Result<String, Error> {
    let problem = Problem::queens(8)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    for name in [MethodName::Search, MethodName::Join] {
        for kernel in make(name, &problem, Cutting::default())?.kernels() {
            hasher.update(kernel.source.as_bytes());
        }
    }
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}

/// A tuning that was measured, and what it holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Tuned {
    /// Name of the device; that of a CPU includes its number of threads.
    pub device: String,
    /// Graphics API; none for a CPU.
    pub backend: Option<String>,
    /// Driver and its version; none for a CPU.
    pub driver: Option<String>,
    /// Hash of the kernels of this version of ferz.
    pub kernels: String,
    /// The method.
    pub method: MethodName,
    /// The choices.
    pub tuning: Tuning,
    /// When it was measured, UTC.
    pub measured: String,
    /// The file that it was read from; empty where there is none.
    #[cfg_attr(feature = "cli", serde(skip))]
    pub file: String,
}

impl Tuned {
    /// A tuning for a method on a device, its present driver and this version of ferz.
    ///
    /// # Errors
    ///
    /// None in practice: those of making a method for a board of 8 queens.
    pub fn new(device: &DeviceInfo, method: MethodName, tuning: Tuning) -> Result<Self, Error> {
        let DeviceInfo { name, backend, driver, .. } = device.clone();
        Ok(Self {
            device: name,
            backend,
            driver,
            kernels: kernels()?,
            method,
            tuning,
            measured: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            file: String::new(),
        })
    }

    fn is_of(&self, device: &DeviceInfo) -> bool {
        self.device == device.name && self.backend == device.backend
    }

    /// Whether its device still has the driver and the kernels with which it was measured.
    fn is_current(&self, device: &DeviceInfo) -> Result<bool, Error> {
        Ok(self.driver == device.driver && self.kernels == kernels()?)
    }
}

/// The tuning for a method on a device, where it was measured with the present driver and kernels.
///
/// # Errors
///
/// [`Error::Usage`] for choices that are not allowed.
pub fn find(all: &[Tuned], device: &DeviceInfo, method: MethodName) -> Result<Option<Tuned>, Error> {
    for tuned in all.iter().filter(|tuned| tuned.is_of(device) && tuned.method == method) {
        if tuned.is_current(device)? {
            return tuned.tuning.check().map(|()| Some(tuned.clone()));
        }
    }
    Ok(None)
}

/// A warning where a device has a tuning that is not used, as it is of another driver or version of ferz.
///
/// # Errors
///
/// None in practice, as for [`Tuned::new`].
pub fn warning(all: &[Tuned], device: &DeviceInfo) -> Result<Option<String>, Error> {
    match all.iter().find(|tuned| tuned.is_of(device)) {
        Some(tuned) if !tuned.is_current(device)? => Ok(Some(format!(
            "{} was measured with another driver or version of ferz and is not used: `autotune` measures again",
            tuned.file
        ))),
        _ => Ok(None),
    }
}

#[cfg(test)]
pub(crate) mod tests;
