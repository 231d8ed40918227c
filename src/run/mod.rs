//! One run: chooses method and devices, drives them, checks the sum.

mod climb;
mod disputes;
mod drive;
mod estimate;
mod feed;
mod keep;
mod options;
mod outcome;
mod pick;
mod progress;
mod sample;
mod saver;
mod second;
mod selftest;
mod verification;

use std::{
    sync::Arc,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

#[cfg(feature = "cli")]
pub(crate) use self::pick::backend_of_cpu;
#[cfg(all(feature = "cli", not(feature = "gpu")))]
pub(crate) use self::pick::no_gpu_engine;
use self::{
    climb::climb,
    disputes::Disputes,
    drive::{Driven, drive},
    keep::Keeper,
    pick::{Member, pick},
    sample::{RAISED, Sample},
    verification::verify,
};
pub use self::{
    estimate::{Estimate, Figure, estimate},
    options::{CancelToken, Event, MethodChoice, Options, Place, Saving, Verify, Workload},
    outcome::Outcome,
    progress::{Phase, Progress, Throttled},
    selftest::{SelfTestReport, selftest},
    verification::{Sampled, Verification},
};
#[cfg(feature = "gpu")]
use crate::engine::{
    gpu::{self, Settings, adapter},
    retrying::Retrying,
};
use crate::{
    Classes, Error, Problem,
    engine::{
        Engine,
        cpu::{self, CpuEngine},
        listing::{Backend, Listed},
    },
    method::{Method, join::Join, sampling::Sampling, search::Search, symmetric},
    tuning::{Found, Kept},
};

/// The board from which on a GPU is worth the time it takes to open it: a CPU counts smaller ones within a second.
const WORTH_A_GPU: u32 = 16;

/// Expected visits of a unit: on a GPU short enough that lanes end together, on a CPU long enough that the
/// work about a unit does not show.
const GPU_UNIT_VISITS: f64 = 8192.0;
const CPU_UNIT_VISITS: f64 = 32_768.0;

/// The most units that a block may be expected to hold (64 MiB of words), with several blocks under way.
const MOST_UNITS: f64 = (1u64 << 21) as f64;

/// Lists what can count: the CPU first, then the adapters, the best first.
///
/// # Errors
///
/// [`Error::Usage`] where the variable `WGPU_BACKEND` names no backend.
pub fn devices(backend: Option<Backend>, threads: Option<usize>) -> Result<Vec<Listed>, Error> {
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    #[cfg(feature = "gpu")]
    let adapters = adapter::list(backend)?.into_iter().map(|adapter| adapter.listed);
    #[cfg(not(feature = "gpu"))]
    let (adapters, _) = (std::iter::empty(), backend);
    Ok(std::iter::once(cpu::listed(threads)).chain(adapters).collect())
}

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
        rung => return climb(problem, rung, options, observe, start),
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
        let other = second::plan(problem, &*method, unit_visits)?;
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

/// A method, and what is to count by it.
struct Team {
    method: Arc<dyn Sampling>,
    pool: Arc<rayon::ThreadPool>,
    members: Vec<Member>,
    /// Expected visits of a unit of search.
    unit_visits: f64,
}

/// Chooses the devices of a run, and makes its method.
fn team(problem: &Problem, options: &Options, observe: &mut dyn FnMut(Event)) -> Result<Team, Error> {
    let pick = pick(options, problem.place() >= WORTH_A_GPU)?;
    for notice in pick.notices {
        observe(Event::Warning(notice));
    }
    let pool = cpu::pool(options.threads)?;
    for member in &pick.members {
        if let Some(why) = options.tuning.outdated(&member.device(&pool))? {
            observe(Event::Warning(why));
        }
    }
    // blocks are cut for the first GPU, as a CPU takes small units better than a GPU large ones
    let gpu = pick.members.iter().position(|member| !matches!(member, Member::Cpu));
    let search = tuned(&pick.members, &pool, options, "search")?;
    let of_first = search.get(gpu.unwrap_or(0)).and_then(|found| found.tuning.unit_visits);
    let unit_visits = of_first.map_or_else(|| unit_visits(gpu.is_some()), f64::from);
    // a software adapter takes longer for the join's kernel than for that of search, up to boards it never ends
    let slow_join = pick.members.iter().all(|member| member.device(&pool).software);
    let method = plan(problem, options, unit_visits, slow_join, observe)?;
    Ok(Team { method, pool, members: pick.members, unit_visits })
}

/// How a method is tuned on each of some devices.
fn tuned(
    members: &[Member],
    pool: &rayon::ThreadPool,
    options: &Options,
    method: &str,
) -> Result<Vec<Found>, Error> {
    members.iter().map(|member| options.tuning.of(&member.device(pool), method)).collect()
}

/// Opens the engines of a run, one for each member and what is tuned for it.
fn open(
    members: &[Member],
    tuned: &[Found],
    method: &Arc<dyn Method>,
    pool: &Arc<rayon::ThreadPool>,
    options: &Options,
    observe: &mut dyn FnMut(Event),
) -> Result<Vec<Box<dyn Engine>>, Error> {
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    for (member, Found { tuning, kept }) in members.iter().zip(tuned) {
        if let Some(Kept { place, date, key, .. }) = kept {
            observe(Event::Detail(format!("tuned: {tuning} for {} ({place}, {date})", key.name)));
        }
        match member {
            Member::Cpu => {
                observe(Event::Detail(format!("cpu: {} threads", pool.current_num_threads())));
                let engine = CpuEngine::new(Arc::clone(method), Arc::clone(pool));
                let blocks = tuning.blocks_per_thread.unwrap_or(cpu::BLOCKS_PER_THREAD);
                engines.push(Box::new(engine.with_blocks_per_thread(blocks)));
            }
            #[cfg(feature = "gpu")]
            Member::Gpu(adapter) => {
                observe(Event::Phase(Phase::Compiling));
                let (adapter, of, target) = (adapter.clone(), Arc::clone(method), options.workload.target());
                let untuned = Settings { timed: options.gpu_time, ..Settings::default() };
                let settings = Settings {
                    workgroup: tuning.workgroup.unwrap_or(untuned.workgroup),
                    in_flight: tuning.in_flight.unwrap_or(untuned.in_flight),
                    ..untuned
                };
                let engine = Retrying::new(Box::new(move |hung| {
                    // a quarter of the time for each dispatch that hung
                    let target = target / (1 << (2 * hung.min(4)));
                    Ok(Box::new(gpu::open(&adapter, &of, Settings { target, ..settings })?))
                }))?;
                observe(Event::Detail(engine.describe()));
                engines.push(Box::new(engine));
            }
        }
        options.cancel.check()?;
    }
    Ok(engines)
}

/// Expected visits of a unit of search where nothing is tuned.
pub(crate) const fn unit_visits(on_gpu: bool) -> f64 {
    if on_gpu { GPU_UNIT_VISITS } else { CPU_UNIT_VISITS }
}

/// Makes the method of a run: that of an earlier session where it is left open.
fn plan(
    problem: &Problem,
    options: &Options,
    unit_visits: f64,
    slow_join: bool,
    observe: &mut dyn FnMut(Event),
) -> Result<Arc<dyn Sampling>, Error> {
    let join = match options.method {
        MethodChoice::Join => true,
        // a depth is of search
        MethodChoice::Auto if problem.plain().is_none() || options.depth.is_some() => false,
        MethodChoice::Auto => {
            let fastest = if slow_join { "search" } else { "join" };
            match keep::method_before(problem, options, fastest) {
                Some(before) if before != fastest => {
                    observe(Event::Notice(format!(
                        "the count was begun by {before}, and goes on by it; --method {fastest} begins another"
                    )));
                    before == "join"
                }
                _ => !slow_join,
            }
        }
        _ => false,
    };
    if join {
        if let Some(depth) = options.depth {
            return Err(Error::usage(
                format!("--depth {depth} does not go with --method join"),
                "the join has no prefixes to expand: leave --depth away, or use --method search",
            ));
        }
        let join = Join::new(problem)?;
        observe(Event::Detail(format!("join: {} blocks", join.blocks())));
        return Ok(Arc::new(join));
    }
    let search = Search::new(problem, options.depth, unit_visits)?;
    fits_in_memory(&search)?;
    observe(Event::Detail(format!(
        "search: depth {}, {} blocks, {:.2e} visits expected",
        search.depth(),
        search.blocks(),
        search.profile().visits()
    )));
    Ok(Arc::new(search))
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
                disagreed: keep::faults(earlier, engines, &driven).disagreed,
            });
            verify(&earlier.problem, driven.ledger.count, options.verify, sampled)
        });
    let verification = match counted {
        Ok(verification) => verification,
        Err(error) => {
            return Err(keeper.stop(error, &driven, engines, sample.as_ref(), observe));
        }
    };
    let faults = keep::faults(keeper.earlier(), engines, &driven);
    let checkpoints = keeper.complete(&driven, engines, sample.as_ref(), observe).into_iter().collect();
    let earlier = keeper.earlier();
    let devices = keep::devices(earlier, engines, &driven.visits);
    let total = driven.ledger.visits.max(1) as f64;
    let share = |visits: u128| if devices.len() == 1 { 1.0 } else { visits as f64 / total };
    let elapsed = keeper.start().elapsed();
    Ok(Outcome {
        problem: earlier.problem.clone(),
        count: driven.ledger.count,
        by_even_even: method.by_even_even(&driven.ledger.buckets),
        visits: Some(driven.ledger.visits),
        method: method.name(),
        devices: devices.iter().map(|(device, visits)| (device.clone(), share(*visits))).collect(),
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

/// Refuses a depth whose blocks would not fit in memory.
fn fits_in_memory(search: &Search) -> Result<(), Error> {
    let deepest = search.profile().depth_below(search.blocks() as f64 * MOST_UNITS);
    if search.depth() <= deepest {
        return Ok(());
    }
    Err(Error::usage(
        format!("depth {} makes more prefixes than fit in memory", search.depth()),
        format!("--depth goes up to {deepest} for this N; left away, it is chosen"),
    ))
}
