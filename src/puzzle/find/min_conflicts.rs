//! Local search for large boards: a permutation with few queens on one diagonal, then exchanges that leave fewer.
//!
//! The start puts each queen on a random free rank where no diagonal is taken, for as long as that is found soon;
//! the last few dozen queens go anywhere. Then a queen that is attacked exchanges its rank with a random other
//! one wherever that lowers the number of conflicts. Where this comes to no end, it starts again. Time grows
//! about as N. Source: Sosic and Gu, *Efficient local search with conflict minimization: a case study of the
//! n-queens problem* (1994).

use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::side_of_square;
use crate::{Board, CancelToken, Error, Placement};

/// Ranks tried for a queen of the start before it and all later ones are placed at random.
const PATIENCE: u32 = 60;

/// Exchanges tried, in all, before a new start: this many for each queen, and some for small boards.
const EXCHANGES_A_QUEEN: u64 = 100;
const EXCHANGES: u64 = 10_000;

/// Exchanges between two checks of the token.
const LOOK: u64 = 1 << 12;

/// What a local search cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Starts from a new permutation.
    pub starts: u64,
    /// Exchanges of two ranks that were tried.
    pub exchanges: u64,
}

/// A solution for an empty square board, or none for N = 2 and 3; equal seeds give equal solutions.
///
/// # Errors
///
/// [`Error::Usage`] where the board is not square; [`Error::Cancelled`].
pub fn solution(
    board: Board,
    seed: u64,
    cancel: &CancelToken,
) -> Result<(Option<Placement>, Repairs), Error> {
    let n = side_of_square(board, "min-conflicts")?;
    let mut repairs = Repairs::default();
    if matches!(n, 2 | 3) {
        return Ok((None, repairs));
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let most = EXCHANGES + EXCHANGES_A_QUEEN * u64::from(n);
    loop {
        repairs.starts += 1;
        let mut state = State::start(n, &mut random, cancel)?;
        if state.repair(most, &mut random, &mut repairs, cancel)? {
            return Ok((Some(Placement::full(n, state.queens)), repairs));
        }
    }
}

struct State {
    queens: Vec<u32>,
    /// Queens on each diagonal.
    rising: Vec<u32>,
    falling: Vec<u32>,
}

impl State {
    fn start(n: u32, random: &mut ChaCha8Rng, cancel: &CancelToken) -> Result<Self, Error> {
        let mut state = Self {
            queens: (0..n).collect(),
            rising: vec![0; 2 * n as usize],
            falling: vec![0; 2 * n as usize],
        };
        let mut patient = true;
        let mut file = 0;
        while file < n as usize {
            if (file as u64).is_multiple_of(LOOK) {
                cancel.check()?;
            }
            if !patient {
                state.queens[file..].shuffle(random);
                (file..n as usize).for_each(|file| state.count(file, 1));
                break;
            }
            patient = false;
            for _ in 0..PATIENCE {
                let other = random.random_range(file..n as usize);
                state.queens.swap(file, other);
                if state.attackers(file) == 0 {
                    patient = true;
                    break;
                }
            }
            if patient {
                state.count(file, 1);
                file += 1;
            }
        }
        Ok(state)
    }

    fn diagonals(&self, file: usize) -> (usize, usize) {
        let rank = self.queens[file] as usize;
        (rank + self.queens.len() - 1 - file, rank + file)
    }

    /// Queens counted on the two diagonals of a file's queen.
    fn attackers(&self, file: usize) -> u32 {
        let (rising, falling) = self.diagonals(file);
        self.rising[rising] + self.falling[falling]
    }

    /// Counts a queen on its diagonals, or with -1 counts it no longer.
    fn count(&mut self, file: usize, by: i32) {
        let (rising, falling) = self.diagonals(file);
        for count in [&mut self.rising[rising], &mut self.falling[falling]] {
            *count = count.wrapping_add_signed(by);
        }
    }

    /// Pairs of neighbours on diagonals: a diagonal with c queens has c - 1.
    fn conflicts(&self) -> u64 {
        let of = |counts: &[u32]| counts.iter().map(|&count| u64::from(count.saturating_sub(1))).sum::<u64>();
        of(&self.rising) + of(&self.falling)
    }

    /// Exchanges ranks until nothing attacks, or `most` exchanges were tried.
    fn repair(
        &mut self,
        most: u64,
        random: &mut ChaCha8Rng,
        repairs: &mut Repairs,
        cancel: &CancelToken,
    ) -> Result<bool, Error> {
        let mut conflicts = self.conflicts();
        let mut tried = 0;
        while conflicts > 0 && tried < most {
            for file in 0..self.queens.len() {
                // a queen is counted on both of its own diagonals
                while self.attackers(file) > 2 && tried < most {
                    if tried.is_multiple_of(LOOK) {
                        cancel.check()?;
                    }
                    tried += 1;
                    let other = random.random_range(0..self.queens.len());
                    conflicts -= self.exchange(file, other);
                }
            }
        }
        repairs.exchanges += tried;
        Ok(conflicts == 0)
    }

    /// Exchanges the ranks of two queens if that leaves fewer conflicts; returns how many fewer.
    fn exchange(&mut self, file: usize, other: usize) -> u64 {
        if file == other {
            return 0;
        }
        let removed = self.change(file, -1) + self.change(other, -1);
        self.queens.swap(file, other);
        let added = self.change(file, 1) + self.change(other, 1);
        if added < removed {
            return removed - added;
        }
        self.count(file, -1);
        self.count(other, -1);
        self.queens.swap(file, other);
        self.count(file, 1);
        self.count(other, 1);
        0
    }

    /// Counts a queen in or out; returns by how much that changes the conflicts.
    fn change(&mut self, file: usize, by: i32) -> u64 {
        let (rising, falling) = self.diagonals(file);
        // the queen itself is among those counted once it is in
        let others = |count: u32| if by < 0 { count - 1 } else { count };
        let conflicts =
            u64::from(others(self.rising[rising]) > 0) + u64::from(others(self.falling[falling]) > 0);
        self.count(file, by);
        conflicts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn solutions_of_small_and_large_boards() -> Result<(), Error> {
        let cancel = CancelToken::default();
        for n in (1..=200).chain([1000, 20_000]) {
            let (solved, repairs) = solution(Board::square(n)?, u64::from(n), &cancel)?;
            assert_eq!(solved.is_none(), [2, 3].contains(&n), "N = {n}");
            assert!(solved.is_none_or(|placement| placement.is_solution() && repairs.starts > 0), "N = {n}");
        }
        let board = Board::square(50)?;
        assert_eq!(solution(board, 3, &cancel)?, solution(board, 3, &cancel)?);
        cancel.cancel();
        assert_eq!(solution(board, 3, &cancel), Err(Error::Cancelled));
        Ok(())
    }

    proptest! {
        #[test]
        fn the_conflicts_are_kept_up_to_date(n in 4..30u32, seed: u64, exchanges in 1..50u32) {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut state = State::start(n, &mut random, &CancelToken::default())?;
            for _ in 0..exchanges {
                let (before, file) = (state.conflicts(), random.random_range(0..n as usize));
                let less = state.exchange(file, random.random_range(0..n as usize));
                prop_assert_eq!(state.conflicts() + less, before);
                let mut sorted = state.queens.clone();
                sorted.sort_unstable();
                prop_assert!(sorted.into_iter().eq(0..n), "still a permutation");
            }
        }
    }
}
