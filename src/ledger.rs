//! What has been counted so far, and its sum.

use crate::{
    Error,
    method::{Block, Tally},
};

/// The most parts of an answer: k = 0 to 16 queens on even-even squares.
const MOST_BUCKETS: u32 = 17;

/// The sum over the blocks that are done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Sum of weight * count.
    pub count: u128,
    /// The part of the sum in each bucket; empty at the end where there was none.
    pub buckets: Vec<u128>,
    /// Queens placed.
    pub visits: u128,
    /// Blocks added.
    pub blocks: u64,
}

impl Ledger {
    /// Adds a block: the sum of weight * count over its units.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] where tallies are missing or the sum passes 128 bits.
    pub fn add(&mut self, block: &Block, tallies: &[Tally]) -> Result<(), Error> {
        if tallies.len() != block.units.len() || tallies.len() != block.weights.len() {
            return Err(Error::Internal(format!(
                "block {} has {} units, {} weights and {} tallies",
                block.number,
                block.units.len(),
                block.weights.len(),
                tallies.len()
            )));
        }
        let wide = || Error::Internal(format!("the sum passes 128 bits in block {}", block.number));
        let mut after = self.clone();
        after.visits = after.visits.checked_add(block.visits.into()).ok_or_else(wide)?;
        for (tally, &weight) in tallies.iter().zip(&block.weights) {
            if tally.bucket >= MOST_BUCKETS {
                return Err(Error::Internal(format!("there is no bucket {}", tally.bucket)));
            }
            let bucket = tally.bucket as usize;
            if after.buckets.len() <= bucket {
                after.buckets.resize(bucket + 1, 0);
            }
            let more = u128::from(tally.count) * u128::from(weight);
            after.count = after.count.checked_add(more).ok_or_else(wide)?;
            // part of the sum, which has just been seen to fit
            after.buckets[bucket] += more;
            after.visits = after.visits.checked_add(tally.visits.into()).ok_or_else(wide)?;
        }
        after.blocks += 1;
        *self = after;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(weights: Vec<u32>) -> Block {
        Block { units: vec![[0; 8]; weights.len()], weights, visits: 5, ..Block::default() }
    }

    fn tally(count: u64) -> Tally {
        Tally { count, visits: 1, bucket: 0 }
    }

    #[test]
    fn weights_and_large_counts_add_up() -> Result<(), Error> {
        let mut ledger = Ledger::default();
        ledger.add(&block(vec![2, 1]), &[tally(u64::MAX), Tally { bucket: 3, ..tally(7) }])?;
        assert_eq!(ledger.count, 2 * u128::from(u64::MAX) + 7);
        assert_eq!(ledger.buckets, [2 * u128::from(u64::MAX), 0, 0, 7]);
        assert_eq!((ledger.visits, ledger.blocks), (7, 1));
        Ok(())
    }

    #[test]
    fn missing_tallies_and_overflow_are_errors_and_change_nothing() {
        let mut ledger = Ledger { count: u128::MAX, blocks: 3, ..Ledger::default() };
        let before = ledger.clone();
        assert!(ledger.add(&block(vec![1, 1]), &[tally(0)]).is_err());
        assert!(ledger.add(&block(vec![1]), &[tally(1)]).is_err());
        assert!(ledger.add(&block(vec![1]), &[Tally { bucket: 17, ..tally(0) }]).is_err());
        assert_eq!(ledger, before);
    }
}
