//! Engines: units of a block in, one tally a unit out.
//!
//! An engine knows no chess. It sees context words, unit words and one result a unit, so that every method
//! shares batching, pacing and checks.

pub mod cpu;
mod dispatches;
mod faults;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(not(feature = "gpu"))]
#[path = "gpu/none.rs"]
pub mod gpu;
mod info;
pub mod listing;
pub mod paired;
pub mod retrying;
pub mod select;
pub mod tuning;

use std::{collections::HashMap, sync::Arc, time::Duration};

pub use self::{
    dispatches::DispatchTimes,
    faults::Faults,
    info::{DeviceInfo, DeviceKind},
};
use crate::{
    CancelToken, Error,
    method::{Block, Tally, sampling::Footprint},
};

/// Memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Of the host.
    pub host: f64,
    /// Of the device, where it has its own.
    pub device: f64,
}

/// A block handed to an engine; numbered by the engine from 0 on.
pub type Ticket = u64;

/// The tallies of one block, one a unit, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// Which submission this answers.
    pub ticket: Ticket,
    /// One tally a unit.
    pub tallies: Vec<Tally>,
}

/// Counts the units of blocks.
///
/// Submissions are counted in the background; results come back in any order.
pub trait Engine: Send {
    /// What counts.
    fn device(&self) -> DeviceInfo;

    /// The choices made for it, in words.
    fn describe(&self) -> String {
        self.device().name
    }

    /// The time of its dispatches by the device's own clock, those of self-tests among them, or why it is not known; none
    /// where it is no GPU.
    fn gpu_time(&self) -> Option<Result<Duration, &'static str>> {
        None
    }

    /// The times of its dispatches that came back, but for self-tests and what was under way when another kernel was
    /// compiled; none where it is no GPU.
    fn dispatches(&self) -> Option<DispatchTimes> {
        None
    }

    /// Whether more blocks should be submitted to keep the device busy.
    fn hungry(&self) -> bool;

    /// What it holds in the course of a run whose blocks have a footprint, what blocks share aside.
    fn memory(&self, blocks: &Footprint) -> Memory;

    /// The faults after which it went on so far.
    fn faults(&self) -> Faults {
        Faults::default()
    }

    /// Opens its device anew, as the results of this one are in doubt; what is under way is counted there. Returns whether
    /// it did: an engine without another device goes on as it is.
    ///
    /// # Errors
    ///
    /// As [`Engine::submit`].
    fn renew(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    /// Takes a block.
    ///
    /// # Errors
    ///
    /// Whatever stops the device from counting; the engine is of no use after an error.
    fn submit(&mut self, block: Arc<Block>) -> Result<Ticket, Error>;

    /// Waits at most `wait` for the next block to be done.
    ///
    /// # Errors
    ///
    /// As [`Engine::submit`], and anything that is wrong with the results themselves.
    fn poll(&mut self, wait: Duration) -> Result<Option<Finished>, Error>;
}

/// Counts blocks on an engine, several at once; `take` receives each as soon as it is done.
///
/// # Errors
///
/// [`Error::Cancelled`], those of the engine, and those of `take`.
pub fn count_all(
    engine: &mut dyn Engine,
    mut blocks: impl Iterator<Item = Arc<Block>>,
    cancel: &CancelToken,
    mut take: impl FnMut(&Block, &[Tally]) -> Result<(), Error>,
) -> Result<(), Error> {
    // bounds the time to react to a cancellation
    const NAP: Duration = Duration::from_millis(10);
    let mut under_way = HashMap::new();
    loop {
        cancel.check()?;
        if engine.hungry()
            && let Some(block) = blocks.next()
        {
            under_way.insert(engine.submit(Arc::clone(&block))?, block);
        } else if under_way.is_empty() {
            return Ok(());
        } else if let Some(Finished { ticket, tallies }) = engine.poll(NAP)? {
            let block = under_way.remove(&ticket).ok_or_else(not_given)?;
            take(&block, &tallies)?;
        }
    }
}

/// The error of a ticket that an engine never gave.
pub fn not_given() -> Error {
    Error::Internal("an engine finished a block that it was not given".into())
}
