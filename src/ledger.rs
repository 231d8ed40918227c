//! What has been counted so far, and its sum.

use crate::{
    Error,
    method::{Block, Tally},
};

/// The most parts of an answer: k = 0 to 16 queens on even-even squares.
const MOST_BUCKETS: u32 = 17;

/// The modulus of the residue: 2^61 - 1, a prime.
const MODULUS: u64 = (1 << 61) - 1;

/// The modulus of the residues of single blocks: 2^32 - 5, a prime.
const BLOCK_MODULUS: u32 = u32::MAX - 4;

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
    /// The sum modulo [`MODULUS`], added up apart from it.
    residue: u64,
    /// Bit n of the whole: block n was added.
    added: Vec<u64>,
    /// The sum of each block modulo [`BLOCK_MODULUS`], by its number; 0 for those that were not added.
    residues: Vec<u32>,
}

/// A ledger as it is written down: what cannot be worked out from the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// Sum of weight * count.
    pub count: u128,
    /// The part of the sum in each bucket.
    pub buckets: Vec<u128>,
    /// Queens placed.
    pub visits: u128,
    /// The sum modulo 2^61 - 1, added up apart from it.
    pub residue: u64,
    /// The numbers of the blocks that were added, ascending, each with its own sum modulo 2^32 - 5.
    pub blocks: Vec<(u64, u32)>,
}

impl Ledger {
    /// Adds a block: the sum of weight * count over its units.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] where tallies are missing, the block was added before, or the sum passes 128 bits;
    /// then nothing is changed.
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
        let (word, bit) = ((block.number / 64) as usize, 1 << (block.number % 64));
        if self.added.get(word).is_some_and(|added| added & bit != 0) {
            return Err(Error::Internal(format!("block {} was counted twice", block.number)));
        }
        let wide = || Error::Internal(format!("the sum passes 128 bits in block {}", block.number));
        let (mut count, mut buckets, mut residue) = (self.count, self.buckets.clone(), self.residue);
        let own = block_residue(block, tallies);
        let mut visits = self.visits.checked_add(block.visits.into()).ok_or_else(wide)?;
        for (tally, &weight) in tallies.iter().zip(&block.weights) {
            if tally.bucket >= MOST_BUCKETS {
                return Err(Error::Internal(format!("there is no bucket {}", tally.bucket)));
            }
            let bucket = tally.bucket as usize;
            if buckets.len() <= bucket {
                buckets.resize(bucket + 1, 0);
            }
            let more = u128::from(tally.count) * u128::from(weight);
            count = count.checked_add(more).ok_or_else(wide)?;
            // part of the sum, which has just been seen to fit
            buckets[bucket] += more;
            visits = visits.checked_add(tally.visits.into()).ok_or_else(wide)?;
            residue = add_residue(residue, tally.count, weight);
        }
        if self.added.len() <= word {
            self.added.resize(word + 1, 0);
        }
        self.added[word] |= bit;
        let number = block.number as usize;
        if self.residues.len() <= number {
            self.residues.resize(number + 1, 0);
        }
        self.residues[number] = own;
        let (added, residues) = (std::mem::take(&mut self.added), std::mem::take(&mut self.residues));
        *self = Self { count, buckets, visits, blocks: self.blocks + 1, residue, added, residues };
        Ok(())
    }

    /// Whether a block was added.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.added.get((number / 64) as usize).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// The ledger as it is written down.
    #[must_use]
    pub fn entries(&self) -> Entries {
        let numbers = 0..self.residues.len() as u64;
        Entries {
            count: self.count,
            buckets: self.buckets.clone(),
            visits: self.visits,
            residue: self.residue,
            blocks: numbers.filter(|&n| self.has(n)).map(|n| (n, self.residues[n as usize])).collect(),
        }
    }

    /// The ledger that was written down, of a run of `total` blocks.
    ///
    /// # Errors
    ///
    /// Says what does not fit together: a block twice or beyond the last, a sum that is not that of its parts or has
    /// not the residues that were added up beside it.
    pub fn restore(entries: Entries, total: u64) -> Result<Self, String> {
        let Entries { count, buckets, visits, residue, blocks } = entries;
        let mut ledger = Self { count, buckets, visits, residue, ..Self::default() };
        if let Some(&(last, _)) = blocks.last() {
            if last >= total {
                return Err(format!("it says that block {last} of {total} is done"));
            }
            ledger.added = vec![0; (last / 64) as usize + 1];
            ledger.residues = vec![0; last as usize + 1];
        }
        for (number, own) in blocks {
            if number >= total || ledger.has(number) || own >= BLOCK_MODULUS {
                return Err(format!("its entry of block {number} is not one that is written"));
            }
            ledger.added[(number / 64) as usize] |= 1 << (number % 64);
            ledger.residues[number as usize] = own;
            ledger.blocks += 1;
        }
        ledger.fits_together()?;
        Ok(ledger)
    }

    /// Whether the sum is that of its parts and has its residues.
    fn fits_together(&self) -> Result<(), String> {
        let mut parts = self.buckets.iter().try_fold(0u128, |sum, &part| sum.checked_add(part));
        if self.buckets.len() > MOST_BUCKETS as usize {
            parts = None;
        }
        if parts != Some(self.count) {
            return Err(format!("its parts do not add up to {}", self.count));
        }
        if self.count % u128::from(MODULUS) != u128::from(self.residue) {
            return Err(format!("its sum has not the residue {}", self.residue));
        }
        let own: u128 = self.residues.iter().map(|&own| u128::from(own)).sum();
        let modulus = u128::from(BLOCK_MODULUS);
        if self.count % modulus != own % modulus {
            return Err("its sum has not the residue of its blocks".into());
        }
        Ok(())
    }

    /// Whether each of the blocks 0 to `total` - 1 was added, once, and the sum has the residue of its parts.
    ///
    /// # Errors
    ///
    /// [`Error::Disagree`] otherwise.
    pub fn check(&self, total: u64) -> Result<(), Error> {
        let disagree = |what: &str, left: u128, right: u128| Error::Disagree {
            what: what.into(),
            left_name: "the ledger".into(),
            left: left.to_string(),
            right_name: "what it must be".into(),
            right: right.to_string(),
        };
        let added: u64 = self.added.iter().map(|word| u64::from(word.count_ones())).sum();
        let within = self.added.len() as u64 <= total.div_ceil(64);
        if added != total || self.blocks != total || !within {
            return Err(disagree("the number of blocks counted", self.blocks.into(), total.into()));
        }
        let modulus = u128::from(MODULUS);
        if self.count % modulus != u128::from(self.residue) {
            return Err(disagree("the residue of the sum", self.count % modulus, self.residue.into()));
        }
        if self.buckets.iter().sum::<u128>() != self.count {
            return Err(disagree("the sum of the parts", self.buckets.iter().sum(), self.count));
        }
        let (modulus, own) = (u128::from(BLOCK_MODULUS), self.residues.iter().map(|&own| u128::from(own)));
        let own = own.sum::<u128>() % modulus;
        if self.count % modulus != own {
            return Err(disagree("the residue of the blocks", self.count % modulus, own));
        }
        Ok(())
    }
}

/// The sum of a block modulo 2^32 - 5: what a recount of the block is compared with.
#[must_use]
pub fn block_residue(block: &Block, tallies: &[Tally]) -> u32 {
    let modulus = u64::from(BLOCK_MODULUS);
    let one = |(tally, &weight): (&Tally, &u32)| tally.count % modulus * u64::from(weight) % modulus;
    let parts = tallies.iter().zip(&block.weights).map(one);
    parts.fold(0, |sum, part| (sum + part) % modulus) as u32
}

/// The residue with count * weight more.
fn add_residue(residue: u64, count: u64, weight: u32) -> u64 {
    let more = u128::from(count % MODULUS) * u128::from(weight);
    ((u128::from(residue) + more) % u128::from(MODULUS)) as u64
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

    #[test]
    fn a_block_is_added_once_and_none_is_left_out() -> Result<(), Error> {
        let numbered = |number| Block { number, ..block(vec![1]) };
        let mut ledger = Ledger::default();
        for number in [1, 64, 0] {
            ledger.add(&numbered(number), &[tally(5)])?;
        }
        assert!(ledger.add(&numbered(64), &[tally(5)]).is_err());
        assert!(ledger.check(65).is_err() && ledger.check(3).is_err() && ledger.check(2).is_err());
        for number in 2..64 {
            ledger.add(&numbered(number), &[tally(u64::MAX)])?;
        }
        ledger.check(65)?;
        assert!(ledger.check(64).is_err() && ledger.check(66).is_err());
        Ok(())
    }

    #[test]
    fn what_is_written_down_comes_back_and_nothing_else_does() -> Result<(), String> {
        let mut ledger = Ledger::default();
        for number in [0, 3, 64, 130] {
            let block = Block { number, ..block(vec![8, 3]) };
            let tallies = [Tally { bucket: 2, ..tally(u64::MAX - number) }, tally(number)];
            ledger.add(&block, &tallies).map_err(|error| error.to_string())?;
        }
        let entries = ledger.entries();
        assert_eq!(Ledger::restore(entries.clone(), 131)?, ledger);
        assert!(Ledger::restore(entries.clone(), 130).is_err());
        let changes: [fn(&mut Entries); 9] = [
            |wrong| wrong.count += 1,
            |wrong| wrong.buckets[0] += 1,
            |wrong| wrong.buckets = vec![u128::MAX; 2],
            |wrong| wrong.buckets.resize(MOST_BUCKETS as usize + 1, 0),
            |wrong| wrong.residue ^= 1,
            |wrong| wrong.blocks[1].1 ^= 1,
            |wrong| wrong.blocks[1].0 = 0,
            |wrong| wrong.blocks[3].1 = u32::MAX,
            |wrong| wrong.blocks.truncate(3),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            let mut wrong = entries.clone();
            change(&mut wrong);
            assert!(Ledger::restore(wrong, 131).is_err(), "change {at}");
        }
        Ok(())
    }

    #[test]
    fn a_sum_that_went_wrong_is_seen_by_its_residue() -> Result<(), Error> {
        let mut ledger = Ledger::default();
        ledger.add(&block(vec![2, 3]), &[tally(u64::MAX), tally(1 << 61)])?;
        ledger.check(1)?;
        for bit in 0..128 {
            let wrong = Ledger { count: ledger.count ^ (1 << bit), ..ledger.clone() };
            assert!(wrong.check(1).is_err(), "bit {bit}");
        }
        // as a counter that wrapped at 32 bits, or a block that was added twice
        let wrong = Ledger { count: ledger.count - (182 << 32), ..ledger };
        assert!(wrong.check(1).is_err());
        Ok(())
    }
}
