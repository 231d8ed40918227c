//! A run as numbered blocks: a chunk of row sets Re and a chunk of row sets Ro of one k, and all their units.
//!
//! A block is a pure function of its number. Blocks with one chunk of Re follow each other and share its lists; the
//! lists made last are kept, so that each is made about once where blocks are made in turn.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    cost::{self, Mean},
    lists::{Lists, WORDS},
    parity::{Sets, Shape},
    symmetry::{COMMON, Symmetry, Weights},
    unit::Words,
};
use crate::method::Block;

/// Aim for the bytes of the lists of Re in a block: one chunk serves a long run of blocks.
const WHITE_BYTES: f64 = (64u64 << 20) as f64;

/// Aim for the bytes of the lists of Ro in a block: each block in flight has its own.
const BLACK_BYTES: f64 = (32u64 << 20) as f64;

/// Bytes of lists that are kept beyond those of blocks in use.
const KEPT_BYTES: usize = 128 << 20;

/// Aim for the visits of a block.
const BLOCK_VISITS: f64 = (1u64 << 28) as f64;

/// Bounds of the number of chunks of a side.
const CHUNKS: Range<f64> = 20.0..200.0;

/// Units sampled to tell how many of a block are visited.
const SAMPLES: u32 = 64;

/// The plan of one board size.
#[derive(Debug)]
pub struct Plan {
    /// The board.
    pub shape: Shape,
    /// Sets of even indices.
    pub even_sets: Arc<Sets>,
    /// One for each k that is run.
    pub parts: Vec<Part>,
    blocks: u64,
    kept: Mutex<VecDeque<Kept>>,
}

/// All blocks with one k.
#[derive(Debug)]
pub struct Part {
    /// Queens on EE.
    pub k: u32,
    /// Which of its units are run.
    pub symmetry: Symmetry,
    /// Row sets Re of which some unit may be visited.
    re: Vec<u32>,
    chunk_re: usize,
    chunk_ro: usize,
    /// Number of its first block.
    first: u64,
    mean: Mean,
    /// All Co, as every block of the part has them in its context.
    pub sets: Arc<[u32]>,
    /// How many Co are less than each number.
    below: Vec<u16>,
}

/// The row sets of a block.
#[derive(Clone, Copy, Debug)]
struct Chunk<'a> {
    part: &'a Part,
    /// Position of the part, and so of its kernel.
    kernel: usize,
    re: &'a [u32],
    ro: &'a [u32],
    /// What its lists are kept under.
    keys: [Key; 2],
}

/// Colour (0 white, 1 black), k, number of the chunk.
type Key = (u8, u32, usize);

type Kept = (Key, Arc<OnceLock<Lists>>);

impl Plan {
    /// Cuts a run into blocks; no lists are made. `fineness` scales the number of chunks of each side.
    #[must_use]
    pub fn new(shape: Shape, fineness: f64) -> Self {
        let (even_sets, odd_sets) = (Arc::new(Sets::new(shape.even)), Arc::new(Sets::new(shape.odd)));
        let (mut parts, mut blocks) = (Vec::new(), 0);
        for k in shape.ks() {
            let Some(symmetry) = Symmetry::new(shape, k, &even_sets, &odd_sets) else { continue };
            let co = odd_sets.of_size(shape.odd_size(k));
            let least = co.first().copied().unwrap_or(0);
            let re: Vec<u32> =
                even_sets.of_size(k).iter().copied().filter(|&re| symmetry.rows_visited(re, least)).collect();
            let mean = cost::mean(shape, k);
            let visits = mean.visits * re.len() as f64 * co.len() as f64 / 4.0;
            let chunks = (visits / BLOCK_VISITS).sqrt().clamp(CHUNKS.start, CHUNKS.end) * fineness;
            let chunk = |sets: usize, list: f64, bytes: f64| {
                let fit = bytes / (4 * WORDS) as f64 / list.max(1.0);
                ((sets as f64 / chunks).min(fit) as usize).clamp(1, sets.max(1))
            };
            let (chunk_re, chunk_ro) =
                (chunk(re.len(), mean.white, WHITE_BYTES), chunk(co.len(), mean.black, BLACK_BYTES));
            let first = blocks;
            blocks += (re.len().div_ceil(chunk_re) * co.len().div_ceil(chunk_ro)) as u64;
            let mut below = vec![0; shape.all_odd() as usize + 2];
            for x in 0..below.len() - 1 {
                below[x + 1] = below[x] + u16::from(x.count_ones() == shape.odd_size(k));
            }
            let sets = co.into();
            parts.push(Part { k, symmetry, re, chunk_re, chunk_ro, first, mean, sets, below });
        }
        Self { shape, even_sets, parts, blocks, kept: Mutex::default() }
    }

    /// Number of blocks.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    fn chunk(&self, number: u64) -> Chunk<'_> {
        let kernel = self.parts.partition_point(|part| part.first <= number) - 1;
        let part = &self.parts[kernel];
        let across = part.sets.len().div_ceil(part.chunk_ro);
        let number = (number - part.first) as usize;
        let (i, j) = (number / across, number % across);
        let cut = |len: usize, size: usize, at: usize| size * at..(size * (at + 1)).min(len);
        Chunk {
            part,
            kernel,
            re: &part.re[cut(part.re.len(), part.chunk_re, i)],
            ro: &part.sets[cut(part.sets.len(), part.chunk_ro, j)],
            keys: [(0, part.k, i), (1, part.k, j)],
        }
    }

    /// The expected visits of a block: the mean of its k for each unit, of which there are about as many as a
    /// sample tells.
    pub fn cost(&self, number: u64) -> f64 {
        let Chunk { part, re, ro, .. } = self.chunk(number);
        let share = self.visited(part, re, ro, number);
        (part.mean.visits * share * re.len() as f64 * ro.len() as f64).max(1.0)
    }

    /// About how many units are visited, from a sample of each k.
    pub fn units(&self) -> f64 {
        let of_part = |part: &Part| {
            let ce = self.even_sets.of_size(part.k);
            let units = part.re.len() as f64 * part.sets.len() as f64 * ce.len() as f64;
            units * self.visited(part, &part.re, &part.sets, part.k.into())
        };
        self.parts.iter().map(of_part).sum()
    }

    /// The share of units that are visited, from a sample.
    fn visited(&self, part: &Part, re: &[u32], ro: &[u32], seed: u64) -> f64 {
        let ce = self.even_sets.of_size(part.k);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut pick = |sets: &[u32]| sets[rng.next_u32() as usize % sets.len()];
        let visited = (0..SAMPLES)
            .filter(|_| part.symmetry.unit(pick(re), pick(ro), pick(ce)) != Weights::Skip)
            .count();
        visited as f64 / f64::from(SAMPLES)
    }

    /// Builds a block.
    pub fn block(&self, number: u64) -> Block {
        let Chunk { part, kernel, re, ro, keys } = self.chunk(number);
        let not_ro: Vec<u32> = ro.iter().map(|ro| self.shape.all_odd() & !ro).collect();
        let white = self.lists(keys[0], || Lists::new(self.shape.white(), re, &self.even_sets));
        let black = self.lists(keys[1], || Lists::new(self.shape.black(), &not_ro, &self.even_sets));
        let (Some(white), Some(black)) = (white.get(), black.get()) else { return Block::default() };
        let mut block = Block { number, kernel, ..Block::default() };
        let mut tables = Vec::new();
        let all = self.shape.all_even();
        for (black_list, &ro) in ro.iter().enumerate() {
            for (white_list, &re) in re.iter().enumerate() {
                if !part.symmetry.rows_visited(re, ro) {
                    continue;
                }
                for (rank, &ce) in self.even_sets.of_size(part.k).iter().enumerate() {
                    let weights = part.symmetry.unit(re, ro, ce);
                    if weights == Weights::Skip {
                        continue;
                    }
                    let white = white.range(white_list, rank);
                    let black = black.range(black_list, self.even_sets.rank(all & !ce));
                    if white.is_empty() || black.is_empty() {
                        continue;
                    }
                    let mut words = Words { white, black, re, ro, k: part.k, ..Words::default() };
                    if let Weights::Range(chosen) = weights {
                        words.ranks = part.ranks(chosen);
                        if words.ranks.is_empty() {
                            continue;
                        }
                    } else {
                        words.ranks = 0..part.sets.len() as u32;
                        words.table = Some(tables.len() as u32);
                        if !self.push_table(part, [re, ro, ce], &mut tables) {
                            continue;
                        }
                    }
                    block.weights.push(if words.table.is_some() { 1 } else { COMMON });
                    block.units.push(words.pack());
                }
            }
        }
        if tables.is_empty() {
            tables.push(0);
        }
        block.context =
            vec![Arc::clone(&white.words), Arc::clone(&black.words), Arc::clone(&part.sets), tables.into()];
        block
    }

    /// Appends the weights of all Co of a unit, four a word; false, and nothing, if all are 0.
    fn push_table(&self, part: &Part, [re, ro, ce]: [u32; 3], tables: &mut Vec<u32>) -> bool {
        let begin = tables.len();
        for four in part.sets.chunks(4) {
            let weights = four.iter().rev();
            tables.push(weights.fold(0, |word, &co| word << 8 | part.symmetry.weight(re, ro, ce, co)));
        }
        let some = tables[begin..].iter().any(|&word| word != 0);
        if !some {
            tables.truncate(begin);
        }
        some
    }

    /// The lists of a chunk, made unless they are kept. The lock is not held while they are made.
    fn lists(&self, key: Key, make: impl FnOnce() -> Lists) -> Arc<OnceLock<Lists>> {
        let lists = {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            let found = kept.iter().position(|(other, _)| *other == key).and_then(|at| kept.remove(at));
            let entry = found.unwrap_or_else(|| (key, Arc::default()));
            let lists = Arc::clone(&entry.1);
            kept.push_back(entry);
            lists
        };
        lists.get_or_init(make);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = |kept: &VecDeque<Kept>| -> usize {
            kept.iter().filter_map(|(_, lists)| lists.get()).map(Lists::bytes).sum()
        };
        while bytes(&kept) > KEPT_BYTES && kept.len() > 2 {
            kept.pop_front();
        }
        lists
    }
}

impl Part {
    /// The ranks of the Co that lie in an interval as numbers.
    fn ranks(&self, chosen: Range<u32>) -> Range<u32> {
        let below = |x: u32| u32::from(self.below[(x as usize).min(self.below.len() - 1)]);
        below(chosen.start)..below(chosen.end)
    }
}
