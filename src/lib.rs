//! ferz counts the solutions of the N-queens puzzle on GPUs and CPUs, and checks itself.

mod board;
#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
mod error;
pub mod known;
mod ledger;
pub mod method;
mod problem;
mod run;

pub use board::BoardSize;
pub use error::Error;
pub use problem::Problem;
pub use run::{
    CancelToken, Event, MethodChoice, Options, Outcome, SelfTestReport, Verification, Verify, Workload,
    count, count_with, devices, selftest,
};
