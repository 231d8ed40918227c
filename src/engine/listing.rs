//! What can count on this machine, and which of it a run takes: pure functions of a list of devices.

use std::str::FromStr;

use super::{DeviceInfo, DeviceKind};
use crate::Error;

/// Whether this build has the GPU engine.
pub const GPU_ENGINE: bool = cfg!(feature = "gpu");

/// The limit of the invocations of a workgroup, among [`Listed::limits`].
pub const INVOCATIONS: &str = "invocations per workgroup";

/// A device as `ferz devices` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// What it is.
    pub info: DeviceInfo,
    /// Its place on the PCI bus, where the driver tells.
    pub pci_id: Option<String>,
    /// Limits that matter, by name.
    pub limits: Vec<(&'static str, u64)>,
    /// Why it cannot count, where it cannot.
    pub unusable: Option<String>,
}

impl Listed {
    /// Whether it is a GPU, not a CPU or an adapter that runs on one.
    #[must_use]
    pub fn is_hardware_gpu(&self) -> bool {
        self.info.kind != DeviceKind::Cpu && !self.info.is_software() && self.unusable.is_none()
    }
}

/// A graphics API, as `--backend` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Backend {
    /// Vulkan: Linux, Windows, Android.
    Vulkan,
    /// Metal: macOS, iOS.
    Metal,
    /// Direct3D 12: Windows.
    Dx12,
    /// OpenGL ES 3.1 or OpenGL 4.3.
    Gl,
}

/// Which devices a run takes, as `--device` says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wanted {
    /// A hardware GPU if there is one and the problem is worth it, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The best GPU; a software adapter where there is no other.
    Gpu,
    /// Every hardware GPU and the CPU.
    All,
    /// These, by index of the list or part of a name.
    Named(Vec<String>),
}

impl FromStr for Wanted {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let items: Vec<String> = text.split(',').map(|item| item.trim().to_owned()).collect();
        if items.iter().any(String::is_empty) {
            return Err(Error::usage(
                format!("'{text}' has an empty device name"),
                "a device is auto, cpu, gpu, all, an index of `devices` or part of a name; several are \
                 separated by commas",
            ));
        }
        Ok(match items.as_slice() {
            [one] if one == "auto" => Self::Auto,
            [one] if one == "cpu" => Self::Cpu,
            [one] if one == "gpu" => Self::Gpu,
            [one] if one == "all" => Self::All,
            _ => Self::Named(items),
        })
    }
}

/// What was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Places in the list, each once.
    pub indices: Vec<usize>,
    /// What the user should be told about the choice.
    pub notices: Vec<String>,
}

/// Chooses from a list that is sorted from the best to the worst GPU and holds the CPU at 0.
///
/// # Errors
///
/// [`Error::NoDevice`] where nothing fits or what fits cannot be used, [`Error::Usage`] where a name fits
/// several devices, with the candidates.
pub fn choose(devices: &[Listed], wanted: &Wanted) -> Result<Chosen, Error> {
    let hardware: Vec<usize> = (0..devices.len()).filter(|&index| devices[index].is_hardware_gpu()).collect();
    match wanted {
        Wanted::Cpu => Ok(Chosen { indices: vec![0], notices: Vec::new() }),
        Wanted::Auto => Ok(hardware.first().map_or_else(
            || Chosen {
                indices: vec![0],
                notices: vec!["no hardware GPU was found: counting on the CPU".into()],
            },
            |&best| Chosen { indices: vec![best], notices: Vec::new() },
        )),
        Wanted::All => Ok(Chosen { indices: hardware.into_iter().chain([0]).collect(), notices: Vec::new() }),
        Wanted::Gpu => gpu(devices),
        Wanted::Named(names) => {
            let mut chosen = Chosen::default();
            for name in names {
                let found = match name.as_str() {
                    "cpu" => Chosen { indices: vec![0], notices: Vec::new() },
                    "gpu" => gpu(devices)?,
                    name => Chosen { indices: vec![named(devices, name)?], notices: Vec::new() },
                };
                chosen.indices.extend(found.indices);
                chosen.notices.extend(found.notices);
            }
            let mut seen = std::collections::HashSet::new();
            chosen.indices.retain(|index| seen.insert(*index));
            Ok(chosen)
        }
    }
}

/// The best GPU, hardware first.
fn gpu(devices: &[Listed]) -> Result<Chosen, Error> {
    let usable =
        |index: &usize| devices[*index].info.kind != DeviceKind::Cpu && devices[*index].unusable.is_none();
    let best = (0..devices.len())
        .filter(usable)
        .min_by_key(|&index| (devices[index].info.is_software(), index))
        .ok_or_else(|| no_gpu(devices))?;
    let info = &devices[best].info;
    let notices = if info.is_software() {
        vec![format!(
            "only a software adapter was found, {}: it runs on the CPU and is slower than `device` cpu",
            info.name
        )]
    } else {
        Vec::new()
    };
    Ok(Chosen { indices: vec![best], notices })
}

/// The error of a machine without a usable GPU.
fn no_gpu(devices: &[Listed]) -> Error {
    if !GPU_ENGINE {
        return no_engine("`device` gpu");
    }
    let reasons: Vec<String> = devices
        .iter()
        .filter_map(|device| Some(format!("{}: {}", device.info.name, device.unusable.as_ref()?)))
        .collect();
    let what = if reasons.is_empty() {
        "no GPU adapter was found".to_owned()
    } else {
        format!("no GPU adapter can be used ({})", reasons.join("; "))
    };
    Error::no_device(
        what,
        "install the driver of your GPU (Vulkan on Linux), see `devices`, or use `device` cpu",
    )
}

/// The error of a build without the GPU engine.
pub fn no_engine(flag: &str) -> Error {
    Error::no_device(
        format!("{flag} asks for a GPU, and this build of ferz has no GPU engine"),
        "build it with the feature 'gpu', which is on by default, or use `device` cpu",
    )
}

/// The device of an index or of a part of a name.
fn named(devices: &[Listed], name: &str) -> Result<usize, Error> {
    let found = if name.bytes().all(|byte| byte.is_ascii_digit()) {
        let index = name.parse().ok().filter(|&index: &usize| index < devices.len());
        index.ok_or_else(|| {
            Error::no_device(
                format!("there is no device {name}"),
                format!("`devices` lists 0 to {}", devices.len().saturating_sub(1)),
            )
        })?
    } else {
        let part = name.to_lowercase();
        let hit = |device: &Listed| device.info.name.to_lowercase().contains(&part);
        let hits: Vec<usize> = (0..devices.len()).filter(|&index| hit(&devices[index])).collect();
        match hits.as_slice() {
            [one] => *one,
            [] => {
                return Err(Error::no_device(
                    format!("no device has '{name}' in its name"),
                    format!("there are: {}", names(devices, 0..devices.len())),
                ));
            }
            several => {
                return Err(Error::usage(
                    format!("'{name}' fits several devices"),
                    format!("say which by its index: {}", names(devices, several.iter().copied())),
                ));
            }
        }
    };
    match &devices[found].unusable {
        None => Ok(found),
        Some(why) => Err(Error::no_device(
            format!("device {} cannot be used: {why}", devices[found].info.name),
            "choose another of `devices`",
        )),
    }
}

fn names(devices: &[Listed], indices: impl Iterator<Item = usize>) -> String {
    let name = |index: usize| {
        let info = &devices[index].info;
        let backend = info.backend.as_ref().map(|backend| format!(", {backend}")).unwrap_or_default();
        format!("{index} ({}{backend})", info.name)
    };
    indices.map(name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    fn device(kind: DeviceKind, name: &str) -> Listed {
        Listed {
            info: DeviceInfo {
                kind,
                name: name.into(),
                backend: (kind != DeviceKind::Cpu).then(|| "vulkan".into()),
                driver: None,
            },
            pci_id: None,
            limits: Vec::new(),
            unusable: None,
        }
    }

    fn machine() -> Vec<Listed> {
        vec![
            device(DeviceKind::Cpu, "Some Processor"),
            device(DeviceKind::Discrete, "GeForce RTX 4090"),
            device(DeviceKind::Discrete, "GeForce RTX 3080"),
            device(DeviceKind::Integrated, "Radeon Graphics"),
            device(DeviceKind::Software, "llvmpipe"),
        ]
    }

    fn pick(devices: &[Listed], text: &str) -> Result<Vec<usize>, Error> {
        choose(devices, &text.parse()?).map(|chosen| chosen.indices)
    }

    #[test]
    fn words_indices_and_names() {
        let devices = machine();
        for (text, expected) in [
            ("auto", vec![1]),
            ("cpu", vec![0]),
            ("gpu", vec![1]),
            ("all", vec![1, 2, 3, 0]),
            ("2", vec![2]),
            ("radeon", vec![3]),
            ("rtx 4090,LLVM", vec![1, 4]),
            ("cpu,0,3", vec![0, 3]),
            ("gpu, 1 ,cpu", vec![1, 0]),
        ] {
            assert_eq!(pick(&devices, text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_explained() {
        let devices = machine();
        for (text, code, part) in [
            ("geforce", 2, "1 (GeForce RTX 4090, vulkan), 2 (GeForce RTX 3080, vulkan)"),
            ("9", 4, "0 to 4"),
            ("99999999999999999999999", 4, "0 to 4"),
            ("voodoo", 4, "Radeon Graphics"),
            ("", 2, "separated by commas"),
            ("1,,2", 2, "separated by commas"),
        ] {
            let error = pick(&devices, text).expect_err(text);
            assert_eq!(error.exit_code(), code, "{text}: {error}");
            assert!(error.hint().is_some_and(|hint| hint.contains(part)), "{text}: {error:?}");
        }
    }

    #[test]
    fn a_software_adapter_is_never_taken_unasked() -> Result<(), Error> {
        let devices = [device(DeviceKind::Cpu, "Some Processor"), device(DeviceKind::Software, "llvmpipe")];
        let auto = choose(&devices, &Wanted::Auto)?;
        assert_eq!(auto.indices, [0]);
        assert!(auto.notices[0].contains("no hardware GPU"));
        assert_eq!(choose(&devices, &Wanted::All)?.indices, [0]);
        let gpu = choose(&devices, &Wanted::Gpu)?;
        assert_eq!(gpu.indices, [1]);
        assert!(gpu.notices[0].contains("software adapter"));
        assert!(choose(&devices, &Wanted::Named(vec!["llvmpipe".into()]))?.notices.is_empty());
        Ok(())
    }

    #[test]
    fn without_an_adapter_gpu_is_an_error_with_a_hint() {
        let mut devices = vec![device(DeviceKind::Cpu, "Some Processor")];
        assert_eq!(pick(&devices, "gpu").map_err(|error| error.exit_code()), Err(4));
        devices
            .push(Listed { unusable: Some("no compute".into()), ..device(DeviceKind::Discrete, "Old Card") });
        let error = pick(&devices, "gpu").expect_err("unusable");
        assert!(error.to_string().contains("Old Card: no compute"), "{error}");
        assert_eq!(pick(&devices, "old").map_err(|error| error.exit_code()), Err(4));
        assert_eq!(pick(&devices, "auto"), Ok(vec![0]));
    }
}
