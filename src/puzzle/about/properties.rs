//! Properties of a placement that the literature asks for.

use crate::{Board, Error, Placement, Square, board::placement::Direction};

/// The maximum number of queens among which three in a line are looked for: the time grows with its square.
pub const MAX_IN_LINE: usize = 4096;

/// Three queens on a straight line of any slope, if there are such.
///
/// # Errors
///
/// [`Error::Usage`] for more than [`MAX_IN_LINE`] queens.
pub fn three_in_line(placement: &Placement) -> Result<Option<[Square; 3]>, Error> {
    let squares: Vec<Square> = placement.squares().collect();
    if squares.len() > MAX_IN_LINE {
        return Err(Error::usage(
            format!("three in a line are looked for among {} queens", squares.len()),
            format!("give at most {MAX_IN_LINE}"),
        ));
    }
    let mut slopes = Vec::new();
    for (at, &first) in squares.iter().enumerate() {
        slopes.clear();
        slopes.extend(squares[at + 1..].iter().map(|&other| (slope(first, other), other)));
        slopes.sort_unstable();
        if let Some(pair) = slopes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let mut line = [first, pair[0].1, pair[1].1];
            line.sort_unstable_by_key(|square| square.file);
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// The direction from a square to one on a later file, in lowest terms.
fn slope(from: Square, to: Square) -> (i64, i64) {
    let (files, ranks) =
        (i64::from(to.file) - i64::from(from.file), i64::from(to.rank) - i64::from(from.rank));
    let (mut divisor, mut rest) = (files, ranks.abs());
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (files / divisor, ranks / divisor)
}

/// Whether no three queens stand on a straight line of any slope. For small boards: it looks at all triples, and
/// allocates nothing.
#[must_use]
pub fn has_no_three_in_line(placement: &Placement) -> bool {
    let step = |from: Square, to: Square| {
        (i64::from(to.file) - i64::from(from.file), i64::from(to.rank) - i64::from(from.rank))
    };
    let squares = placement.squares();
    squares.clone().enumerate().all(|(at, first)| {
        let later = squares.clone().skip(at + 1);
        later.clone().enumerate().all(|(at, second)| {
            let (files, ranks) = step(first, second);
            later.clone().skip(at + 1).all(|third| {
                let (further_files, further_ranks) = step(first, third);
                files * further_ranks != ranks * further_files
            })
        })
    })
}

/// Whether the K x K squares in the centre of the board are empty. None where the board has no such centre: K
/// must be at most its sides, and even or odd as both of them.
#[must_use]
pub fn is_centre_empty(placement: &Placement, side: u32) -> Option<bool> {
    let first = centre(placement.board(), side)?;
    let inside = |square: Square| {
        square.rank.wrapping_sub(first.rank) < side && square.file.wrapping_sub(first.file) < side
    };
    Some(!placement.squares().any(inside))
}

/// The first square of the K x K squares in the centre of a board, if it has such a centre.
pub(crate) fn centre(board: Board, side: u32) -> Option<Square> {
    let start = |length: u32| length.checked_sub(side).filter(|rest| rest % 2 == 0).map(|rest| rest / 2);
    Some(Square { rank: start(board.ranks())?, file: start(board.files())? })
}

/// The largest K for which the K x K squares in the centre of the board are empty; 0 if none. None where the
/// board has no such centre, one side being even and the other odd.
#[must_use]
pub fn largest_empty_centre(placement: &Placement) -> Option<u32> {
    let (ranks, files) = (placement.ranks(), placement.files());
    if ranks % 2 != files % 2 {
        return None;
    }
    // twice the distance from the centre, of the nearest queen
    let distance = |square: Square| {
        let from = |at: u32, length: u32| (2 * u64::from(at) + 1).abs_diff(u64::from(length));
        from(square.rank, ranks).max(from(square.file, files))
    };
    // a centre of side K holds the squares with distances up to K - 1, which are even or odd as K - 1 is
    let nearest = placement.squares().map(distance).min()?;
    Some((nearest.saturating_sub(1) as u32).min(ranks).min(files))
}

/// Whether both main diagonals are empty. None where the board is not square.
#[must_use]
pub fn are_diagonals_empty(placement: &Placement) -> Option<bool> {
    let n = placement.files();
    let off = |square: Square| square.rank != square.file && square.rank + square.file != n - 1;
    (placement.ranks() == n).then(|| placement.squares().all(off))
}

/// The sums test: with 1, 2, ..., N added to the ranks of files a, b, ... all sums differ, and with N, ..., 2, 1
/// too. Exactly the permutations of which both hold are solutions.
#[must_use]
pub fn sums_differ(placement: &Placement) -> [bool; 2] {
    // equal sums are on one diagonal
    [Direction::Falling, Direction::Rising].map(|direction| placement.has_no_two_on(direction))
}

/// Queens on the four classes of squares by the parity of file and rank: those of a1, a2, b1, b2.
#[must_use]
pub fn parity_classes(placement: &Placement) -> [u64; 4] {
    let mut classes = [0; 4];
    for square in placement.squares() {
        classes[(square.file % 2 * 2 + square.rank % 2) as usize] += 1;
    }
    classes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Problem, orbit,
        puzzle::{
            list::tests::{all, queens},
            notation::tests::read,
        },
    };

    /// Three squares are on a line if the triangle they make has no area.
    fn brute_force(placement: &Placement) -> bool {
        let at: Vec<(i64, i64)> =
            placement.squares().map(|square| (square.file.into(), square.rank.into())).collect();
        let area = |a: (i64, i64), b: (i64, i64), c: (i64, i64)| {
            a.0 * (b.1 - c.1) + b.0 * (c.1 - a.1) + c.0 * (a.1 - b.1)
        };
        (0..at.len()).all(|i| (0..i).all(|j| (0..j).all(|k| area(at[i], at[j], at[k]) != 0)))
    }

    #[test]
    fn no_three_in_line_agrees_with_brute_force() -> Result<(), Error> {
        for n in 1..=9 {
            for solution in all(&queens(n)) {
                let none = brute_force(&solution);
                assert_eq!(has_no_three_in_line(&solution), none);
                let found = three_in_line(&solution)?;
                assert_eq!(found.is_none(), none);
                if let Some([a, b, c]) = found {
                    assert_eq!(slope(a, b), slope(a, c));
                }
            }
        }
        assert!(three_in_line(&Placement::full(1, vec![0; MAX_IN_LINE + 1])).is_err());
        Ok(())
    }

    #[test]
    fn the_point_symmetric_orbit_of_eight_has_an_empty_centre_and_empty_diagonals() {
        let orbit = orbit(&read("3 5 2 8 1 7 4 6"));
        assert_eq!(orbit.len(), 4);
        for image in &orbit {
            assert_eq!(largest_empty_centre(image), Some(4));
            assert_eq!(are_diagonals_empty(image), Some(true));
        }
        for solution in all(&queens(8)) {
            let both =
                largest_empty_centre(&solution) == Some(4) && are_diagonals_empty(&solution) == Some(true);
            assert_eq!(both, orbit.contains(&solution), "no other has both");
        }
    }

    #[test]
    fn the_largest_centre_is_the_last_that_is_empty() -> Result<(), Error> {
        for (ranks, files) in [(8, 8), (7, 7), (6, 4), (5, 7), (1, 1), (5, 4)] {
            for solution in all(&Problem::on(Board::new(ranks, files)?)) {
                let sides =
                    (1..=ranks.min(files)).filter(|&side| is_centre_empty(&solution, side) == Some(true));
                let expected = (ranks % 2 == files % 2).then(|| sides.max().unwrap_or(0));
                assert_eq!(largest_empty_centre(&solution), expected, "{ranks}x{files}");
            }
        }
        assert_eq!(is_centre_empty(&read("2 4 1 3"), 3), None);
        assert_eq!(is_centre_empty(&read("2 4 1 3"), 6), None);
        Ok(())
    }

    #[test]
    fn queens_by_parity_class() {
        // a2 b4 c1 d3
        assert_eq!(parity_classes(&read("2 4 1 3")), [1, 1, 1, 1]);
        assert_eq!(parity_classes(&read("1 3 2 4")), [1, 1, 1, 1]);
        assert_eq!(parity_classes(&read("1 2 3")), [2, 0, 0, 1]);
    }

    proptest! {
        #[test]
        fn the_sums_test_finds_exactly_the_solutions(ranks in Just((0..7u32).collect::<Vec<_>>()).prop_shuffle()) {
            let placement = Placement::full(7, ranks);
            prop_assert_eq!(sums_differ(&placement) == [true, true], placement.is_solution());
        }
    }
}
