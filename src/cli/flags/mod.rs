//! Flags that several commands share, and the values of flags.

pub mod format;
pub mod placements;
pub mod problem;
pub mod saving;
pub mod tuning;
mod values;

pub use self::values::*;
