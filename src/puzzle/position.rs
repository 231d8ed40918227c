//! A position to start from: the sides of the board, queens that already stand, squares that stay empty.

use crate::{Error, Square};

/// A position of the puzzle: a board of R ranks and C files on which min(R, C) queens are to stand so that none
/// attacks another, and what is on it already. Boards may be as large as [`Position::MAX_SIDE`], unlike those of a
/// [`crate::Problem`], whose solutions are counted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    ranks: u32,
    files: u32,
    queens: Vec<Square>,
    forbidden: Vec<Square>,
}

impl Position {
    /// The longest side.
    pub const MAX_SIDE: u32 = 10_000_000;

    /// An empty board of `ranks` x `files` squares.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless both sides are from 1 to [`Position::MAX_SIDE`].
    pub fn new(ranks: u32, files: u32) -> Result<Self, Error> {
        let sides = 1..=Self::MAX_SIDE;
        if sides.contains(&ranks) && sides.contains(&files) {
            return Ok(Self { ranks, files, queens: Vec::new(), forbidden: Vec::new() });
        }
        Err(Error::usage(
            format!("a board of {ranks} x {files} squares is out of range"),
            format!("both sides are whole numbers from 1 to {}", Self::MAX_SIDE),
        ))
    }

    /// An empty board of `n` x `n` squares.
    ///
    /// # Errors
    ///
    /// As [`Position::new`].
    pub fn square(n: u32) -> Result<Self, Error> {
        Self::new(n, n)
    }

    /// The board with queens that already stand on these squares, and squares where none may stand. A square
    /// given twice counts once; queens that attack each other leave no solution.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a square that is not on the board, or has a queen and is forbidden, and for more queens
    /// than are to stand.
    pub fn with(mut self, queens: &[Square], forbidden: &[Square]) -> Result<Self, Error> {
        for square in queens.iter().chain(forbidden) {
            if square.rank >= self.ranks || square.file >= self.files {
                let corner = Square { rank: self.ranks - 1, file: self.files - 1 };
                return Err(Error::usage(
                    format!("the square {square} is not on a board of {} x {}", self.ranks, self.files),
                    format!("its squares are a1 to {corner}"),
                ));
            }
        }
        for (list, squares) in [(&mut self.queens, queens), (&mut self.forbidden, forbidden)] {
            list.extend(squares);
            list.sort_unstable();
            list.dedup();
        }
        if let Some(square) = self.queens.iter().find(|queen| self.forbidden.binary_search(queen).is_ok()) {
            return Err(Error::usage(
                format!("{square} has a queen and is forbidden"),
                "leave one of the two away",
            ));
        }
        if self.queens.len() > self.place() as usize {
            return Err(Error::usage(
                format!("{} queens are given, but {} are to stand in all", self.queens.len(), self.place()),
                "give fewer queens",
            ));
        }
        Ok(self)
    }

    /// Ranks (rows), R.
    #[must_use]
    pub const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Files (columns), C.
    #[must_use]
    pub const fn files(&self) -> u32 {
        self.files
    }

    /// Queens to place, those that already stand counted: min(R, C).
    #[must_use]
    pub const fn place(&self) -> u32 {
        if self.ranks < self.files { self.ranks } else { self.files }
    }

    /// Queens that already stand, in order.
    #[must_use]
    pub fn queens(&self) -> &[Square] {
        &self.queens
    }

    /// Squares that stay empty, in order.
    #[must_use]
    pub fn forbidden(&self) -> &[Square] {
        &self.forbidden
    }

    /// Whether no queen stands yet and no square is forbidden.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.queens.is_empty() && self.forbidden.is_empty()
    }

    /// Whether no two of the queens that already stand attack each other.
    pub(super) fn is_consistent(&self) -> bool {
        let mut queens = self.queens.iter().enumerate();
        queens.all(|(at, queen)| self.queens[..at].iter().all(|other| !queen.attacks(*other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_and_squares_are_checked() -> Result<(), Error> {
        for (ranks, files) in [(0, 8), (8, 0), (Position::MAX_SIDE + 1, 1)] {
            assert!(matches!(Position::new(ranks, files), Err(Error::Usage { .. })), "{ranks} x {files}");
        }
        let off = Square { rank: 5, file: 0 };
        assert!(Position::new(6, 5)?.with(&[], &[off, off]).is_ok_and(|board| board.forbidden().len() == 1));
        let refused = Position::new(5, 6)?.with(&[], &[off]);
        assert!(refused.is_err_and(|error| error.hint().is_some_and(|hint| hint.contains("a1 to f5"))));
        Ok(())
    }

    #[test]
    fn queens_that_attack_each_other_are_seen_and_contradictions_refused() -> Result<(), Error> {
        let at = |rank, file| Square { rank, file };
        let board = |queens: &[Square], forbidden: &[Square]| Position::square(8)?.with(queens, forbidden);
        assert!(board(&[at(0, 0), at(2, 1)], &[at(5, 5)])?.is_consistent());
        assert!(!board(&[at(0, 0), at(7, 7)], &[])?.is_consistent());
        let nine = (0..8).map(|file| at(0, file)).chain([at(1, 0)]).collect::<Vec<_>>();
        for refused in [board(&[at(0, 0)], &[at(0, 0)]), board(&nine, &[])] {
            assert!(matches!(refused, Err(Error::Usage { .. })), "{refused:?}");
        }
        Ok(())
    }
}
