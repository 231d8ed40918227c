//! The Vulkan side: a compute pipeline is created, and asked for its executables.

use std::ffi::{CStr, CString};

use ash::{khr::pipeline_executable_properties as executables, prelude::VkResult, vk};

use super::{Compiled, SUBGROUP_SIZE};
use crate::error::Error;

/// Bindings of the layout: those of a kernel with the most contexts.
const BINDINGS: u32 = 8;

/// Compiles a module on the first device of the only driver that the loader knows.
///
/// # Errors
///
/// [`Error::Driver`] with what the loader or the driver said.
pub fn compile(spirv: &[u32]) -> Result<Compiled, Error> {
    let fail = |what: &str| Error::Driver(what.to_owned());
    // SAFETY: the Vulkan loader is a library made to be loaded.
    let entry = unsafe { ash::Entry::load() }
        .map_err(|error| fail(&format!("no Vulkan loader (install libvulkan1): {error}")))?;
    let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
    let info = vk::InstanceCreateInfo::default().application_info(&app);
    // SAFETY: all handles below come from this instance and its device, are used by this thread only, and are
    // destroyed by the end of the process, which is near; the structs passed live until the calls return.
    unsafe {
        let instance =
            entry.create_instance(&info, None).map_err(|error| fail(&format!("no instance: {error}")))?;
        let devices =
            instance.enumerate_physical_devices().map_err(|error| fail(&format!("no device: {error}")))?;
        let physical =
            *devices.first().ok_or_else(|| fail("the driver has no device: is the family known to it?"))?;
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        instance.get_physical_device_properties2(physical, &mut properties);
        let version = properties.properties.api_version;
        let name = text(properties.properties.device_name_as_c_str());
        let device_name = format!(
            "{name}, {} {}",
            text(driver.driver_name_as_c_str()),
            text(driver.driver_info_as_c_str())
        );
        if version < vk::API_VERSION_1_3 {
            return Err(fail(&format!("{device_name} has no Vulkan 1.3")));
        }
        let (statistics, assembly) = on_device(&instance, physical, spirv)
            .map_err(|error| fail(&format!("{device_name}: {error}")))?;
        Ok(Compiled { device: device_name, statistics, assembly })
    }
}

type Said = (Vec<(String, f64)>, String);

/// # Safety
///
/// The device must be one of the instance.
unsafe fn on_device(instance: &ash::Instance, physical: vk::PhysicalDevice, spirv: &[u32]) -> VkResult<Said> {
    let queue = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
    let extensions = [executables::NAME.as_ptr(), ash::ext::robustness2::NAME.as_ptr()];
    let mut executable =
        vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default().pipeline_executable_info(true);
    // as wgpu asks for it
    let features = vk::PhysicalDeviceFeatures::default().robust_buffer_access(true);
    let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true);
    let mut model = vk::PhysicalDeviceVulkanMemoryModelFeatures::default().vulkan_memory_model(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queue)
        .enabled_extension_names(&extensions)
        .enabled_features(&features)
        .push_next(&mut executable)
        .push_next(&mut robust)
        .push_next(&mut model);
    // SAFETY: as the caller says; every handle is of this device.
    unsafe {
        let device = instance.create_device(physical, &info, None)?;
        let bindings: Vec<_> = (0..BINDINGS)
            .map(|binding| {
                let uniform = binding == 0;
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_count(1)
                    .descriptor_type(if uniform {
                        vk::DescriptorType::UNIFORM_BUFFER
                    } else {
                        vk::DescriptorType::STORAGE_BUFFER
                    })
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        let set = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let sets = [device.create_descriptor_set_layout(&set, None)?];
        let layout = device
            .create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(&sets), None)?;
        let module = device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(spirv), None)?;
        let name = CString::from(c"main");
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(&name);
        let flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
            | vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
        let create = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout).flags(flags);
        let pipelines = device
            .create_compute_pipelines(vk::PipelineCache::null(), &[create], None)
            .map_err(|(_, error)| error)?;
        let executables = executables::Device::new(instance, &device);
        let which_pipeline = vk::PipelineInfoKHR::default().pipeline(pipelines[0]);
        let which = vk::PipelineExecutableInfoKHR::default().pipeline(pipelines[0]);
        let lanes = executables.get_pipeline_executable_properties(&which_pipeline)?;
        let lanes = lanes.first().map(|found| (SUBGROUP_SIZE.to_owned(), found.subgroup_size.into()));
        let statistics = executables.get_pipeline_executable_statistics(&which)?;
        let statistics = statistics.iter().map(|found| (text(found.name_as_c_str()), value(found)));
        let statistics = lanes.into_iter().chain(statistics).collect();
        Ok((statistics, assembly(&executables, &which)?))
    }
}

/// # Safety
///
/// The executable must be of the extension's device, with its representations captured.
unsafe fn assembly(
    executables: &executables::Device,
    which: &vk::PipelineExecutableInfoKHR<'_>,
) -> VkResult<String> {
    let get = executables.fp().get_pipeline_executable_internal_representations_khr;
    // SAFETY: called as the specification says: for the number, for the sizes, for the texts.
    unsafe {
        let mut count = 0;
        get(executables.device(), which, &raw mut count, std::ptr::null_mut()).result()?;
        let mut found = vec![vk::PipelineExecutableInternalRepresentationKHR::default(); count as usize];
        get(executables.device(), which, &raw mut count, found.as_mut_ptr()).result()?;
        let mut texts: Vec<Vec<u8>> = found.iter().map(|found| vec![0; found.data_size]).collect();
        for (found, text) in found.iter_mut().zip(&mut texts) {
            found.p_data = text.as_mut_ptr().cast();
        }
        get(executables.device(), which, &raw mut count, found.as_mut_ptr()).result()?;
        // the last stage of the compiler; without a disassembler in the driver there is none
        Ok(texts.last().map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default())
    }
}

fn value(statistic: &vk::PipelineExecutableStatisticKHR<'_>) -> f64 {
    // SAFETY: the format says which member of the union the driver has set.
    unsafe {
        match statistic.format {
            vk::PipelineExecutableStatisticFormatKHR::UINT64 => statistic.value.u64 as f64,
            vk::PipelineExecutableStatisticFormatKHR::INT64 => statistic.value.i64 as f64,
            vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => statistic.value.f64,
            _ => f64::from(u8::from(statistic.value.b32 != 0)),
        }
    }
}

/// A text of the driver.
fn text(found: Result<&CStr, std::ffi::FromBytesUntilNulError>) -> String {
    found.map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}
