use super::*;
use crate::{Board, Error, known};

#[test]
fn each_rung_agrees_with_the_next_and_with_the_known_counts() -> Result<(), Error> {
    for n in 1..=12 {
        let problem = Problem::queens(n)?;
        let bits = bitmask::count(&problem)?;
        assert_eq!(u128::from(bits.solutions), known::solutions(n).unwrap_or_default(), "N = {n}");
        if n <= 11 {
            assert_eq!(bits, backtrack::count(&problem)?, "backtrack, N = {n}");
        }
        if n <= 9 {
            let permutations = permutations::count(&problem)?;
            assert_eq!(bits.solutions, permutations.solutions, "permutations, N = {n}");
            assert_eq!(permutations.visits, (1..=u64::from(n)).product::<u64>());
        }
    }
    Ok(())
}

#[test]
fn the_classic_number_of_placements_at_eight() -> Result<(), Error> {
    assert_eq!(bitmask::count(&Problem::queens(8)?)?, Counted { solutions: 92, visits: 2056 });
    Ok(())
}

/// Every choice of squares, tested: shares nothing with the rungs but [`crate::Square::attacks`].
fn by_subsets(problem: &Problem) -> u64 {
    fn from(problem: &Problem, start: u32, queens: &mut Vec<crate::Square>) -> u64 {
        if queens.len() == problem.place() as usize {
            return u64::from(problem.given().iter().all(|given| queens.contains(given)));
        }
        let board = problem.board();
        let mut sum = 0;
        for number in start..board.ranks() * board.files() {
            let square = crate::Square { rank: number / board.files(), file: number % board.files() };
            if !problem.forbidden().contains(&square) && !queens.iter().any(|queen| queen.attacks(square)) {
                queens.push(square);
                sum += from(problem, number + 1, queens);
                queens.pop();
            }
        }
        sum
    }
    from(problem, 0, &mut Vec::new())
}

#[test]
fn constrained_problems_agree_with_every_choice_of_squares() -> Result<(), Error> {
    let square = |name: &str| name.parse::<crate::Square>();
    let mut problems = Vec::new();
    for (ranks, files) in [(1, 1), (1, 4), (4, 1), (2, 3), (5, 5), (4, 6), (6, 4)] {
        let whole = Problem::on(Board::new(ranks, files)?);
        for place in 0..=ranks.min(files) {
            problems.push(whole.clone().placing(place)?);
        }
        problems.push(whole.clone().forbidding(square("a1")?)?);
        problems.push(whole.with_queen(square("a1")?)?);
    }
    let five = Problem::queens(5)?;
    problems.push(five.clone().with_queen(square("b1")?)?.forbidding(square("d2")?)?);
    problems.push(five.clone().with_queen(square("b1")?)?.with_queen(square("c2")?)?);
    problems.push(five.clone().with_queen(square("b1")?)?.with_queen(square("e1")?)?);
    problems.push(five.placing(3)?.with_queen(square("c3")?)?.forbidding(square("a4")?)?);
    for problem in problems {
        let expected = by_subsets(&problem);
        let bits = bitmask::count(&problem)?;
        assert_eq!(bits.solutions, expected, "{problem}");
        assert_eq!(backtrack::count(&problem)?, bits, "{problem}");
        if problem.n().is_some() {
            assert_eq!(permutations::count(&problem)?.solutions, expected, "{problem}");
        }
    }
    Ok(())
}

#[test]
fn queens_on_eight_and_seven_squares() -> Result<(), Error> {
    let eight: [u64; 9] = [1, 64, 1288, 10_320, 34_568, 46_736, 22_708, 3192, 92];
    let seven: [u64; 8] = [1, 49, 700, 3628, 7002, 4618, 832, 40];
    for (n, counts) in [(8, &eight[..]), (7, &seven[..])] {
        for (place, &count) in (0..).zip(counts) {
            let problem = Problem::queens(n)?.placing(place)?;
            assert_eq!(bitmask::count(&problem)?.solutions, count, "{problem}");
        }
    }
    Ok(())
}

#[test]
fn permutations_are_of_full_square_boards_only() -> Result<(), Error> {
    for problem in [Problem::on(Board::new(4, 5)?), Problem::queens(5)?.placing(4)?, Problem::queens(13)?] {
        assert!(matches!(permutations::count(&problem), Err(Error::Usage { .. })), "{problem}");
    }
    Ok(())
}
