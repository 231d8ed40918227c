//! Two engines in lockstep: every block is counted by both, and the first unit on which they differ is named. That ends
//! the run at once: there is no saying which of the two is wrong, and what is compared so is a test of one of them.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{DeviceInfo, Engine, Finished, Memory, Ticket};
use crate::{
    Error,
    method::{Block, Tally, sampling::Footprint},
};

/// A block that one or both engines still count.
struct Pending {
    block: Arc<Block>,
    left: Option<Vec<Tally>>,
    right: Option<Vec<Tally>>,
}

/// An engine made of two that must agree, unit by unit.
pub struct Paired {
    left: Box<dyn Engine>,
    right: Box<dyn Engine>,
    /// Whether visits are compared too.
    visits: bool,
    pending: HashMap<Ticket, Pending>,
    next: Ticket,
    /// From the tickets of each engine to ours.
    left_tickets: HashMap<Ticket, Ticket>,
    right_tickets: HashMap<Ticket, Ticket>,
}

impl Paired {
    /// Pairs two engines of the same method; `visits` as [`crate::method::Method::visits_agree`] says.
    #[must_use]
    pub fn new(left: Box<dyn Engine>, right: Box<dyn Engine>, visits: bool) -> Self {
        Self {
            visits,
            left,
            right,
            pending: HashMap::new(),
            next: 0,
            left_tickets: HashMap::new(),
            right_tickets: HashMap::new(),
        }
    }

    /// Compares a block once both have counted it.
    fn settle(&mut self, ticket: Ticket) -> Result<Option<Finished>, Error> {
        let both = |pending: &Pending| pending.left.is_some() && pending.right.is_some();
        if !self.pending.get(&ticket).is_some_and(both) {
            return Ok(None);
        }
        let Some(Pending { block, left: Some(left), right: Some(right) }) = self.pending.remove(&ticket)
        else {
            return Ok(None);
        };
        let differ = left.iter().zip(&right).position(|(left, right)| !left.agrees(right, self.visits));
        match differ {
            None if left.len() == right.len() => Ok(Some(Finished { ticket, tallies: left })),
            None => Err(self.disagree(&block, "the number of units", left.len(), right.len())),
            Some(unit) => Err(self.disagree(
                &block,
                &format!("unit {unit} ({:x?})", block.units.get(unit).unwrap_or(&[0; 8])),
                Shown(left[unit]),
                Shown(right[unit]),
            )),
        }
    }

    fn disagree(&self, block: &Block, what: &str, left: impl ToString, right: impl ToString) -> Error {
        Error::Disagree {
            what: format!("block {}, {what}", block.number),
            left_name: self.left.device().name,
            left: left.to_string(),
            right_name: self.right.device().name,
            right: right.to_string(),
        }
    }
}

/// A tally as messages show it.
struct Shown(Tally);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { count, visits, bucket } = self.0;
        write!(f, "{count} ({visits} visits, part {bucket})")
    }
}

impl Engine for Paired {
    fn device(&self) -> DeviceInfo {
        let (left, right) = (self.left.device(), self.right.device());
        DeviceInfo { name: format!("{} and {}", left.name, right.name), ..left }
    }

    fn hungry(&self) -> bool {
        // in lockstep: what the faster one is ahead of the slower one is held in memory
        self.left.hungry() && self.right.hungry()
    }

    fn memory(&self, blocks: &Footprint) -> Memory {
        let (left, right) = (self.left.memory(blocks), self.right.memory(blocks));
        Memory { host: left.host + right.host, device: left.device + right.device }
    }

    fn submit(&mut self, block: Arc<Block>) -> Result<Ticket, Error> {
        let ticket = self.next;
        self.next += 1;
        self.left_tickets.insert(self.left.submit(Arc::clone(&block))?, ticket);
        self.right_tickets.insert(self.right.submit(Arc::clone(&block))?, ticket);
        self.pending.insert(ticket, Pending { block, left: None, right: None });
        Ok(ticket)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Finished>, Error> {
        let end = Instant::now() + wait;
        loop {
            // half of what is left for each, so that neither starves the other
            let slice = end.saturating_duration_since(Instant::now()) / 2;
            if let Some(finished) = self.left.poll(slice)? {
                let Some(ticket) = self.left_tickets.remove(&finished.ticket) else {
                    return Err(Error::Internal("a ticket that was never given".into()));
                };
                if let Some(pending) = self.pending.get_mut(&ticket) {
                    pending.left = Some(finished.tallies);
                }
                if let Some(finished) = self.settle(ticket)? {
                    return Ok(Some(finished));
                }
            }
            if let Some(finished) = self.right.poll(slice)? {
                let Some(ticket) = self.right_tickets.remove(&finished.ticket) else {
                    return Err(Error::Internal("a ticket that was never given".into()));
                };
                if let Some(pending) = self.pending.get_mut(&ticket) {
                    pending.right = Some(finished.tallies);
                }
                if let Some(finished) = self.settle(ticket)? {
                    return Ok(Some(finished));
                }
            }
            if Instant::now() >= end {
                return Ok(None);
            }
        }
    }
}
