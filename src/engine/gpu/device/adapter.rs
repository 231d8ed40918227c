//! The adapters of this machine, each card once, the best first.

use std::cmp::Reverse;

use crate::{
    Error,
    engine::{
        DeviceInfo, DeviceKind,
        gpu::dispatch::transport::Limits,
        listing::{Backend, INVOCATIONS, Listed},
    },
};

const fn bits(backend: Backend) -> wgpu::Backends {
    match backend {
        Backend::Vulkan => wgpu::Backends::VULKAN,
        Backend::Metal => wgpu::Backends::METAL,
        Backend::Dx12 => wgpu::Backends::DX12,
        Backend::Gl => wgpu::Backends::GL,
    }
}

/// An adapter that can be opened.
#[derive(Clone)]
pub struct Adapter {
    /// How it is listed.
    pub listed: Listed,
    pub(super) wgpu: wgpu::Adapter,
}

/// Lists the adapters: discrete before integrated, virtual and software ones; one card that several backends
/// show is listed once, with the best of them, unless `backend` (or the variable `WGPU_BACKEND`) names one.
///
/// GL is asked only where the other backends have no hardware: it is the slowest to start, and what it shows
/// besides are the same cards.
///
/// # Errors
///
/// [`Error::Usage`] where `WGPU_BACKEND` names no backend.
pub fn list(backend: Option<Backend>) -> Result<Vec<Adapter>, Error> {
    let asked = match backend {
        Some(backend) => Some(bits(backend)),
        None if std::env::var_os("WGPU_BACKEND").is_none_or(|names| names.is_empty()) => None,
        None => wgpu::Backends::from_env(),
    };
    if asked.is_some_and(|asked| asked.is_empty()) {
        return Err(Error::usage(
            format!("WGPU_BACKEND={} names no backend", std::env::var("WGPU_BACKEND").unwrap_or_default()),
            "it is vulkan, metal, dx12 or gl, or several with commas between; or unset",
        ));
    }
    let mut adapters = asked.map_or_else(|| enumerate(wgpu::Backends::PRIMARY), enumerate);
    if asked.is_none() && !adapters.iter().any(|adapter| adapter.listed.is_hardware_gpu()) {
        adapters.extend(enumerate(wgpu::Backends::GL));
    }
    adapters.sort_by_key(|adapter| Reverse(rank(&adapter.listed)));
    let mut kept: Vec<Adapter> = Vec::new();
    for adapter in adapters {
        if !kept.iter().any(|other| same_card(&other.listed, &adapter.listed)) {
            kept.push(adapter);
        }
    }
    Ok(kept)
}

fn enumerate(backends: wgpu::Backends) -> Vec<Adapter> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
    // what was chosen above, not what the environment says
    descriptor.backends = backends;
    let instance = wgpu::Instance::new(descriptor);
    pollster::block_on(instance.enumerate_adapters(backends)).into_iter().map(describe).collect()
}

fn describe(wgpu: wgpu::Adapter) -> Adapter {
    let info = wgpu.get_info();
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => DeviceKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => DeviceKind::Integrated,
        wgpu::DeviceType::VirtualGpu => DeviceKind::Virtual,
        wgpu::DeviceType::Cpu => DeviceKind::Software,
        wgpu::DeviceType::Other => DeviceKind::Other,
    };
    let bounds = Limits::of(&wgpu.limits());
    let computes = wgpu.get_downlevel_capabilities().flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
    let unusable = (!computes || bounds.invocations == 0).then(|| "it runs no compute shaders".to_owned());
    let driver = [info.driver, info.driver_info].join(" ").trim().to_owned();
    let listed = Listed {
        info: DeviceInfo {
            kind,
            name: info.name,
            backend: Some(info.backend.to_str().to_owned()),
            driver: (!driver.is_empty()).then_some(driver),
        },
        pci_id: (!info.device_pci_bus_id.is_empty()).then_some(info.device_pci_bus_id),
        limits: vec![
            (INVOCATIONS, u64::from(bounds.invocations)),
            ("workgroup memory", u64::from(bounds.workgroup_bytes)),
            ("workgroups per dimension", u64::from(bounds.workgroups)),
            ("storage binding", bounds.binding_bytes),
        ],
        unusable,
    };
    Adapter { listed, wgpu }
}

/// Higher is better: the kind of card first, then the backend.
fn rank(device: &Listed) -> (bool, u8, u8) {
    let kind = match device.info.kind {
        DeviceKind::Discrete => 4,
        DeviceKind::Integrated => 3,
        DeviceKind::Virtual => 2,
        DeviceKind::Other => 1,
        _ => 0,
    };
    let backend = match device.info.backend.as_deref() {
        Some("vulkan" | "metal") => 2,
        Some("dx12") => 1,
        _ => 0,
    };
    (device.unusable.is_none(), kind, backend)
}

/// Whether two backends show the same card: by its place on the bus where both tell, else by its name without
/// what drivers add to it. Two equal cards of one backend are two cards.
fn same_card(kept: &Listed, other: &Listed) -> bool {
    if kept.info.backend == other.info.backend {
        return false;
    }
    match (&kept.pci_id, &other.pci_id) {
        (Some(kept), Some(other)) => kept == other,
        _ => bare_name(&kept.info.name) == bare_name(&other.info.name),
    }
}

/// The name of a card without a driver's additions: `AMD Radeon RX 6800 (RADV NAVI21)`,
/// `NVIDIA GeForce RTX 3080/PCIe/SSE2`.
fn bare_name(name: &str) -> &str {
    name.split(['(', '/']).next().unwrap_or(name).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(kind: DeviceKind, backend: &str, name: &str, pci_id: Option<&str>) -> Listed {
        Listed {
            info: DeviceInfo { kind, name: name.into(), backend: Some(backend.into()), driver: None },
            pci_id: pci_id.map(Into::into),
            limits: Vec::new(),
            unusable: None,
        }
    }

    #[test]
    fn kinds_rank_before_backends_and_unusable_ones_last() {
        let mut cards = [
            card(DeviceKind::Software, "vulkan", "llvmpipe", None),
            card(DeviceKind::Discrete, "gl", "B", None),
            Listed { unusable: Some("broken".into()), ..card(DeviceKind::Discrete, "vulkan", "C", None) },
            card(DeviceKind::Integrated, "vulkan", "D", None),
            card(DeviceKind::Discrete, "dx12", "B", None),
            card(DeviceKind::Virtual, "vulkan", "E", None),
            card(DeviceKind::Discrete, "vulkan", "B", None),
        ];
        cards.sort_by_key(|card| Reverse(rank(card)));
        let order: Vec<_> = cards.iter().map(|card| (card.info.kind, card.info.backend.as_deref())).collect();
        assert_eq!(order[0], (DeviceKind::Discrete, Some("vulkan")));
        assert_eq!(order[1], (DeviceKind::Discrete, Some("dx12")));
        assert_eq!(order[2], (DeviceKind::Discrete, Some("gl")));
        assert_eq!(order[3].0, DeviceKind::Integrated);
        assert_eq!(order[5].0, DeviceKind::Software);
        assert!(cards[6].unusable.is_some());
    }

    #[test]
    fn one_card_through_several_backends_is_one() {
        let vulkan = card(DeviceKind::Discrete, "vulkan", "NVIDIA GeForce RTX 3080", Some("0000:01:00.0"));
        let gl = card(DeviceKind::Discrete, "gl", "NVIDIA GeForce RTX 3080/PCIe/SSE2", None);
        let twin = card(DeviceKind::Discrete, "vulkan", "NVIDIA GeForce RTX 3080", Some("0000:02:00.0"));
        let dx12 = card(DeviceKind::Discrete, "dx12", "NVIDIA GeForce RTX 3080", Some("0000:02:00.0"));
        assert!(same_card(&vulkan, &gl));
        assert!(!same_card(&vulkan, &twin), "two equal cards are two");
        assert!(!same_card(&vulkan, &dx12) && same_card(&twin, &dx12));
        let radv =
            card(DeviceKind::Discrete, "vulkan", "AMD Radeon RX 6800 (RADV NAVI21)", Some("0000:03:00.0"));
        let radeonsi =
            card(DeviceKind::Discrete, "gl", "AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15)", None);
        assert!(same_card(&radv, &radeonsi) && !same_card(&radv, &gl));
    }
}
