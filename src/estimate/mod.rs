//! What a count would take and come to, from a random sample.
//!
//! | file | tells |
//! |---|---|
//! | `sample` | visits and solutions: the same for a seed, whatever counts |
//! | `rate` | time, measured on the devices of the run |

mod rate;
mod sample;

use std::time::{Duration, Instant};

use self::rate::Rates;
use crate::{
    Error, Problem,
    engine::{DeviceInfo, DeviceKind, Memory},
    known,
    method::MethodName,
    run::{Event, Options, Verify, setup::Setup},
};

/// An estimate and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figure {
    /// The estimate.
    pub mean: f64,
    /// Its standard error; 0 where it is exact.
    pub error: f64,
}

impl Figure {
    /// The sum with an independent one.
    fn plus(self, other: Self) -> Self {
        Self { mean: self.mean + other.mean, error: self.error.hypot(other.error) }
    }

    /// How far off a number it is, in standard errors; none where it has no error.
    #[must_use]
    pub fn deviation(&self, truth: f64) -> Option<f64> {
        (self.error > 0.0).then(|| (self.mean - truth) / self.error)
    }
}

/// What a count is expected to take and to come to.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// What would be counted.
    pub problem: Problem,
    /// The method.
    pub method: MethodName,
    /// What would count, with the visits a second of each, none where there is nothing to count. Visits are those of the
    /// CPU: a GPU may order rows differently.
    pub devices: Vec<(DeviceInfo, Option<f64>)>,
    /// Visits.
    pub visits: Figure,
    /// Solutions.
    pub solutions: Figure,
    /// The known number of solutions, where there is one.
    pub known: Option<u128>,
    /// Time of the whole run in seconds.
    pub time: Figure,
    /// The part of it before the first block is counted.
    pub setup: Duration,
    /// Peak memory of the run in bytes.
    pub memory: Memory,
    /// Units, or groups of units, or random walks, that the figures are from.
    pub draws: u64,
    /// The seed that gives the same visits and solutions again.
    pub seed: u64,
    /// Time that the estimate took.
    pub elapsed: Duration,
}

/// Memory of the program before it counts.
const BASE_BYTES: f64 = (12u64 << 20) as f64;

/// Estimates a count by `join` or `search`. Visits and solutions depend on the problem, the method and the seed only,
/// which is drawn where it is `None`.
///
/// # Errors
///
/// [`Error::Usage`] for options that have no effect on an estimate; those of [`crate::count`].
pub fn estimate(
    problem: &Problem,
    options: &Options,
    seed: Option<u64>,
    observe: &mut dyn FnMut(Event),
) -> Result<Estimate, Error> {
    let start = Instant::now();
    options.cancel.check()?;
    refuse(options)?;
    let setup = Setup::new(problem, options, start, observe)?;
    let mut engines = setup.open(observe)?;
    let Setup { method, pool, .. } = &setup;
    let opened = start.elapsed();
    // short enough to be typed
    let seed = seed.unwrap_or_else(|| rand::random::<u64>() >> 40);
    let work = sample::default_work(&method.strata());
    let sampled = sample::sample(&**method, pool, seed, work, &options.cancel)?;
    observe(Event::Detail(format!("sample: {} draws after {:.1?}", sampled.draws, start.elapsed())));
    let repeat = (seed, &options.cancel);
    let Rates { devices: rates, making } =
        rate::measure(&**method, pool, &mut engines, &sampled.strata, repeat, observe)?;
    let footprint = method.footprint();
    // the feed makes one block a thread ahead, and one more
    let threads = pool.current_num_threads() as f64;
    let mut memory =
        Memory { host: BASE_BYTES + footprint.shared + (threads + 1.0) * footprint.block, device: 0.0 };
    let (mut devices, mut setup) = (Vec::new(), opened);
    let (mut rate, mut of_cpu, mut spread) = (0.0, 0.0, 0.0);
    for (engine, one) in engines.iter().zip(&rates) {
        let device = engine.device();
        if device.kind == DeviceKind::Cpu {
            of_cpu = one.visits;
        } else {
            setup += one.setup;
        }
        rate += one.visits;
        spread += one.spread / rates.len() as f64;
        let held = engine.memory(&footprint);
        memory = Memory { host: memory.host + held.host, device: memory.device + held.device };
        devices.push((device, Some(one.visits).filter(|rate| rate.is_finite())));
    }
    let (counting, making) = (sampled.visits.mean / rate, making.as_secs_f64() / threads);
    // blocks are made on the threads that count, or else beside what counts
    let counting = if of_cpu > 0.0 && rate.is_finite() {
        counting + making * of_cpu / rate
    } else {
        counting.max(making)
    };
    let spread = spread.hypot(sampled.visits.error / sampled.visits.mean.max(1.0));
    Ok(Estimate {
        problem: problem.clone(),
        method: method.name(),
        devices,
        visits: sampled.visits,
        solutions: sampled.solutions,
        known: problem.plain().and_then(|size| known::solutions(size.get())),
        time: Figure { mean: setup.as_secs_f64() + counting, error: counting * spread },
        setup,
        memory,
        draws: sampled.draws,
        seed,
        elapsed: start.elapsed(),
    })
}

/// Refuses options that an estimate would leave without effect.
fn refuse(options: &Options) -> Result<(), Error> {
    let refused = |flag: &str, why: &str, hint: &str| {
        Err(Error::usage(format!("{flag} does not go with an estimate, {why}"), hint))
    };
    if options.method.name().is_some_and(MethodName::is_plain) {
        return refused(
            "a plain counter",
            "which is of units",
            "`estimate` takes `method` auto, join or search",
        );
    }
    if options.classes {
        return refused("`classes`", "which counts nothing", "omit one of them");
    }
    match options.verify {
        Verify::Auto | Verify::None => Ok(()),
        Verify::Sample | Verify::Full => refused(
            "`verify` sample or full",
            "which counts nothing that could be checked",
            "omit `verify`, or make it auto or none",
        ),
    }
}
