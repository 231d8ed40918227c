//! What is counted.

use std::fmt;

use crate::{Board, BoardSize, Error, Square, symmetry::Transform};

/// The ways to place some queens on a board so that no two attack each other, with some of them given and some
/// squares forbidden.
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
    /// [`Error::Usage`] unless 1 <= `n` <= 32.
    pub fn queens(n: u32) -> Result<Self, Error> {
        Ok(Self::on(BoardSize::new(n)?.into()))
    }

    /// As many queens as there could be on a board: one in each rank or in each file.
    #[must_use]
    pub fn on(board: Board) -> Self {
        Self { board, place: board.most_queens(), given: Vec::new(), forbidden: Vec::new() }
    }

    /// The same with `place` queens in all; ranks and files may stay empty.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where the board has too few ranks or files for them, or more queens are given already.
    pub fn placing(self, place: u32) -> Result<Self, Error> {
        let most = self.board.most_queens();
        if place > most {
            return Err(Error::usage(
                format!(
                    "{place} queens do not fit on a board of {}: two would share a rank or a file",
                    self.board
                ),
                format!("it takes from 0 to {most} queens"),
            ));
        }
        Self { place, ..self }.enough()
    }

    /// The same with a queen that stands already. One that attacks another is allowed: the count is 0 then.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a square that is not on the board or forbidden, or one queen too many.
    pub fn with_queen(mut self, square: Square) -> Result<Self, Error> {
        self.on_board(square)?;
        insert(&mut self.given, square);
        self.enough()?.no_contradiction(square)
    }

    /// The same with a square on which no queen may stand.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a square that is not on the board or has a queen.
    pub fn forbidding(mut self, square: Square) -> Result<Self, Error> {
        self.on_board(square)?;
        insert(&mut self.forbidden, square);
        self.no_contradiction(square)
    }

    /// The board.
    #[must_use]
    pub const fn board(&self) -> Board {
        self.board
    }

    /// Queens in all, those given included.
    #[must_use]
    pub const fn place(&self) -> u32 {
        self.place
    }

    /// The queens that stand already, sorted.
    #[must_use]
    pub fn given(&self) -> &[Square] {
        &self.given
    }

    /// The squares on which no queen may stand, sorted.
    #[must_use]
    pub fn forbidden(&self) -> &[Square] {
        &self.forbidden
    }

    /// N where N queens are placed on N x N squares, whatever is given or forbidden.
    #[must_use]
    pub fn n(&self) -> Option<u32> {
        (self.board.is_square() && self.place == self.board.ranks()).then_some(self.place)
    }

    /// The size of the board where this is the plain puzzle.
    #[must_use]
    pub fn plain(&self) -> Option<BoardSize> {
        let free = self.given.is_empty() && self.forbidden.is_empty();
        self.n().filter(|_| free).and_then(|n| BoardSize::new(n).ok())
    }

    /// The size of the board of the plain puzzle, for what answers nothing else.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where something is given or forbidden, or not N queens are placed on N x N squares.
    pub(crate) fn require_plain(&self, what: &str) -> Result<BoardSize, Error> {
        self.plain().ok_or_else(|| {
            Error::usage(
                format!("{what} does not go with {self}"),
                "it is for N queens on N x N squares, none given and none forbidden: omit it, `method` search counts any problem",
            )
        })
    }

    /// The symmetries of the board that map the problem onto itself, the identity first.
    #[must_use]
    pub fn symmetries(&self) -> Vec<Transform> {
        let keeps = |transform: &Transform| {
            let image = |squares: &[Square]| transform.image(self.board, squares);
            image(&self.given) == self.given && image(&self.forbidden) == self.forbidden
        };
        Transform::of(self.board).filter(keeps).collect()
    }

    /// The same problem with ranks and files exchanged: its solutions are the transposed ones.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let transposed = |squares: &[Square]| {
            let mut image: Vec<Square> =
                squares.iter().map(|square| Square { rank: square.file, file: square.rank }).collect();
            image.sort_unstable();
            image
        };
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

    fn on_board(&self, square: Square) -> Result<(), Error> {
        if self.board.contains(square) {
            return Ok(());
        }
        let last = Square { rank: self.board.ranks() - 1, file: self.board.files() - 1 };
        Err(Error::usage(
            format!(
                "{square} is not on a board of {} ranks and {} files",
                self.board.ranks(),
                self.board.files()
            ),
            format!("its squares are a1 to {last}"),
        ))
    }

    fn enough(self) -> Result<Self, Error> {
        if self.given.len() <= self.place as usize {
            return Ok(self);
        }
        Err(Error::usage(
            format!("{} queens are given, but {} are to be placed in all", self.given.len(), self.place),
            "give fewer queens, or place more",
        ))
    }

    fn no_contradiction(self, square: Square) -> Result<Self, Error> {
        if self.given.contains(&square) && self.forbidden.contains(&square) {
            return Err(Error::usage(
                format!("{square} has a queen and is forbidden"),
                "leave one of the two away",
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
mod tests {
    use super::*;

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
