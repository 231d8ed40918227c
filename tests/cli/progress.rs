//! Progress on stderr: what shows it, and what does not.

use std::time::Duration;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::run;

/// A count of some seconds, and its number.
const LONG: [&str; 4] = ["count", "19", "--device", "cpu"];
const ANSWER: &str = "4968057848\n";

/// As long, without blocks.
const PLAIN_COUNTER: [&str; 4] = ["count", "15", "--method", "bitmask"];

fn with(args: &[&str]) -> (i32, String, String) {
    run(&[&LONG[..], &["--threads", "1"], args].concat())
}

fn schema() -> Validator {
    let schema = serde_json::from_str(include_str!("../data/progress.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn off_a_terminal_there_are_whole_lines_without_escape_bytes() {
    let (code, stdout, stderr) = with(&["--color", "always"]);
    assert_eq!((code, stdout.as_str()), (0, ANSWER), "{stderr}");
    assert!(!stderr.contains(['\u{1b}', '\r']) && stderr.ends_with('\n'), "{stderr:?}");
    let first = stderr.lines().next().unwrap();
    for part in ["counting: ", " %, ", " visits/s, ", " s elapsed, ", " so far, ", " blocks"] {
        assert!(first.contains(part), "{part} in {stderr}");
    }
}

#[test]
fn nothing_is_shown_where_it_is_not_wanted_or_not_worth_it() {
    let silent = (0, ANSWER.to_owned(), String::new());
    assert_eq!(with(&["--quiet", "--progress", "json"]), silent);
    for form in ["auto", "bar", "plain", "json", "none"] {
        let (_, stdout, stderr) = run(&["count", "8", "--progress", form]);
        assert_eq!((stdout.as_str(), stderr.lines().count()), ("92\n", 1), "{stderr}");
    }
}

#[test]
fn json_lines_fit_the_schema_and_never_go_backwards() {
    let (code, stdout, stderr) = with(&["--progress", "json"]);
    assert_eq!((code, stdout.as_str()), (0, ANSWER), "{stderr}");
    let mut lines: Vec<&str> = stderr.lines().collect();
    assert!(lines.pop().unwrap().starts_with("join on "), "{stderr}");
    let lines: Vec<Value> = lines.into_iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= 2, "{stderr}");
    let schema = schema();
    for line in &lines {
        let errors: Vec<String> = schema.iter_errors(line).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?} in {line}");
    }
    for key in ["share", "elapsed_s"] {
        let numbers: Vec<f64> = lines.iter().filter_map(|line| line[key].as_f64()).collect();
        assert!(numbers.len() >= 2 && numbers.is_sorted(), "{key}: {stderr}");
    }
    let last = lines.last().unwrap();
    assert_eq!((&last["share"], &last["eta_s"]), (&json!(1.0), &json!(0.0)), "{last}");
    assert_eq!(last["partial_sum"], json!(ANSWER.trim()), "{last}");
    assert_eq!(last["blocks"]["done"], last["blocks"]["total"], "{last}");
}

#[test]
fn the_schema_refuses_what_is_not_promised() {
    let good = json!({
        "schema": 1, "phase": "counting", "elapsed_s": 1.5, "share": 0.25, "visits": "12", "visits_per_s": 8.0,
        "eta_s": 4.5, "partial_sum": "92", "blocks": {"done": 1, "total": 4},
    });
    let schema = schema();
    assert!(schema.is_valid(&good));
    for (pointer, value) in [
        ("/schema", json!(2)),
        ("/phase", json!("dreaming")),
        ("/elapsed_s", Value::Null),
        ("/share", json!(1.1)),
        ("/share", json!(-0.1)),
        ("/visits", json!(12)),
        ("/eta_s", json!(-1)),
        ("/partial_sum", json!("9,2")),
        ("/blocks/total", json!(0)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value.clone();
        assert!(!schema.is_valid(&bad), "{pointer} = {value}");
    }
    for key in good.as_object().unwrap().keys() {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(key);
        assert!(!schema.is_valid(&bad), "without {key}");
    }
}

/// A signal asks for the status: one line, and the count goes on. The lines of `--progress none` are those.
#[cfg(unix)]
#[test]
fn a_signal_asks_for_one_line() {
    use crate::signals::{await_handler, kill, spawn};
    for (args, answer, phase) in [
        ([&LONG[..], &["--threads", "1"]].concat(), ANSWER, "counting: "),
        (PLAIN_COUNTER.to_vec(), "2279184\n", "counting: "),
    ] {
        let child = spawn(&[&args[..], &["--progress", "none"]].concat());
        await_handler(&child);
        for _ in 0..2 {
            kill(&child, "USR1");
            std::thread::sleep(Duration::from_millis(300));
        }
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.as_slice()),
            (Some(0), answer.as_bytes()),
            "{stderr}"
        );
        let lines: Vec<&str> = stderr.lines().collect();
        let [first, second, summary] = lines[..] else { panic!("{args:?}: {stderr}") };
        for line in [first, second] {
            assert!(line.starts_with(phase) && line.contains(" s elapsed"), "{stderr}");
        }
        assert!(summary.contains("visits/s; known answer"), "{stderr}");
    }
}

/// What a terminal gets to see, through `script` of util-linux.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_there_is_a_bar_that_goes_away() {
    let program = crate::PROGRAM;
    let seen = |term: &str, flags: &str| {
        let command = format!("'{program}' {} --threads 1 {flags}", LONG.join(" "));
        let mut script = crate::command("script");
        script.args(["-qec", &command, "/dev/null"]).stdin(std::process::Stdio::null());
        script.env("TERM", term).env_remove("NO_COLOR");
        script.output().ok().map(|output| String::from_utf8(output.stdout).unwrap())
    };
    let Some(bar) = seen("xterm", "") else {
        eprintln!("SKIPPED: no `script` to make a terminal with");
        return;
    };
    assert!(bar.contains("] counting: ") && bar.contains(" left, "), "{bar:?}");
    let (_, end) = bar.rsplit_once("blocks").or_else(|| bar.rsplit_once("counting")).unwrap();
    let after = end.rsplit_once("\u{1b}[2K").map(|(_, after)| after);
    assert!(after.is_some_and(|after| after.starts_with("4968057848\r\njoin on ")), "{bar:?}");
    let plain = seen("dumb", "").unwrap();
    assert!(plain.starts_with("counting: ") && !plain.contains('\u{1b}'), "{plain:?}");
}
