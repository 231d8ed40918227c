//! Recounts a random sample of units by the plain reference while the run goes on.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::disputes::Wrong;
use crate::{
    ledger::Added,
    method::{Block, Method, Tally},
};

/// Units whose recount would take longer than this many visits are passed over.
const MOST_VISITS: u64 = 1 << 28;

/// How many times as many units are drawn once a device was seen to err.
pub const RAISED: f64 = 16.0;

/// A block as it was counted, with what is needed to count it again.
pub struct Counted {
    /// The place of the engine that counted it.
    pub at: usize,
    /// The block.
    pub block: Arc<Block>,
    /// What it added to the sum.
    pub added: Added,
}

/// A block from which units were drawn that are not all recounted yet.
struct Offer {
    counted: Counted,
    drawn: u64,
    /// Those that could have been.
    offered: u64,
    settled: u64,
}

/// One unit recounted.
struct Recount {
    offer: u64,
    wrong: Option<Wrong>,
}

/// Draws units and recounts them on threads.
pub struct Recounts {
    method: Arc<dyn Method>,
    pool: Arc<rayon::ThreadPool>,
    rng: ChaCha8Rng,
    /// Chance of a unit to be drawn, and what it was at first.
    chance: f64,
    asked: f64,
    /// Units drawn so far.
    pub drawn: u64,
    /// Units so far of which each could be drawn.
    pub offered: u64,
    /// Units that could not, as their recount would take too long.
    pub too_large: u64,
    /// Units whose recount came out right.
    pub settled: u64,
    /// By number.
    open: HashMap<u64, Offer>,
    next: u64,
    sender: Sender<Recount>,
    receiver: Receiver<Recount>,
}

impl Recounts {
    /// A sample of about `wanted` units of a run; none where none is wanted.
    #[must_use]
    pub fn new(method: &Arc<dyn Method>, pool: &Arc<rayon::ThreadPool>, wanted: u64) -> Option<Self> {
        (wanted > 0).then(|| Self::of(method, pool, wanted, method.units()))
    }

    /// A sample of about `wanted` of `expected` units.
    fn of(method: &Arc<dyn Method>, pool: &Arc<rayon::ThreadPool>, wanted: u64, expected: f64) -> Self {
        let (sender, receiver) = channel();
        let asked = (wanted as f64 / expected.max(1.0)).min(1.0);
        Self {
            method: Arc::clone(method),
            pool: Arc::clone(pool),
            rng: ChaCha8Rng::seed_from_u64(rand::random()),
            chance: asked,
            asked,
            drawn: 0,
            offered: 0,
            too_large: 0,
            settled: 0,
            open: HashMap::new(),
            next: 0,
            sender,
            receiver,
        }
    }

    /// Draws [`RAISED`] times as many units as at first from now on, as far as there are as many.
    pub fn raise(&mut self) {
        self.chance = (RAISED * self.asked).min(1.0);
    }

    /// Draws from the units of a block and starts their recounts.
    pub fn offer(&mut self, counted: Counted, tallies: &[Tally]) {
        let number = self.next;
        self.next += 1;
        let (mut drawn, mut offered) = (0, 0);
        for (unit, &tally) in tallies.iter().enumerate() {
            if tally.visits > MOST_VISITS {
                continue;
            }
            offered += 1;
            if !self.rng.random_bool(self.chance) {
                continue;
            }
            drawn += 1;
            let (method, sender) = (Arc::clone(&self.method), self.sender.clone());
            let (block, said) = (Arc::clone(&counted.block), tally.count);
            self.pool.spawn(move || {
                let right = method.reference(&block, unit);
                let wrong = (said != right).then_some(Wrong { unit, said, right });
                // nobody listens any more once the run has failed
                let _ = sender.send(Recount { offer: number, wrong });
            });
        }
        self.drawn += drawn;
        self.offered += offered;
        self.too_large += tallies.len() as u64 - offered;
        if drawn > 0 {
            self.open.insert(number, Offer { counted, drawn, offered, settled: 0 });
        }
    }

    /// Waits a while for recounts, up to the first that differs. Its block counts as not offered then, and no more of its
    /// recounts are looked at.
    pub fn receive(&mut self, mut wait: Duration) -> Option<(Counted, Wrong)> {
        while let Ok(Recount { offer: number, wrong }) = self.receiver.recv_timeout(wait) {
            wait = Duration::ZERO;
            // none: of a block that is being counted again
            let Some(offer) = self.open.get_mut(&number) else { continue };
            if wrong.is_none() {
                offer.settled += 1;
                self.settled += 1;
                if offer.settled < offer.drawn {
                    continue;
                }
            }
            let offer = self.open.remove(&number)?;
            if let Some(wrong) = wrong {
                self.drawn -= offer.drawn;
                self.offered -= offer.offered;
                self.settled -= offer.settled;
                self.too_large -= offer.counted.block.units.len() as u64 - offer.offered;
                return Some((offer.counted, wrong));
            }
        }
        None
    }

    /// Whether every recount has come out right so far and none is open.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.settled == self.drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Problem, engine::cpu, method::search::Search};

    #[test]
    fn a_sample_is_raised_once_and_to_all_units_at_most() -> Result<(), Error> {
        let method: Arc<dyn Method> = Arc::new(Search::new(&Problem::queens(8)?, Some(2), 1.0)?);
        let pool = cpu::pool(Some(1))?;
        for (expected, chances) in [(6400.0, [1, 16, 16]), (128.0, [50, 100, 100])] {
            let mut sample = Recounts::of(&method, &pool, 64, expected);
            let percent = chances.map(|_| {
                let percent = 100.0 * sample.chance;
                sample.raise();
                percent.round() as i32
            });
            assert_eq!(percent, chances);
        }
        Ok(())
    }
}
