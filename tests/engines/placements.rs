//! Units of the join on real placements, made here from the squares of the whole board: nothing is shared with the
//! method but the layout of buffers, which `Join::block` tells.

use std::sync::Arc;

use ferz::testing::method::{Block, Unit};

/// Numbers that are the same at every run.
pub struct Random(u64);

impl Random {
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// A subset of `width` indices.
    pub fn subset(&mut self, width: u32, size: u32) -> u32 {
        let mut set = 0u32;
        while set.count_ones() < size {
            set |= 1 << self.below(width as usize);
        }
        set
    }
}

fn place(rows: &[i32], columns: &[i32], placed: &mut Squares, found: &mut Vec<Squares>, most: usize) {
    let Some((&row, rest)) = rows.split_first() else { return found.push(placed.clone()) };
    for &column in columns {
        let free = |&(r, c): &(i32, i32)| c != column && (row - r).abs() != (column - c).abs();
        if found.len() < most && placed.iter().all(free) {
            placed.push((row, column));
            place(rest, columns, placed, found, most);
            placed.pop();
        }
    }
}

/// A board of N rows, E of them even and O odd.
pub struct Board {
    n: i32,
    pub even: u32,
    pub odd: u32,
}

/// Queens as (row, column) on the whole board.
pub type Squares = Vec<(i32, i32)>;

impl Board {
    pub const fn new(n: u32) -> Self {
        Self { n: n as i32, even: n.div_ceil(2), odd: n / 2 }
    }

    pub const fn all_even(&self) -> u32 {
        (1 << self.even) - 1
    }

    pub const fn all_odd(&self) -> u32 {
        (1 << self.odd) - 1
    }

    /// The first ways to put a queen on each of some rows and columns of a class, so that none attacks another; a
    /// class is the parity of its rows and columns.
    pub fn placements(
        &self,
        [rows, columns]: [u32; 2],
        [row, column]: [i32; 2],
        most: usize,
    ) -> Vec<Squares> {
        let indices =
            |set: u32, parity: i32| (0..16).filter(|i| set >> i & 1 == 1).map(|i| 2 * i + parity).collect();
        let (rows, columns): (Vec<i32>, Vec<i32>) = (indices(rows, row), indices(columns, column));
        let mut found = Vec::new();
        place(&rows, &columns, &mut Vec::new(), &mut found, most);
        found
    }

    /// The diagonals of the squares of a class that some queens hold. Bit E-1-i + j of the first word stands for the
    /// diagonal, bit i + j of the second for the antidiagonal of the square at half coordinates (i, j).
    pub fn words(&self, queens: &Squares, [row, column]: [i32; 2]) -> [u32; 2] {
        let mut words = [0; 2];
        for r in (row..self.n).step_by(2) {
            for c in (column..self.n).step_by(2) {
                let (i, j) = (r / 2, c / 2);
                if queens.iter().any(|&(y, x)| r - c == y - x) {
                    words[0] |= 1 << (self.even as i32 - 1 - i + j);
                }
                if queens.iter().any(|&(y, x)| r + c == y + x) {
                    words[1] |= 1 << (i + j);
                }
            }
        }
        words
    }

    /// The sets of the odd columns that a k leaves to OO, in numeric order.
    pub fn sets(&self, k: u32) -> Arc<[u32]> {
        let size = k - (self.even - self.odd);
        (0..1u32 << self.odd).filter(|set| set.count_ones() == size).collect()
    }

    /// Units of one k on random rows and columns, the first placements of each; of every other one half of the Co
    /// count.
    pub fn block(&self, kernel: usize, k: u32, random: &mut Random) -> Block {
        const UNITS: usize = 6;
        // below few queens there is much to search
        let most = if k.min(self.odd - k.min(self.odd)) > 4 { 12 } else { 40 };
        let sets = self.sets(k);
        let some = sets.len() as u32;
        let [mut white, mut black] = [const { Vec::<u32>::new() }; 2];
        let mut units: Vec<Unit> = Vec::new();
        for _ in 0..400 {
            if units.len() == UNITS {
                break;
            }
            let (re, ce) = (random.subset(self.even, k), random.subset(self.even, k));
            let ro = random.subset(self.odd, k - (self.even - self.odd));
            let ee = self.placements([re, ce], [0, 0], most);
            let oe = self.placements([self.all_odd() & !ro, self.all_even() & !ce], [1, 0], most);
            if ee.is_empty() || oe.is_empty() {
                continue;
            }
            let begin = [white.len() as u32 / 2, black.len() as u32 / 2];
            white.extend(ee.iter().flat_map(|x| self.words(x, [1, 1])));
            black.extend(oe.iter().flat_map(|v| self.words(v, [0, 1])));
            let ranks = if units.len().is_multiple_of(2) {
                some << 16
            } else {
                (some / 4) | ((some - some / 4) << 16)
            };
            units.push([begin[0], ee.len() as u32, begin[1], oe.len() as u32, re | ro << 16, k, ranks, 0]);
        }
        if units.is_empty() {
            (white, black) = (vec![0; 2], vec![0; 2]);
        }
        block(kernel, units, [white, black], sets, vec![0])
    }
}

/// A block of units that count once each.
pub fn block(
    kernel: usize,
    units: Vec<Unit>,
    [white, black]: [Vec<u32>; 2],
    sets: Arc<[u32]>,
    weights: Vec<u32>,
) -> Block {
    let context = vec![white.into(), black.into(), sets, weights.into()];
    Block { context, weights: vec![1; units.len()], units, kernel, ..Block::default() }
}
