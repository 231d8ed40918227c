//! How far a count is saved, and the message at its end that says how to resume it.

use std::{
    env,
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Event, Phase,
    cli::{Console, console::printable},
};

/// How long the last lines of a run that was stopped may take to be written: nobody need read them.
const TOLD: Duration = Duration::from_millis(300);

/// How a run stands, for whoever says how it ended: the run notes it, and a signal may end the process before the run
/// comes back.
#[derive(Clone, Debug, Default)]
pub struct Standing(Arc<Mutex<State>>);

#[derive(Clone, Debug, Default)]
struct State {
    /// Whether blocks have been counted.
    counting: bool,
    /// What an earlier session saved.
    before: Option<PathBuf>,
    /// What this one has saved at its end: the file, blocks done and all blocks.
    saved: Option<(PathBuf, u64, u64)>,
}

impl Standing {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what the run tells.
    pub fn note(&self, event: &Event) {
        match event {
            Event::Phase(Phase::Counting) => self.state().counting = true,
            Event::Resumed(file) => self.state().before = Some(file.clone()),
            Event::Saved { file, done, blocks } => self.state().saved = Some((file.clone(), *done, *blocks)),
            _ => {}
        }
    }

    /// Whether blocks have been counted, so that there is something to save.
    pub fn is_counting(&self) -> bool {
        self.state().counting
    }

    /// Whether the run has saved what it did.
    pub fn is_saved(&self) -> bool {
        self.state().saved.is_some()
    }

    /// Says what is saved of a run that was stopped, and how to go on with it.
    pub fn tell(&self, console: Console) {
        let text = self.state().text(&command(env::args_os()));
        let told = thread::spawn(move || console.line(&text));
        let end = Instant::now() + TOLD;
        while !told.is_finished() && Instant::now() < end {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl State {
    /// What is to be said, given the command that goes on.
    fn text(&self, command: &str) -> String {
        let (file, what) = match (&self.saved, &self.before) {
            (Some((file, done, blocks)), _) => (file, format!("{done} of {blocks} blocks are saved in")),
            (None, Some(file)) => (file, "nothing new is saved, and what was saved before is in".into()),
            (None, None) if self.counting => return "nothing new is saved".into(),
            (None, None) => return "nothing was counted yet, and nothing is lost".into(),
        };
        let file = printable(&file.display().to_string());
        format!("{what} {file}\nresume with: {}", printable(command))
    }
}

/// The command that goes on with a run: the same, but for what begins it again or ends it.
fn command(args: impl IntoIterator<Item = OsString>) -> String {
    let mut words = args.into_iter().map(|arg| arg.to_string_lossy().into_owned());
    let mut kept = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--restart" => {}
            "--stop-after" => drop(words.next()),
            word if word.starts_with("--stop-after=") => {}
            _ => kept.push(word),
        }
    }
    let quoted = |word: String| match shlex::try_quote(&word) {
        // cmd and PowerShell
        _ if cfg!(windows) && word.contains(' ') => format!("\"{word}\""),
        Ok(quoted) if !cfg!(windows) => quoted.into_owned(),
        _ => word,
    };
    kept.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_command_that_resumes_can_be_pasted() {
        let args =
            ["ferz", "count", "20", "--restart", "--stop-after", "2h", "--checkpoint", "my file's.ferz"];
        let resume = "ferz count 20 --checkpoint \"my file's.ferz\"";
        assert_eq!(command(args.map(OsString::from)), resume);
        let args = ["ferz", "count", "20", "--checkpoint", "my file's.ferz", "--stop-after=2h"];
        assert_eq!(command(args.map(OsString::from)), resume);
    }

    #[test]
    fn what_is_there_to_go_on_from_is_told() {
        let standing = Standing::default();
        let text = || standing.state().text("ferz count 20");
        assert_eq!(text(), "nothing was counted yet, and nothing is lost");
        standing.note(&Event::Phase(Phase::Building));
        assert!(!standing.is_counting());
        standing.note(&Event::Phase(Phase::Counting));
        assert!(standing.is_counting() && !standing.is_saved());
        assert_eq!(text(), "nothing new is saved");
        standing.note(&Event::Resumed("before".into()));
        let before =
            "nothing new is saved, and what was saved before is in before\nresume with: ferz count 20";
        assert_eq!(text(), before);
        standing.note(&Event::Saved { file: "now".into(), done: 3, blocks: 10 });
        assert!(standing.is_saved());
        assert_eq!(text(), "3 of 10 blocks are saved in now\nresume with: ferz count 20");
    }
}
