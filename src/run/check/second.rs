//! `--verify full`: the whole count once more, in another way.

use std::sync::Arc;

use crate::{
    Error, Outcome, Problem,
    method::{
        Method,
        join::Join,
        search::{Cut, Search},
    },
};

/// By how much the units of the second search are larger: on large boards enough for another depth.
const COARSER: f64 = 16.0;

/// The method of the second run: the other one for the plain puzzle; else a search of the board as seen in a mirror, cut
/// at another depth. `depth` and `unit_visits` are those of the first run, see [`Cut`].
pub fn plan(
    problem: &Problem,
    first: &dyn Method,
    depth: Option<u32>,
    unit_visits: f64,
) -> Result<Arc<dyn Method>, Error> {
    let joined = first.name() == "join";
    if problem.plain().is_some() && !joined {
        return Ok(Arc::new(Join::new(problem)?));
    }
    let before = if joined { None } else { Some(Search::new(problem, depth, unit_visits)?.depth()) };
    Ok(Arc::new(mirrored(problem, before, unit_visits)?))
}

/// A search in a mirror, at another depth than that of the search `before`, if it was one.
fn mirrored(problem: &Problem, before: Option<u32>, unit_visits: f64) -> Result<Search, Error> {
    let coarser = Cut { depth: None, unit_visits: COARSER * unit_visits, mirrored: true };
    let search = Search::cut(problem, coarser)?;
    // deeper, not less deep: below their seeds blocks are cut alike, so that a checkpoint of this run knows no device
    if before == Some(search.depth()) && search.depth() < search.profile().deepest() {
        return Search::cut(problem, Cut { depth: Some(search.depth() + 1), ..coarser });
    }
    Ok(search)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Square, method::search::unit_visits};

    #[test]
    fn the_second_search_is_cut_at_another_depth_into_the_same_blocks() -> Result<(), Error> {
        for n in 6..=18 {
            let problem = Problem::queens(n)?.with_queen(Square { rank: 0, file: 1 })?;
            for visits in [unit_visits(false), unit_visits(true)] {
                let first = Search::new(&problem, None, visits)?;
                let second = mirrored(&problem, Some(first.depth()), visits)?;
                assert_ne!(second.depth(), first.depth(), "N = {n}");
                let alike = Search::cut(&problem, Cut { depth: None, unit_visits: visits, mirrored: true })?;
                assert_eq!(second.plan_hash(), alike.plan_hash(), "N = {n}: blocks do not depend on depth");
            }
        }
        Ok(())
    }
}
