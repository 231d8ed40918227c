//! The twin of `shaders/search.wgsl`: counts one unit on the CPU.

use crate::method::{Record, Unit, join_words, split_words};

/// The walk below one prefix.
struct Walk {
    full: u32,
    count: u64,
    visits: u64,
    /// Visits after which the walk is given up.
    most_visits: u64,
}

/// Counts the leaves below a unit (`[columns, left, right, rows, preset count, preset visits]`); says
/// [`Record::UNFINISHED`] once it has placed more than about `budget` queens.
pub fn count(full: u32, unit: &Unit, id: u32, budget: u64) -> Record {
    let [columns, left, right, rows, preset @ ..] = *unit;
    let mut walk = Walk { full, count: 0, visits: 0, most_visits: budget };
    walk.below(columns, left, right, rows);
    let done = walk.visits <= budget;
    Record {
        id,
        run: 0,
        state: if done { Record::DONE } else { Record::UNFINISHED },
        bucket: 0,
        count: split_words(join_words([preset[0], preset[1]]) + walk.count),
        visits: split_words(join_words([preset[2], preset[3]]) + walk.visits),
    }
}

impl Walk {
    /// Fills the last `rows` >= 1 rows. The queens of a row are visits at once; the last row is counted, not
    /// walked, and the row above it is walked without a call: these two hold most of the tree.
    fn below(&mut self, columns: u32, left: u32, right: u32, rows: u32) {
        let mut free = self.full & !(columns | left | right);
        self.visits += u64::from(free.count_ones());
        if rows == 1 {
            self.count += u64::from(free.count_ones());
            return;
        }
        if self.visits > self.most_visits {
            return;
        }
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            let (columns, left, right) = (columns | queen, (left | queen) << 1, (right | queen) >> 1);
            if rows == 2 {
                let last = (self.full & !(columns | left | right)).count_ones();
                self.count += u64::from(last);
                self.visits += u64::from(last);
            } else {
                self.below(columns, left, right, rows - 1);
            }
        }
    }
}
