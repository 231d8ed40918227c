//! One solution of a problem, in several ways.
//!
//! | way | module |
//! |---|---|
//! | by a formula | [`explicit`], [`knight`] |
//! | by a random or a local search | [`las_vegas`], [`min_conflicts`] |
//! | from solutions of smaller boards | [`compose`] |
//! | by a complete search, where queens are given or squares forbidden | [`complete`] |

pub mod complete;
pub mod compose;
pub mod explicit;
pub mod knight;
pub mod las_vegas;
pub mod min_conflicts;

use crate::{Board, Error};

/// The side of a square board, for an algorithm that takes no other.
fn side_of_square(board: Board, algorithm: &str) -> Result<u32, Error> {
    if board.is_square() {
        return Ok(board.files());
    }
    Err(Error::usage(
        format!("{algorithm} is for square boards, not for {board}"),
        "explicit, backtrack and complete take any board",
    ))
}
