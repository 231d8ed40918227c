//! Plain backtracking to the first solution: row by row, the leftmost free column first.
//!
//! The classic surprise: some N take far longer than their neighbours. N = 18, 19 and 20 take 41,299, 2,545 and 199,635
//! queens, N = 28, 29 and 30 take 3.0, 1.5 and 56 millions.

/// A search that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// The column of the queen of each row, rows in turn; none where there is no solution.
    pub columns: Option<Vec<u32>>,
    /// Queens placed.
    pub nodes: u64,
}

/// Looks for the first solution in lexicographic order.
///
/// `stop` is asked now and then whether to give up, and then none is given.
///
/// # Panics
///
/// Where `n` is more than 32.
pub fn search(n: u32, stop: &mut dyn FnMut() -> bool) -> Option<First> {
    /// Queens between two questions.
    const LOOK: u64 = 1 << 20;
    assert!(n <= 32, "columns are bits of 32");
    let all = if n == 0 { 0 } else { u32::MAX >> (32 - n) };
    let free = |taken: &[u64; 3]| all & !((taken[0] | taken[1] | taken[2]) as u32);
    // what is taken as each row sees it, and the columns still to be tried there
    let mut rows = vec![([0u64; 3], all)];
    let mut columns: Vec<u32> = Vec::new();
    let mut nodes = 0u64;
    while columns.len() < n as usize {
        let Some((taken, untried)) = rows.last_mut() else {
            return Some(First { columns: None, nodes });
        };
        if *untried == 0 {
            rows.pop();
            columns.pop();
            continue;
        }
        let queen = *untried & untried.wrapping_neg();
        *untried ^= queen;
        let bit = u64::from(queen);
        let next = [taken[0] | bit, (taken[1] | bit) << 1, (taken[2] | bit) >> 1];
        nodes += 1;
        if nodes.is_multiple_of(LOOK) && stop() {
            return None;
        }
        columns.push(queen.trailing_zeros());
        rows.push((next, free(&next)));
    }
    Some(First { columns: Some(columns), nodes })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by recursion over an array, which shares nothing with the above.
    fn plain(n: u32, queens: &mut Vec<u32>, nodes: &mut u64) -> bool {
        if queens.len() == n as usize {
            return true;
        }
        for column in 0..n {
            let row = queens.len();
            let attacks =
                |(at, &other): (usize, &u32)| other == column || other.abs_diff(column) as usize == row - at;
            if !queens.iter().enumerate().any(attacks) {
                *nodes += 1;
                queens.push(column);
                if plain(n, queens, nodes) {
                    return true;
                }
                queens.pop();
            }
        }
        false
    }

    #[test]
    fn first_solutions_and_nodes_agree_with_plain_recursion() {
        for n in 1..=20 {
            let (mut queens, mut nodes) = (Vec::new(), 0);
            let found = plain(n, &mut queens, &mut nodes);
            let expected = First { columns: found.then_some(queens), nodes };
            assert_eq!(search(n, &mut || false), Some(expected), "N = {n}");
            assert_eq!(found, !matches!(n, 2 | 3));
        }
    }

    #[test]
    fn the_textbook_board_takes_113_queens() {
        let first = First { columns: Some(vec![0, 4, 7, 5, 2, 6, 1, 3]), nodes: 113 };
        assert_eq!(search(8, &mut || false), Some(first));
    }

    #[test]
    fn it_stops_when_asked() {
        assert_eq!(search(30, &mut || true), None);
    }
}
