//! The plain count of a unit: square by square, sharing with the fast ones only the layout of its words.

use super::{Inner, unit};
use crate::method::{Unit, join_words, ladder::Counted};

/// Counts a unit, from its preset on.
#[must_use]
pub fn count(inner: &Inner, words: &Unit) -> Counted {
    let start = unit::preset(words);
    let mut counted = Counted { solutions: start, visits: start };
    let rows = (0..inner.rows()).filter(|row| words[3] >> row & 1 == 1).collect::<Vec<_>>();
    below(inner, &rows, words, &mut Vec::new(), &mut counted);
    counted
}

/// Fills the rows after those of `queens` (row, column).
fn below(inner: &Inner, rows: &[u32], words: &Unit, queens: &mut Vec<(u32, u32)>, counted: &mut Counted) {
    let Some(&row) = rows.get(queens.len()) else {
        counted.solutions += 1;
        return;
    };
    let [columns, d_low, a_low, _, d_high, a_high, ..] = *words;
    let (d, a) = (join_words([d_low, d_high]), join_words([a_low, a_high]));
    let last = rows.last().copied().unwrap_or_default();
    for column in 0..inner.columns() {
        let taken = columns >> column & 1 == 1
            || inner.closed()[row as usize] >> column & 1 == 1
            || d >> (column + last - row) & 1 == 1
            || a >> (column + row - rows[0]) & 1 == 1;
        let attacked = queens.iter().any(|&(i, j)| j == column || j.abs_diff(column) == i.abs_diff(row));
        if !(taken || attacked) {
            counted.visits += 1;
            queens.push((row, column));
            below(inner, rows, words, queens, counted);
            queens.pop();
        }
    }
}
