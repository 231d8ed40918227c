//! `join`: the parity join, which counts solutions without visiting them one by one.
//!
//! # The identity
//!
//! Rows and columns count from 0; of the N indices E = ceil(N/2) are even and O = floor(N/2) odd. Squares fall into four
//! classes by the parity of row and column: EE and OO ("white", r + c even), EO and OE ("black", r + c odd).
//!
//! ```text
//! Q(N) = sum over k, and over Re, Ce (k even indices each), Ro, Co (k-(E-O) odd indices each), of
//!
//!        W(Re, Ce, Ro, Co) * B(~Re, ~Co, ~Ro, ~Ce)
//!
//! W = number of pairs (x in EE(Re, Ce), y in OO(Ro, Co)) without a common diagonal
//! B = number of pairs (u in EO(~Re, ~Co), v in OE(~Ro, ~Ce)) without a common diagonal
//! ```
//!
//! EE(Re, Ce) are the ways to place |Re| queens on the class EE that do not attack each other and use exactly the rows Re
//! and the columns Ce, and likewise for the other classes; ~X is the complement of X among the indices of its parity.
//!
//! Why it holds:
//!
//! 1. r + c and r - c have the parity of the colour, so no diagonal holds squares of both colours: white and black
//!    queens meet in rows and columns only.
//! 2. Each row and each column holds one queen. EE and EO share the even rows, OE and OO the odd ones; EE and OE share
//!    the even columns, EO and OO the odd ones. So if EE uses the rows Re and the columns Ce, and OO the rows Ro and
//!    the columns Co, then EO uses ~Re and ~Co, and OE ~Ro and ~Ce.
//! 3. With k = |Re|, the even rows leave E-k queens for EO, the odd columns O-(E-k) for OO: k-(E-O).
//!
//! Once the four sets are chosen, the colours no longer know of each other: their counts multiply.
//!
//! # Units and blocks
//!
//! A unit is (k, Re, Ro, Ce). Its value, the sum over Co, is found by two searches (`unit`) below the placements of
//! EE(Re, Ce) and OE(~Ro, ~Ce), which are listed on the host (`lists`, by half coordinates: `parity`). A block holds
//! the units of a chunk of Re and a chunk of Ro (`plan`). The 8 symmetries of the board leave about one unit in seven
//! (`symmetry`). The layout of buffers is that of [`Join::block`].
//!
//! # Cost
//!
//! Each search fills about N/4 rows. The number of visits (queens placed) grows by about 5.5 for each N, that of
//! backtracking by 9 to 11: 8.2e8 visits at N = 18, 2.2e10 at N = 20, some 6e11 at 22 and 2e13 at 24. Placements listed
//! on the host are not counted as visits. Memory is that of the lists of some blocks, up to about 100 MiB each at N = 28.
//!
//! Source: worked out and checked for this project; no published counter is known to use it.

mod cost;
mod kernel;
mod lists;
mod parity;
mod plan;
mod symmetry;
mod unit;

use std::ops::Range;

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::{
    lists::{WORDS, list_one},
    parity::Shape,
    plan::Plan,
    unit::{Words, reference},
};
use super::{Block, Kernel, Method, Record, SelfTest, Tally};
use crate::{Error, Problem};

/// Units of a chunk: enough to fill vectors, few enough to share a block out to threads.
const CHUNK: usize = 256;

/// The method `join` for one problem.
#[derive(Debug)]
pub struct Join {
    plan: Plan,
}

impl Join {
    /// Plans a count.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless this is the plain puzzle.
    pub fn new(problem: &Problem) -> Result<Self, Error> {
        Ok(Self { plan: Plan::new(Shape::of(problem.require_plain("--method join")?), 1.0) })
    }
}

impl Method for Join {
    fn name(&self) -> &'static str {
        "join"
    }

    /// One for each k that is run, in their order.
    fn kernels(&self) -> Vec<Kernel> {
        let shape = self.plan.shape;
        self.plan.parts.iter().map(|part| kernel::kernel(shape, part.k, part.sets.len() as u32)).collect()
    }

    /// The kernel orders rows otherwise than the twin.
    fn visits_agree(&self) -> bool {
        false
    }

    fn blocks(&self) -> u64 {
        self.plan.blocks()
    }

    fn cost(&self, number: u64) -> f64 {
        self.plan.cost(number)
    }

    fn units(&self) -> f64 {
        self.plan.units()
    }

    /// Builds a block: a pure function of its number.
    ///
    /// Its context has four buffers, none of them empty:
    ///
    /// 0. white: the placements EE(Re, .) for each Re of its chunk, ordered by Re, then by Ce in numeric order. A
    ///    placement is two words: D, A, as `parity` says.
    /// 1. black: the placements OE(~Ro, .) for each Ro of its chunk, ordered by Ro, then by ~Ce.
    /// 2. sets: all Co in numeric order. The position of a Co is its rank.
    /// 3. weights: for each unit with weights of its own one byte a Co, four a word, lowest byte first.
    ///
    /// The words of a unit:
    ///
    /// 0. and 1. where its placements begin in white, and how many there are, counted in placements;
    /// 2. and 3. likewise in black;
    /// 4. Re | Ro << 16;
    /// 5. k | 256 if it has weights of its own;
    /// 6. low | high << 16: only Co of a rank from low to before high count;
    /// 7. the word at which its weights begin.
    ///
    /// Units of one (Re, Ro) follow each other. Units known to count nothing are left out, so a block may be empty.
    fn block(&self, number: u64) -> Block {
        self.plan.block(number)
    }

    /// Cuts the longer of a unit's two lists in half: a unit's value is the sum over the pairs of its placements. None
    /// if there is but one pair. The parts have weight 1.
    fn split(&self, block: &Block, unit: usize) -> Option<Block> {
        let words = Words::unpack(&block.units[unit]);
        let white = words.white.len() >= words.black.len();
        let list = if white { &words.white } else { &words.black };
        let middle = list.start + (list.end - list.start) / 2;
        if middle == list.start {
            return None;
        }
        let part = |list: Range<u32>| {
            let part = words.clone();
            if white { Words { white: list, ..part } } else { Words { black: list, ..part } }.pack()
        };
        Some(Block {
            number: block.number,
            context: block.context.clone(),
            units: vec![part(list.start..middle), part(middle..list.end)],
            weights: vec![1, 1],
            visits: 0,
            kernel: block.kernel,
        })
    }

    /// The unit is counted to its end in any case, and said to be unfinished if that took more than `budget` queens.
    fn count(&self, block: &Block, unit: usize, budget: u64) -> Record {
        let mut record = unit::count(self.plan.shape, block, unit..unit + 1)[0];
        if record.visits() > budget {
            record = Record { state: Record::UNFINISHED, count: [0; 2], ..record };
        }
        record
    }

    /// Consecutive units of one (Re, Ro) pass through one search. The queens placed in it are shared out to them in
    /// proportion to the leaves below each, so that they add up. As the order of rows is that of the whole group, visits,
    /// but no counts, depend on which units are asked for together. The bucket of a record is k.
    fn count_units(&self, block: &Block, units: Range<usize>) -> Vec<Record> {
        unit::count(self.plan.shape, block, units)
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

    /// Counts one unit by plain and slow code that shares nothing with [`Method::count`] but the layout of buffers. It
    /// takes the unit's lists as they are.
    fn reference(&self, block: &Block, unit: usize) -> u64 {
        let context = [0, 1, 2, 3].map(|at| &block.context[at][..]);
        let words = Words::unpack(&block.units[unit]);
        reference::value(self.plan.shape, &words, context, u64::MAX, &mut 0).unwrap_or_default()
    }

    /// Units with known results: the first placements of units with k next to N/4, at random but always the same. The
    /// visits expected are 0, as they depend on the order of rows.
    fn self_test(&self) -> SelfTest {
        const UNITS: usize = 48;
        const TRIES: usize = 400;
        /// Queens placed by the reference at most: for one unit, and in all.
        const STEPS: [u64; 2] = [60_000, 300_000];
        let Plan { shape, even_sets, parts, .. } = &self.plan;
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut pick = |sets: &[u32]| sets[rng.next_u32() as usize % sets.len()];
        let mut test = SelfTest::default();
        let (mut zeros, mut lists, mut steps) = (0, [Vec::new(), Vec::new()], 0);
        let most = if shape.n < 28 { 3 } else { 1 };
        // one k a test: its Co are part of the context
        let near = |(_, part): &(usize, &plan::Part)| (4 * part.k).abs_diff(shape.n);
        let Some((kernel, part)) = parts.iter().enumerate().min_by_key(near) else { return test };
        test.block.kernel = kernel;
        for _ in 0..TRIES {
            if test.block.units.len() == UNITS || steps > STEPS[1] {
                break;
            }
            let (re, ce) = (pick(even_sets.of_size(part.k)), pick(even_sets.of_size(part.k)));
            let ro = pick(&part.sets);
            let white = list_one(shape.white(), re, ce, most);
            let black = list_one(shape.black(), shape.all_odd() & !ro, shape.all_even() & !ce, most);
            if (white.is_empty() || black.is_empty()) && shape.n > 4 {
                continue;
            }
            let range = |all: &[u32], own: &[u32]| {
                (all.len() / WORDS) as u32..((all.len() + own.len()) / WORDS) as u32
            };
            // every other unit counts some Co only
            let some = part.sets.len() as u32;
            let ranks = if test.block.units.len() % 2 == 0 { 0..some } else { some / 4..some - some / 4 };
            let (white_at, black_at) = (range(&lists[0], &white), range(&lists[1], &black));
            let words = Words { white: white_at, black: black_at, re, ro, k: part.k, ranks, table: None };
            let context = [&[&lists[0][..], &white].concat(), &[&lists[1][..], &black].concat()];
            let context = [&context[0][..], &context[1][..], &part.sets[..], &[]];
            let Some(count) = reference::value(*shape, &words, context, STEPS[0], &mut steps) else {
                continue;
            };
            // zeros prove little
            if count == 0 && zeros >= UNITS / 4 {
                continue;
            }
            zeros += usize::from(count == 0);
            lists[0].extend(white);
            lists[1].extend(black);
            test.block.units.push(words.pack());
            test.block.weights.push(1);
            test.expected.push(Tally { count, visits: 0, bucket: part.k });
        }
        for list in &mut lists {
            if list.is_empty() {
                list.resize(WORDS, 0);
            }
        }
        let [white, black] = lists;
        test.block.context = vec![white.into(), black.into(), part.sets.clone(), vec![0].into()];
        test
    }
}

#[cfg(test)]
mod tests;
