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
pub mod team;

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

pub use self::{
    check::verdict::{Sampled, Verification},
    event::Event,
    options::{MethodChoice, Options, Place, Saving, Verify, Workload},
    outcome::{DeviceShare, Outcome},
    progress::{Phase, Progress, Throttled},
};
use self::{
    check::{
        disputes::Disputes,
        recount::{RAISED, Sample},
        second,
        verdict::verify,
    },
    drive::drive,
    save::keeper::{self, Keeper},
    session::Driven,
    team::{Team, open, team, tuned},
};
use crate::{
    Error, Problem,
    engine::{DeviceInfo, DispatchTimes, Engine, cpu},
    method::{Method, classes::Classes, symmetric},
};

/// Counts the solutions of a problem.
///
/// # Errors
///
/// See [`Error`]; no error leaves a count behind.
pub fn count(problem: &Problem, options: &Options, observe: &mut dyn FnMut(Event)) -> Result<Outcome, Error> {
    let start = Instant::now();
    let classes = if options.classes { Some(problem.require_plain("--classes")?) } else { None };
    let mut outcome = count_all(problem, options, observe, start)?;
    if let Some(size) = classes {
        observe(Event::Phase(Phase::Symmetric));
        let symmetric = cpu::pool(options.threads)?.install(|| symmetric::count(size));
        outcome.classes = Some(Classes::new(size, outcome.count, symmetric)?);
        outcome.elapsed_total += start.elapsed() - outcome.elapsed;
        outcome.elapsed = start.elapsed();
    }
    Ok(outcome)
}

/// Counts all solutions, whatever their class.
fn count_all(
    problem: &Problem,
    options: &Options,
    observe: &mut dyn FnMut(Event),
    start: Instant,
) -> Result<Outcome, Error> {
    options.cancel.check()?;
    match options.method {
        MethodChoice::Auto | MethodChoice::Search | MethodChoice::Join => {}
        rung => return plain::climb(problem, rung, options, observe, start),
    }
    let Team { method, pool, members, unit_visits } = team(problem, options, observe)?;
    let method: Arc<dyn Method> = method;
    let tuned = tuned(&members, &pool, options, method.name())?;
    let mut keeper = Keeper::open(problem, &*method, options, start, false, observe)?;
    let mut engines = open(&members, &tuned, &method, &pool, options, observe)?;
    let mut outcome = count_kept(&method, &pool, &mut engines, options, &mut keeper, observe)?;
    drop(engines);
    outcome.tuned = tuned.into_iter().filter_map(|found| found.kept).collect();
    if options.verify == Verify::Full {
        let other = second::plan(problem, &*method, options.depth, unit_visits)?;
        observe(Event::Detail(format!(
            "verify: a second run by {}, {} blocks",
            other.name(),
            other.blocks()
        )));
        let mut again = Keeper::open(problem, &*other, options, start, true, observe)?;
        let tuned = self::tuned(&members, &pool, options, other.name())?;
        let mut engines = open(&members, &tuned, &other, &pool, options, observe)?;
        let mut observe = |event| match event {
            Event::Phase(_) => observe(Event::Phase(Phase::Again)),
            event => observe(event),
        };
        let second = count_kept(&other, &pool, &mut engines, options, &mut again, &mut observe)?;
        second::compare(&mut outcome, &second).inspect_err(|_| {
            keeper.suspect(&mut observe);
            again.suspect(&mut observe);
        })?;
        outcome.elapsed_total += second.elapsed_total;
        outcome.faults = outcome.faults.and(second.faults);
        outcome.elapsed = start.elapsed();
        outcome.checkpoints.extend(second.checkpoints);
    }
    Ok(outcome)
}

/// Counts a problem by a method on given engines, and checks the sum. Engines made by hand, such as one on a
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
    start: Instant,
) -> Result<Outcome, Error> {
    let mut keeper = Keeper::nothing(problem, &**method, options, start);
    count_kept(method, pool, engines, options, &mut keeper, &mut |_| {})
}

/// As [`count_with`], from where an earlier session ended, and saved on the way.
fn count_kept(
    method: &Arc<dyn Method>,
    pool: &Arc<rayon::ThreadPool>,
    engines: &mut [Box<dyn Engine>],
    options: &Options,
    keeper: &mut Keeper,
    observe: &mut dyn FnMut(Event),
) -> Result<Outcome, Error> {
    let setup = keeper.start().elapsed();
    let wanted = options.verify.sample();
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let mut sample =
        (wanted > 0).then(|| Sample::new(Arc::clone(method), Arc::clone(pool), wanted, method.units(), seed));
    if let Some(sample) = sample.as_mut().filter(|_| keeper.earlier().faults.disagreed > 0) {
        sample.raise();
        observe(Event::Warning(format!(
            "results came out wrong in an earlier session: up to {RAISED} times as many units are recounted as else"
        )));
    }
    let mut driven = Driven {
        ledger: keeper.ledger(),
        visits: vec![0; engines.len()],
        throttled: Vec::new(),
        disputes: Disputes::new(options.strict),
    };
    let counted =
        drive(method, pool, engines, sample.as_mut(), &mut driven, keeper, observe).and_then(|()| {
            let earlier = keeper.earlier();
            let sampled = sample.as_ref().map(|sample| Sampled {
                recounted: earlier.sampled.0 + sample.drawn,
                of: earlier.sampled.1 + sample.offered,
                too_large: sample.too_large,
                disagreed: keeper::faults(earlier, engines, &driven).disagreed,
            });
            verify(&earlier.problem, driven.ledger.count, options.verify, sampled)
        });
    let verification = match counted {
        Ok(verification) => verification,
        Err(error) => {
            return Err(keeper.stop(error, &driven, engines, sample.as_ref(), observe));
        }
    };
    let faults = keeper::faults(keeper.earlier(), engines, &driven);
    let checkpoints = keeper.complete(&driven, engines, sample.as_ref(), observe).into_iter().collect();
    let earlier = keeper.earlier();
    let devices = keeper::devices(earlier, engines, &driven.visits);
    let total = driven.ledger.visits.max(1) as f64;
    let share = |visits: u128| if devices.len() == 1 { 1.0 } else { visits as f64 / total };
    let devices = devices.iter().map(|(device, visits)| DeviceShare {
        device: device.clone(),
        share: share(*visits),
        dispatches: dispatches(engines, device),
    });
    let elapsed = keeper.start().elapsed();
    Ok(Outcome {
        problem: earlier.problem.clone(),
        count: driven.ledger.count,
        by_even_even: method.by_even_even(&driven.ledger.buckets),
        visits: Some(driven.ledger.visits),
        method: method.name(),
        devices: devices.collect(),
        classes: None,
        verification,
        blocks: driven.ledger.blocks,
        tuned: Vec::new(),
        throttled: driven.throttled,
        sessions: earlier.sessions,
        faults,
        checkpoints,
        elapsed_total: earlier.elapsed + elapsed,
        elapsed,
        setup,
        gpu: gpu_time(engines, elapsed),
    })
}

/// The times of the dispatches of a device, which several engines may have.
fn dispatches(engines: &[Box<dyn Engine>], device: &DeviceInfo) -> Option<DispatchTimes> {
    let engines = engines.iter().filter(|engine| engine.device() == *device);
    engines.filter_map(|engine| engine.dispatches()).reduce(|times, more| times.and(&more))
}

/// The time of the kernels, if it can be true: none of the GPUs can have worked longer than the run took.
fn gpu_time(engines: &[Box<dyn Engine>], elapsed: Duration) -> Result<Duration, &'static str> {
    let mut sum = Err("no GPU took part");
    for time in engines.iter().filter_map(|engine| engine.gpu_time()) {
        let time = time?;
        if time.is_zero() {
            return Err("the device's clock stood still");
        }
        if time > elapsed {
            return Err("the device's clock says more than the whole run took");
        }
        sum = Ok(sum.unwrap_or_default() + time);
    }
    sum
}
