//! A compiled kernel and the buffers of its dispatches: carries units to a device and its bytes back.

use std::{
    collections::VecDeque,
    mem::ManuallyDrop,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use super::{
    device::Device,
    layout::Params,
    transport::{Dispatch, Limits, Transport},
};
use crate::{
    Error,
    engine::{
        DeviceInfo,
        decode::{RECORD_BYTES, TOTALS_BYTES},
    },
    method::{Record, Unit},
};

/// Dispatches under way at once.
const SLOTS: usize = 2;

/// The buffers of one dispatch, used again by later ones.
struct Slot {
    /// Units it has room for.
    room: usize,
    params: wgpu::Buffer,
    units: wgpu::Buffer,
    /// Records as a kernel must not leave them.
    blank: wgpu::Buffer,
    records: wgpu::Buffer,
    totals: wgpu::Buffer,
    readback: wgpu::Buffer,
}

impl Slot {
    fn new(device: &Device, room: usize) -> Self {
        let records = (room * RECORD_BYTES) as u64;
        let buffer = |label, size, usage| device.buffer(label, size, usage);
        use wgpu::BufferUsages as Usage;
        let params = size_of::<Params>() as u64;
        let totals = TOTALS_BYTES as u64;
        let unit_bytes = (room * size_of::<Unit>()) as u64;
        Self {
            room,
            params: buffer("params", params, Usage::UNIFORM | Usage::COPY_DST),
            units: buffer("units", unit_bytes, Usage::STORAGE | Usage::COPY_DST),
            blank: device.filled("blank", &vec![Record::UNWRITTEN; room * RECORD_BYTES / 4], Usage::COPY_SRC),
            records: buffer("records", records, Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST),
            totals: buffer("totals", totals, Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST),
            readback: buffer("readback", records + totals, Usage::MAP_READ | Usage::COPY_DST),
        }
    }
}

/// A dispatch under way.
struct UnderWay {
    slot: Slot,
    bytes: u64,
    submission: wgpu::SubmissionIndex,
    mapped: Arc<AtomicU8>,
}

/// States of a mapping that was asked for.
const PENDING: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// A compiled kernel and the buffers of its dispatches.
///
/// All that belongs to the device is dropped by hand: after [`Transport::abandon`] it is leaked, since dropping
/// a device that hangs would wait for it.
pub struct Pipeline {
    device: ManuallyDrop<Device>,
    layout: ManuallyDrop<wgpu::BindGroupLayout>,
    pipeline: ManuallyDrop<wgpu::ComputePipeline>,
    slots: ManuallyDrop<VecDeque<Slot>>,
    under_way: ManuallyDrop<VecDeque<UnderWay>>,
    /// The most units of a dispatch, which bounds the buffers.
    most_units: usize,
    abandoned: bool,
}

impl Pipeline {
    /// Takes a compiled kernel; no dispatch may have more than `most_units` units.
    pub(super) fn new(
        device: Device,
        layout: wgpu::BindGroupLayout,
        pipeline: wgpu::ComputePipeline,
        most_units: u32,
    ) -> Self {
        Self {
            device: ManuallyDrop::new(device),
            layout: ManuallyDrop::new(layout),
            pipeline: ManuallyDrop::new(pipeline),
            slots: ManuallyDrop::new(VecDeque::new()),
            under_way: ManuallyDrop::new(VecDeque::new()),
            most_units: most_units as usize,
            abandoned: false,
        }
    }

    /// A slot with room for `units` units.
    fn slot(&mut self, units: usize) -> Slot {
        match self.slots.pop_front() {
            Some(slot) if slot.room >= units => slot,
            // grown by doubling, so that a growing pace does not allocate each time
            _ => Slot::new(&self.device, units.next_power_of_two().min(self.most_units).max(units)),
        }
    }

    fn start(&mut self, dispatch: &Dispatch, slot: Slot) -> UnderWay {
        let Device { device, queue, .. } = &*self.device;
        let params = Params {
            units: dispatch.units.len() as u32,
            run: dispatch.run,
            budget: dispatch.budget,
            unused: 0,
        };
        queue.write_buffer(&slot.params, 0, bytemuck::bytes_of(&params));
        queue.write_buffer(&slot.units, 0, bytemuck::cast_slice(&dispatch.units));
        let contexts: Vec<_> = dispatch
            .context
            .iter()
            .map(|words| self.device.filled("context", words, wgpu::BufferUsages::STORAGE))
            .collect();
        let buffers = [&slot.params, &slot.units, &slot.records, &slot.totals];
        let entries: Vec<_> = (0..)
            .zip(buffers.into_iter().chain(&contexts))
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        });
        let records = (dispatch.units.len() * RECORD_BYTES) as u64;
        let bytes = records + TOTALS_BYTES as u64;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&slot.blank, 0, &slot.records, 0, records);
        encoder.clear_buffer(&slot.totals, 0, None);
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(dispatch.workgroups, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&slot.records, 0, &slot.readback, 0, records);
        encoder.copy_buffer_to_buffer(&slot.totals, 0, &slot.readback, records, TOTALS_BYTES as u64);
        let submission = queue.submit([encoder.finish()]);
        let mapped = Arc::new(AtomicU8::new(PENDING));
        let note = Arc::clone(&mapped);
        slot.readback.slice(..bytes).map_async(wgpu::MapMode::Read, move |result| {
            note.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
        UnderWay { slot, bytes, submission, mapped }
    }
}

impl Transport for Pipeline {
    fn device(&self) -> DeviceInfo {
        self.device.info.clone()
    }

    fn limits(&self) -> Limits {
        self.device.limits()
    }

    fn slots(&self) -> usize {
        SLOTS
    }

    fn submit(&mut self, dispatch: &Dispatch) -> Result<(), Error> {
        let device = Device::clone(&self.device);
        let under_way = device.guarded(|| {
            let slot = self.slot(dispatch.units.len().max(1));
            self.start(dispatch, slot)
        })?;
        self.under_way.push_back(under_way);
        Ok(())
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, Error> {
        let Some(oldest) = self.under_way.front() else { return Ok(None) };
        if oldest.mapped.load(Ordering::Acquire) == PENDING {
            self.device.wait(oldest.submission.clone(), wait)?;
        }
        match oldest.mapped.load(Ordering::Acquire) {
            PENDING => return Ok(None),
            MAPPED => {}
            _ => return Err(self.device.lost("its results cannot be read back".into())),
        }
        let Some(UnderWay { slot, bytes, .. }) = self.under_way.pop_front() else { return Ok(None) };
        let view = slot.readback.slice(..bytes).get_mapped_range();
        let copy = view.map_err(|error| self.device.lost(error.to_string()))?.to_vec();
        slot.readback.unmap();
        self.slots.push_back(slot);
        self.device.check().map(|()| Some(copy))
    }

    fn abandon(&mut self) {
        self.abandoned = true;
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.abandoned {
            return;
        }
        // SAFETY: nothing uses the fields after this, and each is dropped once.
        unsafe {
            ManuallyDrop::drop(&mut self.under_way);
            ManuallyDrop::drop(&mut self.slots);
            ManuallyDrop::drop(&mut self.pipeline);
            ManuallyDrop::drop(&mut self.layout);
            ManuallyDrop::drop(&mut self.device);
        }
    }
}
