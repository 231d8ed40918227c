//! The inner board: without the first and last rank and file, whose queens are placed first; and prefixes, the queens placed
//! so far as its rows see them.
//!
//! Its rows and columns count from 0. The square of row i and column j lies on diagonal j + rows - 1 - i and on
//! antidiagonal i + j, both from 0 to rows + columns - 2, which is at most 58: a set of either is one `u64`, and the
//! taken squares of row i are the lowest bits of `d >> (rows - 1 - i)` and of `a >> i`.

use crate::{Problem, Square};

/// Queens that do not attack each other, as the inner board sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// Columns taken.
    pub columns: u32,
    /// Diagonals taken.
    pub d: u64,
    /// Antidiagonals taken.
    pub a: u64,
    /// Rows in which a queen is still to be placed, one in each.
    pub rows: u32,
    /// How many prefixes it stands for under symmetry.
    pub weight: u32,
}

/// The inner board of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inner {
    rows: u32,
    columns: u32,
    /// The forbidden squares of each row.
    closed: Vec<u32>,
}

impl Inner {
    /// The inner board of a problem; it may have no square.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let board = problem.board();
        let rows = board.ranks().saturating_sub(2);
        let columns = board.files().saturating_sub(2);
        let mut closed = vec![0; rows as usize];
        for square in problem.forbidden() {
            let row = (square.rank as usize).checked_sub(1).and_then(|row| closed.get_mut(row));
            if let Some(row) = row
                && (1..=columns).contains(&square.file)
            {
                *row |= 1 << (square.file - 1);
            }
        }
        Self { rows, columns, closed }
    }

    /// The number of rows, at most 30.
    #[must_use]
    pub const fn rows(&self) -> u32 {
        self.rows
    }

    /// The number of columns, at most 30.
    #[must_use]
    pub const fn columns(&self) -> u32 {
        self.columns
    }

    /// All columns.
    #[must_use]
    pub const fn full(&self) -> u32 {
        (1 << self.columns) - 1
    }

    /// The forbidden squares of each row.
    #[must_use]
    pub fn closed(&self) -> &[u32] {
        &self.closed
    }

    /// By how much the diagonals are shifted down for a row.
    #[must_use]
    pub const fn d_shift(&self, row: u32) -> u32 {
        self.rows - 1 - row
    }

    /// The squares of a row on which a queen may stand beside those of a prefix.
    #[must_use]
    pub fn free(&self, prefix: &Prefix, row: u32) -> u32 {
        let attacked = prefix.columns | (prefix.d >> self.d_shift(row)) as u32 | (prefix.a >> row) as u32;
        self.full() & !(attacked | self.closed[row as usize])
    }

    /// The prefix with a queen more, in a free column (one bit) of one of its rows.
    #[must_use]
    pub const fn with(&self, prefix: &Prefix, row: u32, queen: u32) -> Prefix {
        let bit = queen as u64;
        Prefix {
            columns: prefix.columns | queen,
            d: prefix.d | bit << self.d_shift(row),
            a: prefix.a | bit << row,
            rows: prefix.rows & !(1 << row),
            weight: prefix.weight,
        }
    }

    /// What a queen on any square of the whole board takes from the inner one.
    pub fn stand(&self, prefix: &mut Prefix, square: Square) {
        let (rows, columns) = (i64::from(self.rows), i64::from(self.columns));
        let (row, column) = (i64::from(square.rank) - 1, i64::from(square.file) - 1);
        if (0..columns).contains(&column) {
            prefix.columns |= 1 << column;
        }
        if (0..rows).contains(&row) {
            prefix.rows &= !(1 << row);
        }
        let lines = 0..(rows + columns - 1).max(0);
        let (d, a) = (column + rows - 1 - row, row + column);
        if lines.contains(&d) {
            prefix.d |= 1 << d;
        }
        if lines.contains(&a) {
            prefix.a |= 1 << a;
        }
    }

    /// The same board and prefixes as seen in a mirror that reverses the columns.
    pub fn mirror(&mut self, prefixes: &mut [Prefix]) {
        let columns = self.columns;
        let row = |squares: u32| if columns == 0 { 0 } else { squares.reverse_bits() >> (32 - columns) };
        let lines = self.rows + columns;
        let line = |lines_taken: u64| if lines < 2 { 0 } else { lines_taken.reverse_bits() >> (65 - lines) };
        for closed in &mut self.closed {
            *closed = row(*closed);
        }
        for prefix in prefixes {
            *prefix =
                Prefix { columns: row(prefix.columns), d: line(prefix.a), a: line(prefix.d), ..*prefix };
        }
    }
}
