//! Counts by a rung of the ladder of plain counters.

use std::time::Instant;

use super::{
    check::verdict::verify,
    event::Event,
    options::{Options, Place, Verify},
    outcome::{DeviceShare, Outcome},
    progress::Phase,
};
use crate::{
    Error, MethodName, Problem,
    engine::{cpu, listing::Wanted},
    method::ladder::{self, Counted},
};

/// Counts by a rung of the ladder: one thread, no blocks.
pub fn count(
    problem: &Problem,
    name: MethodName,
    options: &Options,
    observe: &mut dyn FnMut(Event),
    start: Instant,
) -> Result<Outcome, Error> {
    let refused = [
        (!matches!(options.device, Wanted::Auto | Wanted::Cpu), "`device`", "cpu"),
        (options.threads.is_some_and(|threads| threads != 1), "`threads`", "1"),
        (options.backend.is_some(), "`backend`", "none"),
        (options.depth.is_some(), "`depth`", "none"),
        (options.verify == Verify::Sample, "`verify` sample", "auto or none"),
        (options.verify == Verify::Full, "`verify` full", "auto or none"),
        (matches!(options.saving.place, Place::File(_)), "`saving.place`", "none"),
        (options.saving.interval.is_some(), "`saving.interval`", "none"),
        (options.saving.restart, "`saving.restart`", "none"),
        (options.stop_after.is_some(), "`stop_after`", "none"),
    ];
    if let Some((_, flag, allowed)) = refused.iter().find(|(refused, ..)| *refused) {
        return Err(Error::usage(
            format!("{flag} does not go with a plain counter, which runs on one CPU thread"),
            format!("omit {flag} (it takes {allowed}), or use `method` search"),
        ));
    }
    observe(Event::Phase(Phase::Counting));
    let counted: Counted = match name {
        MethodName::Permutations => ladder::permutations::count(problem)?,
        MethodName::Backtrack => ladder::backtrack::count(problem)?,
        _ => ladder::bitmask::count(problem)?,
    };
    let count = u128::from(counted.solutions);
    // boards tried are not queens placed
    let visits = (name != MethodName::Permutations).then(|| u128::from(counted.visits));
    let elapsed = start.elapsed();
    let verification = verify(problem, count, options.verify, None)?;
    Ok(Outcome {
        visits,
        devices: vec![DeviceShare { device: cpu::listed(1).info, share: 1.0, dispatches: None }],
        elapsed_total: elapsed,
        elapsed,
        ..Outcome::new(problem, name, count, verification)
    })
}
