//! The parity join as a [`Method`].

use std::ops::Range;

use super::Join;
use crate::method::{Block, Kernel, Method, Record, SelfTest};

/// Units of a chunk: enough to fill vectors, few enough to share a block out to threads.
const CHUNK: usize = 256;

impl Method for Join {
    fn name(&self) -> &'static str {
        "join"
    }

    fn kernels(&self) -> Vec<Kernel> {
        Vec::new()
    }

    fn visits_agree(&self) -> bool {
        false
    }

    fn blocks(&self) -> u64 {
        Self::blocks(self)
    }

    fn cost(&self, number: u64) -> f64 {
        Self::cost(self, number)
    }

    fn units(&self) -> f64 {
        self.plan.units()
    }

    fn block(&self, number: u64) -> Block {
        Self::block(self, number)
    }

    fn split(&self, block: &Block, unit: usize) -> Block {
        Self::split(self, block, unit).unwrap_or_default()
    }

    fn count(&self, block: &Block, unit: usize, _budget: u64) -> Record {
        Self::count(self, block, unit..unit + 1)[0]
    }

    fn count_units(&self, block: &Block, units: Range<usize>) -> Vec<Record> {
        Self::count(self, block, units)
    }

    fn chunks(&self, block: &Block) -> Vec<Range<usize>> {
        let units = block.units.len();
        (0..units).step_by(CHUNK).map(|start| start..(start + CHUNK).min(units)).collect()
    }

    /// Even N: a board and its mirror image have k and N/2 - k such queens, and one of them stands for both.
    fn by_even_even(&self, buckets: &[u128]) -> Option<Vec<u128>> {
        let shape = self.plan.shape;
        let mut parts = buckets.to_vec();
        parts.resize(shape.even as usize + 1, 0);
        if shape.n.is_multiple_of(2) {
            for k in 0..parts.len().div_ceil(2) {
                let mirror = parts.len() - 1 - k;
                if k < mirror {
                    parts[k] /= 2;
                    parts[mirror] = parts[k];
                }
            }
        }
        Some(parts)
    }

    fn reference(&self, block: &Block, unit: usize) -> u64 {
        Self::reference(self, block, unit)
    }

    fn self_test(&self) -> SelfTest {
        Self::self_test(self)
    }
}
