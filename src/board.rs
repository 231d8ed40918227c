//! The board: its size, and sets of columns as bits.

use std::{fmt, str::FromStr};

use crate::{Error, Square};

/// Side of a square board, 1 to 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardSize(u32);

impl BoardSize {
    /// The largest board: a set of columns is one `u32`.
    pub const MAX: u32 = 32;

    /// A board of `n` x `n` squares.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless 1 <= `n` <= 32.
    pub fn new(n: u32) -> Result<Self, Error> {
        if (1..=Self::MAX).contains(&n) {
            Ok(Self(n))
        } else {
            Err(Error::usage(
                format!("a board of {n} x {n} squares is out of range"),
                format!("N is a whole number from 1 to {}", Self::MAX),
            ))
        }
    }

    /// The number of rows, which is that of columns.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// All columns: bit c for column c.
    #[must_use]
    pub const fn full(self) -> u32 {
        u32::MAX >> (Self::MAX - self.0)
    }

    /// The mirror image of a set of columns: column c becomes column N-1-c.
    #[must_use]
    pub const fn mirror(self, columns: u32) -> u32 {
        columns.reverse_bits() >> (Self::MAX - self.0)
    }
}

/// A board of ranks (rows) and files (columns), 1 to 32 of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Board {
    ranks: u32,
    files: u32,
}

impl Board {
    /// A board of `ranks` x `files` squares.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless both are from 1 to 32.
    pub fn new(ranks: u32, files: u32) -> Result<Self, Error> {
        let allowed = 1..=BoardSize::MAX;
        if allowed.contains(&ranks) && allowed.contains(&files) {
            return Ok(Self { ranks, files });
        }
        Err(Error::usage(
            format!("a board of {ranks} ranks and {files} files is out of range"),
            format!("ranks and files are whole numbers from 1 to {}", BoardSize::MAX),
        ))
    }

    /// The number of ranks.
    #[must_use]
    pub const fn ranks(self) -> u32 {
        self.ranks
    }

    /// The number of files.
    #[must_use]
    pub const fn files(self) -> u32 {
        self.files
    }

    /// Whether it has as many ranks as files.
    #[must_use]
    pub const fn is_square(self) -> bool {
        self.ranks == self.files
    }

    /// The board with ranks and files exchanged.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self { ranks: self.files, files: self.ranks }
    }

    /// The most queens that could stand on it: no two in a rank or a file.
    #[must_use]
    pub fn most_queens(self) -> u32 {
        self.ranks.min(self.files)
    }

    /// Whether a square is one of its own.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        square.rank < self.ranks && square.file < self.files
    }
}

impl From<BoardSize> for Board {
    fn from(size: BoardSize) -> Self {
        Self { ranks: size.get(), files: size.get() }
    }
}

impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.ranks, self.files)
    }
}

impl FromStr for Board {
    type Err = Error;

    /// Reads ranks x files: `6x9`.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless it is two whole numbers from 1 to 32, in plain digits, with an x between.
    fn from_str(text: &str) -> Result<Self, Error> {
        let plain = |digits: &str| {
            let plain = !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit());
            digits.parse().ok().filter(|_| plain)
        };
        match text.split_once('x').map(|(ranks, files)| (plain(ranks), plain(files))) {
            Some((Some(ranks), Some(files))) => Self::new(ranks, files),
            _ => Err(Error::usage(
                format!("'{}' is not a board", text.chars().take(40).collect::<String>()),
                format!("a board is ranks x files, both from 1 to {}: 6x9", BoardSize::MAX),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_read_as_written() -> Result<(), Error> {
        for text in ["1x1", "6x9", "32x32", "1x32"] {
            assert_eq!(text.parse::<Board>()?.to_string(), text);
        }
        assert_eq!("6x9".parse(), Board::new(6, 9));
        for text in
            ["", "x", "8", "8x", "x8", "0x8", "8x0", "33x8", "8x33", "08x8", "8X8", "8 x 8", "-8x8", "8x8x8"]
        {
            assert!(matches!(text.parse::<Board>(), Err(Error::Usage { .. })), "'{text}'");
        }
        Ok(())
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        assert!(BoardSize::new(0).is_err());
        assert!(BoardSize::new(33).is_err());
        assert_eq!(BoardSize::new(32).map(BoardSize::get).ok(), Some(32));
    }

    #[test]
    fn full_and_mirror_at_the_edges() -> Result<(), Error> {
        assert_eq!(BoardSize::new(1)?.full(), 1);
        assert_eq!(BoardSize::new(32)?.full(), u32::MAX);
        assert_eq!(BoardSize::new(5)?.mirror(0b00011), 0b11000);
        assert_eq!(BoardSize::new(32)?.mirror(1), 1 << 31);
        Ok(())
    }
}
