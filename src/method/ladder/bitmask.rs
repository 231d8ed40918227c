//! Backtracking with a row's conflicts as bits: the reference of everything faster.
//!
//! Columns and both diagonals are bit sets as seen from the current row; a step down shifts the diagonals
//! by one. Cost: the same visits as [`super::backtrack`], each a handful of instructions. No symmetry, no
//! unrolling: plain on purpose. The idea is folklore; see Martin Richards, *Backtracking algorithms in MCPL
//! using bit patterns and recursion* (1997).

use super::Counted;
use crate::BoardSize;

/// Counts the solutions by recursion over bit sets.
#[must_use]
pub fn count(size: BoardSize) -> Counted {
    let mut counted = Counted::default();
    below(size.full(), 0, 0, 0, size.get(), &mut counted);
    counted
}

/// Counts the ways to fill the last `rows` rows, where `columns`, `left` and `right` are the columns and
/// diagonals taken, as seen from the first of these rows (`left` moves towards higher columns).
pub fn below(full: u32, columns: u32, left: u32, right: u32, rows: u32, counted: &mut Counted) {
    if rows == 0 {
        counted.solutions += 1;
        return;
    }
    let mut free = full & !(columns | left | right);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        free ^= queen;
        counted.visits += 1;
        below(full, columns | queen, (left | queen) << 1, (right | queen) >> 1, rows - 1, counted);
    }
}
