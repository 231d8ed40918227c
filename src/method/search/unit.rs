//! The words of a unit: a prefix as a kernel reads it.
//!
//! | word | what |
//! |---|---|
//! | 0 | columns taken |
//! | 1, 4 | diagonals taken, low and high word: row i, with `last` the last row, reads from bit last - i on |
//! | 2, 5 | antidiagonals taken, low and high word: row i, with `first` the first row, reads from bit i - first on |
//! | 3 | the rows to fill, as they are numbered on the inner board |
//! | 6, 7 | the number from which count and visits start, low word first: 0 but in a self-test |

use super::{Inner, Prefix};
use crate::method::{Unit, join_words, split_words};

/// The first and the last of some rows; 0 and 0 where there are none.
#[must_use]
pub const fn ends(rows: u32) -> (u32, u32) {
    if rows == 0 { (0, 0) } else { (rows.trailing_zeros(), 31 - rows.leading_zeros()) }
}

/// The words of a prefix.
#[must_use]
pub fn pack(inner: &Inner, prefix: &Prefix) -> Unit {
    if prefix.rows == 0 {
        return [prefix.columns, 0, 0, 0, 0, 0, 0, 0];
    }
    let (first, last) = ends(prefix.rows);
    let used = (1u64 << (inner.columns() + last - first)) - 1;
    let [d_low, d_high] = split_words(prefix.d >> inner.d_shift(last) & used);
    let [a_low, a_high] = split_words(prefix.a >> first & used);
    [prefix.columns, d_low, a_low, prefix.rows, d_high, a_high, 0, 0]
}

/// The prefix of some words, of weight 1: what its rows can see of it.
#[must_use]
pub const fn unpack(inner: &Inner, unit: &Unit) -> Prefix {
    let [columns, d_low, a_low, rows, d_high, a_high, ..] = *unit;
    let (first, last) = ends(rows);
    let d = if rows == 0 { 0 } else { join_words([d_low, d_high]) << inner.d_shift(last) };
    Prefix { columns, d, a: join_words([a_low, a_high]) << first, rows, weight: 1 }
}

/// The number from which the count and the visits of a unit start.
#[must_use]
pub const fn preset(unit: &Unit) -> u64 {
    join_words([unit[6], unit[7]])
}
