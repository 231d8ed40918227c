//! Completion: a solution with the given queens and none on a forbidden square, or the proof that there is none.
//!
//! A complete search: of all lines that need a queen, the one with the fewest free squares is filled next, and a
//! line without a free square ends the branch. On a square board every rank and every file needs a queen, else
//! every line across the shorter side does. Squares are tried in random order, and the search starts again with
//! twice the nodes where it has come to no end, so that a bad start costs little; the last search is a whole one.
//! A thousand queens take it a second, but the problem is NP-complete: there are boards on which it takes forever.
//! Sources: Gent, Jefferson, Nightingale, *Complexity of n-queens completion* (2017); for the restarts Gomes,
//! Selman, Kautz, *Boosting combinatorial search through randomization* (1998).

use rand::{SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::{Board, CancelToken, Error, Placement, Problem, Square};

/// The longest side: the search keeps a count for each square.
pub const MAX_SIDE: u32 = 1000;

/// Nodes between two checks of the token.
const LOOK: u64 = 1 << 6;

/// The minimum number of nodes of the first search.
const FIRST_NODES: u64 = 1000;

/// A solution of the problem, if there is one, and the queens placed by the search.
///
/// # Errors
///
/// [`Error::Usage`] for a side above [`MAX_SIDE`], and where fewer queens are placed than fit on the board;
/// [`Error::Cancelled`].
pub fn solution(problem: &Problem, cancel: &CancelToken) -> Result<(Option<Placement>, u64), Error> {
    let board = problem.board();
    board.at_most(MAX_SIDE, "a complete search")?;
    problem.require_full("a complete search")?;
    if problem.is_contradictory() {
        return Ok((None, 0));
    }
    let mut search = Completion::new(board);
    for &square in problem.forbidden() {
        search.attack(square);
    }
    for &square in problem.given() {
        search.add(square);
    }
    let mut nodes = 0;
    let mut max = FIRST_NODES.max(2 * u64::from(problem.place()));
    let found = loop {
        let mut placed = 0;
        let end = search.complete(max, cancel, &mut placed)?;
        nodes += placed;
        match end {
            Some(found) => break found,
            None => max *= 2,
        }
        while search.queens.len() > problem.given().len() {
            search.remove();
        }
    };
    let mut placement = Placement::blank(board);
    for square in &search.queens {
        placement.set(square.file, Some(square.rank));
    }
    Ok((found.then_some(placement), nodes))
}

struct Completion {
    ranks: u32,
    files: u32,
    /// For each square, rank by rank, how many queens are on it or attack it, plus one if it is forbidden.
    attacked: Vec<u8>,
    /// Free squares on each rank and file.
    free_on_rank: Vec<u32>,
    free_on_file: Vec<u32>,
    /// Whether a rank or file has its queen.
    has_rank: Vec<bool>,
    has_file: Vec<bool>,
    queens: Vec<Square>,
    random: ChaCha8Rng,
}

/// A line that needs a queen.
#[derive(Clone, Copy)]
enum Line {
    Rank(u32),
    File(u32),
}

impl Completion {
    fn new(board: Board) -> Self {
        let (ranks, files) = (board.ranks(), board.files());
        Self {
            ranks,
            files,
            attacked: vec![0; ranks as usize * files as usize],
            free_on_rank: vec![files; ranks as usize],
            free_on_file: vec![ranks; files as usize],
            has_rank: vec![false; ranks as usize],
            has_file: vec![false; files as usize],
            queens: Vec::new(),
            // equal boards get equal solutions
            random: ChaCha8Rng::seed_from_u64(0),
        }
    }

    /// Whether there is a completion; none where that is not known after `max` nodes. Depth first, without
    /// recursion: a branch may be as deep as the board has lines.
    fn complete(&mut self, max: u64, cancel: &CancelToken, nodes: &mut u64) -> Result<Option<bool>, Error> {
        // for each open line the squares still to try, the next one last
        let mut open: Vec<Vec<Square>> = Vec::new();
        loop {
            match self.narrowest() {
                None => return Ok(Some(true)),
                Some(line) => open.push(self.free_squares(line)),
            }
            let next = loop {
                let Some(squares) = open.last_mut() else { return Ok(Some(false)) };
                match squares.pop() {
                    Some(square) => break square,
                    None => {
                        open.pop();
                        // the queen on the line before, if the search placed one there
                        if !open.is_empty() {
                            self.remove();
                        }
                    }
                }
            };
            if nodes.is_multiple_of(LOOK) {
                cancel.check()?;
            }
            if *nodes == max {
                return Ok(None);
            }
            *nodes += 1;
            self.add(next);
        }
    }

    /// The line without a queen that has the fewest free squares, of those that need one; none if all have one.
    fn narrowest(&self) -> Option<Line> {
        let open = |free: &[u32], has: &[bool], line: fn(u32) -> Line| {
            let lines = (0..).zip(free.iter().zip(has)).filter(|&(_, (_, has))| !has);
            lines.map(|(at, (&free, _))| (free, at)).min().map(|(free, at)| (free, line(at)))
        };
        let rank = open(&self.free_on_rank, &self.has_rank, Line::Rank).filter(|_| self.ranks <= self.files);
        let file = open(&self.free_on_file, &self.has_file, Line::File).filter(|_| self.files <= self.ranks);
        match (rank, file) {
            (Some(rank), Some(file)) => Some(if rank.0 < file.0 { rank.1 } else { file.1 }),
            (rank, file) => rank.or(file).map(|(_, line)| line),
        }
    }

    /// The free squares of a line in random order.
    fn free_squares(&mut self, line: Line) -> Vec<Square> {
        let free = |square: &Square| self.attacked[self.index(*square)] == 0;
        let mut squares: Vec<Square> = match line {
            Line::Rank(rank) => (0..self.files).map(|file| Square { rank, file }).filter(free).collect(),
            Line::File(file) => (0..self.ranks).map(|rank| Square { rank, file }).filter(free).collect(),
        };
        squares.shuffle(&mut self.random);
        squares
    }

    const fn index(&self, square: Square) -> usize {
        square.rank as usize * self.files as usize + square.file as usize
    }

    fn add(&mut self, queen: Square) {
        self.has_rank[queen.rank as usize] = true;
        self.has_file[queen.file as usize] = true;
        self.queens.push(queen);
        self.each_attacked(queen, Self::attack);
    }

    /// Removes the queen that was added last.
    fn remove(&mut self) {
        let Some(queen) = self.queens.pop() else { return };
        self.has_rank[queen.rank as usize] = false;
        self.has_file[queen.file as usize] = false;
        self.each_attacked(queen, Self::release);
    }

    fn attack(&mut self, square: Square) {
        let at = self.index(square);
        self.attacked[at] += 1;
        if self.attacked[at] == 1 {
            self.free_on_rank[square.rank as usize] -= 1;
            self.free_on_file[square.file as usize] -= 1;
        }
    }

    fn release(&mut self, square: Square) {
        let at = self.index(square);
        self.attacked[at] -= 1;
        if self.attacked[at] == 0 {
            self.free_on_rank[square.rank as usize] += 1;
            self.free_on_file[square.file as usize] += 1;
        }
    }

    /// Every square that a queen attacks, its own once.
    fn each_attacked(&mut self, queen: Square, visit: fn(&mut Self, Square)) {
        for rank in 0..self.ranks {
            visit(self, Square { rank, file: queen.file });
            let distance = rank.abs_diff(queen.rank);
            if distance == 0 {
                continue;
            }
            if let Some(file) = queen.file.checked_sub(distance) {
                visit(self, Square { rank, file });
            }
            if queen.file + distance < self.files {
                visit(self, Square { rank, file: queen.file + distance });
            }
        }
        for file in (0..self.files).filter(|file| *file != queen.file) {
            visit(self, Square { rank: queen.rank, file });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        problem::tests::any_problem,
        puzzle::list::tests::{all, queens},
    };

    fn solved(problem: &Problem) -> Option<Placement> {
        solution(problem, &CancelToken::default()).unwrap_or_else(|error| panic!("{error}")).0
    }

    #[test]
    fn empty_boards_of_many_sizes() -> Result<(), Error> {
        for n in (1..=60).chain([200, MAX_SIDE]) {
            let placement = solved(&queens(n));
            assert_eq!(placement.is_none(), [2, 3].contains(&n), "N = {n}");
            assert!(placement.is_none_or(|placement| placement.is_solution()), "N = {n}");
        }
        assert!(solution(&Problem::on(Board::new(1, MAX_SIDE + 1)?), &CancelToken::default()).is_err());
        Ok(())
    }

    #[test]
    fn a_search_can_be_cancelled() {
        let cancel = CancelToken::default();
        cancel.cancel();
        assert_eq!(solution(&queens(8), &cancel), Err(Error::Cancelled));
    }

    #[test]
    fn a_queen_in_the_corner_can_be_completed_and_two_on_a_file_cannot() -> Result<(), Error> {
        let a1 = Square { rank: 0, file: 0 };
        let solved_with_a1 = solved(&queens(8).with_queen(a1)?);
        assert!(solved_with_a1.is_some_and(|placement| placement.squares().any(|square| square == a1)));
        let twice = queens(8).with_queen("d4".parse()?)?.with_queen("d5".parse()?)?;
        assert_eq!(solved(&twice), None);
        assert!(solution(&queens(8).placing(7)?, &CancelToken::default()).is_err());
        Ok(())
    }

    proptest! {
        #[test]
        fn it_finds_a_completion_exactly_where_there_is_one(problem in any_problem((7, 7), Just(true))) {
            let list = all(&problem);
            match solved(&problem) {
                Some(placement) => prop_assert!(list.contains(&placement)),
                None => prop_assert!(list.is_empty()),
            }
        }
    }
}
