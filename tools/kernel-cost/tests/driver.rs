//! The program with a driver: Mesa's for AMD, which compiles without a card. `tests/run.sh` names it in
//! FERZ_RADV_ICD; without that variable these tests say that they are skipped.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use assert_cmd::Command;
use predicates::prelude::{PredicateBooleanExt as _, predicate::str::contains};

/// The version of Mesa whose instructions are all known. Others may have more, which is said with exit code 3.
const KNOWN: &str = "Mesa 22.3";

fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kernel-cost"));
    command.args(args.split(' '));
    command
}

fn driver() -> bool {
    let found = std::env::var_os("FERZ_RADV_ICD").is_some();
    if !found {
        eprintln!("skipped: FERZ_RADV_ICD names no driver");
    }
    found
}

#[test]
fn kernels_compile_without_spills() {
    if !driver() {
        return;
    }
    for kernel in ["search", "join"] {
        let args = format!("isa --kernel {kernel} --n 16,20 --family navi21,vega10");
        let said = command(&args).assert().success().get_output().stdout.clone();
        let said = String::from_utf8(said).unwrap();
        let rows: Vec<Vec<&str>> = said
            .lines()
            .filter(|line| line.starts_with(&format!("| {kernel}")))
            .map(|line| line.split('|').map(str::trim).collect())
            .collect();
        assert_eq!(rows.len(), 4, "{said}");
        for row in rows {
            let number = |column: usize| row[column].parse::<u64>().unwrap();
            // instructions, vector registers, scratch, vector instructions of the loop
            assert!(number(3) > 100 && (1..=64).contains(&number(4)), "{row:?}");
            assert!(number(8) == 0 && number(9) > 20, "{row:?}");
        }
    }
}

/// Also sees that no unit comes to lie outside of workgroup memory.
#[test]
fn machine_code_counts_what_the_twins_count() {
    if !driver() {
        return;
    }
    let said =
        command("isa --kernel search --n 8 --family navi21").assert().success().get_output().stdout.clone();
    let known = String::from_utf8_lossy(&said).contains(KNOWN);
    for args in [
        "--kernel search --n 11 --depth 4 --family navi21,gfx1100,vega10",
        "--kernel search --n 22 --depth 9 --checks off --family gfx1100",
        "--kernel join --n 15 --workgroups 12 --checks off --family navi21,gfx1100,vega10 --kinds",
        "--kernel join --n 16 --workgroups 6 --workgroup 32 --wave 32 --family navi21",
        "--kernel join --n 17 --workgroups 6 --workgroup 128 --family gfx1100",
        "--kernel join --n 14 --k 0 --workgroups 3 --checks off --family navi21",
    ] {
        let run = command(&format!("run {args}")).output().unwrap();
        let (said, error) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        if run.status.code() == Some(3) && !known {
            eprintln!("{args}: {error}");
            continue;
        }
        assert_eq!(run.status.code(), Some(0), "{args}: {error}");
        for family in ["navi21", "gfx1100", "vega10"] {
            assert_eq!(said.contains(&format!("| {family} ")), args.contains(family), "{args}: {said}");
        }
    }
}

#[test]
fn wrong_flags_and_drivers_are_named() {
    command("isa --kernel join --n 64").assert().code(2).stderr(contains("64"));
    command("isa --kernel bitmask --n 8").assert().code(2).stderr(contains("search"));
    command("run --kernel join --n 8 --workgroup 48 --icd /no/such.json")
        .assert()
        .code(2)
        .stderr(contains("48"));
    command("isa --kernel search --n 8 --icd /no/such.json")
        .assert()
        .code(4)
        .stderr(contains("/no/such.json"));
    if driver() {
        command("isa --kernel search --n 8 --family navi99")
            .assert()
            .code(4)
            .stderr(contains("navi99").and(contains("install").not()));
        // the wave of another size would be measured
        command("isa --kernel search --n 8 --family vega10 --wave 32")
            .assert()
            .code(4)
            .stderr(contains("64 lanes"));
    }
}
