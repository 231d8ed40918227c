//! The expected size of the search tree, level by level.
//!
//! Knuth's estimator: a random walk from the root that has c choices at a level multiplies its weight by c;
//! the mean weight at level d is the expected number of placements of d rows.
//! Source: D. E. Knuth, *Estimating the efficiency of backtrack programs*, Math. Comp. 29 (1975).
//! The walks are the same at every call, so that the blocks cut by it are too.

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Inner, Prefix, prefix};

/// Walks taken: 1 to 5 % of error in the total, in some milliseconds.
const WALKS: u32 = 8192;

/// Estimated number of prefixes with 0, 1, ... rows filled below the border.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    levels: Vec<f64>,
}

impl Profile {
    /// Samples the trees below some prefixes.
    #[must_use]
    pub fn of(inner: &Inner, seeds: &[Prefix]) -> Self {
        let deepest = seeds.iter().map(|seed| seed.rows.count_ones()).max().unwrap_or_default();
        let mut levels = vec![0.0; deepest as usize + 1];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..if seeds.is_empty() { 0 } else { WALKS } {
            let mut prefix = seeds[rng.random_range(0..seeds.len())];
            let mut weight = seeds.len() as f64 / f64::from(WALKS);
            for level in &mut levels {
                *level += weight;
                if prefix.rows == 0 {
                    break;
                }
                let row = prefix.rows.trailing_zeros();
                let free = inner.free(&prefix, row);
                let Some(queen) = prefix::pick(free, &mut rng) else { break };
                weight *= f64::from(free.count_ones());
                prefix = inner.with(&prefix, row, queen);
            }
        }
        Self { levels }
    }

    /// Expected visits of the whole search, the border aside.
    #[must_use]
    pub fn visits(&self) -> f64 {
        self.levels[1..].iter().sum()
    }

    /// Expected number of prefixes of a depth.
    #[must_use]
    pub fn prefixes(&self, depth: u32) -> f64 {
        self.levels.get(depth as usize).copied().unwrap_or_default()
    }

    /// The greatest depth that leaves a row to search, or 0.
    #[must_use]
    pub fn deepest(&self) -> u32 {
        self.levels.len().saturating_sub(2) as u32
    }

    /// The least depth with at least `count` prefixes, or the deepest.
    #[must_use]
    pub fn depth_with(&self, count: f64) -> u32 {
        (0..self.deepest()).find(|&depth| self.prefixes(depth) >= count).unwrap_or_else(|| self.deepest())
    }

    /// The greatest depth up to which there are at most `count` prefixes.
    #[must_use]
    pub fn depth_below(&self, count: f64) -> u32 {
        (0..self.deepest()).find(|&depth| self.prefixes(depth + 1) > count).unwrap_or_else(|| self.deepest())
    }
}
