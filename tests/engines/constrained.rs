//! Boards of any shape, queens given, squares forbidden: the kernel against the plain rung.

use std::sync::Arc;

use ferz::{
    Board, Problem, Square, Verify,
    testing::{
        engine::gpu::{self, Settings},
        method::{Method, ladder, search::Search},
    },
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::support::{Edited, adapter, count_problem, engine_on, settings};

/// Any board to 7 x 9, any number of queens, some given, some squares forbidden.
fn any_problem() -> impl Strategy<Value = Problem> {
    let squares = |most| prop::collection::vec((0..9u32, 0..9u32), 0..=most);
    (1..=7u32, 1..=9u32, 0..=7u32, squares(2), squares(8)).prop_map(
        |(ranks, files, place, given, forbidden)| {
            let board = Board::new(ranks, files).unwrap();
            let on = |(rank, file): (u32, u32)| Square { rank: rank % ranks, file: file % files };
            // most boards full: their counts are the largest
            let place = if place < 3 { board.max_queens() } else { place.min(board.max_queens()) };
            let mut problem = Problem::on(board).placing(place).unwrap();
            // what does not fit is left away
            for square in given {
                problem = problem.clone().with_queen(on(square)).unwrap_or(problem);
            }
            for square in forbidden {
                problem = problem.clone().forbidding(on(square)).unwrap_or(problem);
            }
            problem
        },
    )
}

fn search(problem: &Problem, depth: Option<u32>) -> Arc<dyn Method> {
    Arc::new(Search::new(problem, depth, 64.0).unwrap())
}

#[test]
fn random_problems_are_counted_as_by_the_rung() {
    let Some(adapter) = adapter() else { return };
    let config = Config { cases: 48, failure_persistence: None, ..Config::default() };
    // the same at every run
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let solvable = std::cell::Cell::new(0);
    let run = TestRunner::new_with_rng(config, rng).run(&any_problem(), |problem| {
        let method = search(&problem, None);
        let engine = gpu::open(adapter, &method, Settings::default()).unwrap();
        let outcome = count_problem(&problem, &method, engine, Verify::Sample).unwrap();
        let plain = u128::from(ladder::bitmask::count(&problem).unwrap().solutions);
        prop_assert_eq!(outcome.count, plain, "{}", problem);
        solvable.set(solvable.get() + u32::from(plain > 1));
        Ok(())
    });
    assert_eq!(run, Ok(()));
    assert!(solvable.get() > 15, "{} problems have solutions", solvable.get());
}

#[test]
fn queens_on_a_chessboard_and_a_board_and_its_transposed_one() {
    let Some(adapter) = adapter() else { return };
    let counted = |problem: &Problem| {
        let method = search(problem, None);
        let engine = gpu::open(adapter, &method, Settings::default()).unwrap();
        count_problem(problem, &method, engine, Verify::None).unwrap().count
    };
    let eight = [1, 64, 1288, 10_320, 34_568, 46_736, 22_708, 3192, 92];
    for (place, count) in (0..).zip(eight) {
        assert_eq!(counted(&Problem::queens(8).unwrap().placing(place).unwrap()), count, "{place} queens");
    }
    for board in ["6x9", "5x11", "8x10"] {
        let problem = Problem::on(board.parse().unwrap());
        assert_eq!(counted(&problem), counted(&problem.transposed()), "{board}");
    }
}

#[test]
fn the_self_test_sees_a_kernel_that_forgets_forbidden_squares_or_gaps() {
    let Some(adapter) = adapter() else { return };
    let square = |name: &str| name.parse::<Square>().unwrap();
    let mut problem = Problem::queens(12).unwrap().with_queen(square("d6")).unwrap();
    for name in ["c3", "e5", "g8", "h4", "f9", "j7", "k10", "b2", "i5"] {
        problem = problem.forbidding(square(name)).unwrap();
    }
    let right = search(&problem, Some(1));
    engine_on(adapter, &right, settings(), |inner, _| inner).unwrap();
    let forgetful = Edited::override_value(&right, "CLOSED", 0.0);
    assert!(engine_on(adapter, &forgetful, settings(), |inner, _| inner).is_err());
    for (from, to) in [
        ("vec2(blocked, row - above)", "vec2(blocked, 1u)"),
        ("let row = firstTrailingBit(rows);", "let row = first + filled;"),
        ("blocked |= closed[row];", "blocked |= closed[row - 1u];"),
    ] {
        let wrong = Edited::text(&right, &[(from, to)]);
        assert!(engine_on(adapter, &wrong, settings(), |inner, _| inner).is_err(), "{to}");
    }
}
