//! What is saved of a run, and when; and what makes it stop before it is done.
//!
//! A save that fails is told, and tried again at the next interval.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use super::saver::Saver;
use crate::{
    CancelToken, Error, Problem,
    checkpoint::{Checkpoint, Disk, Store, default_path, folder_of, link, second},
    engine::{DeviceInfo, Engine, Faults},
    ledger::Ledger,
    method::Method,
    run::{
        check::recount::Sample,
        event::Event,
        options::{Options, Place, Saving},
        session::Driven,
    },
};

/// From one save to the next, unless another time is asked for.
const INTERVAL: Duration = Duration::from_secs(30);

/// How long a run lasts before it lays a hand on the state folder unasked.
const SHORT: Duration = Duration::from_secs(1);

/// Keeps one run.
pub struct Keeper {
    cancel: CancelToken,
    stop: Option<(Instant, Duration)>,
    /// As it was when this session began, but for the ledger, which the run has, and the number of sessions.
    earlier: Checkpoint,
    /// When this session began.
    start: Instant,
    store: Option<Arc<Store>>,
    /// Whether the file is to be written or nothing.
    asked: bool,
    /// Whether the folder of the file is made where it is missing: that of the platform is, another may be misspelt.
    own_folder: bool,
    saver: Option<Saver>,
    interval: Duration,
    next: Instant,
}

impl Keeper {
    /// Keeps nothing of a run.
    pub fn nothing(problem: &Problem, method: &dyn Method, options: &Options, start: Instant) -> Self {
        let interval = options.saving.interval.unwrap_or(INTERVAL);
        Self {
            cancel: options.cancel.clone(),
            stop: options.stop_after.map(|time| (start + time, time)),
            earlier: Checkpoint { sessions: 1, ..Checkpoint::new(problem, method) },
            start,
            store: None,
            asked: false,
            own_folder: false,
            saver: None,
            interval,
            next: Instant::now() + interval,
        }
    }

    /// Keeps a run as its options say, and looks for an earlier session of it. `again` says that this is the second run of
    /// a full verification.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] for a checkpoint of another run or another process, and one that cannot be read; one that
    /// cannot be written, where it was asked for.
    pub fn open(
        problem: &Problem,
        method: &dyn Method,
        options: &Options,
        start: Instant,
        again: bool,
        observe: &mut dyn FnMut(Event),
    ) -> Result<Self, Error> {
        let mut keeper = Self::nothing(problem, method, options, start);
        if again {
            // the time to stop is that of the whole
            keeper.start = Instant::now();
        }
        let Saving { place, restart, .. } = &options.saving;
        keeper.asked = matches!(place, Place::File(_)) || options.stop_after.is_some();
        let file = match place {
            Place::Nowhere => return Ok(keeper),
            Place::File(file) => file.clone(),
            Place::Default => match default_path(problem, method.name()) {
                Some(file) => file,
                None if keeper.asked => return Err(no_home()),
                None => return Ok(keeper),
            },
        };
        keeper.own_folder = *place == Place::Default;
        let file = link::target(&file);
        let store = Arc::new(Store::new(Disk, if again { second(&file) } else { file }));
        keeper.store = Some(Arc::clone(&store));
        if !keeper.asked && !store.exists() {
            return Ok(keeper);
        }
        keeper.begin(observe)?;
        if *restart {
            if let Some(aside) = store.restart(problem)? {
                observe(Event::Notice(format!("the old checkpoint is kept as {}", aside.display())));
            }
            return Ok(keeper);
        }
        let loaded = store.load(|checkpoint| checkpoint.fits(store.path(), problem, method))?;
        if let Some(notice) = loaded.notice {
            observe(Event::Warning(notice));
        }
        if let Some(mut checkpoint) = loaded.checkpoint {
            observe(Event::Notice(resuming(store.path(), &checkpoint)));
            observe(Event::Resumed(store.path().into()));
            checkpoint.sessions += 1;
            keeper.earlier = checkpoint;
        }
        Ok(keeper)
    }

    /// Takes the sum of the earlier sessions.
    pub fn ledger(&mut self) -> Ledger {
        std::mem::take(&mut self.earlier.ledger)
    }

    /// The earlier sessions.
    pub const fn earlier(&self) -> &Checkpoint {
        &self.earlier
    }

    /// When this session began.
    pub const fn start(&self) -> Instant {
        self.start
    }

    /// Looks whether it is time to stop, or to save.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] and [`Error::Stopped`]; [`Error::Checkpoint`] where another process keeps the same run.
    pub fn tick(
        &mut self,
        driven: &Driven,
        engines: &[Box<dyn Engine>],
        sample: Option<&Sample>,
        observe: &mut dyn FnMut(Event),
    ) -> Result<(), Error> {
        self.cancel.check()?;
        let now = Instant::now();
        if let Some((_, time)) = self.stop.filter(|&(at, _)| now >= at) {
            return Err(Error::Stopped(time));
        }
        if self.saver.is_none() && self.store.is_some() && now >= self.start + SHORT {
            self.begin(observe)?;
            self.still_alone()?;
        }
        let Some(saver) = &mut self.saver else { return Ok(()) };
        saver.hear(observe);
        if now >= self.next && !saver.is_busy() {
            self.next = now + self.interval;
            let checkpoint = self.checkpoint(driven, engines, sample);
            if let Some(saver) = &mut self.saver {
                saver.start(checkpoint);
            }
        }
        Ok(())
    }

    /// Saves at once what is done, if anything was saved before: something in that turned out to be wrong.
    pub fn save(
        &mut self,
        driven: &Driven,
        engines: &[Box<dyn Engine>],
        sample: Option<&Sample>,
        observe: &mut dyn FnMut(Event),
    ) {
        if let Some(saver) = &mut self.saver {
            // a save under way is about to make the file
            saver.settle(observe);
        }
        if !self.store.as_ref().is_some_and(|store| store.exists()) {
            return;
        }
        let checkpoint = self.checkpoint(driven, engines, sample);
        if let Some(saver) = &mut self.saver {
            // the generation before it may be wrong too
            saver.start(checkpoint.clone());
            saver.finish(checkpoint, observe);
        }
    }

    /// Saves what is done of a run that ends before it is done, and says so. What two counts disagree on is set aside: no
    /// later run may go on from it unasked.
    pub fn stop(
        &mut self,
        why: Error,
        driven: &Driven,
        engines: &[Box<dyn Engine>],
        sample: Option<&Sample>,
        observe: &mut dyn FnMut(Event),
    ) -> Error {
        self.earlier.faults.note(&why);
        // a block that was taken out may be the only one, and be in the file still
        let nothing = driven.ledger.blocks == 0 && !self.store.as_ref().is_some_and(|store| store.exists());
        if matches!(why, Error::Checkpoint { .. }) || nothing {
            return why;
        }
        let disagree = matches!(why, Error::Disagree { .. });
        if self.saver.is_none()
            && (disagree || self.begin(observe).and_then(|()| self.still_alone()).is_err())
        {
            return if self.asked { lost(why) } else { why };
        }
        let checkpoint = self.checkpoint(driven, engines, sample);
        let (done, blocks) = (checkpoint.done(), checkpoint.blocks);
        let (Some(saver), Some(store)) = (&mut self.saver, &self.store) else { return why };
        let saved = saver.finish(checkpoint, observe);
        if disagree {
            self.suspect(observe);
        } else if saved {
            observe(Event::Saved { file: store.path().into(), done, blocks });
        } else {
            return lost(why);
        }
        why
    }

    /// Gives the checkpoint, if there is one, another name: something in it may be wrong.
    pub fn suspect(&self, observe: &mut dyn FnMut(Event)) {
        match self.store.as_ref().map(|store| store.set_aside(".suspect")) {
            Some(Ok(Some(aside))) => observe(Event::Warning(format!(
                "the checkpoint is kept as {}, and no later run goes on from it; `ferz checkpoint verify` finds \
                 blocks that are wrong",
                aside.display()
            ))),
            Some(Err(error)) => observe(Event::Warning(error.to_string())),
            Some(Ok(None)) | None => {}
        }
    }

    /// Saves the whole of a run that was saved before, and names the file: it answers until it is discarded.
    pub fn complete(
        &mut self,
        driven: &Driven,
        engines: &[Box<dyn Engine>],
        sample: Option<&Sample>,
        observe: &mut dyn FnMut(Event),
    ) -> Option<PathBuf> {
        // a save under way is about to make the file
        self.saver.as_mut()?.settle(observe);
        let store = self.store.as_ref().filter(|store| store.exists())?;
        let file = store.path().into();
        let checkpoint = self.checkpoint(driven, engines, sample);
        self.saver.as_mut()?.finish(checkpoint, observe);
        Some(file)
    }

    /// Takes the lock and starts the saver.
    fn begin(&mut self, observe: &mut dyn FnMut(Event)) -> Result<(), Error> {
        let Some(store) = &self.store else { return Ok(()) };
        let file = store.path().display();
        let folder = folder_of(store.path());
        if !self.own_folder && !folder.exists() {
            return Err(Error::checkpoint(
                format!("{file} cannot be written: there is no folder {}", folder.display()),
                "make the folder, or give a file in another one by --checkpoint",
            ));
        }
        match Saver::open(store) {
            Ok(Some(saver)) => self.saver = Some(saver),
            Ok(None) => {
                return Err(Error::checkpoint(
                    format!("{file} is in use by another ferz, which counts the same"),
                    "wait for it, or give another file by --checkpoint, or none by --no-checkpoint",
                ));
            }
            Err(error) if self.asked => {
                return Err(Error::checkpoint(
                    format!("{file} cannot be written: {error}"),
                    "give a file in another folder by --checkpoint",
                ));
            }
            Err(error) => {
                observe(Event::Warning(format!(
                    "{file} cannot be written, so the count is not saved: {error}"
                )));
                self.store = None;
            }
        }
        Ok(())
    }

    /// Whether no other process has saved the same run since this one began without it.
    fn still_alone(&self) -> Result<(), Error> {
        match &self.store {
            Some(store) if store.exists() => Err(Error::checkpoint(
                format!("another ferz has saved the same count in {} meanwhile", store.path().display()),
                "run the command again to go on from there",
            )),
            _ => Ok(()),
        }
    }

    /// What is done, of all sessions.
    fn checkpoint(
        &self,
        driven: &Driven,
        engines: &[Box<dyn Engine>],
        sample: Option<&Sample>,
    ) -> Checkpoint {
        let (recounted, offered) = sample.map_or((0, 0), |sample| (sample.settled, sample.offered));
        let earlier = &self.earlier;
        Checkpoint {
            ledger: driven.ledger.clone(),
            sampled: (earlier.sampled.0 + recounted, earlier.sampled.1 + offered),
            elapsed: earlier.elapsed + self.start.elapsed(),
            devices: devices(earlier, engines, &driven.visits),
            faults: faults(earlier, engines, driven),
            saved: SystemTime::now(),
            writer: Checkpoint::WRITER.into(),
            ..earlier.clone()
        }
    }
}

/// The faults of all sessions.
pub fn faults(earlier: &Checkpoint, engines: &[Box<dyn Engine>], driven: &Driven) -> Faults {
    let own = Faults { disagreed: driven.disputes.met, ..Faults::default() };
    engines.iter().fold(earlier.faults.and(own), |faults, engine| faults.and(engine.faults()))
}

/// The devices of all sessions with their visits.
pub fn devices(
    earlier: &Checkpoint,
    engines: &[Box<dyn Engine>],
    visits: &[u128],
) -> Vec<(DeviceInfo, u128)> {
    let mut devices = earlier.devices.clone();
    for (engine, &more) in engines.iter().zip(visits) {
        let device = engine.device();
        match devices.iter_mut().find(|(known, _)| *known == device) {
            Some((_, visits)) => *visits += more,
            None => devices.push((device, more)),
        }
    }
    devices
}

/// The method of an earlier session, where the options leave it open: `join` or `search`, the first of them if there are
/// two checkpoints.
pub fn method_before(problem: &Problem, options: &Options, first: &'static str) -> Option<String> {
    let peek = |file: PathBuf| {
        Store::new(Disk, link::target(&file)).peek().filter(|found| found.problem == *problem)
    };
    match &options.saving.place {
        _ if options.saving.restart => None,
        Place::Nowhere => None,
        Place::File(file) => Some(peek(file.clone())?.method),
        Place::Default => {
            let other = if first == "join" { "search" } else { "join" };
            [first, other].into_iter().find_map(|method| Some(peek(default_path(problem, method)?)?.method))
        }
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

/// What a run ends with that was to be saved and is not: it was stopped, but nobody may rely on it.
fn lost(why: Error) -> Error {
    match why {
        Error::Stopped(_) => {
            Error::Internal(format!("{why}, but what was counted since the last save is lost"))
        }
        why => why,
    }
}

fn no_home() -> Error {
    Error::checkpoint(
        "no state folder is known on this machine, so the count cannot be saved",
        "give a file by --checkpoint",
    )
}

#[cfg(test)]
mod tests;
