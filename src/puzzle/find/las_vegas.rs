//! Random tries: file by file a queen goes on a square chosen at random among those that are not attacked; where
//! there is none, the try has failed and the next starts from the empty board.
//!
//! A Las Vegas algorithm: it may fail, but never errs. Source: Brassard and Bratley, *Algorithmics* (1988); the
//! figures for N = 8 are success 0.129, 9 nodes for a success, 6.97 on average for a failure, about 56 in all
//! until the first success.

use fixedbitset::FixedBitSet;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::side_of_square;
use crate::{Board, CancelToken, Error, Placement};

/// The longest side: beyond, a try hardly ever succeeds.
pub const MAX_SIDE: u32 = 1000;

/// The maximum number of tries.
pub const MAX_TRIES: u64 = 10_000_000;

/// How many tries there were, and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tries {
    /// Tries that ended in a solution.
    pub successes: u64,
    /// Tries that ended where no square was free.
    pub failures: u64,
    /// Nodes of the successful ones: queens placed, and one a try for the empty board.
    pub success_nodes: u64,
    /// Nodes of the failed ones, counted in the same way.
    pub failure_nodes: u64,
}

impl Tries {
    /// The part of the tries that succeeded; none before the first try.
    #[must_use]
    pub fn success_rate(&self) -> Option<f64> {
        ratio(self.successes, self.successes + self.failures)
    }

    /// Nodes of a successful try on average; none if there was none.
    #[must_use]
    pub fn nodes_of_success(&self) -> Option<f64> {
        ratio(self.success_nodes, self.successes)
    }

    /// Nodes of a failed try on average; none if there was none.
    #[must_use]
    pub fn nodes_of_failure(&self) -> Option<f64> {
        ratio(self.failure_nodes, self.failures)
    }

    /// The nodes to expect until the first success: with success rate p, and s and f nodes for a success and a
    /// failure, s + f (1 - p) / p. None if there was no success.
    #[must_use]
    pub fn expected_nodes(&self) -> Option<f64> {
        ratio(self.success_nodes + self.failure_nodes, self.successes)
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Tries at random, from a seed.
#[derive(Debug)]
pub struct LasVegas {
    n: u32,
    random: ChaCha8Rng,
    tries: Tries,
    free: Vec<u32>,
}

impl LasVegas {
    /// Tries for an empty square board; equal seeds give equal tries on every machine.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the board is not square, or larger than [`MAX_SIDE`].
    pub fn new(board: Board, seed: u64) -> Result<Self, Error> {
        let n = side_of_square(board, "las-vegas")?;
        board.at_most(MAX_SIDE, "las-vegas")?;
        let random = ChaCha8Rng::seed_from_u64(seed);
        Ok(Self { n, random, tries: Tries::default(), free: Vec::new() })
    }

    /// What has been tried so far.
    #[must_use]
    pub const fn tries(&self) -> Tries {
        self.tries
    }

    /// Tries once: a solution, or none where the try failed.
    pub fn try_once(&mut self) -> Option<Placement> {
        let n = self.n as usize;
        let mut queens = Vec::with_capacity(n);
        let mut ranks = FixedBitSet::with_capacity(n);
        let mut rising = FixedBitSet::with_capacity(2 * n);
        let mut falling = FixedBitSet::with_capacity(2 * n);
        for file in 0..n {
            let attacked = |&rank: &u32| {
                let rank = rank as usize;
                ranks.contains(rank) || rising.contains(rank + n - 1 - file) || falling.contains(rank + file)
            };
            self.free.clear();
            self.free.extend((0..self.n).filter(|rank| !attacked(rank)));
            if self.free.is_empty() {
                self.tries.failures += 1;
                self.tries.failure_nodes += 1 + file as u64;
                return None;
            }
            let rank = self.free[self.random.random_range(0..self.free.len())];
            queens.push(rank);
            ranks.insert(rank as usize);
            rising.insert(rank as usize + n - 1 - file);
            falling.insert(rank as usize + file);
        }
        self.tries.successes += 1;
        self.tries.success_nodes += 1 + n as u64;
        Some(Placement::full(self.n, queens))
    }

    /// Tries until the first solution; none where the board has none, and after [`MAX_TRIES`] failures.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`].
    pub fn solve(&mut self, cancel: &CancelToken) -> Result<Option<Placement>, Error> {
        if matches!(self.n, 2 | 3) {
            return Ok(None);
        }
        for _ in 0..MAX_TRIES {
            cancel.check()?;
            if let Some(solution) = self.try_once() {
                return Ok(Some(solution));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_the_literature_for_eight_queens() -> Result<(), Error> {
        let mut las_vegas = LasVegas::new(Board::square(8)?, 1)?;
        for _ in 0..100_000 {
            if let Some(placement) = las_vegas.try_once() {
                assert!(placement.is_solution());
            }
        }
        let tries = las_vegas.tries();
        // the standard error of the rate is 0.001, that of the expected total about 0.5
        let near = |value: Option<f64>, expected: f64, by: f64| {
            assert!(value.is_some_and(|value| (value - expected).abs() < by), "{value:?}, not {expected}");
        };
        near(tries.success_rate(), 0.129, 0.005);
        near(tries.nodes_of_success(), 9.0, 1e-9);
        near(tries.nodes_of_failure(), 6.97, 0.03);
        near(tries.expected_nodes(), 56.0, 2.5);
        Ok(())
    }

    #[test]
    fn tries_end() -> Result<(), Error> {
        let cancel = CancelToken::default();
        for n in (1..=20).chain([40]) {
            let solved = LasVegas::new(Board::square(n)?, 7)?.solve(&cancel)?;
            assert_eq!(solved.is_none(), [2, 3].contains(&n), "N = {n}");
            assert!(solved.is_none_or(|placement| placement.is_solution()), "N = {n}");
        }
        let again = || LasVegas::new(Board::square(12)?, 5)?.solve(&cancel);
        assert_eq!(again()?, again()?);
        assert!(LasVegas::new(Board::square(MAX_SIDE + 1)?, 0).is_err());
        cancel.cancel();
        assert_eq!(LasVegas::new(Board::square(8)?, 0)?.solve(&cancel), Err(Error::Cancelled));
        Ok(())
    }
}
