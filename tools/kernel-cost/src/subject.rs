//! Kernels of ferz, and units of real counts for them.

use std::ops::Range;

use ferz::{
    Problem,
    testing::method::{Block, Grain, Kernel, Method, join::Join, search::Search},
};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::error::Error;

/// Expected visits of a unit of `search`, as ferz cuts a count for a GPU.
const UNIT_VISITS: f64 = 65_536.0;

/// Blocks that a sample of `join` comes from: each has lists of its own, which take their time to make.
const BLOCKS: usize = 3;

/// Blocks that are tried, as some have no units.
const TRIES: usize = 64;

/// Which kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Name {
    /// A bitmask search below prefixes.
    Search,
    /// The parity join.
    Join,
}

/// A kernel for one board, and the method that it belongs to.
pub struct Subject {
    /// Rows of the board.
    pub n: u32,
    /// Queens on squares of even row and column; none where the method has no such parts.
    pub k: Option<u32>,
    /// The kernel.
    pub kernel: Kernel,
    /// What it counts.
    pub method: Box<dyn Method>,
    blocks: Range<u64>,
}

impl Subject {
    /// The kernel that ferz takes for a board. `depth` is that of the prefixes of `search`, `k` a part of `join`;
    /// the default is ferz's own depth and the part next to N/4, which holds most of the work.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a board, a depth or a part that there is not.
    pub fn new(name: Name, n: u32, depth: Option<u32>, k: Option<u32>) -> Result<Self, Error> {
        let usage = |error: ferz::Error| {
            Error::Usage(match error.hint() {
                Some(hint) => format!("{error}; {hint}"),
                None => error.to_string(),
            })
        };
        let problem = Problem::queens(n).map_err(usage)?;
        let (k, kernel, method, blocks): (_, _, Box<dyn Method>, _) = match name {
            Name::Search => {
                if k.is_some() {
                    return Err(Error::Usage("--k is for the join: search has no parts".into()));
                }
                let search = Search::new(&problem, depth, UNIT_VISITS).map_err(usage)?;
                let blocks = 0..search.blocks();
                (None, 0, Box::new(search), blocks)
            }
            Name::Join => {
                if depth.is_some() {
                    return Err(Error::Usage("--depth is for search: the join has no prefixes".into()));
                }
                let join = Join::new(&problem).map_err(usage)?;
                let parts = join.parts();
                let found = match k {
                    Some(k) => parts.iter().position(|part| part.0 == k),
                    None => (0..parts.len()).min_by_key(|&at| (4 * parts[at].0).abs_diff(n)),
                };
                let Some(at) = found else {
                    let ks: Vec<String> = parts.iter().map(|(k, _)| k.to_string()).collect();
                    return Err(Error::Usage(format!("the parts of N = {n} have k = {}", ks.join(", "))));
                };
                let (k, blocks) = parts[at].clone();
                (Some(k), at, Box::new(join), blocks)
            }
        };
        let kernel = method.kernels().swap_remove(kernel);
        Ok(Self { n, k, kernel, method, blocks })
    }

    /// Whether the kernel takes workgroups of so many invocations.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] if not.
    pub fn takes(&self, workgroup: u32) -> Result<(), Error> {
        let most = Grain::MOST_LANES;
        if workgroup.is_power_of_two() && workgroup <= most {
            return Ok(());
        }
        let name = self.kernel.name;
        Err(Error::Usage(format!(
            "the kernel '{name}' takes no workgroups of {workgroup} invocations, but powers of two up to {most}"
        )))
    }

    /// Bytes of workgroup memory with so many invocations.
    #[must_use]
    pub fn workgroup_bytes(&self, workgroup: u32) -> u32 {
        self.kernel.workgroup_bytes + self.kernel.workgroup_bytes_per_invocation * workgroup
    }

    /// Units at random, from blocks at random; a workgroup counts each.
    ///
    /// # Errors
    ///
    /// [`Error::Check`] where no units are found.
    pub fn sample(&self, units: usize, seed: u64) -> Result<Vec<Block>, Error> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut below = |end: u64| rng.next_u64() % end.max(1);
        let blocks = if self.k.is_some() { units.min(BLOCKS) } else { units };
        let mut samples: Vec<Block> = Vec::new();
        for _ in 0..TRIES.max(2 * blocks) {
            if samples.len() == blocks {
                return Ok(samples);
            }
            let mut block = self.method.block(self.blocks.start + below(self.blocks.end - self.blocks.start));
            if block.units.is_empty() {
                continue;
            }
            let share = units / blocks + usize::from(samples.len() < units % blocks);
            block.weights = vec![1; share];
            block.units = (0..share).map(|_| block.units[below(block.units.len() as u64) as usize]).collect();
            samples.push(block);
        }
        let found = !samples.is_empty();
        found
            .then_some(samples)
            .ok_or_else(|| Error::Check(format!("no units were found for N = {}", self.n)))
    }
}
