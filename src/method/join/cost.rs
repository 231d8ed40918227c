//! What a run is expected to cost, from random walks down its searches.
//!
//! A walk places queens at random; the product of the numbers of free squares it had to choose from is an unbiased
//! estimate of the number of nodes of its level (D. E. Knuth, Math. Comp. 29 (1975), 121-136).

use rand::{Rng as _, RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::parity::{Listed, Shape};

/// Walks for each colour and k.
const WALKS: u32 = 600;

/// Means over the units with one k.
#[derive(Clone, Copy, Debug)]
pub struct Mean {
    /// Placements of EE on one Re.
    pub white: f64,
    /// Placements of OE on one ~Ro.
    pub black: f64,
    /// Queens placed by the searches of both colours below all placements of one Re and one Ro.
    pub visits: f64,
}

/// Estimates the means for one k: the same whenever it is asked.
#[must_use]
pub fn mean(shape: Shape, k: u32) -> Mean {
    let m = shape.odd_size(k);
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(k));
    let (white, white_visits) = colour(shape, shape.white(), [k, m], shape.odd, &mut rng);
    let (black, black_visits) =
        colour(shape, shape.black(), [shape.odd - m, shape.even - k], shape.even, &mut rng);
    Mean { white, black, visits: white_visits + black_visits }
}

/// Mean number of placements of the listed class on one row set, and of visits of the searches below them.
fn colour(shape: Shape, class: Listed, sizes: [u32; 2], height: u32, rng: &mut ChaCha8Rng) -> (f64, f64) {
    let (mut placements, mut visits) = (0.0, 0.0);
    for _ in 0..WALKS {
        let (mut nodes, mut columns, mut d, mut a) = (1.0, 0u32, 0u32, 0u32);
        let mut rows = subset(class.height, sizes[0], rng);
        while rows != 0 && nodes > 0.0 {
            let i = rows.trailing_zeros();
            rows &= rows - 1;
            let free = ((1 << class.width) - 1) & !(columns | a >> i | d >> (class.diagonal - i));
            let bit = choose(free, &mut nodes, rng);
            (columns, d, a) = (columns | bit, d | bit << (class.diagonal - i), a | bit << i);
        }
        placements += nodes;
        (columns, d, a) = (0, d >> class.drop_d, a >> class.drop_a);
        let free = |i: u32, columns: u32, d: u32, a: u32| {
            shape.all_odd() & !(columns | a >> i | d >> (shape.even - 1 - i))
        };
        let rows = subset(height, sizes[1], rng);
        let mut rows: Vec<u32> = (0..height).filter(|i| rows >> i & 1 == 1).collect();
        rows.sort_by_key(|&i| free(i, 0, d, a).count_ones());
        for i in rows {
            let bit = choose(free(i, columns, d, a), &mut nodes, rng);
            (columns, d, a) = (columns | bit, d | bit << (shape.even - 1 - i), a | bit << i);
            visits += nodes;
        }
    }
    (placements / f64::from(WALKS), visits / f64::from(WALKS))
}

/// One of the free squares at random.
fn choose(mut free: u32, nodes: &mut f64, rng: &mut ChaCha8Rng) -> u32 {
    *nodes *= f64::from(free.count_ones());
    if free == 0 {
        return 0;
    }
    for _ in 0..rng.random_range(0..free.count_ones()) {
        free &= free - 1;
    }
    free & free.wrapping_neg()
}

/// A random set of `size` of `width` indices.
fn subset(width: u32, size: u32, rng: &mut ChaCha8Rng) -> u32 {
    let mut set = 0u32;
    while set.count_ones() < size {
        set |= 1 << (rng.next_u32() % width);
    }
    set
}
