//! What is generated from the definition of the command line: completions and the manual.

use std::collections::BTreeSet;

use super::*;
use crate::assert_refused;

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// The commands that `ferz --help` lists.
fn commands() -> Vec<String> {
    let help = stdout(&["--help"]);
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    // a command stands two columns from the edge, what it does further in
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect()
}

/// The long flags that the help of a command names at the start of a line.
fn flags(command: &str) -> BTreeSet<String> {
    let help = stdout(&[command, "--help"]);
    let starts = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let long = starts.filter_map(|line| line.split_whitespace().find(|word| word.starts_with("--")));
    long.map(|flag| flag.trim_end_matches(',').to_owned()).collect()
}

#[test]
fn all_commands_are_there() {
    let commands = commands();
    for command in [
        "bench",
        "count",
        "devices",
        "selftest",
        "solve",
        "list",
        "classify",
        "nearest",
        "tile",
        "completions",
        "man",
    ] {
        assert!(commands.iter().any(|name| name == command), "{command} in {commands:?}");
    }
    assert!(flags("list").is_superset(&["--unique", "--output", "--color"].map(str::to_owned).into()));
}

#[test]
fn completions_know_every_command_and_flag() {
    for shell in SHELLS {
        let script = stdout(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
            for flag in flags(&command) {
                // fish writes the name of a long flag after -l
                let named = if shell == "fish" { format!("-l {}", &flag[2..]) } else { flag.clone() };
                assert!(script.contains(&named), "{shell}: {command} {flag}");
            }
        }
    }
    for args in [&["completions"][..], &["completions", "tcsh"]] {
        assert_refused(args, &run(args), 2);
    }
}

#[test]
fn the_manual_has_every_command_and_flag() {
    // roff writes a hyphen as \-
    let page = |args: &[&str]| stdout(&[&["man"], args].concat()).replace("\\-", "-");
    let all = page(&[]);
    assert!(all.contains(".TH ferz 1"), "{all}");
    for command in commands() {
        assert!(all.contains(&format!("ferz-{command}(1)")), "{command}");
        let own = page(&[&command]);
        assert!(own.contains(&format!(".TH ferz-{command} 1")), "{own}");
        for flag in flags(&command) {
            assert!(own.contains(&flag), "{command} {flag}");
        }
    }
    let refused = run(&["man", "chess"]);
    assert_refused(&["man", "chess"], &refused, 2);
    assert!(refused.2.contains("count, "), "{}", refused.2);
}

#[test]
fn the_help_of_each_command_of_the_puzzle_has_examples_that_work() {
    for command in ["solve", "list", "classify", "nearest", "tile", "completions", "man"] {
        let help = stdout(&[command, "--help"]);
        let examples = help.split("Examples:\n").nth(1).unwrap_or_else(|| panic!("{command}: {help}"));
        assert!(examples.lines().all(|line| line.contains("ferz ")), "{examples}");
        for line in examples.lines().filter(|line| !line.contains(['|', '>']) && !line.contains("-o ")) {
            // what an example does is told two columns or more after it
            let call = line.trim().split("  ").next().unwrap();
            let args: Vec<&str> = call.split_whitespace().skip(1).collect();
            assert_eq!(args[0], command);
            let (code, _, stderr) = run(&args);
            assert_eq!(code, 0, "{call}: {stderr}");
        }
    }
}
