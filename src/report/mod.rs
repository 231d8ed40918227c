//! What there is to say, as text, as JSON and in the notations of the puzzle.

pub mod bench;
pub mod classified;
pub mod groups;
pub mod json;
pub mod nearest;
pub mod placements;
pub mod progress;
pub mod solved;
pub mod text;
pub mod tiled;
