//! The one place where a method is made.

use std::sync::Arc;

use super::{
    BlockCut, MethodName, PlanHash,
    join::Join,
    sampling::Sampling,
    search::{Cutting, Search},
};
use crate::{Error, Problem};

/// Makes a method that counts by blocks.
///
/// # Errors
///
/// [`Error::Usage`] where the method cannot answer the problem, takes no such cut, or is a plain counter, which has no
/// blocks.
pub fn make(name: MethodName, problem: &Problem, cutting: Cutting) -> Result<Arc<dyn Sampling>, Error> {
    match (name, cutting.depth) {
        (MethodName::Join, None) => Ok(Arc::new(Join::new(problem)?)),
        (MethodName::Join, Some(depth)) => Err(Error::usage(
            format!("`depth` {depth} does not go with `method` join"),
            "the join has no prefixes to expand: omit `depth`, or use `method` search",
        )),
        (MethodName::Search, _) => {
            let search = Search::cut(problem, cutting)?;
            search.fits_in_memory()?;
            Ok(Arc::new(search))
        }
        (plain, _) => Err(Error::usage(
            format!("{plain} is a plain counter, which counts without blocks"),
            "use `method` join or search",
        )),
    }
}

/// Makes the method of the second count of a full verification: the other one for the plain puzzle; else a search of the
/// board in a mirror, cut at another depth. `first` and `cutting` are those of the first count.
///
/// # Errors
///
/// As [`make`].
pub fn make_other(
    first: MethodName,
    problem: &Problem,
    cutting: Cutting,
) -> Result<Arc<dyn Sampling>, Error> {
    if problem.plain().is_some() && first == MethodName::Search {
        return make(MethodName::Join, problem, Cutting { depth: None, ..cutting });
    }
    let before = (first == MethodName::Search).then_some(cutting);
    Ok(Arc::new(Search::mirrored(problem, before, cutting.unit_visits)?))
}

/// Makes the method that has the very blocks of a plan, from the words in which that is written down; none where this
/// version makes others.
///
/// # Errors
///
/// As [`make`].
pub fn make_again(
    name: MethodName,
    problem: &Problem,
    cut: BlockCut,
    plan: PlanHash,
) -> Result<Option<Arc<dyn Sampling>>, Error> {
    let mut cutting = Cutting::default();
    let mut depths = vec![None];
    if let BlockCut::Seeds { rows, mirrored } = cut {
        cutting.mirrored = mirrored;
        // where a depth was asked for that is less than that of the seeds
        depths.push(Some(rows));
    }
    for depth in depths {
        let method = make(name, problem, Cutting { depth, ..cutting })?;
        if method.plan_hash() == plan {
            return Ok(Some(method));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Square, method::search::unit_visits};

    #[test]
    fn what_was_cut_is_cut_again_into_the_same_blocks() -> Result<(), Error> {
        let free = Problem::queens(14)?;
        let constrained = free.clone().with_queen(Square { rank: 0, file: 1 })?;
        for problem in [&free, &constrained] {
            for (depth, mirrored) in [(None, false), (Some(0), false), (Some(2), false), (None, true)] {
                let cutting = Cutting { depth, mirrored, unit_visits: unit_visits(true) };
                let search = make(MethodName::Search, problem, cutting)?;
                let again = make_again(MethodName::Search, problem, search.cut(), search.plan_hash())?;
                assert_eq!(again.map(|again| again.cut()), Some(search.cut()));
            }
        }
        let join = make(MethodName::Join, &free, Cutting::default())?;
        assert!(make_again(MethodName::Join, &free, join.cut(), join.plan_hash())?.is_some());
        assert!(make_again(MethodName::Search, &free, BlockCut::Whole, join.plan_hash())?.is_none());
        Ok(())
    }

    #[test]
    fn the_second_count_is_by_another_method_or_another_cut() -> Result<(), Error> {
        let free = Problem::queens(10)?;
        let cutting = Cutting { depth: Some(3), ..Cutting::default() };
        assert_eq!(make_other(MethodName::Search, &free, cutting)?.name(), MethodName::Join);
        let mirrored = make_other(MethodName::Join, &free, Cutting::default())?;
        assert!(matches!(mirrored.cut(), BlockCut::Seeds { mirrored: true, .. }));
        Ok(())
    }
}
