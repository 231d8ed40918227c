//! Checkpoints that the first version wrote, see `tests/data/checkpoints/README.md`, are resumed to the right count.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{ferz, read};

/// Runs ferz in a folder that has a copy of all checkpoints.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    read(ferz().current_dir(folder).args(args).output().unwrap())
}

fn checkpoints() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/checkpoints");
    for entry in fs::read_dir(kept).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

#[test]
fn checkpoints_of_the_first_version_are_resumed() {
    let folder = checkpoints();
    let constrained: Vec<&str> =
        "--board 12x14 --place 10 --queen b3 --forbid c7 --forbid h1".split(' ').collect();
    for (file, args, count, done) in [
        ("join", &["16"][..], "14772512", "894 of 1801"),
        ("search", &["15", "--depth", "3"], "2279184", "5 of 15"),
        ("constrained", &constrained, "36697321", "8 of 44"),
        ("second", &["14", "--queen", "b1", "--verify", "full"], "16488", "1 of 2"),
    ] {
        let checkpoint = format!("{file}.ferz");
        let own = ["count", "--device", "cpu", "--json", "--checkpoint", &checkpoint];
        let (code, stdout, stderr) = run(folder.path(), &[&own, args].concat());
        assert_eq!(code, 0, "{file}: {stderr}");
        let document: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(document["count"], count, "{file}");
        assert_eq!(document["sessions"], 2, "{file}");
        assert!(stderr.contains(&format!("{done} blocks done")), "{file}: {stderr}");
        assert!(!folder.path().join(&checkpoint).exists(), "{file} is done with");
    }
    assert!(!folder.path().join("second.ferz.second").exists());
}

#[test]
fn blocks_of_checkpoints_of_the_first_version_are_recounted() {
    let folder = checkpoints();
    for (file, percent) in [
        ("join.ferz", "5%"),
        ("search.ferz", "100%"),
        ("constrained.ferz", "30%"),
        ("deep.ferz", "20%"),
        ("second.ferz", "100%"),
        ("second.ferz.second", "100%"),
    ] {
        let (code, stdout, stderr) =
            run(folder.path(), &["checkpoint", "verify", file, "--recheck", percent]);
        assert!(code == 0 && stdout.contains("all right"), "{file}: {stdout}{stderr}");
    }
}
