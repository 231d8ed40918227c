//! What is asked of a driver, and which test a kernel passes, before anything is counted.

pub mod probe;
mod prove;
