//! The board, and queens on it; nothing is counted here.
//!
//! Ranks are rows, counted from the bottom; files are columns, counted from the left and named by letters. A board of
//! R ranks and C files is written RxC:
//!
//! ```text
//!      3   a3 b3 c3 d3
//! rank 2   a2 b2 c2 d2      3x4
//!      1   a1 b1 c1 d1
//!           a  b  c  d
//!              file
//! ```

pub mod bits;
pub mod placement;
pub mod square;
pub mod symmetry;

use std::{fmt, str::FromStr};

use self::square::Square;
use crate::Error;

/// Side of a square board on which solutions are counted, 1 to 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoardSize(u32);

impl BoardSize {
    /// The largest side: a set of columns is one `u32`.
    pub const MAX: u32 = 32;

    /// A board of `n` x `n` squares.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless 1 <= `n` <= 32.
    pub fn new(n: u32) -> Result<Self, Error> {
        check_sides(n, n, Self::MAX, "a count")?;
        Ok(Self(n))
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

/// A board of ranks (rows) and files (columns), 1 to 10,000,000 of each.
///
/// ```
/// use ferz::Board;
///
/// # fn main() -> Result<(), ferz::Error> {
/// let board: Board = "6x9".parse()?;
/// assert_eq!((board.ranks(), board.files(), board.max_queens()), (6, 9, 6));
/// assert!(board.contains("i6".parse()?) && !board.contains("f7".parse()?));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    ranks: u32,
    files: u32,
}

impl Board {
    /// The longest side.
    pub const MAX_SIDE: u32 = 10_000_000;

    /// A board of `ranks` x `files` squares.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless both are from 1 to [`Board::MAX_SIDE`].
    pub fn new(ranks: u32, files: u32) -> Result<Self, Error> {
        check_sides(ranks, files, Self::MAX_SIDE, "ferz")?;
        Ok(Self { ranks, files })
    }

    /// A board of `n` x `n` squares.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless 1 <= `n` <= [`Board::MAX_SIDE`].
    pub fn square(n: u32) -> Result<Self, Error> {
        Self::new(n, n)
    }

    /// The number of ranks, R.
    #[must_use]
    pub const fn ranks(self) -> u32 {
        self.ranks
    }

    /// The number of files, C.
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

    /// The maximum number of queens that do not share a rank or a file: min(R, C).
    #[must_use]
    pub const fn max_queens(self) -> u32 {
        if self.ranks < self.files { self.ranks } else { self.files }
    }

    /// Whether a square is on the board.
    #[must_use]
    pub const fn contains(self, square: Square) -> bool {
        square.rank < self.ranks && square.file < self.files
    }

    /// Refuses a square that is not on the board.
    pub(crate) fn require(self, square: Square) -> Result<(), Error> {
        if self.contains(square) {
            return Ok(());
        }
        let last = Square { rank: self.ranks - 1, file: self.files - 1 };
        Err(Error::usage(
            format!("{square} is not on a board of {self}"),
            format!("its squares are a1 to {last}"),
        ))
    }

    /// Refuses a side longer than `max`, which is all that `user` takes.
    pub(crate) fn at_most(self, max: u32, user: &str) -> Result<(), Error> {
        check_sides(self.ranks, self.files, max, user)
    }
}

/// Refuses sides of a board that are not from 1 to `max`, which is all that `user` takes.
fn check_sides(ranks: u32, files: u32, max: u32, user: &str) -> Result<(), Error> {
    if ranks.min(files) >= 1 && ranks.max(files) <= max {
        return Ok(());
    }
    Err(Error::usage(
        format!("a board of {ranks}x{files} is out of range"),
        format!("{user} takes from 1 to {max} ranks and files"),
    ))
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
    /// [`Error::Usage`] unless it is two numbers in plain digits with an x between, both from 1 to
    /// [`Board::MAX_SIDE`].
    fn from_str(text: &str) -> Result<Self, Error> {
        match text.split_once('x').map(|(ranks, files)| (plain_number(ranks), plain_number(files))) {
            Some((Some(ranks), Some(files))) => Self::new(ranks, files),
            _ => Err(Error::usage(
                format!("'{}' is not a board", start_of(text)),
                "a board is ranks x files, in plain digits: 6x9",
            )),
        }
    }
}

/// A whole number in plain digits: without a sign, and without a zero at the front, where others would read octal.
pub(crate) fn plain_number(text: &str) -> Option<u32> {
    let plain = text == "0" || !text.starts_with('0') && text.bytes().all(|digit| digit.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// As much of a text as an error repeats.
pub(crate) fn start_of(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_read_as_written() -> Result<(), Error> {
        for text in ["1x1", "6x9", "32x32", "1x32", "10000000x1"] {
            assert_eq!(text.parse::<Board>()?.to_string(), text);
        }
        assert_eq!("6x9".parse(), Board::new(6, 9));
        for text in [
            "",
            "x",
            "8",
            "8x",
            "x8",
            "0x8",
            "8x0",
            "08x8",
            "8x08",
            "8X8",
            "8 x 8",
            "-8x8",
            "+8x8",
            "8x8x8",
            "10000001x8",
            "99999999999x8",
            "8x8 ",
            "\u{664}x8",
        ] {
            assert!(matches!(text.parse::<Board>(), Err(Error::Usage { .. })), "'{text}'");
        }
        Ok(())
    }

    #[test]
    fn what_is_out_of_range_is_refused_with_the_range() -> Result<(), Error> {
        let hint = |refused: Error| refused.hint().map(str::to_owned).unwrap_or_default();
        for n in [0, 33] {
            assert!(BoardSize::new(n).is_err_and(|error| hint(error).contains("from 1 to 32")), "{n}");
        }
        assert_eq!(BoardSize::new(32).map(BoardSize::get), Ok(32));
        for (ranks, files) in [(0, 8), (8, 0), (Board::MAX_SIDE + 1, 1)] {
            let refused = Board::new(ranks, files);
            assert!(
                refused.is_err_and(|error| hint(error).contains("from 1 to 10000000")),
                "{ranks}x{files}"
            );
        }
        let board = Board::new(6, 9)?;
        assert!(board.at_most(9, "a test").is_ok());
        assert!(board.at_most(8, "a test").is_err_and(|error| hint(error).starts_with("a test takes")));
        let square = |name: &str| name.parse::<Square>();
        assert!(board.require(square("i6")?).is_ok());
        for name in ["j1", "a7"] {
            let refused = board.require(square(name)?);
            assert!(refused.is_err_and(|error| hint(error).ends_with("a1 to i6")), "{name}");
        }
        Ok(())
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
