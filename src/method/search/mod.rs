//! `search`: prefixes made on the CPU, a bitmask search below each of them.
//!
//! The classic method, and the general one: any board, any number of queens, some of them given, some squares
//! forbidden. The queens of the border come first, one of each orbit under the symmetries that the problem has
//! (`border.rs`); then the rows of the inner board are filled from the first on. What is placed so far is a
//! *prefix*; prefixes are expanded on the CPU to a fixed depth below the border, and each is one unit: a kernel
//! (or its twin in `count.rs`) walks the tree below it with an explicit stack and counts the leaves.
//!
//! Q = sum over prefixes p of weight(p) * leaves(p), weight(p) the size of the orbit of its border: 8, 4 or 2 on
//! the plain board, 1 where nothing is symmetric.
//!
//! Cost on the plain board: 1/5.4 of the visits of the plain tree (OEIS A319284) at N = 16, and some x8 to x10
//! more for each N.

mod border;
mod count;
mod draws;
mod inner;
mod known_units;
mod prefix;
mod profile;
mod reference;
mod unit;

use std::{cell::RefCell, sync::Arc};

use self::unit::ends;
pub use self::{
    inner::{Inner, Prefix},
    prefix::expand,
    profile::Profile,
};
use super::{Block, BlockCut, Grain, Kernel, Method, MethodName, PlanHash, Record, SelfTest, join_words};
use crate::{Error, Problem};

/// Text shared by the kernels, then that of the kernel.
const SOURCE: [&str; 2] =
    [include_str!("../../../shaders/lib/record.wgsl"), include_str!("../../../shaders/search.wgsl")];

/// Expected visits of a block, while there are fewer than [`MOST_BLOCKS`] of them: a run of a second has a hundred, and
/// the work about a block does not show.
const BLOCK_VISITS: f64 = (1u64 << 21) as f64;

/// The most blocks in a run; beyond, blocks grow.
const MOST_BLOCKS: f64 = (1u64 << 18) as f64;

/// Seeds a block has at least, so that blocks are of similar size; fewer where there are so many blocks that their sizes
/// do not matter and their seeds would fill the memory.
const SEEDS_PER_BLOCK: f64 = 4.0;

/// The most units a block may be expected to hold (8 MiB of words); where a depth is asked for (64 MiB), with several
/// blocks under way.
const MOST_UNITS: f64 = (1u64 << 18) as f64;
const MOST_UNITS_ASKED: f64 = (1u64 << 21) as f64;

/// Expected visits of a unit at most, a seventh or more of it: long enough that the work about a unit does not show,
/// on a GPU that of a whole workgroup, and short enough that there are many.
const GPU_UNIT_VISITS: f64 = 65_536.0;
const CPU_UNIT_VISITS: f64 = 32_768.0;

/// By how much the units of the search in a mirror are larger: on large boards enough for another depth.
const COARSER: f64 = 16.0;

/// (sqrt(5) - 1) / 2 in units of 2^-64.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Nodes that the kernel holds for a lane, and their bytes: as in `shaders/search.wgsl`.
const NODES_PER_LANE: u32 = 5;
const NODE_BYTES: u32 = 16;

/// The most rows of a problem that can be expanded into prefixes.
///
/// # Errors
///
/// As [`Search::new`].
pub fn deepest(problem: &Problem) -> Result<u32, Error> {
    Search::new(problem, None, 1.0).map(|search| search.profile.deepest())
}

/// Expected visits of a unit of search where nothing is tuned.
#[must_use]
pub const fn unit_visits(on_gpu: bool) -> f64 {
    if on_gpu { GPU_UNIT_VISITS } else { CPU_UNIT_VISITS }
}

/// How a search is to be cut into units: any cut gives the same count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cutting {
    /// Rows below the border that are expanded into prefixes; where it is `None` it is chosen so that a unit has
    /// about `unit_visits` visits.
    pub depth: Option<u32>,
    /// Expected visits of a unit.
    pub unit_visits: f64,
    /// Whether the board is searched as seen in a mirror: other bits for the same work.
    pub mirrored: bool,
}

impl Default for Cutting {
    /// For a CPU.
    fn default() -> Self {
        Self { depth: None, unit_visits: unit_visits(false), mirrored: false }
    }
}

/// The method `search` for one problem.
#[derive(Debug)]
pub struct Search {
    inner: Inner,
    /// The context of every block: the forbidden squares of each row.
    closed: Arc<[u32]>,
    profile: Profile,
    /// Prefixes of one depth, in order; a block has some from all over.
    seeds: Vec<Prefix>,
    /// How far a seed is from the next one of its block; it has no factor in common with the number of seeds.
    stride: u64,
    /// Queens placed to make the seeds.
    seed_visits: u64,
    /// Rows expanded into prefixes, then those among them that the seeds have.
    depth: u32,
    seed_depth: u32,
    mirrored: bool,
    blocks: u64,
}

impl Search {
    /// Plans the search. `depth` is the number of rows below the border that are expanded into prefixes; where it is
    /// `None` it is chosen so that a unit has about `unit_visits` visits.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a side of the board above 32, where `depth` leaves no row, and where the problem can be started in
    /// too many ways.
    pub fn new(problem: &Problem, depth: Option<u32>, unit_visits: f64) -> Result<Self, Error> {
        Self::cut(problem, Cutting { depth, unit_visits, mirrored: false })
    }

    /// Plans the search with all that can be chosen.
    ///
    /// # Errors
    ///
    /// As [`Search::new`].
    pub fn cut(problem: &Problem, cut: Cutting) -> Result<Self, Error> {
        problem.require_countable()?;
        // every row has a queen where as many are placed as there could be: fewer rows are less to choose from
        let board = problem.board();
        let turned = if board.ranks() > board.files() { &problem.transposed() } else { problem };
        let mut inner = Inner::of(turned);
        let mut seed_visits = 0;
        let mut borders = border::prefixes(turned, &inner, &mut seed_visits)?;
        if cut.mirrored {
            inner.mirror(&mut borders);
        }
        let profile = Profile::of(&inner, &borders);
        let deepest = profile.deepest();
        if let Some(depth) = cut.depth.filter(|&depth| depth > deepest) {
            return Err(Error::usage(
                format!("depth {depth} leaves no row to search below the border of {problem}"),
                format!("`depth` is a whole number from 0 to {deepest} here"),
            ));
        }
        let wanted = (profile.visits() / BLOCK_VISITS).clamp(1.0, MOST_BLOCKS);
        let seed_depth = profile
            .depth_with((SEEDS_PER_BLOCK * (wanted - 1.0)).min(MOST_BLOCKS))
            .min(cut.depth.unwrap_or(deepest));
        let seeds = expand(&inner, borders, seed_depth, &mut seed_visits);
        let blocks = (wanted.round() as u64).min(seeds.len() as u64).max(1);
        let depth = cut.depth.unwrap_or_else(|| depth_for(&profile, (seed_depth, blocks), cut.unit_visits));
        // a buffer may not be empty
        let closed = if inner.closed().is_empty() { &[0] } else { inner.closed() }.into();
        Ok(Self {
            inner,
            closed,
            profile,
            stride: stride(seeds.len() as u64),
            seeds,
            seed_visits,
            depth,
            seed_depth,
            mirrored: cut.mirrored,
            blocks,
        })
    }

    /// Plans the search of the board in a mirror in larger units, on large boards at another depth, than those of an
    /// earlier search, if there was one.
    ///
    /// # Errors
    ///
    /// As [`Search::new`].
    pub fn mirrored(problem: &Problem, before: Option<Cutting>, unit_visits: f64) -> Result<Self, Error> {
        let coarser = Cutting { depth: None, unit_visits: COARSER * unit_visits, mirrored: true };
        let search = Self::cut(problem, coarser)?;
        let before = before.map(|before| Self::cut(problem, before)).transpose()?;
        // deeper, not less deep: below their seeds blocks are cut alike, so that a checkpoint of this run knows no device
        if before.is_some_and(|before| before.depth == search.depth)
            && search.depth < search.profile.deepest()
        {
            return Self::cut(problem, Cutting { depth: Some(search.depth + 1), ..coarser });
        }
        Ok(search)
    }

    /// Whether the units of some blocks fit in memory, at the depth that was asked for.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] with the largest depth.
    pub fn fits_in_memory(&self) -> Result<(), Error> {
        let deepest = self.profile.depth_below(self.blocks as f64 * MOST_UNITS_ASKED);
        if self.depth <= deepest {
            return Ok(());
        }
        Err(Error::usage(
            format!("depth {} makes more prefixes than fit in memory", self.depth),
            format!("`depth` goes up to {deepest} for this N; it is chosen where none is given"),
        ))
    }

    /// Rows below the border that are expanded into prefixes.
    #[cfg(feature = "testing")]
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// The estimated sizes of the levels of the search tree.
    #[cfg(feature = "testing")]
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The positions of the seeds of a block, as many as others have, give or take one. Some seeds have ten times as many
    /// visits below them as others, and those are neighbours: in strides every block gets its share of them.
    fn seeds_of(&self, number: u64) -> impl Iterator<Item = usize> {
        let (all, blocks) = (self.seeds.len() as u128, u128::from(self.blocks));
        let bound = |block: u64| u128::from(block) * all / blocks;
        (bound(number)..bound(number + 1)).map(move |at| (at * u128::from(self.stride) % all) as usize)
    }

    fn block_of(&self, number: u64, prefixes: &[Prefix], visits: u64) -> Block {
        Block {
            number,
            context: vec![Arc::clone(&self.closed)],
            units: prefixes.iter().map(|prefix| unit::pack(&self.inner, prefix)).collect(),
            weights: prefixes.iter().map(|prefix| prefix.weight).collect(),
            visits,
            kernel: 0,
        }
    }

    /// Rows from the first to the last of a unit at most, those without a queen to place among them.
    fn span(&self) -> u32 {
        let below = |seed: &Prefix| {
            let rows = (self.seed_depth..self.depth).fold(seed.rows, |rows, _| rows & rows.wrapping_sub(1));
            let (first, last) = ends(rows);
            last - first + 1
        };
        self.seeds.iter().map(below).max().unwrap_or(1)
    }
}

/// The depth of prefixes for units of about `unit_visits` visits, never less than that of the seeds.
fn depth_for(profile: &Profile, (seed_depth, blocks): (u32, u64), unit_visits: f64) -> u32 {
    let fine = profile.depth_with(profile.visits() / unit_visits);
    let most = profile.depth_below(blocks as f64 * MOST_UNITS);
    fine.min(most).clamp(seed_depth, profile.deepest())
}

/// About the golden section of a number, so that multiples of it are spread evenly over what is below, and with no factor
/// in common, so that they meet each number once.
fn stride(all: u64) -> u64 {
    let golden = ((u128::from(all) * u128::from(GOLDEN)) >> 64) as u64;
    (golden.max(1)..).find(|&stride| gcd(stride, all) == 1).unwrap_or(1)
}

const fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Method for Search {
    fn name(&self) -> MethodName {
        MethodName::Search
    }

    fn describe(&self) -> String {
        let (depth, blocks) = (self.depth, self.blocks);
        format!("search: depth {depth}, {blocks} blocks, {:.2e} visits expected", self.profile.visits())
    }

    fn kernels(&self) -> Vec<Kernel> {
        let rows = self.span();
        let is_closed = self.inner.closed().iter().any(|&closed| closed != 0);
        vec![Kernel {
            name: "search",
            source: SOURCE.concat(),
            overrides: vec![
                ("COLUMNS", f64::from(self.inner.columns().max(1))),
                ("ROWS", f64::from(rows)),
                ("CLOSED", f64::from(u8::from(is_closed))),
            ],
            contexts: 1,
            workgroup_bytes_per_invocation: NODES_PER_LANE * NODE_BYTES,
            // totals, places, and for each row an entry of the table and a node
            workgroup_bytes: 32 + 4 + rows * (8 + NODE_BYTES),
            grain: Grain::Workgroup,
        }]
    }

    fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The seeds and the number of blocks say all. A change of what is below a seed, or of which seeds a block has, needs
    /// another name.
    fn plan_hash(&self) -> PlanHash {
        let inner = [self.inner.rows(), self.inner.columns()].map(u64::from);
        let closed = self.closed.iter().map(|&row| u64::from(row));
        let seeds = self.seeds.iter().flat_map(|seed| {
            let Prefix { columns, d, a, rows, weight } = *seed;
            [join_words([columns, rows]), d, a, weight.into()]
        });
        let sizes = [self.closed.len() as u64, self.blocks];
        PlanHash::of("search 2", inner.into_iter().chain(sizes).chain(closed).chain(seeds))
    }

    /// Blocks do not depend on the depth of prefixes, unless it is less than that of the seeds.
    fn cut(&self) -> BlockCut {
        BlockCut::Seeds { rows: self.seed_depth, mirrored: self.mirrored }
    }

    /// The same for all.
    fn cost(&self, _number: u64) -> f64 {
        (self.profile.visits() / self.blocks as f64).max(1.0)
    }

    fn units(&self) -> f64 {
        self.profile.prefixes(self.depth)
    }

    fn block(&self, number: u64) -> Block {
        let mut visits = if number == 0 { self.seed_visits } else { 0 };
        let seeds = self.seeds_of(number).map(|at| self.seeds[at]).collect();
        let prefixes = expand(&self.inner, seeds, self.depth - self.seed_depth, &mut visits);
        self.block_of(number, &prefixes, visits)
    }

    fn split(&self, block: &Block, unit: usize) -> Option<Block> {
        let words = &block.units[unit];
        let prefix = unit::unpack(&self.inner, words);
        // the last row takes one step: no kernel runs out in it
        if prefix.rows.count_ones() <= 1 {
            return None;
        }
        let mut visits = 0;
        let children = expand(&self.inner, vec![prefix], 1, &mut visits);
        let mut parts = self.block_of(block.number, &children, visits);
        if let Some(first) = parts.units.first_mut() {
            // what the unit started from is part of what it counts
            first[6..].copy_from_slice(&words[6..]);
        }
        Some(parts)
    }

    fn count(&self, block: &Block, unit: usize, budget: u64) -> Record {
        thread_local!(static QUEUE: RefCell<count::Queue> = RefCell::default());
        QUEUE.with_borrow_mut(|queue| queue.count(&self.inner, &block.units[unit], unit as u32, budget))
    }

    fn reference(&self, block: &Block, unit: usize) -> u64 {
        reference::count(&self.inner, &block.units[unit]).solutions
    }

    fn self_test(&self, _kernel: usize) -> SelfTest {
        known_units::units(self)
    }
}

#[cfg(test)]
mod tests;
