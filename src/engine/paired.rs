//! Two engines in lockstep: every block is counted by both, and the first unit on which they differ is named. That ends
//! the run at once: there is no saying which of the two is wrong, and what is compared so is a test of one of them.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{DeviceInfo, Engine, Finished, Memory, Ticket, not_given};
use crate::{
    Error,
    method::{Block, Tally, sampling::Footprint},
};

/// A block that one or both engines still count, with the tallies of each that is done.
struct Pending {
    block: Arc<Block>,
    tallies: [Option<Vec<Tally>>; 2],
}

/// An engine made of two that must agree, unit by unit.
pub struct Paired {
    engines: [Box<dyn Engine>; 2],
    /// From the tickets of each engine to ours.
    tickets: [HashMap<Ticket, Ticket>; 2],
    /// Whether visits are compared too.
    visits: bool,
    pending: HashMap<Ticket, Pending>,
    next: Ticket,
}

impl Paired {
    /// Pairs two engines of the same method; `visits` as [`crate::method::Method::visits_agree`] says.
    #[must_use]
    pub fn new(left: Box<dyn Engine>, right: Box<dyn Engine>, visits: bool) -> Self {
        let (engines, tickets) = ([left, right], Default::default());
        Self { engines, tickets, visits, pending: HashMap::new(), next: 0 }
    }

    /// Takes a block that one engine has counted, and compares it once both have.
    fn take(&mut self, side: usize, finished: Finished) -> Result<Option<Finished>, Error> {
        let ticket = self.tickets[side].remove(&finished.ticket).ok_or_else(not_given)?;
        self.pending.get_mut(&ticket).ok_or_else(not_given)?.tallies[side] = Some(finished.tallies);
        let Pending { block, tallies: [Some(left), Some(right)] } = &self.pending[&ticket] else {
            return Ok(None);
        };
        let differ = left.iter().zip(right).position(|(left, right)| !left.agrees(right, self.visits));
        match differ {
            None if left.len() == right.len() => {}
            None => return Err(self.disagree(block, "the number of units", left.len(), right.len())),
            Some(unit) => {
                let words = block.units.get(unit).unwrap_or(&[0; 8]);
                let what = format!("unit {unit} ({words:x?})");
                return Err(self.disagree(block, &what, Shown(left[unit]), Shown(right[unit])));
            }
        }
        let tallies = self.pending.remove(&ticket).and_then(|pending| pending.tallies.into_iter().next()?);
        Ok(tallies.map(|tallies| Finished { ticket, tallies }))
    }

    fn disagree(&self, block: &Block, what: &str, left: impl ToString, right: impl ToString) -> Error {
        let [left_name, right_name] = self.engines.each_ref().map(|engine| engine.device().name);
        Error::Disagree {
            what: format!("block {}, {what}", block.number),
            left_name,
            left: left.to_string(),
            right_name,
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
        let [left, right] = self.engines.each_ref().map(|engine| engine.device());
        DeviceInfo { name: format!("{} and {}", left.name, right.name), ..left }
    }

    fn hungry(&self) -> bool {
        // in lockstep: what the faster one is ahead of the slower one is held in memory
        self.engines.iter().all(|engine| engine.hungry())
    }

    fn memory(&self, blocks: &Footprint) -> Memory {
        let [left, right] = self.engines.each_ref().map(|engine| engine.memory(blocks));
        Memory { host: left.host + right.host, device: left.device + right.device }
    }

    fn submit(&mut self, block: Arc<Block>) -> Result<Ticket, Error> {
        let ticket = self.next;
        self.next += 1;
        for (engine, tickets) in self.engines.iter_mut().zip(&mut self.tickets) {
            tickets.insert(engine.submit(Arc::clone(&block))?, ticket);
        }
        self.pending.insert(ticket, Pending { block, tallies: [None, None] });
        Ok(ticket)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Finished>, Error> {
        let end = Instant::now() + wait;
        loop {
            // half of what is left for each, so that neither starves the other
            let slice = end.saturating_duration_since(Instant::now()) / 2;
            for side in 0..2 {
                if let Some(finished) = self.engines[side].poll(slice)?
                    && let Some(finished) = self.take(side, finished)?
                {
                    return Ok(Some(finished));
                }
            }
            if Instant::now() >= end {
                return Ok(None);
            }
        }
    }
}
