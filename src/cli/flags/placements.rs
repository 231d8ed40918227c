//! Placements from the command line or from standard input.

use std::io::{self, BufRead, Read};

use clap::Args;

use crate::{Board, Error, Placement, cli::Failure, puzzle::notation};

/// The longest line that is read: ten million squares fit.
const LONGEST_LINE: u64 = 256 << 20;

#[derive(Args, Debug)]
pub struct PlacementFlags {
    /// Ranks of the queens on files a, b, ... (1 5 8 6 3 7 2 4), or their squares (a1 b5 c8 ...); - reads
    /// standard input, one placement a line
    #[arg(value_name = "PLACEMENT", required = true, num_args = 1.., allow_negative_numbers = true)]
    placement: Vec<String>,

    /// A board of R ranks and C files; a file without a queen is a - among the ranks [default: square]
    #[arg(long, value_name = "RxC", allow_hyphen_values = true)]
    board: Option<Board>,
}

impl PlacementFlags {
    /// Shows each placement to `visit`: see [`each`].
    pub fn each(&self, visit: impl FnMut(Placement) -> Result<(), Failure>) -> Result<(), Failure> {
        each(&self.placement, self.board, visit)
    }
}

/// Shows the placement of these words to `visit`, or for `-` each of standard input as soon as it is read.
///
/// # Errors
///
/// Those of `visit`, a placement that cannot be read, with its line, and standard input without one.
pub fn each(
    words: &[String],
    board: Option<Board>,
    mut visit: impl FnMut(Placement) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if words != ["-"] {
        return visit(notation::parse(&words.join(" "), board)?);
    }
    let mut input = io::stdin().lock();
    let (mut line, mut seen) = (Vec::new(), false);
    for number in 1u64.. {
        line.clear();
        if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).map_err(Failure::Read)? == 0 {
            break;
        }
        if let Some(placement) = of_line(&line, number, board)? {
            seen = true;
            visit(placement)?;
        }
    }
    if seen {
        return Ok(());
    }
    Err(Error::usage("standard input has no placement", "write one a line: 1 5 8 6 3 7 2 4").into())
}

/// The placement on a line of standard input; none on an empty one.
fn of_line(line: &[u8], number: u64, board: Option<Board>) -> Result<Option<Placement>, Error> {
    let here = |what: &str, hint: &str| Error::usage(format!("{what} (line {number} of the input)"), hint);
    if line.len() as u64 == LONGEST_LINE {
        return Err(here("a line is too long", "write one placement a line"));
    }
    let Ok(text) = str::from_utf8(line) else {
        return Err(here("a line is not UTF-8 text", "write placements in plain letters and digits"));
    };
    if text.trim().is_empty() {
        return Ok(None);
    }
    match notation::parse(text, board) {
        Err(Error::Usage { what, hint }) => Err(here(&what, &hint)),
        other => other.map(Some),
    }
}
