//! Rooms that the tests, the benchmarks and the tool `kernel-cost` reach into; not for others, and free to change.

/// The engines, the devices that err on purpose among them.
pub mod engine {
    pub use crate::engine::*;
}

/// The methods and their blocks.
pub mod method {
    pub use crate::method::*;
}

pub use crate::run::count_with;
