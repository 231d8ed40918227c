//! Which devices take part in a run.

use super::{
    DeviceInfo, cpu,
    gpu::{self, Adapter},
    listing::{self, Backend, Chosen, GPU_ENGINE, Listed, Wanted, no_engine},
};
use crate::Error;

/// A device that takes part in a run.
#[derive(Clone)]
pub enum Member {
    /// The CPU.
    Cpu,
    /// A GPU.
    Gpu(Box<Adapter>),
}

impl Member {
    /// What it is.
    pub fn device(&self, pool: &rayon::ThreadPool) -> DeviceInfo {
        match self {
            Self::Cpu => cpu::listed(pool.current_num_threads()).info,
            Self::Gpu(adapter) => adapter.listed.info.clone(),
        }
    }
}

/// The devices of a run.
pub struct Pick {
    /// The devices, one at least.
    pub members: Vec<Member>,
    /// What the user should be told about the choice.
    pub notices: Vec<String>,
}

/// Lists what can count: the CPU first, then the adapters, the best first.
///
/// # Errors
///
/// [`Error::Usage`] where the variable `WGPU_BACKEND` names no backend, [`Error::NoDevice`] where a backend is asked for in
/// a build without the GPU engine.
pub fn devices(backend: Option<Backend>, threads: Option<usize>) -> Result<Vec<Listed>, Error> {
    gpu::adapters(backend).map(|adapters| list(threads, &adapters))
}

fn list(threads: Option<usize>, adapters: &[Adapter]) -> Vec<Listed> {
    let cpu = cpu::listed(threads.unwrap_or_else(cpu::cores));
    std::iter::once(cpu).chain(adapters.iter().map(|adapter| adapter.listed.clone())).collect()
}

/// Chooses the devices of a run; looks for adapters only where one could be chosen.
///
/// # Errors
///
/// As [`devices`], [`listing::choose`] and [`backend_fits`].
pub fn pick(
    wanted: &Wanted,
    backend: Option<Backend>,
    threads: Option<usize>,
    worth_a_gpu: bool,
) -> Result<Pick, Error> {
    backend_fits(wanted, backend)?;
    // no notice of the choice where there never is one
    if *wanted == Wanted::Cpu || *wanted == Wanted::Auto && !(worth_a_gpu && GPU_ENGINE) {
        return Ok(Pick { members: vec![Member::Cpu], notices: Vec::new() });
    }
    let adapters = gpu::adapters(backend)?;
    let Chosen { indices, notices } = listing::choose(&list(threads, &adapters), wanted)?;
    let mut adapters: Vec<_> = adapters.into_iter().map(|adapter| Some(Box::new(adapter))).collect();
    let member = |index: usize| match index.checked_sub(1) {
        None => Some(Member::Cpu),
        Some(adapter) => adapters.get_mut(adapter)?.take().map(Member::Gpu),
    };
    Ok(Pick { members: indices.into_iter().filter_map(member).collect(), notices })
}

/// Whether a backend, if one is asked for, can have devices of those that are wanted.
///
/// # Errors
///
/// [`Error::Usage`] where only the CPU is wanted, [`Error::NoDevice`] in a build without the GPU engine.
pub fn backend_fits(wanted: &Wanted, backend: Option<Backend>) -> Result<(), Error> {
    match (backend, wanted) {
        (None, _) => Ok(()),
        (Some(_), Wanted::Cpu) => Err(Error::usage(
            "`backend` does not go with `device` cpu",
            "the CPU has no backend: omit one of them",
        )),
        (Some(_), _) if !GPU_ENGINE => Err(no_engine("`backend`")),
        (Some(_), _) => Ok(()),
    }
}
