//! `ferz tile`.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::assert_refused;

/// The squares of solutions, a line each, which must all be solutions without a common square.
fn squares(text: &str) -> usize {
    let lines: Vec<Vec<i64>> = text.lines().map(ranks).collect();
    assert!(lines.iter().all(|line| is_solution(line)), "{text}");
    let all = lines.iter().flat_map(|line| (0..).zip(line.iter().copied()));
    let (count, different) = (all.clone().count(), all.collect::<BTreeSet<(i32, i64)>>().len());
    assert_eq!(count, different, "{text}");
    count
}

#[test]
fn boards_prime_to_6_are_filled() {
    for n in [1, 5, 7, 11, 13, 25, 35] {
        assert_eq!(squares(&stdout(&["tile", &n.to_string()])), n * n, "N = {n}");
        assert_eq!(stdout(&["tile", &n.to_string(), "--max"]), stdout(&["tile", &n.to_string()]));
    }
}

#[test]
fn as_many_disjoint_solutions_as_there_are() {
    for (n, most) in [(4, 2), (6, 4), (8, 6), (9, 7), (10, 8)] {
        let n = n.to_string();
        assert_eq!(squares(&stdout(&["tile", &n, "--max"])), most * n.parse::<usize>().unwrap(), "N = {n}");
        let args = ["tile", &n];
        let refused = run(&args);
        assert_refused(&args, &refused, 1);
        assert!(refused.2.contains(&format!("at most {most} are disjoint")), "{}", refused.2);
    }
}

#[test]
fn where_nothing_is_known_that_is_said() {
    for args in [&["tile", "12"][..], &["tile", "12", "--max"], &["tile", "15"]] {
        let refused = run(args);
        assert_refused(args, &refused, 1);
        assert!(refused.2.contains("ferz knows no scheme"), "{}", refused.2);
    }
    for n in ["2", "3"] {
        assert_refused(&["tile", n], &run(&["tile", n, "--max"]), 1);
    }
    for args in [&["tile", "0"][..], &["tile", "10001"], &["tile"], &["tile", "7", "--format", "svg"]] {
        assert_refused(args, &run(args), 2);
    }
}

#[test]
fn documents_and_pictures() {
    let schema = schema(include_str!("../../data/tile.schema.json"));
    let five = document(&schema, &["tile", "5", "--json"]);
    assert_eq!((&five["count"], &five["fills_board"]), (&json!(5), &json!(true)));
    assert_eq!(five["solutions"][0], json!([1, 3, 5, 2, 4]));
    let eight = document(&schema, &["tile", "8", "--max", "--json"]);
    assert_eq!((&eight["count"], &eight["fills_board"]), (&json!(6), &json!(false)));
    assert_refuses(
        &schema,
        &five,
        &[("/solutions", json!([])), ("/count", json!("5")), ("/schema", json!(2))],
    );
    assert!(stdout(&["tile", "5", "--format", "board"]).starts_with("number 1\n5 . . Q . .\n"));
}
