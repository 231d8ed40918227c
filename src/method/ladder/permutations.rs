//! Generate and test: walks all permutations of the files and tests both diagonals of each.
//!
//! Cost: N! boards of N queens, in lexicographic order. It knows nothing of pruning, which makes it the
//! one rung that cannot share a mistake with the others.

use super::Counted;
use crate::{Error, Problem};

/// The largest board it takes: 12! is 479,001,600.
pub const LARGEST: u32 = 12;

/// Counts the permutations in which no two queens share a diagonal, and that have the given queens and no forbidden
/// square.
///
/// # Errors
///
/// [`Error::Usage`] where the solutions are not permutations, or above N = 12, with the number of boards it would try.
pub fn count(problem: &Problem) -> Result<Counted, Error> {
    let Some(n) = problem.n() else {
        return Err(Error::usage(
            format!("the solutions of {problem} are not permutations"),
            "permutations places N queens on N x N squares; use `method` backtrack or a faster one",
        ));
    };
    if n > LARGEST {
        let boards: f64 = (1..=n).map(f64::from).product();
        return Err(Error::usage(
            format!("permutations would try {n}! = {boards:.3e} boards for N = {n}"),
            format!("it goes up to N = {LARGEST}; use `method` bitmask or a faster one"),
        ));
    }
    let mut queens: Vec<u32> = (0..n).collect();
    let mut counted = Counted::default();
    loop {
        counted.visits += 1;
        counted.solutions += u64::from(is_solution(problem, &queens));
        if !next_permutation(&mut queens) {
            return Ok(counted);
        }
    }
}

/// Whether no two queens share a diagonal and all is as the problem has it; `queens[rank]` is a file, all different.
fn is_solution(problem: &Problem, queens: &[u32]) -> bool {
    problem.given().iter().all(|given| queens[given.rank as usize] == given.file)
        && problem.forbidden().iter().all(|square| queens[square.rank as usize] != square.file)
        && (0..queens.len())
            .all(|a| (a + 1..queens.len()).all(|b| queens[a].abs_diff(queens[b]) as usize != b - a))
}

/// Steps to the next permutation in lexicographic order; false after the last.
fn next_permutation(items: &mut [u32]) -> bool {
    let Some(pivot) = items.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let swap = items.iter().rposition(|&item| item > items[pivot]).unwrap_or(pivot);
    items.swap(pivot, swap);
    items[pivot + 1..].reverse();
    true
}
