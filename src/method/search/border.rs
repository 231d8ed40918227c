//! The queens of the border come first: first and last rank, first and last file.
//!
//! The border is mapped onto itself by every symmetry of the board, so that of all placements on it that are images of each other
//! one is enough, with the size of its orbit as its weight: the whole gain of the symmetry, before anything else is
//! placed. On the plain board each side has one queen (3 or 4 in all, as one may stand in a corner); where ranks and
//! files may stay empty a side may be empty too. The idea is known since *Kise et al., Solving the 24-queens problem
//! using MPI on a PC cluster* (2004).
//!
//! Of the images of an orbit, each as good as the others, the one is taken whose first rows have the fewest free
//! squares: a third less to visit than by any fixed choice (N = 16).

use super::{Inner, Prefix};
use crate::{
    Error, Problem, Square,
    board::{
        bits::{bits, subsets},
        symmetry::Symmetry,
    },
};

/// The most prefixes that are made before any inner queen is placed.
const MOST: usize = 1 << 24;

/// The prefixes of all placements on the border of a problem, one of each orbit, with the queens that are given; for each
/// choice of the rows that are to be filled where some stay empty. `visits` grows by the queens placed.
///
/// # Errors
///
/// [`Error::Usage`] where there are more than 2^24.
pub fn prefixes(problem: &Problem, inner: &Inner, visits: &mut u64) -> Result<Vec<Prefix>, Error> {
    let mut all = Borders {
        problem,
        inner,
        symmetries: problem.symmetries(),
        sides: sides(problem),
        queens: Vec::new(),
        visits: 0,
        prefixes: Vec::new(),
    };
    if !problem.is_contradictory() {
        all.place(0)?;
    }
    *visits += all.visits;
    Ok(all.prefixes)
}

/// The squares of each side on which a queen may be placed, each square on the first side that has it.
fn sides(problem: &Problem) -> [Vec<Square>; 4] {
    let board = problem.board();
    let [rank, file] = [board.ranks() - 1, board.files() - 1];
    let mut seen = Vec::new();
    let mut side = |squares: Vec<Square>| {
        let open = |square: &Square| !problem.forbidden().contains(square) && !seen.contains(square);
        let open: Vec<Square> = squares.into_iter().filter(open).collect();
        seen.extend_from_slice(&open);
        open
    };
    let in_rank = |rank| (0..=file).map(|file| Square { rank, file }).collect();
    let in_file = |file| (0..=rank).map(|rank| Square { rank, file }).collect();
    [side(in_rank(0)), side(in_rank(rank)), side(in_file(0)), side(in_file(file))]
}

/// A walk over all placements on the border.
struct Borders<'a> {
    problem: &'a Problem,
    inner: &'a Inner,
    symmetries: Vec<Symmetry>,
    sides: [Vec<Square>; 4],
    /// Placed so far, without those given.
    queens: Vec<Square>,
    visits: u64,
    prefixes: Vec<Prefix>,
}

impl Borders<'_> {
    /// Places a queen on this side and the next ones, or none.
    fn place(&mut self, side: usize) -> Result<(), Error> {
        let Some(squares) = self.sides.get(side) else { return self.keep() };
        let given = self.problem.given();
        if given.len() + self.queens.len() < self.problem.place() as usize {
            for square in squares.clone() {
                if given.iter().chain(&self.queens).any(|queen| queen.attacks(square)) {
                    continue;
                }
                self.visits += 1;
                self.queens.push(square);
                self.place(side + 1)?;
                self.queens.pop();
            }
        }
        self.place(side + 1)
    }

    /// Keeps the placement if it is the least of its orbit.
    fn keep(&mut self) -> Result<(), Error> {
        let board = self.problem.board();
        let left = self.problem.place() - (self.problem.given().len() + self.queens.len()) as u32;
        // most placements that leave a side empty end here
        let prefix = self.prefix(&self.queens);
        let columns = self.inner.full() & !prefix.columns;
        if self.open_rows(&prefix).count_ones().min(columns.count_ones()) < left {
            return Ok(());
        }
        let mut own = self.queens.clone();
        own.sort_unstable();
        let mut images: Vec<Vec<Square>> =
            self.symmetries.iter().map(|symmetry| symmetry.image(board, &own)).collect();
        images.sort_unstable();
        images.dedup();
        if images[0] != own {
            return Ok(());
        }
        let weight = images.len() as u32;
        let narrowest = images
            .iter()
            .map(|image| self.prefix(image))
            .min_by(|a, b| self.breadth(a).total_cmp(&self.breadth(b)))
            .unwrap_or_default();
        for rows in subsets(self.open_rows(&narrowest), left) {
            if self.prefixes.len() == MOST {
                return Err(Error::usage(
                    format!("{} can be started in more than {MOST} ways, too many to search", self.problem),
                    "place more queens, or fewer, or forbid fewer squares",
                ));
            }
            self.prefixes.push(Prefix { rows, weight, ..narrowest });
        }
        Ok(())
    }

    /// The given queens and some on the border, with all rows left in which no queen stands.
    fn prefix(&self, queens: &[Square]) -> Prefix {
        let rows = if self.inner.columns() == 0 { 0 } else { (1 << self.inner.rows()) - 1 };
        let mut prefix = Prefix { rows, weight: 1, ..Prefix::default() };
        for &square in self.problem.given().iter().chain(queens) {
            self.inner.stand(&mut prefix, square);
        }
        prefix
    }

    /// The rows that have a free square.
    fn open_rows(&self, prefix: &Prefix) -> u32 {
        bits(prefix.rows)
            .filter(|bit| self.inner.free(prefix, bit.trailing_zeros()) != 0)
            .fold(0, |rows, bit| rows | bit)
    }

    /// The product of the numbers of free squares in the first half of the rows, an estimate of the work below that
    /// is good enough to choose by.
    fn breadth(&self, prefix: &Prefix) -> f64 {
        let half = self.inner.rows() as usize / 2 + 1;
        let free = |bit: u32| f64::from(self.inner.free(prefix, bit.trailing_zeros()).count_ones());
        bits(prefix.rows).take(half).map(free).product()
    }
}
