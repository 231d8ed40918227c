//! What is decided of a run before it begins: options become devices, a method, a file.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    event::Event,
    options::{Options, Place},
    progress::Phase,
    save::keeper::Saves,
    session::Rules,
};
use crate::{
    Error, Problem,
    checkpoint::{Disk, Store, default_path, link, second},
    engine::{
        DeviceInfo, DeviceKind, Engine,
        cpu::{self, CpuEngine},
        gpu::{self, Settings},
        retrying::Retrying,
        select::{Member, pick},
        tuning::{self, Tuned, Tuning},
    },
    method::{
        Method, MethodName,
        choice::{make, make_other},
        sampling::Sampling,
        search::{Cutting, unit_visits},
    },
};

/// The board from which on a GPU is worth the time it takes to open it: a CPU counts smaller ones within a second.
const WORTH_A_GPU: u32 = 16;

/// A run, before it begins.
pub struct Setup {
    /// What is counted.
    pub problem: Problem,
    /// How it is counted.
    pub method: Arc<dyn Sampling>,
    /// The threads of the CPU.
    pub pool: Arc<rayon::ThreadPool>,
    /// Where and how often it is saved.
    pub saves: Saves,
    /// How it is checked, and when it ends.
    pub rules: Rules,
    /// What counts.
    members: Vec<Member>,
    /// All tunings that were measured before.
    tuned: Vec<Tuned>,
    cutting: Cutting,
    /// The time that a dispatch should take, and whether dispatches are timed by the device.
    target: Duration,
    timed: bool,
}

impl Setup {
    /// Chooses the devices, the method and the file of a run that began at `start`.
    ///
    /// # Errors
    ///
    /// Those of options that do not go together or with the problem, and of devices that are not there.
    pub fn new(
        problem: &Problem,
        options: &Options,
        start: Instant,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Self, Error> {
        let worth_a_gpu = problem.place() >= WORTH_A_GPU;
        let pick = pick(&options.device, options.backend, options.threads, worth_a_gpu)?;
        pick.notices.into_iter().for_each(|notice| observe(Event::Warning(notice)));
        let pool = cpu::pool(options.threads)?;
        let devices: Vec<DeviceInfo> = pick.members.iter().map(|member| member.device(&pool)).collect();
        for device in &devices {
            tuning::warning(&options.tuned, device)?.into_iter().for_each(|why| observe(Event::Warning(why)));
        }
        let cutting = cutting(&devices, options)?;
        // a software adapter takes longer for the join's kernel than for that of search, up to boards it never ends
        let slow_join = devices.iter().all(DeviceInfo::is_software);
        let fastest = if slow_join { MethodName::Search } else { MethodName::Join };
        let name = method_name(problem, options, fastest, observe);
        let method = make(name, problem, cutting)?;
        observe(Event::Detail(method.describe()));
        Ok(Self {
            problem: problem.clone(),
            method,
            saves: saves(problem, options, name)?,
            rules: Rules::new(options, start),
            members: pick.members,
            pool,
            tuned: options.tuned.clone(),
            cutting,
            target: options.workload.target(),
            timed: options.gpu_time,
        })
    }

    /// The same count in another way, saved beside the first.
    ///
    /// # Errors
    ///
    /// Those of making the method.
    pub fn again(&self) -> Result<Self, Error> {
        let method = make_other(self.method.name(), &self.problem, self.cutting)?;
        Ok(Self {
            problem: self.problem.clone(),
            method,
            pool: Arc::clone(&self.pool),
            saves: Saves { file: self.saves.file.as_deref().map(second), ..self.saves.clone() },
            rules: self.rules.clone(),
            members: self.members.clone(),
            tuned: self.tuned.clone(),
            ..*self
        })
    }

    /// The tunings of the devices for the method, where there are any.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for choices that are not allowed.
    pub fn tuned(&self) -> Result<Vec<Tuned>, Error> {
        self.members.iter().filter_map(|member| self.tuned_on(member).transpose()).collect()
    }

    fn tuned_on(&self, member: &Member) -> Result<Option<Tuned>, Error> {
        tuning::find(&self.tuned, &member.device(&self.pool), self.method.name())
    }

    /// Opens an engine for each device, as it is tuned.
    ///
    /// # Errors
    ///
    /// Whatever stops a device from being opened.
    pub fn open(&self, observe: &mut dyn FnMut(Event)) -> Result<Vec<Box<dyn Engine>>, Error> {
        let mut engines = Vec::new();
        for member in &self.members {
            let tuned = self.tuned_on(member)?;
            if let Some(Tuned { tuning, device, file, measured, .. }) = &tuned {
                observe(Event::Detail(format!("tuned: {tuning} for {device} ({file}, {measured})")));
            }
            let tuning = tuned.map(|tuned| tuned.tuning).unwrap_or_default();
            engines.push(self.open_one(member, tuning, observe)?);
            self.rules.cancel.check()?;
        }
        Ok(engines)
    }

    fn open_one(
        &self,
        member: &Member,
        tuning: Tuning,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Box<dyn Engine>, Error> {
        let method: Arc<dyn Method> = self.method.clone();
        let Member::Gpu(adapter) = member else {
            observe(Event::Detail(format!("cpu: {} threads", self.pool.current_num_threads())));
            let engine = CpuEngine::new(method, Arc::clone(&self.pool));
            let blocks = tuning.blocks_per_thread.unwrap_or(cpu::BLOCKS_PER_THREAD);
            return Ok(Box::new(engine.with_blocks_per_thread(blocks)));
        };
        observe(Event::Phase(Phase::Compiling));
        let suited = Settings::suited(&adapter.listed.info);
        let settings = Settings {
            workgroup: tuning.workgroup.unwrap_or(suited.workgroup),
            in_flight: tuning.in_flight.unwrap_or(suited.in_flight),
            timed: self.timed,
            ..suited
        };
        let (adapter, target) = (adapter.clone(), self.target);
        let engine = Retrying::new(Box::new(move |hung| {
            // a quarter of the time for each dispatch that hung
            let target = target / (1 << (2 * hung.min(4)));
            gpu::open(&adapter, &method, Settings { target, ..settings })
        }))?;
        observe(Event::Detail(engine.describe()));
        Ok(Box::new(engine))
    }
}

/// Units are cut for the first GPU, as a CPU takes small ones better than a GPU large ones.
fn cutting(devices: &[DeviceInfo], options: &Options) -> Result<Cutting, Error> {
    let gpu = devices.iter().find(|device| device.kind != DeviceKind::Cpu);
    let mut visits = unit_visits(gpu.is_some());
    if let Some(device) = gpu.or(devices.first()) {
        let found = tuning::find(&options.tuned, device, MethodName::Search)?;
        visits = found.and_then(|tuned| tuned.tuning.unit_visits).map_or(visits, f64::from);
    }
    Ok(Cutting { depth: options.depth, unit_visits: visits, mirrored: false })
}

/// The method of a run: where it is left open that of an earlier session, else the fastest that answers the problem.
fn method_name(
    problem: &Problem,
    options: &Options,
    fastest: MethodName,
    observe: &mut dyn FnMut(Event),
) -> MethodName {
    if let Some(name) = options.method.name() {
        return name;
    }
    // a depth is of search
    if problem.plain().is_none() || options.depth.is_some() {
        return MethodName::Search;
    }
    let before = name_before(problem, options, fastest).unwrap_or(fastest);
    if before != fastest {
        observe(Event::Notice(format!(
            "the count was begun by {before}, and goes on by it; `method` {fastest} begins another"
        )));
    }
    before
}

/// The method of an earlier session: `fastest` if there are two checkpoints.
fn name_before(problem: &Problem, options: &Options, fastest: MethodName) -> Option<MethodName> {
    let other = if fastest == MethodName::Join { MethodName::Search } else { MethodName::Join };
    let files: Vec<PathBuf> = match &options.saving.place {
        _ if options.saving.restart => Vec::new(),
        Place::Nowhere => Vec::new(),
        Place::File(file) => vec![file.clone()],
        Place::Default => {
            [fastest, other].into_iter().filter_map(|name| default_path(problem, name)).collect()
        }
    };
    let mut found = files.iter().filter_map(|file| Store::new(Disk, link::target(file)).peek());
    found.find(|found| found.problem == *problem).map(|found| found.method)
}

/// Where and how often a run is saved.
///
/// # Errors
///
/// [`Error::Checkpoint`] where it is to be saved and no folder is known.
pub fn saves(problem: &Problem, options: &Options, name: MethodName) -> Result<Saves, Error> {
    let saving = &options.saving;
    let named = matches!(saving.place, Place::File(_));
    let asked = named || options.stop_after.is_some();
    let file = match &saving.place {
        Place::Nowhere => None,
        Place::File(file) => Some(file.clone()),
        Place::Default => default_path(problem, name),
    };
    if file.is_none() && asked && saving.place == Place::Default {
        return Err(Error::checkpoint(
            "no state folder is known on this machine, so the count cannot be saved",
            "give a file by `saving.place`",
        ));
    }
    Ok(Saves {
        file: file.map(|file| link::target(&file)),
        named,
        asked,
        interval: saving.interval.unwrap_or(Saves::INTERVAL),
        restart: saving.restart,
    })
}
