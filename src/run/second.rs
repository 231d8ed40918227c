//! `--verify full`: the whole count once more, in another way.

use std::sync::Arc;

use super::Outcome;
use crate::{
    Error, Problem,
    method::{
        Method,
        join::Join,
        search::{Cut, Search},
    },
};

/// By how much the units of the second search are larger: enough for another depth.
const COARSER: f64 = 16.0;

/// The method of the second run, where search takes units of about `unit_visits` in the first: the other one for the plain puzzle; else a search of the board as seen in a mirror,
/// cut at another depth, so that no unit has the words of one of the first run.
pub fn plan(problem: &Problem, first: &dyn Method, unit_visits: f64) -> Result<Arc<dyn Method>, Error> {
    if problem.plain().is_some() && first.name() != "join" {
        return Ok(Arc::new(Join::new(problem)?));
    }
    let unit_visits = COARSER * unit_visits;
    Ok(Arc::new(Search::cut(problem, Cut { depth: None, unit_visits, mirrored: true })?))
}

/// Compares the two counts, and says so in the first outcome.
///
/// # Errors
///
/// [`Error::Disagree`] where they differ. Nothing is counted again then: there is no saying which of them is wrong.
pub fn compare(first: &mut Outcome, second: &Outcome) -> Result<(), Error> {
    if first.count != second.count {
        return Err(Error::Disagree {
            what: format!("the number of solutions of {}", first.problem),
            left_name: format!("{} (first run)", first.method),
            left: first.count.to_string(),
            right_name: format!("{} (second run)", second.method),
            right: second.count.to_string(),
        });
    }
    let again = if first.method == second.method { "search in a mirror" } else { second.method };
    let detail = match first.verification.level {
        "unverified" => String::new(),
        _ => format!("; {}", first.verification.detail),
    };
    first.verification.level = "full";
    first.verification.detail = format!("counted again by {again}{detail}");
    Ok(())
}
