//! A placement: at most one queen on each file, attacking or not.

use fixedbitset::FixedBitSet;

use super::{Board, square::Square};
use crate::Error;

/// The rank of a file without a queen. It is above all ranks, and so such a file comes last in lexicographic order.
pub(crate) const EMPTY: u32 = u32::MAX;

/// min(R, C) queens on a board of R ranks and C files, at most one on each file: on a square board the rank of
/// the queen on each file. Placements of one board are ordered lexicographically, file a first; a file without a
/// queen, which there is only where C > R, comes after all ranks.
///
/// ```text
/// 4  . Q . .
/// 3  . . . Q
/// 2  Q . . .      ranks 2 4 1 3
/// 1  . . Q .      squares a2 b4 c1 d3
///    a b c d
/// ```
///
/// ```
/// use ferz::Placement;
///
/// # fn main() -> Result<(), ferz::Error> {
/// // ranks count from 0
/// let placement = Placement::new(4, [1, 3, 0, 2].map(Some))?;
/// assert!(placement.is_solution());
/// assert!(placement.squares().map(|square| square.to_string()).eq(["a2", "b4", "c1", "d3"]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    ranks: u32,
    queens: Vec<u32>,
}

/// Which queens of a placement attack each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attacks {
    /// All pairs of queens on one rank or diagonal, whether or not there are others between them.
    pub total: u64,
    /// Some of them, at most as many as was asked for.
    pub shown: Vec<(Square, Square)>,
}

impl Placement {
    /// A placement on `ranks` ranks, from the rank of the queen on each file, counted from 0, or none.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where a rank is off the board, or unless there are min(ranks, files) queens.
    pub fn new(ranks: u32, queens: impl IntoIterator<Item = Option<u32>>) -> Result<Self, Error> {
        let queens: Vec<u32> = queens.into_iter().map(|rank| rank.unwrap_or(EMPTY)).collect();
        let board = Board::new(ranks, u32::try_from(queens.len()).unwrap_or(u32::MAX))?;
        let placement = Self { ranks, queens };
        placement.squares().try_for_each(|square| board.require(square))?;
        let (placed, wanted) = (placement.squares().count(), board.max_queens());
        if placed == wanted as usize {
            return Ok(placement);
        }
        Err(Error::usage(
            format!("{placed} queens are given for a board of {board}"),
            format!("give {wanted} queens, at most one on each file"),
        ))
    }

    /// A placement made by this crate, with a queen on every file.
    pub(crate) fn full(ranks: u32, queens: Vec<u32>) -> Self {
        debug_assert!(queens.iter().all(|&rank| rank < ranks));
        Self { ranks, queens }
    }

    /// A board without queens, to be filled by [`Placement::set`].
    pub(crate) fn blank(board: Board) -> Self {
        Self { ranks: board.ranks(), queens: vec![EMPTY; board.files() as usize] }
    }

    /// Puts the queen of a file on a rank, or takes it away.
    pub(crate) fn set(&mut self, file: u32, rank: Option<u32>) {
        self.queens[file as usize] = rank.unwrap_or(EMPTY);
    }

    /// Overwrites the ranks of all files, [`EMPTY`] for one without a queen.
    pub(crate) fn copy_from(&mut self, queens: &[u32]) {
        self.queens.copy_from_slice(queens);
    }

    /// Makes it the board without queens.
    pub(crate) fn clear(&mut self, board: Board) {
        self.ranks = board.ranks();
        self.queens.clear();
        self.queens.resize(board.files() as usize, EMPTY);
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> Board {
        Board { ranks: self.ranks, files: self.files() }
    }

    /// Ranks of the board.
    #[must_use]
    pub const fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Files of the board.
    #[must_use]
    pub fn files(&self) -> u32 {
        self.queens.len() as u32
    }

    /// The rank of the queen on each file, counted from 0, or none.
    pub fn queens(&self) -> impl DoubleEndedIterator<Item = Option<u32>> + ExactSizeIterator + Clone {
        self.queens.iter().map(|&rank| (rank != EMPTY).then_some(rank))
    }

    /// The squares of the queens, file by file.
    pub fn squares(&self) -> impl Iterator<Item = Square> + Clone {
        (0..).zip(self.queens()).filter_map(|(file, rank)| Some(Square { rank: rank?, file }))
    }

    /// Whether no queen attacks another. Takes time and memory in proportion to the sides of the board.
    #[must_use]
    pub fn is_solution(&self) -> bool {
        Direction::ALL.into_iter().all(|direction| self.has_no_two_on(direction))
    }

    /// Whether no line of a direction has two queens.
    pub(crate) fn has_no_two_on(&self, direction: Direction) -> bool {
        let mut taken = FixedBitSet::with_capacity(self.ranks as usize + self.queens.len());
        self.squares().all(|square| !taken.put(direction.line_of(square, self.files())))
    }

    /// The pairs of queens that attack each other, counted in full and up to `max` of them shown.
    #[must_use]
    pub fn attacks(&self, max: usize) -> Attacks {
        let mut attacks = Attacks::default();
        for direction in Direction::ALL {
            let mut squares: Vec<(usize, Square)> =
                self.squares().map(|square| (direction.line_of(square, self.files()), square)).collect();
            squares.sort_unstable();
            for together in squares.chunk_by(|left, right| left.0 == right.0) {
                let count = together.len() as u64;
                attacks.total += count * (count - 1) / 2;
                let pairs = together
                    .iter()
                    .enumerate()
                    .flat_map(|(at, &(_, right))| together[..at].iter().map(move |&(_, left)| (left, right)));
                let room = max - attacks.shown.len();
                attacks.shown.extend(pairs.take(room));
            }
        }
        // by file, which is how a placement is written
        for (left, right) in &mut attacks.shown {
            if left.file > right.file {
                std::mem::swap(left, right);
            }
        }
        attacks.shown.sort_unstable_by_key(|&(left, right)| (left.file, right.file));
        attacks
    }
}

/// A direction in which queens attack each other. Files are omitted: a placement has at most one queen on each.
///
/// The numbers of the lines of a board of 3x4:
///
/// ```text
/// 3   2 2 2 2   5 4 3 2   2 3 4 5
/// 2   1 1 1 1   4 3 2 1   1 2 3 4
/// 1   0 0 0 0   3 2 1 0   0 1 2 3
///     a b c d   a b c d   a b c d
///     Rank      Rising    Falling
/// ```
#[derive(Clone, Copy, Debug)]
pub(crate) enum Direction {
    /// Along a rank.
    Rank,
    /// From the lower left to the upper right.
    Rising,
    /// From the upper left to the lower right.
    Falling,
}

impl Direction {
    const ALL: [Self; 3] = [Self::Rank, Self::Rising, Self::Falling];

    /// The number of the line of this direction through a square, below ranks + files.
    pub(crate) const fn line_of(self, square: Square, files: u32) -> usize {
        let (rank, file) = (square.rank as usize, square.file as usize);
        match self {
            Self::Rank => rank,
            Self::Rising => rank + files as usize - 1 - file,
            Self::Falling => rank + file,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn placement(ranks: &[u32]) -> Placement {
        Placement::full(ranks.len() as u32, ranks.iter().map(|rank| rank - 1).collect())
    }

    #[test]
    fn what_is_no_placement_is_refused() {
        assert!(Placement::new(2, []).is_err());
        assert!(Placement::new(0, [None]).is_err());
        assert!(Placement::new(2, [Some(2), Some(0)]).is_err_and(|error| error.to_string().contains("a3")));
        assert!(Placement::new(2, [Some(1), None]).is_err(), "a queen is missing");
        assert!(Placement::new(2, [Some(1), None, Some(0)]).is_ok());
        assert!(Placement::new(2, [Some(1), Some(1), Some(0)]).is_err(), "a queen too many");
    }

    #[test]
    fn attacks_are_named_by_file() {
        // the text in circulation that is no solution
        let attacks = placement(&[2, 4, 6, 8, 1, 3, 5, 7]).attacks(20);
        let named: Vec<String> =
            attacks.shown.iter().map(|(left, right)| format!("{left}-{right}")).collect();
        assert_eq!((attacks.total, named.join(" ")), (3, "b4-e1 c6-f3 d8-g5".to_owned()));
    }

    proptest! {
        #[test]
        fn attacks_are_those_of_every_pair(ranks in prop::collection::vec(1..=9u32, 9)) {
            let placement = placement(&ranks);
            let squares: Vec<Square> = placement.squares().collect();
            let mut pairs = Vec::new();
            for (at, &right) in squares.iter().enumerate() {
                pairs.extend(squares[..at].iter().filter(|left| left.attacks(right)).map(|&left| (left, right)));
            }
            pairs.sort_unstable_by_key(|&(left, right)| (left.file, right.file));
            let attacks = placement.attacks(usize::MAX);
            prop_assert_eq!(attacks.total, pairs.len() as u64);
            prop_assert_eq!(placement.is_solution(), pairs.is_empty());
            prop_assert_eq!(&attacks.shown, &pairs);
            prop_assert_eq!(placement.attacks(2).shown.len(), pairs.len().min(2));
        }
    }
}
