//! The four classes of squares by the parity of row and column, in half coordinates i = r >> 1, j = c >> 1.
//!
//! A queen at (i, j) of a class holds the diagonal j - i (bit j - i + E of a mask D) and the antidiagonal i + j
//! (bit i + j of a mask A). Between the two classes of a colour the indices shift by at most one:
//!
//! | listed | searched | diagonal | antidiagonal |
//! |---|---|---|---|
//! | EE | OO | same | minus 1 |
//! | OE | EO | minus 1 | same |
//!
//! Masks are *normalised* to the searched class and moved down as far as they go, so that both colours are
//! searched alike. With S the columns taken, the free squares of row i of either searched class are
//!
//! ```text
//! all O columns & !(S | A >> i | D >> (E-1-i))
//! ```
//!
//! that is, a queen at (i, j) of a searched class holds bit i + j of A and bit E-1-i + j of D. For N <= 32 a set of
//! columns takes 16 bits at most and a mask 31.

use std::ops::RangeInclusive;

use crate::BoardSize;

/// The split of N indices into E even and O odd ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Side of the board.
    pub n: u32,
    /// Number of even indices, ceil(N/2).
    pub even: u32,
    /// Number of odd indices, floor(N/2): the columns of both searched classes.
    pub odd: u32,
}

impl Shape {
    /// The split of a board.
    #[must_use]
    pub const fn of(size: BoardSize) -> Self {
        let n = size.get();
        Self { n, even: n.div_ceil(2), odd: n / 2 }
    }

    /// Queens on OO, and so the size of Ro and Co, where EE holds `k`, one of [`Shape::ks`].
    #[must_use]
    pub const fn odd_size(self, k: u32) -> u32 {
        k - (self.even - self.odd)
    }

    /// The possible numbers k of queens on EE: E-O to E.
    #[must_use]
    pub const fn ks(self) -> RangeInclusive<u32> {
        self.even - self.odd..=self.even
    }

    /// All even indices as a set.
    #[must_use]
    pub const fn all_even(self) -> u32 {
        (1 << self.even) - 1
    }

    /// All odd indices as a set.
    #[must_use]
    pub const fn all_odd(self) -> u32 {
        (1 << self.odd) - 1
    }

    /// EE, the listed class of white; OO is searched below its placements.
    #[must_use]
    pub const fn white(self) -> Listed {
        Listed { height: self.even, width: self.even, diagonal: self.even, drop_d: 1, drop_a: 1 }
    }

    /// OE, the listed class of black; EO is searched below its placements.
    #[must_use]
    pub const fn black(self) -> Listed {
        Listed { height: self.odd, width: self.even, diagonal: self.even, drop_d: 2, drop_a: 0 }
    }
}

/// A class whose placements are listed, and how its masks turn into those of the class searched below them.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Its rows.
    pub height: u32,
    /// Its columns.
    pub width: u32,
    /// The bit of diagonal 0: E.
    pub diagonal: u32,
    /// How far masks of diagonals move down to be normalised.
    pub drop_d: u32,
    /// How far masks of antidiagonals do.
    pub drop_a: u32,
}

/// All subsets of some indices by size, in numeric order, and what is looked up about each.
#[derive(Debug)]
pub struct Sets {
    by_size: Vec<Vec<u32>>,
    rank: Vec<u16>,
    reversed: Vec<u16>,
}

impl Sets {
    /// The 2^`width` subsets of `width` indices, at most 16.
    #[must_use]
    pub fn new(width: u32) -> Self {
        let mut by_size = vec![Vec::new(); width as usize + 1];
        let (mut rank, mut reversed) = (vec![0; 1 << width], vec![0; 1 << width]);
        for set in 0..1u32 << width {
            let of_size = &mut by_size[set.count_ones() as usize];
            rank[set as usize] = of_size.len() as u16;
            of_size.push(set);
            reversed[set as usize] = (set << (32 - width.max(1))).reverse_bits() as u16;
        }
        Self { by_size, rank, reversed }
    }

    /// The sets of a size in numeric order; none if it is too large.
    #[must_use]
    pub fn of_size(&self, size: u32) -> &[u32] {
        self.by_size.get(size as usize).map_or(&[], Vec::as_slice)
    }

    /// Position of a set among the sets of its size.
    #[inline]
    #[must_use]
    pub fn rank(&self, set: u32) -> usize {
        usize::from(self.rank[set as usize])
    }

    /// The set read backwards: index b becomes `width` - 1 - b.
    #[inline]
    #[must_use]
    pub fn rev(&self, set: u32) -> u32 {
        u32::from(self.reversed[set as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_ranked_and_reversed() {
        for width in 0..=9 {
            let sets = Sets::new(width);
            let mut all = 0;
            for size in 0..=width {
                for (rank, &set) in sets.of_size(size).iter().enumerate() {
                    assert_eq!((sets.rank(set), set.count_ones()), (rank, size));
                    let reversed: u32 = (0..width).map(|b| (set >> b & 1) << (width - 1 - b)).sum();
                    assert_eq!(sets.rev(set), reversed, "{set:b} of {width}");
                    all += 1;
                }
            }
            assert_eq!(all, 1 << width);
            assert!(sets.of_size(width + 1).is_empty());
        }
    }

    #[test]
    fn sizes_of_the_four_classes_add_up() -> Result<(), crate::Error> {
        for n in 1..=32 {
            let shape = Shape::of(BoardSize::new(n)?);
            for k in shape.ks() {
                assert_eq!(k + 2 * (shape.even - k) + shape.odd_size(k), n);
            }
        }
        Ok(())
    }
}
