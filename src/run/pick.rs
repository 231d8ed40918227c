//! The devices of a run.

use super::Options;
#[cfg(feature = "gpu")]
use crate::engine::gpu::adapter;
use crate::{
    Error,
    engine::{
        DeviceInfo, cpu,
        listing::{self, Chosen, Wanted},
    },
};

/// A device that takes part in a run.
pub(super) enum Member {
    Cpu,
    #[cfg(feature = "gpu")]
    Gpu(Box<adapter::Adapter>),
}

impl Member {
    /// What it is.
    pub(super) fn device(&self, pool: &rayon::ThreadPool) -> DeviceInfo {
        match self {
            Self::Cpu => cpu::listed(pool.current_num_threads()).info,
            #[cfg(feature = "gpu")]
            Self::Gpu(adapter) => adapter.listed.info.clone(),
        }
    }
}

/// The devices of a run.
pub(super) struct Pick {
    pub(super) members: Vec<Member>,
    pub(super) notices: Vec<String>,
}

/// Chooses the devices of a run; looks for adapters only where one could be chosen.
pub(super) fn pick(options: &Options, worth_a_gpu: bool) -> Result<Pick, Error> {
    let cpu = || Pick { members: vec![Member::Cpu], notices: Vec::new() };
    if options.device == Wanted::Cpu {
        return match options.backend {
            None => Ok(cpu()),
            Some(_) => Err(backend_of_cpu()),
        };
    }
    #[cfg(not(feature = "gpu"))]
    match &options.device {
        _ if options.backend.is_some() => return Err(no_gpu_engine("--backend")),
        Wanted::Gpu => return Err(no_gpu_engine("--device gpu")),
        Wanted::Named(names) if names.iter().any(|name| name == "gpu") => {
            return Err(no_gpu_engine("--device gpu"));
        }
        // not worth a notice where there never is a choice
        Wanted::Auto => return Ok(cpu()),
        _ => {}
    }
    if options.device == Wanted::Auto && !worth_a_gpu {
        return Ok(cpu());
    }
    let threads =
        options.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    #[cfg(not(feature = "gpu"))]
    let listed = [cpu::listed(threads)];
    #[cfg(feature = "gpu")]
    let mut listed = vec![cpu::listed(threads)];
    #[cfg(feature = "gpu")]
    let mut adapters: Vec<Option<adapter::Adapter>> = {
        let adapters = adapter::list(options.backend)?;
        listed.extend(adapters.iter().map(|adapter| adapter.listed.clone()));
        adapters.into_iter().map(Some).collect()
    };
    let Chosen { indices, notices } = listing::choose(&listed, &options.device)?;
    let mut members = Vec::new();
    for index in indices {
        if index == 0 {
            members.push(Member::Cpu);
        }
        #[cfg(feature = "gpu")]
        if let Some(adapter) = index.checked_sub(1).and_then(|index| adapters.get_mut(index)?.take()) {
            members.push(Member::Gpu(Box::new(adapter)));
        }
    }
    Ok(Pick { members, notices })
}

/// The error of a backend where no GPU is asked for.
pub(crate) fn backend_of_cpu() -> Error {
    Error::usage("--backend does not go with --device cpu", "a backend is of a GPU: leave one of them away")
}

/// The error of a build without the GPU engine.
#[cfg(not(feature = "gpu"))]
pub(crate) fn no_gpu_engine(flag: &str) -> Error {
    Error::no_device(
        format!("{flag} asks for a GPU, and this build of ferz has no GPU engine"),
        "build it with the feature `gpu`, which is on by default, or use --device cpu",
    )
}
