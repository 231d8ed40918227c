//! One solution without a search: the list that depends on N mod 12.
//!
//! The even ranks in order, then the odd ones; depending on r = N mod 12 a few of them change places. Time and
//! memory grow with N. Source: folklore after Hoffman, Loessi, Moore, *Constructions for the solution of the m
//! queens problem* (1969). A text in circulation leaves out the exchange for r = 8 and prints 2 4 6 8 1 3 5 7,
//! where b4 and e1 attack each other.

use crate::{Board, Placement};

/// A solution for an empty board, or none where there is none: for 2x2 and 3x3. On a board that is not
/// square the solution of its shorter side stands in a corner.
#[must_use]
pub fn solution(board: Board) -> Option<Placement> {
    let (ranks, files) = (board.ranks(), board.files());
    let corner = match (board.max_queens(), board.is_square()) {
        (2 | 3, true) => return None,
        // 1 3 on three ranks, 2 4 1 on four: their transposes are 1 - 2 and 3 1 - 2
        (2, false) if ranks < files => vec![0, u32::MAX, 1],
        (2, false) => vec![0, 2],
        (3, false) if ranks < files => vec![2, 0, u32::MAX, 1],
        (3, false) => vec![1, 3, 0],
        (n, _) => list(n),
    };
    if board.is_square() {
        return Some(Placement::full(ranks, corner));
    }
    let mut placement = Placement::blank(board);
    for (file, rank) in (0..).zip(corner).filter(|&(_, rank)| rank != u32::MAX) {
        placement.set(file, Some(rank));
    }
    Some(placement)
}

/// The ranks, from 0, for N = 1 and N >= 4.
fn list(n: u32) -> Vec<u32> {
    let mut ranks: Vec<u32> = Vec::with_capacity(n as usize);
    ranks.extend((2..=n).step_by(2));
    let r = n % 12;
    if matches!(r, 3 | 9) {
        ranks.rotate_left(1);
    }
    let odd = ranks.len();
    ranks.extend((1..=n).step_by(2));
    match r {
        8 => ranks[odd..].chunks_exact_mut(2).for_each(|pair| pair.swap(0, 1)),
        // 1 3 5 7 ... becomes 3 1 7 ... 5
        2 => {
            ranks.swap(odd, odd + 1);
            ranks[odd + 2..].rotate_left(1);
        }
        // 1 3 5 ... becomes 5 ... 1 3
        3 | 9 => ranks[odd..].rotate_left(2),
        _ => {}
    }
    ranks.iter_mut().for_each(|rank| *rank -= 1);
    ranks
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Error, puzzle::notation::tests::permutation};

    fn solved(n: u32) -> Option<Placement> {
        solution(Board::square(n).unwrap_or_else(|error| panic!("{error}")))
    }

    #[test]
    fn the_lists_of_the_literature() {
        for (n, ranks) in [
            (8, "2 4 6 8 3 1 7 5"),
            (14, "2 4 6 8 10 12 14 3 1 7 9 11 13 5"),
            (15, "4 6 8 10 12 14 2 5 7 9 11 13 15 1 3"),
            (20, "2 4 6 8 10 12 14 16 18 20 3 1 7 5 11 9 15 13 19 17"),
            (1, "1"),
        ] {
            assert_eq!(solved(n).map(|placement| permutation(&placement)).as_deref(), Some(ranks), "N = {n}");
        }
        assert_eq!((solved(2), solved(3)), (None, None));
    }

    #[test]
    fn every_list_to_5000_is_a_solution() {
        for n in (1..=5000).filter(|n| ![2, 3].contains(n)) {
            assert!(solved(n).is_some_and(|placement| placement.is_solution()), "N = {n}");
        }
    }

    #[test]
    fn boards_that_are_not_square() -> Result<(), Error> {
        for (ranks, files) in (1..=14).flat_map(|ranks| (1..=14).map(move |files| (ranks, files))) {
            let solved = solution(Board::new(ranks, files)?);
            assert_eq!(solved.is_none(), ranks == files && [2, 3].contains(&ranks), "{ranks}x{files}");
            if let Some(placement) = solved {
                assert!(placement.is_solution(), "{ranks}x{files}");
                assert_eq!(placement.squares().count() as u32, ranks.min(files));
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn lists_beyond_are_solutions(n in 5001..300_000u32) {
            prop_assert!(solved(n).is_some_and(|placement| placement.is_solution()));
        }
    }
}
