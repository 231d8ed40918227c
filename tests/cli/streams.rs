//! Closed pipes, full disks, terminals and files.

use std::process::{Command, Stdio};

use crate::{PROGRAM, command, ferz, read, run};

const ESCAPE: char = '\u{1b}';

/// Commands that end well.
const GOOD: [&[&str]; 15] = [
    &["count", "8"],
    &["count", "8", "--json"],
    &["devices"],
    &["devices", "--json"],
    &["selftest", "--device", "cpu"],
    &["solve", "8", "--format", "svg"],
    &["list", "8", "--format", "unicode"],
    &["classify", "1 5 8 6 3 7 2 4"],
    &["nearest", "1 1 1 1"],
    &["tile", "7"],
    &["completions", "bash"],
    &["man"],
    &["man", "checkpoint", "verify"],
    &["--help"],
    &["--version"],
];

fn spawned(args: &[&str]) -> Command {
    let mut command = command(PROGRAM);
    command.args(args).stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for args in GOOD {
        let mut child = spawned(args).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let (code, _, stderr) = read(child.wait_with_output().unwrap());
        assert_eq!(code, 0, "{args:?}: {stderr}");
        assert!(
            !stderr.contains("error") && !stderr.contains("hint") && !stderr.contains("panic"),
            "{stderr}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for args in GOOD {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let (code, _, stderr) = read(spawned(args).stdout(full).output().unwrap());
        assert_eq!(code, 1, "{args:?}: {stderr}");
        assert!(
            stderr.contains("error: the result cannot be written") && stderr.contains("space"),
            "{stderr}"
        );
        assert!(stderr.contains("\nhint: "), "{stderr}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_or_closed_stderr_changes_nothing() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = spawned(&["count", "8"]).stderr(full).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"92\n".as_slice()));
    let mut child = spawned(&["count", "8"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"92\n".as_slice()));
}

#[test]
fn off_a_terminal_there_is_no_escape_byte() {
    let bad: [&[&str]; 6] = [
        &["count", "33"],
        &["count", "\u{1b}[31m8"],
        &["count", "8", "--device", "\u{1b}[31m"],
        &["\u{1b}[31m"],
        &["count", "--\u{1b}[31m"],
        &["count", "12", "-v", "--color", "auto"],
    ];
    for args in GOOD.into_iter().chain(bad) {
        let output = ferz().args(args).env("CLICOLOR_FORCE", "1").env("TERM", "xterm-256color").output();
        let (_, stdout, stderr) = read(output.unwrap());
        assert!(!stdout.contains(ESCAPE) && !stderr.contains(ESCAPE), "{args:?}: {stdout:?} {stderr:?}");
        assert!(!stdout.is_empty() || !stderr.is_empty());
    }
}

#[test]
fn colours_come_when_asked_for_and_never_in_a_result() {
    let (_, _, stderr) = run(&["count", "33", "--color", "always"]);
    assert!(stderr.starts_with(ESCAPE) && stderr.contains("error:"), "{stderr:?}");
    let (_, _, stderr) = run(&["--color=always", "count", "13", "--method", "permutations"]);
    assert!(stderr.starts_with(ESCAPE), "{stderr:?}");
    let (_, stdout, stderr) = run(&["count", "12", "-v", "--color", "always"]);
    assert!(stderr.contains(ESCAPE), "{stderr:?}");
    assert_eq!(stdout, "14200\n");
    let (_, stdout, _) = run(&["count", "8", "--json", "--color", "always"]);
    assert!(stdout.starts_with('{') && !stdout.contains(ESCAPE));
    let (_, stdout, _) = run(&["--help", "--color", "always"]);
    assert!(stdout.contains(ESCAPE), "headings: {stdout:?}");
}

/// What a terminal gets to see, through `script` of util-linux.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_colours_are_refused_by_three_ways() {
    let seen = |name: &str, value: &str, flags: &str| {
        let mut script = command("script");
        script.args(["-qec", &format!("'{PROGRAM}' count 33 {flags}"), "/dev/null"]).stdin(Stdio::null());
        script.env("TERM", "xterm").env_remove("NO_COLOR").env(name, value);
        script.output().ok().map(|output| {
            assert_eq!(output.status.code(), Some(2));
            String::from_utf8(output.stdout).unwrap()
        })
    };
    let Some(coloured) = seen("TERM", "xterm", "") else {
        eprintln!("SKIPPED: no `script` to make a terminal with");
        return;
    };
    assert!(coloured.contains(ESCAPE) && coloured.contains("error:"), "{coloured:?}");
    assert!(seen("NO_COLOR", "", "").unwrap().contains(ESCAPE), "an empty NO_COLOR does not count");
    for (name, value, flags) in
        [("NO_COLOR", "1", ""), ("TERM", "dumb", ""), ("TERM", "xterm", "--color never")]
    {
        let plain = seen(name, value, flags).unwrap();
        assert!(
            plain.contains("error: invalid value '33'") && !plain.contains(ESCAPE),
            "{name} {flags}: {plain:?}"
        );
    }
    assert!(seen("NO_COLOR", "1", "--color always").unwrap().contains(ESCAPE), "a flag is stronger");
}
