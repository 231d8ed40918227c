//! Backtracking with conflict checks on an array: rank by rank, a queen goes where none of the earlier ones
//! attacks it.
//!
//! Cost: one visit for each valid placement of the first ranks (OEIS A319284), and a check of all earlier
//! queens for each of the files tried below it.

use super::Counted;
use crate::{Error, Problem, Square};

/// Counts the solutions by backtracking over an array of queens.
///
/// # Errors
///
/// [`Error::Usage`] for a side of the board above 32.
pub fn count(problem: &Problem) -> Result<Counted, Error> {
    problem.require_countable()?;
    let mut counted = Counted::default();
    below(problem, 0, &mut Vec::new(), &mut counted);
    Ok(counted)
}

/// Tries every file of a rank, and the rank left empty; `queens` are those on the ranks before.
fn below(problem: &Problem, rank: u32, queens: &mut Vec<Square>, counted: &mut Counted) {
    let (left, ranks) = (problem.place() - queens.len() as u32, problem.board().ranks() - rank);
    if left > ranks {
        return;
    }
    if ranks == 0 {
        counted.solutions += 1;
        return;
    }
    let given: Vec<Square> = problem.given().iter().copied().filter(|queen| queen.rank == rank).collect();
    if given.is_empty() {
        below(problem, rank + 1, queens, counted);
    }
    if left == 0 {
        return;
    }
    for file in 0..problem.board().files() {
        let square = Square { rank, file };
        // a queen elsewhere in the rank of a given one is attacked by it
        let attacked = given.iter().any(|&queen| queen != square && queen.attacks(square));
        if !attacked
            && !problem.forbidden().contains(&square)
            && !queens.iter().any(|queen| queen.attacks(square))
        {
            counted.visits += 1;
            queens.push(square);
            below(problem, rank + 1, queens, counted);
            queens.pop();
        }
    }
}
