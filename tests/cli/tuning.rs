//! `ferz bench --autotune`, and the counts that use what it kept.

use std::{
    fs,
    path::{Path, PathBuf},
};
#[cfg(unix)]
use std::{
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{assert_refused, ferz, read, run};

/// A cache folder, and the file of the CPU with two threads in it.
struct Cache {
    home: TempDir,
    file: PathBuf,
}

impl Cache {
    /// As it is after a short `--autotune`.
    fn tuned() -> Self {
        let home = TempDir::new().unwrap();
        let (code, stdout, stderr) = in_cache(
            home.path(),
            &["bench", "--autotune", "--device", "cpu", "--threads", "2", "--time", "4s"],
        );
        assert_eq!(code, 0, "{stderr}");
        let choices: Vec<String> = stdout
            .lines()
            .skip(1)
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                // device and number of threads, method, N, parameter, default
                [words[2], words[4], words[5]].join(" ")
            })
            .collect();
        let expected = ["join blocks_per_thread 2", "search unit_visits 32768", "search blocks_per_thread 2"];
        assert_eq!(choices, expected, "{stdout}");
        let files: Vec<_> = fs::read_dir(home.path().join("ferz")).unwrap().collect();
        assert_eq!(files.len(), 1);
        let file = files[0].as_ref().unwrap().path();
        assert!(stderr.contains(file.to_str().unwrap()), "{stderr}");
        Self { home, file }
    }

    /// As [`Cache::tuned`], with these choices for both methods.
    fn with(tuning: &Value) -> Self {
        let cache = Self::tuned();
        cache.edit(|file| {
            for method in ["join", "search"] {
                file["methods"][method] = json!({"tuning": tuning, "findings": []});
            }
        });
        cache
    }

    fn edit(&self, change: impl FnOnce(&mut Value)) {
        let mut file = serde_json::from_str(&fs::read_to_string(&self.file).unwrap()).unwrap();
        change(&mut file);
        fs::write(&self.file, file.to_string()).unwrap();
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        in_cache(self.home.path(), args)
    }
}

fn in_cache(cache: &Path, args: &[&str]) -> (i32, String, String) {
    read(ferz().args(args).env("XDG_CACHE_HOME", cache).output().unwrap())
}

const COUNT: [&str; 8] = ["count", "12", "--method", "search", "--device", "cpu", "--threads", "2"];

#[test]
fn what_is_measured_is_kept_and_used() {
    let cache = Cache::with(&json!({"unit_visits": 2048, "blocks_per_thread": 3}));
    let tuned = |args: &[&str]| -> Value {
        let (code, stdout, stderr) = cache.run(&[&COUNT[..], &["--json"], args].concat());
        assert_eq!(code, 0, "{stderr}");
        let document: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(document["count"], json!("14200"));
        document["tuned"].clone()
    };
    let used = &tuned(&[])[0];
    assert_eq!(used["tuning"], json!({"unit_visits": 2048, "blocks_per_thread": 3}));
    assert_eq!((&used["method"], &used["file"]), (&json!("search"), &json!(cache.file)));
    assert_eq!(tuned(&["--no-tune-cache"]), json!([]));
    let (_, _, stderr) = cache.run(&[&COUNT[..], &["-v"]].concat());
    let told = "tuned: units of 2048 visits, 3 blocks a thread under way for ";
    assert!(stderr.contains(told) && stderr.contains(cache.file.to_str().unwrap()), "{stderr}");
    let (_, _, stderr) = cache.run(&["count", "12", "--device", "cpu", "--threads", "1", "-v"]);
    assert!(!stderr.contains("tuned"), "other threads are another device: {stderr}");
    for (flags, expected) in [(&[][..], "true"), (&["--no-tune-cache"], "false")] {
        let bench =
            ["bench", "--n", "8", "--device", "cpu", "--threads", "2", "--method", "join", "--runs", "1"];
        let (code, stdout, stderr) = cache.run(&[&bench[..], &["--export-csv", "-"], flags].concat());
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.lines().nth(1).unwrap().ends_with(&format!(",{expected}")), "{stdout}");
        assert_eq!(stderr.contains("tuned by --autotune"), expected == "true", "{stderr}");
        let (_, stdout, _) = cache.run(&[&bench[..], &["--export-json", "-"], flags].concat());
        assert!(stdout.contains(&format!("\"tuned\":{expected}")), "{stdout}");
    }
}

#[test]
fn a_file_that_cannot_be_used_is_a_warning_and_no_more() {
    let cache = Cache::with(&json!({}));
    let good = fs::read_to_string(&cache.file).unwrap();
    let changed = |pointer: &str, value: Value| {
        let mut file: Value = serde_json::from_str(&good).unwrap();
        *file.pointer_mut(pointer).unwrap() = value;
        file.to_string()
    };
    for (text, why) in [
        (good[..good.len() / 2].to_owned(), "it is damaged"),
        (changed("/version", json!(99)), "its version is 99"),
        (changed("/methods/search/tuning", json!({"unit_visits": 1})), "out of range"),
        (changed("/device/kernels", json!("0123456789abcdef")), "was measured with other kernels"),
    ] {
        fs::write(&cache.file, text).unwrap();
        let (code, stdout, stderr) = cache.run(&COUNT);
        assert_eq!((code, stdout.as_str()), (0, "14200\n"), "{stderr}");
        let warnings: Vec<&str> = stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert!(warnings.len() == 1 && warnings[0].contains(why), "{why}: {stderr}");
        let (_, _, stderr) = cache.run(&[&COUNT[..], &["--no-tune-cache"]].concat());
        assert!(!stderr.contains("warning"), "{stderr}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_told_after_the_figures() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let args =
        ["bench", "--autotune", "--device", "cpu", "--threads", "1", "--method", "join", "--time", "2s"];
    let (code, stdout, stderr) = in_cache(&file, &args);
    assert_eq!((code, stdout.lines().count()), (1, 2), "{stderr}");
    assert!(
        stderr.contains("error: the tuning is not kept: ") && stderr.contains("XDG_CACHE_HOME"),
        "{stderr}"
    );
}

#[test]
fn what_does_not_go_with_it_is_refused() {
    for args in [
        &["--n", "8"][..],
        &["--runs", "3"],
        &["--warmup", "1"],
        &["--task", "count"],
        &["--ladder"],
        &["--export-json", "a.json"],
        &["--export-csv", "a.csv"],
        &["--export-markdown", "a.md"],
        &["--no-tune-cache"],
        &["--compare", "a.json", "b.json"],
        &["--method", "bitmask"],
        &["--method", "auto"],
        #[cfg(feature = "plot")]
        &["--plot", "a.svg"],
        &["--device", "cpu", "--time", "1ns"],
    ] {
        let args = [&["bench", "--autotune"][..], args].concat();
        let (code, stdout, stderr) = run(&args);
        assert_eq!(code, 2, "{args:?}: {stderr}");
        assert!(stderr.contains(args[2]) || args.contains(&"--time"), "{args:?}: {stderr}");
        if args.contains(&"--time") {
            assert!(stdout.contains("no time") && stderr.contains("nothing is kept"), "{stdout}{stderr}");
        } else {
            assert_refused(&args, &(code, stdout, stderr), 2);
        }
    }
}

/// A checkpoint says nothing of tunings: what was begun with one goes on without, and the other way round.
#[cfg(unix)]
#[test]
fn a_count_goes_on_under_another_tuning() {
    let cache = Cache::with(&json!({"unit_visits": 2048, "blocks_per_thread": 1}));
    for (first, then) in [(&["--no-tune-cache"][..], &[][..]), (&[], &["--no-tune-cache"])] {
        let checkpoint = cache.home.path().join("count.ferz");
        let file = ["--checkpoint", checkpoint.to_str().unwrap()];
        let count = [&["count", "17", "--json"], &COUNT[2..], &file].concat();
        let mut begun = crate::command(crate::PROGRAM);
        begun.args(&count).args(["--checkpoint-interval", "100ms"]).args(first);
        let child = begun.env("XDG_CACHE_HOME", cache.home.path()).stderr(Stdio::null()).spawn().unwrap();
        while !checkpoint.exists() {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(interrupt(child), Some(130));
        let (code, stdout, stderr) = cache.run(&[&count[..], then].concat());
        assert_eq!(code, 0, "{stderr}");
        let document: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((&document["count"], &document["sessions"]), (&json!("95815104"), &json!(2)));
        assert_eq!(document["tuned"].as_array().unwrap().is_empty(), !then.is_empty());
    }
}

/// The exit code after a SIGINT.
#[cfg(unix)]
fn interrupt(mut child: Child) -> Option<i32> {
    assert!(Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap().success());
    child.wait().unwrap().code()
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing_behind() {
    let home = TempDir::new().unwrap();
    let mut child = crate::command(crate::PROGRAM)
        .args(["bench", "--autotune", "--device", "cpu", "--time", "10m"])
        .env("XDG_CACHE_HOME", home.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let mut head = String::new();
    BufReader::new(stdout).read_line(&mut head).unwrap();
    assert!(head.starts_with("device"), "{head}");
    assert_eq!(interrupt(child), Some(130));
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    assert!(told.contains("stopped by SIGINT: nothing is kept"), "{told}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

/// What a device does not take is made smaller, and the rest is a matter of time only.
#[cfg(feature = "gpu")]
#[test]
fn no_tuning_of_a_gpu_changes_a_count() {
    let Some(adapter) = crate::common::gpu() else { return };
    let (_, listed, _) = run(&["devices", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let named =
        |device: &&Value| device["name"].as_str().unwrap().to_lowercase().contains(&adapter.to_lowercase());
    let device = listed["devices"].as_array().unwrap().iter().find(named).unwrap();
    let args = ["bench", "--autotune", "--device", &adapter, "--time", "1ns"];
    if device["software"] == json!(true) {
        let refused = run(&args);
        assert_refused(&args, &refused, 4);
        assert!(refused.2.contains("--allow-software"), "{}", refused.2);
    }
    let (code, stdout, _) = run(&[&args[..], &["--allow-software", "--method", "search"]].concat());
    assert_eq!((code, stdout.lines().count()), (2, 4), "{stdout}");
    for tuning in [
        json!({"workgroup": 1, "in_flight": 1, "unit_visits": 256}),
        json!({"workgroup": 1024, "in_flight": 8, "unit_visits": 1 << 24}),
        json!({"workgroup": 128, "in_flight": 3, "blocks_per_thread": 16}),
    ] {
        let cache = Cache::with(&tuning);
        cache.edit(|file| {
            for key in ["name", "backend", "driver"] {
                file["device"][key] = device[key].clone();
            }
        });
        for method in ["search", "join"] {
            let (code, stdout, stderr) =
                cache.run(&["count", "10", "--device", &adapter, "--method", method, "--json", "-v"]);
            assert_eq!(code, 0, "{tuning}: {stderr}");
            let document: Value = serde_json::from_str(&stdout).unwrap();
            assert_eq!((&document["count"], &document["tuned"][0]["tuning"]), (&json!("724"), &tuning));
            assert!(stderr.contains("tuned: workgroups of "), "{stderr}");
        }
        cache.edit(|file| file["device"]["driver"] = json!("another"));
        let (code, stdout, stderr) = cache.run(&["count", "10", "--device", &adapter]);
        assert_eq!((code, stdout.as_str()), (0, "724\n"), "{stderr}");
        assert!(stderr.contains("was measured with another driver, another"), "{stderr}");
    }
}
