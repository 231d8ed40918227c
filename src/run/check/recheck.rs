//! Recounts blocks of a checkpoint, each against its own residue.

use std::{collections::HashMap, sync::Arc};

use rand::{SeedableRng, seq::IndexedRandom as _};
use rand_chacha::ChaCha8Rng;

use crate::{
    CancelToken, Error,
    checkpoint::Checkpoint,
    engine::{
        count_all,
        cpu::{self, CpuEngine},
    },
    ledger::block_residue,
    method::{Method, choice::make_again},
};

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
fn method(checkpoint: &Checkpoint) -> Result<Arc<dyn Method>, Error> {
    let Checkpoint { problem, method, cut, plan, blocks, .. } = checkpoint;
    match make_again(*method, problem, *cut, *plan)? {
        Some(method) if method.blocks() == *blocks => Ok(method),
        _ => Err(Error::checkpoint(
            format!(
                "this version of ferz does not make the blocks of the checkpoint, which {} wrote",
                checkpoint.writer
            ),
            "use that version",
        )),
    }
}

/// Recounts a random part of the blocks that are done, on the CPU.
///
/// A part of k blocks misses a fault in a fraction f of them with probability (1 - f)^k.
///
/// # Errors
///
/// [`Error::Usage`] unless 0 < `percent` <= 100, [`Error::Disagree`] for a block whose sum is not the one written,
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
    let mut engine = CpuEngine::new(Arc::clone(&method), cpu::pool(threads)?);
    let written: HashMap<u64, u32> = drawn.iter().copied().collect();
    let blocks = drawn.iter().map(|&(number, _)| Arc::new(method.block(number)));
    count_all(&mut engine, blocks, cancel, |block, tallies| {
        let (written, recounted) = (written[&block.number], block_residue(block, tallies));
        if recounted == written {
            return Ok(());
        }
        Err(Error::Disagree {
            what: format!("the sum of block {} modulo 2^32 - 5", block.number),
            left_name: "the checkpoint".into(),
            left: written.to_string(),
            right_name: "its recount".into(),
            right: recounted.to_string(),
        })
    })?;
    Ok(Recheck { recounted: drawn.len() as u64, done: done.len() as u64 })
}
