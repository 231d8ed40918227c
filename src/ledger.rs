//! What has been counted so far, and its sum.

use std::ops::Range;

use fixedbitset::FixedBitSet;

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
    /// Bit n: block n was added.
    added: FixedBitSet,
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

/// What one block added to a sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// Queens placed in it.
    pub visits: u128,
    number: u64,
    count: u128,
    buckets: Vec<u128>,
    /// Its sum modulo [`MODULUS`], and modulo [`BLOCK_MODULUS`].
    residue: u64,
    own: u32,
}

impl Added {
    fn of(block: &Block, tallies: &[Tally]) -> Result<Self, Error> {
        let number = block.number;
        if tallies.len() != block.units.len() || tallies.len() != block.weights.len() {
            return Err(Error::Internal(format!(
                "block {number} has {} units, {} weights and {} tallies",
                block.units.len(),
                block.weights.len(),
                tallies.len()
            )));
        }
        let own = block_residue(block, tallies);
        let mut all =
            Self { visits: block.visits.into(), number, count: 0, buckets: Vec::new(), residue: 0, own };
        for (tally, &weight) in tallies.iter().zip(&block.weights) {
            if tally.bucket >= MOST_BUCKETS {
                return Err(Error::Internal(format!("there is no bucket {}", tally.bucket)));
            }
            let bucket = tally.bucket as usize;
            if all.buckets.len() <= bucket {
                all.buckets.resize(bucket + 1, 0);
            }
            let more = u128::from(tally.count) * u128::from(weight);
            all.count = all.count.checked_add(more).ok_or_else(|| too_wide(number))?;
            // part of the sum, which has just been seen to fit
            all.buckets[bucket] += more;
            all.visits = all.visits.checked_add(tally.visits.into()).ok_or_else(|| too_wide(number))?;
            all.residue = add_residue(all.residue, tally.count, weight);
        }
        Ok(all)
    }
}

fn too_wide(number: u64) -> Error {
    Error::Internal(format!("the sum passes 128 bits in block {number}"))
}

impl Ledger {
    /// Adds a block: the sum of weight * count over its units. What comes back takes it out again.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] where tallies are missing, the block was added before, or the sum passes 128 bits;
    /// then nothing is changed.
    pub fn add(&mut self, block: &Block, tallies: &[Tally]) -> Result<Added, Error> {
        let number = block.number;
        let own = Added::of(block, tallies)?;
        if self.has(number) {
            return Err(Error::Internal(format!("block {number} was counted twice")));
        }
        let (count, visits) = (self.count.checked_add(own.count), self.visits.checked_add(own.visits));
        let (Some(count), Some(visits)) = (count, visits) else { return Err(too_wide(number)) };
        (self.count, self.visits) = (count, visits);
        if self.buckets.len() < own.buckets.len() {
            self.buckets.resize(own.buckets.len(), 0);
        }
        for (bucket, more) in self.buckets.iter_mut().zip(&own.buckets) {
            // part of the sum, which has just been seen to fit
            *bucket += more;
        }
        self.residue = (self.residue + own.residue) % MODULUS;
        self.added.grow_and_insert(number as usize);
        if self.residues.len() <= number as usize {
            self.residues.resize(number as usize + 1, 0);
        }
        self.residues[number as usize] = own.own;
        self.blocks += 1;
        Ok(own)
    }

    /// Takes out a block that turned out to be wrong: it is not done any more.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] where the block is not in the sum as it was added; then nothing is changed.
    pub fn remove(&mut self, own: &Added) -> Result<(), Error> {
        let number = own.number;
        let strange = || Error::Internal(format!("block {number} is not in the sum as it was counted"));
        if !self.has(number) || self.residues[number as usize] != own.own {
            return Err(strange());
        }
        let less = |sum: u128, part: u128| sum.checked_sub(part).ok_or_else(strange);
        let (count, visits) = (less(self.count, own.count)?, less(self.visits, own.visits)?);
        let mut buckets = self.buckets.clone();
        for (at, &part) in own.buckets.iter().enumerate() {
            let bucket = buckets.get_mut(at).ok_or_else(strange)?;
            *bucket = less(*bucket, part)?;
        }
        (self.count, self.visits, self.buckets) = (count, visits, buckets);
        self.residue = (self.residue + MODULUS - own.residue) % MODULUS;
        self.added.remove(number as usize);
        self.residues[number as usize] = 0;
        self.blocks -= 1;
        Ok(())
    }

    /// Whether a block was added.
    #[must_use]
    pub fn has(&self, number: u64) -> bool {
        self.added.contains(number as usize)
    }

    /// The numbers of the blocks, of `total`, that are not added by now, ascending.
    #[must_use]
    pub fn missing(&self, total: u64) -> Missing {
        Missing { added: self.added.clone(), numbers: 0..total }
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
            ledger.added = FixedBitSet::with_capacity(last as usize + 1);
            ledger.residues = vec![0; last as usize + 1];
        }
        for (number, own) in blocks {
            if number >= total || ledger.has(number) || own >= BLOCK_MODULUS {
                return Err(format!("its entry of block {number} is not one that is written"));
            }
            ledger.added.insert(number as usize);
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
        let [sum, own] = self.residues_by_block();
        if sum != own {
            return Err("its sum has not the residue of its blocks".into());
        }
        Ok(())
    }

    /// Whether each of the blocks 0 to `total` - 1 was added, once, and the sum has the residue of its parts.
    ///
    /// # Errors
    ///
    /// [`Error::Disagree`] if not. Nothing is counted again then, as nobody knows which block is wrong.
    pub fn check(&self, total: u64) -> Result<(), Error> {
        let disagree = |what: &str, left: u128, right: u128| Error::Disagree {
            what: what.into(),
            left_name: "the ledger".into(),
            left: left.to_string(),
            right_name: "what it must be".into(),
            right: right.to_string(),
        };
        let added = self.added.count_ones(..) as u64;
        let within = self.added.maximum().is_none_or(|last| (last as u64) < total);
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
        let [sum, own] = self.residues_by_block();
        if sum != own {
            return Err(disagree("the residue of the blocks", sum, own));
        }
        Ok(())
    }

    /// The sum modulo [`BLOCK_MODULUS`], and what the residues of its blocks come to, which is the same.
    fn residues_by_block(&self) -> [u128; 2] {
        let own: u128 = self.residues.iter().map(|&own| u128::from(own)).sum();
        [self.count, own].map(|sum| sum % u128::from(BLOCK_MODULUS))
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

/// Numbers of blocks that were not added; it holds a bit for each that was, as there may be very many blocks.
#[derive(Clone, Debug)]
pub struct Missing {
    added: FixedBitSet,
    numbers: Range<u64>,
}

impl Iterator for Missing {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.numbers.find(|&number| !self.added.contains(number as usize))
    }
}

#[cfg(test)]
mod tests;
