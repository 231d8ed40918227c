//! `ferz bench`: every export read back, and what a run that is stopped leaves behind.
//! (Longer than other files: each export has its own reader here.)

use std::{
    fs,
    path::{Path, PathBuf},
};

use jsonschema::Validator;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{assert_refused, ferz, read, run};

fn schema() -> Validator {
    let schema = serde_json::from_str(include_str!("../data/bench.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// A document that fits the schema.
fn document(text: &str) -> Value {
    let document: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> = schema().iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?} in {document}");
    document
}

/// The files of one benchmark.
struct Exports {
    folder: TempDir,
}

impl Exports {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn flags(&self) -> Vec<String> {
        let mut flags =
            vec![("--export-json", "a.json"), ("--export-csv", "a.csv"), ("--export-markdown", "a.md")];
        if cfg!(feature = "plot") {
            flags.push(("--plot", "a.svg"));
        }
        flags
            .into_iter()
            .flat_map(|(flag, name)| [flag.to_owned(), self.path(name).to_str().unwrap().to_owned()])
            .collect()
    }

    fn bench(&self, args: &[&str]) -> (i32, String, String) {
        read(ferz().arg("bench").args(args).args(self.flags()).output().unwrap())
    }

    /// Reads every export; gives the JSON. Nothing else may lie in the folder.
    fn check(&self) -> Value {
        let document = document(&self.text("a.json"));
        let rows = document["rows"].as_array().unwrap();
        self.check_csv(rows);
        let markdown = self.text("a.md");
        let table: Vec<&str> = markdown.lines().take_while(|line| line.starts_with('|')).collect();
        assert_eq!(table.len(), rows.len() + 2, "{markdown}");
        assert!(
            table.iter().all(|line| line.matches(" |").count() == 13 || line.contains("---")),
            "{markdown}"
        );
        let mut files = 3;
        if cfg!(feature = "plot") {
            files += 1;
            check_svg(&self.text("a.svg"), rows);
        }
        assert_eq!(fs::read_dir(self.folder.path()).unwrap().count(), files, "no file beside is left");
        document
    }

    fn check_csv(&self, rows: &[Value]) {
        let text = self.text("a.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let head = reader.headers().unwrap().clone();
        let records: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().unwrap();
        assert_eq!(records.len(), rows.len(), "{text}");
        for (record, row) in records.iter().zip(rows) {
            let field = |name: &str| &record[head.iter().position(|head| head == name).unwrap()];
            assert_eq!(field("n"), row["n"].to_string());
            assert_eq!(field("count"), row["count"].as_str().unwrap());
            assert_eq!(field("device_name"), row["device"]["name"].as_str().unwrap());
            assert_eq!(
                field("wall_median_s").parse::<f64>().unwrap(),
                row["wall_s"]["median"].as_f64().unwrap()
            );
            assert_eq!(field("ratio").parse::<f64>().ok(), row["ratio"]["value"].as_f64());
            assert_eq!(
                field("warnings").split_whitespace().count(),
                row["warnings"].as_array().unwrap().len()
            );
        }
    }
}

/// A picture has a name for each series, and a marker for each row besides that of the name.
fn check_svg(text: &str, rows: &[Value]) {
    let picture = roxmltree::Document::parse(text).unwrap();
    let texts: Vec<String> = picture
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .map(|node| node.text().unwrap_or_default().trim().to_owned())
        .collect();
    for row in rows {
        let method = row["method"].as_str().unwrap();
        let named = texts.iter().filter(|text| text.starts_with(&format!("{method}, "))).count();
        let place =
            |row: &Value| (row["method"].clone(), row["device"]["index"].clone(), row["threads"].clone());
        let mut lines: Vec<_> = rows.iter().filter(|row| row["method"] == method).map(place).collect();
        lines.dedup();
        lines.sort_by_key(|line| format!("{line:?}"));
        lines.dedup();
        assert_eq!(named, lines.len(), "{method}: {texts:?}");
        assert!(texts.contains(&row["n"].to_string()), "a mark at N: {texts:?}");
    }
    let shapes = |name: &str| picture.descendants().filter(|node| node.has_tag_name(name)).count();
    assert!(shapes("circle") + shapes("polygon") > rows.len(), "markers");
    assert!(shapes("polyline") >= rows.len(), "lines and bars");
}

#[test]
fn a_benchmark_is_shown_and_exported() {
    let exports = Exports::new();
    let args =
        ["--n", "6-8,10", "--device", "cpu", "--runs", "3", "--threads", "1,2", "--method", "join,bitmask"];
    let (code, stdout, stderr) = exports.bench(&args);
    assert_eq!(code, 0, "{stderr}");
    let document = exports.check();
    let rows = document["rows"].as_array().unwrap();
    let shown: Vec<(u64, &str, &str, u64)> = rows
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap();
            (row["n"].as_u64().unwrap(), text("count"), text("method"), row["threads"].as_u64().unwrap())
        })
        .collect();
    let of = |n, count| [(n, count, "join", 1), (n, count, "join", 2), (n, count, "bitmask", 1)];
    assert_eq!(shown, [of(6, "4"), of(7, "40"), of(8, "92"), of(10, "724")].concat());
    assert_eq!((&document["complete"], &document["task"]), (&json!(true), &json!("count")));
    for (at, row) in rows.iter().enumerate() {
        assert_eq!((&row["runs"], row["samples_s"].as_array().unwrap().len()), (&json!(3), 3));
        assert_eq!(row["ratio"].is_null(), at % 3 == 0, "the first row of an N is the reference");
        let time = |key: &str, of: &str| row[key][of].as_f64().unwrap();
        assert!(
            time("wall_s", "min") <= time("wall_s", "median")
                && time("wall_s", "median") <= time("wall_s", "max")
        );
        assert!(time("wall_s", "min") > 0.0 && time("setup_s", "max") <= time("wall_s", "max"));
        assert_eq!((&row["gpu_s"], row["gpu_s_reason"].is_string()), (&Value::Null, true));
        assert!(row["visits_per_s"].as_f64() > Some(0.0) && row["solutions_per_s"].as_f64() > Some(0.0));
    }
    // a head, then a line a row
    assert_eq!(stdout.lines().count(), 13, "{stdout}");
    assert!(stderr.contains("cpu x2: "), "{stderr}");
}

#[test]
fn the_first_solution_takes_nodes_and_some_n_have_none() {
    let exports = Exports::new();
    let (code, stdout, stderr) =
        exports.bench(&["--task", "first", "--n", "1-9", "--runs", "1", "--warmup", "0"]);
    assert_eq!(code, 0, "{stderr}");
    let document = exports.check();
    let all = |key: &str| -> Vec<String> {
        document["rows"].as_array().unwrap().iter().map(|row| row[key].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(all("count"), ["1", "0", "0", "1", "1", "1", "1", "1", "1"]);
    assert_eq!(all("visits"), ["1", "2", "5", "8", "5", "31", "9", "113", "41"]);
    assert!(stdout.lines().next().unwrap().contains("nodes"), "{stdout}");
}

#[test]
fn the_ladder_is_a_lesson() {
    let (code, stdout, stderr) = run(&["bench", "--ladder", "--runs", "1"]);
    assert_eq!(code, 0, "{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    for (line, start, part) in [
        (1, "C(N²,N)", " 4426165368 "),
        (2, "N^N", " 16777216 "),
        (3, "N!", " 40320 "),
        (4, "permutations", " 40320 "),
        (5, "backtrack", " 2056 "),
        (6, "bitmask", " 2056 "),
        (7, "search", "symmetry"),
        (8, "join", "colours"),
    ] {
        assert!(lines[line].starts_with(start) && lines[line].contains(part), "{stdout}");
    }
    let (_, stdout, stderr) = run(&["bench", "--ladder", "--n", "13", "--runs", "1", "--warmup", "0"]);
    assert!(!stdout.contains("permutations") && stderr.contains("left out"), "{stdout}{stderr}");
}

#[test]
fn an_export_can_go_to_stdout() {
    for (flag, start) in
        [("--export-json", "{"), ("--export-csv", "n,count,"), ("--export-markdown", "| N |")]
    {
        let (code, stdout, stderr) = run(&["bench", "--n", "6", "--device", "cpu", "--runs", "1", flag, "-"]);
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.starts_with(start) && !stdout.contains("min to max"), "{stdout}");
        assert!(stderr.contains("min to max"), "the table gives way: {stderr}");
    }
}

/// A signal in the middle of the first row, of a later one, and at moments that fall between rows or into a save.
#[cfg(unix)]
#[test]
fn an_abort_leaves_whole_files() {
    use std::{
        io::{BufRead as _, BufReader},
        process::{Command, Stdio},
        thread,
        time::Duration,
    };
    // rows without end, or hundreds of short ones
    let endless = |rows: usize| [&[6, 7, 8, 9][4 - rows..], &[20]].concat();
    let short: Vec<u32> = (1..=10).collect();
    let moments = [("INT", endless(0), 0, 50), ("INT", endless(1), 1, 50), ("TERM", endless(3), 3, 50)]
        .into_iter()
        .chain([("KILL", endless(4), 4, 50)])
        .chain((0..24).map(|at| ("INT", short.clone(), 0, 7 * at)));
    for (signal, sizes, rows, wait) in moments {
        let exports = Exports::new();
        let mut command = crate::command(crate::PROGRAM);
        let threads: Vec<String> = (1..=20).map(|threads| threads.to_string()).collect();
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        command.args(["bench", "--device", "cpu", "--time", "1ms", "--warmup", "0", "--n", &sizes.join(",")]);
        if sizes.len() == short.len() {
            command.args(["--method", "search", "--threads", &threads.join(",")]);
        } else {
            command.args(["--method", "bitmask"]);
        }
        command.args(exports.flags()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // the devices are printed once the benchmark listens to signals
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut printed = String::new();
        stderr.read_line(&mut printed).unwrap();
        let done = || {
            let text = fs::read_to_string(exports.path("a.json")).unwrap_or_default();
            if text.is_empty() { 0 } else { document(&text)["rows"].as_array().unwrap().len() }
        };
        // each row is in this file last
        let last = if cfg!(feature = "plot") { "a.svg" } else { "a.md" };
        let written = |name: &str| fs::metadata(exports.path(name)).and_then(|there| there.modified()).ok();
        while done() < rows || written(last) < written("a.json") {
            thread::sleep(Duration::from_millis(2));
        }
        thread::sleep(Duration::from_millis(wait));
        let kill = ["-s", signal, &child.id().to_string()].map(str::to_owned);
        assert!(Command::new("kill").args(kill).status().unwrap().success());
        let code = child.wait().unwrap().code();
        let expected = match signal {
            "KILL" => None,
            "TERM" => Some(143),
            _ => Some(130),
        };
        assert_eq!(code, expected, "{signal}: {printed}");
        // the first row of a counter that cannot be cancelled
        if rows == 0 && sizes.len() == 1 {
            assert_eq!(fs::read_dir(exports.folder.path()).unwrap().count(), 0);
            continue;
        }
        let document = exports.check();
        assert_eq!(document["complete"], json!(false), "{signal}");
        let done = document["rows"].as_array().unwrap().len();
        assert!(done >= rows && (done == rows || sizes.len() == short.len()), "{signal}: {done} rows");
    }
}

#[test]
fn what_cannot_be_written_is_seen_before_anything_is_timed() {
    let folder = TempDir::new().unwrap();
    let none = folder.path().join("none").join("a.json");
    let directory = folder.path();
    for (path, code) in [(none.as_path(), 1), (directory, 1)] {
        let args = ["bench", "--n", "20", "--method", "bitmask", "--export-json", path.to_str().unwrap()];
        let refused = run(&args);
        assert_refused(&args, &refused, code);
        let named = format!("error: {} cannot be written: ", path.display());
        assert!(refused.2.starts_with(&named) && !refused.2.contains(".part"), "{}", refused.2);
    }
    let twice = ["bench", "--n", "20", "--export-json", "-", "--export-csv", "-"];
    assert_refused(&twice, &run(&twice), 2);
}

#[test]
fn what_cannot_be_timed_is_refused() {
    for (args, part) in [
        (&["--n", "28"][..], "1 to 27"),
        (&["--n", "8", "--method", "auto"], "join, search"),
        (&["--n", "8", "--runs", "0"], "'0'"),
        (&["--n", "8", "--runs", "3", "--time", "1s"], "--time"),
        (&["--n", "8", "--time", "-1s"], "'-1s'"),
        (&["--n", "9-8"], "empty"),
        (&["--n", "4-"], "numbers from 1 to 30 and ranges"),
        (&["--n", "4-x"], "where 'x' is no size"),
        (&["--n", "8", "--backend", "glide"], "vulkan, metal, dx12, gl"),
        (&["--ladder", "--backend", "vulkan"], "--backend"),
        (&["--task", "first", "--backend", "vulkan"], "--backend"),
        #[cfg(feature = "gpu")]
        (&["--n", "8", "--device", "cpu", "--backend", "vulkan"], "omit one of them"),
        (&["--n", "8", "--threads", "0"], "'0'"),
        (&["--ladder", "--n", "8,9"], "one N"),
        (&["--ladder", "--n", "20"], "one N"),
        (&["--ladder", "--method", "join"], "--method"),
        (&["--task", "first", "--device", "gpu"], "--device"),
        (&["--task", "first", "--n", "31"], "30"),
        (&["--fail-if-slower", "5"], "--compare"),
        (&["--compare", "a.json"], "--compare"),
        (&["--compare", "a.json", "b.json", "--n", "8"], "--n"),
        (&["--compare", "no.json", "no.json"], "no.json"),
        #[cfg(feature = "plot")]
        (&["--compare", "a.json", "b.json", "--plot", "a.svg"], "--plot"),
        #[cfg(feature = "plot")]
        (&["--n", "8", "--plot", "a.pdf"], ".svg or .png"),
        #[cfg(not(feature = "plot"))]
        (&["--n", "8", "--plot", "a.svg"], "--plot"),
    ] {
        let args = [&["bench"][..], args].concat();
        let refused = run(&args);
        assert_refused(&args, &refused, 2);
        assert!(refused.2.contains(part), "{args:?}: {part} in {}", refused.2);
    }
}

/// An export with other times.
fn slowed(document: &Value, factor: f64, path: &Path) {
    let mut slowed = document.clone();
    for row in slowed["rows"].as_array_mut().unwrap() {
        for of in ["min", "median", "mean", "max"] {
            let time = row["wall_s"][of].as_f64().unwrap();
            row["wall_s"][of] = json!(time * factor);
        }
        row["wall_s"]["stddev"] = json!(1e-9);
    }
    fs::write(path, slowed.to_string()).unwrap();
}

#[test]
fn two_exports_are_compared() {
    let exports = Exports::new();
    let (code, _, stderr) =
        exports.bench(&["--n", "6-8", "--device", "cpu", "--method", "bitmask", "--runs", "2"]);
    assert_eq!(code, 0, "{stderr}");
    let document = exports.check();
    let [a, b, c] = ["a2.json", "b.json", "c.json"].map(|name| exports.path(name));
    slowed(&document, 1.0, &a);
    slowed(&document, 1.25, &b);
    let compare = |a: &Path, b: &Path, percent: &[&str]| {
        run(&[&["bench", "--compare", a.to_str().unwrap(), b.to_str().unwrap()][..], percent].concat())
    };
    let (code, stdout, stderr) = compare(&a, &b, &[]);
    assert_eq!((code, stdout.lines().count(), stderr.as_str()), (0, 4, ""), "{stdout}");
    assert!(stdout.lines().skip(1).all(|line| line.contains("1.25 ± ")), "{stdout}");
    assert_eq!(compare(&a, &b, &["--fail-if-slower", "30"]).0, 0);
    assert_eq!(compare(&b, &a, &["--fail-if-slower", "0"]).0, 0, "faster");
    let (code, _, stderr) = compare(&a, &b, &["--fail-if-slower", "20"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("slower by more than 20 %: N = 6 by bitmask, cpu x1: 1.25"), "{stderr}");
    let mut wrong = document.clone();
    wrong["rows"][1]["count"] = json!("41");
    fs::write(&c, wrong.to_string()).unwrap();
    let (code, stdout, stderr) = compare(&a, &c, &[]);
    assert_eq!((code, stdout.as_str()), (7, ""), "{stderr}");
    assert!(stderr.contains("N = 7 by bitmask"), "{stderr}");
    let mut other = document;
    other["task"] = json!("first");
    fs::write(&c, other.to_string()).unwrap();
    assert_eq!(compare(&a, &c, &[]).0, 2, "no row in common");
    other["schema"] = json!(2);
    fs::write(&c, other.to_string()).unwrap();
    assert!(compare(&a, &c, &[]).2.contains("schema is 2"));
    for text in ["", "{}", "[1]", "{\"schema\":1}", "\u{0}"] {
        fs::write(&c, text).unwrap();
        let (code, stdout, stderr) = compare(&a, &c, &[]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{text:?}: {stderr}");
    }
}

#[test]
fn the_schema_refuses_what_is_not_promised() {
    let (_, stdout, _) = run(&["bench", "--n", "6", "--device", "cpu", "--runs", "2", "--export-json", "-"]);
    let good = document(&stdout);
    let schema = schema();
    for (pointer, value) in [
        ("/schema", json!(2)),
        ("/task", json!("guess")),
        ("/complete", json!("yes")),
        ("/rows/0/count", json!(4)),
        ("/rows/0/n", json!(31)),
        ("/rows/0/wall_s/min", json!("0.1")),
        ("/rows/0/wall_s/mean", json!(-1)),
        ("/rows/0/gpu_s_reason", Value::Null),
        ("/rows/0/device/software", json!(true)),
        ("/rows/0/warnings", json!(["hot"])),
        ("/rows/0/samples_s", json!([])),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value.clone();
        assert!(!schema.is_valid(&bad), "{pointer} = {value}");
    }
}

#[cfg(feature = "plot")]
#[test]
fn a_plot_can_be_a_bitmap() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.png");
    let args = ["bench", "--n", "6-8", "--device", "cpu", "--runs", "1", "--plot", path.to_str().unwrap()];
    let (code, _, stderr) = run(&args);
    assert_eq!(code, 0, "{stderr}");
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(fs::File::open(&path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    // black, vermillion and blue are the first three lines
    for colour in [[0, 0, 0], [213, 94, 0], [0, 114, 178]] {
        let drawn = pixels.chunks_exact(3).filter(|pixel| *pixel == colour).count();
        assert!(drawn > 50, "{colour:?}: {drawn} pixels");
    }
}

#[cfg(feature = "gpu")]
#[test]
fn a_software_adapter_must_be_allowed_and_is_labelled() {
    let Some(adapter) = crate::common::gpu() else { return };
    if !["llvmpipe", "SwiftShader"].contains(&adapter.as_str()) {
        return;
    }
    let args = ["bench", "--n", "6-8", "--device", &adapter, "--method", "search"];
    let refused = run(&args);
    assert_refused(&args, &refused, 4);
    assert!(refused.2.contains("--allow-software"), "{}", refused.2);
    let exports = Exports::new();
    let args = [&args[1..], &["--backend", "vulkan", "--allow-software", "--runs", "2"]].concat();
    let (code, stdout, stderr) = exports.bench(&args);
    assert_eq!(code, 0, "{stderr}");
    let document = exports.check();
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert_eq!((&row["device"]["kind"], &row["threads"]), (&json!("software"), &Value::Null));
        assert_eq!(row["device"]["backend"], json!("vulkan"));
        assert!(row["warnings"].as_array().unwrap().contains(&json!("software")), "{row}");
        assert!(row["gpu_s"].is_object() || row["gpu_s_reason"].is_string());
    }
    assert!(stdout.lines().skip(1).all(|line| line.contains("software ") && line.ends_with('s')), "{stdout}");
    assert!(exports.text("a.md").lines().skip(2).take(3).all(|line| line.contains("software")));
    assert!(stderr.contains("is not that of a GPU"), "{stderr}");
    #[cfg(feature = "plot")]
    assert!(exports.text("a.svg").contains("search, software "));
}
