//! Odd N: rows are visited if (Re, Ro) is at most its mirror image, columns likewise, and units if Re <= Ce.
//!
//! Of an orbit the least tuple is chosen. A unit whose Re, Ce and their mirror images all differ holds chosen tuples
//! only, each of an orbit of 8.

use std::{cmp::Ordering, sync::Arc};

use super::{Tuple, Weights};
use crate::method::join::parity::Sets;

#[derive(Debug)]
pub(super) struct Odd {
    pub(super) even_sets: Arc<Sets>,
    pub(super) odd_sets: Arc<Sets>,
}

impl Odd {
    pub(super) fn images(&self, [a, b, c, d]: Tuple) -> [Tuple; 8] {
        let (ar, br) = (self.even_sets.rev(a), self.odd_sets.rev(b));
        let (cr, dr) = (self.even_sets.rev(c), self.odd_sets.rev(d));
        [
            [a, b, c, d],
            [ar, br, c, d],
            [a, b, cr, dr],
            [ar, br, cr, dr],
            [c, d, a, b],
            [c, d, ar, br],
            [cr, dr, a, b],
            [cr, dr, ar, br],
        ]
    }

    pub(super) fn rows_visited(&self, re: u32, ro: u32) -> bool {
        match re.cmp(&self.even_sets.rev(re)) {
            Ordering::Less => true,
            Ordering::Equal => ro <= self.odd_sets.rev(ro),
            Ordering::Greater => false,
        }
    }

    #[inline]
    pub(super) fn unit(&self, re: u32, ro: u32, ce: u32) -> Weights {
        let mirror = self.even_sets.rev(ce);
        if ce > mirror || re > ce || !self.rows_visited(re, ro) {
            Weights::Skip
        } else if re < self.even_sets.rev(re) && ce < mirror && re < ce {
            Weights::Range(0..1 << 16)
        } else {
            Weights::Each
        }
    }

    pub(super) fn weight(&self, tuple: Tuple) -> u32 {
        let images = self.images(tuple);
        if images.iter().any(|image| *image < tuple) {
            return 0;
        }
        8 / images.iter().filter(|image| **image == tuple).count() as u32
    }
}
