//! `ferz bench --compare A B`.

use std::path::Path;

use crate::{
    Error,
    cli::{Console, Failure},
    report::bench::{Comparison, Results},
};

pub(super) fn run(
    before: &Path,
    after: &Path,
    fail_if_slower: Option<f64>,
    console: &Console,
) -> Result<(), Failure> {
    let comparison = Comparison::new(&read(before)?, &read(after)?);
    if comparison.is_empty() {
        let what = format!("{} and {} have no row in common", before.display(), after.display());
        let hint = "rows are matched by task, N, method, device and threads: time both on one machine with the same flags";
        return Err(Error::usage(what, hint).into());
    }
    if let Some((what, left, right)) = comparison.disagreement() {
        let [left_name, right_name] = [before, after].map(|path| path.display().to_string());
        return Err(Error::Disagree { what, left_name, left, right_name, right }.into());
    }
    console.result(&comparison.table())?;
    match fail_if_slower.map(|percent| (percent, comparison.slower(percent))) {
        Some((percent, slower)) if !slower.is_empty() => {
            Err(Failure::Slower { percent, rows: slower.join("; ") })
        }
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Results, Error> {
    let refused = |why: String| {
        Error::usage(
            format!("{} cannot be compared: {why}", path.display()),
            "give two files that `ferz bench --export-json FILE` wrote",
        )
    };
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    Results::read(&text).map_err(refused)
}
