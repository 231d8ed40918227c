//! Runs that are killed, interrupted, stopped, started twice, on disks that are full or cannot be written.
//!
//! `FERZ_TEST_KILLS=200` makes the random ones long. (Longer than other files: all ways to end a run in one place.)

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    PROGRAM, assert_refused, command, ferz, read, run,
    signals::{await_handler, kill},
};

/// A run of some seconds, by each method, and its count.
pub(crate) const RUNS: [(&[&str], &str); 2] = [
    (&["count", "18", "--device", "cpu", "--method", "join"], "666090624\n"),
    (&["count", "16", "--device", "cpu", "--method", "search"], "14772512\n"),
];

/// A run that no test waits for.
pub(crate) const LONG: [&str; 4] = ["count", "22", "--device", "cpu"];

const SOON: Duration = Duration::from_secs(60);

/// How often the random tests kill.
fn kills(short: usize) -> usize {
    env::var("FERZ_TEST_KILLS").map_or(short, |text| text.parse().expect("FERZ_TEST_KILLS is a number"))
}

/// Random numbers that a failed test tells.
fn random() -> ChaCha8Rng {
    let seed = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    eprintln!("seed {seed}");
    ChaCha8Rng::seed_from_u64(seed)
}

pub(crate) fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// A run that is saved in a file every 100 ms.
pub(crate) fn saved_in(file: &Path, args: &[&str]) -> Command {
    let mut command = command(PROGRAM);
    command.args(args).arg("--checkpoint").arg(file).args(["--checkpoint-interval", "100ms"]);
    command
}

pub(crate) fn show(file: &Path) -> Value {
    let (code, stdout, stderr) =
        read(ferz().args(["checkpoint", "show", "--json"]).arg(file).output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// The last generation: a kill may come between two renames.
fn generation(file: &Path) -> Option<PathBuf> {
    [file.to_owned(), file.with_extension("prev")].into_iter().find(|file| file.exists())
}

pub(crate) fn await_file(file: &Path) {
    let end = Instant::now() + SOON;
    while !file.exists() {
        assert!(Instant::now() < end, "{} never came", file.display());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A file in `folder` with a part of a run, which ended by itself once there was something to save.
pub(crate) fn begun(folder: &TempDir, args: &[&str]) -> PathBuf {
    let file = folder.path().join("run");
    for time in ["200ms", "400ms", "800ms", "1600ms", "10s"] {
        let args = [args, &["--stop-after", time, "--threads", "1"]].concat();
        let (code, stdout, stderr) = read(saved_in(&file, &args).output().unwrap());
        assert_eq!((code, stdout.as_str()), (3, ""), "{stderr}");
        if file.exists() && show(&file)["blocks"]["done"] != json!(0) {
            return file;
        }
    }
    panic!("{args:?}: nothing was done in 10 s");
}

#[test]
fn a_run_that_is_killed_at_any_moment_goes_on_and_counts_right() {
    let mut random = random();
    let (folder, kills) = (TempDir::new().unwrap(), kills(10));
    let (mut killed, mut counted, mut resumed, mut lost) = (0, 0, 0, Duration::ZERO);
    while killed < kills || counted < 2 {
        let (args, count) = RUNS[counted % RUNS.len()];
        let file = folder.path().join("run");
        let before = generation(&file).map(|file| show(&file));
        // whatever is tuned may change from one session to the next
        let tuned = [["--threads", "1"], ["--threads", "2"], ["--verify", "sample"], ["--workload", "low"]];
        let mut child = spawn(saved_in(&file, args).args(tuned[random.random_range(0..tuned.len())]));
        let start = Instant::now();
        // towards the end runs are left to end
        let left = if killed < kills { random.random_range(20..1500) } else { 600_000 };
        while start.elapsed() < Duration::from_millis(left) && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        // or killed once it had told the count
        let ended = !output.stdout.is_empty();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            stderr.contains("resuming from "),
            before.is_some() && (ended || !stderr.is_empty()),
            "{stderr}"
        );
        resumed += usize::from(stderr.contains("resuming from "));
        if ended {
            assert_eq!(String::from_utf8(output.stdout).unwrap(), count, "{stderr}");
            if output.status.success() {
                assert_eq!(names(folder.path()), [""; 0], "nothing is left");
            }
            counted += 1;
            continue;
        }
        killed += 1;
        let seconds =
            |file: Option<&Value>| file.map_or(0.0, |file| file["elapsed_total_s"].as_f64().unwrap());
        let done = |file: Option<&Value>| file.map_or(0, |file| file["blocks"]["done"].as_u64().unwrap());
        let after = generation(&file).map(|file| show(&file));
        assert!(
            done(after.as_ref()) >= done(before.as_ref()),
            "what was saved is kept: {before:?} {after:?}"
        );
        let kept = (seconds(after.as_ref()) - seconds(before.as_ref())).max(0.0);
        lost = lost.max(Duration::from_millis(left).saturating_sub(Duration::from_secs_f64(kept)));
    }
    eprintln!("{killed} kills, {counted} runs ended, {resumed} resumed, at most {lost:.0?} lost");
    assert!(resumed > 0);
}

#[test]
fn a_run_that_is_interrupted_at_any_moment_is_saved_and_goes_on() {
    let mut random = random();
    let (folder, kills) = (TempDir::new().unwrap(), kills(5) / 2 + 3);
    let (args, count) = RUNS[0];
    let (mut interrupted, mut late, mut times) = (0, 0, Vec::new());
    while interrupted < kills {
        let file = folder.path().join("run");
        let begun_before = generation(&file).is_some();
        let (signal, code) = [("INT", 130), ("TERM", 143), ("HUP", 129)][random.random_range(0..3)];
        let mut child = spawn(&mut saved_in(&file, args));
        await_handler(&child);
        thread::sleep(Duration::from_millis(random.random_range(0..1200)));
        if child.try_wait().unwrap().is_some() {
            assert_eq!(child.wait_with_output().unwrap().stdout, count.as_bytes());
            continue;
        }
        interrupted += 1;
        let sent = Instant::now();
        kill(&child, signal);
        let output = child.wait_with_output().unwrap();
        times.push(sent.elapsed());
        let stderr = String::from_utf8(output.stderr).unwrap();
        if output.status.code() == Some(0) {
            assert_eq!(output.stdout, count.as_bytes(), "it came too late");
            continue;
        }
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(code), &b""[..]), "{stderr}");
        assert!(stderr.contains(&format!("stopped by SIG{signal}: ")), "{stderr}");
        let resume = format!("resume with: {PROGRAM} count 18 ");
        match generation(&file) {
            // a disk that takes longer than a second and a half
            Some(_) if stderr.contains("did not end in time") => late += 1,
            // it came before the run was under way
            Some(_) if begun_before && stderr.contains("nothing new is saved") => {}
            Some(file) => {
                assert!(stderr.contains(" are saved in ") && stderr.contains(&resume), "{stderr}");
                show(&file);
            }
            None => assert!(stderr.contains("nothing new is saved"), "{stderr}"),
        }
    }
    times.sort();
    eprintln!(
        "{interrupted} interrupts, {late} not saved in time: median {:.0?}, most {:.0?}",
        times[times.len() / 2],
        times[times.len() - 1]
    );
    let output = saved_in(&folder.path().join("run"), args).output().unwrap();
    assert_eq!(output.stdout, count.as_bytes());
}

#[test]
fn a_second_interrupt_ends_it_without_harm() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run");
    let child = spawn(&mut saved_in(&file, &LONG));
    await_file(&file);
    kill(&child, "INT");
    // may be gone already
    let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
    // it may come between two renames
    show(&generation(&file).unwrap());
}

#[test]
fn of_two_processes_one_runs() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run");
    let mut first = spawn(&mut saved_in(&file, &LONG));
    await_file(&folder.path().join("run.lock"));
    let mut longest = Duration::ZERO;
    for _ in 0..kills(5).min(50) {
        let start = Instant::now();
        let output = saved_in(&file, &LONG).output().unwrap();
        longest = longest.max(start.elapsed());
        let refused = read(output);
        assert_refused(&LONG, &refused, 5);
        assert!(refused.2.contains("in use by another ferz"), "{}", refused.2);
    }
    eprintln!("refused within {longest:.0?}");
    assert_eq!(first.try_wait().unwrap(), None, "the first goes on");
    first.kill().unwrap();
    first.wait().unwrap();
    // the lock dies with its holder
    begun(&folder, &LONG);
}

#[test]
fn a_count_finds_its_own_checkpoint() {
    let folder = TempDir::new().unwrap();
    let state = folder.path().join("ferz");
    let start = |args: &[&str]| {
        let mut command = command(PROGRAM);
        command.args(["count", "18", "--device", "cpu"]).args(args).env("XDG_STATE_HOME", folder.path());
        command
    };
    let (code, _, stderr) = read(start(&["--threads", "1", "--stop-after", "300ms"]).output().unwrap());
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.starts_with("stopped after 300.0ms, as was asked: no count is given\n"), "{stderr}");
    assert_eq!(names(&state), ["18-queens-18x18-join.ferz"]);
    let (code, stdout, stderr) = read(start(&["--json"]).output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.starts_with("resuming from ") && stderr.contains(" in 2 sessions"), "{stderr}");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&document["count"], &document["sessions"]), (&json!("666090624"), &json!(2)));
    assert!(document["elapsed_total_s"].as_f64() > document["elapsed_s"].as_f64());
    assert_eq!(names(&state), [""; 0], "a count that was told answers no other");
}

#[test]
fn a_count_goes_on_by_the_method_that_began_it() {
    let folder = TempDir::new().unwrap();
    let file = begun(&folder, RUNS[1].0);
    let with = |args: &[&str]| {
        let args = [&["count", "16", "--device", "cpu", "--threads", "2"], args].concat();
        read(saved_in(&file, &args).output().unwrap())
    };
    let refused = with(&["--method", "join"]);
    assert_refused(&["--method", "join"], &refused, 5);
    assert!(refused.2.contains("by search, not by join"), "{}", refused.2);
    let refused = with(&["--method", "search", "--queen", "a1"]);
    assert_refused(&["--queen"], &refused, 5);
    assert!(refused.2.contains("another count"), "{}", refused.2);
    let (code, stdout, stderr) = with(&[]);
    assert_eq!((code, stdout.as_str()), (0, RUNS[1].1), "{stderr}");
    assert!(stderr.contains("begun by search, and goes on by it"), "{stderr}");
}

#[test]
fn damaged_foreign_and_newer_files_are_refused_and_left() {
    let folder = TempDir::new().unwrap();
    let file = begun(&folder, RUNS[0].0);
    let whole = fs::read(&file).unwrap();
    fs::remove_file(folder.path().join("run.prev")).ok();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    let newer = [b"ferz checkpoint 2\n", &whole[18..]].concat();
    for (bytes, part) in [
        (&flipped[..], "is damaged"),
        (&whole[..whole.len() - 1], "is damaged"),
        (b"", "not a checkpoint"),
        (b"Dear Sir", "not a checkpoint"),
        (&newer, "format 2 of a newer ferz"),
    ] {
        fs::write(&file, bytes).unwrap();
        for args in [RUNS[0].0, &["checkpoint", "show"], &["checkpoint", "verify"]] {
            let mut command = command(PROGRAM);
            command
                .args(args)
                .args(if args[0] == "count" { vec!["--checkpoint"] } else { vec![] })
                .arg(&file);
            let refused = read(command.output().unwrap());
            assert_refused(args, &refused, 5);
            assert!(refused.2.contains(part), "{}", refused.2);
        }
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
    // the generation before is used where there is one
    fs::write(&file, &flipped).unwrap();
    fs::write(folder.path().join("run.prev"), &whole).unwrap();
    let shown = read(command(PROGRAM).args(["checkpoint", "show"]).arg(&file).output().unwrap());
    assert_refused(&["checkpoint", "show"], &shown, 5);
    assert!(shown.2.contains("run.prev") && !shown.2.contains("--restart"), "{}", shown.2);
    let (code, stdout, stderr) = read(saved_in(&file, RUNS[0].0).output().unwrap());
    assert_eq!((code, stdout.as_str()), (0, RUNS[0].1), "{stderr}");
    assert!(
        stderr.contains("warning: ") && stderr.contains("run.bad") && stderr.contains("resuming"),
        "{stderr}"
    );
    assert_eq!(fs::read(folder.path().join("run.bad")).unwrap(), flipped);
}

#[test]
fn files_of_others_beside_a_checkpoint_are_left() {
    for name in ["run.new", "run.lock", "run.prev"] {
        let folder = TempDir::new().unwrap();
        let other = folder.path().join(name);
        fs::write(&other, "precious").unwrap();
        let file = folder.path().join("run");
        for args in [&["--stop-after", "300ms"][..], &["--restart"]] {
            let refused = read(saved_in(&file, RUNS[0].0).args(args).output().unwrap());
            assert_refused(args, &refused, 5);
            assert!(refused.2.contains(name), "{}", refused.2);
        }
        assert_eq!(
            (names(folder.path()), fs::read(&other).unwrap()),
            (vec![name.into()], b"precious".into())
        );
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_checkpoint_and_is_not_waited_for() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("run");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for mut command in [saved_in(&pipe, RUNS[0].0), {
        let mut show = command(PROGRAM);
        show.args(["checkpoint", "show"]).arg(&pipe);
        show
    }] {
        let refused = read(command.output().unwrap());
        assert_refused(&["a pipe"], &refused, 5);
        assert!(refused.2.contains("it is no file"), "{}", refused.2);
    }
}

#[test]
fn a_restart_keeps_the_old_file() {
    let folder = TempDir::new().unwrap();
    let file = begun(&folder, RUNS[0].0);
    let before = fs::read(&file).unwrap();
    let (code, stdout, stderr) = read(saved_in(&file, RUNS[0].0).arg("--restart").output().unwrap());
    assert_eq!((code, stdout.as_str()), (0, RUNS[0].1), "{stderr}");
    assert!(stderr.contains("kept as ") && !stderr.contains("resuming"), "{stderr}");
    assert_eq!(fs::read(folder.path().join("run.bak")).unwrap(), before);
}

#[test]
fn what_is_saved_is_shown_and_recounted() {
    let folder = TempDir::new().unwrap();
    let file = begun(&folder, RUNS[0].0);
    let file = file.to_str().unwrap();
    let (code, stdout, _) = run(&["checkpoint", "show", file]);
    assert_eq!(code, 0);
    for part in ["18 queens on 18x18", "join", " blocks", " done", "sessions", "saved"] {
        assert!(stdout.contains(part), "{part} in {stdout}");
    }
    let (code, stdout, stderr) = run(&["checkpoint", "verify", file, "--recheck", "100%", "--threads", "2"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("blocks recounted, all right"), "{stdout}");
    assert!(run(&["checkpoint", "verify", file]).1.contains("no block was recounted"));
    let refused = run(&["checkpoint", "show", "/no/such/file"]);
    assert_refused(&["show"], &refused, 5);
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    for args in [&["--checkpoint", "/dev/null/run"][..], &["--stop-after", "1h"]] {
        let mut command = command(PROGRAM);
        command.args(LONG).args(args).env("XDG_STATE_HOME", "/dev/null");
        let refused = read(command.output().unwrap());
        assert_refused(args, &refused, 5);
        assert!(refused.2.contains("cannot be written"), "{}", refused.2);
    }
    // unasked it is a warning
    let child = spawn(command(PROGRAM).args(LONG).env("XDG_STATE_HOME", "/dev/null"));
    await_handler(&child);
    thread::sleep(Duration::from_millis(1500));
    kill(&child, "INT");
    let (code, _, stderr) = read(child.wait_with_output().unwrap());
    assert_eq!(code, 130, "{stderr}");
    assert!(stderr.contains("warning: ") && stderr.contains("nothing new is saved"), "{stderr}");
}

/// A disk that is full after some bytes: a limit for the size of files, and a small file system where one can be mounted.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_does_not_stop_a_count() {
    let folder = TempDir::new().unwrap();
    let mount = folder.path().join("small");
    fs::create_dir(&mount).unwrap();
    let small = mount.to_str().unwrap();
    let limited = format!("ulimit -f 1; exec \"$0\" \"$@\" --checkpoint {small}/run");
    let mounted = format!(
        "mount -t tmpfs -o size=4k tmpfs {small} 2>/dev/null || exit 77; exec \"$0\" \"$@\" --checkpoint {small}/run"
    );
    let interval = ["--checkpoint-interval", "100ms"];
    for (shell, script) in
        [(&["sh"][..], limited), (&["unshare", "--user", "--map-root-user", "--mount", "sh"], mounted)]
    {
        let mut command = command(shell[0]);
        command.args(&shell[1..]).args(["-c", &script, PROGRAM]).args(RUNS[0].0).args(interval);
        let Ok(output) = command.output() else { continue };
        if shell.len() > 1
            && output.status.code() != Some(0)
            && output.stdout.is_empty()
            && output.stderr.len() < 100
        {
            eprintln!("SKIPPED: no small file system can be mounted");
            continue;
        }
        let (code, stdout, stderr) = read(output);
        assert_eq!((code, stdout.as_str()), (0, RUNS[0].1), "{stderr}");
        assert_eq!(stderr.matches("cannot be saved").count(), 1, "{stderr}");
    }
    // stopped there, it is not saved, and does not say so
    let script = format!("ulimit -f 1; exec \"$0\" \"$@\" --checkpoint {small}/other --stop-after 400ms");
    let stopped = command("sh").args(["-c", &script, PROGRAM]).args(RUNS[0].0).output().unwrap();
    let (code, stdout, stderr) = read(stopped);
    assert_eq!((code, stdout.as_str()), (1, ""), "{stderr}");
    assert!(stderr.contains("is lost"), "{stderr}");
}

#[cfg(feature = "gpu")]
#[test]
fn a_count_begun_on_the_cpu_goes_on_on_a_gpu() {
    let Some(adapter) = crate::common::gpu() else { return };
    let folder = TempDir::new().unwrap();
    let file = begun(&folder, RUNS[1].0);
    let args = ["count", "16", "--method", "search", "--device", &adapter, "--json"];
    let (code, stdout, stderr) = read(saved_in(&file, &args).output().unwrap());
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("resuming"), "{stderr}");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["count"], json!("14772512"));
    let kinds: Vec<&str> =
        document["devices"].as_array().unwrap().iter().filter_map(|device| device["kind"].as_str()).collect();
    assert!(kinds.len() == 2 && kinds[0] == "cpu", "both sessions are told: {document}");
}
