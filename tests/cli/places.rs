//! Where a run is saved, and what is said of that before there is anything to save.

use std::{
    fs,
    io::{BufRead as _, BufReader},
};

use tempfile::TempDir;

use crate::{
    PROGRAM, assert_refused, command,
    longrun::{LONG, RUNS, await_file, begun, names, saved_in, show, spawn},
    read,
    signals::{await_handler, kill},
};

#[test]
fn a_folder_that_is_not_there_is_not_made_but_that_of_the_platform() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("misspelt").join("run");
    let (code, stdout, stderr) = read(saved_in(&file, RUNS[0].0).output().unwrap());
    assert_refused(RUNS[0].0, &(code, stdout, stderr.clone()), 5);
    let missing = format!("there is no folder {}", file.parent().unwrap().display());
    assert!(stderr.contains(&missing), "{stderr}");
    assert_eq!(names(folder.path()), [""; 0]);
    let state = folder.path().join("state");
    let mut command = command(PROGRAM);
    command.args(RUNS[0].0).args(["--stop-after", "200ms"]).env("XDG_STATE_HOME", &state);
    let (code, _, stderr) = read(command.output().unwrap());
    assert_eq!(code, 3, "{stderr}");
    assert!(state.join("ferz").is_dir());
}

#[cfg(unix)]
#[test]
fn a_link_to_a_checkpoint_stays_one() {
    use std::os::unix::fs::symlink;
    let (far, near) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    // to begin with it leads to nothing
    symlink(far.path().join("run"), near.path().join("run")).unwrap();
    let link = begun(&near, RUNS[0].0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(names(near.path()), ["run"], "what is written beside, and the lock, lie with the file");
    assert!(names(far.path()).contains(&"run".into()));
    // of two processes one runs, whatever the names are
    let (file, link) = (far.path().join("long"), near.path().join("long"));
    symlink(&file, &link).unwrap();
    let mut first = spawn(&mut saved_in(&link, &LONG));
    await_file(&far.path().join("long.lock"));
    let refused = read(saved_in(&file, &LONG).output().unwrap());
    assert!(refused.0 == 5 && refused.2.contains("in use by another ferz"), "{}", refused.2);
    first.kill().unwrap();
    first.wait().unwrap();
}

/// A signal while devices are opened and the first blocks are made.
#[test]
fn a_signal_before_anything_is_counted_says_how_to_go_on() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("fresh");
    let child = spawn(&mut saved_in(&file, &LONG));
    await_handler(&child);
    kill(&child, "INT");
    let (code, stdout, stderr) = read(child.wait_with_output().unwrap());
    assert_eq!((code, stdout.as_str()), (130, ""), "{stderr}");
    assert!(stderr.contains("stopped by SIGINT: "), "{stderr}");
    let told = ["nothing was counted yet, and nothing is lost", "nothing new is saved", " are saved in "];
    assert!(told.iter().any(|part| stderr.contains(part)), "{stderr}");

    let file = begun(&folder, RUNS[0].0);
    #[cfg(feature = "gpu")]
    let adapter = crate::common::gpu();
    #[cfg(not(feature = "gpu"))]
    let adapter: Option<String> = None;
    // a GPU is longer in the making
    for device in ["cpu"].into_iter().chain(adapter.as_deref()) {
        for (signal, code) in [("INT", 130), ("TERM", 143)] {
            let args = ["count", "18", "--device", device, "--method", "join", "--threads", "1"];
            let mut child = spawn(&mut saved_in(&file, &args));
            let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
            let mut stderr = String::new();
            for line in lines.by_ref().map(Result::unwrap) {
                stderr += &format!("{line}\n");
                if line.starts_with("resuming from ") {
                    break;
                }
            }
            kill(&child, signal);
            lines.map(Result::unwrap).for_each(|line| stderr += &format!("{line}\n"));
            assert_eq!(child.wait().unwrap().code(), Some(code), "{device}: {stderr}");
            let resume = format!("resume with: {PROGRAM} count 18 ");
            assert!(stderr.contains(" in ") && stderr.contains(&resume), "{device} {signal}: {stderr}");
            show(&file);
        }
    }
}
