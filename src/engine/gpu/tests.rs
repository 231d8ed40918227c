//! The whole engine without a driver: over a simulated device, and over one that errs at every reply in turn.

#![allow(clippy::expect_used)]

mod batches;
mod dispatches;
mod retries;

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Mutex, PoisonError},
};

use super::{
    fake::{
        faulty::{Faulty, Plant, Polled},
        simulated::Simulated,
    },
    settings::{GREATEST_BUDGET, LEAST_BUDGET},
    *,
};
use crate::{
    CancelToken, Fault, MethodName, Options, Outcome, Problem, Verify,
    engine::{cpu, cpu::CpuEngine, paired::Paired},
    method::{Kernel, PlanHash, Record, SelfTest, Tally, search::Search},
    run::count_with,
};

const WORKGROUP: u32 = 8;

/// Small dispatches, so that little work makes many of them.
const SHAPE: Shape = Shape { workgroup: WORKGROUP, most_units: 3 * WORKGROUP, grain: Grain::Invocation };

fn settings() -> Settings {
    Settings { workgroup: WORKGROUP, timeout: Duration::from_secs(20), ..Settings::default() }
}

fn search(n: u32, depth: u32) -> Arc<dyn Method> {
    Arc::new(Search::new(&problem(n), Some(depth), 1.0).unwrap_or_else(|error| panic!("{error}")))
}

fn problem(n: u32) -> Problem {
    Problem::queens(n).unwrap_or_else(|error| panic!("{error}"))
}

fn engine<T: Transport>(transport: T, method: &Arc<dyn Method>) -> Result<GpuEngine<T>, Error> {
    GpuEngine::new(transport, Arc::clone(method), vec![SHAPE], settings())
}

/// Notes the dispatches that pass through it.
struct Spy<T> {
    inner: T,
    seen: Arc<Mutex<Vec<Dispatch>>>,
}

impl<T> Spy<T> {
    fn new(inner: T) -> (Self, Arc<Mutex<Vec<Dispatch>>>) {
        let seen = Arc::default();
        (Self { inner, seen: Arc::clone(&seen) }, seen)
    }
}

fn taken(seen: &Mutex<Vec<Dispatch>>) -> Vec<Dispatch> {
    std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner))
}

impl<T: Transport> Transport for Spy<T> {
    fn device(&self) -> DeviceInfo {
        self.inner.device()
    }

    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn submit(&mut self, dispatch: &Dispatch) -> Result<(), Error> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(dispatch.clone());
        self.inner.submit(dispatch)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, Error> {
        self.inner.poll(wait)
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }
}

/// Counts by an engine, or by what stopped it from being made.
fn count<T: Transport + 'static>(
    n: u32,
    method: &Arc<dyn Method>,
    engine: Result<GpuEngine<T>, Error>,
    verify: Verify,
) -> Result<Outcome, Error> {
    let engines: &mut [Box<dyn Engine>] = &mut [Box::new(engine?)];
    let options = Options { verify, cancel: CancelToken::default(), ..Options::default() };
    count_with(&problem(n), method, &cpu::pool(Some(1))?, engines, &options, &mut |_| {})
}

/// All tallies of a block, in order.
fn tallies<T: Transport>(engine: &mut GpuEngine<T>, block: Block) -> Result<Vec<Tally>, Error> {
    let ticket = engine.submit(Arc::new(block))?;
    let finished = engine.poll(Duration::from_secs(20))?;
    let Some(finished) = finished else { panic!("not done in time") };
    assert_eq!(finished.ticket, ticket);
    Ok(finished.tallies)
}

/// The first units of a block.
fn head(block: &Block, units: usize) -> Block {
    Block {
        units: block.units[..units].to_vec(),
        weights: block.weights[..units].to_vec(),
        visits: 0,
        ..block.clone()
    }
}

fn twin(method: &dyn Method, block: &Block) -> Vec<Tally> {
    let tally = |record: Record| Tally { count: record.count(), visits: record.visits(), bucket: 0 };
    (0..block.units.len()).map(|unit| tally(method.count(block, unit, u64::MAX))).collect()
}

#[test]
fn every_fault_at_every_reply_is_reported_and_none_gives_a_count() -> Result<(), Error> {
    const N: u32 = 8;
    let method = search(N, 3);
    let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
    let right = count(N, &method, engine(spy, &method), Verify::Sample)?;
    assert_eq!(right.count, 92);
    let sizes: Vec<usize> = taken(&seen).iter().map(|dispatch| dispatch.units.len()).collect();
    assert!(sizes.len() > 6, "{sizes:?}");
    let mut plants = vec![Plant::Zeroed, Plant::Stale, Plant::Shifted, Plant::Lost];
    plants.extend([1, 4, 31, 32, 33, 64].map(Plant::CutShort));
    // every bit is tried in decode.rs: here one in each word of a record, and some of the sums
    plants.extend((0..8).map(|word| Plant::Flipped(2 * 256 + word * 33)));
    plants.extend([1, 100, 200].map(|bit| Plant::Flipped(usize::MAX / 256 * 256 - bit)));
    plants.extend([0, 5].map(Plant::WrongCount));
    let mut noisy = 0;
    for plant in plants {
        for (at, &units) in sizes.iter().enumerate() {
            let faulty = Faulty::new(Simulated::new(Arc::clone(&method)), plant, at);
            // each unit is recounted
            let result = count(N, &method, engine(faulty, &method), Verify::Sample);
            let case = format!("{plant:?} at reply {at} of {units} units: {result:?}");
            if plant == Plant::Shifted && units == 1 {
                // the only record is its own sum, so that this plant changes nothing
                assert_eq!(result.map(|outcome| outcome.count), Ok(92), "{case}");
                continue;
            }
            if let (Plant::WrongCount(_), Ok(outcome)) = (plant, &result) {
                // noise: the block was counted again
                assert_eq!((outcome.count, outcome.faults.disagreed), (92, 1), "{case}");
                noisy += 1;
                continue;
            }
            let Err(error) = result else { panic!("{case}") };
            let expected = match plant {
                Plant::Lost => matches!(error, Error::DeviceLost { .. }) && error.exit_code() == 6,
                // in a self-test, which is not repeated
                Plant::WrongCount(_) => error.to_string().contains("self-test") && error.exit_code() == 7,
                Plant::CutShort(_) => {
                    matches!(error, Error::Damaged { fault: Fault::Length { .. }, .. })
                        && error.exit_code() == 7
                }
                Plant::Stale => {
                    matches!(
                        error,
                        Error::Damaged { fault: Fault::Stale { .. } | Fault::Unwritten { .. }, .. }
                    ) && error.exit_code() == 7
                }
                _ => matches!(error, Error::Damaged { .. }) && error.exit_code() == 7,
            };
            assert!(expected, "{case}");
        }
    }
    let tested = method.self_test(0).block.units.len().div_ceil(SHAPE.most_units as usize);
    assert_eq!(noisy, 2 * (sizes.len() - tested), "every one after the self-test");
    Ok(())
}

#[test]
fn a_dispatch_that_never_ends_is_reported_at_every_reply() {
    let method = search(9, 2);
    for at in 0..6 {
        let faulty = Faulty::new(Simulated::new(Arc::clone(&method)), Plant::Endless, at);
        let settings = Settings { timeout: Duration::from_millis(20), ..settings() };
        let engine = GpuEngine::new(faulty, Arc::clone(&method), vec![SHAPE], settings);
        let error = count(9, &method, engine, Verify::Auto).expect_err("a dispatch that never ends");
        let Error::DeviceHung { waited, .. } = &error else { panic!("reply {at}: {error:?}") };
        assert!(*waited >= Duration::from_millis(20), "{waited:?}");
        assert_eq!(error.exit_code(), 6);
    }
}

#[test]
fn a_wrong_count_is_seen_by_the_recount_the_known_answer_and_a_second_engine() -> Result<(), Error> {
    const N: u32 = 9;
    let method = search(N, 2);
    // after the dispatches of the self-test
    let at = method.self_test(0).block.units.len().div_ceil(SHAPE.most_units as usize);
    let faulty =
        || engine(Faulty::new(Simulated::new(Arc::clone(&method)), Plant::WrongCount(5), at), &method);
    let lie = count(N, &method, faulty(), Verify::None)?;
    assert_ne!(lie.count, 352, "unchecked, the plant gives a wrong count");
    let again = count(N, &method, faulty(), Verify::Sample)?;
    assert_eq!((again.count, again.faults.disagreed), (352, 1), "recounted, and counted again");
    let for_good = Faulty::new(Simulated::new(Arc::clone(&method)), Plant::TooMany, at).for_good();
    let error = count(N, &method, engine(for_good, &method), Verify::Sample).expect_err("recounted");
    assert!(error.to_string().contains("recount of unit ") && error.exit_code() == 7, "{error}");
    let block = Arc::new(method.block(0));
    let words = format!("{:x?}", block.units[5]);
    let pool = cpu::pool(Some(1))?;
    let right = || -> Box<dyn Engine> { Box::new(CpuEngine::new(Arc::clone(&method), Arc::clone(&pool))) };
    for planted_left in [true, false] {
        let wrong: Box<dyn Engine> = Box::new(faulty()?);
        let mut paired =
            if planted_left { Paired::new(wrong, right(), true) } else { Paired::new(right(), wrong, true) };
        paired.submit(Arc::clone(&block))?;
        let error = paired.poll(Duration::from_secs(20)).expect_err("one of the two errs");
        let Error::Disagree { what, left, right, .. } = &error else { panic!("{error:?}") };
        assert!(what.contains("block 0, unit 5 ") && what.contains(&words), "{what}");
        assert_ne!(left, right);
        assert_eq!(error.exit_code(), 7);
    }
    Ok(())
}

#[test]
fn the_known_answer_sees_what_no_recount_looked_at() {
    /// A method that leaves out what follows its last solution and that: each unit is right, the sum is not.
    struct Short(Arc<dyn Method>);
    impl Method for Short {
        fn name(&self) -> MethodName {
            self.0.name()
        }
        fn kernels(&self) -> Vec<Kernel> {
            self.0.kernels()
        }
        fn blocks(&self) -> u64 {
            self.0.blocks()
        }
        fn plan_hash(&self) -> PlanHash {
            PlanHash::of("short", [])
        }
        fn units(&self) -> f64 {
            self.0.units()
        }
        fn cost(&self, number: u64) -> f64 {
            self.0.cost(number)
        }
        fn block(&self, number: u64) -> Block {
            let block = self.0.block(number);
            let counts = |unit: &usize| self.0.count(&block, *unit, u64::MAX).count() > 0;
            head(&block, (0..block.units.len()).rfind(counts).unwrap_or_default())
        }
        fn split(&self, block: &Block, unit: usize) -> Option<Block> {
            self.0.split(block, unit)
        }
        fn count(&self, block: &Block, unit: usize, budget: u64) -> Record {
            self.0.count(block, unit, budget)
        }
        fn reference(&self, block: &Block, unit: usize) -> u64 {
            self.0.reference(block, unit)
        }
        fn self_test(&self, kernel: usize) -> SelfTest {
            self.0.self_test(kernel)
        }
    }
    let method: Arc<dyn Method> = Arc::new(Short(search(9, 2)));
    let simulated = Simulated::new(Arc::clone(&method));
    let error = count(9, &method, engine(simulated, &method), Verify::Auto).expect_err("a unit is missing");
    assert!(error.to_string().contains("A000170 says 352"), "{error}");
}

#[test]
fn sizes_that_straddle_a_workgroup_and_a_dispatch() -> Result<(), Error> {
    let method = search(9, 3);
    let block = method.block(0);
    for pace in [SHAPE.most_units, 1] {
        let shape = Shape { most_units: pace, ..SHAPE };
        let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
        let mut engine = GpuEngine::new(spy, Arc::clone(&method), vec![shape], settings())?;
        for units in [0, 1, 7, 8, 9, 23, 24, 25, 47, 48, 49] {
            let block = head(&block, units);
            taken(&seen);
            assert_eq!(tallies(&mut engine, block.clone())?, twin(&*method, &block), "{units} units");
            let dispatches = taken(&seen);
            assert_eq!(dispatches.len(), units.div_ceil(pace as usize), "{units} units");
            for dispatch in dispatches {
                let length = dispatch.units.len() as u32;
                assert!((1..=pace).contains(&length));
                assert_eq!(dispatch.workgroups, length.div_ceil(WORKGROUP));
            }
        }
        // an empty block among others
        for units in [3, 0, 30, 0] {
            engine.submit(Arc::new(head(&block, units)))?;
        }
        let mut done = Vec::new();
        while let Some(finished) = engine.poll(Duration::from_secs(20))? {
            done.push(finished.tallies.len());
        }
        done.sort_unstable();
        assert_eq!(done, [0, 0, 3, 30]);
    }
    Ok(())
}

#[test]
fn out_of_steps_every_big_unit_is_split_until_its_parts_fit() -> Result<(), Error> {
    for (n, depth) in [(11, 0), (12, 0), (12, 1), (13, 1)] {
        let method = search(n, depth);
        for budget in [LEAST_BUDGET, 100] {
            let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
            let settings = Settings { budget, ..settings() };
            let engine = GpuEngine::new(spy, Arc::clone(&method), vec![SHAPE], settings);
            let outcome = count(n, &method, engine, Verify::Auto)?;
            let whole =
                count(n, &method, self::engine(Simulated::new(Arc::clone(&method)), &method), Verify::Auto)?;
            assert_eq!((outcome.count, outcome.visits), (whole.count, whole.visits), "N = {n}");
            let dispatches = taken(&seen);
            assert!(dispatches.iter().all(|dispatch| dispatch.budget == budget));
            let dispatched: usize = dispatches.iter().map(|dispatch| dispatch.units.len()).sum();
            let given = method.block(0).units.len() + method.self_test(0).block.units.len();
            assert!(dispatched > given, "N = {n}: nothing was split");
        }
    }
    Ok(())
}

#[test]
fn budgets_out_of_range_are_refused() {
    let method = search(8, 2);
    for budget in [0, LEAST_BUDGET - 1, GREATEST_BUDGET + 1, u32::MAX] {
        let simulated = Simulated::new(Arc::clone(&method));
        let made =
            GpuEngine::new(simulated, Arc::clone(&method), vec![SHAPE], Settings { budget, ..settings() });
        assert!(matches!(made.err(), Some(Error::Usage { .. })), "{budget}");
    }
}

#[test]
fn tallies_do_not_depend_on_the_order_of_blocks_or_on_the_pace() -> Result<(), Error> {
    let method = search(10, 3);
    let whole = method.block(0);
    let right = twin(&*method, &whole);
    let chunks: Vec<Range<usize>> =
        (0..whole.units.len()).step_by(19).map(|at| at..whole.units.len().min(at + 19)).collect();
    let orders: [Vec<usize>; 3] = [
        (0..chunks.len()).collect(),
        (0..chunks.len()).rev().collect(),
        (0..chunks.len()).map(|at| at * 5 % chunks.len()).collect(),
    ];
    assert!(!chunks.len().is_multiple_of(5), "the last order visits each chunk once");
    for order in orders {
        for target in [Duration::from_nanos(1), Duration::from_millis(12), Duration::from_secs(9)] {
            let simulated = Simulated::new(Arc::clone(&method));
            let shape = Shape { most_units: 1000, ..SHAPE };
            let settings = Settings { target, ..settings() };
            let mut engine = GpuEngine::new(simulated, Arc::clone(&method), vec![shape], settings)?;
            let mut at = HashMap::new();
            for &chunk in &order {
                let units = chunks[chunk].clone();
                let weights = vec![1; units.len()];
                let block = Block { units: whole.units[units.clone()].to_vec(), weights, ..Block::default() };
                at.insert(engine.submit(Arc::new(block))?, units);
            }
            while let Some(finished) = engine.poll(Duration::from_secs(20))? {
                let units = at.remove(&finished.ticket).expect("each block once");
                assert_eq!(finished.tallies, right[units]);
            }
            assert!(at.is_empty(), "{} blocks are missing", at.len());
        }
    }
    Ok(())
}

#[test]
fn a_process_that_was_stopped_is_no_device_that_hangs_but_once_a_dispatch() {
    let method = search(8, 3);
    let settings = Settings { timeout: Duration::from_millis(50), ..settings() };
    let made = |mut times: usize| {
        // waits longer than it was asked to, as a process does that is stopped meanwhile
        let late = Polled::new(Simulated::new(Arc::clone(&method)), move |inner: &mut Simulated, wait| {
            if times == 0 {
                return inner.poll(wait);
            }
            times -= 1;
            std::thread::sleep(wait + POLL_GAP + Duration::from_millis(100));
            Ok(None)
        });
        GpuEngine::new(late, Arc::clone(&method), vec![SHAPE], settings).map(|_| ())
    };
    assert_eq!(made(1), Ok(()));
    assert!(matches!(made(2), Err(Error::DeviceHung { .. })));
}
