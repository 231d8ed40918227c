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
//! (`symmetry`). Units are drawn at random in `sample`. The layout of buffers is that of [`Join::block`].
//!
//! # Cost
//!
//! Each search fills about N/4 rows. The number of visits (queens placed) grows by about 5.5 for each N, that of
//! backtracking by 9 to 11: 8.2e8 visits at N = 18, 2.2e10 at N = 20, some 6e11 at 22 and 2e13 at 24. Placements listed
//! on the host are not counted as visits. Memory is that of the lists of some blocks, about 32 MiB each, and of 200 MiB
//! more that blocks share.
//!
//! Source: worked out and checked for this project; no published counter is known to use it.

mod cost;
mod kernel;
mod lists;
mod parity;
mod plan;
mod sample;
mod selftest;
mod symmetry;
mod unit;

use std::ops::Range;

use self::{
    parity::Shape,
    plan::{Cut, Plan},
    unit::{Words, reference},
};
use super::{Block, Kernel, Method, MethodName, PlanHash, Record, SelfTest};
use crate::{Error, Problem};

/// Bounds of a chunk: enough to fill vectors, little enough to share a block out to threads.
const CHUNK_UNITS: usize = 256;
const CHUNK_PLACEMENTS: usize = 1 << 13;

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
        let shape = Shape::of(problem.require_plain("`method` join")?);
        Ok(Self { plan: Plan::new(shape, &Cut::default()) })
    }

    /// The parts of a count, each with the kernel of its position: its k, and the numbers of its blocks.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn parts(&self) -> Vec<(u32, Range<u64>)> {
        self.plan.parts()
    }
}

impl Method for Join {
    fn name(&self) -> MethodName {
        MethodName::Join
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

    fn plan_hash(&self) -> PlanHash {
        self.plan.hash()
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
    /// 5. k | 256 if it has weights of its own | 512 if its count starts from 2^32 - 1 (in self-tests);
    /// 6. low | high << 16: only Co of a rank from low to before high count;
    /// 7. the word at which its weights begin.
    ///
    /// Units of one (Re, Ro) follow each other. Units known to count nothing are left out, so a block may be empty.
    fn block(&self, number: u64) -> Block {
        self.plan.block(number)
    }

    /// Cuts the longer of a unit's two lists in half: a unit's value is the sum over the pairs of its placements. None
    /// if there is but one pair. The parts have weight 1. Both search below the other list, so that their visits are
    /// more than those of the unit.
    fn split(&self, block: &Block, unit: usize) -> Option<Block> {
        let words = Words::unpack(&block.units[unit]);
        let white = words.white.len() >= words.black.len();
        let list = if white { &words.white } else { &words.black };
        let middle = list.start + (list.end - list.start) / 2;
        if middle == list.start {
            return None;
        }
        let part = |list: Range<u32>, preset: bool| {
            let part = Words { preset, ..words.clone() };
            if white { Words { white: list, ..part } } else { Words { black: list, ..part } }.pack()
        };
        Some(Block {
            number: block.number,
            context: block.context.clone(),
            units: vec![part(list.start..middle, words.preset), part(middle..list.end, false)],
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

    /// Runs of units with about as many placements each.
    fn chunks(&self, block: &Block) -> Vec<Range<usize>> {
        let (mut chunks, mut start, mut placements) = (Vec::new(), 0, 0);
        for (at, unit) in block.units.iter().enumerate() {
            if at - start == CHUNK_UNITS || placements > CHUNK_PLACEMENTS {
                chunks.push(start..at);
                (start, placements) = (at, 0);
            }
            let words = Words::unpack(unit);
            placements += words.white.len() + words.black.len();
        }
        chunks.push(start..block.units.len());
        chunks
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
        words.start()
            + reference::value(self.plan.shape, &words, context, u64::MAX, &mut 0).unwrap_or_default()
    }

    fn main_kernel(&self) -> usize {
        let far = |(_, part): &(usize, &plan::Part)| (4 * part.k).abs_diff(self.plan.shape.n);
        self.plan.parts.iter().enumerate().min_by_key(far).map_or(0, |(kernel, _)| kernel)
    }

    /// The visits expected are 0, as they depend on the order of rows.
    fn self_test(&self, kernel: usize) -> SelfTest {
        selftest::self_test(&self.plan, kernel)
    }
}

#[cfg(test)]
mod tests;
