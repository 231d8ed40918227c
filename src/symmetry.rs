//! The eight symmetries of the square, four of which are those of any rectangle.

use crate::{Board, Square};

/// A symmetry: ranks reversed or not, then files, then both exchanged or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    flip_ranks: bool,
    flip_files: bool,
    transpose: bool,
}

impl Transform {
    /// All that map a board onto itself, the identity first: eight where it is square, else four (of which some
    /// may do the same on a board of one rank or file).
    pub fn of(board: Board) -> impl Iterator<Item = Self> {
        let bit = |number: u32, bit: u32| number >> bit & 1 == 1;
        (0..if board.is_square() { 8 } else { 4 }).map(move |number| Self {
            flip_ranks: bit(number, 0),
            flip_files: bit(number, 1),
            transpose: bit(number, 2),
        })
    }

    /// The image of a square of a board.
    #[must_use]
    pub const fn apply(self, board: Board, square: Square) -> Square {
        let rank = if self.flip_ranks { board.ranks() - 1 - square.rank } else { square.rank };
        let file = if self.flip_files { board.files() - 1 - square.file } else { square.file };
        if self.transpose { Square { rank: file, file: rank } } else { Square { rank, file } }
    }

    /// The image of a set of squares, sorted.
    #[must_use]
    pub fn image(self, board: Board, squares: &[Square]) -> Vec<Square> {
        let mut image: Vec<Square> = squares.iter().map(|&square| self.apply(board, square)).collect();
        image.sort_unstable();
        image
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn squares(board: Board) -> Vec<Square> {
        let of_rank = |rank| (0..board.files()).map(move |file| Square { rank, file });
        (0..board.ranks()).flat_map(of_rank).collect()
    }

    #[test]
    fn symmetries_permute_the_squares_and_keep_attacks() -> Result<(), crate::Error> {
        for (ranks, files, symmetries) in [(4, 4, 8), (3, 5, 4), (5, 3, 4), (2, 2, 8)] {
            let board = Board::new(ranks, files)?;
            let all = squares(board);
            let mut images = HashSet::new();
            for transform in Transform::of(board) {
                assert_eq!(transform.image(board, &all), all);
                images.insert(all.iter().map(|&square| transform.apply(board, square)).collect::<Vec<_>>());
                for &a in &all {
                    for &b in &all {
                        let [x, y] = [a, b].map(|square| transform.apply(board, square));
                        assert_eq!(a.attacks(b), x.attacks(y));
                    }
                }
            }
            assert_eq!(images.len(), symmetries, "{board}");
        }
        Ok(())
    }
}
