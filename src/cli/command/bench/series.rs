//! Which series a benchmark has: methods, devices and threads, as far as they go together.

use super::{Bench, args::Threads, autotune::METHODS};
use crate::{
    Error, MethodChoice, MethodName,
    bench::{Series, Task},
    engine::{
        cpu,
        listing::{Chosen, Listed, Wanted, choose},
        select::backend_fits,
    },
};

impl Bench {
    /// The series, in the order of the rows of one size.
    pub(super) fn series(&self) -> Result<Vec<Series>, Error> {
        if self.task == Task::First {
            return self.first();
        }
        let methods = match &self.method[..] {
            [] if self.ladder => vec![
                MethodChoice::Permutations,
                MethodChoice::Backtrack,
                MethodChoice::Bitmask,
                MethodChoice::Search,
                MethodChoice::Join,
            ],
            [] if self.autotune => METHODS.to_vec(),
            [] => vec![MethodChoice::Join, MethodChoice::Search, MethodChoice::Bitmask],
            given => given.to_vec(),
        };
        let methods: Option<Vec<MethodName>> = methods.into_iter().map(MethodChoice::name).collect();
        let Some(methods) = methods else {
            return Err(Error::usage(
                "--method auto is no method that could be timed",
                "name some of join, search, bitmask, backtrack, permutations",
            ));
        };
        let devices = self.devices()?;
        let mut all = Vec::new();
        for method in methods {
            for (index, listed) in &devices {
                for threads in self.threads_of(method, *index) {
                    let on_cpu = threads.map(|threads| cpu::listed(threads).info);
                    let info = on_cpu.unwrap_or_else(|| listed.info.clone());
                    let series = Series::new(method, *index, info, threads);
                    if !all.contains(&series) {
                        all.push(series);
                    }
                }
            }
        }
        if all.is_empty() {
            return Err(Error::usage(
                "plain counters run on the CPU only, and no other method is asked for",
                "add --device cpu, or --method join,search",
            ));
        }
        Ok(all)
    }

    /// Numbers of threads with which a method is timed on a device; none where it does not run there.
    fn threads_of(&self, method: MethodName, index: usize) -> Vec<Option<usize>> {
        match (method.is_plain(), index) {
            (true, 0) => vec![Some(1)],
            (true, _) => Vec::new(),
            (false, 0) if self.ladder => vec![Some(1)],
            (false, 0) => self.threads.as_ref().map_or_else(Threads::all, Threads::numbers),
            (false, _) => vec![None],
        }
    }

    /// The one series of `--task first`.
    fn first(&self) -> Result<Vec<Series>, Error> {
        let backtrack = self.method.iter().all(|&method| method == MethodChoice::Backtrack);
        let placed = !matches!(self.device, Wanted::Auto | Wanted::Cpu) || self.backend.is_some();
        if !backtrack || placed || self.threads.is_some() {
            return Err(Error::usage(
                "--task first is plain backtracking on one thread of the CPU",
                "omit --method, --device, --backend and --threads",
            ));
        }
        Ok(vec![Series::new(MethodName::Backtrack, 0, cpu::listed(1).info, Some(1))])
    }

    /// The devices, with their places in the list.
    fn devices(&self) -> Result<Vec<(usize, Listed)>, Error> {
        backend_fits(&self.device, self.backend)?;
        if self.ladder || self.device == Wanted::Cpu {
            return Ok(vec![(0, cpu::listed(cpu::cores()))]);
        }
        let all = crate::devices(self.backend, None)?;
        let indices = match &self.device {
            Wanted::Auto | Wanted::All => {
                let gpus = (1..all.len()).filter(|&index| all[index].is_hardware_gpu());
                std::iter::once(0).chain(gpus).collect()
            }
            wanted => {
                let Chosen { indices, .. } = choose(&all, wanted)?;
                indices
            }
        };
        let chosen: Vec<(usize, Listed)> =
            indices.into_iter().filter_map(|index| Some((index, all.get(index)?.clone()))).collect();
        let software = chosen.iter().find(|(_, listed)| listed.info.is_software() && !self.allow_software);
        match software {
            None => Ok(chosen),
            Some((index, listed)) => Err(Error::no_device(
                format!("device {index}, {}, is a software adapter: it runs on the CPU", listed.info.name),
                "--allow-software times it anyway and marks it; --device cpu is faster",
            )),
        }
    }
}
