//! What a run has to say, as text and as JSON.

pub mod json;
pub mod text;
