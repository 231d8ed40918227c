//! All that is known about a placement.

use super::properties;
use crate::{
    Attacks, BoardSize, CancelToken, Class, Error, Placement, Problem, Square,
    board::symmetry::{orbit, orbit_size},
    puzzle::list,
};

/// The maximum number of queens placed to find the numbers of solutions: two seconds or so, enough for all of N = 15.
const MAX_NODES: u64 = 200_000_000;

/// The maximum number of attacking pairs that are named.
const MAX_PAIRS: usize = 20;

/// What a placement is like. A property that is not affordable, or that the board does not have, is none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classification {
    /// Whether no queen attacks another.
    pub is_solution: bool,
    /// Pairs that do, up to 20 of them named.
    pub attacks: Attacks,
    /// What only solutions have.
    pub orbit: Option<Orbit>,
    /// Whether there are three queens on a straight line of any slope, and which; none where there are too many
    /// to look.
    pub three_in_line: Option<Option<[Square; 3]>>,
    /// See [`properties::largest_empty_centre`].
    pub empty_centre: Option<u32>,
    /// See [`properties::are_diagonals_empty`].
    pub empty_diagonals: Option<bool>,
    /// See [`properties::sums_differ`].
    pub sums_differ: [bool; 2],
    /// See [`properties::parity_classes`].
    pub parity_classes: [u64; 4],
}

/// A solution among the images of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Orbit {
    /// The number of the solution in lexicographic order, where that is affordable.
    pub number: Option<u64>,
    /// Which turns keep it as it is.
    pub class: Class,
    /// How many images there are.
    pub size: usize,
    /// The images in order, with their numbers where affordable; none on a board above 32x32.
    pub images: Option<Vec<(Placement, Option<u64>)>>,
}

/// Looks at a placement.
///
/// # Errors
///
/// [`Error::Cancelled`].
pub fn classify(placement: &Placement, cancel: &CancelToken) -> Result<Classification, Error> {
    let is_solution = placement.is_solution();
    Ok(Classification {
        is_solution,
        attacks: if is_solution { Attacks::default() } else { placement.attacks(MAX_PAIRS) },
        orbit: if is_solution { Some(orbit_of(placement, cancel)?) } else { None },
        three_in_line: properties::three_in_line(placement).ok(),
        empty_centre: properties::largest_empty_centre(placement),
        empty_diagonals: properties::are_diagonals_empty(placement),
        sums_differ: properties::sums_differ(placement),
        parity_classes: properties::parity_classes(placement),
    })
}

fn orbit_of(solution: &Placement, cancel: &CancelToken) -> Result<Orbit, Error> {
    let (class, size, board) = (Class::of(solution), orbit_size(solution), solution.board());
    if board.ranks().max(board.files()) > BoardSize::MAX {
        return Ok(Orbit { number: None, class, size, images: None });
    }
    let images = orbit(solution);
    let numbers = list::numbers(&Problem::on(board), &images, MAX_NODES, cancel)?;
    let images: Vec<_> = images.into_iter().zip(numbers).collect();
    let number = images.iter().find(|(image, _)| image == solution).and_then(|&(_, number)| number);
    Ok(Orbit { number, class, size, images: Some(images) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::notation::tests::read;

    fn classified(text: &str) -> Classification {
        classify(&read(text), &CancelToken::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_solution_has_an_orbit_with_numbers() {
        let seen = classified("3 5 2 8 1 7 4 6");
        assert!(seen.is_solution && seen.attacks.total == 0 && seen.sums_differ == [true, true]);
        let orbit = seen.orbit.unwrap_or_else(|| panic!("a solution has one"));
        assert_eq!((orbit.number, orbit.class, orbit.size), (Some(14), Class::Point, 4));
        let numbers = orbit.images.into_iter().flatten().map(|(_, number)| number);
        assert_eq!(numbers.collect::<Vec<_>>(), [Some(14), Some(38), Some(55), Some(79)]);
        assert_eq!((seen.empty_centre, seen.empty_diagonals), (Some(4), Some(true)));
    }

    #[test]
    fn what_is_no_solution_has_none() {
        let seen = classified("2 4 6 8 1 3 5 7");
        assert!(!seen.is_solution && seen.orbit.is_none() && seen.sums_differ != [true, true]);
        assert_eq!(seen.attacks.total, 3);
        assert_eq!(seen.three_in_line.flatten().map(|line| line[0].to_string()).as_deref(), Some("a2"));
    }
}
