//! `ferz list`.

use serde_json::json;

use super::*;
use crate::assert_refused;

const GOLDEN: &str = include_str!("../../data/eight-queens.txt");

#[test]
fn the_classic_listing() {
    let numbered = stdout(&["list", "8", "--format", "numbered"]);
    assert_eq!(numbered.lines().next().unwrap(), "1  a 1  b 5  c 8  d 6  e 3  f 7  g 2  h 4");
    let listed = stdout(&["list", "8"]);
    let golden = GOLDEN.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
    let golden: Vec<&str> = golden.map(|line| line.split_once(": ").unwrap().1).collect();
    assert_eq!(listed.lines().collect::<Vec<_>>(), golden);
}

#[test]
fn as_many_solutions_as_are_known_and_all_are() {
    for (n, count, groups) in [
        ("1", 1, 1),
        ("2", 0, 0),
        ("3", 0, 0),
        ("4", 2, 1),
        ("5", 10, 2),
        ("6", 4, 1),
        ("9", 352, 46),
        ("10", 724, 92),
    ] {
        let listed = stdout(&["list", n]);
        assert_eq!(listed.lines().count(), count, "N = {n}");
        assert!(listed.lines().all(|line| is_solution(&ranks(line))), "N = {n}");
        assert_eq!(stdout(&["list", n, "--unique"]).lines().count(), groups, "N = {n}");
    }
}

#[test]
fn the_groups_of_the_classic_tables() {
    let text = stdout(&["list", "8", "--groups"]);
    let golden: Vec<&str> = GOLDEN.lines().filter(|line| line.starts_with("group")).collect();
    let told: Vec<&str> = text.trim_end().split("\n\n").collect();
    assert_eq!(told.len(), golden.len());
    for (told, golden) in told.into_iter().zip(golden) {
        let (head, numbers) = golden.split_once(": ").unwrap();
        let mut lines = told.lines();
        let first = lines.next().unwrap();
        let size =
            if head == "group 10" { "point, 4 images, sum 186" } else { "asymmetric, 8 images, sum 372" };
        assert_eq!(first, format!("{head}: {size}"));
        let told: Vec<&str> = lines.map(|line| line.split_once("  ").unwrap().0).collect();
        assert_eq!(told.join(" "), numbers);
    }
    assert_eq!(stdout(&["list", "1", "--groups"]), "group 1: rotational, 1 image, sum 1\n1  1\n");
    let four = stdout(&["list", "4", "--groups", "--format", "csv"]);
    assert_eq!(four, "group,class,number,a,b,c,d\n1,rotational,1,2,4,1,3\n1,rotational,2,3,1,4,2\n");
}

#[test]
fn filters() {
    // brute force: no three squares of a solution span a triangle without area
    let peaceful = |line: &&str| {
        let at: Vec<(i64, i64)> = ranks(line).into_iter().zip(0..).collect();
        (0..8).all(|i| {
            (0..i).all(|j| {
                (0..j).all(|k| {
                    let ((a, b), (c, d), (e, f)) = (at[i], at[j], at[k]);
                    a * (d - f) + c * (f - b) + e * (b - d) != 0
                })
            })
        })
    };
    let all = stdout(&["list", "8"]);
    let none_in_line = all.lines().filter(peaceful).collect::<Vec<_>>();
    assert_eq!(stdout(&["list", "8", "--no-three-in-line"]).lines().collect::<Vec<_>>(), none_in_line);
    assert_eq!(none_in_line.len(), 8);
    // all are one group, and group 11 of the tables
    assert_eq!(stdout(&["list", "8", "--no-three-in-line", "--unique"]), "3 5 8 4 1 7 2 6\n");
    let groups = stdout(&["list", "8", "--no-three-in-line", "--groups"]);
    assert!(groups.starts_with("group 11: ") && !groups.contains("\n\n"), "{groups}");

    let point = "3 5 2 8 1 7 4 6\n";
    assert_eq!(stdout(&["list", "8", "--class", "point", "--unique"]), point);
    assert_eq!(stdout(&["list", "8", "--empty-centre", "4", "--empty-diagonals", "--unique"]), point);
    // the words of older literature are understood
    for class in ["asymmetric", "simple"] {
        assert_eq!(stdout(&["list", "8", "--class", class]).lines().count(), 88, "{class}");
    }
    for class in ["rotational", "doubly-symmetric"] {
        assert_eq!(stdout(&["list", "8", "--class", class]), "", "{class}");
        assert_eq!(stdout(&["list", "4", "--class", class]).lines().count(), 2, "{class}");
    }
    assert_eq!(stdout(&["list", "8", "--class", "symmetric"]).lines().count(), 4);
    let from = stdout(&["list", "8", "--from", "14", "--limit", "2", "--format", "squares"]);
    assert_eq!(from, "a3 b5 c2 d8 e1 f7 g4 h6\na3 b5 c2 d8 e6 f4 g7 h1\n");
    assert_eq!(stdout(&["list", "8", "--from", "93"]), "");
    let late = stdout(&["list", "8", "--from", "79", "--class", "point", "--format", "numbered"]);
    assert_eq!(late, "79  a 6  b 4  c 7  d 1  e 8  f 2  g 5  h 3\n");
}

#[test]
fn queens_forbidden_squares_and_rectangles() {
    let all = stdout(&["list", "8"]);
    let kept = |line: &&str| ranks(line)[3] == 4 && ranks(line)[0] != 2;
    let expected: Vec<&str> = all.lines().filter(kept).collect();
    let listed = stdout(&["list", "8", "--queen", "d4", "--forbid", "a2"]);
    assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    // non-attacking sets of 4 queens on 4 x 6 squares, transposed or not
    let tall = stdout(&["list", "--board", "6x4"]);
    let wide = stdout(&["list", "--board", "4x6", "--format", "squares"]);
    assert_eq!(tall.lines().count(), wide.lines().count());
    assert_eq!(stdout(&["list", "--board", "2x3"]), "1 - 2\n2 - 1\n");
    assert_eq!(stdout(&["list", "--board", "1x1"]), "1\n");
    assert_eq!(stdout(&["list", "--board", "8x8"]), all);
}

#[test]
fn queens_that_attack_each_other_have_no_solution_and_that_is_said_as_by_count() {
    let constraints = ["8", "--queen", "a1", "--queen", "b2"];
    let why = "two of the given queens attack each other: there is no solution\n";
    for (command, result) in [("list", ""), ("count", "0\n")] {
        let (code, stdout, stderr) = run(&[&[command][..], &constraints].concat());
        assert_eq!((code, stdout.as_str()), (0, result), "{command}: {stderr}");
        assert!(stderr.starts_with(why), "{command}: {stderr}");
    }
}

#[test]
fn documents() {
    let schema = schema(include_str!("../../data/list.schema.json"));
    let list = document(&schema, &["list", "8", "--json"]);
    assert_eq!((&list["listed"], &list["complete"]), (&json!("92"), &json!(true)));
    assert_eq!(list["solutions"][0], json!({"number": "1", "ranks": [1, 5, 8, 6, 3, 7, 2, 4]}));
    let cut = document(&schema, &["list", "8", "--format", "json", "--limit", "3", "--queen", "a2"]);
    assert_eq!((&cut["listed"], &cut["complete"]), (&json!("3"), &json!(false)));
    assert_eq!(cut["problem"]["queens"], json!(["a2"]));
    assert_eq!(document(&schema, &["list", "3", "--json"])["solutions"], json!([]));
    let wide = document(&schema, &["list", "--board", "2x3", "--json"]);
    assert_eq!(wide["solutions"][0]["ranks"], json!([1, null, 2]));
    let groups = document(&schema, &["list", "8", "--groups", "--json"]);
    assert_eq!((&groups["listed"], &groups["groups"][9]["sum"]), (&json!("12"), &json!("186")));
    assert_refuses(
        &schema,
        &list,
        &[
            ("/schema", json!(2)),
            ("/listed", json!(92)),
            ("/solutions/0/number", json!(1)),
            ("/solutions/0/ranks/0", json!("1")),
            ("/complete", json!(null)),
        ],
    );
    let change =
        [("/groups/0/class", json!("odd")), ("/groups/0/images", json!([])), ("/groups/0/sum", json!(372))];
    assert_refuses(&schema, &groups, &change);
}

#[test]
fn a_dash_is_standard_output() {
    assert_eq!(stdout(&["list", "4", "-o", "-"]), stdout(&["list", "4"]));
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("list");
    std::fs::write(&file, "before").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(run(&["list", "4", "-o", file.to_str().unwrap()]).0, 0);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "2 4 1 3\n3 1 4 2\n");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn what_cannot_be_listed_is_refused() {
    for (args, part) in [
        (&["list", "0"][..], "from 1 to 32"),
        (&["list", "33"], "from 1 to 32"),
        (&["list"], "<N>"),
        (&["list", "8", "--board", "8x8"], "--board"),
        (&["list", "--board", "33x2"], "from 1 to 32"),
        (&["list", "--board", "8"], "ranks x files"),
        (&["list", "8", "--queen", "i1"], "a1 to h8"),
        (&["list", "8", "--forbid", "a9"], "a1 to h8"),
        (&["list", "8", "--queen", "a2", "--forbid", "a2"], "a2 has a queen"),
        (&["list", "--board", "1x8", "--queen", "a1", "--queen", "c1"], "more queens are given (2)"),
        (&["list", "8", "--queen", "9"], "not a square"),
        (&["list", "8", "--limit", "0"], "'0' for --limit"),
        (&["list", "8", "--unique", "--queen", "a1"], "--queen"),
        (&["list", "8", "--groups", "--unique"], "--unique"),
        (&["list", "17", "--groups"], "from 1 to 16"),
        (&["list", "8", "--empty-centre", "3"], "even or odd"),
        (&["list", "8", "--empty-centre", "10"], "fits on the board"),
        (&["list", "--board", "4x6", "--empty-diagonals"], "square boards"),
        (&["list", "8", "--format", "svg"], "--limit 1"),
        (&["list", "8", "--format", "morse"], "numbered"),
        (&["list", "8", "--class", "odd"], "asymmetric, point, rotational"),
        (&["list", "8", "--json", "--format", "csv"], "--format"),
    ] {
        let refused = run(args);
        assert_refused(args, &refused, 2);
        assert!(refused.2.contains(part), "{args:?}: {part} in {}", refused.2);
    }
}

#[test]
fn pictures() {
    let board = stdout(&["list", "4", "--format", "board"]);
    assert_eq!(
        board,
        "number 1\n4 . Q . .\n3 . . . Q\n2 Q . . .\n1 . . Q .\n  a b c d\n\n\
         number 2\n4 . . Q .\n3 Q . . .\n2 . . . Q\n1 . Q . .\n  a b c d\n"
    );
    let svg = stdout(&["list", "8", "--format", "svg", "--from", "14", "--limit", "1"]);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
}
