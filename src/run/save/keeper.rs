//! What is saved of a run, and when.
//!
//! A save that fails is reported, and tried again at the next interval.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use super::saver::Saver;
use crate::{
    Error, Problem,
    checkpoint::{Checkpoint, Disk, Store, folder_of},
    method::Method,
    run::event::Event,
};

/// How long a run lasts before it touches the state folder unasked.
const SHORT: Duration = Duration::from_secs(1);

/// Where and how often a run is saved.
#[derive(Clone, Debug)]
pub struct Saves {
    /// Where; nowhere if there is none.
    pub file: Option<PathBuf>,
    /// Whether the caller named the file: its folder may be misspelt, and is not made.
    pub named: bool,
    /// Whether the file is to be written or nothing.
    pub asked: bool,
    /// Time from one save to the next, and to the first.
    pub interval: Duration,
    /// Whether to begin again where there is a checkpoint.
    pub restart: bool,
}

impl Saves {
    /// From one save to the next, unless another time is asked for.
    pub const INTERVAL: Duration = Duration::from_secs(30);
}

/// Keeps one run: it decides when a checkpoint is due, and writes those it is given.
pub struct Keeper {
    keeping: Keeping,
    /// Whether the file is to be written or nothing.
    asked: bool,
    interval: Duration,
    next: Instant,
}

/// What is written.
enum Keeping {
    /// Nothing.
    Nothing,
    /// Nothing yet: runs that are soon done do not touch the state folder.
    Later(Arc<Store>),
    /// A checkpoint now and then.
    Now(Saver),
}

impl Keeper {
    /// Keeps a run, and gives what earlier sessions of it left: a checkpoint without blocks where there was none.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] for a checkpoint of another run or another process, and one that cannot be read; one that
    /// cannot be written, where it was asked for.
    pub fn open(
        saves: &Saves,
        problem: &Problem,
        method: &dyn Method,
        observe: &mut dyn FnMut(Event),
    ) -> Result<(Self, Checkpoint), Error> {
        let &Saves { asked, interval, .. } = saves;
        let mut keeper = Self { keeping: Keeping::Nothing, asked, interval, next: Instant::now() + interval };
        let fresh = Checkpoint { sessions: 1, ..Checkpoint::new(problem, method) };
        let Some(file) = &saves.file else { return Ok((keeper, fresh)) };
        let folder = folder_of(file);
        if saves.named && !folder.exists() {
            return Err(Error::checkpoint(
                format!("{} cannot be written: there is no folder {}", file.display(), folder.display()),
                "make the folder, or give a file in another one by `saving.place`",
            ));
        }
        let store = Arc::new(Store::new(Disk, file.clone()));
        if !asked && !store.exists() {
            keeper.keeping = Keeping::Later(store);
            return Ok((keeper, fresh));
        }
        keeper.begin(&store, observe)?;
        if saves.restart {
            if let Some(aside) = store.restart(problem)? {
                observe(Event::Notice(format!("the old checkpoint is kept as {}", aside.display())));
            }
            return Ok((keeper, fresh));
        }
        let loaded = store.load(|checkpoint| checkpoint.fits(file, problem, method))?;
        if let Some(notice) = loaded.notice {
            observe(Event::Warning(notice));
        }
        let Some(mut checkpoint) = loaded.checkpoint else { return Ok((keeper, fresh)) };
        observe(Event::Notice(resuming(file, &checkpoint)));
        observe(Event::Resumed(file.clone()));
        checkpoint.sessions += 1;
        Ok((keeper, checkpoint))
    }

    /// Whether it is time to save, in a session that has lasted for `elapsed`.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] where another process keeps the same run.
    pub fn is_due(&mut self, elapsed: Duration, observe: &mut dyn FnMut(Event)) -> Result<bool, Error> {
        if elapsed >= SHORT {
            self.begin_late(observe)?;
        }
        let Keeping::Now(saver) = &mut self.keeping else { return Ok(false) };
        saver.receive(observe);
        let now = Instant::now();
        let due = now >= self.next && !saver.is_busy();
        if due {
            self.next = now + self.interval;
        }
        Ok(due)
    }

    /// Begins to save.
    pub fn start(&mut self, checkpoint: Checkpoint) {
        if let Keeping::Now(saver) = &mut self.keeping {
            saver.start(checkpoint);
        }
    }

    /// Saves, and waits for it.
    pub fn finish(&mut self, checkpoint: Checkpoint, observe: &mut dyn FnMut(Event)) {
        if let Keeping::Now(saver) = &mut self.keeping {
            saver.finish(checkpoint, observe);
        }
    }

    /// The file, if anything was saved in it; waits for a save under way, which is about to make it.
    pub fn written(&mut self, observe: &mut dyn FnMut(Event)) -> Option<PathBuf> {
        let Keeping::Now(saver) = &mut self.keeping else { return None };
        saver.wait(observe);
        let store = saver.store();
        store.exists().then(|| store.path().to_owned())
    }

    /// Whether there is a checkpoint.
    pub fn exists(&self) -> bool {
        self.store().is_some_and(Store::exists)
    }

    /// Saves what is done of a run that ends early, and reports that. A checkpoint on which two counts disagree gets another
    /// name, so that no later run resumes from it unasked.
    pub fn stop(&mut self, why: Error, checkpoint: Checkpoint, observe: &mut dyn FnMut(Event)) -> Error {
        let disagree = matches!(why, Error::Disagree { .. });
        if matches!(why, Error::Checkpoint { .. }) || !disagree && self.begin_late(observe).is_err() {
            return why;
        }
        let Keeping::Now(saver) = &mut self.keeping else { return why };
        let (file, done, blocks) = (saver.store().path().into(), checkpoint.done(), checkpoint.blocks);
        let saved = saver.finish(checkpoint, observe);
        if disagree {
            self.suspect(observe);
        } else if saved {
            observe(Event::Saved { file, done, blocks });
        } else if let Error::Stopped(_) = why {
            // nobody may rely on it
            return Error::Internal(format!("{why}, but what was counted since the last save is lost"));
        }
        why
    }

    /// Gives the checkpoint, if there is one, another name: something in it may be wrong.
    pub fn suspect(&self, observe: &mut dyn FnMut(Event)) {
        match self.store().map(|store| store.set_aside(".suspect")) {
            Some(Ok(Some(aside))) => observe(Event::Warning(format!(
                "the checkpoint is kept as {}, and no later run goes on from it; `recheck` finds blocks that are wrong",
                aside.display()
            ))),
            Some(Err(error)) => observe(Event::Warning(error.to_string())),
            Some(Ok(None)) | None => {}
        }
    }

    fn store(&self) -> Option<&Store> {
        match &self.keeping {
            Keeping::Nothing => None,
            Keeping::Later(store) => Some(store),
            Keeping::Now(saver) => Some(saver.store()),
        }
    }

    /// Begins to save a run that has lasted long enough, unless another process did meanwhile.
    fn begin_late(&mut self, observe: &mut dyn FnMut(Event)) -> Result<(), Error> {
        let Keeping::Later(store) = &self.keeping else { return Ok(()) };
        let store = Arc::clone(store);
        self.begin(&store, observe)?;
        if matches!(self.keeping, Keeping::Now(_)) && store.exists() {
            return Err(Error::checkpoint(
                format!("another ferz has saved the same count in {} meanwhile", store.path().display()),
                "run the command again to go on from there",
            ));
        }
        Ok(())
    }

    /// Takes the lock and starts the saver.
    fn begin(&mut self, store: &Arc<Store>, observe: &mut dyn FnMut(Event)) -> Result<(), Error> {
        let file = store.path().display();
        match Saver::open(store) {
            Ok(Some(saver)) => self.keeping = Keeping::Now(saver),
            Ok(None) => {
                return Err(Error::checkpoint(
                    format!("{file} is in use by another ferz, which counts the same"),
                    "wait for it, or give another file by `saving.place`, or none by `Place::Nowhere`",
                ));
            }
            Err(error) if self.asked => {
                return Err(Error::checkpoint(
                    format!("{file} cannot be written: {error}"),
                    "give a file in another folder by `saving.place`",
                ));
            }
            Err(error) => {
                observe(Event::Warning(format!(
                    "{file} cannot be written, so the count is not saved: {error}"
                )));
                self.keeping = Keeping::Nothing;
            }
        }
        Ok(())
    }
}

fn resuming(path: &Path, checkpoint: &Checkpoint) -> String {
    let Checkpoint { sessions, elapsed, blocks, .. } = checkpoint;
    let plural = if *sessions == 1 { "" } else { "s" };
    format!(
        "resuming from {}: {} of {blocks} blocks done, in {sessions} session{plural} and {}",
        path.display(),
        checkpoint.done(),
        humantime::format_duration(Duration::from_millis(elapsed.as_millis() as u64))
    )
}

#[cfg(test)]
mod tests;
