//! Compiled kernels and the buffers of their dispatches: carries units to a device and its bytes back.

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
    Compiled, Device,
    contexts::{Contexts, KEPT_BYTES},
    timer::{self, Stamps, Timer},
};
use crate::{
    Error,
    engine::{
        DeviceInfo,
        gpu::dispatch::{
            decode::{RECORD_BYTES, TOTALS_BYTES},
            layout::Params,
            shape::Shape,
            transport::{Dispatch, Limits, Transport},
        },
        tuning,
    },
    method::{Kernel, Record, Unit},
};

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
    /// Where dispatches are timed.
    stamps: Option<Stamps>,
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
            stamps: device.tick.map(|_| Stamps::new(device)),
            readback: buffer("readback", records + totals + timer::BYTES, Usage::MAP_READ | Usage::COPY_DST),
        }
    }
}

/// A dispatch under way.
struct UnderWay {
    slot: Slot,
    /// Bytes of records and totals, then with those of timestamps.
    bytes: u64,
    mapped_bytes: u64,
    submission: wgpu::SubmissionIndex,
    mapped: Arc<AtomicU8>,
}

/// States of a mapping that was asked for.
const PENDING: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// A kernel, compiled once it is used.
struct Entry {
    kernel: Kernel,
    shape: Shape,
    compiled: Option<Compiled>,
}

/// Compiled kernels and the buffers of their dispatches.
///
/// All that belongs to the device is dropped by hand: after [`Transport::abandon`] it is leaked, since dropping
/// a device that hangs would wait for it.
pub struct Pipeline {
    device: ManuallyDrop<Device>,
    kernels: ManuallyDrop<Vec<Entry>>,
    contexts: ManuallyDrop<Contexts<wgpu::Buffer>>,
    slots: ManuallyDrop<VecDeque<Slot>>,
    under_way: ManuallyDrop<VecDeque<UnderWay>>,
    /// Dispatches under way at once.
    most_under_way: usize,
    timer: Option<Timer>,
    abandoned: bool,
}

impl Pipeline {
    /// For the kernels of a method, each compiled when it is first used; no dispatch may have more units than the shape
    /// of its kernel says.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where a kernel needs more buffers than the device binds.
    pub fn new(device: &Device, kernels: Vec<(Kernel, Shape)>) -> Result<Self, Error> {
        kernels.iter().try_for_each(|(kernel, _)| device.binds(kernel))?;
        let timer = device.tick.map(Timer::new);
        let entry = |(kernel, shape)| Entry { kernel, shape, compiled: None };
        Ok(Self {
            device: ManuallyDrop::new(device.clone()),
            kernels: ManuallyDrop::new(kernels.into_iter().map(entry).collect()),
            contexts: ManuallyDrop::new(Contexts::new(KEPT_BYTES)),
            slots: ManuallyDrop::new(VecDeque::new()),
            under_way: ManuallyDrop::new(VecDeque::new()),
            most_under_way: tuning::IN_FLIGHT as usize,
            timer,
            abandoned: false,
        })
    }

    /// With room for some dispatches at once, one at least.
    #[must_use]
    pub fn with_slots(mut self, slots: u32) -> Self {
        self.most_under_way = slots.max(1) as usize;
        self
    }

    /// A kernel, and the most units of its dispatches.
    fn compiled(&mut self, kernel: usize) -> Result<(Compiled, usize), Error> {
        let none = || Error::Internal(format!("there is no kernel {kernel}"));
        let entry = self.kernels.get_mut(kernel).ok_or_else(none)?;
        let compiled = match &entry.compiled {
            Some(compiled) => compiled.clone(),
            None => entry.compiled.insert(self.device.compile(&entry.kernel, entry.shape)?).clone(),
        };
        Ok((compiled, entry.shape.most_units as usize))
    }

    /// Whether the device can bind the context of a dispatch.
    fn fits(&self, dispatch: &Dispatch) -> Result<(), Error> {
        let Limits { binding_bytes, buffer_bytes, .. } = self.device.limits();
        let most = binding_bytes.min(buffer_bytes);
        let bytes = dispatch.context.iter().map(|words| size_of_val(&words[..]) as u64).max().unwrap_or(0);
        if bytes <= most {
            return Ok(());
        }
        Err(Error::usage(
            format!("this count needs a buffer of {bytes} bytes on the device"),
            format!("{} binds {most}; use another device or `device` cpu", self.device.info.name),
        ))
    }

    /// A slot with room for `units` units, of which there are never more than `most`.
    fn slot(&mut self, units: usize, most: usize) -> Slot {
        match self.slots.pop_front() {
            Some(slot) if slot.room >= units => slot,
            // grown by doubling, so that a growing pace does not allocate each time
            _ => Slot::new(&self.device, units.next_power_of_two().min(most).max(units)),
        }
    }

    fn start(&mut self, dispatch: &Dispatch, compiled: &Compiled, slot: Slot) -> UnderWay {
        let Device { device, queue, .. } = &*self.device;
        let params = Params {
            units: dispatch.units.len() as u32,
            run: dispatch.run,
            budget: dispatch.budget,
            unused: 0,
        };
        queue.write_buffer(&slot.params, 0, bytemuck::bytes_of(&params));
        queue.write_buffer(&slot.units, 0, bytemuck::cast_slice(&dispatch.units));
        let upload = |words: &[u32]| self.device.filled("context", words, wgpu::BufferUsages::STORAGE);
        let contexts = self.contexts.buffers(&dispatch.context, upload);
        let buffers = [&slot.params, &slot.units, &slot.records, &slot.totals];
        let entries: Vec<_> = (0..)
            .zip(buffers.into_iter().chain(&contexts))
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &compiled.layout,
            entries: &entries,
        });
        let records = (dispatch.units.len() * RECORD_BYTES) as u64;
        let bytes = records + TOTALS_BYTES as u64;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&slot.blank, 0, &slot.records, 0, records);
        encoder.clear_buffer(&slot.totals, 0, None);
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: slot.stamps.as_ref().map(Stamps::of_pass),
            });
            pass.set_pipeline(&compiled.pipeline);
            pass.set_bind_group(0, &bindings, &[]);
            pass.dispatch_workgroups(dispatch.workgroups, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&slot.records, 0, &slot.readback, 0, records);
        encoder.copy_buffer_to_buffer(&slot.totals, 0, &slot.readback, records, TOTALS_BYTES as u64);
        let mut mapped_bytes = bytes;
        if let Some(stamps) = &slot.stamps {
            stamps.copy(&mut encoder, &slot.readback, bytes);
            mapped_bytes += timer::BYTES;
        }
        let submission = queue.submit([encoder.finish()]);
        let mapped = Arc::new(AtomicU8::new(PENDING));
        let note = Arc::clone(&mapped);
        slot.readback.slice(..mapped_bytes).map_async(wgpu::MapMode::Read, move |result| {
            note.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
        UnderWay { slot, bytes, mapped_bytes, submission, mapped }
    }
}

impl Transport for Pipeline {
    fn device(&self) -> DeviceInfo {
        self.device.info.clone()
    }

    fn slots(&self) -> usize {
        self.most_under_way
    }

    fn submit(&mut self, dispatch: &Dispatch) -> Result<(), Error> {
        self.fits(dispatch)?;
        let (compiled, most) = self.compiled(dispatch.kernel)?;
        let device = Device::clone(&self.device);
        let under_way = device.guarded(|| {
            let slot = self.slot(dispatch.units.len().max(1), most);
            self.start(dispatch, &compiled, slot)
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
        let Some(UnderWay { slot, bytes, mapped_bytes, .. }) = self.under_way.pop_front() else {
            return Ok(None);
        };
        let view = slot.readback.slice(..mapped_bytes).get_mapped_range();
        let mut copy = view.map_err(|error| self.device.lost(error.to_string()))?.to_vec();
        let stamps = copy.split_off(bytes as usize);
        if let Some(timer) = &mut self.timer {
            timer.add(&stamps);
        }
        slot.readback.unmap();
        self.slots.push_back(slot);
        self.device.check().map(|()| Some(copy))
    }

    fn time(&self) -> Result<Duration, &'static str> {
        self.timer.map_or(Err("the device has no timestamp queries"), |timer| timer.time())
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
            ManuallyDrop::drop(&mut self.contexts);
            ManuallyDrop::drop(&mut self.kernels);
            ManuallyDrop::drop(&mut self.device);
        }
    }
}
