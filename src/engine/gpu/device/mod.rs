//! All that talks to wgpu. This file opens an adapter and compiles kernels for it.
//!
//! Nothing here waits without a time-out, and no error of wgpu is left uncaught: what a scope, the
//! uncaptured-error handler or the device-lost callback reports becomes [`Error::DeviceLost`].

pub mod adapter;
pub(super) mod contexts;
pub mod pipeline;
mod timer;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use self::adapter::Adapter;
use super::dispatch::{shape::Shape, transport::Limits};
use crate::{Error, engine::DeviceInfo, method::Kernel};

/// Binding of the first context buffer.
const FIRST_CONTEXT: u32 = 4;

/// A compiled kernel.
#[derive(Clone)]
pub(super) struct Compiled {
    pub(super) layout: wgpu::BindGroupLayout,
    pub(super) pipeline: wgpu::ComputePipeline,
}

/// An opened device.
#[derive(Clone)]
pub struct Device {
    pub(super) info: DeviceInfo,
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// The first error that was reported outside a scope, or the loss of the device.
    trouble: Arc<Mutex<Option<String>>>,
    runtime_checks: bool,
    /// Nanoseconds of a tick of its clock, where dispatches are timed by it.
    pub(super) tick: Option<f64>,
}

impl Device {
    /// Opens an adapter with the largest limits it has. `runtime_checks` has wgpu bound every loop besides;
    /// the kernels bound their own, and some drivers compile the double bound badly (gfx-rs/wgpu#7698). `timed`: with
    /// dispatches timed by its own clock, where it can.
    ///
    /// # Errors
    ///
    /// [`Error::NoDevice`] where the driver refuses.
    pub fn open(adapter: &Adapter, runtime_checks: bool, timed: bool) -> Result<Self, Error> {
        let timed = timed && adapter.wgpu.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let info = adapter.listed.info.clone();
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("ferz"),
            required_features: if timed { wgpu::Features::TIMESTAMP_QUERY } else { wgpu::Features::empty() },
            required_limits: adapter.wgpu.limits(),
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.wgpu.request_device(&descriptor)).map_err(|error| {
                Error::no_device(
                    format!("device {} cannot be opened: {error}", info.name),
                    "try another `device` or `backend`",
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
        let tick = timed.then(|| f64::from(queue.get_timestamp_period()));
        Ok(Self { info, device, queue, trouble, runtime_checks, tick })
    }

    /// The limits that bound a dispatch.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits::of(&self.device.limits())
    }

    /// Destroys the device, as a test of how its loss is met.
    #[cfg(feature = "testing")]
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Whether it binds the buffers of a kernel.
    pub(super) fn binds(&self, kernel: &Kernel) -> Result<(), Error> {
        let needed = FIRST_CONTEXT - 1 + kernel.contexts;
        let allowed = self.device.limits().max_storage_buffers_per_shader_stage;
        if needed > allowed {
            return Err(Error::usage(
                format!("the kernel '{}' needs {needed} storage buffers", kernel.name),
                format!("{} binds {allowed}; use another device", self.info.name),
            ));
        }
        Ok(())
    }

    /// Compiles a kernel.
    pub(super) fn compile(&self, kernel: &Kernel, shape: Shape) -> Result<Compiled, Error> {
        let mut constants = kernel.overrides.clone();
        constants.push(("WORKGROUP", f64::from(shape.workgroup)));
        self.guarded(|| self.compile_with(kernel, &constants))
    }

    fn compile_with(&self, kernel: &Kernel, constants: &[(&str, f64)]) -> Compiled {
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
        Compiled { layout, pipeline }
    }

    pub(super) fn buffer(&self, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size,
            usage,
            mapped_at_creation: false,
        })
    }

    /// A buffer that holds some words. Not by `create_buffer_init`, which panics where the device is lost.
    pub(super) fn filled(&self, label: &str, words: &[u32], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.buffer(label, size_of_val(words) as u64, usage | wgpu::BufferUsages::COPY_DST);
        self.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
        buffer
    }

    /// Runs calls of wgpu within error scopes.
    pub(super) fn guarded<R>(&self, calls: impl FnOnce() -> R) -> Result<R, Error> {
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
    pub(super) fn check(&self) -> Result<(), Error> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.as_ref().map_or(Ok(()), |what| Err(self.lost(what.clone())))
    }

    /// Waits for a submission, at most for a time; whether it is done shows in its mapping.
    pub(super) fn wait(&self, submission: wgpu::SubmissionIndex, wait: Duration) -> Result<(), Error> {
        let poll = wgpu::PollType::Wait { submission_index: Some(submission), timeout: Some(wait) };
        // wgpu panics here where the device is lost while it is waited for
        let polled = catch_unwind(AssertUnwindSafe(|| self.device.poll(poll)));
        self.check()?;
        match polled {
            Ok(Ok(_) | Err(wgpu::PollError::Timeout)) => Ok(()),
            Ok(Err(error)) => Err(self.lost(error.to_string())),
            Err(_) => Err(self.lost("the driver reported an error in a wait".into())),
        }
    }

    pub(super) fn lost(&self, what: String) -> Error {
        Error::DeviceLost { device: self.info.name.clone(), what }
    }
}
