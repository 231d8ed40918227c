//! All solutions in lexicographic order, by backtracking with a file's conflicts as bits.
//!
//! File by file, ranks from the lowest, as the plain counter of `method::ladder` and at its cost; nothing is
//! allocated for a solution. Where there are more files than ranks, a file may also stay empty, after all its
//! ranks were tried, as long as the files left are enough for the queens left.

use std::ops::ControlFlow;

use crate::{
    BoardSize, CancelToken, Error, Placement, Problem, Square,
    board::{bits::bits, placement::EMPTY},
};

/// Nodes between two checks of the token.
const LOOK: u64 = 1 << 20;

/// How a listing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Solutions visited.
    pub solutions: u64,
    /// Queens placed, the empty board not counted.
    pub nodes: u64,
    /// Whether these are all solutions; not where the visitor or `max_nodes` stopped it.
    pub complete: bool,
}

/// Calls `visit` with the number, from 1, of every solution of the problem and the solution, until `visit` breaks or
/// `max_nodes` queens were placed.
///
/// # Errors
///
/// [`Error::Usage`] for a side above 32, and where fewer queens are placed than fit on the board; [`Error::Cancelled`].
pub fn each(
    problem: &Problem,
    max_nodes: u64,
    cancel: &CancelToken,
    visit: impl FnMut(u64, &Placement) -> ControlFlow<()>,
) -> Result<Listing, Error> {
    check(problem)?;
    let board = problem.board();
    let mut search = Backtrack {
        files: board.files() as usize,
        allowed: allowed(problem),
        given: problem.given().iter().fold(0, |files, queen| files | 1 << queen.file),
        queens: [EMPTY; BoardSize::MAX as usize],
        placement: Placement::blank(board),
        solutions: 0,
        nodes: 0,
        pause: max_nodes.min(LOOK),
        max_nodes,
        cancel,
        visit,
    };
    let flow = match board.files().saturating_sub(board.ranks()) {
        _ if problem.is_contradictory() => ControlFlow::Continue(()),
        0 => search.below::<false>(0, 0, 0, 0, 0),
        gaps => search.below::<true>(0, 0, 0, 0, gaps),
    };
    let complete = match flow {
        ControlFlow::Continue(()) => true,
        ControlFlow::Break(Stop::Visitor) => false,
        ControlFlow::Break(Stop::Cancelled) => return Err(Error::Cancelled),
    };
    Ok(Listing { solutions: search.solutions, nodes: search.nodes, complete })
}

/// The first solution in lexicographic order, if there is one, and the queens placed to find it. Some boards take far more
/// than their neighbours: N = 18, 19 and 20 take 41,299, 2,545 and 199,635 queens, N = 28, 29 and 30 take 3.0, 1.5 and 56
/// millions.
///
/// # Errors
///
/// As [`each`].
pub fn first(problem: &Problem, cancel: &CancelToken) -> Result<(Option<Placement>, u64), Error> {
    let mut first = None;
    let listed = each(problem, u64::MAX, cancel, |_, solution| {
        first = Some(solution.clone());
        ControlFlow::Break(())
    })?;
    Ok((first, listed.nodes))
}

/// Refuses a problem whose solutions cannot be listed.
pub(crate) fn check(problem: &Problem) -> Result<(), Error> {
    problem.board().at_most(BoardSize::MAX, "a list")?;
    problem.require_full("a list")
}

/// For each file the ranks that given queens and forbidden squares leave free.
fn allowed(problem: &Problem) -> [u32; BoardSize::MAX as usize] {
    let mut allowed = [0; BoardSize::MAX as usize];
    for (file, ranks) in (0..problem.board().files()).zip(&mut allowed) {
        for rank in 0..problem.board().ranks() {
            let square = Square { rank, file };
            let free = problem.given().iter().all(|queen| *queen == square || !queen.attacks(square));
            if free && problem.forbidden().binary_search(&square).is_err() {
                *ranks |= 1 << rank;
            }
        }
    }
    allowed
}

enum Stop {
    Visitor,
    Cancelled,
}

struct Backtrack<'a, V> {
    files: usize,
    allowed: [u32; BoardSize::MAX as usize],
    /// The files with a given queen, which may not stay empty.
    given: u32,
    /// The rank of the queen on each file.
    queens: [u32; BoardSize::MAX as usize],
    placement: Placement,
    solutions: u64,
    nodes: u64,
    /// The number of nodes at which to look at the token and at `max_nodes`.
    pause: u64,
    max_nodes: u64,
    cancel: &'a CancelToken,
    visit: V,
}

impl<V: FnMut(u64, &Placement) -> ControlFlow<()>> Backtrack<'_, V> {
    /// Visits all solutions below the first `file` files; the sets are seen from that file. With `GAPS`, up to
    /// `gaps` of the files left stay empty.
    fn below<const GAPS: bool>(
        &mut self,
        file: usize,
        ranks: u32,
        rising: u32,
        falling: u32,
        gaps: u32,
    ) -> ControlFlow<Stop> {
        if file == self.files {
            return self.found();
        }
        for queen in bits(self.allowed[file] & !(ranks | rising | falling)) {
            if self.nodes == self.pause {
                self.pause()?;
            }
            self.nodes += 1;
            self.queens[file] = queen.trailing_zeros();
            self.below::<GAPS>(file + 1, ranks | queen, (rising | queen) << 1, (falling | queen) >> 1, gaps)?;
        }
        if GAPS && gaps > 0 && self.given >> file & 1 == 0 {
            self.queens[file] = EMPTY;
            self.below::<GAPS>(file + 1, ranks, rising << 1, falling >> 1, gaps - 1)?;
        }
        ControlFlow::Continue(())
    }

    fn found(&mut self) -> ControlFlow<Stop> {
        self.solutions += 1;
        self.placement.copy_from(&self.queens[..self.files]);
        (self.visit)(self.solutions, &self.placement).map_break(|()| Stop::Visitor)
    }

    #[cold]
    fn pause(&mut self) -> ControlFlow<Stop> {
        if self.cancel.check().is_err() {
            return ControlFlow::Break(Stop::Cancelled);
        }
        if self.nodes == self.max_nodes {
            return ControlFlow::Break(Stop::Visitor);
        }
        self.pause = self.max_nodes.min(self.nodes + LOOK);
        ControlFlow::Continue(())
    }
}

/// The numbers of placements among all solutions of the problem in lexicographic order, from 1. None for what is
/// no solution, and where the search places `max_nodes` queens before it comes to it.
///
/// # Errors
///
/// As [`each`].
pub fn numbers(
    problem: &Problem,
    placements: &[Placement],
    max_nodes: u64,
    cancel: &CancelToken,
) -> Result<Vec<Option<u64>>, Error> {
    let mut order: Vec<usize> = (0..placements.len()).collect();
    order.sort_by_key(|&at| &placements[at]);
    let mut numbers = vec![None; placements.len()];
    let mut next = order.into_iter().peekable();
    each(problem, max_nodes, cancel, |number, solution| {
        while let Some(&at) = next.peek().filter(|&&at| placements[at] <= *solution) {
            if placements[at] == *solution {
                numbers[at] = Some(number);
            }
            next.next();
        }
        if next.peek().is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(numbers)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Board, known, problem::tests::any_problem, puzzle::notation::tests::permutation};

    /// All solutions, in their order.
    pub fn all(problem: &Problem) -> Vec<Placement> {
        let mut solutions = Vec::new();
        let listed = each(problem, u64::MAX, &CancelToken::default(), |number, placement| {
            assert_eq!(number, solutions.len() as u64 + 1);
            solutions.push(placement.clone());
            ControlFlow::Continue(())
        });
        assert!(listed.is_ok_and(|listed| listed.complete && listed.solutions == solutions.len() as u64));
        solutions
    }

    /// The plain puzzle.
    pub fn queens(n: u32) -> Problem {
        Problem::queens(n).unwrap_or_else(|error| panic!("{error}"))
    }

    /// All ways to put at most one queen on each file, `place` in all, filtered by the rules: slow and plain.
    fn brute_force(problem: &Problem) -> Vec<Placement> {
        let board = problem.board();
        let mut partial = vec![Vec::new()];
        for _ in 0..board.files() {
            let ranks = (0..board.ranks()).map(Some).chain([None]);
            let longer = |queens: Vec<Option<u32>>| {
                ranks.clone().map(move |rank| [&queens[..], &[rank]].concat()).collect::<Vec<_>>()
            };
            partial = partial.into_iter().flat_map(longer).collect();
        }
        let mut solutions: Vec<Placement> =
            partial.into_iter().filter_map(|queens| Placement::new(board.ranks(), queens).ok()).collect();
        solutions.retain(|placement| {
            let squares: Vec<Square> = placement.squares().collect();
            let peaceful =
                squares.iter().enumerate().all(|(at, a)| squares[..at].iter().all(|b| !a.attacks(*b)));
            peaceful
                && problem.given().iter().all(|queen| squares.contains(queen))
                && !problem.forbidden().iter().any(|square| squares.contains(square))
        });
        solutions
    }

    #[test]
    fn the_classic_list() {
        let golden = include_str!("../../tests/data/eight-queens.txt");
        let lines: Vec<String> = all(&queens(8))
            .iter()
            .zip(1..)
            .map(|(placement, number)| format!("{number}: {}", permutation(placement)))
            .collect();
        let golden: Vec<&str> =
            golden.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
        assert_eq!(lines, golden);
    }

    #[test]
    fn counts_and_nodes_are_the_known_ones() -> Result<(), Error> {
        for n in 1..=11 {
            let solutions = all(&queens(n));
            assert_eq!(solutions.len() as u128, known::solutions(n).unwrap_or_default(), "N = {n}");
            assert!(solutions.is_sorted() && solutions.iter().all(Placement::is_solution), "N = {n}");
        }
        let listed = each(&queens(8), u64::MAX, &CancelToken::default(), |_, _| ControlFlow::Continue(()))?;
        assert_eq!(listed.nodes, 2056);
        Ok(())
    }

    /// The first solution by recursion over an array; whether there is one.
    fn plain(n: u32, queens: &mut Vec<u32>, nodes: &mut u64) -> bool {
        if queens.len() == n as usize {
            return true;
        }
        for rank in 0..n {
            let file = queens.len();
            let attacks =
                |(at, &other): (usize, &u32)| other == rank || other.abs_diff(rank) as usize == file - at;
            if !queens.iter().enumerate().any(attacks) {
                *nodes += 1;
                queens.push(rank);
                if plain(n, queens, nodes) {
                    return true;
                }
                queens.pop();
            }
        }
        false
    }

    #[test]
    fn first_solutions_and_nodes_agree_with_plain_recursion() -> Result<(), Error> {
        for n in 1..=20 {
            let (mut ranks, mut nodes) = (Vec::new(), 0);
            let found = plain(n, &mut ranks, &mut nodes);
            let expected = found.then(|| Placement::full(n, ranks));
            assert_eq!(first(&queens(n), &CancelToken::default())?, (expected, nodes), "N = {n}");
            assert_eq!(found, !matches!(n, 2 | 3));
        }
        assert_eq!(first(&queens(8), &CancelToken::default())?.1, 113);
        Ok(())
    }

    #[test]
    fn a_listing_stops_when_it_is_told_to() -> Result<(), Error> {
        let cancel = CancelToken::default();
        let stopped = each(&queens(32), u64::MAX, &cancel, |number, _| match number {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })?;
        assert_eq!((stopped.solutions, stopped.complete), (3, false));
        let starved = each(&queens(8), 100, &cancel, |_, _| ControlFlow::Continue(()))?;
        assert_eq!((starved.nodes, starved.complete), (100, false));
        cancel.cancel();
        let cancelled = each(&queens(20), u64::MAX, &cancel, |_, _| ControlFlow::Continue(()));
        assert_eq!(cancelled, Err(Error::Cancelled));
        Ok(())
    }

    #[test]
    fn numbers_are_places_in_the_list() -> Result<(), Error> {
        let solutions = all(&queens(7));
        let mut asked: Vec<Placement> = solutions.iter().rev().step_by(3).cloned().collect();
        asked.push(Placement::full(7, vec![0; 7]));
        let found = numbers(&queens(7), &asked, u64::MAX, &CancelToken::default())?;
        let expected = asked.iter().map(|one| Some(solutions.iter().position(|s| s == one)? as u64 + 1));
        assert_eq!(found, expected.collect::<Vec<_>>());
        let starved = numbers(&queens(7), &solutions, 50, &CancelToken::default())?;
        assert!(starved[0] == Some(1) && starved[39].is_none(), "{starved:?}");
        Ok(())
    }

    #[test]
    fn what_cannot_be_listed_is_refused() -> Result<(), Error> {
        for problem in [queens(33), Problem::on(Board::new(33, 8)?), queens(8).placing(7)?] {
            let refused = each(&problem, 1, &CancelToken::default(), |_, _| unreachable!());
            assert!(matches!(refused, Err(Error::Usage { .. })), "{problem}");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn boards_of_all_kinds_agree_with_brute_force(problem in any_problem((5, 5), Just(true))) {
            prop_assert_eq!(all(&problem), brute_force(&problem));
        }
    }
}
