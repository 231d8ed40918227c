//! Checkpoints: what is done of a count, in a file that outlives the process.
//!
//! A checkpoint says nothing of devices or tuning, so that a count may go on with another device, backend, workload or
//! machine. It holds the sum and its independent residues, which blocks are done, and a residue of each of them, by
//! which they can be recounted one by one.
//!
//! Files: `format` (bytes of a checkpoint), `store` (two generations, always one of them whole), `files` (the calls of
//! the file system, so that tests can let each of them fail), `lock` (one writer), `place` (where a checkpoint lies that
//! nobody gave a name), `link` (where links lead).

mod files;
mod format;
pub mod link;
mod lock;
mod place;
#[cfg(test)]
mod simulated;
mod store;

use std::{
    path::Path,
    time::{Duration, SystemTime},
};

pub use self::{
    files::{Disk, Files},
    format::Unreadable,
    lock::Lock,
    place::{default_path, second},
    store::{Store, folder_of},
};
use crate::{
    Error, Problem,
    engine::{DeviceInfo, Faults},
    ledger::Ledger,
    method::{BlockCut, Method, MethodName, PlanHash},
};

const ELSEWHERE: &str = "give another file by `saving.place`, or none by `Place::Nowhere`";

/// What is done of a count.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Checkpoint {
    /// What is counted.
    pub problem: Problem,
    /// The method.
    pub method: MethodName,
    /// How the method cuts the problem.
    pub cut: BlockCut,
    /// Which blocks these are.
    pub plan: PlanHash,
    /// Blocks in all.
    pub blocks: u64,
    /// The sum over the blocks that are done.
    pub(crate) ledger: Ledger,
    /// Units that were recounted and came out right, and units from which they were drawn.
    pub sampled: (u64, u64),
    /// Times the count was begun or resumed.
    pub sessions: u64,
    /// Time of all sessions.
    pub elapsed: Duration,
    /// What counted, with the visits of each.
    pub devices: Vec<(DeviceInfo, u128)>,
    /// What went wrong on the way.
    pub faults: Faults,
    /// When it was written, in whole seconds.
    pub saved: SystemTime,
    /// What wrote it.
    pub writer: String,
}

impl Checkpoint {
    /// What writes.
    pub(crate) const WRITER: &str = concat!("ferz ", env!("CARGO_PKG_VERSION"));

    /// A count of which nothing is done.
    #[must_use]
    pub fn new(problem: &Problem, method: &dyn Method) -> Self {
        Self {
            problem: problem.clone(),
            method: method.name(),
            cut: method.cut(),
            plan: method.plan_hash(),
            blocks: method.blocks(),
            ledger: Ledger::default(),
            sampled: (0, 0),
            sessions: 0,
            elapsed: Duration::ZERO,
            devices: Vec::new(),
            faults: Faults::default(),
            saved: SystemTime::UNIX_EPOCH,
            writer: Self::WRITER.into(),
        }
    }

    /// Reads the bytes of a checkpoint.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] unless they are, to the bit, what [`Checkpoint::write`] makes of what they say.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        format::read(bytes)
    }

    /// The bytes of the checkpoint.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        format::write(self)
    }

    /// Reads a checkpoint for somebody to look at.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] where the file cannot be read, or is none.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let read = |path: &Path| Disk.read(path).map(|bytes| Self::read(&bytes));
        let previous = store::with_suffix(path, ".prev");
        match read(path) {
            Ok(Err(Unreadable::Damaged(_))) if matches!(read(&previous), Ok(Ok(_))) => {
                Err(Error::checkpoint(
                    format!("{} is damaged", path.display()),
                    format!(
                        "the save before it is whole: {}; the same count goes on from there",
                        previous.display()
                    ),
                ))
            }
            Ok(checkpoint) => checkpoint.map_err(|why| store::unreadable(path, &why)),
            Err(error) => Err(store::unopened(path, &error)),
        }
    }

    /// The sum so far.
    #[must_use]
    pub const fn count(&self) -> u128 {
        self.ledger.count
    }

    /// Queens placed so far.
    #[must_use]
    pub const fn visits(&self) -> u128 {
        self.ledger.visits
    }

    /// Blocks that are done.
    #[must_use]
    pub const fn done(&self) -> u64 {
        self.ledger.blocks
    }

    /// Whether this is of a problem.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] where it is of another.
    pub fn is_of(&self, path: &Path, problem: &Problem) -> Result<(), Error> {
        if self.problem == *problem {
            return Ok(());
        }
        Err(Error::checkpoint(
            format!("{} is the checkpoint of another count: {}, not {problem}", path.display(), self.problem),
            ELSEWHERE,
        ))
    }

    /// Whether a run by `method` can go on from here.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`], with what differs by name.
    pub fn fits(&self, path: &Path, problem: &Problem, method: &dyn Method) -> Result<(), Error> {
        self.is_of(path, problem)?;
        let (file, elsewhere) = (path.display(), ELSEWHERE);
        if self.method != method.name() {
            return Err(Error::checkpoint(
                format!("{file} is the checkpoint of a count by {}, not by {}", self.method, method.name()),
                format!("`method` {} goes on with it; else {elsewhere}", self.method),
            ));
        }
        if self.cut != method.cut() {
            return Err(Error::checkpoint(
                format!("{file} is of other blocks: {}, not {}", self.cut, method.cut()),
                format!("give the `depth` of the first run, or none if it had none; else {elsewhere}"),
            ));
        }
        if self.plan != method.plan_hash() || self.blocks != method.blocks() {
            return Err(Error::checkpoint(
                format!(
                    "{file} is of other blocks than this version of ferz makes: {} wrote it",
                    self.writer
                ),
                format!(
                    "go on with that version; `saving.restart` begins again and keeps the file; else {elsewhere}"
                ),
            ));
        }
        Ok(())
    }
}

/// Removes a checkpoint and the generation before it, once its count is delivered.
///
/// # Errors
///
/// [`Error::Checkpoint`] where that fails; a later count would take the sum for its own then.
pub fn discard(path: &Path) -> Result<(), Error> {
    Store::new(Disk, path.into()).remove().map_err(|error| {
        Error::checkpoint(
            format!("{} is done with, but cannot be removed: {error}", path.display()),
            "remove it by hand",
        )
    })
}
