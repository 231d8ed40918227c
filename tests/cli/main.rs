//! The binary as scripts see it: what the contract of the command line promises.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

#[cfg(feature = "gpu")]
#[path = "../common/mod.rs"]
mod common;

mod arguments;
mod bench;
mod devices;
mod estimate;
mod json;
#[cfg(unix)]
mod longrun;
mod places;
mod problems;
mod progress;
mod puzzle;
mod resume;
#[cfg(unix)]
mod signals;
mod streams;
mod tuning;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{self, Command, Output},
    sync::atomic::{AtomicUsize, Ordering},
};

/// The binary under test.
fn ferz() -> assert_cmd::Command {
    assert_cmd::Command::from_std(command(PROGRAM))
}

/// The path of the binary under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_ferz");

/// A program, with nothing of what the user's shell may have set, and state and cache folders of its own.
fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    let folder = state_folder();
    command.env("XDG_CACHE_HOME", folder.join("cache")).env("XDG_STATE_HOME", folder);
    command
}

/// A folder that no other test uses; it need not be there.
fn state_folder() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("state/{}-{number}", process::id()));
    // of an earlier process with the same number
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// Exit code, stdout and stderr of a run.
fn run(args: &[&str]) -> (i32, String, String) {
    read(ferz().args(args).output().unwrap())
}

fn read(output: Output) -> (i32, String, String) {
    let code = output.status.code().expect("not ended by a signal");
    (code, String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Asserts the shape of a failure: nothing on stdout, one line `error:`, one line `hint:`, nothing else.
fn assert_refused(args: &[&str], (code, stdout, stderr): &(i32, String, String), expected: i32) {
    assert_eq!(*code, expected, "{args:?}: {stderr}");
    assert_eq!(stdout, "", "{args:?}");
    let lines: Vec<&str> = stderr.lines().collect();
    let [error, hint] = lines.as_slice() else { panic!("{args:?}: {stderr}") };
    assert!(error.starts_with("error: ") && error.len() > 15, "{args:?}: {error}");
    assert!(hint.starts_with("hint: ") && hint.len() > 12, "{args:?}: {hint}");
}

#[test]
fn a_count_is_plain_digits_on_one_line() {
    for (n, count) in [("1", "1\n"), ("2", "0\n"), ("3", "0\n"), ("8", "92\n"), ("13", "73712\n")] {
        let (code, stdout, stderr) = run(&["count", n, "--device", "cpu"]);
        assert_eq!((code, stdout.as_str()), (0, count), "{stderr}");
    }
}

#[test]
fn the_final_line_says_how_it_went() {
    let (_, _, stderr) = run(&["count", "8"]);
    let [line] = stderr.lines().collect::<Vec<_>>()[..] else { panic!("{stderr}") };
    for part in ["join on ", " thread", "visits/s", "known answer (A000170"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    let (_, _, stderr) = run(&["count", "8", "--verify", "none", "--method", "permutations"]);
    assert!(stderr.starts_with("permutations on ") && stderr.ends_with("; unverified\n"), "{stderr}");
    let (code, stdout, stderr) = run(&["count", "8", "-q"]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "92\n", ""));
    let (_, stdout, stderr) = run(&["count", "12", "-v", "--method", "search"]);
    assert_eq!(stdout, "14200\n");
    assert!(stderr.contains("depth") && stderr.contains("blocks"), "{stderr}");
}

#[test]
fn every_method_and_option_gives_the_same_count() {
    for args in [
        &["--method", "auto"][..],
        &["--method", "search", "--threads", "1"],
        &["--method", "search", "--depth", "0"],
        &["--depth", "6", "--device", "0"],
        &["--method", "bitmask"],
        &["--method", "backtrack", "--device", "cpu"],
        &["--method", "permutations", "--threads", "1"],
        &["--verify", "sample", "--workload", "low"],
        &["--verify", "full"],
        &["--verify", "full", "--method", "search"],
    ] {
        let (code, stdout, stderr) = run(&[&["count", "10"][..], args].concat());
        assert_eq!((code, stdout.as_str()), (0, "724\n"), "{args:?}: {stderr}");
    }
}

#[test]
fn the_cpu_passes_its_selftest() {
    let (code, stdout, stderr) = run(&["selftest", "--device", "cpu"]);
    assert_eq!((code, stdout.lines().count(), stderr.as_str()), (0, 1, ""), "{stdout}");
    assert!(stdout.contains(": passed; "), "{stdout}");
    let (_, _, stderr) = run(&["selftest", "--device", "cpu", "-v"]);
    for line in [
        "search of 12 queens on 12x12: 14200",
        "join of 13 queens on 13x13: 73712",
        "search of 5 queens on 8x8: 46736",
    ] {
        assert!(stderr.contains(line), "{line} in {stderr}");
    }
}
