//! The ladder of plain counters. Each rung is short and honest, neither tuned nor slowed, and is checked
//! against another rung; the highest, [`bitmask`], is the reference for everything faster.
//!
//! | rung | looks at | N = 8 |
//! |---|---|---|
//! | [`permutations`] | every placement of one queen a row and column: N! | 40,320 boards |
//! | [`backtrack`] | every placement whose first rows hold no conflict | 2,056 placements |
//! | [`bitmask`] | the same placements, a row's conflicts as bits | 2,056 placements |

pub mod backtrack;
pub mod bitmask;
pub mod permutations;

/// What a rung says: solutions, and how many queens it placed (for [`permutations`], boards it tried).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Solutions of the puzzle.
    pub solutions: u64,
    /// Queens placed, the empty board not counted; for permutations the boards tried.
    pub visits: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoardSize, known};

    #[test]
    fn each_rung_agrees_with_the_next_and_with_the_known_counts() -> Result<(), crate::Error> {
        for n in 1..=12 {
            let size = BoardSize::new(n)?;
            let bits = bitmask::count(size);
            assert_eq!(u128::from(bits.solutions), known::solutions(n).unwrap_or_default(), "N = {n}");
            if n <= 11 {
                assert_eq!(bits, backtrack::count(size), "backtrack, N = {n}");
            }
            if n <= 9 {
                let permutations = permutations::count(size)?;
                assert_eq!(bits.solutions, permutations.solutions, "permutations, N = {n}");
                assert_eq!(permutations.visits, (1..=u64::from(n)).product::<u64>());
            }
        }
        Ok(())
    }

    #[test]
    fn the_classic_number_of_placements_at_eight() -> Result<(), crate::Error> {
        assert_eq!(bitmask::count(BoardSize::new(8)?), Counted { solutions: 92, visits: 2056 });
        Ok(())
    }
}
