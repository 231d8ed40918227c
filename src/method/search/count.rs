//! The twin of `shaders/search.wgsl`: counts one unit on the CPU.

use super::{Inner, unit};
use crate::method::{Record, Unit, split_words};

/// A row to fill: how far its squares lie in the diagonals and antidiagonals, and where no queen may stand.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    d: u32,
    a: u32,
    closed: u32,
}

impl Row {
    /// The squares of the row that no queen attacks.
    #[inline(always)]
    const fn free(&self, full: u32, columns: u32, d: u64, a: u64) -> u32 {
        full & !(columns | self.closed | (d >> self.d) as u32 | (a >> self.a) as u32)
    }
}

/// The walk below one prefix.
struct Walk {
    full: u32,
    count: u64,
    visits: u64,
    /// Visits after which the walk is given up.
    most_visits: u64,
}

/// Counts the leaves below a unit; says [`Record::UNFINISHED`] once it has placed more than about `budget` queens.
pub fn count(inner: &Inner, words: &Unit, id: u32, budget: u64) -> Record {
    let prefix = unit::unpack(inner, words);
    let mut rows = [Row::default(); 32];
    let mut len = 0;
    let mut left = prefix.rows;
    while left != 0 {
        let row = left.trailing_zeros();
        left &= left - 1;
        rows[len] = Row { d: inner.d_shift(row), a: row, closed: inner.closed()[row as usize] };
        len += 1;
    }
    let mut walk = Walk { full: inner.full(), count: 0, visits: 0, most_visits: budget };
    walk.below(&rows[..len], prefix.columns, prefix.d, prefix.a);
    let state = if walk.visits <= budget { Record::DONE } else { Record::UNFINISHED };
    Record {
        id,
        run: 0,
        state,
        bucket: 0,
        count: split_words(unit::preset(words) + walk.count),
        visits: split_words(unit::preset(words) + walk.visits),
    }
}

impl Walk {
    /// Fills some rows. The queens of a row are visits at once; the last row is counted, not walked, and the row above
    /// it is walked without a call: these two hold most of the tree.
    fn below(&mut self, rows: &[Row], columns: u32, d: u64, a: u64) {
        let (row, next, rest) = match rows {
            [] => {
                self.count += 1;
                return;
            }
            [last] => {
                let free = u64::from(last.free(self.full, columns, d, a).count_ones());
                self.count += free;
                self.visits += free;
                return;
            }
            [row, next, rest @ ..] => (row, next, rest),
        };
        let mut free = row.free(self.full, columns, d, a);
        self.visits += u64::from(free.count_ones());
        if self.visits > self.most_visits {
            return;
        }
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            let (columns, d, a) =
                (columns | queen, d | u64::from(queen) << row.d, a | u64::from(queen) << row.a);
            if rest.is_empty() {
                let last = u64::from(next.free(self.full, columns, d, a).count_ones());
                self.count += last;
                self.visits += last;
            } else {
                self.below(&rows[1..], columns, d, a);
            }
        }
    }
}
