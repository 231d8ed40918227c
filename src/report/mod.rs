//! What there is to say, as text, as JSON and in the notations of the puzzle.

pub mod about;
pub mod bench;
pub mod json;
pub mod progress;
pub mod solutions;
pub mod solved;
pub mod text;
pub mod tiled;
