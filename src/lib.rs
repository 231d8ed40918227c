//! ferz counts the solutions of the N-queens puzzle on GPUs and CPUs, and checks itself.
//!
//! # A count
//!
//! ```
//! use ferz::{Level, Options, Problem, count};
//!
//! # fn main() -> Result<(), ferz::Error> {
//! let outcome = count(&Problem::queens(8)?, &Options::default(), &mut |_| {})?;
//! assert_eq!(outcome.count, 92);
//! assert_eq!(outcome.verification.level, Level::KnownAnswer);
//! # Ok(())
//! # }
//! ```
//!
//! An [`Outcome`] also says what counted, how long that took, and how the count was checked. Where a check fails
//! there is an [`Error`] and no count.
//!
//! # Methods and devices
//!
//! [`Options`] choose them; the default is the fastest method, on a GPU if there is one and the problem is worth
//! it.
//!
//! ```
//! use ferz::{MethodChoice, Options, Problem, count};
//!
//! # fn main() -> Result<(), ferz::Error> {
//! let mut options = Options::default();
//! options.method = MethodChoice::Search;
//! options.device = "cpu".parse()?;
//! options.threads = Some(1);
//! let search = count(&Problem::queens(10)?, &options, &mut |_| {})?;
//!
//! let mut plain = Options::default();
//! plain.method = MethodChoice::Bitmask;
//! let bitmask = count(&Problem::queens(10)?, &plain, &mut |_| {})?;
//!
//! assert_eq!((search.count, bitmask.count), (724, 724));
//! // search uses the mirror symmetry of the board
//! assert!(search.visits < bitmask.visits);
//! # Ok(())
//! # }
//! ```
//!
//! # Constrained problems
//!
//! Any board, any number of queens, some of them given, some squares forbidden; with progress told and a way to stop.
//!
//! ```
//! use std::time::Duration;
//!
//! use ferz::{Event, MethodName, Options, Problem, count};
//!
//! # fn main() -> Result<(), ferz::Error> {
//! // five queens on a board of eight ranks and files, one of them on c4, none on the corner a1
//! let problem = Problem::on("8x8".parse()?).placing(5)?.with_queen("c4".parse()?)?.forbidding("a1".parse()?)?;
//! let options = Options::default();
//! let stop = options.cancel.clone();
//! let outcome = count(&problem, &options, &mut |event| {
//!     if let Event::Progress(progress) = event {
//!         println!("{:.1} % done, {:?} left", 100.0 * progress.share, progress.eta);
//!         if progress.elapsed > Duration::from_secs(3600) {
//!             stop.cancel();
//!         }
//!     }
//! })?;
//! assert_eq!((outcome.count, outcome.method), (2832, MethodName::Search));
//! # Ok(())
//! # }
//! ```
//!
//! # Estimates
//!
//! What a count would take, and about what it would come to, is known beforehand from a random sample.
//!
//! ```
//! use ferz::{Options, Problem, estimate};
//!
//! # fn main() -> Result<(), ferz::Error> {
//! let mut options = Options::default();
//! options.device = "cpu".parse()?;
//! let expected = estimate(&Problem::queens(14)?, &options, Some(1), &mut |_| {})?;
//! assert!((expected.solutions.mean / 365_596.0 - 1.0).abs() < 0.2);
//! assert!(expected.time.mean < 60.0);
//! # Ok(())
//! # }
//! ```
//!
//! # Events and cancellation
//!
//! The library prints nothing (drivers may), installs no signal handler and never exits. It tells what it does through a
//! callback, and stops when another thread asks it to.
//!
//! ```
//! use std::{thread, time::Duration};
//!
//! use ferz::{Error, Event, Options, Problem, count};
//!
//! # fn main() -> Result<(), ferz::Error> {
//! let mut options = Options::default();
//! options.device = "cpu".parse()?;
//!
//! let cancel = options.cancel.clone();
//! thread::spawn(move || {
//!     thread::sleep(Duration::from_millis(50));
//!     cancel.cancel();
//! });
//!
//! let mut details = Vec::new();
//! let stopped = count(&Problem::queens(20)?, &options, &mut |event| match event {
//!     Event::Warning(what) => eprintln!("warning: {what}"),
//!     Event::Detail(what) => details.push(what),
//!     _ => {}
//! });
//! assert_eq!(stopped, Err(Error::Cancelled));
//! assert!(details[0].starts_with("join: "));
//! # Ok(())
//! # }
//! ```
//!
//! The plain counters of the ladder run to their end: they are short on purpose, and ask nobody.

#[cfg(feature = "cli")]
mod bench;
mod board;
mod cancel;
mod checkpoint;
#[cfg(feature = "cli")]
pub mod cli;
mod engine;
mod error;
mod estimate;
mod known;
mod ledger;
mod method;
mod problem;
pub mod puzzle;
#[cfg(feature = "cli")]
mod report;
mod run;
mod selftest;
#[cfg(feature = "testing")]
pub mod testing;
#[cfg(feature = "cli")]
mod tune;

pub use self::{
    board::{
        Board, BoardSize,
        placement::{Attacks, Placement},
        square::{FileName, Square},
        symmetry::{Class, Symmetry, orbit},
    },
    cancel::CancelToken,
    checkpoint::{Checkpoint, Unreadable, default_path, discard},
    engine::{
        DeviceInfo, DeviceKind, DispatchTimes, Faults, Memory,
        listing::{Backend, INVOCATIONS, Listed, Wanted},
        select::devices,
        tuning::{Tuned, Tuning},
    },
    error::{Error, Fault},
    estimate::{Estimate, Figure, estimate},
    known::solutions as known_solutions,
    method::{BlockCut, MethodName, PlanHash, symmetric::Classes},
    problem::Problem,
    run::{
        DeviceShare, Event, Level, MethodChoice, Options, Outcome, Phase, Place, Progress, Sampled, Saving,
        Throttled, Verification, Verify, Workload,
        check::recheck::{Recheck, recheck},
        count,
    },
    selftest::{SelfTestReport, selftest},
};
