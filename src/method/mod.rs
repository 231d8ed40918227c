//! Methods of counting, and the one shape they share.
//!
//! Everything rests on one invariant: **answer = sum of weight(unit) * count(unit)**, in any order, each unit
//! once. A *unit* is what one invocation (or workgroup) of a kernel counts. A *block* is a numbered set of
//! units with their common context: the grain of progress and of spot checks. A method cuts its problem into
//! blocks, each a pure function of its number, so that any engine can count any block at any time.

pub mod choice;
pub mod join;
pub mod ladder;
mod name;
pub mod sampling;
pub mod search;
pub mod symmetric;

use std::{fmt, ops::Range, str::FromStr, sync::Arc};

pub use self::name::{BlockCut, MethodName};
use crate::Error;

/// The words that describe one unit to a kernel; their meaning is the method's.
pub type Unit = [u32; 8];

/// What a kernel writes for one unit: eight words, the same in Rust and in WGSL (`shaders/lib/record.wgsl`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Record {
    /// The number of the unit in its dispatch, echoed.
    pub id: u32,
    /// The tag of the dispatch, echoed: a record of an earlier dispatch is seen to be stale.
    pub run: u32,
    /// [`Record::DONE`] or [`Record::UNFINISHED`]; anything else was never written by a kernel.
    pub state: u32,
    /// Which part of the answer the count belongs to (0 where a method has one part only).
    pub bucket: u32,
    /// Solutions below the unit, low word first.
    pub count: [u32; 2],
    /// Queens placed while counting, low word first.
    pub visits: [u32; 2],
}

impl Record {
    /// The unit was counted to its end.
    pub const DONE: u32 = 0x444f_4e45;
    /// The step budget ran out: the count is void and the unit must be split.
    pub const UNFINISHED: u32 = 0x4d4f_5245;
    /// The word that fills a record before a kernel runs; no kernel writes it as a state.
    pub const UNWRITTEN: u32 = 0xa5a5_a5a5;

    /// The count as one number.
    #[must_use]
    pub const fn count(&self) -> u64 {
        join_words(self.count)
    }

    /// The visits as one number.
    #[must_use]
    pub const fn visits(&self) -> u64 {
        join_words(self.visits)
    }
}

/// One number of its low and high word.
#[must_use]
pub const fn join_words([low, high]: [u32; 2]) -> u64 {
    (high as u64) << 32 | low as u64
}

/// The low and high word of a number.
#[must_use]
pub const fn split_words(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

/// What an engine says of one unit that was counted to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Solutions below the unit, without its weight.
    pub count: u64,
    /// Queens placed while counting.
    pub visits: u64,
    /// Which part of the answer the count belongs to.
    pub bucket: u32,
}

impl Tally {
    /// Whether two tallies of one unit agree; `visits` says whether theirs are compared too.
    #[must_use]
    pub const fn agrees(&self, other: &Self, visits: bool) -> bool {
        self.count == other.count && self.bucket == other.bucket && (!visits || self.visits == other.visits)
    }
}

/// A numbered set of units with their common context.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Its number, below [`Method::blocks`].
    pub number: u64,
    /// Read-only words shared by its units, one buffer each; the same `Arc` is uploaded once.
    pub context: Vec<Arc<[u32]>>,
    /// The units.
    pub units: Vec<Unit>,
    /// How often each unit counts in the answer.
    pub weights: Vec<u32>,
    /// Queens placed while the block was made, so that visits do not depend on how deep the units start.
    pub visits: u64,
    /// Which of [`Method::kernels`] counts its units.
    pub kernel: usize,
}

/// What counts one unit on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// One invocation a unit.
    Invocation,
    /// One workgroup a unit, of a power of two of invocations.
    Workgroup,
}

impl Grain {
    /// The most invocations of a workgroup that counts one unit.
    pub const MOST_LANES: u32 = 128;
}

/// A kernel and what the host must know to run it.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Name of the kernel, that of its file in `shaders/`.
    pub name: &'static str,
    /// The whole WGSL text; the entry point is `main`.
    pub source: String,
    /// Values of its `override` constants, without the workgroup size.
    pub overrides: Vec<(&'static str, f64)>,
    /// Number of context buffers, bound from binding 4 on.
    pub contexts: u32,
    /// Bytes of workgroup memory that every invocation of a workgroup adds.
    pub workgroup_bytes_per_invocation: u32,
    /// Bytes of workgroup memory that a workgroup needs besides.
    pub workgroup_bytes: u32,
    /// What counts one unit.
    pub grain: Grain,
}

/// Units with known results, run through the kernel before it is trusted.
#[derive(Clone, Debug, Default)]
pub struct SelfTest {
    /// Cheap units, of the very problem or like them.
    pub block: Block,
    /// What each must count.
    pub expected: Vec<Tally>,
}

/// What tells one cut of a problem into blocks from all others: two plans of one hash have the same blocks under the
/// same numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PlanHash([u8; 32]);

impl PlanHash {
    /// The hash of words that tell all, in order; `name` keeps methods apart, and versions of one.
    #[must_use]
    pub fn of(name: &str, words: impl IntoIterator<Item = u64>) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name.as_bytes());
        let mut buffer = Vec::with_capacity(1 << 16);
        for word in words {
            buffer.extend(word.to_le_bytes());
            if buffer.len() == buffer.capacity() {
                hasher.update(&buffer);
                buffer.clear();
            }
        }
        Self(hasher.update(&buffer).finalize().into())
    }
}

impl fmt::Display for PlanHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl FromStr for PlanHash {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let hash = blake3::Hash::from_hex(text);
        hash.map(|hash| Self(hash.into()))
            .map_err(|error| Error::usage(error.to_string(), "it has 64 digits"))
    }
}

/// A way to count, cut into blocks of independent units.
pub trait Method: Send + Sync {
    /// Its name.
    fn name(&self) -> MethodName;

    /// What is chosen and how much there is to do, in words.
    fn describe(&self) -> String {
        format!("{}: {} blocks", self.name(), self.blocks())
    }

    /// The kernels that count its units; none where it counts on the CPU only.
    fn kernels(&self) -> Vec<Kernel>;

    /// Whether kernel and twin place the same queens, so that their visits can be compared as their counts are.
    fn visits_agree(&self) -> bool {
        true
    }

    /// How many blocks there are.
    fn blocks(&self) -> u64;

    /// Says which blocks these are: the problem and how it is cut, and nothing that is tuned, so that a count may go on
    /// on another device.
    fn plan_hash(&self) -> PlanHash;

    /// How the problem is cut where there are several ways.
    fn cut(&self) -> BlockCut {
        BlockCut::Whole
    }

    /// Expected visits of one block, for pacing and progress; always positive.
    fn cost(&self, number: u64) -> f64;

    /// About how many units there are in all, for the size of samples.
    fn units(&self) -> f64;

    /// Builds a block: a pure function of its number.
    fn block(&self, number: u64) -> Block;

    /// Replaces a unit that ran out of steps by smaller ones: the weighted sum of their counts is its count,
    /// and, where [`Method::visits_agree`], the sum of their visits and of the block's own is its visits. None for a
    /// unit that cannot be split: it is counted by [`Method::count`] then.
    fn split(&self, block: &Block, unit: usize) -> Option<Block>;

    /// Counts one unit: the twin of the kernel. Says [`Record::UNFINISHED`] when it would take more than
    /// about `budget` steps.
    fn count(&self, block: &Block, unit: usize, budget: u64) -> Record;

    /// Counts some units of a block without a budget, as fast as the CPU can: what the CPU engine calls. Methods
    /// that count several units at once do better than one by one.
    fn count_units(&self, block: &Block, units: Range<usize>) -> Vec<Record> {
        units.map(|unit| self.count(block, unit, u64::MAX)).collect()
    }

    /// Cuts the units of a block into runs for [`Method::count_units`], each the work of one thread at a time.
    fn chunks(&self, block: &Block) -> Vec<Range<usize>> {
        const CHUNK: usize = 16;
        let units = block.units.len();
        (0..units).step_by(CHUNK).map(|start| start..(start + CHUNK).min(units)).collect()
    }

    /// Counts one unit by plain and slow code that shares nothing with [`Method::count`].
    fn reference(&self, block: &Block, unit: usize) -> u64;

    /// The number of solutions by the number of queens on squares of even row and even column, from the parts
    /// of the answer; none where a method does not tell.
    fn by_even_even(&self, _buckets: &[u128]) -> Option<Vec<u128>> {
        None
    }

    /// Which of [`Method::kernels`] does most of the work: it is tested before a run begins, the others before
    /// their first block.
    fn main_kernel(&self) -> usize {
        0
    }

    /// Units with known results for one kernel, some with counters preset near 2^32 to prove the carry.
    fn self_test(&self, kernel: usize) -> SelfTest;
}
