//! Names of methods, and of the ways in which they cut a problem into blocks.

use std::{fmt, str::FromStr};

use strum::{Display, EnumString, IntoStaticStr};

use crate::Error;

/// A method, by its name: that in documents and files is the word in lower case.
#[derive(Clone, Copy, Debug, Display, EnumString, IntoStaticStr, PartialEq, Eq, Hash)]
#[strum(serialize_all = "lowercase")]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum MethodName {
    /// The parity join.
    Join,
    /// Prefixes and a bitmask search below each.
    Search,
    /// Plain recursion over bit sets.
    Bitmask,
    /// Plain recursion over an array.
    Backtrack,
    /// Every permutation, tested.
    Permutations,
}

impl MethodName {
    /// Whether it is a plain counter: one thread, no blocks.
    #[must_use]
    pub const fn is_plain(self) -> bool {
        matches!(self, Self::Bitmask | Self::Backtrack | Self::Permutations)
    }
}

/// How a problem is cut into blocks, as a checkpoint says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockCut {
    /// The only way there is.
    Whole,
    /// By what is below the first queens of the board.
    Seeds {
        /// Rows below the border that hold queens.
        rows: u32,
        /// Whether the board is seen in a mirror.
        mirrored: bool,
    },
}

impl fmt::Display for BlockCut {
    /// In words: `whole`, `seeds of 3 rows`, `seeds of 3 rows, mirrored`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Whole => f.write_str("whole"),
            Self::Seeds { rows, mirrored } => {
                write!(f, "seeds of {rows} rows{}", if mirrored { ", mirrored" } else { "" })
            }
        }
    }
}

impl FromStr for BlockCut {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let seeds = |text: &str| {
            let (text, mirrored) = match text.strip_suffix(", mirrored") {
                Some(text) => (text, true),
                None => (text, false),
            };
            let rows = text.strip_prefix("seeds of ")?.strip_suffix(" rows")?.parse().ok()?;
            Some(Self::Seeds { rows, mirrored })
        };
        let cut = if text == "whole" { Some(Self::Whole) } else { seeds(text) };
        // numbers that are not written so
        cut.filter(|cut| cut.to_string() == text).ok_or_else(|| {
            Error::usage(format!("'{text}' is no cut of a problem"), "a cut is: whole, or seeds of 3 rows")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_cuts_are_read_as_they_are_written() {
        assert_eq!((MethodName::Join.to_string().as_str(), "join".parse()), ("join", Ok(MethodName::Join)));
        for cut in [
            BlockCut::Whole,
            BlockCut::Seeds { rows: 0, mirrored: false },
            BlockCut::Seeds { rows: 31, mirrored: true },
        ] {
            assert_eq!(cut.to_string().parse(), Ok(cut));
        }
        for text in [
            "",
            "Whole",
            "seeds of  rows",
            "seeds of +1 rows",
            "seeds of 01 rows",
            "seeds of 1 rows,mirrored",
        ] {
            assert!(text.parse::<BlockCut>().is_err() && text.parse::<MethodName>().is_err(), "{text}");
        }
    }
}
