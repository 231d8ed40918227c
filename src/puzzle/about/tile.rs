//! Solutions without a common square: N of them fill the board.
//!
//! Where N is prime to 6, the linear solutions, rank = 2 * file + s (mod N) for s = 0, ..., N-1, do. For other
//! small N a search decides how many there are at most (OEIS A171760: 2, 5, 4, 7, 6, 7, 8 for N = 4 to 10). That
//! the board can be filled only where N is prime to 6, as old books claim, is wrong: N = 12 is an example. Source:
//! Pólya (1918) for the linear solutions.

use crate::{
    Board, CancelToken, Error, Placement, Problem,
    puzzle::{find::compose, list},
};

/// The largest board for which the most disjoint solutions are searched.
pub const MAX_SEARCHED: u32 = 10;

/// Nodes between two checks of the token.
const LOOK: u64 = 1 << 8;

/// N solutions that fill the N x N board together, ordered by their queens on file a; none where 2 or 3
/// divides N, for which ferz has no scheme.
///
/// # Errors
///
/// [`Error::Usage`] unless 1 <= `n` <= [`Board::MAX_SIDE`].
pub fn linear(n: u32) -> Result<Option<impl Iterator<Item = Placement>>, Error> {
    Board::square(n)?;
    Ok(compose::is_prime_to_6(n).then(|| (0..n).map(move |shift| compose::linear(n, shift))))
}

/// As many solutions as possible of which no two have a common square, ordered by their queens on file a.
///
/// # Errors
///
/// [`Error::Usage`] for a board above [`MAX_SEARCHED`]; [`Error::Cancelled`].
pub fn most_disjoint(n: u32, cancel: &CancelToken) -> Result<Vec<Placement>, Error> {
    let board = Board::square(n)?;
    board.at_most(MAX_SEARCHED, "a search for disjoint solutions")?;
    let mut solutions: Vec<Placement> = Vec::new();
    list::each(&Problem::on(board), u64::MAX, cancel, |_, solution| {
        solutions.push(solution.clone());
        std::ops::ControlFlow::Continue(())
    })?;
    let squares = |solution: &Placement| {
        solution.squares().fold(0u128, |squares, square| squares | 1 << (square.file * n + square.rank))
    };
    let masks: Vec<u128> = solutions.iter().map(squares).collect();
    let mut search = Cover { n, chosen: Vec::new(), nodes: 0, cancel };
    for gaps in 0..n {
        if search.fill(0, &masks, gaps)? {
            let chosen = &search.chosen;
            let is_chosen = |&(_, mask): &(Placement, u128)| chosen.contains(&mask);
            let disjoint = solutions.into_iter().zip(masks).filter(is_chosen);
            return Ok(disjoint.map(|(solution, _)| solution).collect());
        }
    }
    Ok(Vec::new())
}

/// Bit file * N + rank for each square.
struct Cover<'a> {
    n: u32,
    chosen: Vec<u128>,
    nodes: u64,
    cancel: &'a CancelToken,
}

impl Cover<'_> {
    /// Adds disjoint ones of the `left` solutions, which are disjoint to all of `covered`, until at most `gaps`
    /// squares of each file are empty; whether that is possible.
    fn fill(&mut self, covered: u128, left: &[u128], gaps: u32) -> Result<bool, Error> {
        if self.chosen.len() as u32 == self.n - gaps {
            return Ok(true);
        }
        if self.nodes.is_multiple_of(LOOK) {
            self.cancel.check()?;
        }
        self.nodes += 1;
        let reachable = left.iter().fold(covered, |squares, solution| squares | solution);
        // of all lines the one that may lose fewest squares more; every solution has a square of each
        let mut tightest: Option<(u32, u128)> = None;
        for line in self.lines() {
            let lost = (line & !reachable).count_ones();
            if lost > gaps {
                return Ok(false);
            }
            if tightest.is_none_or(|(most, _)| lost > most) {
                tightest = Some((lost, line & reachable & !covered));
            }
        }
        let Some((lost, open)) = tightest else { return Ok(false) };
        // one of any `gaps - lost + 1` open squares of the line must be covered: those with fewest solutions
        let solutions = |square: u128| left.iter().filter(|&&solution| solution & square != 0).count();
        let squares = (0..self.n * self.n).map(|at| 1u128 << at).filter(|square| open & square != 0);
        let mut squares: Vec<(usize, u128)> = squares.map(|square| (solutions(square), square)).collect();
        squares.sort_unstable();
        let mut left = left.to_vec();
        for &(_, square) in squares.iter().take((gaps - lost + 1) as usize) {
            for solution in left.iter().copied().filter(|solution| solution & square != 0).collect::<Vec<_>>()
            {
                let still: Vec<u128> = left.iter().copied().filter(|other| other & solution == 0).collect();
                self.chosen.push(solution);
                if self.fill(covered | solution, &still, gaps)? {
                    return Ok(true);
                }
                self.chosen.pop();
            }
            // from here on this square stays empty
            left.retain(|solution| solution & square == 0);
        }
        Ok(false)
    }

    /// The squares of each file and each rank.
    fn lines(&self) -> impl Iterator<Item = u128> + use<> {
        let n = self.n;
        let file = (0..n).fold(0u128, |line, rank| line | 1 << rank);
        let rank = (0..n).fold(0u128, |line, file| line | 1 << (file * n));
        (0..n).map(move |at| file << (at * n)).chain((0..n).map(move |at| rank << at))
    }
}

#[cfg(test)]
mod tests {
    use fixedbitset::FixedBitSet;

    use super::*;

    fn assert_disjoint(n: u32, solutions: &[Placement]) {
        let mut covered = FixedBitSet::with_capacity((n * n) as usize);
        for solution in solutions {
            assert!(solution.is_solution() && solution.files() == n, "N = {n}");
            for square in solution.squares() {
                assert!(!covered.put((square.file * n + square.rank) as usize), "N = {n}: {square} twice");
            }
        }
        assert!(solutions.is_sorted_by_key(|solution| solution.queens().next()), "N = {n}");
    }

    #[test]
    fn linear_solutions_fill_the_board() -> Result<(), Error> {
        for n in 1..=60 {
            let tiles = linear(n)?.map(Iterator::collect::<Vec<_>>);
            assert_eq!(tiles.is_some(), n % 2 != 0 && n % 3 != 0, "N = {n}");
            if let Some(mut tiles) = tiles {
                tiles.sort_unstable();
                assert_disjoint(n, &tiles);
                assert_eq!(tiles.len() as u32, n);
            }
        }
        Ok(())
    }

    #[test]
    fn the_most_disjoint_solutions_are_the_known_ones() -> Result<(), Error> {
        let known = [(1, 1), (2, 0), (3, 0), (4, 2), (5, 5), (6, 4), (7, 7), (8, 6), (9, 7), (10, 8)];
        for (n, most) in known {
            let disjoint = most_disjoint(n, &CancelToken::default())?;
            assert_eq!(disjoint.len(), most, "N = {n}");
            assert_disjoint(n, &disjoint);
        }
        assert!(matches!(most_disjoint(11, &CancelToken::default()), Err(Error::Usage { .. })));
        Ok(())
    }
}
