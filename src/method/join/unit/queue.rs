//! The search of units on any processor: a queue by level, without branches that depend on the board.
//!
//! A node is its column set and the free squares of its row (S << 16 | free) and its two masks of diagonals. A step puts
//! a queen on the lowest free square of a node, writes the child behind those of the level below and the rest of the
//! node back, and moves the ends on only if there is something to keep. No step is mispredicted, where backtracking
//! mispredicts at most nodes.

use super::{LEVELS, Machine, Order, Search};
use crate::method::join::lists::WORDS;

/// Nodes in a buffer.
const CAP: usize = 512;

#[derive(Clone, Copy, Default)]
struct Node {
    head: u32,
    d: u32,
    a: u32,
}

/// A row of a search: by how much a square is shifted in the masks.
#[derive(Clone, Copy, Default)]
struct Row {
    d: u32,
    a: u32,
}

/// Scratch of one thread.
pub struct Queue {
    /// Buffers of the nodes with m rows after the current one.
    nodes: Vec<[Node; CAP]>,
    len: [usize; LEVELS],
    /// The current row of level m.
    rows: [Row; LEVELS],
    /// All columns.
    all: u32,
    visits: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            nodes: vec![[Node::default(); CAP]; LEVELS],
            len: [0; LEVELS],
            rows: [Row::default(); LEVELS],
            all: 0,
            visits: 0,
        }
    }
}

impl Machine for Queue {
    fn fill(&mut self, search: &Search<'_>, table: &mut [u32]) -> u64 {
        let order = Order::of(search);
        self.visits = 0;
        self.all = search.shape.all_odd();
        for (level, &i) in order.as_slice().iter().rev().enumerate() {
            self.rows[level] = Row { d: search.shape.even - 1 - u32::from(i), a: i.into() };
        }
        for (number, words) in search.units.iter().enumerate() {
            self.enter(words, (number << search.shape.odd) as u32, order.len - 1, table);
        }
        for m in (0..order.len).rev() {
            self.drain(m, table);
        }
        self.visits
    }
}

impl Queue {
    /// Makes nodes of level m of the placements of one unit, whose table begins at `first`.
    fn enter(&mut self, words: &[u32], first: u32, m: usize, table: &mut [u32]) {
        let row = self.rows[m];
        for placement in words.chunks_exact(WORDS) {
            let (d, a) = (placement[0], placement[1]);
            let free = self.all & !(a >> row.a | d >> row.d);
            if free != 0 {
                if self.len[m] == CAP {
                    self.drain(m, table);
                }
                self.nodes[m][self.len[m]] = Node { head: first << 16 | free, d, a };
                self.len[m] += 1;
            }
        }
    }

    /// Empties level m; children stay on the levels below as far as they fit.
    fn drain(&mut self, m: usize, table: &mut [u32]) {
        if m == 0 {
            return self.leaves(table);
        }
        let (row, next, all) = (self.rows[m], self.rows[m - 1], self.all);
        let mut n = self.len[m];
        while n > 0 {
            self.visits += n as u64;
            let (mut at, mut keep) = (0, 0);
            while at < n {
                let mut len = self.len[m - 1];
                if len == CAP {
                    self.drain(m - 1, table);
                    len = 0;
                }
                // both ends move by at most one a step
                let stop = n.min(at + CAP - len);
                let [below, here] = &mut self.nodes[m - 1..=m] else { return };
                while at < stop {
                    let node = here[at & (CAP - 1)];
                    let bit = node.head & node.head.wrapping_neg();
                    let (d, a) = (node.d | bit << row.d, node.a | bit << row.a);
                    let set = (node.head & 0xffff_0000) | bit << 16;
                    let free = all & !(set >> 16 | a >> next.a | d >> next.d);
                    below[len & (CAP - 1)] = Node { head: set | free, d, a };
                    len += usize::from(free != 0);
                    let rest = node.head ^ bit;
                    here[keep & (CAP - 1)] = Node { head: rest, ..node };
                    keep += usize::from(rest & 0xffff != 0);
                    at += 1;
                }
                self.len[m - 1] = len;
            }
            n = keep;
        }
        self.len[m] = 0;
    }

    /// Empties level 0: every free square of the last row is a leaf.
    fn leaves(&mut self, table: &mut [u32]) {
        let here = &mut self.nodes[0];
        let mut n = self.len[0];
        while n > 0 {
            self.visits += n as u64;
            let mut keep = 0;
            for at in 0..n {
                let head = here[at & (CAP - 1)].head;
                let bit = head & head.wrapping_neg();
                table[(head >> 16 | bit) as usize] += 1;
                let rest = head ^ bit;
                here[keep & (CAP - 1)].head = rest;
                keep += usize::from(rest & 0xffff != 0);
            }
            n = keep;
        }
        self.len[0] = 0;
    }
}
