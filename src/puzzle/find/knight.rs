//! One solution by knight's moves: the queens stand in two runs, two ranks and one file apart.
//!
//! For even N; for odd N the solution of N-1 with a queen in the far corner, which works because none of them
//! has a queen on the main diagonal. Source: Pauls, *Das Maximalproblem der Damen auf dem Schachbrete* (1874),
//! in the form of Hoffman, Loessi, Moore (1969).

use super::side_of_square;
use crate::{Board, Error, Placement};

/// A solution for an empty square board, or none for N = 2 and 3.
///
/// # Errors
///
/// [`Error::Usage`] where the board is not square.
pub fn solution(board: Board) -> Result<Option<Placement>, Error> {
    let n = side_of_square(board, "knight")?;
    if matches!(n, 2 | 3) {
        return Ok(None);
    }
    let even = n - n % 2;
    let mut ranks = if even % 6 == 2 { split_runs(even) } else { runs(even) };
    if n % 2 == 1 {
        ranks.push(n - 1);
    }
    Ok(Some(Placement::full(n, ranks)))
}

/// Even N that is not 2 mod 6: ranks 2, 4, ..., then 1, 3, ...
fn runs(n: u32) -> Vec<u32> {
    (1..n).step_by(2).chain((0..n).step_by(2)).collect()
}

/// Even N that is 2 mod 6, from 8 on: shorter runs, and three queens more at each end and in the middle.
fn split_runs(n: u32) -> Vec<u32> {
    let half = n / 2;
    // ranks and files from 1, as in the books
    let mut ranks = vec![0; n as usize];
    let mut set = |file: u32, rank: u32| ranks[file as usize - 1] = rank - 1;
    (2..=half - 2).zip((3..).step_by(2)).for_each(|(file, rank)| set(file, rank));
    (half + 3..n).zip((6..).step_by(2)).for_each(|(file, rank)| set(file, rank));
    for (file, rank) in [(1, n - 3), (half - 1, 1), (half, n - 1), (half + 1, 2), (half + 2, n), (n, 4)] {
        set(file, rank);
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, puzzle::notation::tests::permutation};

    fn solved(n: u32) -> Option<Placement> {
        Board::square(n).and_then(solution).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_schemes_of_the_literature() {
        let eight = solved(8).unwrap_or_else(|| panic!("there is one"));
        assert_eq!(permutation(&eight), "5 3 1 7 2 8 6 4");
        assert_eq!(Class::of(&eight), Class::Point);
        assert_eq!(
            solved(14).map(|placement| permutation(&placement)).as_deref(),
            Some("11 3 5 7 9 1 13 2 14 6 8 10 12 4")
        );
        assert_eq!((solved(2), solved(3)), (None, None));
        assert_eq!(solved(1).map(|placement| permutation(&placement)).as_deref(), Some("1"));
    }

    #[test]
    fn every_scheme_to_2000_is_a_solution() {
        for n in (4..=2000).chain([99_998, 99_999, 100_000, 100_001]) {
            assert!(solved(n).is_some_and(|placement| placement.is_solution()), "N = {n}");
        }
    }

    #[test]
    fn what_it_cannot_do_is_refused() -> Result<(), Error> {
        assert!(solution(Board::new(8, 9)?).is_err());
        Ok(())
    }
}
