//! Counts on a GPU through wgpu: gathers units into dispatches, checks every byte that comes back, and splits
//! units that ran out of steps.
//!
//! This file is longer than others: what is queued, under way and split is one state, best read in one place.
//!
//! | file | does |
//! |---|---|
//! | [`adapter`] | lists the adapters of this machine, each card once |
//! | [`device`] | opens an adapter, compiles kernels |
//! | [`pipeline`] | carries dispatches of a kernel to a device and its bytes back |
//! | `contexts` | which context buffers stay on the device |
//! | [`settings`] | how a device is driven |
//! | [`transport`] | the seam between this engine and a device |
//! | [`plan`] | how large a dispatch may be |
//! | [`pace`] | how large it should be |
//! | [`probe`] | what is asked of a driver before it is trusted |
//! | `prove` | tests each kernel before it is used |
//! | `timer` | the time of dispatches by the device's clock |
//! | `layout` | the words of a dispatch's parameters |
//! | [`simulated`], [`faulty`] | a device made of the CPU twin, a device that errs |

pub mod adapter;
mod contexts;
pub mod device;
pub mod faulty;
mod layout;
pub mod pace;
pub mod pipeline;
pub mod plan;
pub mod probe;
mod prove;
pub mod settings;
pub mod simulated;
mod timer;
pub mod transport;

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher as _, Hasher as _, RandomState},
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

pub use self::settings::Settings;
use self::{
    pace::Pace,
    plan::Shape,
    transport::{Dispatch, Transport},
};
use super::{
    DeviceInfo, DispatchTimes, Engine, Finished, Memory, Ticket,
    decode::{RECORD_BYTES, decode},
};
use crate::{
    Error,
    method::{Block, Grain, Method, Record, Tally, Unit, sampling::Footprint},
};

/// Opens an adapter for a method: asks the driver what it can be trusted with, compiles the kernel and tests it.
///
/// # Errors
///
/// Whatever stops the adapter from counting this problem right.
pub fn open(
    adapter: &adapter::Adapter,
    method: &Arc<dyn Method>,
    settings: Settings,
) -> Result<GpuEngine<pipeline::Pipeline>, Error> {
    settings.check()?;
    let device = device::Device::open_with(adapter, settings.runtime_checks, settings.timed)?;
    let limits = device.limits();
    let probe_shape = Shape::fitting(&limits, &probe::kernel(), settings.workgroup)?;
    let mut probe = device.pipeline(&probe::kernel(), probe_shape)?;
    let budget = probe::budget(&mut probe, probe_shape, settings.budget, settings.timeout)?;
    let kernels = method.kernels();
    if kernels.is_empty() {
        return Err(Error::usage(
            format!("the method {} has no kernel for a GPU", method.name()),
            "use --device cpu, or --method search",
        ));
    }
    let shapes = kernels.iter().map(|kernel| Shape::fitting(&limits, kernel, settings.workgroup));
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    let pipeline = device.pipelines(kernels.into_iter().zip(shapes.iter().copied()).collect())?;
    let pipeline = pipeline.with_slots(settings.in_flight);
    GpuEngine::new(pipeline, Arc::clone(method), shapes, Settings { budget, ..settings })
}

/// The longest time between two looks at the device, and that a wait may take too long, in a process that runs.
const POLL_GAP: Duration = Duration::from_secs(1);

/// A block under way, or the parts of a unit that was split.
struct Job {
    block: Arc<Block>,
    tallies: Vec<Tally>,
    left: usize,
    /// The unit whose tally this job makes up; none for a block that was submitted.
    parent: Option<(u64, usize)>,
}

/// A run of units of one job.
struct Segment {
    job: u64,
    units: Range<usize>,
}

/// A dispatch under way.
struct InFlight {
    kernel: usize,
    run: u32,
    units: u32,
    segments: Vec<Segment>,
    submitted: Instant,
    /// Its time began anew, as the process had been stopped.
    excused: bool,
    /// The host had other things to do than to look when it would end.
    unwatched: bool,
}

/// Units of one dispatch: of one kernel and one context.
#[derive(Default)]
struct Batch {
    kernel: usize,
    context: Vec<Arc<[u32]>>,
    segments: Vec<Segment>,
    units: Vec<Unit>,
}

/// How a kernel is dispatched.
struct Lane {
    shape: Shape,
    pace: Pace,
    /// It passed its self-test.
    proven: bool,
}

/// Counts units by the kernels of a method.
pub struct GpuEngine<T> {
    transport: T,
    method: Arc<dyn Method>,
    /// One for each kernel.
    lanes: Vec<Lane>,
    /// The kernel of the latest dispatch.
    latest: usize,
    settings: Settings,
    jobs: HashMap<u64, Job>,
    next_job: u64,
    queue: VecDeque<Segment>,
    queued_units: usize,
    in_flight: VecDeque<InFlight>,
    finished: VecDeque<Finished>,
    next_run: u32,
    dispatches: DispatchTimes,
    last_reply: Instant,
    last_poll: Instant,
}

impl<T: Transport> GpuEngine<T> {
    /// Takes a device that runs [`Method::kernels`] with workgroups as `shapes` says, one for each, and tests
    /// [`Method::main_kernel`] on units with known results.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a budget out of range; otherwise whatever the self-test finds.
    pub fn new(
        transport: T,
        method: Arc<dyn Method>,
        shapes: Vec<Shape>,
        settings: Settings,
    ) -> Result<Self, Error> {
        settings.check()?;
        let lane = |shape| Lane { shape, pace: pace(settings.target, shape), proven: false };
        let mut engine = Self {
            transport,
            method,
            lanes: shapes.into_iter().map(lane).collect(),
            latest: 0,
            settings,
            jobs: HashMap::new(),
            next_job: 0,
            queue: VecDeque::new(),
            queued_units: 0,
            in_flight: VecDeque::new(),
            finished: VecDeque::new(),
            // a record left over from another run, of this program or of an earlier one, has another tag
            next_run: RandomState::new().build_hasher().finish() as u32,
            dispatches: DispatchTimes::new(),
            last_reply: Instant::now(),
            last_poll: Instant::now(),
        };
        engine.prove(engine.method.main_kernel())?;
        Ok(engine)
    }

    fn add_job(&mut self, block: Arc<Block>, parent: Option<(u64, usize)>) -> u64 {
        let job = self.next_job;
        self.next_job += 1;
        let units = block.units.len();
        self.jobs.insert(job, Job { tallies: vec![Tally::default(); units], left: units, block, parent });
        let segment = Segment { job, units: 0..units };
        self.queued_units += units;
        // parts of a split unit go first, so that their block is soon done
        if parent.is_some() {
            self.queue.push_front(segment)
        } else {
            self.queue.push_back(segment)
        }
        job
    }

    /// Starts dispatches while the device has room for them.
    fn pump(&mut self) -> Result<(), Error> {
        while self.in_flight.len() < self.transport.slots() {
            let Batch { kernel, context, segments, units } = self.gather()?;
            if units.is_empty() {
                return Ok(());
            }
            let count = units.len() as u32;
            let run = self.next_run;
            self.next_run = self.next_run.wrapping_add(1);
            let dispatch = Dispatch {
                kernel,
                run,
                budget: self.settings.budget,
                workgroups: self.lane(kernel)?.shape.workgroups(count),
                context,
                units,
            };
            self.transport.submit(&dispatch)?;
            self.in_flight.push_back(InFlight {
                kernel,
                run,
                units: count,
                segments,
                submitted: Instant::now(),
                excused: false,
                unwatched: false,
            });
        }
        Ok(())
    }

    fn lane(&self, kernel: usize) -> Result<&Lane, Error> {
        self.lanes.get(kernel).ok_or_else(|| Error::Internal(format!("there is no kernel {kernel}")))
    }

    /// Takes units with a common kernel and context off the queue, as many as the pace allows.
    fn gather(&mut self) -> Result<Batch, Error> {
        let mut batch = Batch::default();
        let mut room = None;
        while room != Some(0) {
            let Some(mut segment) = self.queue.pop_front() else { break };
            let Some(job) = self.jobs.get(&segment.job) else { continue };
            let block = &job.block;
            if room.is_none() {
                (batch.kernel, batch.context) = (block.kernel, block.context.clone());
            }
            if block.kernel != batch.kernel || !same_context(&batch.context, &block.context) {
                self.queue.push_front(segment);
                break;
            }
            let left = match room {
                Some(room) => room,
                None => self.lane(block.kernel)?.pace.units() as usize,
            };
            let taken = segment.units.start..segment.units.end.min(segment.units.start + left);
            batch.units.extend_from_slice(&block.units[taken.clone()]);
            room = Some(left - taken.len());
            segment.units.start = taken.end;
            let job = segment.job;
            if !segment.units.is_empty() {
                self.queue.push_front(segment);
            }
            if !taken.is_empty() {
                batch.segments.push(Segment { job, units: taken });
            }
        }
        self.queued_units -= batch.units.len();
        self.latest = batch.kernel;
        Ok(batch)
    }

    /// Takes the bytes of the oldest dispatch.
    fn settle(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let Some(flight) = self.in_flight.pop_front() else {
            return Err(Error::Internal("bytes of a dispatch that was never started".into()));
        };
        let records = decode(bytes, flight.units, flight.run)
            .map_err(|fault| Error::Damaged { device: self.transport.device().name, fault })?;
        let took = self.last_reply.max(flight.submitted).elapsed();
        if let Some(lane) = self.lanes.get_mut(flight.kernel).filter(|_| !flight.unwatched) {
            lane.pace.learn(flight.units, took);
            if lane.proven {
                self.dispatches.add(took);
            }
        }
        self.last_reply = Instant::now();
        let mut records = records.into_iter();
        for Segment { job, units } in flight.segments {
            for (unit, record) in units.zip(records.by_ref()) {
                self.settle_unit(job, unit, &record)?;
            }
        }
        Ok(())
    }

    fn settle_unit(&mut self, id: u64, unit: usize, record: &Record) -> Result<(), Error> {
        if record.state == Record::DONE {
            let tally = Tally { count: record.count(), visits: record.visits(), bucket: record.bucket };
            return self.complete(id, unit, tally);
        }
        let Some(job) = self.jobs.get(&id) else { return Err(forgotten()) };
        let Some(parts) = self.method.split(&job.block, unit) else {
            let record = self.method.count(&job.block, unit, u64::MAX);
            if record.state != Record::DONE {
                return Err(Error::Internal("a unit that cannot be split was not counted to its end".into()));
            }
            return self.settle_unit(id, unit, &record);
        };
        let parts = Arc::new(parts);
        let empty = parts.units.is_empty();
        let tally = Tally { visits: parts.visits, bucket: record.bucket, count: 0 };
        if empty {
            self.complete(id, unit, tally)
        } else {
            self.add_job(parts, Some((id, unit)));
            Ok(())
        }
    }

    /// Notes the tally of a unit; a job that is done with it passes its sum on.
    fn complete(&mut self, mut id: u64, mut unit: usize, mut tally: Tally) -> Result<(), Error> {
        loop {
            let Some(job) = self.jobs.get_mut(&id) else { return Err(forgotten()) };
            job.tallies[unit] = tally;
            job.left -= 1;
            if job.left > 0 {
                return Ok(());
            }
            let Some(Job { block, tallies, parent, .. }) = self.jobs.remove(&id) else {
                return Err(forgotten());
            };
            match parent {
                None => {
                    self.finished.push_back(Finished { ticket: id, tallies });
                    return Ok(());
                }
                Some((parent, parent_unit)) => {
                    tally = sum_of_parts(&block, &tallies)?;
                    (id, unit) = (parent, parent_unit);
                }
            }
        }
    }

    /// The error of a dispatch that is overdue; the device is given up.
    fn hung(&mut self) -> Error {
        self.transport.abandon();
        let waited = self.in_flight.front().map_or(Duration::ZERO, |flight| flight.submitted.elapsed());
        Error::DeviceHung { device: self.transport.device().name, waited }
    }
}

/// The tally of a unit from those of its parts.
fn sum_of_parts(block: &Block, tallies: &[Tally]) -> Result<Tally, Error> {
    let mut sum = Tally { visits: block.visits, ..Tally::default() };
    for (part, &weight) in tallies.iter().zip(&block.weights) {
        let count = part.count.checked_mul(u64::from(weight)).and_then(|count| sum.count.checked_add(count));
        sum.count = count.ok_or_else(|| Error::Internal("the count of a unit passes 64 bits".into()))?;
        sum.visits = sum.visits.saturating_add(part.visits);
        sum.bucket = part.bucket;
    }
    Ok(sum)
}

/// The pace of a kernel.
fn pace(target: Duration, shape: Shape) -> Pace {
    let least = match shape.grain {
        Grain::Invocation => shape.workgroup,
        Grain::Workgroup => 1,
    };
    Pace::new(target, least, shape.most_units)
}

fn same_context(left: &[Arc<[u32]>], right: &[Arc<[u32]>]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| Arc::ptr_eq(left, right))
}

fn forgotten() -> Error {
    Error::Internal("a result for a block that is not under way".into())
}

impl<T: Transport> Engine for GpuEngine<T> {
    fn device(&self) -> DeviceInfo {
        self.transport.device()
    }

    fn gpu_time(&self) -> Option<Result<Duration, &'static str>> {
        Some(if self.settings.timed { self.transport.time() } else { Err("it was not asked for") })
    }

    fn dispatches(&self) -> Option<DispatchTimes> {
        Some(self.dispatches.clone())
    }

    fn hungry(&self) -> bool {
        // one dispatch more than the device has room for
        let units = self.lanes.get(self.latest).map_or(1, |lane| lane.pace.units());
        self.queued_units < units as usize * (self.transport.slots() + 1)
    }

    /// By the pace that the engine has found so far.
    fn describe(&self) -> String {
        let sizes = self.lanes.iter().map(|lane| lane.shape.workgroup);
        let most = self.lanes.iter().map(|lane| lane.shape.most_units).max();
        format!(
            "{}: workgroups of {}, at most {} units a dispatch of about {:?}, {} turns a unit",
            self.transport.device().name,
            sizes.max().unwrap_or_default(),
            most.unwrap_or_default(),
            self.settings.target,
            self.settings.budget
        )
    }

    fn memory(&self, blocks: &Footprint) -> Memory {
        let units = self.lanes.iter().map(|lane| lane.pace.units()).max().unwrap_or(1);
        let room = f64::from(units) * size_of::<Unit>() as f64;
        let slots = self.transport.slots() as f64;
        // what is queued and what is under way, in whole blocks
        let under_way = ((2.0 * slots + 1.0) * room / blocks.units.max(1.0)).ceil() + 1.0;
        let records = f64::from(units) * RECORD_BYTES as f64;
        let contexts = blocks.contexts.min(contexts::KEPT_BYTES as f64 + blocks.context);
        // the words of a context stay on the host as long as on the device
        let beside = (contexts - blocks.shared).max(0.0);
        Memory {
            host: beside + under_way * blocks.block + slots * (room + records),
            // units, records, blank records and those read back
            device: contexts + slots * (room + 3.0 * records),
        }
    }

    fn submit(&mut self, block: Arc<Block>) -> Result<Ticket, Error> {
        let empty = block.units.is_empty();
        if !empty {
            self.prove(block.kernel)?;
        }
        let ticket = self.add_job(block, None);
        if empty {
            self.jobs.remove(&ticket);
            self.finished.push_back(Finished { ticket, tallies: Vec::new() });
        }
        Ok(ticket)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Finished>, Error> {
        let end = Instant::now() + wait;
        loop {
            if let Some(finished) = self.finished.pop_front() {
                return Ok(Some(finished));
            }
            self.pump()?;
            let Some(oldest) = self.in_flight.front() else { return Ok(None) };
            let overdue = oldest.submitted.max(self.last_reply) + self.settings.timeout;
            let now = Instant::now();
            let wait = end.min(overdue).saturating_duration_since(now);
            let reply = self.transport.poll(wait)?;
            // a process that was stopped, or a machine that slept, has not waited for the device
            let asleep = now.duration_since(self.last_poll).saturating_sub(POLL_GAP)
                + now.elapsed().saturating_sub(wait + POLL_GAP);
            self.last_poll = Instant::now();
            if !asleep.is_zero()
                && reply.is_none()
                && let Some(oldest) = self.in_flight.front_mut().filter(|oldest| !oldest.excused)
            {
                // once a dispatch: a driver that always waits too long is as bad as one that hangs
                oldest.excused = true;
                self.last_reply = self.last_poll;
                continue;
            }
            match reply {
                Some(bytes) => self.settle(&bytes)?,
                None if Instant::now() >= overdue => return Err(self.hung()),
                None if Instant::now() >= end => return Ok(None),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
