//! Solutions that are their own image under a turn of the board, and the number of orbits by class.
//!
//! P counts those that the half turn maps to themselves, R those that the quarter turn does (R of the P). With
//! Q all solutions, every orbit under the 8 symmetries has 8, 4 or 2 members (N >= 2): a asymmetric orbits, b of point
//! and c of rotational symmetry. So
//!
//! ```text
//! Q = 8a + 4b + 2c,   P = 4b + 2c,   R = 2c,   fundamental = a + b + c = (Q + P + 2R) / 8.
//! ```
//!
//! A turn moves queens in orbits of 2 or 4 squares; for odd N the centre is an orbit of its own and holds a
//! queen. Orbits are placed whole, by backtracking over the rows that are still empty: the board then stays its
//! own image, so that an orbit is free where one of its squares is. Rows are filled from the middle outwards,
//! where orbits attack most: half the visits of the order from the edge. A mirror image is another
//! solution of the same kind, so one half of the first row is enough.
//!
//! Cost: 9 to 12 visits a solution; P(27) = 320,403,024. Sources of the counts: OEIS A032522 and A033148.

use rayon::prelude::*;

use crate::{BoardSize, Error, board::bits::bits};

/// How many solutions are their own image, by the turn that keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symmetric {
    /// Under the half turn: P, the next included.
    pub point: u64,
    /// Under the quarter turn: R.
    pub rotational: u64,
}

/// The number of orbits of solutions under the 8 symmetries of the square, by class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classes {
    /// All orbits: the fundamental solutions (OEIS A002562).
    pub fundamental: u128,
    /// Orbits of 8 ([`Asymmetric`](crate::Class::Asymmetric)).
    pub asymmetric: u128,
    /// Orbits of 4 ([`Point`](crate::Class::Point)).
    pub point: u128,
    /// Orbits of 2, or 1 for N = 1 ([`Rotational`](crate::Class::Rotational)).
    pub rotational: u128,
}

impl Classes {
    /// The classes of Q solutions of which P are kept by the half turn and R by the quarter turn, by the formula at the
    /// head of this file.
    ///
    /// # Errors
    ///
    /// [`Error::Disagree`] where these are not whole numbers: one of the three counts is wrong. An error of Q
    /// by a multiple of 8 passes. Nothing is counted again: there is no saying which of the three it is.
    pub fn new(size: BoardSize, solutions: u128, symmetric: Symmetric) -> Result<Self, Error> {
        let (point, rotational) = (u128::from(symmetric.point), u128::from(symmetric.rotational));
        if size.get() == 1 {
            return Ok(Self { fundamental: 1, asymmetric: 0, point: 0, rotational: 1 });
        }
        let part = |all: u128, kept: u128, orbit: u128| {
            all.checked_sub(kept).filter(|rest| rest.is_multiple_of(orbit)).map(|rest| rest / orbit)
        };
        let parts = (part(solutions, point, 8), part(point, rotational, 4), part(rotational, 0, 2));
        let (Some(asymmetric), Some(point), Some(rotational)) = parts else {
            return Err(Error::Disagree {
                what: format!("the symmetry classes for N = {} are no whole numbers", size.get()),
                left_name: "the count".into(),
                left: solutions.to_string(),
                right_name: "the counts of symmetric solutions".into(),
                right: format!(
                    "{} by the half turn, {} by the quarter turn",
                    symmetric.point, symmetric.rotational
                ),
            });
        };
        Ok(Self { fundamental: asymmetric + point + rotational, asymmetric, point, rotational })
    }
}

/// Counts the symmetric solutions on the threads of rayon's current pool.
#[must_use]
pub fn count(size: BoardSize) -> Symmetric {
    Symmetric { point: Turn::half(size).count(), rotational: Turn::quarter(size).count() }
}

/// Rows, columns and diagonals that are taken. Bit r + c of `anti`, bit N - 1 + c - r of `main`.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    rows: u32,
    columns: u32,
    anti: u64,
    main: u64,
}

impl Taken {
    fn add(&mut self, n: u32, (row, column): (u32, u32)) {
        self.rows |= 1 << row;
        self.columns |= 1 << column;
        self.anti |= 1 << (row + column);
        self.main |= 1 << (n - 1 + column - row);
    }

    const fn with(self, orbit: &Self) -> Self {
        Self {
            rows: self.rows | orbit.rows,
            columns: self.columns | orbit.columns,
            anti: self.anti | orbit.anti,
            main: self.main | orbit.main,
        }
    }
}

/// A turn of the board and the orbits it makes.
struct Turn {
    n: u32,
    /// Squares of an orbit, the centre apart.
    length: u32,
    /// Rows of the upper half, from the middle outwards.
    rows: Vec<u32>,
    /// For each row the columns whose orbit does not attack itself.
    peaceful: Vec<u32>,
    /// The orbit of each square, row by row.
    orbits: Vec<Taken>,
}

impl Turn {
    fn half(size: BoardSize) -> Self {
        let last = size.get() - 1;
        Self::new(size.get(), 2, |(row, column)| (last - row, last - column))
    }

    fn quarter(size: BoardSize) -> Self {
        let last = size.get() - 1;
        Self::new(size.get(), 4, |(row, column)| (column, last - row))
    }

    fn new(n: u32, length: u32, turn: impl Fn((u32, u32)) -> (u32, u32)) -> Self {
        let mut peaceful = vec![0; n as usize];
        let mut orbits = Vec::new();
        for row in 0..n {
            for column in 0..n {
                let mut orbit = Taken::default();
                let squares = std::iter::successors(Some((row, column)), |&square| Some(turn(square)));
                squares.take(length as usize).for_each(|square| orbit.add(n, square));
                let Taken { rows, columns, anti, main } = orbit;
                if [rows.count_ones(), columns.count_ones(), anti.count_ones(), main.count_ones()]
                    == [length; 4]
                {
                    peaceful[row as usize] |= 1 << column;
                }
                orbits.push(orbit);
            }
        }
        Self { n, length, rows: (0..n / 2).rev().collect(), peaceful, orbits }
    }

    fn count(&self) -> u64 {
        if !(self.n - self.n % 2).is_multiple_of(self.length) {
            return 0;
        }
        let mut empty = Taken::default();
        if self.n % 2 == 1 {
            empty.add(self.n, (self.n / 2, self.n / 2));
        }
        let Some(&row) = self.rows.first() else { return 1 };
        let left = (1 << (self.n / 2)) - 1;
        self.below(&empty, 0, self.free(&empty, row) & left, 2) * 2
    }

    fn free(&self, taken: &Taken, row: u32) -> u32 {
        let attacked = taken.columns | (taken.anti >> row) as u32 | (taken.main >> (self.n - 1 - row)) as u32;
        self.peaceful[row as usize] & !attacked
    }

    /// Solutions with an orbit in one of the `free` columns of row number `at`; the first `spread` rows are
    /// spread over threads.
    fn below(&self, taken: &Taken, at: usize, free: u32, spread: u32) -> u64 {
        if self.n - taken.rows.count_ones() == self.length {
            return u64::from(free.count_ones());
        }
        let columns = bits(free).map(u32::trailing_zeros);
        if spread > 0 {
            let columns: Vec<u32> = columns.collect();
            columns.into_par_iter().map(|column| self.place(taken, at, column, spread - 1)).sum()
        } else {
            columns.map(|column| self.place(taken, at, column, 0)).sum()
        }
    }

    fn place(&self, taken: &Taken, at: usize, column: u32, spread: u32) -> u64 {
        let taken = taken.with(&self.orbits[(self.rows[at] * self.n + column) as usize]);
        let next = (at + 1..self.rows.len()).find(|&next| taken.rows >> self.rows[next] & 1 == 0);
        next.map_or(0, |next| self.below(&taken, next, self.free(&taken, self.rows[next]), spread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_classes_are_the_known_ones() -> Result<(), Error> {
        for line in include_str!("../../tests/data/known-counts.txt").lines().filter(|l| !l.starts_with('#'))
        {
            let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [n, all, fundamental, point, rotational] = numbers[..] else { panic!("{line}") };
            let (size, symmetric) = (BoardSize::new(n as u32)?, Symmetric { point, rotational });
            assert_eq!(Classes::new(size, all.into(), symmetric)?.fundamental, fundamental.into(), "N = {n}");
            if n <= 20 {
                assert_eq!(count(size), symmetric, "N = {n}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_count_that_breaks_the_identity_is_seen() -> Result<(), Error> {
        let (size, symmetric) = (BoardSize::new(16)?, Symmetric { point: 3000, rotational: 64 });
        assert!(Classes::new(size, 14_772_512, symmetric).is_ok());
        for wrong in [14_772_511, 14_772_513, 14_772_516, 2999, 0] {
            assert!(matches!(Classes::new(size, wrong, symmetric), Err(Error::Disagree { .. })), "{wrong}");
        }
        Ok(())
    }

    #[test]
    fn the_largest_boards_do_not_overflow_their_sets() -> Result<(), Error> {
        let turn = Turn::half(BoardSize::new(32)?);
        assert_eq!(turn.orbits.len(), 1024);
        assert_eq!(turn.rows.len(), 16);
        Ok(())
    }
}
