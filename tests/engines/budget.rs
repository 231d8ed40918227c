//! The step budget: what happens without it, and that nothing is lost with a tiny one.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use ferz::{
    Error, MethodName, Verify,
    testing::{
        engine::{
            Engine,
            gpu::{
                self, GpuEngine, Settings,
                device::{Device, adapter::Adapter, pipeline::Pipeline},
                dispatch::shape::Shape,
                settings::{LEAST_BUDGET, MOST_TURNS},
                trust::probe,
            },
        },
        method::{Block, Kernel, Method, PlanHash, Record, SelfTest},
    },
};

use crate::{
    placements::{self, Board},
    support::{Edited, adapter, count, counts_right, gl_adapter, join, known, search},
};

#[test]
fn with_a_budget_of_a_hundred_turns_every_big_unit_is_split() {
    let Some(adapter) = adapter() else { return };
    // a lane places one queen a turn
    let settings = Settings { budget: 100, workgroup: 1, ..Settings::default() };
    for (n, depth) in [(8, 0), (8, 3), (10, 2), (11, 5)] {
        let method = search(n, Some(depth));
        counts_right(&format!("budget of 100, N = {n}, depth {depth}"), n, &method, adapter, settings);
    }
}

/// A method that notes what the host does of units that ran out of steps.
struct Noted {
    inner: Arc<dyn Method>,
    split: AtomicUsize,
    /// Units that could not be split.
    whole: AtomicUsize,
}

impl Noted {
    /// Units split, and units that could not be, since this was asked last.
    fn take(&self) -> [usize; 2] {
        [&self.split, &self.whole].map(|count| count.swap(0, Ordering::Relaxed))
    }
}

impl Method for Noted {
    fn name(&self) -> MethodName {
        self.inner.name()
    }
    fn kernels(&self) -> Vec<Kernel> {
        self.inner.kernels()
    }
    fn visits_agree(&self) -> bool {
        self.inner.visits_agree()
    }
    fn main_kernel(&self) -> usize {
        self.inner.main_kernel()
    }
    fn blocks(&self) -> u64 {
        self.inner.blocks()
    }
    fn plan_hash(&self) -> PlanHash {
        self.inner.plan_hash()
    }
    fn cost(&self, number: u64) -> f64 {
        self.inner.cost(number)
    }
    fn units(&self) -> f64 {
        self.inner.units()
    }
    fn block(&self, number: u64) -> Block {
        self.inner.block(number)
    }
    fn split(&self, block: &Block, unit: usize) -> Option<Block> {
        let parts = self.inner.split(block, unit);
        let noted = if parts.is_some() { &self.split } else { &self.whole };
        noted.fetch_add(1, Ordering::Relaxed);
        parts
    }
    fn count(&self, block: &Block, unit: usize, budget: u64) -> Record {
        self.inner.count(block, unit, budget)
    }
    fn reference(&self, block: &Block, unit: usize) -> u64 {
        self.inner.reference(block, unit)
    }
    fn self_test(&self, kernel: usize) -> SelfTest {
        // without the last unit, which is large
        let mut test = self.inner.self_test(kernel);
        test.block.units.pop();
        test.block.weights.pop();
        test.expected.pop();
        test
    }
}

/// The join with the least budget and one lane, which places one queen a turn; its kernels are tested.
fn exhausted(adapter: &Adapter, n: u32) -> (Arc<Noted>, Box<dyn Engine>) {
    let settings = Settings { budget: LEAST_BUDGET, workgroup: 1, prove_all: true, ..Settings::default() };
    let noted = Arc::new(Noted { inner: join(n), split: AtomicUsize::new(0), whole: AtomicUsize::new(0) });
    let method: Arc<dyn Method> = noted.clone();
    let engine = gpu::open(adapter, &method, settings).unwrap();
    assert!(noted.take()[0] > 0, "the units of self-tests are large enough to be split");
    (noted, engine)
}

#[test]
fn units_of_the_join_that_run_out_of_steps_are_split() {
    let Some(adapter) = adapter() else { return };
    for n in [12, 13] {
        let whole = counts_right("the usual budget", n, &join(n), adapter, Settings::default());
        let (noted, engine) = exhausted(adapter, n);
        let method: Arc<dyn Method> = noted.clone();
        let outcome = count(n, &method, engine, Verify::None).unwrap();
        assert_eq!(outcome.count, known(n), "N = {n}");
        let [split, _] = noted.take();
        assert!(split > 20, "N = {n}: {split} splits");
        // each part searches below the other list again
        assert!(outcome.visits > whole, "N = {n}: {:?} > {whole:?}", outcome.visits);
    }
}

#[test]
fn a_pair_of_placements_that_runs_out_of_steps_is_counted_by_the_host() {
    let Some(adapter) = adapter() else { return };
    const N: u32 = 12;
    let (noted, mut engine) = exhausted(adapter, N);
    let board = Board::new(N);
    for kernel in 1..=3 {
        // these hold no diagonal at all, so that there is much to search below them
        let k = kernel as u32;
        let sets = board.sets(k);
        let unit = [
            0,
            1,
            0,
            1,
            0b10_1010 >> (2 * (3 - k)) | (0b01_0101 >> (2 * (3 - k))) << 16,
            k,
            (sets.len() as u32) << 16,
            0,
        ];
        let block = placements::block(kernel, vec![unit], [vec![0; 2], vec![0; 2]], sets, vec![0]);
        let expected = noted.reference(&block, 0);
        assert!(expected > 0);
        engine.submit(Arc::new(block)).unwrap();
        let finished = engine.poll(Duration::from_secs(60)).unwrap().expect("done within a minute");
        assert_eq!(finished.tallies[0].count, expected, "k = {k}");
        assert_eq!(noted.take(), [0, 1], "k = {k}: counted by the host, once");
    }
}

/// The kernel as one would write it first: it walks until its stack is empty.
fn endless_kernel(method: &Arc<dyn Method>) -> Arc<dyn Method> {
    Edited::text(
        method,
        &[
            ("for (var turn = 0u; turn < budget; turn++) {", "loop {"),
            ("var state = UNFINISHED;", "var state = DONE;"),
        ],
    )
}

/// The budget that the driver is seen to complete.
fn completed(device: &Device) -> u32 {
    let settings = Settings::default();
    let shape = Shape::fitting(&device.limits(), &probe::kernel(), settings.workgroup).unwrap();
    let mut transport = Pipeline::new(device, vec![(probe::kernel(), shape)]).unwrap();
    probe::budget(&mut transport, shape, MOST_TURNS, settings.timeout).unwrap()
}

#[test]
fn a_kernel_without_a_budget_lies_where_the_driver_limits_loops() {
    let Some(vulkan) = adapter() else { return };
    let gl = gl_adapter();
    // the limit of llvmpipe is met by single lanes at N = 15, depth 0
    let method = search(15, Some(0));
    for adapter in [Some(vulkan), gl.as_ref()].into_iter().flatten() {
        let name = format!("{} ({:?})", adapter.listed.info.name, adapter.listed.info.backend);
        let device = Device::open(adapter, false, false).unwrap();
        if completed(&device) == MOST_TURNS {
            eprintln!("skipped on {name}: the probe finds no limit of loops");
            continue;
        }
        let endless = endless_kernel(&method);
        let kernel = endless.kernels().remove(0);
        let shape = Shape::fitting(&device.limits(), &kernel, 1).unwrap();
        let pipeline = Pipeline::new(&device, vec![(kernel.clone(), shape)]).unwrap();
        let engine = GpuEngine::new(pipeline, Arc::clone(&endless), vec![shape], Settings::default());
        let engine: Box<dyn Engine> = Box::new(engine.unwrap());
        let lie = count(15, &endless, engine, Verify::None).unwrap().count;
        assert_ne!(lie, known(15), "{name}: the probe finds a limit that this kernel does not meet");
        eprintln!("{name}: without a budget N = 15 at depth 0 counts {lie}");
        let engine = gpu::open(adapter, &method, Settings::default()).unwrap();
        assert_eq!(count(15, &method, engine, Verify::None).unwrap().count, known(15), "{name}");
    }
}

#[test]
fn the_probe_settles_on_a_budget_that_small_workgroups_complete_too() {
    let Some(adapter) = adapter() else { return };
    let device = Device::open(adapter, false, false).unwrap();
    for workgroup in [1, 3, 8, 256] {
        let shape = Shape::fitting(&device.limits(), &probe::kernel(), workgroup).unwrap();
        let mut transport = Pipeline::new(&device, vec![(probe::kernel(), shape)]).unwrap();
        let budget = probe::budget(&mut transport, shape, MOST_TURNS, Settings::default().timeout);
        assert!(matches!(budget, Ok(probe::FEW_TURNS | MOST_TURNS)), "{workgroup}: {budget:?}");
    }
}

#[test]
fn a_budget_out_of_range_is_refused_before_the_device_is_asked() {
    let Some(adapter) = adapter() else { return };
    let method = search(8, None);
    for budget in [0, 63, u32::MAX] {
        let start = std::time::Instant::now();
        let made = gpu::open(adapter, &method, Settings { budget, ..Settings::default() });
        assert!(matches!(made.err(), Some(Error::Usage { .. })), "{budget}");
        assert!(start.elapsed().as_secs() < 5, "a loop of {budget} turns was run");
    }
}
