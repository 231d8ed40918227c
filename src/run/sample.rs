//! Recounts a random sample of units by the plain reference while the run goes on.
//!
//! A sample of k units misses a fault in a fraction f of them with probability (1 - f)^k.

use std::sync::{
    Arc,
    mpsc::{Receiver, Sender, channel},
};

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    Error,
    method::{Block, Method, Tally},
};

/// Units whose recount would take longer than this many visits are passed over.
const MOST_VISITS: u64 = 1 << 28;

/// Draws units and recounts them on threads.
pub struct Sample {
    method: Arc<dyn Method>,
    pool: Arc<rayon::ThreadPool>,
    rng: ChaCha8Rng,
    /// Chance of a unit to be drawn.
    chance: f64,
    /// Units drawn so far.
    pub drawn: u64,
    /// Units offered so far.
    pub offered: u64,
    /// Units whose recount came out right.
    pub settled: u64,
    sender: Sender<Result<(), Error>>,
    receiver: Receiver<Result<(), Error>>,
}

impl Sample {
    /// A sample of about `wanted` of `expected` units.
    #[must_use]
    pub fn new(
        method: Arc<dyn Method>,
        pool: Arc<rayon::ThreadPool>,
        wanted: u64,
        expected: f64,
        seed: u64,
    ) -> Self {
        let (sender, receiver) = channel();
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let chance = (wanted as f64 / expected.max(1.0)).min(1.0);
        Self { method, pool, rng, chance, drawn: 0, offered: 0, settled: 0, sender, receiver }
    }

    /// Draws from the units of a block and starts their recounts.
    ///
    /// # Errors
    ///
    /// [`Error::Disagree`] of an earlier recount.
    pub fn offer(&mut self, block: &Arc<Block>, tallies: &[Tally], counted_by: &str) -> Result<(), Error> {
        self.offered += tallies.len() as u64;
        for (unit, &tally) in tallies.iter().enumerate() {
            if tally.visits > MOST_VISITS || !self.rng.random_bool(self.chance) {
                continue;
            }
            self.drawn += 1;
            let (method, block, sender) = (Arc::clone(&self.method), Arc::clone(block), self.sender.clone());
            let counted_by = counted_by.to_owned();
            self.pool.spawn(move || {
                // nobody listens any more once the run has failed
                let _ = sender.send(recount(&*method, &block, unit, tally, counted_by));
            });
        }
        while let Ok(result) = self.receiver.try_recv() {
            self.settled += 1;
            result?;
        }
        Ok(())
    }

    /// Whether every recount has come out right so far and none is open.
    ///
    /// # Errors
    ///
    /// [`Error::Disagree`] where one has not.
    pub fn settle(&mut self, wait: std::time::Duration) -> Result<bool, Error> {
        if self.settled < self.drawn
            && let Ok(result) = self.receiver.recv_timeout(wait)
        {
            self.settled += 1;
            result?;
        }
        Ok(self.settled == self.drawn)
    }
}

fn recount(
    method: &dyn Method,
    block: &Block,
    unit: usize,
    tally: Tally,
    counted_by: String,
) -> Result<(), Error> {
    let right = method.reference(block, unit);
    if right == tally.count {
        return Ok(());
    }
    Err(Error::Disagree {
        what: format!("recount of unit {unit} of block {}", block.number),
        left_name: counted_by,
        left: tally.count.to_string(),
        right_name: "the reference".into(),
        right: right.to_string(),
    })
}
