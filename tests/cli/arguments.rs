//! Hostile arguments.

use crate::{assert_refused, ferz, read, run};

#[test]
fn what_is_not_a_board_is_refused() {
    let huge = "9".repeat(5000);
    let given = [
        "0",
        "33",
        "-1",
        "-0",
        "1e3",
        "08",
        "",
        " ",
        "8 ",
        "+8",
        "0x8",
        "8.0",
        "８",
        "NaN",
        "4294967304",
        "18446744073709551624",
        "-99999999999999999999",
        &huge,
        "\u{1b}[31m8",
        "8\n",
        "-",
    ];
    for n in given {
        let args = ["count", n];
        let refused = run(&args);
        assert_refused(&args, &refused, 2);
        assert!(refused.2.len() < 1000, "{}", refused.2.len());
        if !n.is_empty() && n.len() < 30 && n.is_ascii() && !n.contains(char::is_control) {
            assert!(refused.2.contains(&format!("'{n}'")), "{n} is named: {}", refused.2);
        }
        assert!(refused.2.contains("from 1 to 32"), "{}", refused.2);
    }
}

#[test]
fn conflicting_or_unknown_flags_are_refused() {
    for (args, part) in [
        (&["count", "8", "--method", "bitmask", "--device", "gpu"][..], "--device"),
        (&["count", "8", "--method", "bitmask", "--backend", "vulkan"], "--backend"),
        (&["count", "8", "--method", "backtrack", "--threads", "2"], "--threads"),
        (&["count", "8", "--method", "backtrack", "--depth", "2"], "--depth"),
        (&["count", "8", "--method", "bitmask", "--verify", "sample"], "--verify"),
        (&["count", "13", "--method", "permutations"], "6.227e9"),
        (&["count", "8", "--device", "cpu", "--backend", "vulkan"], "--backend"),
        (&["selftest", "--device", "cpu", "--backend", "vulkan"], "--backend"),
        (&["count", "8", "--threads", "0"], "'0'"),
        (&["count", "8", "--threads", "-1"], "'-1'"),
        (&["count", "8", "--threads", "5000"], "4096"),
        (&["count", "8", "--threads", "99999999999999999999"], "4096"),
        (&["count", "8", "--depth", "99"], "'99'"),
        (&["count", "8", "--depth", "8"], "from 0 to 4"),
        (&["count", "8", "--depth", "two"], "'two'"),
        (&["count", "32", "--depth", "25", "--device", "cpu"], "memory"),
        (&["count", "8", "--device", ""], "comma"),
        (&["count", "8", "--device", "cpu,"], "comma"),
        (&["count", "8", "--device"], "--device"),
        (&["count", "8", "--device", "-1"], "'-1'"),
        (&["count", "8", "--backend", "glide"], "vulkan, metal, dx12, gl"),
        (&["count", "8", "--method", "jump"], "join"),
        (&["count", "8", "--method", "join", "--depth", "3"], "--depth"),
        (&["count", "8", "--workload", "extreme"], "headless"),
        (&["count", "8", "--color", "sometimes"], "always"),
        (&["count", "8", "--quiet", "--verbose"], "--verbose"),
        (&["count", "8", "--threads", "1", "--threads", "2"], "multiple"),
        (&["count", "8", "--estimate", "--stop-after", "1h"], "--estimate"),
        (&["count", "8", "--estimate", "--checkpoint", "file"], "--estimate"),
        (&["count", "8", "--method", "bitmask", "--checkpoint", "file"], "--checkpoint"),
        (&["count", "8", "--method", "bitmask", "--checkpoint-interval", "1s"], "--checkpoint-interval"),
        (&["count", "8", "--method", "bitmask", "--restart"], "--restart"),
        (&["count", "8", "--method", "bitmask", "--stop-after", "1s"], "--stop-after"),
        (&["count", "8", "--checkpoint", "file", "--no-checkpoint"], "--no-checkpoint"),
        (&["count", "8", "--restart", "--no-checkpoint"], "--no-checkpoint"),
        (&["count", "8", "--stop-after", "1h", "--no-checkpoint"], "--no-checkpoint"),
        (&["count", "8", "--checkpoint", ""], "--checkpoint"),
        (&["count", "8", "--checkpoint-interval", "30"], "500ms, 30s, 5m, 2h"),
        (&["count", "8", "--checkpoint-interval", "1ms"], "too short"),
        (&["count", "8", "--stop-after", "1 age"], "'1 age'"),
        (&["count", "8", "--stop-after", "-1s"], "'-1s'"),
        (&["count", "8", "--checkpoint-interval", "-1s"], "'-1s'"),
        (&["checkpoint", "verify", "file", "--recheck", "-1%"], "'-1%'"),
        (&["man", "counts"], "bench, "),
        (&["man", "checkpoint", "save"], "show, verify"),
        (&["man", "count", "show"], "no commands"),
        (&["checkpoint"], "show"),
        (&["checkpoint", "show"], "<FILE>"),
        (&["checkpoint", "verify", "file", "--recheck", "1"], "more than 0%"),
        (&["checkpoint", "verify", "file", "--recheck", "200%"], "'200%'"),
        (&["count", "8", "8"], "'8'"),
        (&["count"], "<N>"),
        (&["cuont", "8"], "'count'"),
        (&["help"], "help"),
        (&["8"], "8"),
        (&["--", "count"], "count"),
        (&["devices", "--device", "cpu"], "--device"),
        (&[], "subcommand"),
    ] {
        let refused = run(args);
        assert_refused(args, &refused, 2);
        assert!(refused.2.contains(part), "{args:?}: {part} in {}", refused.2);
    }
}

#[test]
fn a_device_that_is_not_there_is_named() {
    for device in ["voodoo", "99", "99999999999999999999999", "\u{1b}[31m", "cpu,voodoo", "*"] {
        let args = ["count", "8", "--device", device];
        let refused = run(&args);
        assert_refused(&args, &refused, 4);
        assert!(refused.2.contains('0'), "what is there: {}", refused.2);
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_refused() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    for args in [[b"count".as_slice(), b"\xff8"], [b"\xff", b"8"], [b"count", b"--\xff"]] {
        let args = args.map(OsStr::from_bytes);
        let refused = read(ferz().args(args).output().unwrap());
        assert_refused(&[], &refused, 2);
    }
}
