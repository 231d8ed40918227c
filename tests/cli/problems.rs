//! Completion, boards of any shape, any number of queens.

use serde_json::Value;

use crate::run;

fn counts(args: &[&str], expected: &str) {
    for method in ["auto", "search", "bitmask", "backtrack"] {
        let (code, stdout, stderr) = run(&[&["count", "--method", method][..], args].concat());
        assert_eq!((code, stdout.trim_end()), (0, expected), "{method} {args:?}: {stderr}");
    }
}

#[test]
fn constrained_problems_are_counted_by_every_method_that_takes_them() {
    counts(&["8", "--queen", "d1"], "18");
    counts(&["8", "--queen", "d1", "--queen", "A5"], "5");
    counts(&["8", "--queen", "d1", "--queen", "e2"], "0");
    counts(&["8", "--forbid", "d1", "--forbid", "e8"], "59");
    counts(&["--board", "6x9"], "2292");
    counts(&["--board", "9x6"], "2292");
    counts(&["--board", "8x8", "--place", "5"], "46736");
    counts(&["7", "--place", "4"], "7002");
    counts(&["8", "--place", "0"], "1");
    let (_, stdout, _) = run(&["count", "8", "--method", "permutations", "--queen", "d1"]);
    assert_eq!(stdout, "18\n");
}

#[test]
fn the_queens_of_a_rank_add_up_to_all_solutions() {
    let with = |file: char| {
        let (_, stdout, _) = run(&["count", "8", "--queen", &format!("{file}4")]);
        stdout.trim_end().parse::<u32>().unwrap()
    };
    assert_eq!(('a'..='h').map(with).sum::<u32>(), 92);
}

#[test]
fn a_constrained_count_tells_its_problem_and_how_it_was_checked() {
    let (_, stdout, stderr) = run(&[
        "count", "9", "--queen", "e5", "--forbid", "b1", "--forbid", "a1", "--verify", "full", "--json",
    ]);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["problem"]["queens"], serde_json::json!(["e5"]));
    assert_eq!(document["problem"]["forbidden"], serde_json::json!(["a1", "b1"]));
    assert_eq!(document["n"], serde_json::json!(9));
    assert_eq!(document["verification"]["level"], "full");
    assert!(stderr.contains("full (counted again by search in a mirror; "), "{stderr}");
    let (_, stdout, stderr) = run(&["count", "--board", "6x9", "--json"]);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&document["n"], &document["problem"]["place"]), (&Value::Null, &serde_json::json!(6)));
    assert!(stderr.contains("sampled ("), "{stderr}");
}

#[test]
fn what_does_not_fit_is_refused_with_what_is_allowed() {
    for (args, what, hint) in [
        (&["8", "--queen", "i1"][..], "i1 is not on a board of 8x8", "a1 to h8"),
        (&["8", "--queen", "4d"], "'4d' is not a square", "d4"),
        (&["8", "--queen", "c3", "--forbid", "c3"], "c3 has a queen and is forbidden", "omit one"),
        (&["8", "--place", "9"], "9 queens do not fit", "from 0 to 8"),
        (&["8", "--place", "1", "--queen", "a1", "--queen", "b3"], "more queens are given (2)", "fewer"),
        (&["--board", "6x33"], "a board of 6x33 is out of range", "from 1 to 32"),
        (&["--board", "6"], "'6' is not a board", "6x9"),
        (&["8", "--board", "6x9"], "--board", ""),
        (&[], "N", ""),
        (&["--board", "6x9", "--method", "join"], "--method join does not go with", "--method search"),
        (&["8", "--queen", "d1", "--classes"], "--classes does not go with", "none given"),
        (&["--board", "6x9", "--method", "permutations"], "not permutations", "backtrack"),
        (&["32", "--place", "16"], "too many to search", "place"),
    ] {
        let (code, stdout, stderr) = run(&[&["count"][..], args].concat());
        assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
        assert!(stderr.contains(what) && stderr.contains(hint), "{args:?}: {stderr}");
    }
}
