//! The solution nearest to a placement: the one in which the fewest queens stand on other ranks of their files.
//!
//! Branch and bound: for a maximum of 0, 1, 2, ... moves, until there is a solution, all placements with at most that many
//! moves are searched file by file. A queen that is attacked by those before it must move, and so a branch ends as
//! soon as the moved queens and these are too many. The cost grows fast with N and with the moves: at N = 8 a case
//! takes microseconds, at N = 16 milliseconds for random ranks and seconds where nearly all queens must move.

use crate::{BoardSize, CancelToken, Error, Placement, Square, board::bits::bits};

const MAX_SIDE: u32 = BoardSize::MAX;

/// Nodes between two checks of the token.
const LOOK: u32 = 1 << 16;

/// The nearest solution to a placement with a queen on each file of a square board, attacking or not, and how many
/// queens move; none where there is no solution, for N = 2 and 3. Of several equally near it is any.
///
/// # Errors
///
/// [`Error::Usage`] for a board that is not square or larger than 32 x 32; [`Error::Cancelled`].
pub fn nearest(placement: &Placement, cancel: &CancelToken) -> Result<Option<(u32, Placement)>, Error> {
    let board = placement.board();
    if !board.is_square() {
        return Err(Error::usage(
            format!("a placement on a board of {board} is given"),
            "give one with a queen on each file of a square board",
        ));
    }
    board.at_most(MAX_SIDE, "the search for the nearest solution")?;
    let mut search = Nearest::new(placement, cancel);
    for max in 0..=board.files() {
        if search.below(Node::default(), max)? {
            return Ok(Some((max, Placement::full(board.ranks(), search.queens[..search.files].to_vec()))));
        }
    }
    Ok(None)
}

/// A square for each file and rank, and for each square the files whose given queens it attacks.
struct Nearest<'a> {
    files: usize,
    full: u32,
    given: [u32; MAX_SIDE as usize],
    attacked: Box<[[u32; MAX_SIDE as usize]; MAX_SIDE as usize]>,
    queens: [u32; MAX_SIDE as usize],
    nodes: u32,
    cancel: &'a CancelToken,
}

/// A branch: the first files are filled, their ranks and diagonals taken as seen from the next.
#[derive(Clone, Copy, Default)]
struct Node {
    file: usize,
    ranks: u32,
    rising: u32,
    falling: u32,
    /// Queens that stand on another rank than the given one.
    moved: u32,
    /// Files whose given queens are attacked by those placed.
    attacked: u32,
}

impl<'a> Nearest<'a> {
    fn new(placement: &Placement, cancel: &'a CancelToken) -> Self {
        let files = placement.files();
        let mut search = Self {
            files: files as usize,
            full: u32::MAX >> (MAX_SIDE - files),
            given: [0; MAX_SIDE as usize],
            attacked: Box::new([[0; MAX_SIDE as usize]; MAX_SIDE as usize]),
            queens: [0; MAX_SIDE as usize],
            nodes: 0,
            cancel,
        };
        for given in placement.squares() {
            search.given[given.file as usize] = given.rank;
            for file in (0..files).filter(|file| *file != given.file) {
                for rank in 0..files {
                    if given.attacks(Square { rank, file }) {
                        search.attacked[file as usize][rank as usize] |= 1 << given.file;
                    }
                }
            }
        }
        search
    }

    /// Whether the branch holds a solution with at most `max` moved queens, which is then in `queens`.
    fn below(&mut self, node: Node, max: u32) -> Result<bool, Error> {
        let file = node.file;
        if file == self.files {
            return Ok(true);
        }
        if self.nodes.is_multiple_of(LOOK) {
            self.cancel.check()?;
        }
        self.nodes = self.nodes.wrapping_add(1);
        let given = 1 << self.given[file];
        let free = self.full & !(node.ranks | node.rising | node.falling);
        if free & given != 0 && self.with(node, given, node.moved, max)? {
            return Ok(true);
        }
        for queen in bits(free & !given) {
            if self.with(node, queen, node.moved + 1, max)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// As [`Nearest::below`], with a queen on the next file.
    fn with(&mut self, node: Node, queen: u32, moved: u32, max: u32) -> Result<bool, Error> {
        let (file, rank) = (node.file, queen.trailing_zeros());
        let attacked = node.attacked | self.attacked[file][rank as usize];
        // those still to come; 64 bits, as the shift may be by 32
        let later = (u64::from(attacked) >> (file + 1)).count_ones();
        if moved + later > max {
            return Ok(false);
        }
        self.queens[file] = rank;
        let next = Node {
            file: file + 1,
            ranks: node.ranks | queen,
            rising: (node.rising | queen) << 1,
            falling: (node.falling | queen) >> 1,
            moved,
            attacked,
        };
        self.below(next, max)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        Problem,
        puzzle::{
            list::tests::{all, queens},
            notation::tests::read,
        },
    };

    fn found(placement: &Placement) -> Option<(u32, Placement)> {
        nearest(placement, &CancelToken::default()).unwrap_or_else(|error| panic!("{error}"))
    }

    fn distance(left: &Placement, right: &Placement) -> u32 {
        left.queens().zip(right.queens()).filter(|(left, right)| left != right).count() as u32
    }

    #[test]
    fn a_solution_is_nearest_to_itself() {
        for n in [1, 4, 5, 6, 8] {
            for solution in all(&queens(n)) {
                assert_eq!(found(&solution), Some((0, solution)));
            }
        }
        for text in ["1 2", "1 2 3"] {
            assert_eq!(found(&read(text)), None);
        }
    }

    /// Every placement of the small boards.
    #[test]
    fn it_equals_brute_force_on_all_of_the_smallest_boards() {
        for n in 4..=5u32 {
            let solutions = all(&queens(n));
            for code in 0..n.pow(n) {
                let queens = (0..n).map(|file| code / n.pow(file) % n).collect();
                let placement = Placement::full(n, queens);
                let least = solutions.iter().map(|solution| distance(&placement, solution)).min();
                let (moves, solution) = found(&placement).unwrap_or_else(|| panic!("there is one"));
                assert_eq!(Some(moves), least);
                assert!(solution.is_solution() && distance(&placement, &solution) == moves);
            }
        }
    }

    #[test]
    fn what_it_is_not_for_is_refused() -> Result<(), Error> {
        let cancel = CancelToken::default();
        let wide = all(&Problem::on("2x3".parse()?)).remove(0);
        assert!(matches!(nearest(&wide, &cancel), Err(Error::Usage { .. })));
        assert!(matches!(nearest(&Placement::full(33, vec![0; 33]), &cancel), Err(Error::Usage { .. })));
        cancel.cancel();
        assert_eq!(nearest(&read("1 2 3 4"), &cancel), Err(Error::Cancelled));
        Ok(())
    }

    proptest! {
        #[test]
        fn it_equals_brute_force(n in 6..=8u32, ranks in prop::collection::vec(0..8u32, 8)) {
            let placement = Placement::full(n, ranks[..n as usize].iter().map(|rank| rank % n).collect());
            let least = all(&queens(n)).iter().map(|solution| distance(&placement, solution)).min();
            let found = found(&placement);
            prop_assert_eq!(found.as_ref().map(|(moves, _)| *moves), least);
            let (moves, solution) = found.unwrap_or((99, placement.clone()));
            prop_assert!(solution.is_solution());
            prop_assert_eq!(distance(&placement, &solution), moves);
        }
    }
}
