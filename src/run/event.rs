//! What a run tells its caller while it goes on.

use std::path::PathBuf;

use super::progress::{Phase, Progress, Throttled};

/// What a run tells while it goes on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Something the user should know.
    Warning(String),
    /// Something that is as it should be, and that the user may want to know.
    Notice(String),
    /// A choice that was made, for whoever wants to know.
    Detail(String),
    /// The run goes on from what an earlier session saved in this file.
    Resumed(PathBuf),
    /// The run ends before it is done, and this is what a later one can go on from.
    Saved {
        /// The checkpoint.
        file: PathBuf,
        /// Blocks that are done.
        done: u64,
        /// Blocks in all.
        blocks: u64,
    },
    /// What the run does from now on.
    Phase(Phase),
    /// How far it is: about ten times a second, once the run has lasted for most of a second.
    Progress(Progress),
    /// It has become slower than it was; at most once an hour.
    Throttled(Throttled),
}
