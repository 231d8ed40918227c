//! What goes on while a command works: signals, progress, and what is to be said of a count that was stopped.

pub mod display;
pub mod listing;
pub mod signal;
pub mod standing;
