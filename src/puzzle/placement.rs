//! A placement: at most one queen on each file, attacking or not.

use crate::{Error, Square};

/// What stands for the rank of a file without a queen. It is above all ranks, and so such a file comes last in
/// lexicographic order.
const EMPTY: u32 = u32::MAX;

/// min(R, C) queens on a board of R ranks and C files, at most one on each file: on a square board the rank of
/// the queen on each file. Placements of one board are ordered lexicographically, file a first; a file without a
/// queen, which there is only where C > R, comes after all ranks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    ranks: u32,
    queens: Vec<u32>,
}

/// Which queens of a placement attack each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attacks {
    /// All pairs of queens on one rank or diagonal, whether or not others stand between.
    pub total: u64,
    /// Some of them, at most as many as was asked for.
    pub shown: Vec<(Square, Square)>,
}

impl Placement {
    /// A placement on `ranks` ranks, from the rank of the queen on each file, counted from 0, or none.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where a rank is off the board, or unless min(ranks, files) queens stand.
    pub fn new(ranks: u32, queens: impl IntoIterator<Item = Option<u32>>) -> Result<Self, Error> {
        Self::from_raw(ranks, queens.into_iter().map(|rank| rank.unwrap_or(EMPTY)).collect())
    }

    fn from_raw(ranks: u32, queens: Vec<u32>) -> Result<Self, Error> {
        super::Position::new(ranks, u32::try_from(queens.len()).unwrap_or(u32::MAX))?;
        let placed = queens.iter().filter(|&&rank| rank != EMPTY).count();
        let wanted = queens.len().min(ranks as usize);
        if let Some(file) = queens.iter().position(|&rank| rank != EMPTY && rank >= ranks) {
            let square = Square { rank: queens[file], file: file as u32 };
            return Err(Error::usage(
                format!("the queen on {square} is off the board"),
                format!("the board has {ranks} ranks: give a rank from 1 to {ranks} for each file"),
            ));
        }
        if placed != wanted {
            return Err(Error::usage(
                format!("{placed} queens are given for a board of {ranks} x {}", queens.len()),
                format!("give {wanted} queens, at most one on each file"),
            ));
        }
        Ok(Self { ranks, queens })
    }

    /// A placement made by this crate, with a queen on every file.
    pub(super) fn full(ranks: u32, queens: Vec<u32>) -> Self {
        debug_assert!(queens.iter().all(|&rank| rank < ranks));
        Self { ranks, queens }
    }

    /// A placement to be overwritten by [`Placement::set`].
    pub(super) fn blank(ranks: u32, files: u32) -> Self {
        Self { ranks, queens: vec![EMPTY; files as usize] }
    }

    /// Puts the queen of a file on a rank, or takes it away.
    pub(super) fn set(&mut self, file: u32, rank: Option<u32>) {
        self.queens[file as usize] = rank.unwrap_or(EMPTY);
    }

    /// Overwrites all files, where [`u32::MAX`] stands for a file without a queen.
    pub(super) fn copy_from(&mut self, queens: &[u32]) {
        self.queens.copy_from_slice(queens);
    }

    /// Overwrites the placement with one of another shape.
    pub(super) fn reshape(&mut self, ranks: u32, files: u32) {
        self.ranks = ranks;
        self.queens.clear();
        self.queens.resize(files as usize, EMPTY);
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
        Line::ALL.into_iter().all(|line| {
            let mut taken = Bits::new(self.lines());
            self.squares().all(|square| taken.insert(line.of(square, self.files())))
        })
    }

    /// Lines of one direction, at most.
    fn lines(&self) -> usize {
        self.ranks as usize + self.queens.len()
    }

    /// The pairs of queens that attack each other, counted in full and up to `most` of them shown.
    #[must_use]
    pub fn attacks(&self, most: usize) -> Attacks {
        let mut attacks = Attacks::default();
        for line in Line::ALL {
            let mut squares: Vec<(usize, Square)> =
                self.squares().map(|square| (line.of(square, self.files()), square)).collect();
            squares.sort_unstable();
            for together in squares.chunk_by(|left, right| left.0 == right.0) {
                let count = together.len() as u64;
                attacks.total += count * (count - 1) / 2;
                let pairs = together
                    .iter()
                    .enumerate()
                    .flat_map(|(at, &(_, right))| together[..at].iter().map(move |&(_, left)| (left, right)));
                let room = most - attacks.shown.len();
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

/// A direction in which queens attack. Files are left out: a placement has one queen on each at most.
#[derive(Clone, Copy)]
enum Line {
    Rank,
    Rising,
    Falling,
}

impl Line {
    const ALL: [Self; 3] = [Self::Rank, Self::Rising, Self::Falling];

    /// The number of the line of this direction through a square, below ranks + files.
    const fn of(self, square: Square, files: u32) -> usize {
        let (rank, file) = (square.rank as usize, square.file as usize);
        match self {
            Self::Rank => rank,
            Self::Rising => rank + files as usize - 1 - file,
            Self::Falling => rank + file,
        }
    }
}

/// A set of small numbers.
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `end`.
    pub(super) fn new(end: usize) -> Self {
        Self(vec![0; end.div_ceil(64)])
    }

    /// Adds a number; whether it was not there yet.
    pub(super) fn insert(&mut self, number: usize) -> bool {
        let (word, bit) = (&mut self.0[number / 64], 1 << (number % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.0[number / 64] & 1 << (number % 64) != 0
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
