//! What is saved of a run, and when.

pub mod keeper;
mod saver;
