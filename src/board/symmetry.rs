//! The eight symmetries of the square, four of which are those of any rectangle; orbits and classes of solutions.
//!
//! Where each symmetry takes square b1 (1) of a board of 4x4:
//!
//! ```text
//! 4   . 2 4 .      1 identity          5 transposition: ranks and files exchanged
//! 3   7 . . 8      2 ranks mirrored    6 quarter turn
//! 2   5 . . 6      3 files mirrored    7 quarter turn the other way
//! 1   . 1 3 .      4 half turn         8 transposition across the other diagonal
//!     a b c d
//! ```
//!
//! The images of a solution are solutions, and together its *orbit*. The first of an orbit in lexicographic order stands
//! for it, as the *fundamental solution*. An orbit has 8 members, or 4 where the half turn keeps them, or 2 where the
//! quarter turn does (half as many on a board that is not square; 1 for N = 1).

use super::{Board, placement::Placement, square::Square};

/// A symmetry: ranks mirrored or not, files mirrored or not, then both exchanged or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    mirrors_ranks: bool,
    mirrors_files: bool,
    transposes: bool,
}

impl Symmetry {
    const HALF_TURN: Self = Self::numbered(3);
    /// The exchange of ranks and files, of any board.
    pub(crate) const TRANSPOSITION: Self = Self::numbered(4);
    const QUARTER_TURN: Self = Self::numbered(5);

    const fn numbered(bits: u8) -> Self {
        Self { mirrors_ranks: bits & 1 != 0, mirrors_files: bits & 2 != 0, transposes: bits & 4 != 0 }
    }

    /// All that map a board onto itself, the identity first: eight where it is square, else four (of which some
    /// may do the same on a board of one rank or file).
    pub fn of(board: Board) -> impl Iterator<Item = Self> {
        (0..if board.is_square() { 8 } else { 4 }).map(Self::numbered)
    }

    /// The image of a square of a board.
    #[must_use]
    pub const fn apply(self, board: Board, square: Square) -> Square {
        let rank = if self.mirrors_ranks { board.ranks() - 1 - square.rank } else { square.rank };
        let file = if self.mirrors_files { board.files() - 1 - square.file } else { square.file };
        if self.transposes { Square { rank: file, file: rank } } else { Square { rank, file } }
    }

    /// The image of a set of squares, sorted.
    #[must_use]
    pub fn image(self, board: Board, squares: &[Square]) -> Vec<Square> {
        let mut image: Vec<Square> = squares.iter().map(|&square| self.apply(board, square)).collect();
        image.sort_unstable();
        image
    }

    /// Overwrites `image` with that of a solution.
    fn map(self, solution: &Placement, image: &mut Placement) {
        let board = solution.board();
        image.clear(if self.transposes { board.transposed() } else { board });
        for square in solution.squares() {
            let Square { rank, file } = self.apply(board, square);
            image.set(file, Some(rank));
        }
    }
}

/// The symmetry class of a solution: which turns of the board keep it as it is. Older literature says simple, symmetric
/// and doubly symmetric.
///
/// ```text
/// asymmetric       point            rotational
/// 5  . . . Q .     6  . . Q . . .   4  . Q . .
/// 4  . Q . . .     5  . . . . . Q   3  . . . Q
/// 3  . . . . Q     4  . Q . . . .   2  Q . . .
/// 2  . . Q . .     3  . . . . Q .   1  . . Q .
/// 1  Q . . . .     2  Q . . . . .      a b c d
///    a b c d e     1  . . . Q . .
///                     a b c d e f
/// ```
///
/// ```
/// use ferz::{Class, puzzle::notation};
///
/// # fn main() -> Result<(), ferz::Error> {
/// let classes = [("1 4 2 5 3", Class::Asymmetric), ("2 4 6 1 3 5", Class::Point), ("2 4 1 3", Class::Rotational)];
/// for (ranks, class) in classes {
///     assert_eq!(Class::of(&notation::parse(ranks, None)?), class);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Class {
    /// No turn keeps it: 8 images.
    #[cfg_attr(feature = "cli", value(alias = "simple"))]
    Asymmetric,
    /// The half turn keeps it, the quarter turn does not: 4 images.
    #[cfg_attr(feature = "cli", value(alias = "symmetric"))]
    Point,
    /// The quarter turn keeps it: 2 images.
    #[cfg_attr(feature = "cli", value(alias = "doubly-symmetric"))]
    Rotational,
}

impl Class {
    /// The class of a solution.
    #[must_use]
    pub fn of(solution: &Placement) -> Self {
        let board = solution.board();
        let mut image = Placement::blank(board);
        let mut keeps = |symmetry: Symmetry| {
            symmetry.map(solution, &mut image);
            image == *solution
        };
        if board.is_square() && keeps(Symmetry::QUARTER_TURN) {
            Self::Rotational
        } else if keeps(Symmetry::HALF_TURN) {
            Self::Point
        } else {
            Self::Asymmetric
        }
    }

    /// Its name: `asymmetric`, `point`, `rotational`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asymmetric => "asymmetric",
            Self::Point => "point",
            Self::Rotational => "rotational",
        }
    }
}

/// The orbit of a solution: its different images, itself among them, in lexicographic order.
#[must_use]
pub fn orbit(solution: &Placement) -> Vec<Placement> {
    let image = |symmetry: Symmetry| {
        let mut image = Placement::blank(solution.board());
        symmetry.map(solution, &mut image);
        image
    };
    let mut images: Vec<Placement> = Symmetry::of(solution.board()).map(image).collect();
    images.sort_unstable();
    images.dedup();
    images
}

/// The size of the orbit of a solution. Unlike [`orbit`] it holds one image at a time.
#[must_use]
pub fn orbit_size(solution: &Placement) -> usize {
    let board = solution.board();
    // a single queen can also be kept by a mirror
    if board.max_queens() == 1 {
        return orbit(solution).len();
    }
    let all = if board.is_square() { 8 } else { 4 };
    match Class::of(solution) {
        Class::Asymmetric => all,
        Class::Point => all / 2,
        Class::Rotational => all / 4,
    }
}

/// Whether a solution is the first of its orbit. `image` is overwritten, so that nothing is allocated for each solution
/// of a board.
pub fn is_fundamental(solution: &Placement, image: &mut Placement) -> bool {
    // the identity comes first
    Symmetry::of(solution.board()).skip(1).all(|symmetry| {
        symmetry.map(solution, image);
        *image >= *solution
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;
    use crate::{
        Error, Problem,
        puzzle::{
            list::tests::{all, queens},
            notation::tests::read,
        },
    };

    fn squares(board: Board) -> Vec<Square> {
        let of_rank = |rank| (0..board.files()).map(move |file| Square { rank, file });
        (0..board.ranks()).flat_map(of_rank).collect()
    }

    #[test]
    fn the_images_of_a_square_are_those_that_are_drawn() -> Result<(), Error> {
        let board = Board::square(4)?;
        let images = Symmetry::of(board).map(|symmetry| symmetry.apply(board, Square { rank: 0, file: 1 }));
        let names: Vec<String> = images.map(|square| square.to_string()).collect();
        assert_eq!(names, ["b1", "b4", "c1", "c4", "a2", "d2", "a3", "d3"]);
        Ok(())
    }

    #[test]
    fn symmetries_permute_the_squares_and_keep_attacks() -> Result<(), Error> {
        for (ranks, files, symmetries) in [(4, 4, 8), (3, 5, 4), (5, 3, 4), (2, 2, 8)] {
            let board = Board::new(ranks, files)?;
            let all = squares(board);
            let mut images = HashSet::new();
            for symmetry in Symmetry::of(board) {
                assert_eq!(symmetry.image(board, &all), all);
                images.insert(all.iter().map(|&square| symmetry.apply(board, square)).collect::<Vec<_>>());
                for &a in &all {
                    for &b in &all {
                        let [x, y] = [a, b].map(|square| symmetry.apply(board, square));
                        assert_eq!(a.attacks(b), x.attacks(y));
                    }
                }
            }
            assert_eq!(images.len(), symmetries, "{board}");
        }
        Ok(())
    }

    #[test]
    fn the_twelve_orbits_of_the_classic_tables() -> Result<(), Error> {
        let solutions = all(&queens(8));
        let number = |one: &Placement| solutions.iter().position(|other| other == one).unwrap_or(99) + 1;
        let mut image = Placement::blank(Board::square(1)?);
        let groups = solutions.iter().filter(|solution| is_fundamental(solution, &mut image)).zip(1..).map(
            |(solution, group)| {
                let numbers: Vec<usize> = orbit(solution).iter().map(number).collect();
                let class = if group == 10 { Class::Point } else { Class::Asymmetric };
                assert_eq!(Class::of(solution), class, "group {group}");
                assert_eq!(numbers.iter().sum::<usize>(), if group == 10 { 186 } else { 372 });
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                format!("group {group}: {}", numbers.join(" "))
            },
        );
        let golden = include_str!("../../tests/data/eight-queens.txt");
        let golden = golden.lines().filter(|line| line.starts_with("group"));
        assert_eq!(groups.collect::<Vec<_>>(), golden.collect::<Vec<_>>());
        Ok(())
    }

    #[test]
    fn orbits_partition_the_solutions() -> Result<(), Error> {
        let boards = (1..=10).map(|n| (n, n)).chain([(4, 6), (6, 4), (3, 7), (7, 5), (1, 4), (5, 1)]);
        for (ranks, files) in boards {
            let solutions = all(&Problem::on(Board::new(ranks, files)?));
            let mut seen = BTreeSet::new();
            let mut image = Placement::blank(Board::square(1)?);
            for solution in solutions.iter().filter(|solution| is_fundamental(solution, &mut image)) {
                let orbit = orbit(solution);
                assert!(orbit[0] == *solution && orbit.iter().all(Placement::is_solution));
                assert_eq!(orbit.len(), orbit_size(solution), "{ranks}x{files}");
                for image in orbit {
                    assert_eq!(Class::of(&image), Class::of(solution));
                    assert!(seen.insert(image), "{ranks}x{files}: in two orbits");
                }
            }
            assert!(seen.iter().eq(&solutions), "{ranks}x{files}");
        }
        Ok(())
    }

    #[test]
    fn small_boards() -> Result<(), Error> {
        assert_eq!((orbit(&read("1")).len(), Class::of(&read("1"))), (1, Class::Rotational));
        assert_eq!(orbit(&read("2 4 1 3")), [read("2 4 1 3"), read("3 1 4 2")]);
        assert_eq!(Class::of(&read("2 4 1 3")), Class::Rotational);
        let mut image = Placement::blank(Board::square(1)?);
        assert_eq!(all(&queens(5)).iter().filter(|solution| is_fundamental(solution, &mut image)).count(), 2);
        Ok(())
    }

    #[test]
    fn a_solution_and_its_mirror_have_numbers_that_add_up() {
        for n in [5, 6, 8] {
            let solutions = all(&queens(n));
            for (solution, mirrored) in solutions.iter().zip(solutions.iter().rev()) {
                let mut image = solution.clone();
                Symmetry::numbered(1).map(solution, &mut image);
                assert_eq!(image, *mirrored);
            }
        }
    }
}
