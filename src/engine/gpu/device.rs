//! Opens an adapter and carries dispatches to it. The only code that talks to wgpu.
//!
//! Nothing here waits without a time-out, and no error of wgpu is left uncaught: what a scope, the
//! uncaptured-error handler or the device-lost callback reports becomes [`Error::DeviceLost`].

use std::{
    collections::VecDeque,
    mem::ManuallyDrop,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU8, Ordering},
    },
    time::Duration,
};

use wgpu::util::{BufferInitDescriptor, DeviceExt as _};

use super::{
    adapter::Adapter,
    layout::Params,
    plan::Shape,
    transport::{Dispatch, Limits, Transport},
};
use crate::{
    Error,
    engine::{
        DeviceInfo,
        decode::{RECORD_BYTES, TOTALS_BYTES},
    },
    method::{Kernel, Record, Unit},
};

/// Dispatches under way at once.
const SLOTS: usize = 2;

/// Binding of the first context buffer.
const FIRST_CONTEXT: u32 = 4;

/// An opened device.
#[derive(Clone)]
pub struct Device {
    info: DeviceInfo,
    device: wgpu::Device,
    queue: wgpu::Queue,
    /// The first error that was reported outside a scope, or the loss of the device.
    trouble: Arc<Mutex<Option<String>>>,
    runtime_checks: bool,
}

impl Device {
    /// Opens an adapter with the largest limits it has. `runtime_checks` has wgpu bound every loop besides;
    /// the kernels bound their own, and some drivers compile the double bound badly (gfx-rs/wgpu#7698).
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] where the driver refuses.
    pub fn open(adapter: &Adapter, runtime_checks: bool) -> Result<Self, Error> {
        let info = adapter.listed.info.clone();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("ferz"),
            required_features: wgpu::Features::empty(),
            required_limits: adapter.wgpu.limits(),
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.wgpu.request_device(&descriptor)).map_err(|error| {
                Error::no_device(
                    format!("device {} cannot be opened: {error}", info.name),
                    "try another --device or --backend",
                )
            })?;
        let trouble = Arc::new(Mutex::new(None));
        let note = |trouble: &Arc<Mutex<Option<String>>>| {
            let trouble = Arc::clone(trouble);
            move |what: String| {
                trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
            }
        };
        let uncaptured = note(&trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| uncaptured(error.to_string())));
        let lost = note(&trouble);
        device.set_device_lost_callback(move |reason, message| lost(format!("{reason:?}: {message}")));
        Ok(Self { info, device, queue, trouble, runtime_checks })
    }

    /// The limits that bound a dispatch.
    #[must_use]
    pub fn limits(&self) -> Limits {
        limits(&self.device.limits())
    }

    /// Destroys the device, as a test of how its loss is met.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Compiles a kernel.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] with the compiler's message, [`Error::Usage`] where the kernel needs more buffers
    /// than the device binds.
    pub fn pipeline(&self, kernel: &Kernel, shape: Shape) -> Result<Pipeline, Error> {
        let needed = FIRST_CONTEXT - 1 + kernel.contexts;
        let allowed = self.device.limits().max_storage_buffers_per_shader_stage;
        if needed > allowed {
            return Err(Error::usage(
                format!("the kernel '{}' needs {needed} storage buffers", kernel.name),
                format!("{} binds {allowed}; use another device", self.info.name),
            ));
        }
        let mut constants = kernel.overrides.clone();
        constants.push(("WORKGROUP", f64::from(shape.workgroup)));
        let (layout, pipeline) = self.guarded(|| self.compile(kernel, &constants))?;
        Ok(Pipeline {
            device: ManuallyDrop::new(self.clone()),
            layout: ManuallyDrop::new(layout),
            pipeline: ManuallyDrop::new(pipeline),
            slots: ManuallyDrop::new(VecDeque::new()),
            under_way: ManuallyDrop::new(VecDeque::new()),
            abandoned: false,
        })
    }

    fn compile(
        &self,
        kernel: &Kernel,
        constants: &[(&str, f64)],
    ) -> (wgpu::BindGroupLayout, wgpu::ComputePipeline) {
        let source = wgpu::ShaderModuleDescriptor {
            label: Some(kernel.name),
            source: wgpu::ShaderSource::Wgsl(kernel.source.as_str().into()),
        };
        let module = if self.runtime_checks {
            self.device.create_shader_module(source)
        } else {
            let checks = wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..Default::default() };
            // SAFETY: only the bound on loops is off; every loop of our kernels is a `for` over a counter with
            // an upper limit, and bounds checks stay on.
            unsafe { self.device.create_shader_module_trusted(source, checks) }
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let contexts = (0..kernel.contexts).map(|context| (FIRST_CONTEXT + context, storage(true)));
        let entries: Vec<_> = [
            (0, wgpu::BufferBindingType::Uniform),
            (1, storage(true)),
            (2, storage(false)),
            (3, storage(false)),
        ]
        .into_iter()
        .chain(contexts)
        .map(|(binding, ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        })
        .collect();
        let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(kernel.name),
            entries: &entries,
        });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(kernel.name),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(kernel.name),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants,
                // the kernels write workgroup memory before they read it
                zero_initialize_workgroup_memory: false,
            },
            cache: None,
        });
        (layout, pipeline)
    }

    /// Runs calls of wgpu within error scopes.
    fn guarded<R>(&self, calls: impl FnOnce() -> R) -> Result<R, Error> {
        let filters =
            [wgpu::ErrorFilter::Validation, wgpu::ErrorFilter::OutOfMemory, wgpu::ErrorFilter::Internal];
        let scopes = filters.map(|filter| self.device.push_error_scope(filter));
        let result = calls();
        let errors: Vec<_> =
            scopes.into_iter().rev().filter_map(|scope| pollster::block_on(scope.pop())).collect();
        match errors.first() {
            Some(error) => Err(self.lost(error.to_string())),
            None => self.check().map(|()| result),
        }
    }

    /// Whether anything was reported outside a scope.
    fn check(&self) -> Result<(), Error> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.as_ref().map_or(Ok(()), |what| Err(self.lost(what.clone())))
    }

    fn lost(&self, what: String) -> Error {
        Error::DeviceLost { device: self.info.name.clone(), what }
    }
}

/// The limits of an adapter or device that bound a dispatch.
pub fn limits(limits: &wgpu::Limits) -> Limits {
    Limits {
        workgroups: limits.max_compute_workgroups_per_dimension,
        invocations: limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x),
        workgroup_bytes: limits.max_compute_workgroup_storage_size,
        binding_bytes: limits.max_storage_buffer_binding_size,
        buffer_bytes: limits.max_buffer_size,
    }
}

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
    fn new(device: &wgpu::Device, room: usize) -> Self {
        let records = (room * RECORD_BYTES) as u64;
        let buffer = |label, size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        use wgpu::BufferUsages as Usage;
        let params = size_of::<Params>() as u64;
        let totals = TOTALS_BYTES as u64;
        let unit_bytes = (room * size_of::<Unit>()) as u64;
        Self {
            room,
            params: buffer("params", params, Usage::UNIFORM | Usage::COPY_DST),
            units: buffer("units", unit_bytes, Usage::STORAGE | Usage::COPY_DST),
            blank: device.create_buffer_init(&BufferInitDescriptor {
                label: Some("blank"),
                contents: bytemuck::cast_slice(&vec![Record::UNWRITTEN; room * RECORD_BYTES / 4]),
                usage: Usage::COPY_SRC,
            }),
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
    abandoned: bool,
}

impl Pipeline {
    /// A slot with room for `units` units.
    fn slot(&mut self, units: usize) -> Slot {
        match self.slots.pop_front() {
            Some(slot) if slot.room >= units => slot,
            // grown by doubling, so that a growing pace does not allocate each time
            _ => Slot::new(&self.device.device, units.next_power_of_two()),
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
            .map(|words| {
                device.create_buffer_init(&BufferInitDescriptor {
                    label: Some("context"),
                    contents: bytemuck::cast_slice(words),
                    usage: wgpu::BufferUsages::STORAGE,
                })
            })
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
            let submission_index = Some(oldest.submission.clone());
            let polled =
                self.device.device.poll(wgpu::PollType::Wait { submission_index, timeout: Some(wait) });
            self.device.check()?;
            match polled {
                Ok(_) | Err(wgpu::PollError::Timeout) => {}
                Err(error) => return Err(self.device.lost(error.to_string())),
            }
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
