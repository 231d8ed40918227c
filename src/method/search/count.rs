//! The twin of `shaders/search.wgsl`: counts one unit on the CPU.
//!
//! A queue by level, without branches that depend on the board. A node is a prefix with the free squares of its next
//! row; level m holds those with m rows after that one. A step puts a queen on the lowest free square of a node, writes
//! the child behind those of the level below and the rest of the node back, and moves the ends on only if there is
//! something to keep. No step is mispredicted, where backtracking mispredicts at most nodes.

use super::{Inner, unit};
use crate::method::{Record, Unit, split_words};

/// Nodes in the buffer of a level; a power of two.
const CAP: usize = 128;

/// Rows of a unit at most.
const LEVELS: usize = 30;

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    d: u64,
    a: u64,
    columns: u32,
    free: u32,
}

/// A row to fill: how far its squares lie in the diagonals and antidiagonals, and where no queen may stand.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    d: u32,
    a: u32,
    closed: u32,
}

/// Scratch of one thread.
pub struct Queue {
    nodes: Vec<[Node; CAP]>,
    len: [usize; LEVELS],
    /// The row that the nodes of a level fill next.
    rows: [Row; LEVELS],
    full: u32,
    count: u64,
    visits: u64,
    /// Visits after which the walk is given up.
    most_visits: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            nodes: vec![[Node::default(); CAP]; LEVELS],
            len: [0; LEVELS],
            rows: [Row::default(); LEVELS],
            full: 0,
            count: 0,
            visits: 0,
            most_visits: 0,
        }
    }
}

impl Queue {
    /// Counts the leaves below a unit; says [`Record::UNFINISHED`] once it has placed more than about `budget` queens.
    pub fn count(&mut self, inner: &Inner, words: &Unit, id: u32, budget: u64) -> Record {
        let prefix = unit::unpack(inner, words);
        self.full = inner.full();
        (self.count, self.visits, self.most_visits) = (0, 0, budget);
        self.len = [0; LEVELS];
        let mut levels = 0;
        let mut left = prefix.rows;
        while left != 0 {
            // the last row is that of level 0
            let row = 31 - left.leading_zeros();
            left ^= 1 << row;
            self.rows[levels] = Row { d: inner.d_shift(row), a: row, closed: inner.closed()[row as usize] };
            levels += 1;
        }
        match levels {
            0 => self.count = 1,
            _ => {
                let free = self.rows[levels - 1].free(self.full, prefix.columns, prefix.d, prefix.a);
                let node = Node { d: prefix.d, a: prefix.a, columns: prefix.columns, free };
                self.nodes[levels - 1][0] = node;
                self.len[levels - 1] = usize::from(free != 0);
                for level in (0..levels).rev() {
                    self.drain(level);
                }
            }
        }
        let state = if self.visits <= budget { Record::DONE } else { Record::UNFINISHED };
        Record {
            id,
            run: 0,
            state,
            bucket: 0,
            count: split_words(unit::preset(words) + self.count),
            visits: split_words(unit::preset(words) + self.visits),
        }
    }

    /// Empties a level; children stay on the levels below as far as they fit.
    fn drain(&mut self, level: usize) {
        match level {
            0 => self.last(),
            1 => self.last_but_one(),
            _ => self.expand(level),
        }
    }

    fn expand(&mut self, level: usize) {
        let (row, next, full) = (self.rows[level], self.rows[level - 1], self.full);
        while self.len[level] > 0 && self.visits <= self.most_visits {
            let nodes = self.len[level];
            self.visits += nodes as u64;
            let (mut at, mut keep) = (0, 0);
            while at < nodes {
                if self.len[level - 1] == CAP {
                    self.drain(level - 1);
                    // given up below
                    if self.len[level - 1] != 0 {
                        return;
                    }
                }
                let mut len = self.len[level - 1];
                // both ends move by at most one a step
                let stop = nodes.min(at + CAP - len);
                let [below, here] = &mut self.nodes[level - 1..=level] else { return };
                while at < stop {
                    let node = here[at & (CAP - 1)];
                    let (child, rest) = node.put(row, next, full);
                    below[len & (CAP - 1)] = child;
                    len += usize::from(child.free != 0);
                    here[keep & (CAP - 1)] = Node { free: rest, ..node };
                    keep += usize::from(rest != 0);
                    at += 1;
                }
                self.len[level - 1] = len;
            }
            self.len[level] = keep;
        }
    }

    /// The last row is counted, not walked.
    fn last_but_one(&mut self) {
        let (row, next, full) = (self.rows[1], self.rows[0], self.full);
        let here = &mut self.nodes[1];
        let mut nodes = self.len[1];
        let mut leaves = 0;
        while nodes > 0 {
            self.visits += nodes as u64;
            let mut keep = 0;
            for at in 0..nodes {
                let node = here[at & (CAP - 1)];
                let (child, rest) = node.put(row, next, full);
                leaves += u64::from(child.free.count_ones());
                here[keep & (CAP - 1)] = Node { free: rest, ..node };
                keep += usize::from(rest != 0);
            }
            nodes = keep;
        }
        self.len[1] = 0;
        self.visits += leaves;
        self.count += leaves;
    }

    /// Where there is one row only.
    fn last(&mut self) {
        let leaves: u64 =
            self.nodes[0][..self.len[0]].iter().map(|node| u64::from(node.free.count_ones())).sum();
        self.len[0] = 0;
        self.visits += leaves;
        self.count += leaves;
    }
}

impl Row {
    /// The squares of the row that no queen attacks.
    #[inline(always)]
    const fn free(&self, full: u32, columns: u32, d: u64, a: u64) -> u32 {
        full & !(columns | self.closed | (d >> self.d) as u32 | (a >> self.a) as u32)
    }
}

impl Node {
    /// The child with a queen on the lowest free square, and the other free squares.
    #[inline(always)]
    const fn put(&self, row: Row, next: Row, full: u32) -> (Self, u32) {
        let queen = self.free & self.free.wrapping_neg();
        let columns = self.columns | queen;
        let (d, a) = (self.d | (queen as u64) << row.d, self.a | (queen as u64) << row.a);
        (Self { d, a, columns, free: next.free(full, columns, d, a) }, self.free ^ queen)
    }
}
