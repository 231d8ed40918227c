//! `search`: prefixes made on the CPU, a bitmask search below each of them.
//!
//! The classic method. Rows are filled from the first on. The queens of the first rows are a *prefix*;
//! prefixes are expanded on the CPU to a fixed depth, and each is one unit: a kernel (or its twin in
//! `count.rs`) walks the tree below it with an explicit stack and counts the leaves.
//!
//! Q(N) = sum over prefixes p of weight(p) * leaves(p). The mirror image of a solution is another solution
//! (N >= 2), so only prefixes whose first queen off the middle file stands on the left are kept, with weight 2.
//!
//! Cost: half the visits of the plain tree (OEIS A319284), and some x8 to x10 more for each N.

mod count;
mod prefix;
mod profile;

use std::ops::Range;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

pub use self::prefix::{Prefix, expand};
pub use self::profile::Profile;
use super::{Block, Grain, Kernel, Method, Record, SelfTest, Tally, Unit, join_words, ladder, split_words};
use crate::{BoardSize, Error, Problem};

/// Text shared by the kernels, then that of the kernel.
const SOURCE: [&str; 2] =
    [include_str!("../../../shaders/lib/record.wgsl"), include_str!("../../../shaders/search.wgsl")];

/// Expected visits of a block, while there are fewer than [`MOST_BLOCKS`] of them.
const BLOCK_VISITS: f64 = (1u64 << 24) as f64;

/// The most blocks in a run; beyond, blocks grow.
const MOST_BLOCKS: f64 = 65_536.0;

/// Seeds a block has at least, so that blocks are of similar size.
const SEEDS_PER_BLOCK: f64 = 4.0;

/// Rows that must stand before no prefix is its own mirror image, and mirror symmetry is used in full.
const SYMMETRY_DEPTH: u32 = 2;

/// The most units a block may be expected to hold (8 MiB of words).
const MOST_UNITS: f64 = (1u64 << 18) as f64;

/// The method `search` for one problem.
#[derive(Debug)]
pub struct Search {
    size: BoardSize,
    profile: Profile,
    /// Prefixes of depth `seed_depth`, in order; a block is a run of them.
    seeds: Vec<Prefix>,
    /// Queens placed to make the seeds.
    seed_visits: u64,
    blocks: u64,
    depth: u32,
}

impl Search {
    /// Plans the search. `depth` is the number of rows expanded into prefixes; where it is `None` it is
    /// chosen so that a unit has about `unit_visits` visits.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless `depth` < N.
    pub fn new(problem: &Problem, depth: Option<u32>, unit_visits: f64) -> Result<Self, Error> {
        let size = problem.size;
        let deepest = size.get() - 1;
        if let Some(depth) = depth.filter(|&depth| depth > deepest) {
            return Err(Error::usage(
                format!("depth {depth} leaves no row to search on a board of N = {}", size.get()),
                format!("--depth is a whole number from 0 to {deepest} here"),
            ));
        }
        let profile = Profile::of(size);
        let wanted = (profile.visits() / BLOCK_VISITS).clamp(1.0, MOST_BLOCKS);
        let seed_depth = profile
            .depth_with(wanted.mul_add(SEEDS_PER_BLOCK, -SEEDS_PER_BLOCK))
            .min(depth.unwrap_or(deepest));
        let mut seed_visits = 0;
        let seeds = expand(size, vec![Prefix::EMPTY], seed_depth, &mut seed_visits);
        let blocks = (wanted.round() as u64).min(seeds.len() as u64).max(1);
        let depth = depth.unwrap_or_else(|| {
            let fine = profile.depth_with(profile.visits() / unit_visits);
            let most = profile.depth_below(blocks as f64 * MOST_UNITS);
            fine.max(SYMMETRY_DEPTH).min(most).clamp(seed_depth, deepest)
        });
        Ok(Self { size, profile, seeds, seed_visits, blocks, depth })
    }

    /// Rows expanded into prefixes.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// The estimated sizes of the levels of the search tree.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The seeds of a block: runs of equal length, give or take one.
    fn seeds_of(&self, number: u64) -> Range<usize> {
        let bound =
            |block: u64| (u128::from(block) * self.seeds.len() as u128 / u128::from(self.blocks)) as usize;
        bound(number)..bound(number + 1)
    }

    fn block_of(&self, number: u64, prefixes: &[Prefix], visits: u64) -> Block {
        Block {
            number,
            context: Vec::new(),
            units: prefixes.iter().map(|prefix| self.unit(prefix)).collect(),
            weights: prefixes.iter().map(|prefix| prefix.weight).collect(),
            visits,
            kernel: 0,
        }
    }

    /// Rows left below a prefix.
    const fn rows(&self) -> u32 {
        self.size.get() - self.depth
    }

    /// Whether the diagonals of the kernel need two words.
    const fn is_wide(&self) -> bool {
        self.size.get() + self.rows() > 34
    }

    /// A unit that no prefix has: as many rows as the kernel takes, so that its diagonals reach into the second
    /// word, but too few free columns to fill them, so that it is soon walked. It has visits and no solution.
    fn wide_unit(&self, highest: bool, rng: &mut ChaCha8Rng) -> Unit {
        let full = self.size.full();
        let free = if highest {
            full & !(full >> 10)
        } else {
            (0..8).fold(0, |free, _| free | prefix::pick(full & !free, rng).unwrap_or(0))
        };
        let [left, right] =
            [0; 2].map(|_: u32| (0..4).fold(0, |taken, _| taken | prefix::pick(full, rng).unwrap_or(0)));
        [full & !free, left, right, self.rows(), 0, 0, 0, 0]
    }

    /// The words of a unit: columns, left and right diagonals as seen from its first row, rows left, then the
    /// values from which its count and visits start (0 but in the self-test).
    fn unit(&self, prefix: &Prefix) -> Unit {
        [prefix.columns, prefix.left, prefix.right, self.size.get() - prefix.depth, 0, 0, 0, 0]
    }
}

impl Method for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn kernels(&self) -> Vec<Kernel> {
        let n = self.size.get();
        // the last row is counted, not walked; one word at least keeps the array valid
        let levels = self.rows().saturating_sub(1).max(1);
        vec![Kernel {
            name: "search",
            source: SOURCE.concat(),
            overrides: vec![
                ("N", f64::from(n)),
                ("LEVELS", f64::from(levels)),
                ("WIDE", f64::from(u8::from(self.is_wide()))),
            ],
            contexts: 0,
            workgroup_bytes_per_invocation: 4 * levels,
            workgroup_bytes: 32,
            grain: Grain::Invocation,
        }]
    }

    fn blocks(&self) -> u64 {
        self.blocks
    }

    fn cost(&self, number: u64) -> f64 {
        let share = self.seeds_of(number).len().max(1) as f64 / self.seeds.len().max(1) as f64;
        (self.profile.visits() * share).max(1.0)
    }

    fn units(&self) -> f64 {
        self.profile.prefixes(self.depth)
    }

    fn block(&self, number: u64) -> Block {
        let mut visits = if number == 0 { self.seed_visits } else { 0 };
        let seeds = self.seeds[self.seeds_of(number)].to_vec();
        let prefixes = expand(self.size, seeds, self.depth, &mut visits);
        self.block_of(number, &prefixes, visits)
    }

    fn split(&self, block: &Block, unit: usize) -> Option<Block> {
        let [columns, left, right, rows, preset @ ..] = block.units[unit];
        // the last row takes one step: no kernel runs out in it
        if rows <= 1 {
            return None;
        }
        let depth = self.size.get() - rows;
        let prefix = Prefix { columns, left, right, depth, weight: 1, symmetric: false };
        let mut visits = 0;
        let children = expand(self.size, vec![prefix], depth + 1, &mut visits);
        let mut parts = self.block_of(block.number, &children, visits);
        if let Some(first) = parts.units.first_mut() {
            // what the unit started from is part of what it counts
            first[4..].copy_from_slice(&preset);
        }
        Some(parts)
    }

    fn count(&self, block: &Block, unit: usize, budget: u64) -> Record {
        count::count(self.size.full(), &block.units[unit], unit as u32, budget)
    }

    fn reference(&self, block: &Block, unit: usize) -> u64 {
        let [columns, left, right, rows, preset @ ..] = block.units[unit];
        let mut counted = ladder::Counted { solutions: join_words([preset[0], preset[1]]), visits: 0 };
        ladder::bitmask::below(self.size.full(), columns, left, right, rows, &mut counted);
        counted.solutions
    }

    fn self_test(&self) -> SelfTest {
        const UNITS: u32 = 96;
        const NEAR_WRAP: u64 = (1 << 32) - 2;
        let n = self.size.get();
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut units = Vec::new();
        for number in 0..UNITS {
            // most are tiny, the last are as deep as the kernel's stack where that is soon walked
            let rows = if number < UNITS - 8 { 1 + number % self.rows().min(7) } else { self.rows().min(11) };
            let Some(prefix) = prefix::random(self.size, n - rows, &mut rng) else { continue };
            let mut unit = self.unit(&prefix);
            if number % 2 == 1 {
                let [low, high] = split_words(NEAR_WRAP);
                unit[4..].copy_from_slice(&[low, high, low, high]);
            }
            units.push(unit);
        }
        if self.is_wide() {
            units.extend((0..24).map(|number| self.wide_unit(number % 3 == 0, &mut rng)));
        }
        let expected = |unit: &Unit| {
            let [columns, left, right, rows, preset @ ..] = *unit;
            let mut plain = ladder::Counted {
                solutions: join_words([preset[0], preset[1]]),
                visits: join_words([preset[2], preset[3]]),
            };
            ladder::bitmask::below(self.size.full(), columns, left, right, rows, &mut plain);
            Tally { count: plain.solutions, visits: plain.visits, bucket: 0 }
        };
        let expected = units.iter().map(expected).collect();
        let block = Block { weights: vec![1; units.len()], units, ..Block::default() };
        SelfTest { block, expected }
    }
}

#[cfg(test)]
mod tests;
