//! Even N: a cover by table.
//!
//! The half turn, the transpose and their product take p to the place of q, of s and of u: an orbit has four corners,
//! and a unit (p, q, s) sees all but the one opposite p. If 2k = n = N/2, the mirror image complements all sets and
//! makes the neighbours s and u of p change places; every corner X with X < ~X then sees one of the two.
//!
//! Each set has a place in an order and one of two types. A unit is visited by the order and the types of p, q, s and, for
//! 2k = n, by which of q and s are complemented; and the chosen u of a visited unit are an interval in numeric
//! order, cut where p, q and s lie. Which corner is visited and chosen in each orbit was found by simulated annealing
//! over all rules of this kind. To visit every unit in which p is the least it sees would be a cover of 1/3 of all
//! units (1/4 is the least thinkable; 1/6 and 1/8 for 2k = n). The tables here reach 0.2917 (0.1510; without the
//! intervals 0.1458). That they choose each orbit once is checked by brute force in the tests.
//!
//! Equal sets count as ordered by a rule that all images agree on ([`Even::less`]), so that all but a few tuples have
//! eight images and weight 0 or 8.

use super::{Tuple, Weights};
use crate::method::join::parity::{Sets, Shape};

/// The cells of u from the first to before the second: see [`Even::cell`]. Empty if the unit is not visited.
type Cells = (u8, u8);

/// Not visited.
const NO: Cells = (0, 0);

/// The chosen cells by the types of (p, q, s) and their [`ORDER`]; 2k < n.
const UNBALANCED: [[Cells; 6]; 8] = [
    [NO, NO, NO, NO, (0, 2), (0, 8)],
    [NO, NO, (0, 8), NO, NO, NO],
    [NO, NO, NO, NO, NO, NO],
    [NO, NO, NO, NO, NO, NO],
    [NO, NO, NO, NO, NO, (1, 8)],
    [NO, NO, NO, NO, (0, 8), NO],
    [NO, NO, NO, NO, NO, NO],
    [NO, NO, NO, (0, 1), (0, 8), (0, 6)],
];

/// The same for 2k = n, eight rows each for q and s (not, not), (not, is), (is, not), (is, is) complemented.
const BALANCED: [[Cells; 6]; 32] = [
    [(2, 16), (0, 16), NO, NO, NO, NO],
    [(0, 16), (0, 16), NO, (1, 16), NO, NO],
    [(2, 16), (2, 16), (3, 16), NO, NO, NO],
    [(0, 16), (2, 16), (2, 16), (2, 16), (4, 16), (2, 16)],
    [NO, NO, NO, NO, NO, NO],
    [NO, NO, NO, NO, NO, NO],
    [NO, NO, NO, NO, NO, NO],
    [(6, 15), (4, 15), NO, NO, NO, NO],
    [(0, 15), (2, 15), NO, (3, 10), NO, NO],
    [(2, 16), (2, 16), NO, (3, 9), NO, NO],
    [(0, 14), NO, (0, 14), NO, (3, 14), NO],
    [(1, 16), (9, 16), (2, 16), NO, (3, 10), NO],
    [NO, NO, NO, NO, NO, NO],
    [NO, NO, NO, NO, NO, NO],
    [(6, 15), NO, NO, NO, NO, NO],
    [(5, 15), (10, 16), NO, NO, NO, NO],
    [NO, NO, (1, 16), NO, NO, NO],
    [NO, NO, (0, 16), (3, 16), NO, NO],
    [NO, (0, 16), (1, 16), NO, NO, NO],
    [NO, (1, 16), NO, (2, 16), NO, (3, 16)],
    [NO, NO, NO, NO, NO, NO],
    [NO, NO, (0, 16), NO, NO, NO],
    [NO, NO, NO, NO, NO, NO],
    [NO, (5, 15), (0, 14), NO, NO, NO],
    [NO, NO, (0, 16), NO, (0, 14), NO],
    [NO, (0, 16), (0, 16), (0, 13), (0, 13), NO],
    [NO, NO, NO, NO, NO, NO],
    [NO, (4, 16), (0, 16), NO, (0, 12), NO],
    [NO, NO, (0, 16), NO, NO, NO],
    [(0, 16), (0, 16), (0, 16), NO, NO, NO],
    [NO, NO, NO, NO, NO, NO],
    [NO, (10, 16), (1, 16), NO, NO, NO],
];

/// The order of three things by how many lie below the first and below the second.
const ORDER: [[u8; 3]; 3] = [[0, 0, 1], [2, 0, 3], [4, 5, 0]];

#[derive(Debug)]
pub(super) struct Even {
    balanced: bool,
    all: u32,
    /// The highest of n = N/2 bits.
    top: u32,
    /// 2k < n: sets from here on are of type 1.
    middle: u32,
}

/// What decides about a set: its place in the order, its type, and whether it is the greater of itself and its
/// complement.
#[derive(Clone, Copy, Debug)]
struct Mark {
    place: u32,
    kind: usize,
    flip: usize,
}

impl Even {
    /// None if 2k > n.
    pub(super) fn new(shape: Shape, k: u32, sets: &Sets) -> Option<Self> {
        if 2 * k > shape.odd {
            return None;
        }
        let all = shape.all_odd();
        let of_size = sets.of_size(k);
        let middle = of_size.get(of_size.len() / 2).copied().unwrap_or(0);
        Some(Self { balanced: 2 * k == shape.odd, all, top: (all >> 1) + 1, middle })
    }

    /// For 2k = n the type is the bit below the highest of min(X, ~X), the place is made of the lower ones.
    #[inline]
    fn mark(&self, x: u32) -> Mark {
        if !self.balanced {
            return Mark { place: x, kind: usize::from(x >= self.middle), flip: 0 };
        }
        let flip = usize::from(x & self.top != 0);
        let least = if flip == 1 { x ^ self.all } else { x };
        let quarter = self.top >> 1;
        let kind = usize::from(least & quarter != 0);
        Mark { place: (least & quarter.wrapping_sub(1)) << 1 | kind as u32, kind, flip }
    }

    /// Whether corner i of a tuple counts as below corner j; None if they cannot be told apart. All images agree.
    fn less(t: &Tuple, m: &[Mark; 4], i: usize, j: usize) -> Option<bool> {
        if m[i].place != m[j].place {
            return Some(m[i].place < m[j].place);
        }
        if i ^ j != 1 {
            let (h, g) = (m[i ^ 1].place, m[j ^ 1].place);
            return (h != g).then_some(h < g);
        }
        let (a, b) = (i ^ 2, i ^ 3);
        if m[a].place == m[b].place {
            return None;
        }
        let least = if m[a].place < m[b].place { a } else { b };
        Some(if t[i] == t[j] { (i == least ^ 2) == (m[least].flip == 0) } else { m[i].flip == m[least].flip })
    }

    /// The chosen cells of a unit by its marks, p not complemented, and the [`ORDER`] of its sets.
    fn cells(&self, [p, q, s]: [Mark; 3], order: u8) -> Cells {
        let kinds = p.kind << 2 | q.kind << 1 | s.kind;
        let row =
            if self.balanced { &BALANCED[(q.flip << 1 | s.flip) << 3 | kinds] } else { &UNBALANCED[kinds] };
        row[usize::from(order)]
    }

    /// Where u lies, given its mark and how many of p, q, s lie below: four cells for each half or quarter of the
    /// numbers, which are of one type and one flip. Places fall within a flipped part.
    fn cell(&self, u: Mark, below: usize) -> usize {
        match (self.balanced, u.flip, u.kind) {
            (false, _, kind) | (true, 0, kind) => 4 * kind + below,
            (true, _, kind) => 4 * (3 - kind) + 3 - below,
        }
    }

    /// False if no unit with this p is run.
    pub(super) fn rows_visited(&self, p: u32) -> bool {
        self.mark(p).flip == 0
    }

    /// Whether a unit is visited if its ties are broken in some way.
    fn may_be_visited(&self, p: u32, q: u32, s: u32) -> bool {
        let m = [p, q, s].map(|x| self.mark(x));
        m[0].flip == 0
            && (0..3).any(|first: usize| {
                (0..3).filter(|&second| second != first).any(|second| {
                    let rank = [first, second, 3 - first - second];
                    let fits = (0..3).all(|i| (0..3).all(|j| rank[i] >= rank[j] || m[i].place <= m[j].place));
                    fits && self.cells(m, ORDER[first][second]) != NO
                })
            })
    }

    #[inline]
    pub(super) fn unit(&self, p: u32, q: u32, s: u32) -> Weights {
        let m = [self.mark(p), self.mark(q), self.mark(s)];
        if m[0].flip == 1 {
            return Weights::Skip;
        }
        if m[0].place == m[1].place || m[0].place == m[2].place || m[1].place == m[2].place {
            return if self.may_be_visited(p, q, s) { Weights::Each } else { Weights::Skip };
        }
        let below = |a: usize| m.iter().filter(|b| b.place < m[a].place).count();
        let (from, to) = self.cells(m, ORDER[below(0)][below(1)]);
        if from == to {
            return Weights::Skip;
        }
        Weights::Range(self.begin([p, q, s], m, from)..self.begin([p, q, s], m, to))
    }

    /// The first u of a cell, or the end of the numbers.
    fn begin(&self, [p, q, s]: [u32; 3], m: [Mark; 3], cell: u8) -> u32 {
        let (part, at) = (u32::from(cell / 4), usize::from(cell % 4));
        let quarter = self.top >> 1;
        let (flip, kind, base, len) = match (self.balanced, part) {
            (false, 0) => (0, 0, 0, self.middle),
            (false, 1) => (0, 1, self.middle, self.all + 1 - self.middle),
            (true, 0 | 1) => (0, part as usize, part * quarter, quarter),
            (true, 2 | 3) => (1, 3 - part as usize, part * quarter, quarter),
            _ => return self.all + 1,
        };
        if at == 0 {
            return base;
        }
        // where in this part, counted by places, u comes to lie above each of p, q, s
        let mut cuts = [0, 1, 2].map(|i| {
            let place = m[i].place;
            let at = if self.balanced {
                (place + 1 - kind as u32) >> 1
            } else {
                place.saturating_sub(base).min(len)
            };
            if m[i].kind != kind {
                return at;
            }
            let u = if flip == 0 { base + at } else { base + len - 1 - at };
            let tie = Self::less(&[p, q, s, u], &[m[0], m[1], m[2], self.mark(u)], 3, i);
            at + u32::from(tie == Some(true))
        });
        cuts.sort_unstable();
        if flip == 0 { base + cuts[at - 1] } else { base + len - cuts[3 - at] }
    }

    /// The images that keep k, with repetitions.
    pub(super) fn images(&self, t: Tuple) -> ([Tuple; 8], usize) {
        let four = |[p, q, s, u]: Tuple| [[p, q, s, u], [q, p, u, s], [s, u, p, q], [u, s, q, p]];
        let f = self.all;
        let [a, b, c, d] = four(t);
        let [e, g, h, i] = four([t[0] ^ f, t[1] ^ f, t[3] ^ f, t[2] ^ f]);
        ([a, b, c, d, e, g, h, i], if self.balanced { 8 } else { 4 })
    }

    /// Twice for the mirror images with n - k.
    pub(super) fn factor(&self) -> u32 {
        if self.balanced { 1 } else { 2 }
    }

    pub(super) fn weight(&self, t: Tuple) -> u32 {
        let m = [self.mark(t[0]), self.mark(t[1]), self.mark(t[2]), self.mark(t[3])];
        let mut ranks = [0; 4];
        let mut clear = true;
        for i in 0..4 {
            for j in 0..i {
                match Self::less(&t, &m, i, j) {
                    Some(true) => ranks[j] += 1,
                    Some(false) => ranks[i] += 1,
                    None => clear = false,
                }
            }
        }
        if clear {
            let below = |a: usize| ranks[..3].iter().filter(|&&rank| rank < ranks[a]).count();
            let (from, to) = self.cells([m[0], m[1], m[2]], ORDER[below(0)][below(1)]);
            let chosen = (from.into()..to.into()).contains(&self.cell(m[3], below(3)));
            return if m[0].flip == 0 && chosen { 8 } else { 0 };
        }
        let visited = |t: &Tuple| self.may_be_visited(t[0], t[1], t[2]);
        if !visited(&t) {
            return 0;
        }
        let (images, group) = self.images(t);
        let images = &images[..group];
        if images.iter().any(|image| *image < t && visited(image)) {
            return 0;
        }
        (group / images.iter().filter(|image| **image == t).count()) as u32 * self.factor()
    }
}
