//! What is fastest on a device: found by measurement, and saved for later runs.
//!
//! What may be tuned, and what is used where nothing was measured, is in `engine/tuning.rs`.

pub mod cache;
pub mod sweep;
