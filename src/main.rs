//! `ferz`, the command: see [`ferz::cli`].

use std::{ffi::OsString, panic::catch_unwind, process::ExitCode};

use ferz::cli::{self, Console};

fn main() -> ExitCode {
    cli::quiet_drivers();
    cli::outlive_signals();
    let args: Vec<OsString> = std::env::args_os().collect();
    let console = Console::of(&args);
    console.report_panics();
    match catch_unwind(|| cli::parse(&args)?.run(&console)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => console.report(&failure),
        // said where it happened
        Err(_) => ExitCode::FAILURE,
    }
}
