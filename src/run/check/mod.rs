//! How a count is checked: units recounted, a second run, the known answer; blocks of a checkpoint recounted.

pub mod disputes;
pub mod recheck;
pub mod recount;
pub mod second;
pub mod verdict;
