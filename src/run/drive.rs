//! The run loop: next block -> engine -> ledger, until all blocks are done.

use std::{collections::HashMap, sync::Arc, time::Duration};

use super::{CancelToken, feed::Feed, sample::Sample};
use crate::{
    Error,
    engine::{Engine, Finished, Ticket},
    ledger::Ledger,
    method::{Block, Method},
};

/// The longest sleep in which nothing is looked at: bounds the time to react to a cancellation.
const NAP: Duration = Duration::from_millis(10);

/// What the engines counted together.
pub struct Driven {
    /// The sum.
    pub ledger: Ledger,
    /// Visits of each engine, in their order.
    pub visits: Vec<u128>,
}

/// Counts every block of a method once, on whichever engine asks for the next.
pub fn drive(
    method: &Arc<dyn Method>,
    pool: &Arc<rayon::ThreadPool>,
    engines: &mut [Box<dyn Engine>],
    mut sample: Option<&mut Sample>,
    cancel: &CancelToken,
) -> Result<Driven, Error> {
    let names: Vec<String> = engines.iter().map(|engine| engine.device().name).collect();
    let mut feed = Feed::new(Arc::clone(method), Arc::clone(pool));
    let mut pending: HashMap<(usize, Ticket), Arc<Block>> = HashMap::new();
    let mut driven = Driven { ledger: Ledger::default(), visits: vec![0; engines.len()] };
    let mut absorb = |at: usize, finished: Finished, pending: &mut HashMap<(usize, Ticket), Arc<Block>>| {
        let block = pending
            .remove(&(at, finished.ticket))
            .ok_or_else(|| Error::Internal("an engine finished a block that it was not given".into()))?;
        let before = driven.ledger.visits;
        driven.ledger.add(&block, &finished.tallies)?;
        driven.visits[at] += driven.ledger.visits - before;
        match &mut sample {
            Some(sample) => sample.offer(&block, &finished.tallies, &names[at]),
            None => Ok(()),
        }
    };
    loop {
        cancel.check()?;
        let mut hungry = false;
        for (at, engine) in engines.iter_mut().enumerate() {
            while engine.hungry() {
                let Some(block) = feed.take(Duration::ZERO)? else { break };
                let block = Arc::new(block);
                let ticket = engine.submit(Arc::clone(&block))?;
                pending.insert((at, ticket), block);
            }
            hungry |= engine.hungry();
        }
        let mut idle = true;
        for (at, engine) in engines.iter_mut().enumerate() {
            while let Some(finished) = engine.poll(Duration::ZERO)? {
                idle = false;
                absorb(at, finished, &mut pending)?;
            }
        }
        if !idle {
            continue;
        }
        if hungry && feed.is_building() {
            // a block may be ready before any engine is done
            if let Some(block) = feed.take(NAP)? {
                let block = Arc::new(block);
                let at = (0..engines.len()).find(|&at| engines[at].hungry()).unwrap_or(0);
                let ticket = engines[at].submit(Arc::clone(&block))?;
                pending.insert((at, ticket), block);
            }
        } else if pending.is_empty() {
            return Ok(driven);
        } else {
            let busy = pending.keys().map(|&(at, _)| at).min().unwrap_or(0);
            if let Some(finished) = engines[busy].poll(NAP)? {
                absorb(busy, finished, &mut pending)?;
            }
        }
    }
}
