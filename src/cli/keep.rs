//! Where a count is saved, as flags, and what is said of it at the end.

use std::{env, ffi::OsString, path::PathBuf, thread, time::Duration};

use clap::Args;

use super::{Console, flags};
use crate::{Event, Place, Saving};

/// How long the last lines of a run that was stopped may take to be written: nobody need read them.
const TOLD: Duration = Duration::from_millis(300);

/// Checkpoints.
#[derive(Args, Debug)]
pub(super) struct Keep {
    /// Save the count in FILE, and go on from there if it is of this count [default: a file in the state folder]
    ///
    /// A count that lasts longer is saved every 30 seconds and whenever it is stopped; the same command goes on with it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_checkpoint", "estimate"])]
    checkpoint: Option<PathBuf>,

    /// Save nothing, and begin at the beginning
    #[arg(long)]
    no_checkpoint: bool,

    /// Time from one save to the next, and to the first: 500ms, 30s, 5m, 2h [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = flags::interval, allow_hyphen_values = true, conflicts_with_all = ["no_checkpoint", "estimate"])]
    checkpoint_interval: Option<Duration>,

    /// Begin again where there is a checkpoint, and keep that as .bak
    #[arg(long, conflicts_with_all = ["no_checkpoint", "estimate"])]
    restart: bool,

    /// Save the count after this time and end with exit code 3
    #[arg(long, value_name = "DURATION", value_parser = flags::stop_after, allow_hyphen_values = true, conflicts_with_all = ["no_checkpoint", "estimate"])]
    pub(super) stop_after: Option<Duration>,
}

impl Keep {
    /// What the flags say.
    pub(super) fn saving(&self) -> Saving {
        Saving {
            place: match &self.checkpoint {
                Some(file) => Place::File(file.clone()),
                None if self.no_checkpoint => Place::Nowhere,
                None => Place::Default,
            },
            interval: self.checkpoint_interval,
            restart: self.restart,
        }
    }
}

/// Says what is saved of a run that was stopped, and how to go on with it.
pub(super) fn tell(console: Console, saved: Option<&Event>) {
    let text = match saved {
        Some(Event::Saved { file, done, blocks }) => format!(
            "{done} of {blocks} blocks are saved in {}\nresume with: {}",
            super::console::printable(&file.display().to_string()),
            super::console::printable(&command(env::args_os()))
        ),
        _ => "nothing new is saved".to_owned(),
    };
    let told = thread::spawn(move || console.line(&text));
    let end = std::time::Instant::now() + TOLD;
    while !told.is_finished() && std::time::Instant::now() < end {
        thread::sleep(Duration::from_millis(1));
    }
}

/// The command that goes on with a run: the same, but for what begins it again.
fn command(args: impl IntoIterator<Item = OsString>) -> String {
    let words = args.into_iter().map(|arg| arg.to_string_lossy().into_owned());
    let quoted = |word: String| match shlex::try_quote(&word) {
        // cmd and PowerShell
        _ if cfg!(windows) && word.contains(' ') => format!("\"{word}\""),
        Ok(quoted) if !cfg!(windows) => quoted.into_owned(),
        _ => word,
    };
    words.filter(|word| word != "--restart").map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_command_that_resumes_can_be_pasted() {
        let args =
            ["ferz", "count", "20", "--restart", "--checkpoint", "my file's.ferz", "--stop-after", "2h"];
        assert_eq!(
            command(args.map(OsString::from)),
            "ferz count 20 --checkpoint \"my file's.ferz\" --stop-after 2h"
        );
    }
}
