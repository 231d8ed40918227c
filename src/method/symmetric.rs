//! Solutions that are their own image under a turn of the board.
//!
//! P counts those that the half turn maps to themselves, R those that the quarter turn does (R of the P). With
//! Q all solutions, every orbit under the 8 symmetries has 8, 4 or 2 members (N >= 2), and so
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

use crate::BoardSize;

/// How many solutions are their own image, by the turn that keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symmetric {
    /// Under the half turn: P, the next included.
    pub point: u64,
    /// Under the quarter turn: R.
    pub rotational: u64,
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
        let columns = std::iter::successors(Some(free), |free| Some(free & free.wrapping_sub(1)))
            .take_while(|&free| free != 0)
            .map(u32::trailing_zeros);
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
    fn known_counts() -> Result<(), crate::Error> {
        for line in include_str!("../../tests/data/known-counts.txt").lines().filter(|l| !l.starts_with('#'))
        {
            let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [n, all, fundamental, point, rotational] = numbers[..] else { panic!("{line}") };
            if n > 20 {
                continue;
            }
            let counted = count(BoardSize::new(n as u32)?);
            assert_eq!(counted, Symmetric { point, rotational }, "N = {n}");
            if n >= 2 {
                assert_eq!(8 * fundamental, all + point + 2 * rotational);
            }
        }
        Ok(())
    }

    #[test]
    fn the_largest_boards_do_not_overflow_their_sets() -> Result<(), crate::Error> {
        let turn = Turn::half(BoardSize::new(32)?);
        assert_eq!(turn.orbits.len(), 1024);
        assert_eq!(turn.rows.len(), 16);
        Ok(())
    }
}
