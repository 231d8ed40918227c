//! What is tuned for a device: choices that no count depends on.
//!
//! A tuning decides how blocks are cut into units, how units are dispatched and how many are under way; never which
//! blocks there are, so that a checkpoint goes on under any tuning. What is left open is as it is without one. The first
//! dispatch is not among the choices: it is small so that no device hangs a display, whatever is fast.
//! [`crate::bench::tune`] finds a tuning by measurement; on the command line it is kept in a file a device (`cache.rs`).

#[cfg(feature = "cli")]
pub(crate) mod cache;
#[cfg(test)]
mod tests;

use std::{fmt, ops::RangeInclusive};

use crate::{
    Error, Problem,
    engine::{DeviceInfo, DeviceKind, cpu},
    method::{
        Method as _,
        join::Join,
        search::{Search, unit_visits},
    },
};

/// Invocations of a workgroup where nothing is tuned: two waves of most GPUs, one of others.
pub const WORKGROUP: u32 = 64;

/// The same on a software adapter: one vector of the CPU. On more it changes from one to the next at every barrier: on
/// llvmpipe the join takes twice to three times as long in workgroups of 64 (November 2026).
pub const SOFTWARE_WORKGROUP: u32 = 8;

/// Dispatches under way at once where nothing is tuned: one is counted while the next is uploaded.
pub const IN_FLIGHT: u32 = 2;

/// The choices for one method on one device; none is the default of its room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "cli",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Tuning {
    /// Invocations of a workgroup of a GPU; a device or kernel that takes less gets less.
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

/// One choice of a tuning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Parameter {
    /// [`Tuning::workgroup`].
    Workgroup,
    /// [`Tuning::in_flight`].
    InFlight,
    /// [`Tuning::unit_visits`].
    UnitVisits,
    /// [`Tuning::blocks_per_thread`].
    BlocksPerThread,
}

impl Parameter {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Workgroup, Self::InFlight, Self::UnitVisits, Self::BlocksPerThread];

    /// Those that a method leaves open on a GPU or a CPU, in the order in which they are tuned.
    #[must_use]
    pub fn of(method: &str, on_gpu: bool) -> &'static [Self] {
        match (method, on_gpu) {
            ("search", true) => &[Self::Workgroup, Self::UnitVisits, Self::InFlight],
            ("join", true) => &[Self::Workgroup, Self::InFlight],
            ("search", false) => &[Self::UnitVisits, Self::BlocksPerThread],
            ("join", false) => &[Self::BlocksPerThread],
            _ => &[],
        }
    }

    /// Its name in files and tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Workgroup => "workgroup",
            Self::InFlight => "in_flight",
            Self::UnitVisits => "unit_visits",
            Self::BlocksPerThread => "blocks_per_thread",
        }
    }

    /// What it is on a device for which nothing is tuned.
    #[must_use]
    pub fn default_on(self, device: &DeviceInfo) -> u32 {
        match self {
            Self::Workgroup if device.is_software() => SOFTWARE_WORKGROUP,
            Self::Workgroup => WORKGROUP,
            Self::InFlight => IN_FLIGHT,
            Self::UnitVisits => unit_visits(device.kind != DeviceKind::Cpu) as u32,
            Self::BlocksPerThread => cpu::BLOCKS_PER_THREAD,
        }
    }

    /// What a file may ask for: what costs time or memory at the worst.
    #[must_use]
    pub const fn allowed(self) -> RangeInclusive<u32> {
        match self {
            Self::Workgroup => 1..=1024,
            Self::InFlight => 1..=8,
            Self::UnitVisits => 256..=1 << 24,
            Self::BlocksPerThread => 1..=16,
        }
    }

    /// What is tried.
    #[must_use]
    pub const fn candidates(self) -> &'static [u32] {
        match self {
            Self::Workgroup => &[8, 32, 64, 128],
            Self::InFlight => &[1, 2, 3, 4],
            // a level of prefixes makes units smaller by 5 to 8
            Self::UnitVisits => &[1 << 12, 1 << 14, 1 << 16, 1 << 18],
            Self::BlocksPerThread => &[1, 2, 3, 4],
        }
    }
}

impl Tuning {
    /// One of its choices.
    #[must_use]
    pub const fn get(&self, parameter: Parameter) -> Option<u32> {
        match parameter {
            Parameter::Workgroup => self.workgroup,
            Parameter::InFlight => self.in_flight,
            Parameter::UnitVisits => self.unit_visits,
            Parameter::BlocksPerThread => self.blocks_per_thread,
        }
    }

    /// The same with another choice.
    #[must_use]
    pub const fn with(mut self, parameter: Parameter, value: u32) -> Self {
        match parameter {
            Parameter::Workgroup => self.workgroup = Some(value),
            Parameter::InFlight => self.in_flight = Some(value),
            Parameter::UnitVisits => self.unit_visits = Some(value),
            Parameter::BlocksPerThread => self.blocks_per_thread = Some(value),
        }
        self
    }

    /// Whether every choice is one that may be made; it may still be more than a device takes.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with the first that is not, and what is allowed.
    pub fn check(&self) -> Result<(), Error> {
        for parameter in Parameter::ALL {
            let (name, allowed) = (parameter.name(), parameter.allowed());
            match self.get(parameter) {
                Some(value) if !allowed.contains(&value) => {
                    return Err(Error::usage(
                        format!("a {name} of {value} is out of range"),
                        format!("it is from {} to {}", allowed.start(), allowed.end()),
                    ));
                }
                Some(value) if parameter == Parameter::Workgroup && !value.is_power_of_two() => {
                    let what = format!("a workgroup of {value} is no power of two");
                    return Err(Error::usage(what, "it is 32, 64, 128 and so on"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for Tuning {
    /// In words: `workgroups of 128, units of 16384 visits`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = Parameter::ALL
            .into_iter()
            .filter_map(|parameter| {
                let value = self.get(parameter)?;
                Some(match parameter {
                    Parameter::Workgroup => format!("workgroups of {value}"),
                    Parameter::InFlight => format!("{value} dispatches in flight"),
                    Parameter::UnitVisits => format!("units of {value} visits"),
                    Parameter::BlocksPerThread => format!("{value} blocks a thread under way"),
                })
            })
            .collect();
        f.write_str(&if words.is_empty() { "all as by default".into() } else { words.join(", ") })
    }
}

/// What a tuning is for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Key {
    /// Name of the device; that of a CPU says its threads.
    pub name: String,
    /// Graphics API; none for a CPU.
    pub backend: Option<String>,
    /// Driver and its version; none for a CPU.
    pub driver: Option<String>,
    /// The hash of the kernels of the version of ferz.
    pub kernels: String,
}

impl Key {
    /// Of a device and this version of ferz.
    ///
    /// # Errors
    ///
    /// As `kernels`.
    pub fn of(device: &DeviceInfo) -> Result<Self, Error> {
        let DeviceInfo { name, backend, driver, .. } = device.clone();
        Ok(Self { name, backend, driver, kernels: kernels()? })
    }

    /// Whether it is of a device, with whatever driver and kernels.
    #[must_use]
    pub fn is_of(&self, device: &DeviceInfo) -> bool {
        self.name == device.name && self.backend == device.backend
    }
}

/// Names the kernels and their twins: another text, other names of overrides or another version of ferz make another
/// name, as what was measured may not hold any more.
///
/// # Errors
///
/// None in practice: those of planning a board of 8 queens.
pub fn kernels() -> Result<String, Error> {
    let problem = Problem::queens(8)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    let kernels = [Search::new(&problem, None, 1.0)?.kernels(), Join::new(&problem)?.kernels()];
    for kernel in kernels.into_iter().flatten() {
        hasher.update(kernel.source.as_bytes());
        for (name, _) in kernel.overrides {
            hasher.update(name.as_bytes()).update(b"\0");
        }
    }
    Ok(hasher.finalize().to_hex()[..16].to_owned())
}

/// A tuning that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// What it is for.
    pub key: Key,
    /// Name of the method.
    pub method: String,
    /// The choices.
    pub tuning: Tuning,
    /// Where it is kept, in words.
    pub place: String,
    /// When it was measured, in words.
    pub date: String,
}

/// How a run is tuned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tunings {
    /// As without any tuning.
    #[default]
    Defaults,
    /// As was measured, where it was.
    Kept(Vec<Kept>),
    /// One for all devices.
    Given(Tuning),
}

/// How a method is tuned on a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The choices.
    pub tuning: Tuning,
    /// Where they are from; none where nobody measured any.
    pub kept: Option<Kept>,
}

impl Tunings {
    /// The choices for a method on a device.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for choices that cannot be made.
    pub fn of(&self, device: &DeviceInfo, method: &str) -> Result<Found, Error> {
        let found = match self {
            Self::Defaults => Found::default(),
            Self::Given(tuning) => Found { tuning: *tuning, kept: None },
            Self::Kept(all) => {
                let of_device = |kept: &&Kept| kept.key.is_of(device) && kept.method == method;
                match all.iter().find(of_device) {
                    Some(kept) if kept.key == Key::of(device)? => {
                        Found { tuning: kept.tuning, kept: Some(kept.clone()) }
                    }
                    _ => Found::default(),
                }
            }
        };
        found.tuning.check().map(|()| found)
    }

    /// Why a tuning of a device is not used, where there is one of another driver or version of ferz.
    ///
    /// # Errors
    ///
    /// As `kernels`.
    pub fn outdated(&self, device: &DeviceInfo) -> Result<Option<String>, Error> {
        let Self::Kept(all) = self else { return Ok(None) };
        let Some(kept) = all.iter().find(|kept| kept.key.is_of(device)) else { return Ok(None) };
        let why = if kept.key.driver != device.driver {
            let driver = kept.key.driver.as_deref().unwrap_or("none");
            format!("was measured with another driver, {driver}")
        } else if kept.key.kernels != kernels()? {
            "was measured with other kernels".to_owned()
        } else {
            return Ok(None);
        };
        Ok(Some(format!("{} {why}, and is not used: `autotune` measures again", kept.place)))
    }
}
