//! Adapters, counts and edited methods for the tests of this folder.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use ferz::{
    Error, MethodName, Options, Outcome, Problem, Verify,
    testing::{
        count_with,
        engine::{
            Engine, cpu,
            gpu::{
                self, GpuEngine, Settings,
                device::{
                    Device,
                    adapter::{self, Adapter},
                    pipeline::Pipeline,
                },
                dispatch::{shape::Shape, transport::Transport},
                fake::faulty::Polled,
                trust::probe,
            },
            listing::Backend,
        },
        method::{Block, Kernel, Method, PlanHash, Record, SelfTest, join::Join, search::Search},
    },
};

use crate::common;

fn find(backend: Option<Backend>) -> Option<Adapter> {
    let part = common::gpu()?.to_lowercase();
    let mut adapters = adapter::list(backend).unwrap();
    let names: Vec<String> = adapters.iter().map(|adapter| adapter.listed.info.name.clone()).collect();
    match names.iter().position(|name| name.to_lowercase().contains(&part)) {
        Some(at) => Some(adapters.swap_remove(at)),
        None if backend.is_some() => None,
        None => panic!("no adapter has '{part}' in its name (FERZ_TEST_ADAPTER): {names:?}"),
    }
}

/// The adapter of the tests; `None` where they are to be skipped.
pub fn adapter() -> Option<&'static Adapter> {
    static ADAPTER: OnceLock<Option<Adapter>> = OnceLock::new();
    ADAPTER.get_or_init(|| find(None)).as_ref()
}

/// The same adapter through OpenGL, where it is to be had.
pub fn gl_adapter() -> Option<Adapter> {
    let found = find(Some(Backend::Gl));
    if found.is_none() {
        eprintln!("skipped: no such adapter through GL");
    }
    found
}

pub fn problem(n: u32) -> Problem {
    Problem::queens(n).unwrap()
}

pub fn search(n: u32, depth: Option<u32>) -> Arc<dyn Method> {
    Arc::new(Search::new(&problem(n), depth, 4096.0).unwrap())
}

pub fn join(n: u32) -> Arc<dyn Method> {
    Arc::new(Join::new(&problem(n)).unwrap())
}

/// Both methods that have kernels; the depth is that of the prefixes of `search`.
pub fn methods(n: u32, depth: u32) -> [Arc<dyn Method>; 2] {
    [search(n, Some(depth)), join(n)]
}

/// The published counts of `tests/data/known-counts.txt`.
pub fn known(n: u32) -> u128 {
    let text = include_str!("../data/known-counts.txt");
    let mut rows = text.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut numbers = line.split_whitespace().map(|word| word.parse::<u128>().unwrap());
        (numbers.next().unwrap(), numbers.next().unwrap())
    });
    rows.find(|&(row, _)| row == u128::from(n)).unwrap_or_else(|| panic!("N = {n} is not in the file")).1
}

/// Counts on an engine; `verify` says which of ferz's own checks are on.
pub fn count(
    n: u32,
    method: &Arc<dyn Method>,
    engine: Box<dyn Engine>,
    verify: Verify,
) -> Result<Outcome, Error> {
    count_problem(&problem(n), method, engine, verify)
}

/// Counts any problem on an engine.
pub fn count_problem(
    problem: &Problem,
    method: &Arc<dyn Method>,
    engine: Box<dyn Engine>,
    verify: Verify,
) -> Result<Outcome, Error> {
    let mut options = Options::default();
    options.verify = verify;
    let pool = cpu::pool(Some(2))?;
    count_with(problem, method, &pool, &mut [engine], &options, &mut |_| {})
}

/// Counts on an adapter, unchecked by ferz, and compares with the known count and, where the method allows, with the
/// CPU's visits. Gives the visits.
pub fn counts_right(
    case: &str,
    n: u32,
    method: &Arc<dyn Method>,
    adapter: &Adapter,
    settings: Settings,
) -> Option<u128> {
    let case = format!("{}, {case}", method.name());
    let engine = gpu::open(adapter, method, settings).unwrap_or_else(|e| panic!("{case}: {e:?}"));
    let outcome = count(n, method, engine, Verify::None).unwrap_or_else(|e| panic!("{case}: {e:?}"));
    assert_eq!(outcome.count, known(n), "{case}");
    if method.visits_agree() {
        let block_visits = |number| {
            let block = method.block(number);
            let units = (0..block.units.len()).map(|unit| method.count(&block, unit, u64::MAX).visits());
            u128::from(block.visits + units.sum::<u64>())
        };
        assert_eq!(outcome.visits, Some((0..method.blocks()).map(block_visits).sum()), "visits, {case}");
    }
    outcome.visits
}

/// A method whose kernels, blocks or both are edited; all else is as it was.
pub struct Edited {
    inner: Arc<dyn Method>,
    kernels: Vec<Kernel>,
    /// Which units of which block make up each block; as they were where it is `None`.
    pieces: Option<Vec<(u64, Range<usize>)>>,
}

impl Edited {
    /// With an edit of each kernel.
    pub fn kernels(inner: &Arc<dyn Method>, edit: impl FnMut(&mut Kernel)) -> Arc<dyn Method> {
        let mut kernels = inner.kernels();
        kernels.iter_mut().for_each(edit);
        Arc::new(Self { inner: Arc::clone(inner), kernels, pieces: None })
    }

    /// With passages of the WGSL text of each kernel replaced by others.
    pub fn text(inner: &Arc<dyn Method>, edits: &[(&str, &str)]) -> Arc<dyn Method> {
        Self::kernels(inner, |kernel| {
            for (from, to) in edits {
                kernel.source = edited(&kernel.source, from, to);
            }
        })
    }

    /// With one `override` of each kernel set to another value.
    pub fn override_value(inner: &Arc<dyn Method>, name: &str, value: f64) -> Arc<dyn Method> {
        Self::kernels(inner, |kernel| set_override(kernel, name, value))
    }

    /// With its blocks cut into blocks of some units at most, in an order in which each `stride`-th follows.
    pub fn blocks_of(inner: &Arc<dyn Method>, units: usize, stride: usize) -> Arc<dyn Method> {
        let mut pieces = Vec::new();
        for number in 0..inner.blocks() {
            let all = inner.block(number).units.len();
            pieces.extend((0..all).step_by(units).map(|start| (number, start..all.min(start + units))));
        }
        let pieces =
            (0..stride).flat_map(|first| pieces.iter().skip(first).step_by(stride)).cloned().collect();
        Arc::new(Self { inner: Arc::clone(inner), kernels: inner.kernels(), pieces: Some(pieces) })
    }
}

/// Sets an `override` that the kernel has.
pub fn set_override(kernel: &mut Kernel, name: &str, value: f64) {
    kernel.overrides.iter_mut().find(|(key, _)| *key == name).expect("an override of the kernel").1 = value;
}

/// The text with one passage replaced, which must be there.
pub fn edited(source: &str, from: &str, to: &str) -> String {
    assert_eq!(source.matches(from).count(), 1, "the kernel has '{from}' once");
    source.replace(from, to)
}

impl Method for Edited {
    fn name(&self) -> MethodName {
        self.inner.name()
    }

    fn kernels(&self) -> Vec<Kernel> {
        self.kernels.clone()
    }

    fn visits_agree(&self) -> bool {
        self.inner.visits_agree()
    }

    fn main_kernel(&self) -> usize {
        self.inner.main_kernel()
    }

    fn units(&self) -> f64 {
        self.inner.units()
    }

    fn blocks(&self) -> u64 {
        self.pieces.as_ref().map_or_else(|| self.inner.blocks(), |pieces| pieces.len() as u64)
    }

    fn plan_hash(&self) -> PlanHash {
        let pieces = self.pieces.iter().flatten();
        let starts = pieces.flat_map(|(number, units)| [*number, units.start as u64]);
        PlanHash::of(&self.inner.plan_hash().to_string(), starts)
    }

    fn cost(&self, _number: u64) -> f64 {
        self.inner.cost(0)
    }

    fn block(&self, number: u64) -> Block {
        let Some(pieces) = &self.pieces else { return self.inner.block(number) };
        let (of, units) = pieces[number as usize].clone();
        let whole = self.inner.block(of);
        Block {
            number,
            units: whole.units[units.clone()].to_vec(),
            weights: whole.weights[units.clone()].to_vec(),
            visits: if units.start == 0 { whole.visits } else { 0 },
            ..whole
        }
    }

    fn split(&self, block: &Block, unit: usize) -> Option<Block> {
        self.inner.split(block, unit)
    }

    fn count(&self, block: &Block, unit: usize, budget: u64) -> Record {
        self.inner.count(block, unit, budget)
    }

    fn reference(&self, block: &Block, unit: usize) -> u64 {
        self.inner.reference(block, unit)
    }

    fn self_test(&self, kernel: usize) -> SelfTest {
        self.inner.self_test(kernel)
    }
}

/// A device that is destroyed before its reply `at`, counted from 0.
pub fn destroyed(inner: Pipeline, device: Device, at: usize) -> impl Transport + 'static {
    let mut replies = 0;
    Polled::new(inner, move |inner: &mut Pipeline, wait| {
        if replies == at {
            device.destroy();
        }
        let reply = inner.poll(wait)?;
        replies += usize::from(reply.is_some());
        Ok(reply)
    })
}

/// An engine on a pipeline of the adapter that `wrap` makes err.
pub fn engine_on<T: Transport>(
    adapter: &Adapter,
    method: &Arc<dyn Method>,
    settings: Settings,
    wrap: impl FnOnce(Pipeline, Device) -> T,
) -> Result<GpuEngine<T>, Error> {
    let device = Device::open(adapter, settings.runtime_checks, false)?;
    let limits = device.limits();
    // small dispatches, so that there are many
    let shape = |kernel: &Kernel| -> Result<Shape, Error> {
        Ok(Shape { most_units: 100, ..Shape::fitting(&limits, kernel, settings.workgroup)? })
    };
    let kernels = method.kernels();
    let shapes = kernels.iter().map(shape).collect::<Result<Vec<_>, _>>()?;
    let pipeline = Pipeline::new(&device, kernels.into_iter().zip(shapes.iter().copied()).collect())?;
    GpuEngine::new(wrap(pipeline, device), Arc::clone(method), shapes, settings)
}

/// Settings with the budget that every driver completes.
pub fn settings() -> Settings {
    Settings { budget: probe::FEW_TURNS, ..Settings::default() }
}
