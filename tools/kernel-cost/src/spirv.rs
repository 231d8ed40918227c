//! WGSL to SPIR-V, as wgpu does it for Vulkan.

use ferz::testing::method::Kernel;
use naga::{
    ShaderStage,
    back::{
        pipeline_constants::process_overrides,
        spv::{self, ZeroInitializeWorkgroupMemoryMode},
    },
    proc::{BoundsCheckPolicies, BoundsCheckPolicy},
    valid::{Capabilities, ValidationFlags, Validator},
};

use crate::error::Error;

/// Translates a kernel. `checks`: indices into workgroup memory are bounded, as in ferz.
///
/// # Errors
///
/// [`Error::Usage`] where the kernel is not valid with this workgroup.
pub fn compile(kernel: &Kernel, workgroup: u32, checks: bool) -> Result<Vec<u32>, Error> {
    let fail = |what: String| Error::Usage(format!("the kernel '{}' does not compile: {what}", kernel.name));
    let module = naga::front::wgsl::parse_str(&kernel.source)
        .map_err(|error| fail(error.emit_to_string(&kernel.source)))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    let info = validator.validate(&module).map_err(|error| fail(error.emit_to_string(&kernel.source)))?;
    let overrides = kernel.overrides.iter().copied().chain([("WORKGROUP", workgroup.into())]);
    let constants = overrides.map(|(name, value)| (name.to_owned(), value)).collect();
    let entry = (ShaderStage::Compute, "main");
    let (module, info) = process_overrides(&module, &info, Some(entry), &constants)
        .map_err(|error| fail(error.to_string()))?;
    let index = if checks { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
    let mut options = spv::Options {
        lang_version: (1, 6),
        // the driver bounds buffers by itself
        bounds_check_policies: BoundsCheckPolicies {
            index,
            buffer: BoundsCheckPolicy::Unchecked,
            image_load: BoundsCheckPolicy::Unchecked,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    options.flags.remove(spv::WriterFlags::DEBUG);
    let pipeline = spv::PipelineOptions { shader_stage: entry.0, entry_point: entry.1.to_owned() };
    spv::write_vec(&module, &info, &options, Some(&pipeline)).map_err(|error| fail(error.to_string()))
}
