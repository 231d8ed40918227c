//! `count --estimate`: its report, its document, what it refuses.

use serde_json::{Value, json};

use crate::{assert_refused, run};

fn schema() -> jsonschema::Validator {
    let schema = serde_json::from_str(include_str!("../data/estimate.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn estimate(args: &[&str]) -> Value {
    let (code, stdout, stderr) = run(&[&["count", "--estimate", "--json"][..], args].concat());
    assert_eq!(code, 0, "{args:?}: {stderr}");
    assert!(stdout.ends_with("}\n") && stdout.lines().count() == 1, "{stdout}");
    let document: Value = serde_json::from_str(&stdout).unwrap();
    let errors: Vec<String> = schema().iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{args:?}: {errors:?} in {document}");
    document
}

/// What depends on nothing but problem, method and seed.
fn figures(document: &Value) -> [Value; 4] {
    ["visits", "solutions", "draws", "seed"].map(|key| document[key].clone())
}

#[test]
fn a_table_tells_what_a_count_would_take() {
    let args = ["count", "17", "--estimate", "--device", "cpu", "--seed", "7"];
    let (code, stdout, stderr) = run(&args);
    assert_eq!((code, stderr.as_str()), (0, ""));
    for part in [
        "17 queens on 17x17 by join",
        "visits/s",
        "visits ",
        "time ",
        "memory ",
        "MiB",
        "95815104",
        "--seed 7 ",
    ] {
        assert!(stdout.contains(part), "{part} in {stdout}");
    }
    assert!(stdout.contains(" standard errors from it") && stdout.contains(" \u{b1} "), "{stdout}");
    let (_, stdout, _) = run(&["count", "5", "--estimate", "--device", "cpu"]);
    assert!(stdout.contains("10, exact"), "{stdout}");
    let (_, _, stderr) = run(&["count", "9", "--estimate", "--device", "cpu", "-v"]);
    assert!(stderr.contains(" draws after ") && stderr.contains("stratum "), "{stderr}");
}

#[test]
fn an_estimate_fits_the_schema_for_every_small_board_and_method() {
    for n in ["1", "2", "4", "9", "12"] {
        for method in ["join", "search"] {
            let document = estimate(&[n, "--method", method, "--device", "cpu", "--seed", "3"]);
            assert_eq!((&document["method"], &document["seed"]), (&json!(method), &json!("3")));
            let known: f64 = document["known"].as_str().unwrap().parse().unwrap();
            let (mean, error) = (&document["solutions"]["mean"], &document["solutions"]["error"]);
            let (mean, error) = (mean.as_f64().unwrap(), error.as_f64().unwrap());
            assert!((mean - known).abs() <= 5.0 * error, "{document}");
            assert_eq!(document["deviation"].is_null(), error == 0.0, "{document}");
            assert!(document["time_s"]["mean"].as_f64() < Some(60.0), "{document}");
            assert_eq!(document["memory"]["device_bytes"], json!(0), "a CPU has none of its own");
        }
    }
}

#[test]
fn a_constrained_problem_is_estimated_by_search() {
    let args = ["--board", "11x12", "--queen", "d1", "--forbid", "a11", "--device", "cpu", "--seed", "1"];
    let document = estimate(&args);
    let (code, count, _) = run(&[&["count"], &args[..6]].concat());
    assert_eq!((code, &document["method"], &document["known"]), (0, &json!("search"), &Value::Null));
    let count: f64 = count.trim().parse().unwrap();
    let (mean, error) = (&document["solutions"]["mean"], &document["solutions"]["error"]);
    assert!((mean.as_f64().unwrap() - count).abs() <= 5.0 * error.as_f64().unwrap(), "{count}, {document}");
    assert_eq!(document["problem"]["queens"], json!(["d1"]));
    let none = estimate(&["--board", "4x4", "--queen", "a1", "--queen", "a2", "--device", "cpu"]);
    assert_eq!(none["solutions"], json!({"mean": 0.0, "error": 0.0}));
}

#[test]
fn the_same_seed_gives_the_same_figures_on_any_number_of_threads() {
    for args in [["18", "--method", "join"], ["16", "--method", "search"]] {
        let with = |seed, threads| {
            let more = ["--device", "cpu", "--seed", seed, "--threads", threads];
            figures(&estimate(&[&args[..], &more].concat()))
        };
        let one = with("11", "1");
        assert_eq!(one, with("11", "3"), "{args:?}");
        assert_ne!(one[..2], with("12", "3")[..2], "{args:?}");
    }
    let drawn = estimate(&["16", "--method", "search", "--device", "cpu"]);
    let seed = drawn["seed"].as_str().unwrap();
    let again = estimate(&["16", "--method", "search", "--device", "cpu", "--seed", seed]);
    assert_eq!(figures(&drawn), figures(&again), "a seed that was drawn can be given");
}

#[cfg(feature = "gpu")]
#[test]
fn a_gpu_gives_the_figures_of_the_cpu_and_its_own_time_and_memory() {
    let Some(adapter) = crate::common::gpu() else { return };
    for args in [["16", "--method", "join"], ["14", "--method", "search"]] {
        let on = |device| estimate(&[&args[..], &["--device", device, "--seed", "5"]].concat());
        let (cpu, gpu) = (on("cpu"), on(&adapter));
        assert_eq!(figures(&cpu), figures(&gpu), "{args:?}");
        assert_ne!(cpu["devices"], gpu["devices"]);
        assert!(gpu["memory"]["device_bytes"].as_u64() > Some(1000), "{gpu}");
    }
}

#[test]
fn documents_that_are_wrong_do_not_fit_the_schema() {
    let good = estimate(&["8", "--device", "cpu"]);
    for (pointer, value) in [
        ("/schema", json!(2)),
        ("/n", json!(33)),
        ("/seed", json!(7)),
        ("/method", json!("bitmask")),
        ("/draws", json!(-1)),
        ("/devices", json!([])),
        ("/devices/0/visits_per_s", json!(0)),
        ("/devices/0/kind", json!("abacus")),
        ("/visits/mean", json!("1028")),
        ("/visits/error", json!(-0.1)),
        ("/solutions", json!(92)),
        ("/known", json!(92)),
        ("/deviation", json!("0.1")),
        ("/time_s/mean", Value::Null),
        ("/setup_s", json!("0.1")),
        ("/memory/host_bytes", json!(0.5)),
        ("/elapsed_s", Value::Null),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value.clone();
        assert!(!schema().is_valid(&bad), "{pointer} = {value}");
    }
    for key in good.as_object().unwrap().keys() {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(key);
        assert!(!schema().is_valid(&bad), "without {key}");
    }
    let mut counted = good;
    counted["count"] = json!("92");
    assert!(!schema().is_valid(&counted), "an estimate is no count");
}

#[test]
fn flags_that_say_nothing_about_an_estimate_are_refused() {
    for (args, part) in [
        (&["--classes"][..], "--classes"),
        (&["--verify", "sample"], "--verify"),
        (&["--verify", "full"], "--verify"),
        (&["--method", "bitmask"], "plain counter"),
        (&["--method", "permutations"], "plain counter"),
        (&["--method", "join", "--depth", "3"], "--depth"),
        (&["--seed", "-1"], "'-1'"),
        (&["--seed", "0x7"], "'0x7'"),
        (&["--seed", "4294967296"], "4294967295"),
    ] {
        let args = [&["count", "12", "--estimate"], args].concat();
        let refused = run(&args);
        assert_refused(&args, &refused, 2);
        assert!(refused.2.contains(part), "{args:?}: {part} in {}", refused.2);
    }
    let args = ["count", "12", "--seed", "7"];
    let refused = run(&args);
    assert_refused(&args, &refused, 2);
    assert!(refused.2.contains("--estimate"), "{}", refused.2);
}
