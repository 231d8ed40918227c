//! What takes part in a run: devices, the method cut for them, engines as they are tuned.

use std::sync::Arc;

use super::{
    event::Event,
    options::{MethodChoice, Options},
    progress::Phase,
    save::keeper,
};
use crate::{
    Error, Problem,
    engine::{
        Engine,
        cpu::{self, CpuEngine},
        gpu::{self, Settings},
        retrying::Retrying,
        select::{Member, pick},
    },
    method::{
        Method,
        join::Join,
        sampling::Sampling,
        search::{Search, unit_visits},
    },
    tuning::{Found, Kept},
};

/// The board from which on a GPU is worth the time it takes to open it: a CPU counts smaller ones within a second.
const WORTH_A_GPU: u32 = 16;

/// The most units that a block may be expected to hold (64 MiB of words), with several blocks under way.
const MOST_UNITS: f64 = (1u64 << 21) as f64;

/// A method, and what is to count by it.
pub struct Team {
    pub method: Arc<dyn Sampling>,
    pub pool: Arc<rayon::ThreadPool>,
    pub members: Vec<Member>,
    /// Expected visits of a unit of search.
    pub unit_visits: f64,
}

/// Chooses the devices of a run, and makes its method.
pub fn team(problem: &Problem, options: &Options, observe: &mut dyn FnMut(Event)) -> Result<Team, Error> {
    let pick = pick(&options.device, options.backend, options.threads, problem.place() >= WORTH_A_GPU)?;
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
pub fn tuned(
    members: &[Member],
    pool: &rayon::ThreadPool,
    options: &Options,
    method: &str,
) -> Result<Vec<Found>, Error> {
    members.iter().map(|member| options.tuning.of(&member.device(pool), method)).collect()
}

/// Opens the engines of a run, one for each member and what is tuned for it.
pub fn open(
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
            Member::Gpu(adapter) => {
                observe(Event::Phase(Phase::Compiling));
                let (adapter, of, target) = (adapter.clone(), Arc::clone(method), options.workload.target());
                let untuned = Settings { timed: options.gpu_time, ..Settings::suited(&adapter.listed.info) };
                let settings = Settings {
                    workgroup: tuning.workgroup.unwrap_or(untuned.workgroup),
                    in_flight: tuning.in_flight.unwrap_or(untuned.in_flight),
                    ..untuned
                };
                let engine = Retrying::new(Box::new(move |hung| {
                    // a quarter of the time for each dispatch that hung
                    let target = target / (1 << (2 * hung.min(4)));
                    gpu::open(&adapter, &of, Settings { target, ..settings })
                }))?;
                observe(Event::Detail(engine.describe()));
                engines.push(Box::new(engine));
            }
        }
        options.cancel.check()?;
    }
    Ok(engines)
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
            match keeper::method_before(problem, options, fastest) {
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
