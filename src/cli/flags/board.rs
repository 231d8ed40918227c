//! Flags that describe a board of the puzzle.

use clap::Args;

use crate::{Error, Square, cli::flags, puzzle::Position};

/// N or --board, and what is on the board.
#[derive(Args, Debug)]
pub struct BoardFlags {
    /// A board of R ranks and C files instead of N x N
    #[arg(long, value_name = "RxC", value_parser = flags::sides, allow_hyphen_values = true)]
    board: Option<(u32, u32)>,

    /// A queen already stands there: d4 is file d, rank 4 (repeatable)
    #[arg(long, value_name = "SQUARE")]
    queen: Vec<Square>,

    /// No queen may stand there (repeatable)
    #[arg(long, value_name = "SQUARE")]
    forbid: Vec<Square>,
}

impl BoardFlags {
    /// The board of these flags, N x N unless they say otherwise.
    pub fn board(&self, n: Option<u32>) -> Result<Position, Error> {
        let (ranks, files) = match (n, self.board) {
            (Some(n), None) => (n, n),
            (None, Some(sides)) => sides,
            (Some(_), Some(_)) => {
                return Err(Error::usage("both N and --board are given", "give one of them"));
            }
            (None, None) => {
                return Err(Error::usage("no board is given", "give N, or --board RxC"));
            }
        };
        Position::new(ranks, files)?.with(&self.queen, &self.forbid)
    }
}
