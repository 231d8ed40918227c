//! Ctrl-C, SIGTERM and SIGHUP: the process says so within 100 ms and ends, whatever it is doing: within 200 ms where there
//! is nothing to save, else within 2 s. A second signal ends it on the spot.
//!
//! A handler only sets a flag. A thread looks at it, cancels the run, and ends the process itself if the run
//! does not come back soon: a plain counter, or a driver that compiles a kernel, cannot be cancelled. On Windows there are
//! Ctrl-C and Ctrl-Break.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc::{RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use signal_hook::{consts, flag, low_level};

use super::standing::Standing;
use crate::{
    CancelToken, Error,
    cli::{Console, Failure, failure::Signal},
};

/// How often the flag is looked at, and how long a cancelled run may take to come back: one that saves, longer.
const LOOK: Duration = Duration::from_millis(10);
const GRACE: Duration = Duration::from_millis(100);
const SAVING: Duration = Duration::from_millis(1500);

/// Signals that stop a run.
const STOPPING: &[Signal] = &[
    Signal(consts::SIGINT),
    Signal(consts::SIGTERM),
    #[cfg(unix)]
    Signal(consts::SIGHUP),
    #[cfg(windows)]
    Signal(consts::SIGBREAK),
];

/// Listens from [`Watch::start`] to [`Watch::finish`].
pub struct Watch {
    /// Whether a signal ends the process on the spot.
    at_once: Arc<AtomicBool>,
    done: Sender<()>,
    /// Returns the signal that came, once it has been reported.
    thread: JoinHandle<Option<Signal>>,
}

impl Watch {
    /// Cancels through `cancel` when a signal comes.
    pub fn start(cancel: &CancelToken, console: Console) -> Result<Self, Failure> {
        Self::start_with(cancel, console, "no count is given, and nothing is saved", None)
    }

    /// As [`Watch::start`], with time for a run that is under way to save what is done.
    pub fn start_saving(cancel: &CancelToken, console: Console, standing: Standing) -> Result<Self, Failure> {
        let meaning = "no count is given; a second one does not wait for the save";
        Self::start_with(cancel, console, meaning, Some(standing))
    }

    /// As [`Watch::start`], for a command with another message about what its end means.
    pub fn start_meaning(
        cancel: &CancelToken,
        console: Console,
        meaning: &'static str,
    ) -> Result<Self, Failure> {
        Self::start_with(cancel, console, meaning, None)
    }

    fn start_with(
        cancel: &CancelToken,
        console: Console,
        meaning: &'static str,
        standing: Option<Standing>,
    ) -> Result<Self, Failure> {
        let refused = |error: io::Error| Error::Internal(format!("signals cannot be listened for: {error}"));
        let (caught, at_once) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let ignored = ignored();
        for &Signal(number) in STOPPING {
            // nohup, and jobs that a script starts in the background
            if ignored & (1 << (number - 1)) != 0 {
                continue;
            }
            let code = i32::from(Signal(number).exit_code());
            flag::register_conditional_shutdown(number, code, Arc::clone(&at_once)).map_err(refused)?;
            flag::register_usize(number, Arc::clone(&caught), number as usize).map_err(refused)?;
        }
        let (done, finished) = channel();
        let (cancel, armed) = (cancel.clone(), Arc::clone(&at_once));
        let look = move || {
            let signal = loop {
                // the sender is dropped when the run is over
                let over = finished.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout);
                match last(&caught) {
                    Some(signal) => break signal,
                    None if over => return None,
                    None => {}
                }
            };
            cancel.cancel();
            // a second signal does not wait for anything, such as a stderr that nobody reads
            armed.store(true, Ordering::SeqCst);
            let now = Instant::now();
            let saves = standing.as_ref().is_some_and(Standing::is_counting);
            // a stderr that nobody reads must not hold the end up
            let said = thread::spawn(move || {
                console.hide_bar();
                console.line(&format!("stopped by {signal}: {meaning}"));
            });
            let end = now + if saves { SAVING } else { GRACE };
            while !said.is_finished() && now.elapsed() < GRACE {
                thread::sleep(LOOK);
            }
            if finished.recv_timeout(end.saturating_duration_since(Instant::now()))
                == Err(RecvTimeoutError::Timeout)
            {
                match standing {
                    Some(_) if saves => {
                        thread::spawn(move || {
                            console.line("it did not end in time to be saved; what was saved before, if anything, is whole")
                        });
                        thread::sleep(LOOK);
                    }
                    // it still opens devices, or makes its first blocks
                    Some(standing) => standing.tell(console),
                    None => {}
                }
                // without exit handlers: other threads still run
                low_level::exit(signal.exit_code().into());
            }
            Some(signal)
        };
        let thread = thread::Builder::new().name("signals".into()).spawn(look).map_err(refused)?;
        Ok(Self { at_once, done, thread })
    }

    /// Ends the watch; from now on a signal ends the process on the spot.
    ///
    /// # Errors
    ///
    /// [`Failure::Stopped`] where a signal came.
    pub fn finish(self) -> Result<(), Failure> {
        self.at_once.store(true, Ordering::SeqCst);
        drop(self.done);
        match self.thread.join() {
            Ok(Some(signal)) => Err(Failure::Stopped(signal)),
            _ => Ok(()),
        }
    }
}

/// The signal that came last.
fn last(caught: &AtomicUsize) -> Option<Signal> {
    match caught.load(Ordering::SeqCst) {
        0 => None,
        number => Some(Signal(number as i32)),
    }
}

/// Signals that the process was started with as ignored, bit s - 1 for signal s. Only Linux tells.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
