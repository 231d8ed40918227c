//! Backtracking with a rank's conflicts as bits: the reference of everything faster.
//!
//! Files and both diagonals are bit sets as seen from the current rank; a step to the next rank shifts the diagonals
//! by one. Cost: the same visits as [`super::backtrack`], each a handful of instructions. No symmetry, no
//! unrolling: plain on purpose. The idea is folklore; see Martin Richards, *Backtracking algorithms in MCPL
//! using bit patterns and recursion* (1997).

use super::{Counted, Rank, ranks};
use crate::Problem;

/// Counts the solutions by recursion over bit sets.
#[must_use]
pub fn count(problem: &Problem) -> Counted {
    let mut counted = Counted::default();
    below(&ranks(problem), 0, 0, 0, problem.place(), &mut counted);
    counted
}

/// Counts the ways to place `queens` queens on the last ranks, where `files`, `left` and `right` are the files and
/// diagonals taken, as seen from the first of these ranks (`left` moves towards higher files).
fn below(ranks: &[Rank], files: u32, left: u32, right: u32, queens: u32, counted: &mut Counted) {
    let Some((rank, rest)) = ranks.split_first() else {
        counted.solutions += 1;
        return;
    };
    if !rank.given && queens <= rest.len() as u32 {
        below(rest, files, left << 1, right >> 1, queens, counted);
    }
    if queens == 0 {
        return;
    }
    let mut free = rank.open & !(files | left | right);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        counted.visits += 1;
        below(rest, files | queen, (left | queen) << 1, (right | queen) >> 1, queens - 1, counted);
    }
}
