//! Prefixes: the queens of the first rows, as the rows below see them.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use crate::BoardSize;

/// Queens in the first `depth` rows that do not attack each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    /// Columns taken.
    pub columns: u32,
    /// Diagonals towards higher columns that are taken, as seen from the next row.
    pub left: u32,
    /// Diagonals towards lower columns that are taken, as seen from the next row.
    pub right: u32,
    /// Rows filled.
    pub depth: u32,
    /// How many prefixes it stands for under symmetry.
    pub weight: u32,
    /// It is its own mirror image, so that only one of two mirrored continuations need be kept.
    pub symmetric: bool,
}

impl Prefix {
    /// The empty board, to be counted by mirror symmetry.
    pub const EMPTY: Self = Self { columns: 0, left: 0, right: 0, depth: 0, weight: 1, symmetric: true };

    /// Columns of the next row that no queen attacks.
    const fn free(&self, size: BoardSize) -> u32 {
        size.full() & !(self.columns | self.left | self.right)
    }

    /// The prefix with one more queen, in column bit `queen`.
    const fn with(&self, queen: u32) -> Self {
        Self {
            columns: self.columns | queen,
            left: (self.left | queen) << 1,
            right: (self.right | queen) >> 1,
            depth: self.depth + 1,
            ..*self
        }
    }

    /// Its continuations by one row; of two that mirror each other only the one with the lower column, with
    /// twice the weight.
    fn children(self, size: BoardSize) -> impl Iterator<Item = Self> {
        bits(self.free(size)).filter_map(move |queen| {
            let child = self.with(queen);
            let image = if self.symmetric { size.mirror(queen) } else { 0 };
            match image {
                0 => Some(child),
                image if image == queen => Some(child),
                image if image > queen => Some(Self { weight: child.weight * 2, symmetric: false, ..child }),
                _ => None,
            }
        })
    }
}

/// Expands every prefix to `depth` rows, in order; `visits` grows by the queens placed. Prefixes that are as
/// deep already are kept.
#[must_use]
pub fn expand(size: BoardSize, prefixes: Vec<Prefix>, depth: u32, visits: &mut u64) -> Vec<Prefix> {
    let mut level = prefixes;
    while level.first().is_some_and(|prefix| prefix.depth < depth) {
        level = level.into_iter().flat_map(|prefix| prefix.children(size)).collect();
        *visits += level.len() as u64;
    }
    level
}

/// A prefix of `depth` rows by a random walk, or `None` where too many walks found no way on.
pub fn random(size: BoardSize, depth: u32, rng: &mut ChaCha8Rng) -> Option<Prefix> {
    const WALKS: u32 = 200;
    (0..WALKS).find_map(|_| {
        let start = Prefix { symmetric: false, ..Prefix::EMPTY };
        (0..depth).try_fold(start, |prefix, _| Some(prefix.with(pick(prefix.free(size), rng)?)))
    })
}

/// A random bit of a set.
pub fn pick(set: u32, rng: &mut ChaCha8Rng) -> Option<u32> {
    let size = set.count_ones();
    (size > 0).then(|| bits(set).nth(rng.random_range(0..size) as usize)).flatten()
}

/// The bits of a set, lowest first.
fn bits(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}
