//! What goes into one dispatch: units of one kernel and one context; and no kernel counts before its self-test.

use super::*;
use crate::method::join::Join;

/// Each unit counts its first word times the first word of its context.
struct Product;

impl Product {
    fn block_with(context: &Arc<[u32]>, number: u64, units: Range<u32>) -> Block {
        Block {
            number,
            context: vec![Arc::clone(context)],
            weights: vec![1; units.len()],
            units: units.map(|word| [word, 0, 0, 0, 0, 0, 0, 0]).collect(),
            visits: 0,
            kernel: 0,
        }
    }
}

impl Method for Product {
    fn name(&self) -> MethodName {
        MethodName::Bitmask
    }
    fn kernels(&self) -> Vec<Kernel> {
        vec![Kernel { name: "product", contexts: 1, ..probe::kernel() }; 2]
    }
    fn blocks(&self) -> u64 {
        1
    }
    fn plan_hash(&self) -> PlanHash {
        PlanHash::of("product", [])
    }
    fn units(&self) -> f64 {
        1.0
    }
    fn cost(&self, _number: u64) -> f64 {
        1.0
    }
    fn block(&self, number: u64) -> Block {
        Self::block_with(&Arc::from([7]), number, 0..10)
    }
    fn split(&self, block: &Block, unit: usize) -> Option<Block> {
        Some(head(&Block { units: vec![block.units[unit]], ..block.clone() }, 1))
    }
    fn count(&self, block: &Block, unit: usize, _budget: u64) -> Record {
        let count = [block.units[unit][0] * block.context[0][0], 0];
        Record { id: 0, run: 0, state: Record::DONE, bucket: 0, count, visits: [1, 0] }
    }
    fn reference(&self, block: &Block, unit: usize) -> u64 {
        u64::from(block.units[unit][0] * block.context[0][0])
    }
    fn self_test(&self, _kernel: usize) -> SelfTest {
        SelfTest::default()
    }
}

#[test]
fn blocks_with_different_contexts_do_not_share_a_dispatch() -> Result<(), Error> {
    let method: Arc<dyn Method> = Arc::new(Product);
    let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
    let mut engine = engine(spy, &method)?;
    let [two, also_two, nine] = [2, 2, 9].map(|factor| Arc::<[u32]>::from([factor]));
    // 5 units each: with one context, two of them share a dispatch of at most 24
    let contexts = [&two, &two, &nine, &two, &also_two, &nine];
    for (number, context) in (0..).zip(contexts) {
        engine.submit(Arc::new(Product::block_with(context, number, 1..6)))?;
    }
    for _ in contexts {
        let finished = engine.poll(Duration::from_secs(20))?.expect("six blocks");
        let factor = u64::from(contexts[finished.ticket as usize][0]);
        let counts: Vec<u64> = finished.tallies.iter().map(|tally| tally.count).collect();
        assert_eq!(counts, (1..6).map(|word| word * factor).collect::<Vec<_>>());
    }
    let sizes: Vec<usize> = taken(&seen).iter().map(|dispatch| dispatch.units.len()).collect();
    assert_eq!(sizes, [10, 5, 5, 5, 5], "only the first two blocks share their context");
    Ok(())
}

#[test]
fn blocks_with_different_kernels_do_not_share_a_dispatch() -> Result<(), Error> {
    let method: Arc<dyn Method> = Arc::new(Product);
    let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
    let mut engine = GpuEngine::new(spy, Arc::clone(&method), vec![SHAPE; 2], settings())?;
    let context = Arc::from([2]);
    for (number, kernel) in (0..).zip([0, 0, 1, 0, 1, 1]) {
        engine.submit(Arc::new(Block { kernel, ..Product::block_with(&context, number, 1..6) }))?;
    }
    while engine.poll(Duration::from_secs(20))?.is_some() {}
    let seen: Vec<_> = taken(&seen).iter().map(|dispatch| (dispatch.kernel, dispatch.units.len())).collect();
    assert_eq!(seen, [(0, 10), (1, 5), (0, 5), (1, 10)]);
    let error = engine.submit(Arc::new(Block { kernel: 2, ..Product::block_with(&context, 0, 1..2) }));
    assert!(matches!(error, Err(Error::Internal(_))), "there is no such kernel: {error:?}");
    Ok(())
}

pub(super) fn join(n: u32) -> Arc<dyn Method> {
    Arc::new(Join::new(&problem(n)).unwrap_or_else(|error| panic!("{error}")))
}

pub(super) fn shapes(method: &Arc<dyn Method>) -> Vec<Shape> {
    vec![Shape { grain: Grain::Workgroup, ..SHAPE }; method.kernels().len()]
}

#[test]
fn every_dispatch_of_a_run_of_the_join_is_of_one_kernel_and_the_lists_of_its_units() -> Result<(), Error> {
    let method = join(11);
    let blocks: Vec<Arc<Block>> = (0..method.blocks()).map(|number| Arc::new(method.block(number))).collect();
    let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
    let mut engine = GpuEngine::new(spy, Arc::clone(&method), shapes(&method), settings())?;
    engine.prove_all()?;
    taken(&seen);
    // all at once, in an order that mixes kernels
    for at in 0..blocks.len() {
        engine.submit(Arc::clone(&blocks[at * 7 % blocks.len()]))?;
    }
    assert!(!blocks.len().is_multiple_of(7), "each block once");
    let mut sum = 0;
    while let Some(finished) = engine.poll(Duration::from_secs(20))? {
        let block = &blocks[(finished.ticket as usize - engine.lanes.len()) * 7 % blocks.len()];
        assert_eq!(finished.tallies.len(), block.units.len());
        let counts = finished.tallies.iter().zip(&block.weights);
        sum += counts.map(|(tally, &weight)| tally.count * u64::from(weight)).sum::<u64>();
    }
    assert_eq!(sum, 2680);
    let mut kernels = [0; 16];
    for dispatch in taken(&seen) {
        kernels[dispatch.kernel] += 1;
        let same = |block: &&Arc<Block>| same_context(&block.context, &dispatch.context);
        let of_context: Vec<_> = blocks.iter().filter(same).collect();
        for unit in &dispatch.units {
            assert!(
                of_context.iter().any(|block| block.kernel == dispatch.kernel && block.units.contains(unit)),
                "kernel {}, {unit:x?}",
                dispatch.kernel
            );
        }
    }
    assert!(kernels.iter().filter(|&&dispatches| dispatches > 0).count() > 3, "{kernels:?}");
    Ok(())
}

#[test]
fn each_kernel_is_tested_once_before_its_first_unit() -> Result<(), Error> {
    let method = join(9);
    let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
    let mut engine = GpuEngine::new(spy, Arc::clone(&method), shapes(&method), settings())?;
    let tests: Vec<_> = (0..method.kernels().len()).map(|kernel| method.self_test(kernel).block).collect();
    let of_test = |dispatch: &Dispatch| dispatch.context[0][..] == tests[dispatch.kernel].context[0][..];
    let opened = taken(&seen);
    assert!(opened.iter().all(|dispatch| dispatch.kernel == method.main_kernel() && of_test(dispatch)));
    for number in 0..method.blocks() {
        engine.submit(Arc::new(method.block(number)))?;
    }
    while engine.poll(Duration::from_secs(20))?.is_some() {}
    let all: Vec<Dispatch> = opened.into_iter().chain(taken(&seen)).collect();
    let mut counted = 0;
    for (kernel, test) in tests.iter().enumerate() {
        let own: Vec<bool> = all.iter().filter(|dispatch| dispatch.kernel == kernel).map(&of_test).collect();
        let tested = own.iter().take_while(|&&test| test).count();
        // a kernel without units to count is not even compiled
        assert!(own.is_empty() || tested == test.units.len().div_ceil(SHAPE.most_units as usize), "{kernel}");
        assert!(own[tested..].iter().all(|test| !test), "{kernel}");
        counted += usize::from(own.len() > tested);
    }
    assert!(counted > 2, "{counted}");
    Ok(())
}

#[test]
fn a_fault_in_the_self_test_of_any_kernel_stops_the_run() -> Result<(), Error> {
    let method = join(9);
    let run = |at| -> Result<usize, Error> {
        let faulty = Faulty::new(Simulated::new(Arc::clone(&method)), Plant::WrongCount(3), at);
        let mut engine = GpuEngine::new(faulty, Arc::clone(&method), shapes(&method), settings())?;
        engine.prove_all()?;
        Ok(engine.lanes.len())
    };
    // one reply a kernel: 24 units fit a dispatch
    let kernels = run(usize::MAX)?;
    for at in 0..kernels {
        let error = run(at).expect_err("a wrong count");
        assert!(
            matches!(&error, Error::Disagree { what, .. } if what.contains("self-test of kernel")),
            "{error}"
        );
        assert_eq!(error.exit_code(), 7);
    }
    Ok(())
}
