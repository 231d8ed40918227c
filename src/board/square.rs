//! Squares, and how they are written: the file in letters, the rank in digits.
//!
//! ```text
//! 2   a2 b2 ... z2 aa2 ab2
//! 1   a1 b1 ... z1 aa1 ab1     a1 is rank 0 and file 0, aa1 is rank 0 and file 26
//! ```

use std::{
    fmt::{self, Write},
    str::FromStr,
};

use super::{plain_number, start_of};
use crate::Error;

/// A square of a board of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square {
    /// Its rank (row), from 0: rank 4 is 3.
    pub rank: u32,
    /// Its file (column), from 0: file d is 3. Files past z are aa, ab, ..., az, ba, ...
    pub file: u32,
}

/// Letters in the name of a file.
const LETTERS: u32 = 26;

impl Square {
    /// Whether queens on the two squares attack each other; a square attacks itself.
    #[must_use]
    pub const fn attacks(self, other: Self) -> bool {
        let (ranks, files) = (self.rank.abs_diff(other.rank), self.file.abs_diff(other.file));
        ranks == 0 || files == 0 || ranks == files
    }

    /// The name of its file: d.
    #[must_use]
    pub const fn file_name(self) -> FileName {
        FileName(self.file)
    }
}

/// The name of a file, in letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileName(u32);

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // the longest, mwlqkwv, is that of 2^32
        let mut letters = [0; 7];
        let mut first = letters.len();
        let mut left = u64::from(self.0) + 1;
        while left > 0 {
            left -= 1;
            first -= 1;
            letters[first] = b'a' + (left % u64::from(LETTERS)) as u8;
            left /= u64::from(LETTERS);
        }
        letters[first..].iter().try_for_each(|&letter| f.write_char(letter.into()))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file_name(), u64::from(self.rank) + 1)
    }
}

impl FromStr for Square {
    type Err = Error;

    /// Reads a square; letters may be large.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless it is letters, then digits that do not start with 0, both below 2^32.
    fn from_str(text: &str) -> Result<Self, Error> {
        let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (file, rank) = text.split_at(letters);
        let file = file.bytes().try_fold(0u32, |file, letter| {
            file.checked_mul(LETTERS)?.checked_add(u32::from(letter.to_ascii_lowercase() - b'a') + 1)
        });
        let from_zero = |number: Option<u32>| number.and_then(|number| number.checked_sub(1));
        match (from_zero(file), from_zero(plain_number(rank))) {
            (Some(file), Some(rank)) => Ok(Self { rank, file }),
            _ => Err(Error::usage(
                format!("'{}' is not a square", start_of(text)),
                "a square is its file in letters and its rank in digits: d4; files past z are aa, ab, ...",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_squares() -> Result<(), Error> {
        for (text, rank, file) in
            [("a1", 0, 0), ("d4", 3, 3), ("z32", 31, 25), ("aa1", 0, 26), ("az9", 8, 51), ("ba10", 9, 52)]
        {
            assert_eq!(text.parse::<Square>()?, Square { rank, file });
            assert_eq!(Square { rank, file }.to_string(), text);
        }
        assert_eq!("AF32".parse::<Square>()?, Square { rank: 31, file: 31 });
        Ok(())
    }

    #[test]
    fn what_is_no_square() {
        for text in [
            "",
            "a",
            "1",
            "4d",
            "a0",
            "a01",
            "a-1",
            "a+1",
            "a1 ",
            " a1",
            "ä1",
            "a1b",
            "a99999999999",
            "zzzzzzzz1",
        ] {
            assert!(matches!(text.parse::<Square>(), Err(Error::Usage { .. })), "'{text}'");
        }
    }

    proptest! {
        #[test]
        fn every_square_is_read_as_written(rank in 0..u32::MAX, file in 0..u32::MAX) {
            let square = Square { rank, file };
            prop_assert_eq!(square.to_string().parse(), Ok(square));
        }

        #[test]
        fn reading_never_panics(text in ".*") {
            let _ = text.parse::<Square>();
        }
    }
}
