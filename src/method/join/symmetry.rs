//! Which units (k, Re, Ro, Ce) are run, and how often each Co counts in them.
//!
//! The 8 symmetries of the square act on the tuples (Re, Ro, Ce, Co); rev reverses an index set. Some units are
//! *visited*, such that of the images of any tuple at least one lies in a visited unit: a cover. Of the visited images
//! of a tuple one is *chosen*; its weight is the size of the orbit, that of the others is 0. So each orbit counts
//! once whatever the cover, and a small cover is a fast one.
//!
//! * Odd N (`odd`): the mirror images (rev Re, rev Ro, Ce, Co) and (Re, Ro, rev Ce, rev Co), the transpose
//!   (Ce, Co, Re, Ro). An eighth of the units is visited and a few more, which is the least there can be.
//! * Even N (`even`): with p = rev Re, q = Ro, s = rev Ce, u = Co the half turn (q, p, u, s), the transpose
//!   (s, u, p, q), and the mirror image (~p, ~q, ~u, ~s), which takes k to N/2 - k: so only k <= N/2 - k is run, and
//!   counts twice where it is less. 0.146 of the units are visited (0.151 for k = N/4).
//!
//! Nearly all orbits have 8 members, and the chosen Co of nearly all units are an interval in numeric order.

mod even;
mod odd;

use std::{ops::Range, sync::Arc};

use self::{even::Even, odd::Odd};
use super::parity::{Sets, Shape};

/// A tuple in the letters of its parity: (Re, Ro, Ce, Co) for odd N, (p, q, s, u) for even N.
type Tuple = [u32; 4];

/// The weight of all Co of a unit that are in its interval.
pub const COMMON: u32 = 8;

/// The symmetry of all units with one k.
#[derive(Debug)]
pub struct Symmetry {
    even_sets: Arc<Sets>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Odd(Odd),
    Even(Even),
}

/// The weights of the Co of one unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Weights {
    /// All 0: the unit is not run.
    Skip,
    /// [`COMMON`] for the Co that lie in the interval as numbers, 0 for the others.
    Range(Range<u32>),
    /// To be asked one by one.
    Each,
}

impl Symmetry {
    /// None if this k is the mirror image of a smaller one. The sets are those of E and of O indices.
    #[must_use]
    pub fn new(shape: Shape, k: u32, even_sets: &Arc<Sets>, odd_sets: &Arc<Sets>) -> Option<Self> {
        let kind = if shape.n % 2 == 1 {
            Kind::Odd(Odd { even_sets: Arc::clone(even_sets), odd_sets: Arc::clone(odd_sets) })
        } else {
            Kind::Even(Even::new(shape, k, odd_sets)?)
        };
        Some(Self { even_sets: Arc::clone(even_sets), kind })
    }

    /// False if no unit with these rows is run.
    #[must_use]
    pub fn rows_visited(&self, re: u32, ro: u32) -> bool {
        match &self.kind {
            Kind::Odd(odd) => odd.rows_visited(re, ro),
            Kind::Even(even) => even.rows_visited(self.even_sets.rev(re)),
        }
    }

    /// The weights of a unit, as far as they need not be asked for one by one.
    #[inline]
    #[must_use]
    pub fn unit(&self, re: u32, ro: u32, ce: u32) -> Weights {
        match &self.kind {
            Kind::Odd(odd) => odd.unit(re, ro, ce),
            Kind::Even(even) => even.unit(self.even_sets.rev(re), ro, self.even_sets.rev(ce)),
        }
    }

    /// The weight of one tuple: 0 or the size of its orbit (1, 2, 4 or 8), that with N/2 - k included.
    #[must_use]
    pub fn weight(&self, re: u32, ro: u32, ce: u32, co: u32) -> u32 {
        match &self.kind {
            Kind::Odd(odd) => odd.weight([re, ro, ce, co]),
            Kind::Even(even) => even.weight([self.even_sets.rev(re), ro, self.even_sets.rev(ce), co]),
        }
    }
}

#[cfg(test)]
mod tests;
