//! Backtracking with conflict checks on an array: row by row, a queen goes where none of the earlier ones
//! attacks it.
//!
//! Cost: one visit for each valid placement of the first rows (OEIS A319284), and a check of all earlier
//! rows for each of the N columns tried below it.

use super::Counted;
use crate::BoardSize;

/// Counts the solutions by backtracking over an array of columns.
#[must_use]
pub fn count(size: BoardSize) -> Counted {
    let mut counted = Counted::default();
    place(&mut Vec::new(), size.get(), &mut counted);
    counted
}

/// Tries every column of the next row; `queens[row]` is the column of the queen in that row.
fn place(queens: &mut Vec<u32>, n: u32, counted: &mut Counted) {
    if queens.len() == n as usize {
        counted.solutions += 1;
        return;
    }
    for column in 0..n {
        if !attacked(queens, column) {
            counted.visits += 1;
            queens.push(column);
            place(queens, n, counted);
            queens.pop();
        }
    }
}

/// Whether a queen of an earlier row attacks `column` of the next row.
fn attacked(queens: &[u32], column: u32) -> bool {
    queens
        .iter()
        .rev()
        .zip(1..)
        .any(|(&queen, distance)| queen == column || queen.abs_diff(column) == distance)
}
