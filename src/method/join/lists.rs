//! Placements of one class that use exactly the given rows, grouped by column set.
//!
//! A placement is two words: its diagonals D, then its antidiagonals A, both normalised to the searched class (see
//! [`super::parity`]). Those on one column set lie together, column sets in numeric order. Made by backtracking,
//! twice: once to learn how many there are of each column set, once to write them where they belong.

use std::{ops::Range, sync::Arc};

use super::parity::{Listed, Sets};

/// Words of one placement.
pub const WORDS: usize = 2;

/// The placements of a class on some row sets of one size, list after list in one buffer.
#[derive(Debug)]
pub struct Lists {
    /// D and A of every placement in turn; one pair of zeros if there is none, as no buffer may be empty.
    pub words: Arc<[u32]>,
    /// Where the placements of each row set and each column set begin, and the end of the last.
    start: Vec<u32>,
    /// Column sets of a row set.
    columns: usize,
}

impl Lists {
    /// Lists a class on `row_sets`, which are of one size; `sets` are those of its width.
    #[must_use]
    pub fn new(class: Listed, row_sets: &[u32], sets: &Sets) -> Self {
        let columns = row_sets.first().map_or(0, |rows| sets.of_size(rows.count_ones()).len());
        let mut start = vec![0; row_sets.len() * columns + 1];
        for (list, &rows) in row_sets.iter().enumerate() {
            let counts = &mut start[list * columns + 1..];
            place(class, rows, all(class), Placed::default(), &mut |p| {
                counts[sets.rank(p.columns)] += 1;
                true
            });
        }
        let mut sum = 0;
        for at in &mut start {
            sum += *at;
            *at = sum;
        }
        let mut next = start.clone();
        let mut words: Arc<[u32]> = std::iter::repeat_n(0, WORDS * (sum as usize).max(1)).collect();
        if let Some(words) = Arc::get_mut(&mut words) {
            for (list, &rows) in row_sets.iter().enumerate() {
                let next = &mut next[list * columns..];
                place(class, rows, all(class), Placed::default(), &mut |p| {
                    let at = &mut next[sets.rank(p.columns)];
                    words[WORDS * *at as usize] = p.d >> class.drop_d;
                    words[WORDS * *at as usize + 1] = p.a >> class.drop_a;
                    *at += 1;
                    true
                });
            }
        }
        Self { words, start, columns }
    }

    /// Where the placements on one row set and the column set of this rank lie, counted in placements.
    #[inline]
    #[must_use]
    pub fn range(&self, list: usize, rank: usize) -> Range<u32> {
        let at = list * self.columns + rank;
        self.start[at]..self.start[at + 1]
    }

    /// Bytes of memory.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * (self.words.len() + self.start.len())
    }
}

/// The words of the first `most` placements on exactly these rows and columns.
#[must_use]
pub fn list_one(class: Listed, rows: u32, columns: u32, most: usize) -> Vec<u32> {
    let mut words = Vec::new();
    place(class, rows, columns, Placed::default(), &mut |p| {
        words.extend([p.d >> class.drop_d, p.a >> class.drop_a]);
        words.len() < WORDS * most
    });
    words
}

const fn all(class: Listed) -> u32 {
    (1 << class.width) - 1
}

/// What some queens hold, before it is normalised.
#[derive(Clone, Copy, Debug, Default)]
struct Placed {
    columns: u32,
    d: u32,
    a: u32,
}

/// Calls `found` for each way to fill `rows` on columns of `allowed`, as long as it wants more; says whether it does.
fn place(
    class: Listed,
    rows: u32,
    allowed: u32,
    placed: Placed,
    found: &mut impl FnMut(Placed) -> bool,
) -> bool {
    if rows == 0 {
        return found(placed);
    }
    let i = rows.trailing_zeros();
    let mut free = allowed & !(placed.columns | placed.a >> i | placed.d >> (class.diagonal - i));
    while free != 0 {
        let bit = free & free.wrapping_neg();
        free ^= bit;
        let next = Placed {
            columns: placed.columns | bit,
            d: placed.d | bit << (class.diagonal - i),
            a: placed.a | bit << i,
        };
        if !place(class, rows & (rows - 1), allowed, next, found) {
            return false;
        }
    }
    true
}
