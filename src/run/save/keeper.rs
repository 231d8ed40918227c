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
    run::{event::Event, session::Session},
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

/// Keeps one run.
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

    /// Saves where it is time to.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] where another process keeps the same run.
    pub fn tick(&mut self, session: &mut Session) -> Result<(), Error> {
        if session.elapsed() >= SHORT {
            self.begin_late(session)?;
        }
        let Keeping::Now(saver) = &mut self.keeping else { return Ok(()) };
        saver.receive(session.observe);
        let now = Instant::now();
        if now >= self.next && !saver.is_busy() {
            self.next = now + self.interval;
            saver.start(session.checkpoint());
        }
        Ok(())
    }

    /// Saves at once what is done, if anything was saved before: something in that turned out to be wrong.
    pub fn save(&mut self, session: &mut Session) {
        let Keeping::Now(saver) = &mut self.keeping else { return };
        // a save under way is about to make the file
        saver.wait(session.observe);
        if saver.store().exists() {
            let checkpoint = session.checkpoint();
            // the generation before it may be wrong too
            saver.start(checkpoint.clone());
            saver.finish(checkpoint, session.observe);
        }
    }

    /// Saves what is done of a run that ends early, and reports that. A checkpoint on which two counts disagree gets another
    /// name, so that no later run resumes from it unasked.
    pub fn stop(&mut self, why: Error, session: &mut Session) -> Error {
        session.record_fault(&why);
        // a block that was taken out may be the only one, and be in the file still
        let nothing = session.ledger.blocks == 0 && !self.store().is_some_and(Store::exists);
        if matches!(why, Error::Checkpoint { .. }) || nothing {
            return why;
        }
        let disagree = matches!(why, Error::Disagree { .. });
        if !disagree && self.begin_late(session).is_err() {
            return why;
        }
        let Keeping::Now(saver) = &mut self.keeping else { return why };
        let checkpoint = session.checkpoint();
        let (file, done, blocks) = (saver.store().path().into(), checkpoint.done(), checkpoint.blocks);
        let saved = saver.finish(checkpoint, session.observe);
        if disagree {
            self.suspect(session.observe);
        } else if saved {
            session.tell(Event::Saved { file, done, blocks });
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
                "the checkpoint is kept as {}, and no later run goes on from it; `recheck` finds \
                 blocks that are wrong",
                aside.display()
            ))),
            Some(Err(error)) => observe(Event::Warning(error.to_string())),
            Some(Ok(None)) | None => {}
        }
    }

    /// Saves a finished run if it was saved before, and returns the file: later runs take the count from it until it is
    /// discarded.
    pub fn complete(&mut self, session: &mut Session) -> Option<PathBuf> {
        let Keeping::Now(saver) = &mut self.keeping else { return None };
        // a save under way is about to make the file
        saver.wait(session.observe);
        let file = saver.store().exists().then(|| saver.store().path().to_owned())?;
        saver.finish(session.checkpoint(), session.observe);
        Some(file)
    }

    fn store(&self) -> Option<&Store> {
        match &self.keeping {
            Keeping::Nothing => None,
            Keeping::Later(store) => Some(store),
            Keeping::Now(saver) => Some(saver.store()),
        }
    }

    /// Begins to save a run that has lasted long enough, unless another process did meanwhile.
    fn begin_late(&mut self, session: &mut Session) -> Result<(), Error> {
        let Keeping::Later(store) = &self.keeping else { return Ok(()) };
        let store = Arc::clone(store);
        self.begin(&store, session.observe)?;
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
