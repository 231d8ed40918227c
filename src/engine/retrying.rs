//! An engine that survives its device: what was under way on a device that was lost, hung or gave damaged bytes is
//! counted again on a new one. It takes a new one too where the run doubts its results ([`Engine::renew`]).
//!
//! Nothing of the old device is kept: its tallies were never handed on, so that no unit is counted twice. A fault that
//! comes back at once is a bug, or a device that is gone for good, and ends the run.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use super::{DeviceInfo, DispatchTimes, Engine, Faults, Finished, Memory, Ticket, not_given};
use crate::{
    Error,
    method::{Block, sampling::Footprint},
};

/// New devices in a row, without a block done between them, after which the last fault ends the run.
const MOST_TRIES: u32 = 3;

/// Opens a device; the argument says how often one has hung so far, so that dispatches can be made shorter.
pub type Open = Box<dyn FnMut(u64) -> Result<Box<dyn Engine>, Error> + Send>;

/// An engine that opens its device anew after a fault.
pub struct Retrying {
    open: Open,
    /// None while a new device is opened.
    engine: Option<Box<dyn Engine>>,
    info: DeviceInfo,
    /// What is under way, by our tickets; and from the tickets of the engine to ours.
    pending: BTreeMap<Ticket, Arc<Block>>,
    tickets: HashMap<Ticket, Ticket>,
    next: Ticket,
    /// New devices since a block was done.
    tries: u32,
    /// Faults after which it went on; the one that ends the run is in its error.
    faults: Faults,
    /// Whether the first device is in use still.
    first: bool,
    /// The dispatches of devices that failed.
    earlier: Option<DispatchTimes>,
}

impl Retrying {
    /// Opens the first device.
    ///
    /// # Errors
    ///
    /// Whatever stops it from being opened: only a device that has worked is opened again.
    pub fn new(mut open: Open) -> Result<Self, Error> {
        let engine = open(0)?;
        Ok(Self {
            open,
            info: engine.device(),
            engine: Some(engine),
            pending: BTreeMap::new(),
            tickets: HashMap::new(),
            next: 0,
            tries: 0,
            faults: Faults::default(),
            first: true,
            earlier: None,
        })
    }

    /// Goes on after a fault, with all that was under way.
    fn recover(&mut self, mut fault: Error) -> Result<(), Error> {
        loop {
            let again =
                matches!(fault, Error::DeviceLost { .. } | Error::DeviceHung { .. } | Error::Damaged { .. });
            if !again || self.tries == MOST_TRIES {
                return Err(fault);
            }
            self.faults.note(&fault);
            self.tries += 1;
            self.give_up();
            match self.reopen() {
                Ok(engine) => {
                    self.engine = Some(engine);
                    return Ok(());
                }
                // no such device any more
                Err(Error::NoDevice { .. }) => return Err(fault),
                Err(again) => fault = again,
            }
        }
    }

    /// Drops the device before the new one is opened: drivers free a device late, and memory may not do for two.
    fn give_up(&mut self) {
        self.earlier = self.dispatches();
        self.engine = None;
    }

    /// A new device that has been given all that was under way.
    fn reopen(&mut self) -> Result<Box<dyn Engine>, Error> {
        self.first = false;
        let mut engine = (self.open)(self.faults.hung)?;
        self.tickets.clear();
        for (&ticket, block) in &self.pending {
            self.tickets.insert(engine.submit(Arc::clone(block))?, ticket);
        }
        Ok(engine)
    }

    fn engine(&mut self) -> Result<&mut Box<dyn Engine>, Error> {
        self.engine
            .as_mut()
            .ok_or_else(|| Error::Internal("a device that failed for good was used again".into()))
    }
}

impl Engine for Retrying {
    fn device(&self) -> DeviceInfo {
        self.info.clone()
    }

    fn describe(&self) -> String {
        self.engine.as_ref().map_or_else(|| self.info.name.clone(), |engine| engine.describe())
    }

    fn gpu_time(&self) -> Option<Result<Duration, &'static str>> {
        match &self.engine {
            Some(engine) if self.first => engine.gpu_time(),
            _ => Some(Err("a device was opened anew, and the clock of the first is lost")),
        }
    }

    fn dispatches(&self) -> Option<DispatchTimes> {
        match (self.engine.as_ref().and_then(|engine| engine.dispatches()), &self.earlier) {
            (Some(now), Some(earlier)) => Some(now.and(earlier)),
            (now, earlier) => now.or_else(|| earlier.clone()),
        }
    }

    fn hungry(&self) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.hungry())
    }

    fn memory(&self, blocks: &Footprint) -> Memory {
        self.engine.as_ref().map_or_else(Memory::default, |engine| engine.memory(blocks))
    }

    fn faults(&self) -> Faults {
        self.faults
    }

    fn renew(&mut self) -> Result<bool, Error> {
        self.give_up();
        match self.reopen() {
            Ok(engine) => self.engine = Some(engine),
            Err(Error::NoDevice { what, .. }) => {
                return Err(Error::DeviceLost { device: self.info.name.clone(), what });
            }
            Err(fault) => self.recover(fault)?,
        }
        Ok(true)
    }

    fn submit(&mut self, block: Arc<Block>) -> Result<Ticket, Error> {
        let ticket = self.next;
        self.next += 1;
        self.pending.insert(ticket, Arc::clone(&block));
        match self.engine()?.submit(block) {
            Ok(inner) => {
                self.tickets.insert(inner, ticket);
            }
            Err(fault) => self.recover(fault)?,
        }
        Ok(ticket)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Finished>, Error> {
        let finished = match self.engine()?.poll(wait) {
            Ok(Some(finished)) => finished,
            Ok(None) => return Ok(None),
            Err(fault) => {
                self.recover(fault)?;
                return Ok(None);
            }
        };
        self.tries = 0;
        let ticket = self.tickets.remove(&finished.ticket).ok_or_else(not_given)?;
        self.pending.remove(&ticket);
        Ok(Some(Finished { ticket, ..finished }))
    }
}
