//! Classic sizes of the search space of N queens.

/// A way to look at the puzzle, and how many placements it leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// As people write it.
    pub formula: &'static str,
    /// What is placed.
    pub meaning: &'static str,
    /// The number of placements, to the precision of a float.
    pub size: f64,
}

/// The spaces for one N, the largest first.
#[must_use]
pub fn spaces(n: u32) -> [Space; 3] {
    let (side, squares) = (f64::from(n), f64::from(n) * f64::from(n));
    let factors = (0..n).map(f64::from);
    [
        Space {
            formula: "C(N²,N)",
            meaning: "N queens anywhere",
            // each prefix of the product is a binomial coefficient, so nothing overflows on the way
            size: factors.clone().map(|i| (squares - i) / (i + 1.0)).product::<f64>().round(),
        },
        Space { formula: "N^N", meaning: "one queen a row", size: side.powi(n as i32) },
        Space {
            formula: "N!",
            meaning: "one queen a row and a column",
            size: factors.map(|i| i + 1.0).product(),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_queens_have_the_textbook_sizes() {
        assert_eq!(spaces(8).map(|space| space.size), [4_426_165_368.0, 16_777_216.0, 40_320.0]);
        assert_eq!(spaces(1).map(|space| space.size), [1.0; 3]);
        assert!(spaces(32).iter().all(|space| space.size.is_finite()));
    }
}
