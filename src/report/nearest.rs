//! The solution nearest to a placement.

use serde::Serialize;

use super::{
    json::{SCHEMA, document},
    placements::ranks,
};
use crate::{Square, puzzle::Placement};

#[derive(Serialize)]
struct Document {
    schema: u32,
    n: u32,
    given: Vec<Option<u32>>,
    moves: u32,
    ranks: Vec<Option<u32>>,
}

/// The document of a placement and the solution nearest to it.
pub fn json(given: &Placement, moves: u32, solution: &Placement) -> String {
    let (given, ranks) = (ranks(given), ranks(solution));
    document(&Document { schema: SCHEMA, n: ranks.len() as u32, given, moves, ranks })
}

/// The number of moves, the solution, and which queen moves where.
pub fn text(given: &Placement, moves: u32, solution: &Placement) -> String {
    let moved = given.squares().zip(solution.squares()).filter(|(from, to)| from != to);
    let moved: Vec<String> = moved.map(|(from, to)| format!("{from}-{to}")).collect();
    let ranks: Vec<String> = solution.squares().map(|Square { rank, .. }| (rank + 1).to_string()).collect();
    let list = if moved.is_empty() { "none".to_owned() } else { moved.join(" ") };
    format!("moves: {moves}\nsolution: {}\nmoved: {list}", ranks.join(" "))
}
