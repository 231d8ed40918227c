//! Long lists: pipes, files, disks, signals.

use std::{
    fs,
    process::{Command, Stdio},
};

use super::*;
use crate::{PROGRAM, command};

fn spawned(args: &[&str]) -> Command {
    let mut command = Command::new(ferz().get_program());
    command.args(args).stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

#[test]
fn a_pipe_that_closes_ends_a_long_list_quietly() {
    use std::io::{BufRead, BufReader};
    for format in ["permutation", "json", "numbered", "board"] {
        let args = ["list", "30", "--format", format];
        let mut child = spawned(&args).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_until(b'1', &mut Vec::new()).unwrap();
        drop(lines);
        let (code, _, stderr) = read(child.wait_with_output().unwrap());
        assert_eq!((code, stderr.as_str()), (0, ""), "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for args in [
        &["list", "10", "--format", "json"][..],
        &["list", "30"],
        &["list", "8", "--groups"],
        &["solve", "100000"],
        &["classify", "1"],
    ] {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let (code, _, stderr) = read(spawned(args).stdout(full).output().unwrap());
        assert_eq!(code, 1, "{args:?}: {stderr}");
        assert!(stderr.starts_with("error: the result cannot be written to standard output: "), "{stderr}");
        assert!(stderr.contains("space") && stderr.contains("\nhint: "), "{stderr}");
    }
    let (code, _, stderr) = run(&["list", "10", "-o", "/dev/full"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(
        stderr.starts_with("error: /dev/full cannot be written: ") && stderr.contains("space"),
        "{stderr}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_halfway_is_told_by_the_name_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let script = "ulimit -f 1; exec \"$0\" list 10 -o queens.txt";
    let mut command = command("sh");
    let (code, _, stderr) =
        read(command.args(["-c", script, PROGRAM]).current_dir(folder.path()).output().unwrap());
    assert_eq!(code, 1, "{stderr}");
    let [error, hint] = stderr.lines().collect::<Vec<_>>()[..] else { panic!("{stderr}") };
    assert!(
        error.starts_with("error: queens.txt cannot be written: ") && !error.contains(".part"),
        "{stderr}"
    );
    assert!(hint.starts_with("hint: "), "{stderr}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_file_is_written_whole_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queens.txt");
    fs::write(&path, "old").unwrap();
    let (code, stdout, stderr) = run(&["list", "8", "-o", path.to_str().unwrap()]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (0, "", "92 solutions\n"));
    assert_eq!(fs::read_to_string(&path).unwrap(), super::stdout(&["list", "8"]));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "and nothing else");
    let (code, _, stderr) = run(&["list", "8", "-q", "-o", path.to_str().unwrap()]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let lost = folder.path().join("lost").join("queens.txt");
    let (code, _, stderr) = run(&["list", "8", "-o", lost.to_str().unwrap()]);
    assert_eq!(code, 1, "{stderr}");
    let start = format!("error: {} cannot be written: ", lost.display());
    assert!(stderr.starts_with(&start) && !stderr.contains(".part"), "the file as it was given: {stderr}");
    let (code, _, stderr) = run(&["list", "8", "-o", folder.path().to_str().unwrap()]);
    assert_eq!(code, 1, "a folder: {stderr}");
}

#[cfg(unix)]
#[test]
fn a_file_has_the_rights_of_any_other_and_a_link_stays_one() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (plain, real, link) =
        (folder.path().join("plain"), folder.path().join("real"), folder.path().join("link"));
    fs::write(&plain, "").unwrap();
    symlink(&real, &link).unwrap();
    // what it leads to is not there yet, then is
    for _ in 0..2 {
        assert_eq!(run(&["list", "4", "-o", link.to_str().unwrap()]).0, 0);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "2 4 1 3\n3 1 4 2\n");
        fs::write(&real, "old").unwrap();
    }
    assert_eq!(run(&["list", "4", "-o", link.to_str().unwrap()]).0, 0);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&real), mode(&plain));
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_removes_the_file_that_was_begun() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queens.txt");
    fs::write(&path, "old").unwrap();
    let args = ["list", "20", "-o", path.to_str().unwrap()];
    let child = spawned(&args).stdout(Stdio::null()).spawn().unwrap();
    crate::signals::await_handler(&child);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "the old file and the new one");
    crate::signals::kill(&child, "INT");
    let (code, _, stderr) = read(child.wait_with_output().unwrap());
    assert_eq!((code, stderr.as_str()), (130, "stopped by SIGINT: the list is not whole\n"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
}

#[test]
fn a_long_list_into_a_file_says_how_far_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queens.txt");
    let mut child =
        spawned(&["list", "18", "-o", path.to_str().unwrap()]).stdout(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut stderr, &mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains(" of 666090624 solutions after "), "{line}");
}
