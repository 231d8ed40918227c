//! Solutions by symmetry class, from all solutions and the symmetric ones.

use super::symmetric::Symmetric;
use crate::{BoardSize, Error};

/// Orbits of solutions under the 8 symmetries of the square, by the size of the orbit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classes {
    /// All orbits: the fundamental solutions (OEIS A002562).
    pub fundamental: u128,
    /// Orbits of 8: no symmetry but the identity keeps their members.
    pub asymmetric: u128,
    /// Orbits of 4: the half turn keeps their members, the quarter turn does not.
    pub point: u128,
    /// Orbits of 2 (1 for N = 1): the quarter turn keeps their members.
    pub rotational: u128,
}

impl Classes {
    /// The classes of Q solutions of which P are kept by the half turn and R by the quarter turn:
    /// a = (Q - P) / 8, b = (P - R) / 4, c = R / 2.
    ///
    /// # Errors
    ///
    /// [`Error::Disagree`] where these are not whole numbers: one of the three counts is wrong. An error of Q
    /// by a multiple of 8 passes. Nothing is counted again: there is no saying which of the three it is.
    pub fn new(size: BoardSize, solutions: u128, symmetric: Symmetric) -> Result<Self, Error> {
        let (point, rotational) = (u128::from(symmetric.point), u128::from(symmetric.rotational));
        if size.get() == 1 {
            return Ok(Self { fundamental: 1, asymmetric: 0, point: 0, rotational: 1 });
        }
        let part = |all: u128, kept: u128, orbit: u128| {
            all.checked_sub(kept).filter(|rest| rest.is_multiple_of(orbit)).map(|rest| rest / orbit)
        };
        let parts = (part(solutions, point, 8), part(point, rotational, 4), part(rotational, 0, 2));
        let (Some(asymmetric), Some(point), Some(rotational)) = parts else {
            return Err(Error::Disagree {
                what: format!("the symmetry classes for N = {} are no whole numbers", size.get()),
                left_name: "the count".into(),
                left: solutions.to_string(),
                right_name: "the counts of symmetric solutions".into(),
                right: format!(
                    "{} by the half turn, {} by the quarter turn",
                    symmetric.point, symmetric.rotational
                ),
            });
        };
        Ok(Self { fundamental: asymmetric + point + rotational, asymmetric, point, rotational })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fundamental_counts_are_the_known_ones() -> Result<(), Error> {
        for line in
            include_str!("../../tests/data/known-counts.txt").lines().filter(|line| !line.starts_with('#'))
        {
            let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [n, all, fundamental, point, rotational] = numbers[..] else { panic!("{line}") };
            let classes =
                Classes::new(BoardSize::new(n as u32)?, all.into(), Symmetric { point, rotational })?;
            assert_eq!(classes.fundamental, fundamental.into(), "N = {n}");
        }
        Ok(())
    }

    #[test]
    fn a_count_that_breaks_the_identity_is_seen() -> Result<(), Error> {
        let (size, symmetric) = (BoardSize::new(16)?, Symmetric { point: 3000, rotational: 64 });
        assert!(Classes::new(size, 14_772_512, symmetric).is_ok());
        for wrong in [14_772_511, 14_772_513, 14_772_516, 2999, 0] {
            assert!(matches!(Classes::new(size, wrong, symmetric), Err(Error::Disagree { .. })), "{wrong}");
        }
        Ok(())
    }
}
