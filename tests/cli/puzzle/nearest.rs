//! `ferz nearest`.

use serde_json::json;

use super::*;
use crate::assert_refused;

/// The least number of files in which one of the 92 solutions differs.
fn brute_force(given: &[i64]) -> usize {
    let distance = |line: &str| {
        let ranks = ranks(line.split_once(": ").unwrap().1);
        ranks.iter().zip(given).filter(|(left, right)| left != right).count()
    };
    let golden = include_str!("../../data/eight-queens.txt");
    golden.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).map(distance).min().unwrap()
}

/// A thousand placements without pattern, the same each time.
fn cases() -> Vec<Vec<i64>> {
    let mut state = 88_172_645_463_325_252u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as i64 % 8 + 1
    };
    (0..1000).map(|_| (0..8).map(|_| next()).collect()).collect()
}

#[test]
fn one_placement() {
    let text = stdout(&["nearest", "1 5 8 6 3 7 2 4"]);
    assert_eq!(text, "moves: 0\nsolution: 1 5 8 6 3 7 2 4\nmoved: none\n");
    let text = stdout(&["nearest", "1", "1", "1", "1", "1", "1", "1", "1"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "moves: 7");
    assert!(is_solution(&ranks(lines[1].strip_prefix("solution: ").unwrap())), "{text}");
    assert_eq!(lines[2].split_whitespace().count(), 8, "{text}");
    let squares = stdout(&["nearest", "a1", "b5", "c8", "d6", "e3", "f7", "g2", "h5"]);
    assert_eq!(squares, "moves: 1\nsolution: 1 5 8 6 3 7 2 4\nmoved: h5-h4\n");
}

#[test]
fn a_thousand_cases_in_the_form_of_contests() {
    let cases = cases();
    let words = |case: &Vec<i64>| case.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
    let text: Vec<String> = cases.iter().map(words).collect();
    let (code, stdout, stderr) = piped(&["nearest", "--cases"], &format!("1000\n{}\n", text.join("\n")));
    assert_eq!(code, 0, "{stderr}");
    let expected: Vec<usize> = cases.iter().map(|case| brute_force(case)).collect();
    assert_eq!(stdout.lines().map(|line| line.parse().unwrap()).collect::<Vec<usize>>(), expected);
    // wherever the lines break
    let flat = format!("3 {}", text[..3].join(" "));
    let (_, same, _) = piped(&["nearest", "--cases"], &flat);
    assert_eq!(same.lines().collect::<Vec<_>>(), stdout.lines().take(3).collect::<Vec<_>>());
}

#[test]
fn documents() {
    let schema = schema(include_str!("../../data/nearest.schema.json"));
    let near = document(&schema, &["nearest", "1 5 8 6 3 7 2 5", "--json"]);
    assert_eq!((&near["moves"], &near["ranks"][7]), (&json!(1), &json!(4)));
    let changes =
        [("/schema", json!(2)), ("/moves", json!("1")), ("/ranks/0", json!(null)), ("/n", json!(33))];
    assert_refuses(&schema, &near, &changes);
    let (code, lines, _) = piped(&["nearest", "-", "--json"], "1 1 1 1\n\n1 2 3 4 5\n");
    assert_eq!((code, lines.lines().count()), (0, 2));
    for line in lines.lines() {
        assert_fits(&schema, &serde_json::from_str(line).unwrap(), &[]);
    }
}

#[test]
fn what_has_no_answer_is_refused() {
    for (args, code, part) in [
        (&["nearest"][..], 2, "PLACEMENT"),
        (&["nearest", "1 2 3"], 1, "no solution"),
        (&["nearest", "1 2 3 9"], 2, "'9' is no rank"),
        (&["nearest", "a1 a2"], 2, "two queens"),
        (&["nearest", "1", "--cases"], 2, "--cases"),
    ] {
        let refused = run(args);
        assert_refused(args, &refused, code);
        assert!(refused.2.contains(part), "{args:?}: {part} in {}", refused.2);
    }
    let large = vec!["1"; 33].join(" ");
    assert_refused(&[], &run(&["nearest", &large]), 2);
    for (input, part) in [
        ("", "no cases"),
        ("0\n", "'0' is no number of cases"),
        ("x 1 2 3 4", "'x'"),
        ("2\n1 2 3 4\n1 2 3", "7 ranks are given for 2 cases"),
        ("1\n", "0 ranks"),
        ("2\n1 2 3 4\n1 2 3 5\n", "(case 2)"),
    ] {
        let refused = piped(&["nearest", "--cases"], input);
        assert_refused(&["nearest", "--cases"], &refused, 2);
        assert!(refused.2.contains(part), "{input:?}: {part} in {}", refused.2);
    }
}
