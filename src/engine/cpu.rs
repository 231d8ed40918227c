//! Counts on the CPU: the twin of each kernel, on all cores.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    time::Duration,
};

use rayon::prelude::*;

use super::{DeviceInfo, DeviceKind, Engine, Finished, Memory, Ticket, listing::Listed};
use crate::{
    Error,
    method::{Block, Method, Record, Tally, sampling::Footprint},
};

/// Blocks under way for each thread: enough that none waits for the next.
pub const BLOCKS_PER_THREAD: u32 = 2;

/// The most threads of a pool.
pub const MOST_THREADS: u32 = 4096;

/// A pool of threads that count units by [`Method::count`].
pub struct CpuEngine {
    method: Arc<dyn Method>,
    pool: Arc<rayon::ThreadPool>,
    blocks_per_thread: u32,
    next: Ticket,
    under_way: usize,
    sender: Sender<Result<Finished, Error>>,
    receiver: Receiver<Result<Finished, Error>>,
}

impl CpuEngine {
    /// Counts on the threads of a pool.
    #[must_use]
    pub fn new(method: Arc<dyn Method>, pool: Arc<rayon::ThreadPool>) -> Self {
        let (sender, receiver) = channel();
        let blocks_per_thread = BLOCKS_PER_THREAD;
        Self { method, pool, blocks_per_thread, next: 0, under_way: 0, sender, receiver }
    }

    /// With another number of blocks under way for each thread, one at least.
    #[must_use]
    pub fn with_blocks_per_thread(mut self, blocks: u32) -> Self {
        self.blocks_per_thread = blocks.max(1);
        self
    }

    fn most_blocks(&self) -> usize {
        self.blocks_per_thread as usize * self.pool.current_num_threads()
    }
}

/// The threads that the machine runs at once.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Starts `threads` threads, or one a core where it is `None`.
///
/// # Errors
///
/// [`Error::Usage`] for 0 threads or more than [`MOST_THREADS`], [`Error::Internal`] where the system gives
/// none.
pub fn pool(threads: Option<usize>) -> Result<Arc<rayon::ThreadPool>, Error> {
    if let Some(threads) = threads.filter(|threads| !(1..=MOST_THREADS as usize).contains(threads)) {
        return Err(Error::usage(
            format!("{threads} threads are out of range"),
            format!("the number of CPU threads is from 1 to {MOST_THREADS}"),
        ));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or_else(cores))
        .build()
        .map(Arc::new)
        .map_err(|error| Error::Internal(format!("no threads to count on: {error}")))
}

impl Engine for CpuEngine {
    fn device(&self) -> DeviceInfo {
        listed(self.pool.current_num_threads()).info
    }

    fn hungry(&self) -> bool {
        self.under_way < self.most_blocks()
    }

    fn memory(&self, blocks: &Footprint) -> Memory {
        Memory { host: self.most_blocks() as f64 * blocks.block, device: 0.0 }
    }

    fn submit(&mut self, block: Arc<Block>) -> Result<Ticket, Error> {
        let ticket = self.next;
        self.next += 1;
        self.under_way += 1;
        let (method, sender) = (Arc::clone(&self.method), self.sender.clone());
        self.pool.spawn(move || {
            let tallies = catch_unwind(AssertUnwindSafe(|| {
                let chunks = method.chunks(&block);
                let counted = chunks.into_par_iter().map(|units| method.count_units(&block, units));
                counted.flatten_iter().map(|record| tally(&block, &record)).collect()
            }));
            let finished = tallies
                .map_err(|_| Error::Internal(format!("counting block {} panicked", block.number)))
                .and_then(|tallies: Result<_, Error>| Ok(Finished { ticket, tallies: tallies? }));
            // nobody listens any more once the engine is gone
            let _ = sender.send(finished);
        });
        Ok(ticket)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Finished>, Error> {
        match self.receiver.recv_timeout(wait) {
            Ok(finished) => {
                self.under_way -= 1;
                finished.map(Some)
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Internal("the threads are gone".into())),
        }
    }
}

/// The tally of a record, which must be of a unit that was counted to its end.
fn tally(block: &Block, record: &Record) -> Result<Tally, Error> {
    if record.state == Record::DONE {
        Ok(Tally { count: record.count(), visits: record.visits(), bucket: record.bucket })
    } else {
        let Record { id, .. } = record;
        Err(Error::Internal(format!("unit {id} of block {} was not counted to its end", block.number)))
    }
}

/// The CPU as a device, with `threads` threads.
#[must_use]
pub fn listed(threads: usize) -> Listed {
    let plural = if threads == 1 { "" } else { "s" };
    Listed {
        info: DeviceInfo {
            kind: DeviceKind::Cpu,
            name: format!("{} ({threads} thread{plural})", processor_name()),
            backend: None,
            driver: None,
        },
        pci_id: None,
        limits: vec![("threads", threads as u64)],
        unusable: None,
    }
}

/// Name of the processor, as far as the system tells.
pub(crate) fn processor_name() -> String {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(read_processor_name).clone()
}

fn read_processor_name() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    model.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}
