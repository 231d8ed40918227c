//! `ferz bench --autotune`, and the counts that use what it saved.

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

use ferz::{MethodName, Tuned, Tuning};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{assert_refused, ferz, read, run};

/// A cache folder with a tuning for both methods on the CPU with two threads, as [`Tuned`] is saved.
struct Cache {
    home: TempDir,
    file: PathBuf,
    all: [Tuned; 2],
}

impl Cache {
    fn new(tuning: Tuning) -> Self {
        let cpu = &ferz::devices(None, Some(2)).unwrap()[0].info;
        let all =
            [MethodName::Join, MethodName::Search].map(|method| Tuned::new(cpu, method, tuning).unwrap());
        let home = TempDir::new().unwrap();
        fs::create_dir(home.path().join("ferz")).unwrap();
        let cache = Self { file: home.path().join("ferz/any-name.json"), home, all };
        cache.write(&cache.all);
        cache
    }

    fn write(&self, all: &[Tuned]) {
        fs::write(&self.file, serde_json::to_string(all).unwrap()).unwrap();
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
fn what_is_measured_is_saved() {
    let home = TempDir::new().unwrap();
    // a busy machine needs more time
    let (stdout, stderr) = ["2s", "10s", "1m"]
        .iter()
        .find_map(|time| {
            let args = ["bench", "--autotune", "--device", "cpu", "--threads", "2", "--time", time];
            let (code, stdout, stderr) = in_cache(home.path(), &args);
            assert!(code == 0 || stderr.contains("nothing could be measured within"), "{code}: {stderr}");
            (code == 0).then_some((stdout, stderr))
        })
        .unwrap();
    let choices: Vec<String> = stdout
        .lines()
        .skip(1)
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            // device and number of threads, method, N, default
            [words[2], words[4], words[5]].join(" ")
        })
        .collect();
    let expected = ["join blocks_per_thread 2", "search unit_visits 32768", "search blocks_per_thread 2"];
    assert_eq!(choices, expected, "{stdout}");
    let files: Vec<_> = fs::read_dir(home.path().join("ferz")).unwrap().collect();
    assert_eq!(files.len(), 1);
    let file = files[0].as_ref().unwrap().path();
    assert!(stderr.contains(&format!(": saved in {}", file.display())), "{stderr}");
    let (code, _, stderr) = in_cache(home.path(), &[&COUNT[..], &["-v"]].concat());
    assert!(code == 0 && !stderr.contains("warning"), "{stderr}");
}

#[test]
fn what_is_saved_is_used() {
    let tuning = Tuning { unit_visits: Some(2048), blocks_per_thread: Some(3), ..Tuning::default() };
    let cache = Cache::new(tuning);
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
    let shown = "tuned: unit_visits 2048, blocks_per_thread 3 for ";
    assert!(stderr.contains(shown) && stderr.contains(cache.file.to_str().unwrap()), "{stderr}");
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
    let cache = Cache::new(Tuning::default());
    let good = fs::read_to_string(&cache.file).unwrap();
    for (text, why) in [
        (good[..good.len() / 2].to_owned(), "it is damaged"),
        (good.replace("\"kernels\":\"", "\"kernels\":\"0"), "another driver or version of ferz"),
    ] {
        fs::write(&cache.file, text).unwrap();
        let (code, stdout, stderr) = cache.run(&COUNT);
        assert_eq!((code, stdout.as_str()), (0, "14200\n"), "{stderr}");
        let warnings: Vec<&str> = stderr.lines().filter(|line| line.starts_with("warning: ")).collect();
        assert!(warnings.len() == 1 && warnings[0].contains(why), "{why}: {stderr}");
        assert!(warnings[0].contains("ferz bench --autotune"), "{stderr}");
        let (_, _, stderr) = cache.run(&[&COUNT[..], &["--no-tune-cache"]].concat());
        assert!(!stderr.contains("warning"), "{stderr}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_before_anything_is_timed() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let args = ["bench", "--autotune", "--device", "cpu", "--time", "10m"];
    let refused = in_cache(&file, &args);
    assert_refused(&args, &refused, 1);
    let named = format!("error: cannot save a tuning in {}", file.join("ferz").display());
    assert!(refused.2.starts_with(&named) && refused.2.contains("XDG_CACHE_HOME"), "{}", refused.2);
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
            assert!(stdout.contains("no time") && stderr.contains("nothing is saved"), "{stdout}{stderr}");
        } else {
            assert_refused(&args, &(code, stdout, stderr), 2);
        }
    }
}

/// A checkpoint does not depend on tunings: a run that began with one goes on without, and the reverse.
#[cfg(unix)]
#[test]
fn a_count_goes_on_under_another_tuning() {
    let tuning = Tuning { unit_visits: Some(2048), blocks_per_thread: Some(1), ..Tuning::default() };
    let cache = Cache::new(tuning);
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
    let mut shown = String::new();
    stderr.read_to_string(&mut shown).unwrap();
    assert!(shown.contains("stopped by SIGINT: what was saved before stays"), "{shown}");
    assert_eq!(fs::read_dir(home.path().join("ferz")).unwrap().count(), 0);
}

/// What a device does not take is made smaller, and the rest only costs time.
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
        Tuning { workgroup: Some(1), in_flight: Some(1), unit_visits: Some(256), ..Tuning::default() },
        Tuning { workgroup: Some(1024), in_flight: Some(8), unit_visits: Some(1 << 24), ..Tuning::default() },
        Tuning { workgroup: Some(128), in_flight: Some(3), blocks_per_thread: Some(16), ..Tuning::default() },
    ] {
        let cache = Cache::new(tuning);
        let mut all = cache.all.clone();
        for tuned in &mut all {
            tuned.device = device["name"].as_str().unwrap().into();
            tuned.backend = device["backend"].as_str().map(Into::into);
            tuned.driver = device["driver"].as_str().map(Into::into);
        }
        cache.write(&all);
        for method in ["search", "join"] {
            let (code, stdout, stderr) =
                cache.run(&["count", "10", "--device", &adapter, "--method", method, "--json", "-v"]);
            assert_eq!(code, 0, "{tuning}: {stderr}");
            let document: Value = serde_json::from_str(&stdout).unwrap();
            assert_eq!(
                (&document["count"], &document["tuned"][0]["tuning"]),
                (&json!("724"), &json!(tuning))
            );
            assert!(stderr.contains(&format!("tuned: {tuning} for ")), "{stderr}");
        }
        all.iter_mut().for_each(|tuned| tuned.driver = Some("another".into()));
        cache.write(&all);
        let (code, stdout, stderr) = cache.run(&["count", "10", "--device", &adapter]);
        assert_eq!((code, stdout.as_str()), (0, "724\n"), "{stderr}");
        assert!(stderr.contains("was measured with another driver"), "{stderr}");
    }
}
