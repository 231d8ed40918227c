//! Devices for tests: one made of the CPU twin, and one that errs on purpose.

pub mod faulty;
pub mod simulated;
