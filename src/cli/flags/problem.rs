//! The problem, as flags.

use clap::Args;

use crate::{Board, Error, Problem, Square, cli::flags::whole};

/// N or --board, and what is on the board; sides go up to `MAX`.
#[derive(Args, Debug)]
pub struct Puzzle<const MAX: u32> {
    #[arg(
        value_name = "N",
        help = format!("Queens, and side of the board: 1 to {MAX}"),
        value_parser = whole::<u32>("N", 1..=MAX),
        allow_negative_numbers = true,
        required_unless_present = "board",
        conflicts_with = "board"
    )]
    n: Option<u32>,

    /// A board of R ranks and C files instead of N x N: 6x9
    #[arg(long, value_name = "RxC", allow_hyphen_values = true)]
    board: Option<Board>,

    /// A queen is given on this square: d4 is file d, rank 4 (repeatable)
    #[arg(long = "queen", value_name = "SQUARE")]
    queens: Vec<Square>,

    /// No queen may stand on this square (repeatable)
    #[arg(long = "forbid", value_name = "SQUARE")]
    forbidden: Vec<Square>,
}

impl<const MAX: u32> Puzzle<MAX> {
    /// N, where it is given.
    pub fn n(&self) -> Option<u32> {
        self.n
    }

    /// The problem that the flags describe.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a board that is too large, and for squares that are not on it.
    pub fn problem(&self) -> Result<Problem, Error> {
        // clap requires one of the two
        let board = self.board.map_or_else(|| Board::square(self.n.unwrap_or_default()), Ok)?;
        board.at_most(MAX, "this command")?;
        let problem =
            self.queens.iter().try_fold(Problem::on(board), |problem, &square| problem.with_queen(square))?;
        self.forbidden.iter().try_fold(problem, |problem, &square| problem.forbidding(square))
    }
}
