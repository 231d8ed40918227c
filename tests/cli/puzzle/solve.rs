//! `ferz solve`.

use serde_json::json;

use super::*;
use crate::assert_refused;

#[test]
fn explicit_solutions_of_the_literature() {
    for (n, golden) in [
        ("1", "1"),
        ("8", "2 4 6 8 3 1 7 5"),
        ("14", "2 4 6 8 10 12 14 3 1 7 9 11 13 5"),
        ("15", "4 6 8 10 12 14 2 5 7 9 11 13 15 1 3"),
        ("20", "2 4 6 8 10 12 14 16 18 20 3 1 7 5 11 9 15 13 19 17"),
    ] {
        assert_eq!(stdout(&["solve", n]), format!("{golden}\n"));
        assert_eq!(stdout(&["solve", n, "--algorithm", "explicit"]), format!("{golden}\n"));
    }
    let knight = |n| stdout(&["solve", n, "--algorithm", "knight"]);
    assert_eq!(knight("8"), "5 3 1 7 2 8 6 4\n");
    assert_eq!(knight("14"), "11 3 5 7 9 1 13 2 14 6 8 10 12 4\n");
}

#[test]
fn every_algorithm_gives_a_solution() {
    for algorithm in ["explicit", "knight", "backtrack", "complete", "las-vegas", "min-conflicts"] {
        for n in ["1", "4", "5", "6", "7", "8", "9", "10", "11", "12"] {
            let solution = stdout(&["solve", n, "--algorithm", algorithm]);
            assert!(is_solution(&ranks(&solution)), "{algorithm}: {solution}");
        }
        for n in ["2", "3"] {
            let args = ["solve", n, "--algorithm", algorithm];
            let refused = run(&args);
            assert_refused(&args, &refused, 1);
            assert!(refused.2.contains("no solution"), "{}", refused.2);
        }
    }
    let composed = stdout(&["solve", "8", "9", "5", "--algorithm", "compose"]);
    assert!(is_solution(&ranks(&composed)) && ranks(&composed).len() == 360);
    let args = ["solve", "5", "4", "--algorithm", "compose"];
    let honest = run(&args);
    assert_refused(&args, &honest, 1);
    assert!(
        honest.2.contains("the search found no") && honest.2.contains("there may be some"),
        "{}",
        honest.2
    );
}

#[test]
fn the_first_solution_says_its_nodes() {
    let (_, stdout, stderr) = run(&["solve", "8", "--algorithm", "backtrack"]);
    assert_eq!(stdout, "1 5 8 6 3 7 2 4\n");
    assert!(stderr.starts_with("backtrack: 114 nodes, "), "the empty board and 113 queens: {stderr}");
}

#[test]
fn random_tries_cost_what_the_literature_says() {
    let schema = schema(include_str!("../../data/solve.schema.json"));
    let args = ["solve", "8", "--algorithm", "las-vegas", "--runs", "50000", "--seed", "3", "--json"];
    let runs = document(&schema, &args);
    let near = |key: &str, value: f64, by: f64| (runs[key].as_f64().unwrap() - value).abs() < by;
    assert!(near("success_rate", 0.129, 0.006) && near("nodes_of_failure", 6.97, 0.05), "{runs}");
    assert!(near("nodes_of_success", 9.0, 1e-9) && near("expected_nodes", 56.0, 3.0), "{runs}");
    assert_eq!(document(&schema, &args), runs, "by its seed alone");
    let text = stdout(&args[..8]);
    assert!(text.starts_with("runs: 50000\nsuccess rate: 0.1"), "{text}");
}

#[test]
fn completion_finds_one_or_says_that_there_is_none() {
    let completed = stdout(&["solve", "8", "--queen", "d4", "--queen", "a5", "--forbid", "h6"]);
    let found = ranks(&completed);
    assert!(is_solution(&found) && found[3] == 4 && found[0] == 5 && found[7] != 6, "{completed}");
    let first = stdout(&["solve", "8", "--queen", "a4", "--algorithm", "backtrack"]);
    assert_eq!(first, "4 1 5 8 2 7 3 6\n", "the first with a queen on a4");
    for args in [
        &["solve", "8", "--queen", "a1", "--queen", "b2"][..],
        &["solve", "4", "--queen", "a1"],
        &["solve", "--board", "3x3"],
    ] {
        let refused = run(args);
        assert_refused(args, &refused, 1);
        assert!(refused.2.contains("no solution"), "{}", refused.2);
    }
    assert_eq!(stdout(&["solve", "--board", "2x3"]), "1 - 2\n");
    assert_eq!(stdout(&["solve", "--board", "3x2"]), "1 3\n");
}

#[test]
fn documents() {
    let schema = schema(include_str!("../../data/solve.schema.json"));
    let solved = document(&schema, &["solve", "8", "--json"]);
    assert_eq!(solved["ranks"], json!([2, 4, 6, 8, 3, 1, 7, 5]));
    let searched = document(&schema, &["solve", "8", "--algorithm", "backtrack", "--format", "json"]);
    assert_eq!((&searched["nodes"], &searched["algorithm"]), (&json!("114"), &json!("backtrack")));
    document(&schema, &["solve", "--board", "2x3", "--json"]);
    document(&schema, &["solve", "5", "5", "--algorithm", "compose", "--json"]);
    let changes = [
        ("/schema", json!(0)),
        ("/nodes", json!(114)),
        ("/ranks/0", json!(0)),
        ("/algorithm", json!("luck")),
    ];
    assert_refuses(&schema, &searched, &changes);
}

#[test]
fn formats() {
    assert_eq!(stdout(&["solve", "4", "--format", "squares"]), "a2 b4 c1 d3\n");
    assert_eq!(stdout(&["solve", "4", "--format", "csv"]), "a,b,c,d\n2,4,1,3\n");
    assert_eq!(stdout(&["solve", "4", "--format", "numbered"]), "1  a 2  b 4  c 1  d 3\n");
    assert_eq!(
        stdout(&["solve", "4", "--format", "unicode"]),
        "4 · ♛ · ·\n3 · · · ♛\n2 ♛ · · ·\n1 · · ♛ ·\n  a b c d\n"
    );
    let svg = stdout(&["solve", "8", "--format", "svg"]);
    assert_eq!(svg.matches("<use ").count(), 8);
}

#[test]
fn what_cannot_be_solved_is_refused() {
    for (args, part) in [
        (&["solve", "0"][..], "from 1 to 10000000"),
        (&["solve", "10000001"], "from 1 to 10000000"),
        (&["solve"], "<N>"),
        (&["solve", "8", "8"], "--algorithm compose"),
        (&["solve", "8", "--queen", "z9"], "a1 to h8"),
        (&["solve", "8", "--queen", "a1", "--forbid", "a1"], "a1 has a queen"),
        (&["solve", "8", "--queen", "a1", "--algorithm", "explicit"], "complete do"),
        (&["solve", "--board", "8x9", "--algorithm", "knight"], "square boards"),
        (&["solve", "33", "--algorithm", "backtrack"], "from 1 to 32"),
        (&["solve", "1001", "--algorithm", "complete"], "from 1 to 1000 "),
        (&["solve", "1001", "--algorithm", "las-vegas"], "from 1 to 1000 "),
        (&["solve", "8", "--seed", "1"], "not random"),
        (&["solve", "8", "--runs", "1"], "las-vegas"),
        (&["solve", "8", "--runs", "1", "--algorithm", "las-vegas", "--format", "svg"], "--format"),
        (&["solve", "--board", "5x5", "--algorithm", "compose"], "factors"),
        (&["solve", "4000000", "4000000", "--algorithm", "compose"], "10000000"),
        (&["solve", "5", "66", "--algorithm", "compose"], "prime to 6"),
        (&["solve", "1001", "--format", "board"], "a drawing takes from 1 to 1000 "),
        (&["solve", "40", "--format", "numbered"], "from 1 to 32"),
        (&["solve", "32", "--format", "numbered"], "too far"),
    ] {
        let refused = run(args);
        assert_refused(args, &refused, 2);
        assert!(refused.2.contains(part), "{args:?}: {part} in {}", refused.2);
    }
}
