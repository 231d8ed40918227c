//! How large a dispatch may be: a pure function of limits, so that its edges are tested without a device.
//!
//! wgpu checks neither a workgroup size that comes from an `override` nor the workgroup memory used.

use super::{
    decode::{RECORD_BYTES, TOTALS_BYTES},
    transport::Limits,
};
use crate::{
    Error,
    method::{Grain, Kernel, Unit},
};

/// The shape of the dispatches of one kernel on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Invocations of a workgroup.
    pub workgroup: u32,
    /// The most units of a dispatch.
    pub most_units: u32,
    /// What counts one unit.
    pub grain: Grain,
}

/// The most units of a dispatch on any device: 32 MiB of records, which bounds the memory of the host.
const MOST_UNITS: u64 = 1 << 20;

impl Shape {
    /// The shape for a kernel with workgroups of `workgroup` invocations.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the device cannot run such workgroups, with its limit.
    pub fn new(limits: &Limits, kernel: &Kernel, workgroup: u32) -> Result<Self, Error> {
        if workgroup == 0 || workgroup > limits.invocations {
            return Err(Error::usage(
                format!("workgroups of {workgroup} invocations are out of range"),
                format!("this device takes 1 to {}", limits.invocations),
            ));
        }
        let of_many = kernel.grain == Grain::Workgroup;
        if of_many && !(workgroup.is_power_of_two() && workgroup <= Grain::MOST_LANES) {
            return Err(Error::usage(
                format!("the kernel '{}' takes no workgroups of {workgroup} invocations", kernel.name),
                format!("it takes powers of two up to {}", Grain::MOST_LANES),
            ));
        }
        let bytes = u64::from(kernel.workgroup_bytes)
            + u64::from(kernel.workgroup_bytes_per_invocation) * u64::from(workgroup);
        if bytes > u64::from(limits.workgroup_bytes) {
            return Err(Error::usage(
                format!(
                    "the kernel '{}' needs {bytes} bytes of workgroup memory for {workgroup} invocations",
                    kernel.name
                ),
                format!(
                    "this device has {}; use a smaller workgroup or `device` cpu",
                    limits.workgroup_bytes
                ),
            ));
        }
        let by_grid = u64::from(limits.workgroups) * if of_many { 1 } else { u64::from(workgroup) };
        let by_units = limits.binding_bytes / size_of::<Unit>() as u64;
        let by_records = limits.binding_bytes / RECORD_BYTES as u64;
        // records and totals come back in one buffer
        let by_buffer = limits.buffer_bytes.saturating_sub(TOTALS_BYTES as u64) / RECORD_BYTES as u64;
        let most = by_grid.min(by_units).min(by_records).min(by_buffer).min(MOST_UNITS);
        if most == 0 {
            return Err(Error::no_device(
                "the device's buffers do not hold a single record",
                "use another device or `device` cpu",
            ));
        }
        Ok(Self { workgroup, most_units: most as u32, grain: kernel.grain })
    }

    /// The largest workgroup not over `wanted` that the device can run: `wanted`, or a power of two below.
    ///
    /// # Errors
    ///
    /// As [`Shape::new`], where it cannot run a single invocation.
    pub fn fitting(limits: &Limits, kernel: &Kernel, wanted: u32) -> Result<Self, Error> {
        let powers = (0..=wanted.max(1).ilog2()).rev().map(|power| 1 << power);
        let sizes = std::iter::once(wanted).chain(powers);
        let mut shapes = sizes.map(|workgroup| Self::new(limits, kernel, workgroup));
        shapes.find(Result::is_ok).unwrap_or_else(|| Self::new(limits, kernel, 1))
    }

    /// Workgroups for `units` units.
    #[must_use]
    pub const fn workgroups(&self, units: u32) -> u32 {
        match self.grain {
            Grain::Invocation => units.div_ceil(self.workgroup),
            Grain::Workgroup => units,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULTS: Limits = Limits {
        workgroups: 65_535,
        invocations: 256,
        workgroup_bytes: 16 << 10,
        binding_bytes: 128 << 20,
        buffer_bytes: 256 << 20,
    };

    fn kernel(bytes_per_invocation: u32) -> Kernel {
        Kernel {
            name: "test",
            source: String::new(),
            overrides: Vec::new(),
            contexts: 0,
            workgroup_bytes_per_invocation: bytes_per_invocation,
            workgroup_bytes: 32,
            grain: Grain::Invocation,
        }
    }

    fn most(limits: &Limits, workgroup: u32) -> Option<u32> {
        Shape::new(limits, &kernel(0), workgroup).ok().map(|shape| shape.most_units)
    }

    #[test]
    fn the_grid_bounds_small_workgroups() {
        assert_eq!(most(&DEFAULTS, 1), Some(65_535));
        assert_eq!(most(&Limits { workgroups: 1, ..DEFAULTS }, 64), Some(64));
        let shape = Shape::new(&DEFAULTS, &kernel(0), 1);
        assert_eq!(shape.map(|shape| shape.workgroups(65_535)), Ok(65_535));
    }

    #[test]
    fn the_bindings_and_buffers_bound_large_ones() {
        assert_eq!(most(&DEFAULTS, 256), Some(1 << 20));
        assert_eq!(most(&Limits { binding_bytes: 32 * 1000 + 31, ..DEFAULTS }, 256), Some(1000));
        assert_eq!(most(&Limits { buffer_bytes: 32 * 1000 + 31, ..DEFAULTS }, 256), Some(999));
        assert_eq!(most(&Limits { buffer_bytes: 32 * 1000 + 32, ..DEFAULTS }, 256), Some(1000));
        assert_eq!(most(&Limits { binding_bytes: 31, ..DEFAULTS }, 256), None);
        assert_eq!(most(&Limits { buffer_bytes: 0, ..DEFAULTS }, 256), None);
    }

    #[test]
    fn workgroup_size_and_memory_are_checked() {
        assert_eq!(most(&DEFAULTS, 0), None);
        assert_eq!(most(&DEFAULTS, 257), None);
        let fits = |bytes: u32, workgroup: u32| Shape::new(&DEFAULTS, &kernel(bytes), workgroup).is_ok();
        assert!(fits(63, 256) && !fits(64, 256) && fits(64, 255));
        assert!(!fits(u32::MAX, 256), "no overflow");
    }

    #[test]
    fn a_fitting_workgroup_is_found_or_the_limit_named() {
        let workgroup = |bytes| Shape::fitting(&DEFAULTS, &kernel(bytes), 256).map(|shape| shape.workgroup);
        assert_eq!(workgroup(4), Ok(256));
        assert_eq!(workgroup(64), Ok(128));
        assert_eq!(workgroup(16_000), Ok(1));
        assert!(matches!(workgroup(17_000), Err(Error::Usage { .. })));
    }

    #[test]
    fn a_workgroup_a_unit_takes_powers_of_two_and_a_workgroup_for_each() {
        let kernel = |bytes| Kernel { grain: Grain::Workgroup, ..kernel(bytes) };
        let made = |limits: &Limits, bytes, wanted| {
            let shape = Shape::fitting(limits, &kernel(bytes), wanted);
            shape.map(|shape| (shape.workgroup, shape.most_units, shape.workgroups(shape.most_units)))
        };
        assert_eq!(made(&DEFAULTS, 4, 64), Ok((64, 65_535, 65_535)));
        assert_eq!(made(&Limits { workgroups: 7, ..DEFAULTS }, 4, 64), Ok((64, 7, 7)));
        for (wanted, bytes, given) in [
            (1, 4, 1),
            (7, 4, 4),
            (65, 4, 64),
            (100, 4, 64),
            (128, 4, 128),
            (256, 4, 128),
            (96, 256, 32),
            (64, 16_000, 1),
        ] {
            assert_eq!(made(&DEFAULTS, bytes, wanted).map(|made| made.0), Ok(given), "{wanted}, {bytes}");
        }
        assert!(matches!(made(&DEFAULTS, 17_000, 64), Err(Error::Usage { .. })));
        for refused in [0, 3, 63, 256] {
            assert!(
                matches!(Shape::new(&DEFAULTS, &kernel(4), refused), Err(Error::Usage { .. })),
                "{refused}"
            );
        }
    }

    #[test]
    fn workgroups_cover_all_units() {
        let shape = Shape { workgroup: 64, most_units: 1 << 20, grain: Grain::Invocation };
        assert_eq!([0, 1, 63, 64, 65].map(|units| shape.workgroups(units)), [0, 1, 1, 1, 2]);
    }
}
