//! Counts on a GPU through wgpu: gathers units into dispatches, checks every byte that comes back, and splits
//! units that ran out of steps.
//!
//! | room | does |
//! |---|---|
//! | [`device`] | all that talks to wgpu: lists adapters, opens one, compiles kernels, carries dispatches and their bytes |
//! | [`dispatch`] | how large a dispatch may be and should be, what is in it, what its bytes say; `transport` is the seam to a device |
//! | [`trust`] | what a driver is asked, and which test a kernel passes, before anything is counted |
//! | `jobs` | blocks under way, and the units that were split |
//! | [`settings`] | how a device is driven |
//! | `fake` | a device made of the CPU twin, a device that errs (feature `testing`) |
//! | `none` | this module in a build without the GPU engine |

pub mod device;
pub mod dispatch;
#[cfg(feature = "testing")]
pub mod fake;
mod jobs;
pub mod settings;
pub mod trust;

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, Instant},
};

pub use self::{device::adapter::Adapter, settings::Settings};
use self::{
    device::{Device, adapter, contexts, pipeline::Pipeline},
    dispatch::{
        decode::{RECORD_BYTES, decode},
        pace::Pace,
        shape::Shape,
        transport::{Dispatch, Transport},
    },
    jobs::{Jobs, Next, Segment},
    trust::probe,
};
use super::{DeviceInfo, DispatchTimes, Engine, Finished, Memory, Ticket, listing::Backend};
use crate::{
    Error,
    method::{Block, Grain, Method, Unit, sampling::Footprint},
};

/// The adapters of this machine, the best first: see [`adapter::list`].
///
/// # Errors
///
/// As [`adapter::list`].
pub fn adapters(backend: Option<Backend>) -> Result<Vec<Adapter>, Error> {
    adapter::list(backend)
}

/// Opens an adapter for a method: asks the driver what it can be trusted with, compiles the kernel and tests it.
///
/// # Errors
///
/// Whatever stops the adapter from counting this problem right.
pub fn open(
    adapter: &Adapter,
    method: &Arc<dyn Method>,
    settings: Settings,
) -> Result<Box<dyn Engine>, Error> {
    settings.check()?;
    let device = Device::open(adapter, settings.runtime_checks, settings.timed)?;
    let limits = device.limits();
    let probe_shape = Shape::fitting(&limits, &probe::kernel(), settings.workgroup)?;
    let mut probe = Pipeline::new(&device, vec![(probe::kernel(), probe_shape)])?;
    let budget = probe::budget(&mut probe, probe_shape, settings.budget, settings.timeout)?;
    let kernels = method.kernels();
    if kernels.is_empty() {
        return Err(Error::usage(
            format!("the method {} has no kernel for a GPU", method.name()),
            "use `device` cpu, or `method` search",
        ));
    }
    let shapes = kernels.iter().map(|kernel| Shape::fitting(&limits, kernel, settings.workgroup));
    let shapes = shapes.collect::<Result<Vec<_>, _>>()?;
    let pipeline = Pipeline::new(&device, kernels.into_iter().zip(shapes.iter().copied()).collect())?;
    let pipeline = pipeline.with_slots(settings.in_flight);
    let mut engine = GpuEngine::new(pipeline, Arc::clone(method), shapes, Settings { budget, ..settings })?;
    if settings.prove_all {
        engine.prove_all()?;
    }
    Ok(Box::new(engine))
}

/// The longest time between two looks at the device, and that a wait may take too long, in a process that runs.
const POLL_GAP: Duration = Duration::from_secs(1);

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
    jobs: Jobs,
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
        let lane = |shape| Lane { shape, pace: pace_of(settings.target, shape), proven: false };
        let mut engine = Self {
            transport,
            method,
            lanes: shapes.into_iter().map(lane).collect(),
            latest: 0,
            settings,
            jobs: Jobs::default(),
            queue: VecDeque::new(),
            queued_units: 0,
            in_flight: VecDeque::new(),
            finished: VecDeque::new(),
            // a record left over from another run, of this program or of an earlier one, has another tag
            next_run: rand::random(),
            dispatches: DispatchTimes::new(),
            last_reply: Instant::now(),
            last_poll: Instant::now(),
        };
        engine.prove(engine.method.main_kernel())?;
        Ok(engine)
    }

    /// Queues a block, unless it has no units.
    fn enqueue(&mut self, block: Arc<Block>) -> Ticket {
        let (ticket, segment) = self.jobs.submit(block);
        if segment.units.is_empty() {
            self.finished.push_back(Finished { ticket, tallies: Vec::new() });
        } else {
            self.queued_units += segment.units.len();
            self.queue.push_back(segment);
        }
        ticket
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
            let block = self.jobs.block(segment.job)?;
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
                match self.jobs.record(&*self.method, job, unit, &record)? {
                    Next::Wait => {}
                    Next::Finished(finished) => self.finished.push_back(finished),
                    // parts go first, so that their block is soon done
                    Next::Split(segment) => {
                        self.queued_units += segment.units.len();
                        self.queue.push_front(segment);
                    }
                }
            }
        }
        Ok(())
    }

    /// The error of a dispatch that is overdue; the device is given up.
    fn hung(&mut self) -> Error {
        self.transport.abandon();
        let waited = self.in_flight.front().map_or(Duration::ZERO, |flight| flight.submitted.elapsed());
        Error::DeviceHung { device: self.transport.device().name, waited }
    }
}

/// The pace of a kernel.
fn pace_of(target: Duration, shape: Shape) -> Pace {
    let least = match shape.grain {
        Grain::Invocation => shape.workgroup,
        Grain::Workgroup => 1,
    };
    Pace::new(target, least, shape.most_units)
}

fn same_context(left: &[Arc<[u32]>], right: &[Arc<[u32]>]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| Arc::ptr_eq(left, right))
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
        if !block.units.is_empty() {
            self.prove(block.kernel)?;
        }
        Ok(self.enqueue(block))
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
