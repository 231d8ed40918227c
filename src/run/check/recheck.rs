//! Recounts blocks of a checkpoint, each against its own residue.

use std::{collections::HashMap, sync::Arc, time::Duration};

use rand::{SeedableRng, seq::IndexedRandom as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    CancelToken, Error,
    checkpoint::Checkpoint,
    engine::{
        Engine,
        cpu::{self, CpuEngine},
    },
    ledger::block_residue,
    method::{
        Block, Method,
        join::Join,
        search::{Cut, Search},
    },
};

/// Expected visits of a unit of search while blocks are recounted: that of a count on the CPU.
const UNIT_VISITS: f64 = 32_768.0;

/// How long a finished block is waited for until cancellation is looked at again.
const NAP: Duration = Duration::from_millis(10);

/// What was recounted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recheck {
    /// Blocks recounted; all of them came out as they are written.
    pub recounted: u64,
    /// Blocks that are done.
    pub done: u64,
}

/// The method of a checkpoint, with the very blocks.
///
/// # Errors
///
/// [`Error::Checkpoint`] where this version of ferz has no such method, or cuts the problem into other blocks.
pub fn method(checkpoint: &Checkpoint) -> Result<Arc<dyn Method>, Error> {
    let made: Option<Arc<dyn Method>> = match checkpoint.method.as_str() {
        "join" => Some(Arc::new(Join::new(&checkpoint.problem)?)),
        "search" => {
            let mirrored = checkpoint.cut.ends_with(", mirrored");
            let cut = |depth| Cut { depth, unit_visits: UNIT_VISITS, mirrored };
            let chosen = Search::cut(&checkpoint.problem, cut(None))?;
            if chosen.plan_hash() == checkpoint.plan {
                Some(Arc::new(chosen))
            } else {
                // by --depth
                let rows = checkpoint.cut.split(' ').nth(2).and_then(|rows| rows.parse().ok());
                Some(Arc::new(Search::cut(&checkpoint.problem, cut(rows))?))
            }
        }
        _ => None,
    };
    let same = |method: &Arc<dyn Method>| {
        method.plan_hash() == checkpoint.plan && method.blocks() == checkpoint.blocks
    };
    made.filter(same).ok_or_else(|| {
        Error::checkpoint(
            format!(
                "this version of ferz does not make the blocks of the checkpoint, which {} wrote",
                checkpoint.writer
            ),
            "use that version",
        )
    })
}

/// Recounts a random part of the blocks that are done, on the CPU.
///
/// A part of k blocks misses a fault in a fraction f of them with probability (1 - f)^k.
///
/// # Errors
///
/// [`Error::Usage`] unless 0 < `percent` <= 100, [`Error::Disagree`] for a block that comes out otherwise than written,
/// [`Error::Cancelled`], and [`Error::Checkpoint`] where this version of ferz does not make its blocks.
pub fn recheck(
    checkpoint: &Checkpoint,
    percent: f64,
    threads: Option<usize>,
    seed: u64,
    cancel: &CancelToken,
) -> Result<Recheck, Error> {
    if !(percent > 0.0 && percent <= 100.0) {
        return Err(Error::usage(
            format!("{percent} % of the blocks cannot be recounted"),
            "it is more than 0 and at most 100 %",
        ));
    }
    let method = method(checkpoint)?;
    let done = checkpoint.ledger.entries().blocks;
    let wanted = ((done.len() as f64 * percent / 100.0).ceil() as usize).min(done.len());
    let mut drawn: Vec<(u64, u32)> =
        done.sample(&mut ChaCha8Rng::seed_from_u64(seed), wanted).copied().collect();
    // neighbours share lists
    drawn.sort_unstable();
    let mut left = drawn.iter();
    let mut engine = CpuEngine::new(Arc::clone(&method), cpu::pool(threads)?);
    let mut under_way: HashMap<u64, (Arc<Block>, u32)> = HashMap::new();
    loop {
        cancel.check()?;
        if engine.hungry()
            && let Some(&(number, written)) = left.next()
        {
            let block = Arc::new(method.block(number));
            under_way.insert(engine.submit(Arc::clone(&block))?, (block, written));
            continue;
        }
        if under_way.is_empty() {
            return Ok(Recheck { recounted: drawn.len() as u64, done: done.len() as u64 });
        }
        let Some(finished) = engine.poll(NAP)? else { continue };
        let Some((block, written)) = under_way.remove(&finished.ticket) else { continue };
        let recounted = block_residue(&block, &finished.tallies);
        if recounted != written {
            return Err(Error::Disagree {
                what: format!("the sum of block {} modulo 2^32 - 5", block.number),
                left_name: "the checkpoint".into(),
                left: written.to_string(),
                right_name: "its recount".into(),
                right: recounted.to_string(),
            });
        }
    }
}
