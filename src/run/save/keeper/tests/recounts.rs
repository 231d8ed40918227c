//! Blocks that come out wrong, and what is saved of them.

use std::{
    collections::HashMap,
    iter,
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
};

use super::*;
use crate::method::{Kernel, PlanHash, Record, SelfTest};

const N: u32 = 10;
const COUNT: u128 = 724;

/// A block in the middle that has solutions.
const BLOCK: u64 = 5;

/// A method whose reference waits for something before it looks at a unit of [`BLOCK`].
struct Gated {
    inner: Arc<dyn Method>,
    /// Whether it has that block alone, as number 0.
    only: bool,
    gate: Box<dyn Fn() + Send + Sync>,
}

impl Method for Gated {
    fn name(&self) -> MethodName {
        self.inner.name()
    }

    fn kernels(&self) -> Vec<Kernel> {
        self.inner.kernels()
    }

    fn blocks(&self) -> u64 {
        if self.only { 1 } else { self.inner.blocks() }
    }

    fn plan_hash(&self) -> PlanHash {
        self.inner.plan_hash()
    }

    fn cost(&self, number: u64) -> f64 {
        self.inner.cost(number)
    }

    /// Fewer than are wanted for the sample: each is drawn.
    fn units(&self) -> f64 {
        1.0
    }

    fn block(&self, number: u64) -> Block {
        if self.only { Block { number, ..self.inner.block(BLOCK) } } else { self.inner.block(number) }
    }

    fn split(&self, block: &Block, unit: usize) -> Option<Block> {
        self.inner.split(block, unit)
    }

    fn count(&self, block: &Block, unit: usize, budget: u64) -> Record {
        self.inner.count(block, unit, budget)
    }

    fn reference(&self, block: &Block, unit: usize) -> u64 {
        if self.only || block.number == BLOCK {
            (self.gate)();
        }
        self.inner.reference(block, unit)
    }

    fn self_test(&self, kernel: usize) -> SelfTest {
        self.inner.self_test(kernel)
    }
}

impl Gated {
    fn arc(self) -> Arc<dyn Method> {
        Arc::new(self)
    }
}

/// The method, whose recounts of [`BLOCK`] wait until a save has the block of that number.
fn gated(file: &Path, number: u64) -> Gated {
    let file = file.to_path_buf();
    let gate = move || {
        let end = Instant::now() + Duration::from_secs(30);
        while Instant::now() < end && !saved(&file).is_some_and(|saved| saved.ledger.has(number)) {
            thread::sleep(Duration::from_millis(1));
        }
    };
    Gated { inner: join(N), only: false, gate: Box::new(gate) }
}

/// The method, whose recounts wait for nothing.
fn open() -> Arc<dyn Method> {
    Gated { inner: join(N), only: false, gate: Box::new(|| ()) }.arc()
}

fn saved(file: &Path) -> Option<Checkpoint> {
    Checkpoint::read(&fs::read(file).ok()?).ok()
}

/// A CPU that is told how often a block has been counted before the tallies are handed on.
struct Erring<F> {
    inner: CpuEngine,
    blocks: HashMap<Ticket, u64>,
    times: HashMap<u64, u32>,
    spoil: F,
    renewed: Arc<AtomicU32>,
}

impl<F: FnMut(u64, u32, &mut [Tally]) + Send> Engine for Erring<F> {
    fn device(&self) -> DeviceInfo {
        self.inner.device()
    }

    fn hungry(&self) -> bool {
        self.inner.hungry()
    }

    fn memory(&self, blocks: &Footprint) -> Memory {
        self.inner.memory(blocks)
    }

    fn renew(&mut self) -> Result<bool, Error> {
        self.renewed.fetch_add(1, Ordering::SeqCst);
        Ok(true)
    }

    fn submit(&mut self, block: Arc<Block>) -> Result<Ticket, Error> {
        let number = block.number;
        let ticket = self.inner.submit(block)?;
        self.blocks.insert(ticket, number);
        Ok(ticket)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Finished>, Error> {
        let mut finished = self.inner.poll(wait)?;
        if let Some(finished) = &mut finished {
            let number = self.blocks[&finished.ticket];
            let times = self.times.entry(number).or_default();
            *times += 1;
            (self.spoil)(number, *times, &mut finished.tallies);
        }
        Ok(finished)
    }
}

struct Ended {
    outcome: Result<Outcome, Error>,
    warnings: Vec<String>,
    renewed: u32,
}

/// One session on a device that spoils tallies: block, how often it was counted, and its tallies.
fn session(
    method: &Arc<dyn Method>,
    options: &Options,
    spoil: impl FnMut(u64, u32, &mut [Tally]) + Send + 'static,
) -> Ended {
    let pool = cpu::pool(Some(2)).unwrap();
    let mut warnings = Vec::new();
    let mut observe = |event| {
        if let Event::Warning(what) = event {
            warnings.push(what);
        }
    };
    let renewed = Arc::new(AtomicU32::new(0));
    let engine = Erring {
        inner: CpuEngine::new(Arc::clone(method), Arc::clone(&pool)),
        blocks: HashMap::new(),
        times: HashMap::new(),
        spoil,
        renewed: Arc::clone(&renewed),
    };
    let engines = &mut [Box::new(engine) as Box<dyn Engine>];
    let outcome = count_with(&problem(N), method, &pool, engines, options, &mut observe);
    Ended { outcome, warnings, renewed: renewed.load(Ordering::SeqCst) }
}

fn unkept(verify: Verify) -> Options {
    Options { verify, ..Options::default() }
}

/// Makes the first count of a block too great.
fn more(tallies: &mut [Tally], by: u64) {
    tallies[0].count += by;
}

/// Wrong by so much at each count of [`BLOCK`], and right after that.
fn wrong_by(values: &'static [u64]) -> impl FnMut(u64, u32, &mut [Tally]) + Send + 'static {
    move |block, times, tallies| {
        if block == BLOCK {
            more(tallies, values.get(times as usize - 1).copied().unwrap_or(0));
        }
    }
}

#[test]
fn a_block_that_came_out_wrong_is_counted_again_until_it_is_right() {
    let folder = TempDir::new().unwrap();
    let clean = session(&open(), &unkept(Verify::Sample), |_, _, _| ()).outcome.unwrap();
    for (values, renewed) in [(&[1u64][..], 0), (&[1, 2], 1)] {
        let unchecked = session(&open(), &unkept(Verify::None), wrong_by(values)).outcome.unwrap();
        assert_ne!(unchecked.count, COUNT, "unchecked, it is wrong");
        let file = folder.path().join("run");
        let options = Options { saving: options(&file).saving, ..unkept(Verify::Sample) };
        let Ended { outcome, warnings, renewed: devices } = session(&open(), &options, wrong_by(values));
        let outcome = outcome.unwrap();
        let wrong = values.len() as u64;
        assert_eq!((outcome.count, outcome.faults.disagreed, devices), (COUNT, wrong, renewed));
        assert_eq!((outcome.visits, &outcome.by_even_even), (clean.visits, &clean.by_even_even));
        assert_eq!(warnings.len(), values.len() + 1, "{warnings:?}");
        assert!(warnings[0].contains(&format!("of block {BLOCK}: ")), "{warnings:?}");
        assert!(warnings[values.len()].contains("16 times as many units are recounted"), "{warnings:?}");
        let detail = &outcome.verification.detail;
        assert!(detail.contains(&format!("{wrong} x a block came out wrong")), "{detail}");
        assert_eq!(outcome.verification.sampled.map(|sampled| sampled.seen_share()), Some(None));
    }
}

#[test]
fn the_same_wrong_value_twice_and_a_third_one_end_the_run_and_all_are_named() {
    for (values, renewed, right) in [(&[3u64, 3][..], 0, 7), (&[3, 4, 3], 1, 7), (&[3, 4, 5], 1, 7)] {
        let Ended { outcome, renewed: devices, .. } =
            session(&open(), &unkept(Verify::Sample), wrong_by(values));
        let error = outcome.unwrap_err();
        let Error::Disagree { left, right: reference, .. } = &error else { panic!("{error}") };
        let reference: u64 = reference.parse().unwrap();
        let told: Vec<String> = values.iter().map(|by| (reference + by).to_string()).collect();
        assert_eq!((left, error.exit_code(), devices), (&told.join(", then "), right, renewed));
    }
}

#[test]
fn a_strict_run_ends_at_the_first_wrong_count() {
    let options = Options { strict: true, ..unkept(Verify::Sample) };
    let Ended { outcome, warnings, .. } = session(&open(), &options, wrong_by(&[1]));
    assert_eq!((outcome.map_err(|error| error.exit_code()).err(), warnings), (Some(7), Vec::new()));
}

#[test]
fn a_device_that_errs_in_many_blocks_ends_the_run_though_each_came_out_right() {
    let noisy = |blocks: Range<u64>| {
        session(&open(), &unkept(Verify::Sample), move |block, times, tallies| {
            if blocks.contains(&block) && times == 1 && !tallies.is_empty() {
                more(tallies, 1);
            }
        })
    };
    assert_eq!(
        noisy(BLOCK..BLOCK + 1).outcome.map(|outcome| (outcome.count, outcome.faults.disagreed)),
        Ok((COUNT, 1))
    );
    let error = noisy(0..u64::MAX).outcome.unwrap_err();
    assert!(error.to_string().contains("erred in several blocks") && error.exit_code() == 7, "{error}");
}

/// The recount comes out only after a save has the block: from then on no file has it before it is right.
#[test]
fn no_save_holds_a_block_that_is_known_to_be_wrong() {
    // stopped after the second count of the block, which is wrong too or right
    for again in [2, 0] {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("run");
        let mut options = Options { verify: Verify::Sample, ..options(&file) };
        options.saving.interval = Some(Duration::from_millis(1));
        let (cancel, look) = (options.cancel.clone(), file.clone());
        let stopped = session(&gated(&file, BLOCK).arc(), &options, move |block, times, tallies| {
            match (block, times) {
                (BLOCK, 1) => more(tallies, 1),
                (BLOCK, 2) => {
                    // while the next save is renamed to it there is no file of this name for a moment
                    let look_again = || saved(&look);
                    let saved = iter::repeat_with(look_again).take(100_000).flatten().next().unwrap();
                    assert!(!saved.ledger.has(BLOCK), "it was taken out of the file");
                    assert_eq!(saved.faults.disagreed, 1);
                    let of_devices: u128 = saved.devices.iter().map(|(_, visits)| visits).sum();
                    assert_eq!(of_devices, saved.visits(), "and is nobody's work");
                    let before = self::saved(&look.with_extension("prev")).unwrap();
                    assert!(!before.ledger.has(BLOCK), "and of the generation before");
                    more(tallies, again);
                    cancel.cancel();
                }
                _ => {}
            }
        });
        assert_eq!(stopped.outcome, Err(Error::Cancelled));
        let left = saved(&file).unwrap();
        assert_eq!(left.ledger.has(BLOCK), again == 0);
        options.cancel = CancelToken::default();
        let Ended { outcome, warnings, .. } = session(&open(), &options, |_, _, _| ());
        let outcome = outcome.unwrap();
        let wrong = if again == 0 { 1 } else { 2 };
        assert_eq!((outcome.count, outcome.faults.disagreed, outcome.sessions), (COUNT, wrong, 2));
        assert!(warnings.iter().any(|what| what.contains("in an earlier session")), "{warnings:?}");
    }
}

/// Else the next run would go on from a save that holds it.
#[test]
fn a_save_of_the_only_block_is_set_aside_once_that_is_a_bug() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run");
    let mut options = Options { verify: Verify::Sample, ..options(&file) };
    options.saving.interval = Some(Duration::from_millis(1));
    let method = Gated { only: true, ..gated(&file, 0) };
    let wrong = session(&method.arc(), &options, |_, _, tallies| more(tallies, 1));
    assert_eq!(wrong.outcome.unwrap_err().exit_code(), 7);
    assert!(!file.exists() && saved(&folder.path().join("run.suspect")).is_some_and(|left| left.done() == 0));
}
