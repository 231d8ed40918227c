//! Signals end a run at once, whatever it is doing.

use std::{
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{PROGRAM, command};

/// The contract says 200 ms; the rest is for a machine with much else to do.
const SOON: Duration = Duration::from_secs(2);

pub(crate) fn spawn(args: &[&str]) -> Child {
    let mut command = command(PROGRAM);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits until the process handles SIGINT: before, a signal just kills it.
pub(crate) fn await_handler(child: &Child) {
    let path = format!("/proc/{}/status", child.id());
    let end = Instant::now() + Duration::from_secs(30);
    while cfg!(target_os = "linux") && Instant::now() < end {
        let status = std::fs::read_to_string(&path).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & 1 << 1 != 0 {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the run is under way.
fn await_run(child: &Child) {
    await_handler(child);
    thread::sleep(Duration::from_millis(300));
}

pub(crate) fn kill(child: &Child, signal: &str) {
    let status = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// Sends a signal to a run under way; returns its end and how long that took.
fn interrupted(args: &[&str], signal: &str) -> (Output, Duration) {
    let mut child = spawn(args);
    await_run(&child);
    assert_eq!(child.try_wait().unwrap(), None, "{args:?} was done too soon");
    let sent = Instant::now();
    kill(&child, signal);
    let output = child.wait_with_output().unwrap();
    (output, sent.elapsed())
}

fn assert_stops(args: &[&str], signal: &str, code: i32) {
    let (output, took) = interrupted(args, signal);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?} {signal}: {stderr}");
    assert!(took < SOON, "{args:?} {signal} took {took:?}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "no count");
    assert!(stderr.contains(&format!("stopped by SIG{signal}: ")), "{stderr}");
    eprintln!("{args:?} {signal}: {took:?}");
}

#[test]
fn a_search_stops() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        assert_stops(&["count", "20", "--device", "cpu"], signal, code);
    }
}

#[test]
fn an_estimate_stops() {
    assert_stops(&["count", "28", "--estimate", "--device", "cpu"], "INT", 130);
    assert_stops(&["count", "24", "--estimate", "--method", "search", "--device", "cpu"], "TERM", 143);
}

#[test]
fn a_plain_counter_stops_in_the_middle() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        assert_stops(&["count", "18", "--method", "bitmask"], signal, code);
    }
    assert_stops(&["count", "12", "--method", "permutations", "--json"], "INT", 130);
}

#[cfg(feature = "gpu")]
#[test]
fn a_search_on_a_gpu_stops() {
    let Some(adapter) = crate::common::gpu() else { return };
    assert_stops(&["count", "20", "--device", &adapter], "INT", 130);
    assert_stops(&["selftest", "--device", &adapter], "TERM", 143);
}

/// Nobody need read what a signal has to say.
#[cfg(target_os = "linux")]
#[test]
fn a_stderr_that_nobody_reads_does_not_hold_it() {
    use std::io::Write;
    let (reader, mut writer) = std::io::pipe().unwrap();
    let stderr = writer.try_clone().unwrap();
    let full = thread::spawn(move || while writer.write_all(&[b' '; 4096]).is_ok() {});
    let mut command = command(PROGRAM);
    command.args(["count", "20", "--device", "cpu"]).stdout(Stdio::null()).stderr(stderr);
    let mut child = command.spawn().unwrap();
    drop(command);
    await_run(&child);
    kill(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(reader);
    full.join().unwrap();
}

/// As under nohup.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_hangup_stays_ignored() {
    let mut command = command("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" count 15 --device cpu", PROGRAM]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    await_run(&child);
    kill(&child, "HUP");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"2279184\n".as_slice()));
}
