//! How prefixes are expanded, all of them or at random.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::inner::{Inner, Prefix};
use crate::board::bits::bits;

/// Expands every prefix by `steps` rows, lowest first, in order; `visits` grows by the queens placed. One without rows
/// left stays as it is.
#[must_use]
pub fn expand(inner: &Inner, prefixes: Vec<Prefix>, steps: u32, visits: &mut u64) -> Vec<Prefix> {
    let mut level = prefixes;
    for _ in 0..steps {
        let mut next = Vec::with_capacity(level.len());
        for prefix in &level {
            if prefix.rows == 0 {
                next.push(*prefix);
                continue;
            }
            let row = prefix.rows.trailing_zeros();
            let children = bits(inner.free(prefix, row));
            let before = next.len();
            next.extend(children.map(|queen| inner.with(prefix, row, queen)));
            *visits += (next.len() - before) as u64;
        }
        level = next;
    }
    level
}

/// A random walk from a prefix.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Where it ended; none where there was no way on.
    pub end: Option<Prefix>,
    /// The product of the numbers of ways it had: on average it weighs the ends so that they add up to all.
    pub ways: f64,
    /// The expected number of queens placed to expand the prefix as far.
    pub visits: f64,
}

/// Walks `steps` rows at random: Knuth's estimator, as in [`super::profile`].
pub fn walk(inner: &Inner, start: Prefix, steps: u32, rng: &mut ChaCha8Rng) -> Walk {
    let mut walk = Walk { end: Some(start), ways: 1.0, visits: 0.0 };
    for _ in 0..steps {
        let Some(prefix) = walk.end.filter(|prefix| prefix.rows != 0) else { break };
        let row = prefix.rows.trailing_zeros();
        let free = inner.free(&prefix, row);
        walk.ways *= f64::from(free.count_ones());
        walk.visits += walk.ways;
        walk.end = pick(free, rng).map(|queen| inner.with(&prefix, row, queen));
    }
    walk
}

/// A prefix with `rows` rows left, by a random walk of at least `steps` rows from one of some seeds; `None` where too
/// many walks find no way on.
pub fn random(
    inner: &Inner,
    seeds: &[Prefix],
    steps: u32,
    rows: u32,
    rng: &mut ChaCha8Rng,
) -> Option<Prefix> {
    const WALKS: u32 = 200;
    (0..WALKS).find_map(|_| {
        let mut prefix = *seeds.get(rng.random_range(0..seeds.len().max(1)))?;
        let walk = prefix.rows.count_ones().checked_sub(rows).filter(|&walk| walk >= steps)?;
        for _ in 0..walk {
            let row = prefix.rows.trailing_zeros();
            prefix = inner.with(&prefix, row, pick(inner.free(&prefix, row), rng)?);
        }
        Some(prefix)
    })
}

/// A random bit of a set.
pub fn pick(set: u32, rng: &mut ChaCha8Rng) -> Option<u32> {
    let size = set.count_ones();
    (size > 0).then(|| bits(set).nth(rng.random_range(0..size) as usize)).flatten()
}
