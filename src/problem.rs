//! What is counted.

use crate::{BoardSize, Error};

/// The N-queens puzzle: the ways to place N queens on an N x N board so that no two attack each other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Problem {
    /// The board, N x N; N queens are placed.
    pub size: BoardSize,
}

impl Problem {
    /// The plain puzzle of N queens.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] unless 1 <= `n` <= 32.
    pub fn queens(n: u32) -> Result<Self, Error> {
        Ok(Self { size: BoardSize::new(n)? })
    }
}
