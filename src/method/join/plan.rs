//! A run as numbered blocks: a stripe of column sets Ce, a chunk of row sets Re and a chunk of row sets Ro of one k, and
//! all their units.
//!
//! A block is a pure function of its number. Blocks with one stripe and one chunk of Re follow each other and share its
//! lists; the lists made last are kept, so that those of small boards are made about once where blocks are made in
//! turn. Those of Ro are else made anew for each chunk of Re, which is therefore as large as its lists allow.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    cost::{self, Mean},
    lists::{Lists, Stripe, WORDS},
    parity::{Sets, Shape},
    symmetry::{COMMON, Symmetry, Weights},
    unit::{Words, grouped},
};
use crate::method::{Block, PlanHash};

/// How a run is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Aim for the bytes of the lists of Re in a block: one chunk serves a long run of blocks.
    pub white_bytes: f64,
    /// Aim for the bytes of the lists of Ro in a block: each block in flight has its own.
    pub black_bytes: f64,
    /// Chunks of Re for each stripe, unless their lists are too large.
    pub chunks: f64,
    /// Aim for the visits of a block, within bounds of the number of blocks.
    pub visits: f64,
}

impl Default for Cut {
    fn default() -> Self {
        Self {
            white_bytes: f64::from(64 << 20),
            black_bytes: f64::from(32 << 20),
            chunks: 20.0,
            visits: f64::from(1 << 28),
        }
    }
}

/// Bytes of lists that are kept beyond those of blocks in use.
pub const KEPT_BYTES: usize = 128 << 20;

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
    /// Whether units are sampled by pairs of row sets.
    pub by_pairs: bool,
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
    pub re: Vec<u32>,
    /// All Ce.
    pub stripes: Vec<Stripe>,
    /// Row sets Re of a chunk.
    pub chunk_re: usize,
    /// Row sets Ro of a chunk.
    pub chunk_ro: usize,
    /// Number of its first block.
    pub first: u64,
    /// Expected size of its units.
    pub mean: Mean,
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
    stripe: Stripe,
    re: &'a [u32],
    ro: &'a [u32],
    /// What its lists are kept under.
    keys: [Key; 2],
}

/// Colour (0 white, 1 black), k, numbers of the stripe and of the chunk.
type Key = (u8, u32, usize, usize);

type Kept = (Key, Arc<OnceLock<Lists>>);

impl Plan {
    /// Cuts a run into blocks; no lists are made.
    #[must_use]
    pub fn new(shape: Shape, cut: &Cut) -> Self {
        let (even_sets, odd_sets) = (Arc::new(Sets::new(shape.even)), Arc::new(Sets::new(shape.odd)));
        let (mut parts, mut blocks) = (Vec::new(), 0);
        for k in shape.ks() {
            let Some(symmetry) = Symmetry::new(shape, k, &even_sets, &odd_sets) else { continue };
            let part = Part::new(shape, symmetry, k, [&even_sets, &odd_sets], cut, blocks);
            let [stripes, along, across] = part.blocks();
            blocks += (stripes * across * along) as u64;
            parts.push(part);
        }
        // where the CPU counts several units together, they are to be timed together
        let by_pairs = grouped(shape) > 1;
        Self { shape, even_sets, parts, by_pairs, blocks, kept: Mutex::default() }
    }

    /// Number of blocks.
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Says which blocks these are. A change of which units are visited, or of their weights, needs another name.
    pub fn hash(&self) -> PlanHash {
        let parts = self.parts.iter().flat_map(|part| {
            let chunks = [part.chunk_re, part.chunk_ro, part.re.len(), part.sets.len(), part.stripes.len()]
                .map(|size| size as u64);
            let stripes = part.stripes.iter().flat_map(|stripe| [stripe.high, stripe.low]).map(u64::from);
            let sets = part.re.iter().chain(&part.sets[..]).map(|&set| u64::from(set));
            [part.k.into(), part.first].into_iter().chain(chunks).chain(sets).chain(stripes)
        });
        PlanHash::of("join 1", [self.shape.n.into(), self.blocks].into_iter().chain(parts))
    }

    /// The k of each part, and the numbers of its blocks.
    #[cfg(feature = "testing")]
    pub fn parts(&self) -> Vec<(u32, Range<u64>)> {
        let ends = self.parts.iter().skip(1).map(|part| part.first).chain([self.blocks]);
        self.parts.iter().zip(ends).map(|(part, end)| (part.k, part.first..end)).collect()
    }

    fn chunk(&self, number: u64) -> Chunk<'_> {
        let kernel = self.parts.partition_point(|part| part.first <= number) - 1;
        let part = &self.parts[kernel];
        let [_, along, across] = part.blocks();
        let number = (number - part.first) as usize;
        let (stripe, i, j) = (number / (along * across), number / across % along, number % across);
        let cut = |len: usize, size: usize, at: usize| size * at..(size * (at + 1)).min(len);
        Chunk {
            part,
            kernel,
            stripe: part.stripes[stripe],
            re: &part.re[cut(part.re.len(), part.chunk_re, i)],
            ro: &part.sets[cut(part.sets.len(), part.chunk_ro, j)],
            keys: [(0, part.k, stripe, i), (1, part.k, stripe, j)],
        }
    }

    /// The expected visits of a block: the mean of its k for each unit, of which there are about as many as a
    /// sample tells.
    pub fn cost(&self, number: u64) -> f64 {
        let Chunk { part, re, ro, stripe, .. } = self.chunk(number);
        let all = self.even_sets.of_size(part.k);
        let ce = &all[stripe.ranks(&self.even_sets, part.k)];
        let share = self.visited(part, [re, ro, ce], number) * ce.len() as f64 / all.len() as f64;
        (part.mean.visits * share * re.len() as f64 * ro.len() as f64).max(1.0)
    }

    /// About how many units are visited, from a sample of each k.
    pub fn units(&self) -> f64 {
        let of_part = |part: &Part| {
            let ce = self.even_sets.of_size(part.k).len();
            part.re.len() as f64 * part.sets.len() as f64 * ce as f64 * self.share(part)
        };
        self.parts.iter().map(of_part).sum()
    }

    /// The share of the units of a part that are visited, from a sample.
    pub fn share(&self, part: &Part) -> f64 {
        self.visited(part, [&part.re, &part.sets, self.even_sets.of_size(part.k)], part.k.into())
    }

    /// The share of units that are visited, from a sample.
    fn visited(&self, part: &Part, [re, ro, ce]: [&[u32]; 3], seed: u64) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut pick = |sets: &[u32]| sets[rng.next_u32() as usize % sets.len()];
        let visited = (0..SAMPLES)
            .filter(|_| part.symmetry.unit(pick(re), pick(ro), pick(ce)) != Weights::Skip)
            .count();
        visited as f64 / f64::from(SAMPLES)
    }

    /// Builds a block.
    pub fn block(&self, number: u64) -> Block {
        let Chunk { part, kernel, stripe, re, ro, keys } = self.chunk(number);
        let not_ro: Vec<u32> = ro.iter().map(|ro| self.shape.all_odd() & !ro).collect();
        let all = self.shape.all_even();
        let white = self.lists(keys[0], || Lists::new(self.shape.white(), re, stripe, &self.even_sets));
        let black = self.lists(keys[1], || {
            Lists::new(self.shape.black(), &not_ro, stripe.complement(all), &self.even_sets)
        });
        let (Some(white), Some(black)) = (white.get(), black.get()) else { return Block::default() };
        let mut block = Block { number, kernel, ..Block::default() };
        let mut tables = Vec::new();
        let ces = &self.even_sets.of_size(part.k)[stripe.ranks(&self.even_sets, part.k)];
        for (black_list, &ro) in ro.iter().enumerate() {
            for (white_list, &re) in re.iter().enumerate() {
                if !part.symmetry.rows_visited(re, ro) {
                    continue;
                }
                // the complements are in reverse order
                for (rank, &ce) in ces.iter().enumerate() {
                    let weights = part.symmetry.unit(re, ro, ce);
                    if weights == Weights::Skip {
                        continue;
                    }
                    let white = white.range(white_list, rank);
                    let black = black.range(black_list, ces.len() - 1 - rank);
                    if white.is_empty() || black.is_empty() {
                        continue;
                    }
                    let words = Words { white, black, re, ro, ..Words::default() };
                    self.push_unit(part, words, (ce, weights), &mut block, &mut tables);
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

    /// Appends a unit, given its lists and rows, with the weights of its Co, unless they are all 0.
    pub fn push_unit(
        &self,
        part: &Part,
        mut words: Words,
        (ce, weights): (u32, Weights),
        block: &mut Block,
        tables: &mut Vec<u32>,
    ) {
        let Words { re, ro, .. } = words;
        words.k = part.k;
        match weights {
            Weights::Skip => return,
            Weights::Range(chosen) => words.ranks = part.ranks(chosen),
            Weights::Each => {
                words.ranks = 0..part.sets.len() as u32;
                words.table = Some(tables.len() as u32);
                if !self.push_table(part, [re, ro, ce], tables) {
                    return;
                }
            }
        }
        if !words.ranks.is_empty() {
            block.weights.push(if words.table.is_some() { 1 } else { COMMON });
            block.units.push(words.pack());
        }
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
    fn new(
        shape: Shape,
        symmetry: Symmetry,
        k: u32,
        [even_sets, odd_sets]: [&Sets; 2],
        cut: &Cut,
        first: u64,
    ) -> Self {
        let (ce, co) = (even_sets.of_size(k), odd_sets.of_size(shape.odd_size(k)));
        let least = co.first().copied().unwrap_or(0);
        let re: Vec<u32> = ce.iter().copied().filter(|&re| symmetry.rows_visited(re, least)).collect();
        let mean = cost::mean(shape, k);
        // of the lists of one row set, those of the largest stripe must fit
        let bytes = |list: f64, stripes: &[Stripe]| {
            let largest = stripes.iter().map(|stripe| stripe.ranks(even_sets, k).len()).max().unwrap_or(1);
            (4 * WORDS) as f64 * list.max(1.0) * largest as f64 / ce.len() as f64
        };
        let fits = |stripes: &[Stripe]| {
            bytes(mean.white, stripes) <= cut.white_bytes && bytes(mean.black, stripes) <= cut.black_bytes
        };
        let mut stripes = Vec::new();
        for agreed in 0..=shape.even {
            let some = |stripe: &Stripe| !stripe.ranks(even_sets, k).is_empty();
            stripes = Stripe::all(shape.even, agreed).filter(some).collect();
            if fits(&stripes) {
                break;
            }
        }
        let chunk = |sets: usize, chunks: f64, list: f64, most: f64| {
            ((sets as f64 / chunks).min(most / bytes(list, &stripes)) as usize).clamp(1, sets.max(1))
        };
        let chunk_re = chunk(re.len(), cut.chunks, mean.white, cut.white_bytes);
        let visits = mean.visits * re.len() as f64 * co.len() as f64 / 4.0;
        let square = cut.chunks * cut.chunks;
        let blocks = (visits / cut.visits).clamp(square, 100.0 * square);
        let rest = blocks / (re.len().div_ceil(chunk_re) * stripes.len()) as f64;
        let chunk_ro = chunk(co.len(), rest, mean.black, cut.black_bytes);
        let mut below = vec![0; shape.all_odd() as usize + 2];
        for x in 0..below.len() - 1 {
            below[x + 1] = below[x] + u16::from(x.count_ones() == shape.odd_size(k));
        }
        Self { k, symmetry, re, stripes, chunk_re, chunk_ro, first, mean, sets: co.into(), below }
    }

    /// How many blocks there are by stripe, Re and Ro.
    pub fn blocks(&self) -> [usize; 3] {
        let along = self.re.len().div_ceil(self.chunk_re);
        [self.stripes.len(), along, self.sets.len().div_ceil(self.chunk_ro)]
    }

    /// The ranks of the Co that lie in an interval as numbers.
    fn ranks(&self, chosen: Range<u32>) -> Range<u32> {
        let below = |x: u32| u32::from(self.below[(x as usize).min(self.below.len() - 1)]);
        below(chosen.start)..below(chosen.end)
    }
}
