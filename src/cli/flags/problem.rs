//! What is counted, as flags.

use clap::Args;

use crate::{Board, BoardSize, Error, Problem, Square, cli::flags};

/// The problem.
#[derive(Args, Debug)]
pub struct Puzzle {
    /// Queens, and side of the board: 1 to 32
    #[arg(
        value_name = "N",
        value_parser = flags::size,
        allow_negative_numbers = true,
        required_unless_present = "board",
        conflicts_with = "board"
    )]
    size: Option<BoardSize>,

    /// Ranks and files of the board, instead of N: 6x9
    #[arg(long, value_name = "RxC")]
    board: Option<Board>,

    /// Queens in all [default: as many as the board has ranks or files, whichever are fewer]
    #[arg(long, value_name = "K", value_parser = flags::place, allow_negative_numbers = true)]
    place: Option<u32>,

    /// A queen stands there already: d4 is file d, rank 4; may be given several times
    #[arg(long = "queen", value_name = "SQUARE")]
    queens: Vec<Square>,

    /// No queen may stand there; may be given several times
    #[arg(long = "forbid", value_name = "SQUARE")]
    forbidden: Vec<Square>,
}

impl Puzzle {
    /// The problem that the flags describe.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for what does not fit on the board.
    pub fn problem(&self) -> Result<Problem, Error> {
        let board = match (self.board, self.size) {
            (Some(board), _) => board,
            (None, Some(size)) => size.into(),
            (None, None) => return Err(Error::usage("no board is given", "give N, or --board RxC")),
        };
        let mut problem = Problem::on(board);
        if let Some(place) = self.place {
            problem = problem.placing(place)?;
        }
        let problem = self.queens.iter().try_fold(problem, |problem, &square| problem.with_queen(square))?;
        self.forbidden.iter().try_fold(problem, |problem, &square| problem.forbidding(square))
    }
}
