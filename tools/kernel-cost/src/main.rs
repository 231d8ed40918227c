//! The command line of `kernel-cost`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match kernel_cost::cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kernel-cost: error: {error}");
            error.exit_code().into()
        }
    }
}
