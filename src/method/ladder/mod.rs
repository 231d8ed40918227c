//! The ladder of plain counters. Each rung is short and honest, neither tuned nor slowed, and is checked
//! against another rung; the highest, [`bitmask`], is the reference for everything faster.
//!
//! | rung | looks at | N = 8 |
//! |---|---|---|
//! | [`permutations`] | every placement of one queen a row and column: N! | 40,320 boards |
//! | [`backtrack`] | every placement whose first rows hold no conflict | 2,056 placements |
//! | [`bitmask`] | the same placements, a row's conflicts as bits | 2,056 placements |

pub mod backtrack;
pub mod bitmask;
pub mod permutations;

use crate::{BoardSize, Problem};

/// A rank as [`bitmask`] sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rank {
    /// The files in which a queen may stand: that of the given queen where there is one.
    open: u32,
    /// Whether a queen is given, so that the rank may not stay empty.
    given: bool,
}

/// The ranks of a problem, the first first.
fn ranks(problem: &Problem) -> Vec<Rank> {
    let all = u32::MAX >> (BoardSize::MAX - problem.board().files());
    let files = |squares: &[crate::Square], rank| {
        squares
            .iter()
            .filter(|square| square.rank == rank)
            .fold(0u32, |files, square| files | 1 << square.file)
    };
    let rank = |rank| {
        let given = files(problem.given(), rank);
        // two in a rank attack each other
        let open = if given.count_ones() > 1 {
            0
        } else if given != 0 {
            given
        } else {
            all
        };
        Rank { open: open & !files(problem.forbidden(), rank), given: given != 0 }
    };
    (0..problem.board().ranks()).map(rank).collect()
}

/// What a rung says: solutions, and how many queens it placed (for [`permutations`], boards it tried).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Solutions of the puzzle.
    pub solutions: u64,
    /// Queens placed, the empty board not counted; for permutations the boards tried.
    pub visits: u64,
}

#[cfg(test)]
mod tests;
