//! Shows on stderr how far a count is: a bar, plain lines or JSON lines, and one line whenever a signal asks.
//!
//! The run only notes what it does; a thread looks and writes, so that a stderr that nobody reads holds nothing up, and
//! a run that says nothing for long, such as a plain counter, still shows its time.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{
    Error, Event, Phase,
    cli::{Console, Failure},
    report::progress::Status,
};

/// How often the thread looks.
const LOOK: Duration = Duration::from_millis(100);

/// Nothing is shown of a run that is done sooner.
const SOON: Duration = Duration::from_secs(1);

/// Ticks of the bar: tenths of a per cent.
const TICKS: u64 = 1000;

/// Signals that ask for the status.
#[cfg(unix)]
const ASKING: &[i32] = &[
    signal_hook::consts::SIGUSR1,
    // Ctrl-T
    #[cfg(any(
        target_os = "freebsd",
        target_os = "dragonfly",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "macos"
    ))]
    signal_hook::consts::SIGINFO,
];
#[cfg(not(unix))]
const ASKING: &[i32] = &[];

/// How progress is shown, as `--progress` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A bar on a terminal, else plain lines
    #[default]
    Auto,
    /// A bar; where stderr is no terminal, plain lines
    Bar,
    /// Lines after 1 s, 10 s, 60 s and every minute from there
    Plain,
    /// One JSON object a line, every second, from a minute on every 10 s
    Json,
    /// Nothing, unless a signal asks
    None,
}

impl Form {
    /// What that is on this stderr.
    fn on(self, draws: bool, quiet: bool) -> Self {
        match self {
            _ if quiet => Self::None,
            Self::Auto | Self::Bar if draws => Self::Bar,
            Self::Auto | Self::Bar => Self::Plain,
            form => form,
        }
    }

    /// When line number `line` is due, counted from 0; never where there are no lines.
    pub const fn due(self, line: u64) -> Option<Duration> {
        Some(Duration::from_secs(match (self, line) {
            (Self::Plain, 0) => 1,
            (Self::Plain, 1) => 10,
            (Self::Plain, line) => 60 * (line - 1),
            (Self::Json, 0..60) => line + 1,
            (Self::Json, line) => 60 + 10 * (line - 59),
            _ => return None,
        }))
    }
}

/// Shows progress until it is dropped.
pub struct Display {
    status: Arc<Mutex<Status>>,
    /// Dropped to end the thread.
    done: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// Begins to show.
    pub fn start(form: Form, quiet: bool, console: Console) -> Result<Self, Failure> {
        let refused = |error: io::Error| Error::Internal(format!("progress cannot be shown: {error}"));
        let asked = Arc::new(AtomicBool::new(false));
        for &signal in ASKING {
            signal_hook::flag::register(signal, Arc::clone(&asked)).map_err(refused)?;
        }
        let start = Instant::now();
        let status = Arc::new(Mutex::new(Status { phase: None, elapsed: Duration::ZERO, progress: None }));
        let (done, finished) = channel();
        let form = form.on(console.draws_progress(), quiet);
        let mut screen = Screen { form, console, bar: None, lines: 0 };
        let seen = Arc::clone(&status);
        let look = move || {
            let now = || {
                let elapsed = start.elapsed();
                Status { elapsed, ..seen.lock().unwrap_or_else(PoisonError::into_inner).clone() }
            };
            while !ended(&finished) {
                if asked.swap(false, Ordering::Relaxed) {
                    console.line(&now().text());
                }
                screen.show(start.elapsed(), &now);
            }
            screen.end(&now());
        };
        let thread = thread::Builder::new().name("progress".into()).spawn(look).map_err(refused)?;
        Ok(Self { status, done: Some(done), thread: Some(thread) })
    }

    /// Notes what the run tells.
    pub fn note(&self, event: &Event) {
        let mut status = self.status.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Phase(phase) => {
                // progress is that of counting, and stays while recounts are awaited
                if status.phase != Some(*phase) && *phase != Phase::Verifying {
                    status.progress = None;
                }
                status.phase = Some(*phase);
            }
            Event::Progress(progress) => status.progress = Some(progress.clone()),
            _ => {}
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(thread) = self.thread.take() {
            // a panic of its own has been reported already
            let _ = thread.join();
        }
    }
}

/// Waits a while; whether the display is dropped.
fn ended(finished: &Receiver<()>) -> bool {
    finished.recv_timeout(LOOK) != Err(RecvTimeoutError::Timeout)
}

/// What has been shown.
struct Screen {
    form: Form,
    console: Console,
    bar: Option<ProgressBar>,
    lines: u64,
}

impl Screen {
    /// Shows the status where it is due; nothing before the run has begun, as it may yet be refused.
    fn show(&mut self, elapsed: Duration, status: &dyn Fn() -> Status) {
        let due = |form: Form, line| form.due(line).is_some_and(|due| elapsed >= due);
        if elapsed < SOON || !(self.form == Form::Bar || due(self.form, self.lines)) {
            return;
        }
        let status = status();
        if status.phase.is_none() {
            return;
        }
        if self.form == Form::Bar {
            let bar = self.bar.get_or_insert_with(|| {
                let bar = bar();
                self.console.show_bar(bar.clone());
                bar
            });
            let share = status.progress.as_ref().map_or(0.0, |progress| progress.share);
            bar.set_position((share * TICKS as f64) as u64);
            bar.set_message(status.text());
        } else {
            while due(self.form, self.lines) {
                self.lines += 1;
            }
            self.line(&status);
        }
    }

    fn line(&self, status: &Status) {
        self.console.line(&if self.form == Form::Json { status.json() } else { status.text() });
    }

    /// Takes the bar away; of lines for programs there is a last one, where there was a first.
    fn end(&self, last: &Status) {
        self.console.hide_bar();
        if self.form == Form::Json && self.lines > 0 {
            self.line(last);
        }
    }
}

/// A bar that has our line beside it, cut where the terminal ends.
fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(TICKS), ProgressDrawTarget::stderr());
    // the template is a constant: were it wrong, the style would be the usual one
    let style = ProgressStyle::with_template("[{bar:12}] {wide_msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ColorWhen;

    #[test]
    fn nothing_is_shown_of_a_short_run_or_one_that_may_be_refused() {
        let console = Console::new(ColorWhen::Never);
        let mut screen = Screen { form: Form::Json, console, bar: None, lines: 0 };
        let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3600));
        let status = |phase| move || Status { phase, elapsed: second, progress: None };
        screen.show(Duration::from_millis(999), &status(Some(Phase::Counting)));
        screen.show(hour, &status(None));
        assert_eq!(screen.lines, 0);
        screen.show(second, &status(Some(Phase::Counting)));
        assert_eq!(screen.lines, 1);
    }

    #[test]
    fn a_bar_is_for_a_terminal_and_quiet_is_quiet() {
        for (form, draws, expected) in [
            (Form::Auto, true, Form::Bar),
            (Form::Auto, false, Form::Plain),
            (Form::Bar, false, Form::Plain),
            (Form::Plain, true, Form::Plain),
            (Form::Json, true, Form::Json),
            (Form::None, true, Form::None),
        ] {
            assert_eq!(form.on(draws, false), expected, "{form:?} {draws}");
            assert_eq!(form.on(draws, true), Form::None, "{form:?} {draws}");
        }
    }

    #[test]
    fn lines_are_due_as_promised() {
        let due = |form: Form, line| form.due(line).map(|due| due.as_secs());
        let plain = (0..6).map(|line| due(Form::Plain, line));
        assert!(plain.eq([1, 10, 60, 120, 180, 240].map(Some)));
        let json = [0, 1, 58, 59, 60, 61].map(|line| due(Form::Json, line));
        assert_eq!(json, [1, 2, 59, 60, 70, 80].map(Some));
        assert_eq!((due(Form::None, 0), due(Form::Bar, 0)), (None, None));
    }
}
