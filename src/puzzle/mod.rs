//! The puzzle around the count: one solution, all solutions, groups, properties, the nearest solution, tilings.
//!
//! A [`Placement`] has at most one queen on each file of a [`Position`]; on a square board it is the rank of the
//! queen on each file. One idea a file:
//!
//! | question | module |
//! |---|---|
//! | How is a placement written, read, drawn? | [`notation`], [`draw`] |
//! | What are all solutions, in order? | [`list`] |
//! | Which solutions are images of each other? | [`group`], [`groups`] |
//! | What is a placement like? | [`classify`], [`properties`] |
//! | What is one solution, without a search? | [`explicit`], [`knight`] |
//! | ... by a random or a local search? | [`las_vegas`], [`min_conflicts`] |
//! | ... from solutions of smaller boards? | [`compose`] |
//! | ... with queens that already stand, or is there none? | [`complete`] |
//! | Which solution is nearest to a placement? | [`nearest`] |
//! | Which solutions fill the board together? | [`tile`] |
//!
//! ```
//! use ferz::puzzle::{Position, explicit, group, notation};
//!
//! # fn main() -> Result<(), ferz::Error> {
//! let placement = notation::parse("1 5 8 6 3 7 2 4", None)?;
//! assert!(placement.is_solution());
//! assert_eq!(group::images(&placement).len(), 8);
//! assert!(explicit::solution(&Position::square(1000)?)?.is_some_and(|placement| placement.is_solution()));
//! assert_eq!(explicit::solution(&Position::square(3)?)?, None);
//! # Ok(())
//! # }
//! ```

pub mod classify;
pub mod complete;
pub mod compose;
pub mod draw;
pub mod explicit;
pub mod group;
pub mod groups;
pub mod knight;
pub mod las_vegas;
pub mod list;
pub mod min_conflicts;
pub mod nearest;
pub mod notation;
mod placement;
mod position;
pub mod properties;
pub mod tile;

pub use self::{
    placement::{Attacks, Placement},
    position::Position,
};
use crate::Error;

/// Refuses a board with queens or forbidden squares for an algorithm that cannot heed them.
fn plain_only(algorithm: &str, board: &Position) -> Result<(), Error> {
    if board.is_plain() {
        return Ok(());
    }
    Err(Error::usage(
        format!("{algorithm} cannot heed queens that already stand or forbidden squares"),
        "backtrack and complete can",
    ))
}

/// Refuses a board that is not square.
fn square_only(algorithm: &str, board: &Position) -> Result<(), Error> {
    if board.ranks() == board.files() {
        return Ok(());
    }
    Err(Error::usage(
        format!("{algorithm} is for square boards, not for {} x {}", board.ranks(), board.files()),
        "explicit, backtrack and complete take any board",
    ))
}

/// Refuses a board that is too large.
fn at_most(algorithm: &str, board: &Position, side: u32) -> Result<(), Error> {
    if board.ranks().max(board.files()) <= side {
        return Ok(());
    }
    Err(Error::usage(
        format!("a board of {} x {} squares is too large for {algorithm}", board.ranks(), board.files()),
        format!("give a board of at most {side} x {side}; `solve` takes any that is empty"),
    ))
}
