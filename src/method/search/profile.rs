//! The expected size of the search tree, level by level.
//!
//! Knuth's estimator: a random walk from the root that has c choices at a level multiplies its weight by c;
//! the mean weight at level d is the expected number of placements of d rows.
//! Source: D. E. Knuth, *Estimating the efficiency of backtrack programs*, Math. Comp. 29 (1975).
//! The walks are the same at every call, so that the blocks cut by it are too.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::prefix;
use crate::BoardSize;

/// Walks taken: 1 to 3 % of error in the total, in about a millisecond.
const WALKS: u32 = 2048;

/// Estimated number of placements of 0, 1, ... N rows under mirror symmetry.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    levels: Vec<f64>,
}

impl Profile {
    /// Samples the tree of a board.
    #[must_use]
    pub fn of(size: BoardSize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut levels = vec![0.0; size.get() as usize + 1];
        for _ in 0..WALKS {
            let (mut columns, mut left, mut right) = (0u32, 0u32, 0u32);
            let mut weight = 0.5 / f64::from(WALKS);
            for level in &mut levels {
                *level += weight;
                let free = size.full() & !(columns | left | right);
                let Some(queen) = prefix::pick(free, &mut rng) else { break };
                weight *= f64::from(free.count_ones());
                columns |= queen;
                left = (left | queen) << 1;
                right = (right | queen) >> 1;
            }
        }
        Self { levels }
    }

    /// Expected visits of the whole search.
    #[must_use]
    pub fn visits(&self) -> f64 {
        self.levels[1..].iter().sum()
    }

    /// Expected number of prefixes of a depth.
    #[must_use]
    pub fn prefixes(&self, depth: u32) -> f64 {
        self.levels.get(depth as usize).copied().unwrap_or_default()
    }

    /// The least depth with at least `count` prefixes, or the deepest that leaves a row to search.
    #[must_use]
    pub fn depth_with(&self, count: f64) -> u32 {
        let deepest = self.levels.len() - 2;
        (0..deepest).find(|&depth| self.levels[depth] >= count).unwrap_or(deepest) as u32
    }

    /// The greatest depth up to which there are at most `count` prefixes.
    #[must_use]
    pub fn depth_below(&self, count: f64) -> u32 {
        let deepest = self.levels.len() - 2;
        (0..deepest).find(|&depth| self.levels[depth + 1] > count).unwrap_or(deepest) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_near_the_exact_tree() -> Result<(), crate::Error> {
        // half of the plain trees' placements: OEIS A319284
        for (n, exact) in [(12, 428_095.0), (14, 13_568_960.0)] {
            let estimate = Profile::of(BoardSize::new(n)?).visits();
            assert!((estimate / exact - 1.0).abs() < 0.15, "N = {n}: {estimate} for {exact}");
        }
        Ok(())
    }

    #[test]
    fn depths_are_within_the_board_at_the_edges() -> Result<(), crate::Error> {
        let one = Profile::of(BoardSize::new(1)?);
        assert_eq!((one.depth_with(1e9), one.depth_below(1e9)), (0, 0));
        let largest = Profile::of(BoardSize::new(32)?);
        assert!(largest.depth_with(f64::INFINITY) == 31 && largest.depth_below(0.0) == 0);
        Ok(())
    }
}
