//! What ends the process early: one error, one hint, one exit code.

use std::{error::Error as _, fmt, io, path::PathBuf};

use clap::error::{ContextKind, ContextValue};
use signal_hook::consts;

use crate::Error;

/// The longest argument that an error repeats in full.
const LONGEST: usize = 200;

/// Why a command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The library says so.
    #[error(transparent)]
    Library(#[from] Error),
    /// The result is there, but its reader is not.
    #[error("the result cannot be written to standard output")]
    Write(#[source] io::Error),
    /// The file that was asked for cannot be written.
    #[error("{} cannot be written", .path.display())]
    WriteFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Tunings cannot be saved.
    #[error("cannot save a tuning in {}", .path.display())]
    SaveTuning {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The input is not there.
    #[error("standard input cannot be read")]
    Read(#[source] io::Error),
    /// There is no solution, or none was found.
    #[error("no solution: {what}")]
    NoSolution {
        /// Of what.
        what: String,
        /// What to do.
        hint: &'static str,
    },
    /// Rows of a benchmark take longer than they did.
    #[error("slower by more than {percent} %: {rows}")]
    Slower {
        /// The percent that were allowed.
        percent: f64,
        /// Which, and by how much.
        rows: String,
    },
    /// Stopped by a signal, which has been reported already.
    #[error("stopped by {0}")]
    Stopped(Signal),
}

/// A signal, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal(pub i32);

impl Signal {
    /// 128 + the signal's number, as shells have it.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        128 + self.0 as u8
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            consts::SIGINT => "SIGINT",
            consts::SIGTERM => "SIGTERM",
            #[cfg(windows)]
            consts::SIGBREAK => "SIGBREAK",
            _ => "SIGHUP",
        })
    }
}

/// What the library calls its options and functions in its messages, and the flags and commands for them.
const FLAGS: [(&str, &str); 21] = [
    ("`method`", "--method"),
    ("`device`", "--device"),
    ("`backend`", "--backend"),
    ("`threads`", "--threads"),
    ("`depth`", "--depth"),
    ("`classes`", "--classes"),
    ("`verify`", "--verify"),
    ("`workload`", "--workload"),
    ("`saving.place`", "--checkpoint"),
    ("`Place::Nowhere`", "--no-checkpoint"),
    ("`saving.interval`", "--checkpoint-interval"),
    ("`saving.restart`", "--restart"),
    ("`stop_after`", "--stop-after"),
    ("`estimate`", "--estimate"),
    ("`unique`", "--unique"),
    ("`task`", "--task"),
    ("`count`", "`ferz count`"),
    ("`devices`", "`ferz devices`"),
    ("`selftest`", "`ferz selftest`"),
    ("`recheck`", "`ferz checkpoint verify --recheck`"),
    ("`autotune`", "`ferz bench --autotune`"),
];

/// A message of the library with the flags and commands of the command line in it.
pub fn with_flags(message: &str) -> String {
    FLAGS.iter().fold(message.to_owned(), |message, (name, flag)| message.replace(name, flag))
}

/// Turns an error of clap's into one of the same shape as all others.
pub(super) fn usage(error: &clap::Error) -> Error {
    if let Some(error) = error.source().and_then(|source| source.downcast_ref::<Error>()) {
        return error.clone();
    }
    let text = error.render().to_string();
    // a sentence, what is allowed in brackets, an empty line
    let what = text.lines().map(str::trim).take_while(|line| !line.is_empty() && !line.starts_with('['));
    let what = what.collect::<Vec<_>>().join(" ");
    let hints: Vec<String> = error.context().filter_map(|(kind, value)| hint(kind, value)).collect();
    let hint = if hints.is_empty() {
        let usage = error.get(ContextKind::Usage).map(|usage| usage.to_string().replace("Usage", "usage"));
        usage.map_or_else(
            || "--help says what is allowed".into(),
            |usage| format!("{usage}; --help says more"),
        )
    } else {
        hints.join("; ")
    };
    Error::usage(shortened(what.trim_start_matches("error: ")), hint)
}

/// What can be done, where a part of what clap knows of an error says it.
fn hint(kind: ContextKind, value: &ContextValue) -> Option<String> {
    let value = Some(value.to_string().replace('\n', " ")).filter(|value| !value.is_empty())?;
    match kind {
        ContextKind::ValidValue => Some(format!("possible values: {value}")),
        ContextKind::ValidSubcommand => Some(format!("commands: {value}")),
        ContextKind::SuggestedSubcommand | ContextKind::SuggestedArg | ContextKind::SuggestedValue => {
            Some(format!("a similar one exists: '{value}'"))
        }
        ContextKind::Suggested => Some(value),
        _ => None,
    }
}

/// The text, cut where an argument made it very long.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("ферзь"), "ферзь");
        let long = "ф".repeat(LONGEST + 1);
        assert_eq!(shortened(&long), format!("{}...", "ф".repeat(LONGEST)));
    }
}
