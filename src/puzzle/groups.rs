//! All orbits of solutions of a board, in the groups of the classic tables: each image with its number in lexicographic order.
//!
//! To find numbers, all solutions are kept, 8 bytes each, and looked up by binary search: 118 MB at N = 16.

use std::ops::ControlFlow;

use super::list;
use crate::{
    Board, CancelToken, Class, Error, Placement, Problem,
    board::symmetry::{is_fundamental, orbit},
};

/// The longest side: a rank takes 4 bits, and 15 is a file without a queen.
pub const MAX_SIDE: u32 = 16;

/// The maximum number of solutions that are kept.
const MAX_SOLUTIONS: usize = 16_000_000;

/// Solutions between two checks of the token.
const LOOK: usize = 1 << 12;

/// An orbit of solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// Its number in the order of the first images, from 1.
    pub number: u64,
    /// The class of its members.
    pub class: Class,
    /// Its members in lexicographic order, with their numbers.
    pub images: Vec<(u64, Placement)>,
}

impl Group {
    /// The sum of the numbers of its images. Where no file is empty, a solution and its mirror image have numbers
    /// that add up to the number of all solutions and one more, so that this is half of that for each image.
    #[must_use]
    pub fn sum(&self) -> u64 {
        self.images.iter().map(|(number, _)| number).sum()
    }
}

/// Calls `visit` with every group of solutions of an empty board, in order, until it breaks; returns whether all groups
/// were visited.
///
/// # Errors
///
/// [`Error::Usage`] for a side above [`MAX_SIDE`], and where there are more than 16,000,000 solutions;
/// [`Error::Cancelled`].
pub fn each(
    board: Board,
    cancel: &CancelToken,
    mut visit: impl FnMut(&Group) -> ControlFlow<()>,
) -> Result<bool, Error> {
    check(board)?;
    let mut solutions: Vec<u64> = Vec::new();
    let listed = list::each(&Problem::on(board), u64::MAX, cancel, |_, solution| {
        if solutions.len() == MAX_SOLUTIONS {
            return ControlFlow::Break(());
        }
        solutions.push(packed(solution));
        ControlFlow::Continue(())
    })?;
    if !listed.complete {
        return Err(Error::usage(
            format!("the board has more than {MAX_SOLUTIONS} solutions, too many to number their images"),
            "give a smaller board, or list one solution of each group with `unique`",
        ));
    }
    let mut image = Placement::blank(board);
    let mut solution = Placement::blank(board);
    let mut number = 0;
    for (at, &word) in solutions.iter().enumerate() {
        if at.is_multiple_of(LOOK) {
            cancel.check()?;
        }
        unpack(word, &mut solution);
        if !is_fundamental(&solution, &mut image) {
            continue;
        }
        number += 1;
        let numbered = |image: Placement| {
            // every image of a solution is one, and so it is found
            let number = solutions.partition_point(|&word| word < packed(&image)) as u64 + 1;
            (number, image)
        };
        let images = orbit(&solution).into_iter().map(numbered).collect();
        if visit(&Group { number, class: Class::of(&solution), images }).is_break() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Refuses a board whose groups cannot be listed.
pub(crate) fn check(board: Board) -> Result<(), Error> {
    board.at_most(MAX_SIDE, "a table of groups")
}

/// A placement as a number that keeps the order: 4 bits a file.
fn packed(placement: &Placement) -> u64 {
    placement.queens().fold(0, |word, rank| word << 4 | u64::from(rank.unwrap_or(15)))
}

fn unpack(word: u64, placement: &mut Placement) {
    let (ranks, files) = (placement.ranks(), placement.files());
    for file in 0..files {
        let rank = (word >> (4 * (files - 1 - file)) & 15) as u32;
        placement.set(file, (rank < ranks).then_some(rank));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::list::tests::all;

    #[test]
    fn groups_hold_every_solution_once_and_their_numbers_add_up() -> Result<(), Error> {
        for (ranks, files) in [(1, 1), (4, 4), (5, 5), (8, 8), (9, 9), (4, 6), (6, 4), (2, 5), (16, 2)] {
            let board = Board::new(ranks, files)?;
            let solutions = all(&Problem::on(board));
            let mut seen = Vec::new();
            let ended = each(board, &CancelToken::default(), |group| {
                if ranks >= files {
                    assert_eq!(2 * group.sum(), group.images.len() as u64 * (solutions.len() as u64 + 1));
                }
                seen.extend(group.images.iter().cloned());
                ControlFlow::Continue(())
            })?;
            assert!(ended);
            seen.sort_unstable();
            assert!(seen.into_iter().eq((1..).zip(solutions)), "{board}");
        }
        Ok(())
    }

    #[test]
    fn large_boards_are_refused_and_a_visitor_can_stop() -> Result<(), Error> {
        let cancel = CancelToken::default();
        let refused = each(Board::square(17)?, &cancel, |_| unreachable!());
        assert!(matches!(refused, Err(Error::Usage { .. })));
        assert_eq!(each(Board::square(8)?, &cancel, |_| ControlFlow::Break(())), Ok(false));
        Ok(())
    }
}
