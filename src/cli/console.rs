//! Streams and colours: the result on stdout, all else on stderr.

use std::{
    env,
    error::Error as _,
    ffi::{OsStr, OsString},
    io::{self, IsTerminal, Write},
    panic,
    process::ExitCode,
    sync::{Mutex, PoisonError},
};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use indicatif::ProgressBar;

use super::{Failure, failure::with_flags};
use crate::Error;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Green.on_default();
const DETAIL: Style = Style::new().dimmed();

/// The bar on stderr. There is one stderr, and lines that other threads write to it must not run into the bar.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// When to use colours, as `--color` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorWhen {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ColorWhen {
    /// Whether a stream gets colours.
    fn applies(self, terminal: bool, no_color: Option<&OsStr>, term: Option<&OsStr>) -> ColorChoice {
        let yes = match self {
            Self::Always => true,
            Self::Never => false,
            // no-color.org: when present and not empty
            Self::Auto => {
                terminal && no_color.is_none_or(OsStr::is_empty) && term.is_none_or(|term| term != "dumb")
            }
        };
        if yes { ColorChoice::Always } else { ColorChoice::Never }
    }
}

/// Both streams, each with its decision on colours.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    stdout: ColorChoice,
    stderr: ColorChoice,
}

impl Console {
    /// Decides for both streams.
    #[must_use]
    pub fn new(when: ColorWhen) -> Self {
        let (no_color, term) = (env::var_os("NO_COLOR"), env::var_os("TERM"));
        let choice = |terminal| when.applies(terminal, no_color.as_deref(), term.as_deref());
        Self { stdout: choice(io::stdout().is_terminal()), stderr: choice(io::stderr().is_terminal()) }
    }

    /// As [`Console::new`] for arguments that are not parsed yet: errors of parsing obey `--color` too.
    #[must_use]
    pub fn of(args: &[OsString]) -> Self {
        let mut when = None;
        for (at, arg) in args.iter().enumerate() {
            when = when.or_else(|| match arg.to_str()? {
                "--color" => args.get(at + 1)?.to_str(),
                arg => arg.strip_prefix("--color="),
            });
        }
        Self::new(when.and_then(|when| ColorWhen::from_str(when, false).ok()).unwrap_or_default())
    }

    /// Writes the result, which ends without a line break, to stdout.
    pub(super) fn result(&self, text: &str) -> Result<(), Failure> {
        let mut stdout = AutoStream::new(io::stdout().lock(), self.stdout);
        writeln!(stdout, "{text}").and_then(|()| stdout.flush()).map_err(Failure::Write)
    }

    /// Says what went wrong and what to do, and returns the exit code.
    #[must_use]
    pub fn report(&self, failure: &Failure) -> ExitCode {
        let (hint, code) = match failure {
            Failure::Write(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitCode::SUCCESS,
            Failure::Stopped(signal) => return ExitCode::from(signal.exit_code()),
            // said already, and no error
            Failure::Library(error @ Error::Stopped(_)) => return ExitCode::from(error.exit_code()),
            Failure::Write(_) | Failure::WriteFile { .. } => (Some("give it a place that can take it"), 1),
            Failure::SaveTuning { .. } => (Some("make it writable, or set XDG_CACHE_HOME to another"), 1),
            Failure::Read(_) => (Some("give the input as an argument or through a pipe"), 1),
            Failure::NoSolution { hint, .. } => (Some(*hint), 1),
            Failure::Slower { .. } => (Some("time both again on an idle machine to be sure"), 1),
            Failure::Library(error) => (error.hint(), error.exit_code()),
        };
        let mut what = failure.to_string();
        let mut cause = failure.source();
        while let Some(error) = cause {
            what = format!("{what}: {error}");
            cause = error.source();
        }
        self.error(&what);
        if let Some(hint) = hint {
            self.hint(hint);
        }
        ExitCode::from(code)
    }

    pub(super) fn error(&self, what: &str) {
        self.line(&format!("{ERROR}error:{ERROR:#} {}", shown(what)));
    }

    pub(super) fn hint(&self, what: &str) {
        self.line(&format!("{HINT}hint:{HINT:#} {}", shown(what)));
    }

    pub(super) fn warning(&self, what: &str) {
        self.line(&format!("{WARNING}warning:{WARNING:#} {}", shown(what)));
    }

    pub(super) fn detail(&self, what: &str) {
        self.line(&format!("{DETAIL}{}{DETAIL:#}", shown(what)));
    }

    /// Whether stderr is a terminal that can show a bar.
    pub(super) fn draws_progress(&self) -> bool {
        io::stderr().is_terminal() && env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// From here on lines are written above this bar.
    pub(super) fn show_bar(&self, bar: ProgressBar) {
        *BAR.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }

    /// Takes the bar away for good, if there is one.
    pub(super) fn hide_bar(&self) {
        let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    }

    /// Writes a line to stderr at once, so that lines of several threads do not mix.
    pub(super) fn line(&self, text: &str) {
        let write = || {
            let mut stderr = AutoStream::new(io::stderr().lock(), self.stderr);
            // where stderr is closed there is no place left to say so
            let _ = stderr.write_all(format!("{text}\n").as_bytes());
        };
        // a copy, so that no one waits for a stderr that nobody reads but who writes to it
        let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }

    /// From here on a panic is an error in one line, not a backtrace.
    pub fn report_panics(self) {
        panic::set_hook(Box::new(move |info| {
            let payload = info.payload();
            let what = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("no reason given");
            let place = info.location().map(|at| format!(" ({at})")).unwrap_or_default();
            self.error(&format!("a fault of ferz: {what}{place}"));
            self.hint("please report it, with the command line and the version");
        }));
    }
}

/// A message of the library as a user of the command line reads it.
pub(super) fn shown(message: &str) -> String {
    printable(&with_flags(message))
}

/// The text without control characters, which could come from an argument or from a driver.
pub(super) fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            safe.extend(character.escape_default());
        } else {
            safe.push(character);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        use ColorWhen::{Always, Auto, Never};
        for (when, terminal, no_color, term, expected) in [
            (Auto, true, None, Some("xterm"), true),
            (Auto, true, None, None, true),
            (Auto, true, Some(""), Some("xterm"), true),
            (Auto, true, Some("1"), Some("xterm"), false),
            (Auto, true, None, Some("dumb"), false),
            (Auto, false, None, Some("xterm"), false),
            (Always, false, Some("1"), Some("dumb"), true),
            (Never, true, None, Some("xterm"), false),
        ] {
            let choice = when.applies(terminal, no_color.map(OsStr::new), term.map(OsStr::new));
            assert_eq!(choice == ColorChoice::Always, expected, "{when:?} {terminal} {no_color:?} {term:?}");
        }
    }

    #[test]
    fn options_of_the_library_are_shown_as_flags() {
        assert_eq!(shown("try `device` cpu, see `devices`"), "try --device cpu, see `ferz devices`");
        assert_eq!(shown("a `name` of something else"), "a `name` of something else");
    }

    #[test]
    fn control_characters_are_shown_not_sent() {
        assert_eq!(printable("a\u{1b}[31mb\nc\u{9b}"), "a\\u{1b}[31mb\\nc\\u{9b}");
        assert_eq!(printable("ферзь 8"), "ферзь 8");
    }
}
