//! Placements of one class that use exactly the given rows, grouped by column set.
//!
//! A placement is two words: its diagonals D, then its antidiagonals A, both normalised to the searched class (see
//! [`super::parity`]). Those on one column set lie together, column sets in numeric order. Made by backtracking,
//! twice: once to learn how many there are of each column set, once to write them where they belong. On large boards
//! the lists of one row set take gigabytes; so only those of a [`Stripe`] of column sets are made at a time.

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

/// Column sets that agree in their highest columns: a run of the sets of each size in numeric order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// The highest columns that they take.
    pub high: u32,
    /// The lower columns, free to be taken.
    pub low: u32,
}

impl Stripe {
    /// The stripes of `width` columns that agree in the highest `agreed` ones; a single one for 0.
    pub fn all(width: u32, agreed: u32) -> impl Iterator<Item = Self> {
        let low = width - agreed;
        (0..1 << agreed).map(move |high: u32| Self { high: high << low, low: (1 << low) - 1 })
    }

    /// The stripe of the complements.
    #[must_use]
    pub const fn complement(self, all: u32) -> Self {
        Self { high: all & !(self.high | self.low), ..self }
    }

    /// The ranks of its sets of a size.
    #[must_use]
    pub fn ranks(self, sets: &Sets, size: u32) -> Range<usize> {
        let of_size = sets.of_size(size);
        let first = of_size.partition_point(|&set| set < self.high);
        first..of_size.partition_point(|&set| set <= self.high | self.low)
    }
}

impl Lists {
    /// Lists a class on `row_sets`, which are of one size, and the column sets of a stripe; `sets` are those of its
    /// width.
    #[must_use]
    pub fn new(class: Listed, row_sets: &[u32], stripe: Stripe, sets: &Sets) -> Self {
        let size = row_sets.first().map_or(0, |rows| rows.count_ones());
        let ranks = stripe.ranks(sets, size);
        let columns = ranks.len();
        let each = |rows: u32, found: &mut dyn FnMut(usize, Placed)| {
            let Some(spare) = size.checked_sub(stripe.high.count_ones()) else { return };
            let free = Free { must: stripe.high, may: stripe.low, spare };
            place(class, rows, free, Placed::default(), &mut |p| {
                found(sets.rank(p.columns) - ranks.start, p);
                true
            });
        };
        let mut start = vec![0; row_sets.len() * columns + 1];
        for (list, &rows) in row_sets.iter().enumerate() {
            let counts = &mut start[list * columns + 1..];
            each(rows, &mut |at, _| counts[at] += 1);
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
                each(rows, &mut |at, p| {
                    let at = &mut next[at];
                    words[WORDS * *at as usize] = p.d >> class.drop_d;
                    words[WORDS * *at as usize + 1] = p.a >> class.drop_a;
                    *at += 1;
                });
            }
        }
        Self { words, start, columns }
    }

    /// Where the placements on one row set and the column set of this rank in the stripe lie, counted in placements.
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
    let free = Free { must: columns, may: 0, spare: 0 };
    place(class, rows, free, Placed::default(), &mut |p| {
        words.extend([p.d >> class.drop_d, p.a >> class.drop_a]);
        words.len() < WORDS * most
    });
    words
}

/// The columns for some rows: all of `must`, and `spare` of `may`; together as many as there are rows.
#[derive(Clone, Copy, Debug)]
struct Free {
    must: u32,
    may: u32,
    spare: u32,
}

/// What some queens hold, before it is normalised.
#[derive(Clone, Copy, Debug, Default)]
struct Placed {
    columns: u32,
    d: u32,
    a: u32,
}

/// Calls `found` for each way to fill `rows`, as long as it wants more; says whether it does.
fn place(
    class: Listed,
    rows: u32,
    columns: Free,
    placed: Placed,
    found: &mut impl FnMut(Placed) -> bool,
) -> bool {
    if rows == 0 {
        return found(placed);
    }
    let i = rows.trailing_zeros();
    let allowed = columns.must | if columns.spare > 0 { columns.may } else { 0 };
    let mut free = allowed & !(placed.columns | placed.a >> i | placed.d >> (class.diagonal - i));
    while free != 0 {
        let bit = free & free.wrapping_neg();
        free ^= bit;
        let next = Placed {
            columns: placed.columns | bit,
            d: placed.d | bit << (class.diagonal - i),
            a: placed.a | bit << i,
        };
        let columns = Free { spare: columns.spare - u32::from(bit & columns.may != 0), ..columns };
        if !place(class, rows & (rows - 1), columns, next, found) {
            return false;
        }
    }
    true
}
