//! All solutions in lexicographic order, by backtracking with a file's conflicts as bits.
//!
//! File by file, ranks from the lowest, as the plain counter of `method::ladder` and at its cost; nothing is
//! allocated for a solution. Where there are more files than ranks, a file may also stay empty, after all its
//! ranks were tried, as long as the files left are enough for the queens left.

use std::ops::ControlFlow;

use super::{Placement, Position};
use crate::{CancelToken, Error, Square};

/// The longest side of a board whose solutions are listed: a set of ranks is one `u32`.
pub const MAX_SIDE: u32 = u32::BITS;

/// How often the token is looked at, in nodes.
const LOOK: u64 = 1 << 20;

/// How a listing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Solutions visited.
    pub solutions: u64,
    /// Queens placed, the empty board not counted.
    pub nodes: u64,
    /// Whether these are all solutions, or the visitor or `most` stopped it.
    pub complete: bool,
}

/// Shows every solution of the board to `visit`, with its number from 1, until it breaks off or `most` nodes are
/// visited.
///
/// # Errors
///
/// [`Error::Usage`] for a side above [`MAX_SIDE`]; [`Error::Cancelled`].
pub fn each(
    board: &Position,
    most: u64,
    cancel: &CancelToken,
    visit: impl FnMut(u64, &Placement) -> ControlFlow<()>,
) -> Result<Listed, Error> {
    check_sides(board)?;
    let mut search = Search {
        files: board.files() as usize,
        allowed: allowed(board),
        must: must(board),
        queens: [u32::MAX; MAX_SIDE as usize],
        placement: Placement::blank(board.ranks(), board.files()),
        solutions: 0,
        nodes: 0,
        pause: most.min(LOOK),
        most,
        cancel,
        visit,
    };
    let flow = match board.files().saturating_sub(board.ranks()) {
        _ if !board.is_consistent() => ControlFlow::Continue(()),
        0 => search.below::<false>(0, 0, 0, 0, 0),
        gaps => search.below::<true>(0, 0, 0, 0, gaps),
    };
    let complete = match flow {
        ControlFlow::Continue(()) => true,
        ControlFlow::Break(Stop::Visitor) => false,
        ControlFlow::Break(Stop::Cancelled) => return Err(Error::Cancelled),
    };
    Ok(Listed { solutions: search.solutions, nodes: search.nodes, complete })
}

/// Refuses a board that is too large to list.
pub(crate) fn check_sides(board: &Position) -> Result<(), Error> {
    if board.ranks().max(board.files()) <= MAX_SIDE {
        return Ok(());
    }
    Err(Error::usage(
        format!("a board of {} x {} squares is too large for this", board.ranks(), board.files()),
        format!("give a board of at most {MAX_SIDE} x {MAX_SIDE}"),
    ))
}

/// For each file the ranks on which a queen may stand, as far as queens that already stand and forbidden squares
/// decide it.
fn allowed(board: &Position) -> [u32; MAX_SIDE as usize] {
    let mut allowed = [0; MAX_SIDE as usize];
    for (file, ranks) in (0..board.files()).zip(&mut allowed) {
        for rank in 0..board.ranks() {
            let square = Square { rank, file };
            let free = board.queens().iter().all(|queen| *queen == square || !queen.attacks(square));
            if free && board.forbidden().binary_search(&square).is_err() {
                *ranks |= 1 << rank;
            }
        }
    }
    allowed
}

/// The files that may not stay empty.
fn must(board: &Position) -> u32 {
    board.queens().iter().fold(0, |files, queen| files | 1 << queen.file)
}

enum Stop {
    Visitor,
    Cancelled,
}

struct Search<'a, V> {
    files: usize,
    allowed: [u32; MAX_SIDE as usize],
    must: u32,
    queens: [u32; MAX_SIDE as usize],
    placement: Placement,
    solutions: u64,
    nodes: u64,
    /// The number of nodes at which to look at the token and at `most`.
    pause: u64,
    most: u64,
    cancel: &'a CancelToken,
    visit: V,
}

impl<V: FnMut(u64, &Placement) -> ControlFlow<()>> Search<'_, V> {
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
        let mut free = self.allowed[file] & !(ranks | rising | falling);
        while free != 0 {
            let queen = free & free.wrapping_neg();
            free ^= queen;
            if self.nodes == self.pause {
                self.pause()?;
            }
            self.nodes += 1;
            self.queens[file] = queen.trailing_zeros();
            self.below::<GAPS>(file + 1, ranks | queen, (rising | queen) << 1, (falling | queen) >> 1, gaps)?;
        }
        if GAPS && gaps > 0 && self.must >> file & 1 == 0 {
            self.queens[file] = u32::MAX;
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
        if self.nodes == self.most {
            return ControlFlow::Break(Stop::Visitor);
        }
        self.pause = self.most.min(self.nodes + LOOK);
        ControlFlow::Continue(())
    }
}

/// The numbers of placements among all solutions of the board in lexicographic order, from 1. None for what is
/// no solution, and where the search visits `most` nodes before it comes to it.
///
/// # Errors
///
/// As [`each`].
pub fn numbers(
    board: &Position,
    placements: &[Placement],
    most: u64,
    cancel: &CancelToken,
) -> Result<Vec<Option<u64>>, Error> {
    let mut order: Vec<usize> = (0..placements.len()).collect();
    order.sort_by_key(|&at| &placements[at]);
    let mut numbers = vec![None; placements.len()];
    let mut next = order.into_iter().peekable();
    each(board, most, cancel, |number, solution| {
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
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{known, puzzle::notation::tests::permutation};

    /// All solutions, in their order.
    pub(in crate::puzzle) fn all(board: &Position) -> Vec<Placement> {
        let mut solutions = Vec::new();
        let listed = each(board, u64::MAX, &CancelToken::default(), |number, placement| {
            assert_eq!(number, solutions.len() as u64 + 1);
            solutions.push(placement.clone());
            ControlFlow::Continue(())
        });
        assert!(listed.is_ok_and(|listed| listed.complete && listed.solutions == solutions.len() as u64));
        solutions
    }

    pub(in crate::puzzle) fn square(n: u32) -> Position {
        Position::square(n).unwrap_or_else(|error| panic!("{error}"))
    }

    /// All ways to put at most one queen on each file, `place` in all, filtered by the rules: slow and plain.
    fn brute_force(board: &Position) -> Vec<Placement> {
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
                && board.queens().iter().all(|queen| squares.contains(queen))
                && !board.forbidden().iter().any(|square| squares.contains(square))
        });
        solutions
    }

    #[test]
    fn the_classic_list() {
        let golden = include_str!("../../tests/data/eight-queens.txt");
        let lines: Vec<String> = all(&square(8))
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
            let solutions = all(&square(n));
            assert_eq!(solutions.len() as u128, known::solutions(n).unwrap_or_default(), "N = {n}");
            assert!(solutions.is_sorted() && solutions.iter().all(Placement::is_solution), "N = {n}");
        }
        let listed = each(&square(8), u64::MAX, &CancelToken::default(), |_, _| ControlFlow::Continue(()))?;
        assert_eq!(listed.nodes, 2056);
        Ok(())
    }

    /// The first solution needs unevenly many nodes: 6 more than 7, and 20 and 22 far more than their neighbours.
    #[test]
    fn nodes_of_the_first_solution() -> Result<(), Error> {
        let nodes = |n| {
            let first = each(&square(n), u64::MAX, &CancelToken::default(), |_, _| ControlFlow::Break(()))?;
            Ok::<u64, Error>(first.nodes)
        };
        assert_eq!((nodes(4)?, nodes(8)?), (8, 113));
        assert!(nodes(6)? > nodes(7)?);
        for n in [20, 22] {
            assert!(nodes(n)? > 10 * nodes(n - 1)?.max(nodes(n + 1)?), "N = {n}");
        }
        Ok(())
    }

    #[test]
    fn a_listing_stops_when_it_is_told_to() -> Result<(), Error> {
        let cancel = CancelToken::default();
        let stopped = each(&square(32), u64::MAX, &cancel, |number, _| match number {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })?;
        assert_eq!((stopped.solutions, stopped.complete), (3, false));
        let starved = each(&square(8), 100, &cancel, |_, _| ControlFlow::Continue(()))?;
        assert_eq!((starved.nodes, starved.complete), (100, false));
        cancel.cancel();
        let cancelled = each(&square(20), u64::MAX, &cancel, |_, _| ControlFlow::Continue(()));
        assert_eq!(cancelled, Err(Error::Cancelled));
        Ok(())
    }

    #[test]
    fn numbers_are_places_in_the_list() -> Result<(), Error> {
        let solutions = all(&square(7));
        let mut asked: Vec<Placement> = solutions.iter().rev().step_by(3).cloned().collect();
        asked.push(Placement::full(7, vec![0; 7]));
        let found = numbers(&square(7), &asked, u64::MAX, &CancelToken::default())?;
        let expected = asked.iter().map(|one| Some(solutions.iter().position(|s| s == one)? as u64 + 1));
        assert_eq!(found, expected.collect::<Vec<_>>());
        let starved = numbers(&square(7), &solutions, 50, &CancelToken::default())?;
        assert!(starved[0] == Some(1) && starved[39].is_none(), "{starved:?}");
        Ok(())
    }

    #[test]
    fn a_board_past_32_is_refused() {
        for (ranks, files) in [(33, 8), (8, 33)] {
            let board = Position::new(ranks, files);
            let refused =
                board.and_then(|board| each(&board, 1, &CancelToken::default(), |_, _| unreachable!()));
            assert!(matches!(refused, Err(Error::Usage { .. })));
        }
    }

    proptest! {
        #[test]
        fn boards_of_all_kinds_agree_with_brute_force(
            (ranks, files) in (1..=5u32, 1..=5u32),
            queens in prop::collection::vec((0..5u32, 0..5u32), 0..2),
            forbidden in prop::collection::vec((0..5u32, 0..5u32), 0..4),
        ) {
            let on_board = |squares: Vec<(u32, u32)>| -> Vec<Square> {
                squares.into_iter().map(|(rank, file)| Square { rank: rank % ranks, file: file % files }).collect()
            };
            let (mut queens, mut forbidden) = (on_board(queens), on_board(forbidden));
            queens.truncate(ranks.min(files) as usize);
            forbidden.retain(|square| !queens.contains(square));
            let board = Position::new(ranks, files)?.with(&queens, &forbidden)?;
            prop_assert_eq!(all(&board), brute_force(&board));
        }
    }
}
