//! Backtracking with a rank's conflicts as bits: the reference of everything faster.
//!
//! Files and both diagonals are bit sets as seen from the current rank; a step to the next rank shifts the diagonals
//! by one. Cost: the same visits as [`super::backtrack`], each a handful of instructions. No symmetry, no
//! unrolling: plain on purpose. The idea is folklore; see Martin Richards, *Backtracking algorithms in MCPL
//! using bit patterns and recursion* (1997).

use super::{Counted, Rank, ranks};
use crate::{Error, Problem, board::bits::bits};

/// Counts the solutions by recursion over bit sets.
///
/// ```
/// use ferz::{Problem, testing::method::ladder::bitmask};
///
/// # fn main() -> Result<(), ferz::Error> {
/// assert_eq!(bitmask::count(&Problem::queens(8)?)?.solutions, 92);
/// assert_eq!(bitmask::count(&Problem::queens(10)?)?.solutions, 724);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::Usage`] for a side of the board above 32.
pub fn count(problem: &Problem) -> Result<Counted, Error> {
    problem.require_countable()?;
    let mut counted = Counted::default();
    below(&ranks(problem), 0, 0, 0, problem.place(), &mut counted);
    Ok(counted)
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
    for queen in bits(rank.open & !(files | left | right)) {
        counted.visits += 1;
        below(rest, files | queen, (left | queen) << 1, (right | queen) >> 1, queens - 1, counted);
    }
}
