//! The board: its size, and sets of columns as bits.

use crate::Error;

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

#[cfg(test)]
mod tests {
    use super::*;

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
