//! What is asked: a board, queens that are given, squares that are forbidden.

use std::fmt;

use crate::{Board, BoardSize, Error, Square, Symmetry};

/// Some queens are to be placed on a board so that no two attack each other, with some of them given and some squares
/// forbidden. Solutions are counted and listed on boards of up to 32x32; one solution is found on larger ones too.
///
/// ```text
/// 4  . . . .
/// 3  . . . #      4 queens on 4x4, with a2 (Q), none on d3 (#)
/// 2  Q . . .
/// 1  . . . .
///    a b c d
/// ```
///
/// ```
/// use ferz::Problem;
///
/// # fn main() -> Result<(), ferz::Error> {
/// // the eight queens, one of them on d1
/// let completion = Problem::queens(8)?.with_queen("d1".parse()?)?;
/// assert_eq!(completion.place(), 8);
/// // five queens on a board of six ranks and nine files, none of them on a1
/// let few = Problem::on("6x9".parse()?).placing(5)?.forbidding("a1".parse()?)?;
/// assert_eq!(few.to_string(), "5 queens on 6x9, none on a1");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    board: Board,
    place: u32,
    /// Sorted, each once.
    given: Vec<Square>,
    /// Sorted, each once.
    forbidden: Vec<Square>,
}

impl Problem {
    /// The plain puzzle of N queens on N x N squares.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless 1 <= `n` <= [`Board::MAX_SIDE`].
    pub fn queens(n: u32) -> Result<Self, Error> {
        Board::square(n).map(Self::on)
    }

    /// As many queens as fit on a board: one in each rank or in each file.
    #[must_use]
    pub fn on(board: Board) -> Self {
        Self { board, place: board.max_queens(), given: Vec::new(), forbidden: Vec::new() }
    }

    /// The same with `place` queens in all; ranks and files may stay empty.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the board has too few ranks or files for them, or more queens are given already.
    pub fn placing(self, place: u32) -> Result<Self, Error> {
        let max = self.board.max_queens();
        if place > max {
            return Err(Error::usage(
                format!(
                    "{place} queens do not fit on a board of {}: two would share a rank or a file",
                    self.board
                ),
                format!("it takes from 0 to {max} queens"),
            ));
        }
        Self { place, ..self }.enough()
    }

    /// The same with one more given queen. One that attacks another is allowed: there is no solution then.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a square that is not on the board or forbidden, or one queen too many.
    pub fn with_queen(mut self, square: Square) -> Result<Self, Error> {
        self.board.require(square)?;
        insert(&mut self.given, square);
        self.enough()?.no_contradiction(square)
    }

    /// The same with a square on which no queen may stand.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a square that is not on the board or has a queen.
    pub fn forbidding(mut self, square: Square) -> Result<Self, Error> {
        self.board.require(square)?;
        insert(&mut self.forbidden, square);
        self.no_contradiction(square)
    }

    /// The board.
    #[must_use]
    pub const fn board(&self) -> Board {
        self.board
    }

    /// The number of queens to place, those given included.
    #[must_use]
    pub const fn place(&self) -> u32 {
        self.place
    }

    /// The given queens, sorted by rank, then by file.
    #[must_use]
    pub fn given(&self) -> &[Square] {
        &self.given
    }

    /// The squares on which no queen may stand, sorted by rank, then by file.
    #[must_use]
    pub fn forbidden(&self) -> &[Square] {
        &self.forbidden
    }

    /// Whether as many queens are placed as fit on the board.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.place == self.board.max_queens()
    }

    /// Whether as many queens are placed as fit on the board, none given and no square forbidden.
    #[must_use]
    pub fn is_unconstrained(&self) -> bool {
        self.is_full() && self.given.is_empty() && self.forbidden.is_empty()
    }

    /// N where N queens are placed on N x N squares, whatever is given or forbidden.
    #[must_use]
    pub fn n(&self) -> Option<u32> {
        (self.board.is_square() && self.is_full()).then_some(self.place)
    }

    /// The size of the board where this is the plain puzzle, and small enough to be counted.
    #[must_use]
    pub fn plain(&self) -> Option<BoardSize> {
        self.n().filter(|_| self.is_unconstrained()).and_then(|n| BoardSize::new(n).ok())
    }

    /// Refuses a board that is too large to count on.
    pub(crate) fn require_countable(&self) -> Result<(), Error> {
        self.board.at_most(BoardSize::MAX, "a count")
    }

    /// Refuses fewer queens than fit on the board, for a `user` that has one in every rank or in every file.
    pub(crate) fn require_full(&self, user: &str) -> Result<(), Error> {
        if self.is_full() {
            return Ok(());
        }
        Err(Error::usage(
            format!("{user} does not go with {self}"),
            format!("it places {} queens on this board", self.board.max_queens()),
        ))
    }

    /// The size of the board of the plain puzzle, for what answers nothing else.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where something is given or forbidden, or not N queens are placed on N x N squares, 1 <= N <= 32.
    pub(crate) fn require_plain(&self, what: &str) -> Result<BoardSize, Error> {
        self.require_countable()?;
        self.plain().ok_or_else(|| {
            Error::usage(
                format!("{what} does not go with {self}"),
                "it is for N queens on N x N squares, none given and none forbidden: omit it, `method` search counts any problem",
            )
        })
    }

    /// The symmetries of the board that map the problem onto itself, the identity first.
    #[must_use]
    pub fn symmetries(&self) -> Vec<Symmetry> {
        let keeps = |symmetry: &Symmetry| {
            let image = |squares: &[Square]| symmetry.image(self.board, squares);
            image(&self.given) == self.given && image(&self.forbidden) == self.forbidden
        };
        Symmetry::of(self.board).filter(keeps).collect()
    }

    /// The same problem with ranks and files exchanged: its solutions are the transposed ones.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let transposed = |squares: &[Square]| Symmetry::TRANSPOSITION.image(self.board, squares);
        Self {
            board: self.board.transposed(),
            place: self.place,
            given: transposed(&self.given),
            forbidden: transposed(&self.forbidden),
        }
    }

    /// Whether two given queens attack each other, so that nothing can be completed.
    #[must_use]
    pub fn is_contradictory(&self) -> bool {
        let attacked = |at: usize| self.given[..at].iter().any(|other| other.attacks(self.given[at]));
        (0..self.given.len()).any(attacked)
    }

    fn enough(self) -> Result<Self, Error> {
        if self.given.len() <= self.place as usize {
            return Ok(self);
        }
        Err(Error::usage(
            format!("more queens are given ({}) than are placed in all ({})", self.given.len(), self.place),
            "give fewer queens, or place more",
        ))
    }

    fn no_contradiction(self, square: Square) -> Result<Self, Error> {
        if self.given.contains(&square) && self.forbidden.contains(&square) {
            return Err(Error::usage(
                format!("{square} has a queen and is forbidden"),
                "omit one of the two",
            ));
        }
        Ok(self)
    }
}

/// Inserts into a sorted list, once.
fn insert(squares: &mut Vec<Square>, square: Square) {
    if let Err(at) = squares.binary_search(&square) {
        squares.insert(at, square);
    }
}

impl fmt::Display for Problem {
    /// In words: `8 queens on 8x8, with d1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} queens on {}", self.place, self.board)?;
        for (word, squares) in [("with", &self.given), ("none on", &self.forbidden)] {
            for (at, square) in squares.iter().enumerate() {
                write!(f, "{}{square}", if at == 0 { format!(", {word} ") } else { " ".into() })?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Options,
        method::{join::Join, ladder, search::Search},
    };

    /// Problems on boards of at most so many ranks and files, some queens given, some squares forbidden; as many queens as
    /// fit on the board where `full` says so, else any number.
    pub fn any_problem(max: (u32, u32), full: impl Strategy<Value = bool>) -> impl Strategy<Value = Problem> {
        let squares = |most| prop::collection::vec((0..max.0, 0..max.1), 0..=most);
        let any = (1..=max.0, 1..=max.1, 0..=max.0, squares(2), squares(12), full);
        any.prop_map(|(ranks, files, place, given, forbidden, full)| {
            let board = Board::new(ranks, files).unwrap_or_else(|error| panic!("{error}"));
            let on = |(rank, file): (u32, u32)| Square { rank: rank % ranks, file: file % files };
            let mut problem = Problem::on(board);
            if !full {
                problem = problem.clone().placing(place % (board.max_queens() + 1)).unwrap_or(problem);
            }
            // what does not fit is omitted
            for square in given {
                problem = problem.clone().with_queen(on(square)).unwrap_or(problem);
            }
            for square in forbidden {
                problem = problem.clone().forbidding(on(square)).unwrap_or(problem);
            }
            problem
        })
    }

    fn square(name: &str) -> Square {
        name.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn what_does_not_fit_is_refused() -> Result<(), Error> {
        let eight = Problem::queens(8)?;
        let refused = [
            eight.clone().placing(9),
            eight.clone().with_queen(square("i1")),
            eight.clone().with_queen(square("a9")),
            eight.clone().forbidding(square("a9")),
            eight.clone().forbidding(square("c3"))?.with_queen(square("c3")),
            eight.clone().with_queen(square("c3"))?.forbidding(square("c3")),
            eight.clone().placing(0)?.with_queen(square("c3")),
            eight.clone().with_queen(square("c3"))?.placing(0),
        ];
        for refused in refused {
            assert!(matches!(refused, Err(Error::Usage { .. })), "{refused:?}");
        }
        Ok(())
    }

    #[test]
    fn no_method_counts_on_a_board_that_is_too_large() -> Result<(), Error> {
        let large = Problem::queens(33)?;
        assert_eq!(large.plain(), None);
        for refused in [
            ladder::bitmask::count(&large).err(),
            ladder::backtrack::count(&large).err(),
            ladder::permutations::count(&large).err(),
            Search::new(&large, None, 1.0).err(),
            Join::new(&large).err(),
            crate::count(&large, &Options::default(), &mut |_| {}).err(),
        ] {
            assert!(matches!(refused, Some(Error::Usage { .. })), "{refused:?}");
        }
        Ok(())
    }

    #[test]
    fn a_square_twice_is_the_square_and_order_does_not_matter() -> Result<(), Error> {
        let build = |names: &[&str]| {
            names.iter().try_fold(Problem::queens(8)?, |problem, name| problem.with_queen(square(name)))
        };
        assert_eq!(build(&["d1", "a2", "d1"]), build(&["a2", "d1"]));
        assert_eq!(build(&["d1", "a2"])?.to_string(), "8 queens on 8x8, with d1 a2");
        Ok(())
    }

    #[test]
    fn the_symmetries_are_those_that_the_constraints_allow() -> Result<(), Error> {
        let number = |problem: Problem| problem.symmetries().len();
        assert_eq!(number(Problem::queens(8)?), 8);
        assert_eq!(number(Problem::on(Board::new(6, 9)?)), 4);
        assert_eq!(number(Problem::queens(8)?.with_queen(square("d1"))?), 1);
        // on a diagonal: the transposition is left
        assert_eq!(number(Problem::queens(8)?.with_queen(square("b2"))?), 2);
        // the middle of an odd board, then a rectangle of squares around it
        let middle = Problem::queens(9)?.with_queen(square("e5"))?;
        assert_eq!(number(middle.clone()), 8);
        let half = middle.forbidding(square("b1"))?.forbidding(square("h9"))?;
        assert_eq!(number(half.clone()), 2);
        let both = half.forbidding(square("h1"))?.forbidding(square("b9"))?;
        assert_eq!(number(both), 4);
        Ok(())
    }
}
