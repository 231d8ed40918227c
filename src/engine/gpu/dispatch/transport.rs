//! The seam between the engine and a device: units in, bytes out.
//!
//! The engine batches, paces, decodes and checks; a transport only carries. So the whole engine runs over the
//! real device, over the CPU twin and over a device that errs (`fake`).

use std::{sync::Arc, time::Duration};

use crate::{Error, engine::DeviceInfo, method::Unit};

/// Limits of a device that bound a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Workgroups along one dimension of a dispatch.
    pub workgroups: u32,
    /// Invocations of a workgroup.
    pub invocations: u32,
    /// Bytes of workgroup memory.
    pub workgroup_bytes: u32,
    /// Bytes of a storage buffer that a kernel can see.
    pub binding_bytes: u64,
    /// Bytes of any buffer.
    pub buffer_bytes: u64,
}

impl Limits {
    /// Those of an adapter or device.
    #[must_use]
    pub fn of(limits: &wgpu::Limits) -> Self {
        Self {
            workgroups: limits.max_compute_workgroups_per_dimension,
            invocations: limits
                .max_compute_invocations_per_workgroup
                .min(limits.max_compute_workgroup_size_x),
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            binding_bytes: limits.max_storage_buffer_binding_size,
            buffer_bytes: limits.max_buffer_size,
        }
    }
}

/// One dispatch of a kernel.
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Which of the kernels runs.
    pub kernel: usize,
    /// Tag of the dispatch, which every record echoes.
    pub run: u32,
    /// Turns of its loops that an invocation may take.
    pub budget: u32,
    /// Workgroups to start.
    pub workgroups: u32,
    /// Context buffers, the same `Arc` where they are already on the device.
    pub context: Vec<Arc<[u32]>>,
    /// The units.
    pub units: Vec<Unit>,
}

/// Carries dispatches of the kernels of one method to a device and its bytes back, in order.
pub trait Transport: Send {
    /// The device.
    fn device(&self) -> DeviceInfo;

    /// Dispatches that may be under way at once, so that the device never idles between them.
    fn slots(&self) -> usize;

    /// Starts a dispatch.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] with what the driver says.
    fn submit(&mut self, dispatch: &Dispatch) -> Result<(), Error>;

    /// Waits at most `wait` for the oldest dispatch under way, and gives its records and totals as bytes;
    /// `None` where it is not done yet or nothing is under way.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] with what the driver says.
    fn poll(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, Error>;

    /// The time in which dispatches ran, by the device's own clock, or why it is not known.
    ///
    /// # Errors
    ///
    /// The reason.
    fn time(&self) -> Result<Duration, &'static str> {
        Err("the device has no clock")
    }

    /// Gives the device up without waiting for it: dropping a device that hangs would block.
    fn abandon(&mut self);
}
