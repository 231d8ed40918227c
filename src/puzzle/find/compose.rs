//! Composition: a solution of A*B queens from one of A queens, each queen replaced by a board with a solution of
//! B queens.
//!
//! Queens of two blocks can attack each other only along a diagonal, and only if the blocks lie on diagonals next
//! to each other. With B prime to 6 the linear solution, rank = 2 * file (mod B), works in every block: on each of
//! its diagonals, taken modulo B, it has one queen. Else the solution of each block is searched among those of
//! B queens. Source: Pólya, *Über die "doppelt-periodischen" Lösungen des n-Damen-Problems* (1918).

use std::ops::ControlFlow;

use super::explicit;
use crate::{Board, CancelToken, Error, Placement, Problem, orbit, puzzle::list};

/// The largest inner board that is not prime to 6: a diagonal of it is one bit of a `u128`.
pub const MAX_SEARCHED: u32 = 64;

/// The largest board whose solutions are listed: beyond, the next one may be far.
const MAX_LISTED: u32 = 16;

/// The maximum numbers of inner and outer solutions that are tried.
const INNER: usize = 2000;
const OUTER: usize = 200;

/// The maximum number of inner solutions tried in blocks, in all.
const MAX_TRIED: u64 = 200_000_000;

/// How a composition ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Composed {
    /// A solution.
    Solution(Placement),
    /// This factor has no solution.
    NoFactor(u32),
    /// The search found no inner solutions that go together; there may still be some.
    NotFound,
}

/// A solution of as many queens as the product of the factors, the outermost first.
///
/// # Errors
///
/// [`Error::Usage`] without factors, for a product above [`Board::MAX_SIDE`], and for an inner factor above
/// [`MAX_SEARCHED`] that 2 or 3 divides; [`Error::Cancelled`].
pub fn solution(factors: &[u32], cancel: &CancelToken) -> Result<Composed, Error> {
    product(factors)?;
    let Some((&first, inner)) = factors.split_first() else {
        return Err(Error::usage("no factors are given", "give one at least"));
    };
    if let Some(factor) = inner.iter().find(|&&factor| factor > MAX_SEARCHED && !is_prime_to_6(factor)) {
        return Err(Error::usage(
            format!("an inner board of {factor} is too large to search"),
            format!("inner boards are prime to 6 or at most {MAX_SEARCHED}; put {factor} first"),
        ));
    }
    if let Some(&factor) = factors.iter().find(|factor| matches!(factor, 2 | 3)) {
        return Ok(Composed::NoFactor(factor));
    }
    // every outer solution is one more chance, but only the first factor has more than one to offer
    let mut outer = candidates(first, if inner.is_empty() { 1 } else { OUTER }, cancel)?;
    for &factor in inner {
        let inner = Inner::new(factor, cancel)?;
        let share = MAX_TRIED / outer.len().max(1) as u64;
        let mut composed = Vec::new();
        for placement in &outer {
            if let Some(solution) = inner.compose(placement, share, cancel)? {
                composed.push(solution);
                break;
            }
        }
        outer = composed;
    }
    Ok(outer.into_iter().next().map_or(Composed::NotFound, Composed::Solution))
}

/// The product of factors, which is the number of queens.
///
/// # Errors
///
/// [`Error::Usage`] unless it is from 1 to [`Board::MAX_SIDE`].
pub fn product(factors: &[u32]) -> Result<u32, Error> {
    let product = factors.iter().try_fold(1u32, |product, &factor| product.checked_mul(factor));
    product.filter(|product| (1..=Board::MAX_SIDE).contains(product)).ok_or_else(|| {
        Error::usage(
            format!("the product of {factors:?} is out of range"),
            format!("give factors whose product is from 1 to {}", Board::MAX_SIDE),
        )
    })
}

/// Whether neither 2 nor 3 divides a number.
pub(in crate::puzzle) const fn is_prime_to_6(n: u32) -> bool {
    !n.is_multiple_of(2) && !n.is_multiple_of(3)
}

/// The linear solution number `shift` of N queens, N prime to 6: rank = 2 * file + shift (mod N).
pub(in crate::puzzle) fn linear(n: u32, shift: u32) -> Placement {
    let rank = |file: u32| ((2 * u64::from(file) + u64::from(shift)) % u64::from(n)) as u32;
    Placement::full(n, (0..n).map(rank).collect())
}

/// Some solutions of N queens, the explicit one and its images first, then in lexicographic order.
fn candidates(n: u32, max: usize, cancel: &CancelToken) -> Result<Vec<Placement>, Error> {
    let board = Board::square(n)?;
    let Some(first) = explicit::solution(board) else { return Ok(Vec::new()) };
    let mut solutions = orbit(&first);
    if n <= MAX_LISTED {
        list::each(&Problem::on(board), u64::MAX, cancel, |_, solution| {
            if solutions.len() >= max {
                return ControlFlow::Break(());
            }
            if !solutions.contains(solution) {
                solutions.push(solution.clone());
            }
            ControlFlow::Continue(())
        })?;
    }
    solutions.truncate(max);
    Ok(solutions)
}

/// Solutions for the blocks, with the diagonals they hold.
struct Inner {
    side: u32,
    solutions: Vec<Placement>,
    /// Bit rank - file + side - 1, and bit rank + file, for each queen. Empty where any two solutions go together.
    diagonals: Vec<[u128; 2]>,
}

impl Inner {
    fn new(side: u32, cancel: &CancelToken) -> Result<Self, Error> {
        if is_prime_to_6(side) {
            return Ok(Self { side, solutions: vec![linear(side, 0)], diagonals: Vec::new() });
        }
        let solutions = candidates(side, INNER, cancel)?;
        let diagonals = solutions.iter().map(|solution| {
            solution.squares().fold([0u128; 2], |[rising, falling], square| {
                [
                    rising | 1 << (square.rank + side - 1 - square.file),
                    falling | 1 << (square.rank + square.file),
                ]
            })
        });
        Ok(Self { side, diagonals: diagonals.collect(), solutions })
    }

    /// The outer solution with a solution in each block, or none where the search finds none.
    fn compose(&self, outer: &Placement, max: u64, cancel: &CancelToken) -> Result<Option<Placement>, Error> {
        let Some(chosen) = self.choose(outer, max, cancel)? else { return Ok(None) };
        let mut ranks = Vec::with_capacity(outer.files() as usize * self.side as usize);
        for (block, choice) in outer.squares().zip(chosen) {
            let inner = self.solutions[choice].squares();
            ranks.extend(inner.map(|square| block.rank * self.side + square.rank));
        }
        Ok(Some(Placement::full(outer.ranks() * self.side, ranks)))
    }

    /// Which solution goes into each block, by backtracking block by block; at most `max` solutions are tried.
    fn choose(&self, outer: &Placement, max: u64, cancel: &CancelToken) -> Result<Option<Vec<usize>>, Error> {
        let blocks = outer.files() as usize;
        if self.diagonals.is_empty() {
            return Ok(Some(vec![0; blocks]));
        }
        let neighbours = neighbours(outer);
        let mut chosen: Vec<usize> = Vec::new();
        let (mut next, mut tried) = (0, 0);
        while tried < max {
            cancel.check()?;
            if chosen.len() == blocks {
                return Ok(Some(chosen));
            }
            let fits = |&choice: &usize| {
                neighbours[chosen.len()].iter().all(|neighbour| {
                    let other = self.diagonals[chosen[neighbour.block]][neighbour.direction];
                    let own = self.diagonals[choice][neighbour.direction];
                    let (below, above) = if neighbour.is_below { (other, own) } else { (own, other) };
                    (below >> self.side) & above == 0
                })
            };
            let choice = (next..self.solutions.len()).find(fits);
            tried += 1 + choice.unwrap_or(self.solutions.len()) as u64 - next as u64;
            match choice {
                Some(choice) => {
                    chosen.push(choice);
                    next = 0;
                }
                None => match chosen.pop() {
                    Some(choice) => next = choice + 1,
                    None => return Ok(None),
                },
            }
        }
        Ok(None)
    }
}

/// An earlier block on a diagonal next to that of a block.
struct Neighbour {
    block: usize,
    /// 0 for rising, 1 for falling diagonals.
    direction: usize,
    /// Whether the diagonal of the neighbour has the lower number.
    is_below: bool,
}

/// For each block its earlier neighbours.
fn neighbours(outer: &Placement) -> Vec<Vec<Neighbour>> {
    let n = outer.files() as usize;
    let numbers = |direction: usize| {
        outer.squares().map(move |square| {
            let (rank, file) = (square.rank as usize, square.file as usize);
            // from 1, so that there is one below
            1 + if direction == 0 { rank + n - 1 - file } else { rank + file }
        })
    };
    let mut neighbours: Vec<Vec<Neighbour>> = (0..n).map(|_| Vec::new()).collect();
    for direction in [0, 1] {
        let mut on = vec![None; 2 * n + 1];
        for (block, number) in numbers(direction).enumerate() {
            for (near, is_below) in [(number - 1, true), (number + 1, false)] {
                if let Some(block_there) = on[near] {
                    neighbours[block].push(Neighbour { block: block_there, direction, is_below });
                }
            }
            on[number] = Some(block);
        }
    }
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composed(factors: &[u32]) -> Composed {
        solution(factors, &CancelToken::default()).unwrap_or_else(|error| panic!("{factors:?}: {error}"))
    }

    #[test]
    fn inner_boards_prime_to_6_always_go() {
        for outer in [1, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 26, 100] {
            for inner in [1, 5, 7, 11, 13, 25, 35, 101] {
                let Composed::Solution(placement) = composed(&[outer, inner]) else {
                    panic!("{outer} x {inner}")
                };
                assert!(placement.is_solution(), "{outer} x {inner}");
                assert_eq!(placement.files(), outer * inner);
            }
        }
    }

    #[test]
    fn other_inner_boards_are_searched() {
        for factors in [&[4, 9][..], &[5, 9], &[4, 10], &[8, 9], &[4, 9, 5], &[8]] {
            let Composed::Solution(placement) = composed(factors) else { panic!("{factors:?}") };
            assert!(placement.is_solution(), "{factors:?}");
            assert_eq!(placement.files(), factors.iter().product::<u32>());
        }
        // no two solutions of 4 or 6 queens go together on diagonals next to each other
        for factors in [[4, 4], [5, 4], [5, 6]] {
            assert_eq!(composed(&factors), Composed::NotFound, "{factors:?}");
        }
    }

    #[test]
    fn what_cannot_be_composed() -> Result<(), Error> {
        assert_eq!(composed(&[2, 5]), Composed::NoFactor(2));
        assert_eq!(composed(&[5, 3]), Composed::NoFactor(3));
        for factors in [&[][..], &[0, 5], &[100_000, 101], &[5, 66]] {
            assert!(
                matches!(solution(factors, &CancelToken::default()), Err(Error::Usage { .. })),
                "{factors:?}"
            );
        }
        Ok(())
    }
}
