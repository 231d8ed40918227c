//! `--verify full`: the whole count once more, in another way.

use crate::{
    Error,
    run::{check::verdict::Level, outcome::Outcome},
};

/// Compares the two counts, and makes one outcome of both, the first.
///
/// # Errors
///
/// [`Error::Disagree`] where they differ. Nothing is counted again then: there is no saying which of them is wrong.
pub fn compare(first: &mut Outcome, second: Outcome) -> Result<(), Error> {
    if first.count != second.count {
        return Err(Error::Disagree {
            what: format!("the number of solutions of {}", first.problem),
            left_name: format!("{} (first run)", first.method),
            left: first.count.to_string(),
            right_name: format!("{} (second run)", second.method),
            right: second.count.to_string(),
        });
    }
    let again = if first.method == second.method { "search in a mirror" } else { second.method.into() };
    let detail = match first.verification.level {
        Level::Unverified => String::new(),
        _ => format!("; {}", first.verification.detail),
    };
    first.verification.level = Level::Full;
    first.verification.detail = format!("counted again by {again}{detail}");
    first.elapsed_total += second.elapsed_total;
    first.faults = first.faults.and(second.faults);
    first.checkpoints.extend(second.checkpoints);
    Ok(())
}
