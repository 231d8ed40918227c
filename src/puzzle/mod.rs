//! The puzzle around the count: one solution, all solutions, their orbits and properties.
//!
//! | question | module |
//! |---|---|
//! | How is a placement written, read, drawn? | [`notation`], [`draw`] |
//! | What is one solution? | [`find`] |
//! | What are all solutions, in order? | [`list`] |
//! | Which solutions are images of each other? | [`groups`]; [`crate::orbit`] for one solution |
//! | What is a placement like, and what is near it? | [`about`] |
//!
//! ```
//! use ferz::{
//!     Board, orbit,
//!     puzzle::{find::explicit, notation},
//! };
//!
//! # fn main() -> Result<(), ferz::Error> {
//! let placement = notation::parse("1 5 8 6 3 7 2 4", None)?;
//! assert!(placement.is_solution());
//! assert_eq!(orbit(&placement).len(), 8);
//! assert!(explicit::solution(Board::square(1000)?).is_some_and(|placement| placement.is_solution()));
//! assert_eq!(explicit::solution(Board::square(3)?), None);
//! # Ok(())
//! # }
//! ```

pub mod about;
pub mod draw;
pub mod find;
pub mod groups;
pub mod list;
pub mod notation;
