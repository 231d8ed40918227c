//! One run: chooses method and devices, drives them, checks the sum.

pub mod check;
mod drive;
mod event;
mod feed;
mod options;
mod outcome;
mod plain;
mod progress;
mod save;
mod session;
pub mod setup;

use std::{sync::Arc, time::Instant};

use self::{
    check::second,
    drive::drive,
    save::keeper::Keeper,
    session::{Rules, Session},
    setup::{Setup, saves},
};
pub use self::{
    check::verdict::{Level, Sampled, Verification},
    event::Event,
    options::{MethodChoice, Options, Place, Saving, Verify, Workload},
    outcome::{DeviceShare, Outcome},
    progress::{Phase, Progress, Throttled},
};
use crate::{
    Error, Problem,
    engine::{Engine, cpu},
    method::{
        Method,
        symmetric::{self, Classes},
    },
};

/// Counts the solutions of a problem.
///
/// # Errors
///
/// See [`Error`]; no error leaves a count behind.
pub fn count(problem: &Problem, options: &Options, observe: &mut dyn FnMut(Event)) -> Result<Outcome, Error> {
    let start = Instant::now();
    let classes = if options.classes { Some(problem.require_plain("`classes`")?) } else { None };
    options.cancel.check()?;
    let mut outcome = match options.method.name().filter(|name| name.is_plain()) {
        Some(name) => plain::count(problem, name, options, observe, start)?,
        None => count_blocks(problem, options, observe, start)?,
    };
    if let Some(size) = classes {
        observe(Event::Phase(Phase::Symmetric));
        let symmetric = cpu::pool(options.threads)?.install(|| symmetric::count(size));
        outcome.classes = Some(Classes::new(size, outcome.count, symmetric)?);
        outcome.elapsed_total += start.elapsed() - outcome.elapsed;
        outcome.elapsed = start.elapsed();
    }
    Ok(outcome)
}

/// Counts by a method that has blocks, twice for a full verification.
fn count_blocks(
    problem: &Problem,
    options: &Options,
    observe: &mut dyn FnMut(Event),
    start: Instant,
) -> Result<Outcome, Error> {
    let setup = Setup::new(problem, options, start, observe)?;
    let (mut outcome, keeper) = count_once(&setup, start, observe)?;
    if options.verify != Verify::Full {
        return Ok(outcome);
    }
    let setup = setup.again()?;
    let (name, blocks) = (setup.method.name(), setup.method.blocks());
    observe(Event::Detail(format!("verify: a second run by {name}, {blocks} blocks")));
    let mut observe = |event| match event {
        Event::Phase(_) => observe(Event::Phase(Phase::Again)),
        event => observe(event),
    };
    let (again, second_keeper) = count_once(&setup, Instant::now(), &mut observe)?;
    second::compare(&mut outcome, again).inspect_err(|_| {
        keeper.suspect(&mut observe);
        second_keeper.suspect(&mut observe);
    })?;
    outcome.elapsed = start.elapsed();
    Ok(outcome)
}

/// One session of a run, and what keeps it.
fn count_once(
    setup: &Setup,
    start: Instant,
    observe: &mut dyn FnMut(Event),
) -> Result<(Outcome, Keeper), Error> {
    let (method, pool): (Arc<dyn Method>, _) = (setup.method.clone(), Arc::clone(&setup.pool));
    let kept = Keeper::open(&setup.saves, &setup.problem, &*method, observe)?;
    let mut engines = setup.open(observe)?;
    let session = Session::new(method, pool, &mut engines, kept, setup.rules.clone(), start, observe);
    let (outcome, keeper) = run(session)?;
    Ok((Outcome { tuned: setup.tuned()?, ..outcome }, keeper))
}

/// Counts a problem by a method on given engines, and checks and saves the sum. Engines made by hand, such as one on a
/// device that errs, come in here.
///
/// # Errors
///
/// See [`Error`]; no error leaves a count behind.
pub fn count_with(
    problem: &Problem,
    method: &Arc<dyn Method>,
    pool: &Arc<rayon::ThreadPool>,
    engines: &mut [Box<dyn Engine>],
    options: &Options,
    observe: &mut dyn FnMut(Event),
) -> Result<Outcome, Error> {
    let start = Instant::now();
    let saves = saves(problem, options, method.name())?;
    let kept = Keeper::open(&saves, problem, &**method, observe)?;
    let (method, pool, rules) = (Arc::clone(method), Arc::clone(pool), Rules::new(options, start));
    run(Session::new(method, pool, engines, kept, rules, start, observe)).map(|(outcome, _)| outcome)
}

/// Counts, checks and saves; what kept the run holds its file until it is dropped.
fn run(mut session: Session) -> Result<(Outcome, Keeper), Error> {
    match drive(&mut session).and_then(|()| session.verify()) {
        Ok(verification) => {
            let checkpoints = session.complete().into_iter().collect();
            Ok((Outcome { checkpoints, ..session.outcome(verification) }, session.keeper))
        }
        Err(why) => Err(session.stop(why)),
    }
}
