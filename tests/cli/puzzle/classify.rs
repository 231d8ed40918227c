//! `ferz classify`.

use serde_json::{Value, json};

use super::*;
use crate::assert_refused;

#[test]
fn a_solution_in_words() {
    assert_eq!(
        stdout(&["classify", "3 5 2 8 1 7 4 6"]),
        "placement: 3 5 2 8 1 7 4 6\nsolution: yes\nnumber: 14\nclass: point\nimages: 4\n  \
         14  3 5 2 8 1 7 4 6\n  38  4 6 8 2 7 1 3 5\n  55  5 3 1 7 2 8 6 4\n  79  6 4 7 1 8 2 5 3\n\
         representative: 3 5 2 8 1 7 4 6\nno three in line: no: a3 c2 e1\nlargest empty centre: 4 x 4\n\
         empty main diagonals: yes\nsums with 1, 2, ... all differ: yes\nsums with ..., 2, 1 all differ: yes\n\
         queens by parity class: 2 as a1, 2 as a2, 2 as b1, 2 as b2\n"
    );
    let spellings = [
        &["classify", "3", "5", "2", "8", "1", "7", "4", "6"][..],
        &["classify", "3,5,2,8,1,7,4,6"],
        &["classify", "h6", "g4", "a3", "b5", "c2", "d8", "e1", "f7"],
        &["classify", "A3,B5,C2,D8,E1,F7,G4,H6", "--board", "8x8"],
    ];
    for args in spellings {
        assert_eq!(stdout(args), stdout(&["classify", "3 5 2 8 1 7 4 6"]), "{args:?}");
    }
}

#[test]
fn what_is_no_solution_names_the_queens_that_attack() {
    let text = stdout(&["classify", "2 4 6 8 1 3 5 7"]);
    assert!(text.contains("solution: no\npairs that attack: 3: b4-e1 c6-f3 d8-g5\n"), "{text}");
    assert!(!text.contains("number") && !text.contains("\nclass:"), "{text}");
    assert!(text.contains("differ: no"), "{text}");
}

#[test]
fn all_solutions_from_standard_input() {
    let schema = schema(include_str!("../../data/classify.schema.json"));
    let (code, stdout, _) = piped(&["classify", "-", "--json"], &stdout(&["list", "8"]));
    assert_eq!((code, stdout.lines().count()), (0, 92));
    for (line, number) in stdout.lines().zip(1..) {
        let document: Value = serde_json::from_str(line).unwrap();
        assert_fits(&schema, &document, &[]);
        assert_eq!((&document["solution"], &document["number"]), (&json!(true), &json!(number.to_string())));
        let numbers = document["images"].as_array().unwrap().iter();
        let sum: u64 = numbers.map(|image| image["number"].as_str().unwrap().parse::<u64>().unwrap()).sum();
        assert_eq!(sum, if document["class"] == "point" { 186 } else { 372 });
    }
}

#[test]
fn a_million_queens() {
    let (code, text, _) =
        piped(&["classify", "-"], &stdout(&["solve", "1000000", "--algorithm", "explicit"]));
    assert_eq!(code, 0);
    assert!(text.starts_with("placement: 1000000 queens\nsolution: yes\n"), "{text}");
}

#[test]
fn documents() {
    let schema = schema(include_str!("../../data/classify.schema.json"));
    let one = document(&schema, &["classify", "1", "--json"]);
    assert_eq!((&one["group_size"], &one["class"]), (&json!(1), &json!("rotational")));
    let wide = document(&schema, &["classify", "1 - 2", "--board", "2x3", "--json"]);
    assert_eq!((&wide["solution"], &wide["ranks"]), (&json!(true), &json!([1, null, 2])));
    assert_eq!((&wide["empty_diagonals"], &wide["largest_empty_centre"]), (&Value::Null, &Value::Null));
    let bad = document(&schema, &["classify", "1 1 1", "--json"]);
    assert_eq!((&bad["attacks"]["total"], &bad["class"]), (&json!("3"), &Value::Null));
    let changes = [
        ("/schema", json!(2)),
        ("/solution", json!(true)),
        ("/number", json!("1")),
        ("/attacks/total", json!(3)),
        ("/attacks/shown/0", json!(["a1"])),
        ("/sums_differ", json!([true])),
        ("/parity_classes/a1", json!("1")),
    ];
    assert_refuses(&schema, &bad, &changes);
    let far = document(&schema, &["classify", &stdout(&["solve", "20"]), "--json"]);
    assert_eq!((&far["solution"], &far["number"]), (&json!(true), &Value::Null));
}

#[test]
fn what_is_no_placement_is_refused() {
    for (args, part) in [
        (&["classify"][..], "<PLACEMENT>"),
        (&["classify", ""], "no queen"),
        (&["classify", "1 2 9"], "'9' is no rank for the queen on file c"),
        (&["classify", "0 1"], "from 1 to 2"),
        (&["classify", "1", "-1"], "'-1'"),
        (&["classify", "a1 a2"], "file a has two queens"),
        (&["classify", "a1 d2"], "a1 to b2"),
        (&["classify", "a1 b"], "'b' is not a square"),
        (&["classify", "1 2 3", "--board", "8x8"], "give 8 ranks"),
        (&["classify", "1 2 3", "--board", "0x8"], "a board of 0x8 is out of range"),
    ] {
        let refused = run(args);
        assert_refused(args, &refused, 2);
        assert!(refused.2.contains(part), "{args:?}: {part} in {}", refused.2);
    }
    for (input, part) in [
        ("", "standard input has no placement"),
        ("\n\n", "no placement"),
        ("x\n", "line 1"),
        ("\n1 3\n", "line 2"),
    ] {
        let refused = piped(&["classify", "-"], input);
        assert_refused(&["classify", "-"], &refused, 2);
        assert!(refused.2.contains(part), "{input:?}: {part} in {}", refused.2);
    }
    let refused = read(ferz().args(["classify", "-"]).write_stdin(b"1 \xff\n".as_slice()).output().unwrap());
    assert_refused(&[], &refused, 2);
    // what was good before is told
    let (code, stdout, stderr) = piped(&["classify", "-", "--json"], "1\n9 9\n");
    assert_eq!((code, stdout.lines().count()), (2, 1), "{stderr}");
    assert!(stderr.contains("line 2"), "{stderr}");
}
