//! The symmetries of the board, and the group of images of a solution.
//!
//! A square board has 8 symmetries, any other 4 (its two mirrors, the half turn, the identity). The images of a
//! solution are solutions; there are 8, or 4 where the half turn keeps it, or 2 where the quarter turn does
//! (half as many on a board that is not square; 1 for N = 1).

use super::Placement;

/// A symmetry of the board: files and ranks are exchanged or not, then each is mirrored or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Symmetry {
    exchange: bool,
    mirror_ranks: bool,
    mirror_files: bool,
}

const IDENTITY: Symmetry = symmetry(0);
const HALF_TURN: Symmetry = symmetry(3);
const QUARTER_TURN: Symmetry = symmetry(5);

const fn symmetry(bits: u8) -> Symmetry {
    Symmetry { exchange: bits & 4 != 0, mirror_ranks: bits & 1 != 0, mirror_files: bits & 2 != 0 }
}

impl Symmetry {
    /// The symmetries of a board of `ranks` x `files`, the identity first.
    fn of(ranks: u32, files: u32) -> impl Iterator<Item = Self> {
        (0..if ranks == files { 8 } else { 4 }).map(symmetry)
    }

    /// Writes the image of a placement, which has no two queens on one rank where they are exchanged with files.
    fn image(self, placement: &Placement, image: &mut Placement) {
        let (mut ranks, mut files) = (placement.ranks(), placement.files());
        if self.exchange {
            (ranks, files) = (files, ranks);
        }
        image.reshape(ranks, files);
        for square in placement.squares() {
            let (mut rank, mut file) = (square.rank, square.file);
            if self.exchange {
                (rank, file) = (file, rank);
            }
            if self.mirror_ranks {
                rank = ranks - 1 - rank;
            }
            if self.mirror_files {
                file = files - 1 - file;
            }
            image.set(file, Some(rank));
        }
    }
}

/// What keeps a solution as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Not the half turn.
    Simple,
    /// The half turn, not the quarter turn.
    Symmetric,
    /// The quarter turn.
    DoublySymmetric,
}

impl Class {
    /// The class of a solution.
    #[must_use]
    pub fn of(solution: &Placement) -> Self {
        let mut image = Placement::blank(0, 0);
        let mut keeps = |symmetry: Symmetry| {
            symmetry.image(solution, &mut image);
            image == *solution
        };
        match (keeps(HALF_TURN), solution.ranks() == solution.files() && keeps(QUARTER_TURN)) {
            (_, true) => Self::DoublySymmetric,
            (true, false) => Self::Symmetric,
            (false, false) => Self::Simple,
        }
    }

    /// Its name, in the words of the classic tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Symmetric => "symmetric",
            Self::DoublySymmetric => "doubly symmetric",
        }
    }
}

/// The different images of a solution, itself among them, in lexicographic order: the first is the least and
/// stands for the group.
#[must_use]
pub fn images(solution: &Placement) -> Vec<Placement> {
    let mut images = Vec::with_capacity(8);
    for symmetry in Symmetry::of(solution.ranks(), solution.files()) {
        let mut image = Placement::blank(0, 0);
        symmetry.image(solution, &mut image);
        images.push(image);
    }
    images.sort_unstable();
    images.dedup();
    images
}

/// How many different images a solution has. Unlike [`images`] it keeps one image at a time.
#[must_use]
pub fn size(solution: &Placement) -> usize {
    let (ranks, files) = (solution.ranks(), solution.files());
    // a single queen can also be kept by a mirror
    if ranks.min(files) == 1 {
        return images(solution).len();
    }
    let full = if ranks == files { 8 } else { 4 };
    match Class::of(solution) {
        Class::Simple => full,
        Class::Symmetric => full / 2,
        Class::DoublySymmetric => full / 4,
    }
}

/// Says of solutions whether they are the least of their group, without allocation.
#[derive(Debug)]
pub struct Least(Placement);

impl Default for Least {
    fn default() -> Self {
        Self(Placement::blank(0, 0))
    }
}

impl Least {
    /// Whether no image of the solution comes before it.
    pub fn is(&mut self, solution: &Placement) -> bool {
        Symmetry::of(solution.ranks(), solution.files()).filter(|symmetry| *symmetry != IDENTITY).all(
            |symmetry| {
                symmetry.image(solution, &mut self.0);
                self.0 >= *solution
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{
        Error,
        puzzle::{
            Position,
            list::tests::{all, square},
            notation::tests::read,
        },
    };

    #[test]
    fn the_twelve_groups_of_the_classic_tables() {
        let solutions = all(&square(8));
        let number = |one: &Placement| solutions.iter().position(|other| other == one).unwrap_or(99) + 1;
        let mut least = Least::default();
        let groups =
            solutions.iter().filter(|solution| least.is(solution)).zip(1..).map(|(solution, group)| {
                let numbers: Vec<usize> = images(solution).iter().map(number).collect();
                let class = if group == 10 { Class::Symmetric } else { Class::Simple };
                assert_eq!(Class::of(solution), class, "group {group}");
                assert_eq!(numbers.iter().sum::<usize>(), if group == 10 { 186 } else { 372 });
                let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
                format!("group {group}: {}", numbers.join(" "))
            });
        let golden = include_str!("../../tests/data/eight-queens.txt");
        let golden = golden.lines().filter(|line| line.starts_with("group"));
        assert_eq!(groups.collect::<Vec<_>>(), golden.collect::<Vec<_>>());
    }

    #[test]
    fn groups_partition_the_solutions() -> Result<(), Error> {
        let boards = (1..=10).map(|n| (n, n)).chain([(4, 6), (6, 4), (3, 7), (7, 5), (1, 4), (5, 1)]);
        for (ranks, files) in boards {
            let solutions = all(&Position::new(ranks, files)?);
            let mut seen = BTreeSet::new();
            let mut least = Least::default();
            for solution in solutions.iter().filter(|solution| least.is(solution)) {
                let group = images(solution);
                assert!(group[0] == *solution && group.iter().all(Placement::is_solution));
                assert_eq!(group.len(), size(solution), "{ranks} x {files}");
                for image in group {
                    assert_eq!(Class::of(&image), Class::of(solution));
                    assert!(seen.insert(image), "{ranks} x {files}: in two groups");
                }
            }
            assert!(seen.iter().eq(&solutions), "{ranks} x {files}");
        }
        Ok(())
    }

    #[test]
    fn small_boards() {
        assert_eq!((images(&read("1")).len(), Class::of(&read("1"))), (1, Class::DoublySymmetric));
        assert_eq!(images(&read("2 4 1 3")), [read("2 4 1 3"), read("3 1 4 2")]);
        assert_eq!(Class::of(&read("2 4 1 3")), Class::DoublySymmetric);
        let mut least = Least::default();
        assert_eq!(all(&square(5)).iter().filter(|solution| least.is(solution)).count(), 2);
    }

    #[test]
    fn a_solution_and_its_mirror_have_numbers_that_add_up() {
        for n in [5, 6, 8] {
            let solutions = all(&square(n));
            let mirror = symmetry(1);
            for (solution, mirrored) in solutions.iter().zip(solutions.iter().rev()) {
                let mut image = Placement::blank(0, 0);
                mirror.image(solution, &mut image);
                assert_eq!(image, *mirrored);
            }
        }
    }
}
