//! One file a subcommand: flags in, library call, report out.

pub mod bench;
pub mod checkpoint;
pub mod classify;
pub mod completions;
pub mod count;
pub mod devices;
pub mod list;
pub mod man;
pub mod nearest;
pub mod selftest;
pub mod solve;
pub mod tile;
