//! Prefixes drawn at random: from a seed a random walk down to where the rest is soon counted.

use std::time::Duration;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::{Prefix, Search, prefix};
use crate::method::{
    Block, Method as _, Unit,
    sampling::{Draw, Drawn, Footprint, Sampling, Stratum, Trial},
};

/// Visits to expect below a prefix that is drawn.
const DRAWN_VISITS: f64 = 1024.0;

/// Time of a visit on one thread, in nanoseconds.
const VISIT: f64 = 8.0;

impl Search {
    /// The depth to which walks go.
    fn walk_depth(&self) -> u32 {
        self.profile.depth_with(self.profile.visits() / DRAWN_VISITS).max(self.seed_depth)
    }

    /// Draws a prefix of some depth below each of some seeds.
    fn walk(&self, seeds: &[u64], depth: u32, rng: &mut ChaCha8Rng) -> Drawn {
        let (mut prefixes, mut draws) = (Vec::new(), Vec::new());
        for &seed in seeds {
            let walk = prefix::walk(&self.inner, self.seeds[seed as usize], depth - self.seed_depth, rng);
            let first = prefixes.len();
            prefixes.extend(walk.end);
            draws.push(Draw {
                units: first..prefixes.len(),
                solutions: walk.ways,
                visits: walk.ways,
                more_visits: walk.visits,
            });
        }
        Drawn { block: self.block_of(0, &prefixes, 0), whole: None, draws }
    }
}

impl Sampling for Search {
    /// One stratum; its members are the seeds.
    fn strata(&self) -> Vec<Stratum> {
        let depth = self.walk_depth();
        let below = self.profile.visits() / self.profile.prefixes(depth).max(1.0);
        let whole = depth == self.seed_depth;
        let members = self.seeds.len() as u64;
        let visits = (self.profile.visits() / members.max(1) as f64).max(1.0);
        vec![Stratum { members, whole, visits, work: VISIT * below + 1000.0, blocks: 0..self.blocks }]
    }

    fn base_visits(&self) -> f64 {
        self.seed_visits as f64
    }

    fn draw(&self, _stratum: usize, members: &[u64], _thin: bool, rng: &mut ChaCha8Rng) -> Drawn {
        self.walk(members, self.walk_depth(), rng)
    }

    /// A block itself, or where that is too large units drawn from all of the tree.
    fn trial(&self, _stratum: usize, number: u64, visits: f64, rng: &mut ChaCha8Rng) -> Trial {
        // making a block is part of its visits
        let making = Duration::ZERO;
        if self.cost(number) <= 2.0 * visits {
            return Trial { block: self.block(number), whole: true, making };
        }
        let draws = (visits / DRAWN_VISITS).ceil() as usize;
        let seeds: Vec<u64> = (0..draws).map(|_| rng.random_range(0..self.seeds.len() as u64)).collect();
        // a kernel takes no more rows than those below the depth of the run
        let depth = self.walk_depth().max(self.depth);
        let block = Block { number, ..self.walk(&seeds, depth, rng).block };
        Trial { block, whole: false, making }
    }

    fn footprint(&self) -> Footprint {
        let per_block = self.profile.prefixes(self.depth) / self.blocks as f64;
        let units = per_block * (size_of::<Unit>() + size_of::<u32>()) as f64;
        // the level above is held while a block is expanded
        let prefixes = (1.0 + per_block) * size_of::<Prefix>() as f64;
        let shared = (self.seeds.len() * size_of::<Prefix>()) as f64;
        Footprint { shared, block: units + prefixes, units, contexts: 0.0, context: 0.0 }
    }
}
