//! JSON against the published schema.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::run;

fn schema() -> Validator {
    let schema = serde_json::from_str(include_str!("../data/count.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// The one document on stdout.
fn document(args: &[&str]) -> Value {
    let (code, stdout, stderr) = run(args);
    assert_eq!(code, 0, "{args:?}: {stderr}");
    assert!(stdout.ends_with("}\n") && stdout.lines().count() == 1, "{stdout}");
    serde_json::from_str(&stdout).unwrap()
}

fn count(args: &[&str]) -> Value {
    let document = document(&[&["count", "--json"][..], args].concat());
    let errors: Vec<String> = schema().iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{args:?}: {errors:?} in {document}");
    document
}

#[test]
fn a_count_fits_the_schema_and_is_true() {
    let by_search = count(&["10", "--device", "cpu", "--method", "search"]);
    assert_eq!(by_search["problem"], json!({"board": [10, 10], "place": 10, "queens": [], "forbidden": []}));
    assert_eq!((&by_search["n"], &by_search["count"]), (&json!(10), &json!("724")));
    let by_bitmask = count(&["10", "--method", "bitmask"]);
    assert_eq!((&by_bitmask["method"], &by_bitmask["visits"]), (&json!("bitmask"), &json!("35538")));
    assert_eq!(by_search["visits"], json!("10954"));
    assert_eq!(by_search["devices"][0]["share"], json!(1.0));
    assert_eq!(by_search["blocks"]["done"], by_search["blocks"]["total"]);
    assert_eq!(by_search["verification"]["level"], json!("known-answer"));
    assert!(by_search["elapsed_s"].as_f64() > by_search["setup_s"].as_f64());
    let by_permutations = count(&["7", "--method", "permutations", "--verify", "none"]);
    assert_eq!(by_permutations["visits"], Value::Null, "boards tried are not queens placed");
    assert_eq!(by_permutations["verification"]["level"], json!("unverified"));
    for n in ["1", "2", "3", "4"] {
        count(&[n]);
    }
}

/// Solutions by the number of queens on even-even squares, tallied without the join.
#[test]
fn the_join_tells_the_solutions_by_queens_on_even_even_squares() {
    for line in include_str!("../data/parity-histogram.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let document = count(&[words[0], "--method", "join"]);
        assert_eq!(document["count"], json!(words[1]));
        let told = document["by_even_even"].as_array().unwrap().iter().map(|part| part.as_str().unwrap());
        // the file drops trailing zeros
        let golden = words[2..].iter().copied().chain(std::iter::repeat("0"));
        assert!(told.clone().zip(golden).all(|(told, golden)| told == golden), "{document}");
        assert!(told.count() >= words.len() - 2, "{document}");
    }
    assert_eq!(count(&["8", "--method", "search"]).get("by_even_even"), None);
}

#[test]
fn what_a_sample_can_promise_is_told() {
    let args = ["count", "14", "--device", "cpu", "--method", "join", "--verify", "sample"];
    let (_, _, stderr) = run(&args);
    let line = stderr.lines().last().unwrap_or_default();
    assert!(line.contains("units recounted: a fault in 0.") && line.contains("seen with 95 %"), "{stderr}");
    let verification = &count(&args[1..])["verification"];
    let sampled = &verification["sampled"];
    let recounted = sampled["recounted"].as_f64().unwrap();
    let missed = (1.0 - sampled["seen_share"].as_f64().unwrap()).powf(recounted);
    assert!((missed - 0.05).abs() < 1e-9 && recounted < sampled["of"].as_f64().unwrap(), "{verification}");
    let words = format!("A000170; {} of {} units recounted", sampled["recounted"], sampled["of"]);
    assert!(verification["detail"].as_str().unwrap().starts_with(&words), "{verification}");
    assert_eq!(count(&["8", "--verify", "none"])["verification"].get("sampled"), None);
}

#[test]
fn the_classes_are_told_where_they_are_asked_for() {
    let golden =
        json!({"fundamental": "1846955", "asymmetric": "1846189", "point": "734", "rotational": "32"});
    assert_eq!(count(&["16", "--classes", "--device", "cpu"])["classes"], golden);
    assert_eq!(count(&["8"]).get("classes"), None);
    for method in ["search", "join", "bitmask", "backtrack", "permutations"] {
        let classes = &count(&["8", "--classes", "--method", method, "--device", "cpu"])["classes"];
        assert_eq!(
            *classes,
            json!({"fundamental": "12", "asymmetric": "11", "point": "1", "rotational": "0"})
        );
    }
    let one = json!({"fundamental": "1", "asymmetric": "0", "point": "0", "rotational": "1"});
    assert_eq!(count(&["1", "--classes"])["classes"], one);
}

#[test]
fn the_schema_refuses_what_is_not_promised() {
    let good = count(&["8", "--device", "cpu", "--method", "join", "--classes"]);
    let schema = schema();
    for (pointer, value) in [
        ("/schema", json!(2)),
        ("/count", json!(92)),
        ("/count", json!("1,234")),
        ("/count", json!("092")),
        ("/visits", json!(1028)),
        ("/n", json!("8")),
        ("/n", json!(33)),
        ("/method", json!("magic")),
        ("/problem/board", json!([8])),
        ("/problem/queens", Value::Null),
        ("/devices", json!([])),
        ("/devices/0/share", json!("1.0")),
        ("/devices/0/software", Value::Null),
        ("/devices/0/software", json!(true)),
        ("/devices/0/kind", json!("software")),
        ("/devices/0/dispatches", json!({"number": 1, "p50_s": 0.1, "p99_s": 0.1, "max_s": 0.1})),
        ("/verification/level", json!("surely")),
        ("/blocks/done", json!("1")),
        ("/elapsed_s", json!("0.1")),
        ("/elapsed_total_s", json!("0.1")),
        ("/sessions", json!(0)),
        ("/faults/lost", json!("0")),
        ("/gpu_s", json!("0.1")),
        ("/gpu_s_reason", json!(1)),
        ("/by_even_even/2", json!(92)),
        ("/classes/fundamental", json!(12)),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value.clone();
        assert!(!schema.is_valid(&bad), "{pointer} = {value}");
    }
    let optional = ["by_even_even", "classes"];
    for key in good.as_object().unwrap().keys().filter(|key| !optional.contains(&key.as_str())) {
        let mut bad = good.clone();
        bad.as_object_mut().unwrap().remove(key);
        assert!(!schema.is_valid(&bad), "without {key}");
    }
    let mut slow = good.clone();
    let note =
        |before: Value| json!([{"after_s": 120.5, "visits_per_s": 1e8, "visits_per_s_before": before}]);
    slow["throttled"] = note(json!(2e8));
    assert!(schema.is_valid(&slow));
    slow["throttled"] = note(json!(0));
    assert!(!schema.is_valid(&slow));
    let mut more = good;
    more["energy_j"] = json!(1.5);
    assert!(schema.is_valid(&more), "more keys may come");
}

#[test]
fn devices_and_selftest_as_documents() {
    let devices = document(&["devices", "--json"]);
    let cpu = &devices["devices"][0];
    assert_eq!((&devices["schema"], &cpu["index"], &cpu["kind"]), (&json!(1), &json!(0), &json!("cpu")));
    assert_eq!((&cpu["unusable"], &cpu["software"]), (&Value::Null, &json!(false)));
    assert!(cpu["limits"]["threads"].as_u64() >= Some(1));
    let selftest = document(&["selftest", "--json", "--device", "cpu"]);
    assert_eq!((&selftest["schema"], &selftest["passed"]), (&json!(1), &json!(true)));
    assert_eq!(selftest["devices"][0]["name"], cpu["name"]);
    assert!(selftest["devices"][0]["units"].as_u64() > Some(1000));
}

#[cfg(feature = "gpu")]
#[test]
fn a_software_adapter_says_so() {
    let Some(adapter) = crate::common::gpu() else { return };
    let document = count(&["14", "--device", &adapter]);
    assert_eq!(document["count"], json!("365596"));
    let device = &document["devices"][0];
    let name = device["name"].as_str().unwrap();
    assert!(name.to_lowercase().contains(&adapter.to_lowercase()), "{device}");
    let software = ["llvmpipe", "SwiftShader"].contains(&adapter.as_str());
    assert_eq!((&device["software"], device["kind"] == "software"), (&json!(software), software));
    match document["gpu_s"].as_f64() {
        Some(time) => assert!(0.0 < time && Some(time) <= document["elapsed_s"].as_f64(), "{document}"),
        None => assert!(document["gpu_s_reason"].is_string(), "{document}"),
    }
    assert!(device["driver"].is_string() && device["backend"].is_string(), "{device}");
    let dispatches = &device["dispatches"];
    let time = |key: &str| dispatches[key].as_f64();
    assert!(dispatches["number"].as_u64() > Some(0), "{device}");
    assert!(Some(0.0) < time("p50_s") && time("p50_s") <= time("p99_s"), "{device}");
    assert!(time("p99_s") <= time("max_s") && time("max_s") < document["elapsed_s"].as_f64(), "{device}");
    for wrong in [json!(null), json!({"number": 1}), json!("1")] {
        let mut bad = document.clone();
        bad["devices"][0]["dispatches"] = wrong.clone();
        assert_eq!(schema().is_valid(&bad), wrong.is_null(), "{wrong}");
    }
}
