//! The value of units (k, Re, Ro, Ce): the sum over Co of weight(Co) * W * B, by way of two tables.
//!
//! 1. For each v in OE(~Ro, ~Ce), each way to fill the rows ~Re of EO below it, with column set S: B\[S\] += 1.
//! 2. For each x in EE(Re, Ce), each way to fill the rows Ro of OO below it, with column set S: W\[S\] += 1.
//! 3. The value is the sum over the chosen Co of weight(Co) * W\[Co\] * B\[~Co\].
//!
//! Both phases are one search, a [`Machine`]. Consecutive units of one (Re, Ro) are counted together: their tables lie side
//! by side and all their placements pass through one search, so that its vectors stay full where units are small.
//!
//! Machines, fastest first; each is a *queue by level* and covers every depth there is, 16 rows:
//!
//! * [`avx512`]: 16 nodes a step, two rows in a word;
//! * [`avx2`]: the same with 8 nodes;
//! * [`queue`]: one node a step, without branches that depend on the board, on any processor. Plain backtracking with
//!   its last rows unrolled took 2.4 times as long (N = 18).
//!
//! On one thread N = 18 takes about 0.8 s by AVX-512, 1.2 s by AVX2 and 3.3 s by the portable queue.

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod queue;
pub mod reference;

use std::{cell::RefCell, ops::Range};

use super::{lists::WORDS, parity::Shape};
use crate::method::{Block, Record, Unit, split_words};

/// Rows of a search at most.
const LEVELS: usize = 16;

/// Entries of a table in use at once, if a unit does not need more.
const TABLE: usize = 1 << 12;

/// Placements of a group that are looked at to order its rows.
pub const SAMPLE: usize = 64;

/// Bit of word 5 of a unit that has a table of weights.
const HAS_TABLE: u32 = 1 << 8;

/// Bit of word 5 of a unit whose count starts from [`PRESET`].
const IS_PRESET: u32 = 1 << 9;

/// The next leaf that counts carries over 32 bits.
const PRESET: u64 = u32::MAX as u64;

/// The words of a unit, unpacked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Its placements in the white lists.
    pub white: Range<u32>,
    /// Its placements in the black lists.
    pub black: Range<u32>,
    /// Rows of EE.
    pub re: u32,
    /// Rows of OO.
    pub ro: u32,
    /// Queens on EE.
    pub k: u32,
    /// Ranks of the Co that count.
    pub ranks: Range<u32>,
    /// Where its weights begin, if they differ; counted in words.
    pub table: Option<u32>,
    /// Whether its count starts near 2^32, as in self-tests.
    pub preset: bool,
}

impl Words {
    /// As the words of a unit.
    #[must_use]
    pub fn pack(&self) -> Unit {
        [
            self.white.start,
            self.white.end - self.white.start,
            self.black.start,
            self.black.end - self.black.start,
            self.re | self.ro << 16,
            self.k
                | if self.table.is_some() { HAS_TABLE } else { 0 }
                | if self.preset { IS_PRESET } else { 0 },
            self.ranks.start | self.ranks.end << 16,
            self.table.unwrap_or(0),
        ]
    }

    /// Of the words of a unit.
    #[must_use]
    pub const fn unpack(unit: &Unit) -> Self {
        let [white, whites, black, blacks, rows, kind, ranks, table] = *unit;
        Self {
            white: white..white + whites,
            black: black..black + blacks,
            re: rows & 0xffff,
            ro: rows >> 16,
            k: kind & 0xff,
            ranks: ranks & 0xffff..ranks >> 16,
            table: if kind & HAS_TABLE != 0 { Some(table) } else { None },
            preset: kind & IS_PRESET != 0,
        }
    }

    /// The number from which its count starts.
    #[must_use]
    pub const fn start(&self) -> u64 {
        if self.preset { PRESET } else { 0 }
    }

    /// Weight of the Co of this rank, that of the block aside.
    #[must_use]
    pub fn weight(&self, weights: &[u32], rank: usize) -> u32 {
        let inside = self.ranks.contains(&(rank as u32));
        let given = self.table.map_or(1, |at| weights[at as usize + rank / 4] >> (8 * (rank % 4)) & 0xff);
        if inside { given } else { 0 }
    }
}

/// The words that all units of one (k, Re, Ro) share.
#[must_use]
pub const fn rows_word(unit: &Unit) -> [u32; 2] {
    [unit[4], unit[5] & 0xff]
}

/// A search of some rows: the same for all placements of a group.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The board.
    pub shape: Shape,
    /// The rows to fill.
    pub rows: u32,
    /// The words of the placements of each unit; its table begins at its number times 2^O.
    pub units: &'a [&'a [u32]],
    /// Placements of as many units, the first of which decide about the order of rows.
    pub sample: &'a [&'a [u32]],
}

/// Searches below placements and counts the leaves of each column set.
pub trait Machine {
    /// Adds 1 to entry S of its table for each way to fill the rows below each placement of a unit, S the
    /// columns used; says how many queens were placed. There are 1 to 16 rows; tables together are at most 2^16 long.
    fn fill(&mut self, search: &Search<'_>, table: &mut [u32]) -> u64;
}

/// The fastest machine of this processor.
#[must_use]
pub fn machine() -> Box<dyn Machine> {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(machine) = avx512::Avx512::new() {
            return Box::new(machine);
        }
        if let Some(machine) = avx2::Avx2::new() {
            return Box::new(machine);
        }
    }
    Box::new(queue::Queue::default())
}

thread_local!(static COUNTER: RefCell<Counter> = RefCell::new(Counter::new(machine())));

/// Counts the units of a range, on the machine of this thread.
#[must_use]
pub fn count(shape: Shape, block: &Block, units: Range<usize>) -> Vec<Record> {
    COUNTER.with_borrow_mut(|counter| counter.count(shape, block, units))
}

/// Counts units as [`count`] does, but with rows in the order that suits those of `ordering`, of the same sets: so the
/// queens placed below a placement do not depend on the others.
#[must_use]
pub fn count_as(shape: Shape, block: &Block, units: Range<usize>, ordering: &Block) -> Vec<Record> {
    COUNTER.with_borrow_mut(|counter| counter.count_as(shape, block, units, ordering))
}

/// Units of one (Re, Ro) that are counted together at most.
#[must_use]
pub const fn grouped(shape: Shape) -> usize {
    let fit = TABLE >> shape.odd;
    if fit > 1 { fit } else { 1 }
}

/// A machine and its tables.
pub struct Counter {
    machine: Box<dyn Machine>,
    white: Vec<u32>,
    black: Vec<u32>,
}

impl Counter {
    /// Counts with a machine.
    #[must_use]
    pub fn new(machine: Box<dyn Machine>) -> Self {
        Self { machine, white: Vec::new(), black: Vec::new() }
    }

    /// One record for each unit of a range.
    pub fn count(&mut self, shape: Shape, block: &Block, range: Range<usize>) -> Vec<Record> {
        self.count_as(shape, block, range, block)
    }

    /// The same, rows ordered as for other units.
    pub fn count_as(
        &mut self,
        shape: Shape,
        block: &Block,
        range: Range<usize>,
        ordering: &Block,
    ) -> Vec<Record> {
        let mut records = Vec::with_capacity(range.len());
        let mut at = range.start;
        for same in block.units[range].chunk_by(|a, b| rows_word(a) == rows_word(b)) {
            for group in same.chunks(grouped(shape)) {
                self.group(shape, [block, ordering], at..at + group.len(), &mut records);
                at += group.len();
            }
        }
        records
    }

    fn group(&mut self, shape: Shape, blocks: [&Block; 2], range: Range<usize>, records: &mut Vec<Record>) {
        let [block, ordering] = blocks;
        let [sets, weights] = [2, 3].map(|at| &block.context[at][..]);
        let words: Vec<Words> = block.units[range.clone()].iter().map(Words::unpack).collect();
        let Some(Words { re, ro, .. }) = words.first() else { return };
        let [whites, blacks] = [0, 1].map(|colour| lists(block, range.clone(), colour));
        let others = (!std::ptr::eq(block, ordering))
            .then(|| [0, 1].map(|colour| lists(ordering, range.clone(), colour)));
        let [white_sample, black_sample] =
            others.as_ref().map_or([&whites, &blacks], |[whites, blacks]| [whites, blacks]);
        let b = Search { shape, rows: shape.all_even() & !re, units: &blacks, sample: black_sample };
        let b_visits = search(&mut *self.machine, &b, &mut self.black);
        let w = Search { shape, rows: *ro, units: &whites, sample: white_sample };
        let w_visits = search(&mut *self.machine, &w, &mut self.white);

        let size = 1 << shape.odd;
        let tables = self.white.chunks_exact(size).zip(self.black.chunks_exact(size));
        let joined: Vec<Joined> =
            words.iter().zip(tables).map(|(unit, (w, b))| join(unit, [w, b], sets, weights)).collect();
        let mut shares = Shares::new(b_visits + w_visits, &joined);
        for ((at, unit), joined) in range.zip(&words).zip(&joined) {
            records.push(Record {
                id: at as u32,
                run: 0,
                state: Record::DONE,
                bucket: unit.k,
                count: split_words(unit.start() + joined.count),
                visits: split_words(shares.next(joined)),
            });
        }
    }
}

/// The words of the placements of some units, of white (0) or black (1).
fn lists(block: &Block, units: Range<usize>, colour: usize) -> Vec<&[u32]> {
    let list = |unit: &Unit| {
        let words = Words::unpack(unit);
        let Range { start, end } = if colour == 0 { words.white } else { words.black };
        &block.context[colour][WORDS * start as usize..WORDS * end as usize]
    };
    block.units[units].iter().map(list).collect()
}

/// Fills the tables of some units, all entries 0 before; says how many queens were placed.
fn search(machine: &mut dyn Machine, search: &Search<'_>, table: &mut Vec<u32>) -> u64 {
    let size = 1 << search.shape.odd;
    table.clear();
    table.resize(search.units.len() * size, 0);
    if search.rows == 0 {
        // the one leaf below each placement uses no column
        for (words, table) in search.units.iter().zip(table.chunks_exact_mut(size)) {
            table[0] = (words.len() / WORDS) as u32;
        }
        return 0;
    }
    machine.fill(search, table)
}

/// The value of a unit, and the leaves of its two searches that have a part in it.
struct Joined {
    count: u64,
    leaves: u64,
}

/// Sums over the Co of one unit that count.
fn join(unit: &Words, [white, black]: [&[u32]; 2], sets: &[u32], weights: &[u32]) -> Joined {
    let all = white.len() - 1;
    let black = &black[..white.len()];
    let (mut count, mut leaves) = (0, 0);
    let chosen = unit.ranks.start as usize..unit.ranks.end as usize;
    let pairs = sets[chosen].iter().map(|&co| {
        let at = co as usize & all;
        (u64::from(white[at]), u64::from(black[all - at]))
    });
    if unit.table.is_none() {
        for (w, b) in pairs {
            leaves += w + b;
            count += w * b;
        }
    } else {
        for (rank, (w, b)) in (unit.ranks.start as usize..).zip(pairs) {
            leaves += w + b;
            count += w * b * u64::from(unit.weight(weights, rank));
        }
    }
    Joined { count, leaves }
}

/// Shares the queens placed for a group out to its units in proportion to their leaves, so that they add up.
struct Shares {
    visits: u128,
    leaves: u128,
    so_far: u128,
}

impl Shares {
    fn new(visits: u64, units: &[Joined]) -> Self {
        let leaves = units.iter().map(|unit| u128::from(unit.leaves) + 1).sum();
        Self { visits: visits.into(), leaves, so_far: 0 }
    }

    fn next(&mut self, unit: &Joined) -> u64 {
        let before = self.visits * self.so_far / self.leaves;
        self.so_far += u128::from(unit.leaves) + 1;
        (self.visits * self.so_far / self.leaves - before) as u64
    }
}

/// The order in which the rows of a search are filled.
#[derive(Clone, Copy, Debug)]
struct Order {
    rows: [u8; LEVELS],
    len: usize,
}

impl Order {
    /// The rows with the fewest free squares below a sample of the placements come first: two thirds of the inner
    /// visits of the natural order.
    #[inline(always)]
    fn of(search: &Search<'_>) -> Self {
        let mut sample = [[0u32; SAMPLE]; WORDS];
        let (mut len, each) = (0, SAMPLE.div_ceil(search.sample.len().max(1)));
        for unit in search.sample {
            for placement in unit.chunks_exact(WORDS).take(each.min(SAMPLE - len)) {
                (sample[0][len], sample[1][len]) = (placement[0], placement[1]);
                len += 1;
            }
        }
        let mut order = Self { rows: [0; LEVELS], len: 0 };
        let mut free = [0; LEVELS];
        let mut left = search.rows;
        while left != 0 {
            let i = left.trailing_zeros();
            left &= left - 1;
            let all = search.shape.all_odd();
            let mut sum = 0;
            for (d, a) in sample[0].iter().zip(&sample[1]) {
                sum += (all & !(a >> i | d >> (search.shape.even - 1 - i))).count_ones();
            }
            // inserted where it belongs
            let mut at = order.len;
            while at > 0 && free[at - 1] > sum {
                (free[at], order.rows[at]) = (free[at - 1], order.rows[at - 1]);
                at -= 1;
            }
            (free[at], order.rows[at]) = (sum, i as u8);
            order.len += 1;
        }
        order
    }

    fn as_slice(&self) -> &[u8] {
        &self.rows[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_follow_the_leaves() {
        let units = [0, 7, 0, 1 << 40, 5].map(|leaves| Joined { count: 0, leaves });
        for visits in [0, 1, 1000, u64::MAX] {
            let mut shares = Shares::new(visits, &units);
            let shared = units.each_ref().map(|unit| shares.next(unit));
            assert_eq!(shared.iter().map(|&share| u128::from(share)).sum::<u128>(), visits.into());
            assert!(shared[3] >= shared[1]);
        }
    }
}
