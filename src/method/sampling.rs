//! What an estimate asks of a method besides [`Method`]: units drawn at random, blocks to be timed, memory.

use std::{ops::Range, time::Duration};

use rand_chacha::ChaCha8Rng;

use super::{Block, Method, Record};

/// A part of a count that is sampled apart from the others: the sum over its members.
#[derive(Clone, Debug, PartialEq)]
pub struct Stratum {
    /// Members, each drawn with the same chance.
    pub members: u64,
    /// Whether a draw is the whole of its member, so that each member drawn once gives the sum exactly. Else a draw is
    /// random itself, and right on average.
    pub whole: bool,
    /// Visits to expect of a member that is not [`Sampling::skips`]ped.
    pub visits: f64,
    /// Time to expect of a draw, in units of about a nanosecond on one thread.
    pub work: f64,
    /// The blocks that hold it.
    pub blocks: Range<u64>,
}

/// Units drawn at random, and what they stand for.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// All units.
    pub block: Block,
    /// The units of which they are random parts, as far as the method needs to see them.
    pub whole: Option<Block>,
    /// One entry a member drawn, in their order.
    pub draws: Vec<Draw>,
}

/// How a draw estimates the value of its member.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draw {
    /// Its units.
    pub units: Range<usize>,
    /// The solutions of the member are on average this times those of the units.
    pub solutions: f64,
    /// Likewise the visits, ...
    pub visits: f64,
    /// ... with these on top.
    pub more_visits: f64,
}

/// Units as a run counts them, to be timed.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// A block of the run, or some of its units.
    pub block: Block,
    /// Whether it is the whole block.
    pub whole: bool,
    /// Time of one thread to make such a block in the course of a run.
    pub making: Duration,
}

/// Memory of blocks, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footprint {
    /// What is held once, whatever is under way.
    pub shared: f64,
    /// A block under way, its contexts and its units; the largest there is.
    pub block: f64,
    /// Its units.
    pub units: f64,
    /// All contexts of a run.
    pub contexts: f64,
    /// The contexts of one block.
    pub context: f64,
}

/// A method whose answer can be estimated from a random sample.
pub trait Sampling: Method {
    /// The strata. The answer is the sum over them.
    fn strata(&self) -> Vec<Stratum>;

    /// Visits that a run takes besides those of the strata.
    fn base_visits(&self) -> f64 {
        0.0
    }

    /// Whether a member is known to count nothing and to take no visits. Cheap.
    fn skips(&self, _stratum: usize, _member: u64) -> bool {
        false
    }

    /// Draws members, which depends on nothing but the arguments. `thin` allows a draw to be a random part of its
    /// member where that tells more for the same work.
    fn draw(&self, stratum: usize, members: &[u64], thin: bool, rng: &mut ChaCha8Rng) -> Drawn;

    /// Counts what was drawn on the CPU: one record a unit.
    fn count_drawn(&self, drawn: &Drawn) -> Vec<Record> {
        let chunks = self.chunks(&drawn.block);
        chunks.into_iter().flat_map(|units| self.count_units(&drawn.block, units)).collect()
    }

    /// Units of a block of a stratum, all of them unless that takes more than about `visits`.
    fn trial(&self, stratum: usize, number: u64, visits: f64, rng: &mut ChaCha8Rng) -> Trial;

    /// What blocks take of memory, from the plan.
    fn footprint(&self) -> Footprint;
}
