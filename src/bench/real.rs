//! The counter and the clock of this machine.

use std::time::{Duration, Instant};

use super::{Case, Clock, Counter, Run, Task};
use crate::{
    CancelToken, Error, Event, MethodChoice, Options, Problem, Verify,
    engine::{
        cpu,
        listing::{Backend, Wanted},
        tuning::Tuned,
    },
    puzzle::list,
};

/// Counts by [`crate::count`].
pub struct Real<'a> {
    /// The backend by which devices were listed; none for all.
    pub backend: Option<Backend>,
    /// What was measured before.
    pub tuned: Vec<Tuned>,
    /// Stops a count.
    pub cancel: CancelToken,
    /// Receives the events of each count.
    pub observe: &'a mut dyn FnMut(Event),
}

impl Counter for Real<'_> {
    fn count(&mut self, case: &Case) -> Result<Run, Error> {
        self.cancel.check()?;
        match case.task {
            Task::Count => self.count_all(case),
            Task::First => self.find_first(case.n),
        }
    }
}

impl Real<'_> {
    fn count_all(&mut self, case: &Case) -> Result<Run, Error> {
        let series = &case.series;
        let index = series.device.index;
        let on_cpu = index == 0;
        let device = if on_cpu { Wanted::Cpu } else { Wanted::Named(vec![index.to_string()]) };
        let tuned = match case.tuning {
            Some(tuning) => vec![Tuned::new(&series.device.info, series.method, tuning)?],
            None => self.tuned.clone(),
        };
        let options = Options {
            method: MethodChoice::from(series.method),
            device,
            // the CPU has none
            backend: self.backend.filter(|_| !on_cpu),
            threads: series.threads,
            // a wrong count is found by the benchmark itself
            verify: Verify::None,
            tuned,
            gpu_time: true,
            cancel: self.cancel.clone(),
            ..Options::default()
        };
        let outcome = crate::count(&Problem::queens(case.n)?, &options, self.observe)?;
        let device = outcome.devices.into_iter().next().map(|part| part.device);
        Ok(Run {
            found: outcome.count,
            visits: outcome.visits,
            setup: outcome.setup,
            tuned: !outcome.tuned.is_empty(),
            gpu: outcome.gpu,
            device: device.ok_or_else(|| Error::Internal("a count without a device".into()))?,
        })
    }

    fn find_first(&self, n: u32) -> Result<Run, Error> {
        let (first, nodes) = list::first(&Problem::queens(n)?, &self.cancel)?;
        if first.as_ref().is_some_and(|placement| !placement.is_solution()) {
            return Err(Error::Internal(format!("{first:?} is no solution for N = {n}")));
        }
        Ok(Run {
            found: u128::from(first.is_some()),
            visits: Some(nodes.into()),
            tuned: false,
            setup: Duration::ZERO,
            gpu: Err("no GPU took part"),
            device: cpu::listed(1).info,
        })
    }
}

/// The clock of this machine.
pub struct Monotonic(Instant);

impl Default for Monotonic {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}
