//! Which device a run takes, on a machine with an adapter and on one without.

use crate::{assert_refused, ferz, read, run};

#[test]
fn the_table_starts_with_its_head_and_the_cpu() {
    let (code, stdout, _) = run(&["devices"]);
    let lines: Vec<&str> = stdout.lines().collect();
    let head: Vec<&str> = lines[0].split_whitespace().collect();
    assert_eq!(code, 0);
    assert_eq!(head, ["index", "name", "kind", "backend", "driver", "PCI", "id", "limits", "usable"]);
    assert!(lines[1].trim_start().starts_with("0 ") && lines[1].contains(" cpu "), "{}", lines[1]);
}

#[cfg(not(feature = "gpu"))]
#[test]
fn a_build_without_the_gpu_engine_says_so() {
    for args in [
        &["count", "8", "--device", "gpu"][..],
        &["count", "8", "--device", "cpu,gpu"],
        &["count", "8", "--backend", "vulkan"],
        &["selftest", "--device", "gpu"],
        &["devices", "--backend", "gl"],
    ] {
        let refused = run(args);
        assert_refused(args, &refused, 4);
        assert!(refused.2.contains("no GPU engine"), "{}", refused.2);
    }
    let (code, stdout, stderr) = read(ferz().args(["count", "15"]).output().unwrap());
    assert_eq!((code, stdout.as_str()), (0, "2279184\n"));
    assert!(!stderr.contains("warning"), "{stderr}");
}

#[cfg(feature = "gpu")]
mod with_the_gpu_engine {
    use super::*;
    use crate::common;

    #[test]
    fn a_variable_that_names_no_backend_is_refused() {
        for args in [&["devices"][..], &["count", "8", "--device", "gpu"]] {
            let refused = read(ferz().args(args).env("WGPU_BACKEND", "voodoo").output().unwrap());
            assert_refused(args, &refused, 2);
            assert!(refused.2.contains("WGPU_BACKEND=voodoo"), "{}", refused.2);
        }
    }

    /// Runs on a machine without an adapter: Vulkan alone, and no driver of it.
    fn bare(args: &[&str]) -> (i32, String, String) {
        let none = concat!(env!("CARGO_TARGET_TMPDIR"), "/no-such-driver.json");
        let mut command = ferz();
        command.args(args).env("WGPU_BACKEND", "vulkan");
        command.env("VK_DRIVER_FILES", none).env("VK_ICD_FILENAMES", none);
        read(command.output().unwrap())
    }

    /// Whether the adapter under test runs on the CPU.
    fn is_software(adapter: &str) -> bool {
        ["llvmpipe", "SwiftShader"].contains(&adapter)
    }

    #[test]
    fn no_adapter_is_exit_4_with_a_hint() {
        for args in [
            &["count", "8", "--device", "gpu"][..],
            &["count", "8", "--device", "gpu", "--backend", "vulkan"],
            &["count", "8", "--device", "llvmpipe"],
            &["count", "8", "--device", "1"],
            &["selftest", "--device", "gpu"],
        ] {
            assert_refused(args, &bare(args), 4);
        }
        let (code, stdout, _) = bare(&["devices"]);
        assert_eq!((code, stdout.lines().count()), (0, 2), "the CPU alone: {stdout}");
    }

    #[test]
    fn without_an_adapter_auto_takes_the_cpu_and_says_so() {
        let (code, stdout, stderr) = bare(&["count", "16"]);
        assert_eq!((code, stdout.as_str()), (0, "14772512\n"), "{stderr}");
        assert!(stderr.starts_with("warning: no hardware GPU was found: counting on the CPU\n"), "{stderr}");
        let (_, _, stderr) = bare(&["count", "8"]);
        assert!(!stderr.contains("warning"), "not worth a word: {stderr}");
    }

    #[test]
    fn the_adapter_is_listed_and_passes_its_selftest() {
        let Some(adapter) = common::gpu() else { return };
        let (_, stdout, _) = run(&["devices"]);
        let fits = |line: &&str| line.to_lowercase().contains(&adapter.to_lowercase());
        let line = stdout.lines().find(fits).unwrap_or_else(|| panic!("no {adapter} in {stdout}"));
        assert_eq!(line.contains(" software "), is_software(&adapter), "{line}");
        let (code, stdout, stderr) = run(&["selftest", "--device", &adapter]);
        assert_eq!(code, 0, "{stderr}");
        assert!(fits(&stdout.as_str()) && stdout.contains(": passed; "), "{stdout}");
    }

    #[test]
    fn a_software_adapter_is_taken_only_when_asked_for() {
        let Some(adapter) = common::gpu().filter(|adapter| is_software(adapter)) else { return };
        let vulkan = |args: &[&str]| read(ferz().args(args).env("WGPU_BACKEND", "vulkan").output().unwrap());
        let (code, stdout, stderr) = vulkan(&["count", "10", "--device", "gpu"]);
        assert_eq!((code, stdout.as_str()), (0, "724\n"), "{stderr}");
        assert!(stderr.contains("warning: only a software adapter was found, "), "{stderr}");
        let (_, stdout, stderr) = vulkan(&["count", "10", "--device", &adapter]);
        assert!(stdout == "724\n" && !stderr.contains("warning"), "asked for by name: {stderr}");
        let (_, stdout, stderr) = vulkan(&["count", "16"]);
        assert!(stdout == "14772512\n" && stderr.contains("no hardware GPU"), "{stderr}");
        assert!(!stderr.to_lowercase().contains(&adapter.to_lowercase()), "{stderr}");
    }

    #[test]
    fn a_backend_limits_the_choice() {
        let Some(adapter) = common::gpu().filter(|adapter| is_software(adapter)) else { return };
        let (code, _, stderr) = run(&["count", "8", "--device", &adapter, "--backend", "vulkan"]);
        assert_eq!(code, 0, "{stderr}");
        let args = ["count", "8", "--device", &adapter, "--backend", "metal"];
        assert_refused(&args, &run(&args), 4);
        // the flag is stronger than the variable
        let mut command = ferz();
        command.args(["count", "8", "--device", &adapter, "--backend", "vulkan"]).env("WGPU_BACKEND", "gl");
        assert_eq!(read(command.output().unwrap()).1, "92\n");
    }

    #[test]
    fn the_times_of_dispatches_are_told_where_details_are_asked_for() {
        let Some(adapter) = common::gpu() else { return };
        let (_, _, stderr) = run(&["count", "9", "--device", &adapter, "-v"]);
        let line = stderr.lines().rev().nth(1).unwrap_or_default();
        for part in ["dispatches: ", "; p50 ", ", p99 ", ", longest ", " ms"] {
            assert!(line.contains(part), "{part} in {stderr}");
        }
        for args in [&["count", "9", "--device", &adapter][..], &["count", "9", "--device", "cpu", "-v"]] {
            assert!(!run(args).2.contains("dispatches: "), "{args:?}");
        }
    }

    #[test]
    fn a_name_that_fits_several_lists_them() {
        let Some(adapter) = common::gpu() else { return };
        // 'e' is in the name of every processor and adapter there is so far
        let (_, listed, _) = run(&["devices", "--json"]);
        let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
        let names = listed["devices"].as_array().unwrap().iter().map(|device| device["name"].to_string());
        assert!(names.filter(|name| name.contains('e')).count() > 1, "{adapter} and the CPU");
        let args = ["count", "8", "--device", "e"];
        let refused = run(&args);
        assert_refused(&args, &refused, 2);
        assert!(refused.2.contains("0 (") && refused.2.contains("1 ("), "{}", refused.2);
    }
}
