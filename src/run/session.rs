//! One session of a run: what it counts with, what it has counted, and what becomes of that.

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use super::{
    check::{
        disputes::Disputes,
        recount::{RAISED, Recounts},
        verdict::{Sampled, Verification, verify},
    },
    event::Event,
    options::{Options, Verify},
    outcome::{DeviceShare, Outcome},
    progress::Throttled,
    save::keeper::Keeper,
};
use crate::{
    CancelToken, Error,
    checkpoint::Checkpoint,
    engine::{DeviceInfo, Engine, Faults},
    ledger::Ledger,
    method::Method,
};

/// How a run is checked, and when it ends.
#[derive(Clone, Debug)]
pub struct Rules {
    /// What is checked.
    pub verify: Verify,
    /// Whether the first unit that is wrong ends the run.
    pub strict: bool,
    /// Ends it.
    pub cancel: CancelToken,
    /// When it ends, and after how long that is.
    stop: Option<(Instant, Duration)>,
}

impl Rules {
    /// Those of a run that began at `start`.
    pub fn new(options: &Options, start: Instant) -> Self {
        Self {
            verify: options.verify,
            strict: options.strict,
            cancel: options.cancel.clone(),
            stop: options.stop_after.map(|time| (start + time, time)),
        }
    }

    /// Whether the run may go on.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] and [`Error::Stopped`].
    pub fn check(&self) -> Result<(), Error> {
        self.cancel.check()?;
        match self.stop {
            Some((at, time)) if Instant::now() >= at => Err(Error::Stopped(time)),
            _ => Ok(()),
        }
    }
}

/// One session of a run.
pub struct Session<'a> {
    /// How it counts.
    pub method: Arc<dyn Method>,
    /// The threads of the CPU.
    pub pool: Arc<rayon::ThreadPool>,
    /// What counts.
    pub engines: &'a mut [Box<dyn Engine>],
    /// The sum, over earlier sessions too.
    pub ledger: Ledger,
    /// Visits of each engine in this session, in their order.
    pub visits: Vec<u128>,
    /// The sample of units that are recounted; none where nothing is checked.
    pub recounts: Option<Recounts>,
    /// What differed from the reference in this session.
    pub disputes: Disputes,
    /// When the rate had fallen.
    pub throttled: Vec<Throttled>,
    /// How it is checked, and when it ends.
    pub rules: Rules,
    /// Receives what happens.
    pub observe: &'a mut dyn FnMut(Event),
    /// What it is saved by.
    pub keeper: Keeper,
    /// As earlier sessions left it, but for the ledger and the number of sessions.
    earlier: Checkpoint,
    start: Instant,
    /// Time of this session before the first block.
    setup: Duration,
}

impl<'a> Session<'a> {
    /// Begins where `earlier` sessions ended, with engines that were opened since `start`.
    pub fn new(
        method: Arc<dyn Method>,
        pool: Arc<rayon::ThreadPool>,
        engines: &'a mut [Box<dyn Engine>],
        (keeper, mut earlier): (Keeper, Checkpoint),
        rules: Rules,
        start: Instant,
        observe: &'a mut dyn FnMut(Event),
    ) -> Self {
        let mut recounts = Recounts::new(&method, &pool, rules.verify.sample());
        if let Some(recounts) = recounts.as_mut().filter(|_| earlier.faults.disagreed > 0) {
            recounts.raise();
            observe(Event::Warning(format!(
                "results came out wrong in an earlier session: up to {RAISED} times as many units are recounted as else"
            )));
        }
        Self {
            visits: vec![0; engines.len()],
            recounts,
            ledger: std::mem::take(&mut earlier.ledger),
            disputes: Disputes::new(rules.strict),
            throttled: Vec::new(),
            setup: start.elapsed(),
            method,
            pool,
            engines,
            keeper,
            rules,
            observe,
            earlier,
            start,
        }
    }

    /// Reports what happens.
    pub fn tell(&mut self, event: Event) {
        (self.observe)(event);
    }

    /// Time of this session.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Saves where it is time to.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] where another process keeps the same run.
    pub fn keep(&mut self) -> Result<(), Error> {
        if self.keeper.is_due(self.start.elapsed(), self.observe)? {
            self.keeper.start(self.checkpoint());
        }
        Ok(())
    }

    /// Saves at once what is done, if anything was saved before: something in that turned out to be wrong.
    pub fn save_again(&mut self) {
        if self.keeper.written(self.observe).is_some() {
            let checkpoint = self.checkpoint();
            // the generation before it may be wrong too
            self.keeper.start(checkpoint.clone());
            self.keeper.finish(checkpoint, self.observe);
        }
    }

    /// Saves what is done of a run that ends early, and returns why.
    pub fn stop(&mut self, why: Error) -> Error {
        self.earlier.faults.note(&why);
        // a block that was taken out may be the only one, and be in the file still
        if self.ledger.blocks == 0 && !self.keeper.exists() {
            return why;
        }
        let checkpoint = self.checkpoint();
        self.keeper.stop(why, checkpoint, self.observe)
    }

    /// Saves a finished run if it was saved before, and returns the file: later runs take the count from it until it is
    /// discarded.
    pub fn complete(&mut self) -> Option<PathBuf> {
        let file = self.keeper.written(self.observe)?;
        let checkpoint = self.checkpoint();
        self.keeper.finish(checkpoint, self.observe);
        Some(file)
    }

    /// Compares the sum with what is known, and says how far it can be trusted.
    ///
    /// # Errors
    ///
    /// [`Error::Disagree`] where they differ.
    pub fn verify(&self) -> Result<Verification, Error> {
        let (recounted, of) = self.earlier.sampled;
        let sampled = self.recounts.as_ref().map(|recounts| Sampled {
            recounted: recounted + recounts.drawn,
            of: of + recounts.offered,
            too_large: recounts.too_large,
            disagreed: self.faults().disagreed,
        });
        verify(&self.earlier.problem, self.ledger.count, self.rules.verify, sampled)
    }

    /// What is done, of all sessions.
    fn checkpoint(&self) -> Checkpoint {
        let (recounted, of) = self.earlier.sampled;
        let (more, of_more) = self.recounts.as_ref().map_or((0, 0), |own| (own.settled, own.offered));
        Checkpoint {
            ledger: self.ledger.clone(),
            sampled: (recounted + more, of + of_more),
            elapsed: self.earlier.elapsed + self.elapsed(),
            devices: self.devices(),
            faults: self.faults(),
            saved: SystemTime::now(),
            writer: Checkpoint::WRITER.into(),
            ..self.earlier.clone()
        }
    }

    /// The result of a session that has counted all.
    pub fn outcome(&self, verification: Verification) -> Outcome {
        let (devices, elapsed) = (self.devices(), self.elapsed());
        let total = self.ledger.visits.max(1) as f64;
        let share = |visits: u128| if devices.len() == 1 { 1.0 } else { visits as f64 / total };
        let device = |(device, visits): &(DeviceInfo, u128)| {
            let engines = self.engines.iter().filter(|engine| engine.device() == *device);
            let dispatches = engines.filter_map(|engine| engine.dispatches());
            DeviceShare {
                device: device.clone(),
                share: share(*visits),
                dispatches: dispatches.reduce(|times, more| times.and(&more)),
            }
        };
        let (problem, count) = (&self.earlier.problem, self.ledger.count);
        Outcome {
            by_even_even: self.method.by_even_even(&self.ledger.buckets),
            visits: Some(self.ledger.visits),
            devices: devices.iter().map(device).collect(),
            blocks: self.ledger.blocks,
            throttled: self.throttled.clone(),
            sessions: self.earlier.sessions,
            faults: self.faults(),
            elapsed_total: self.earlier.elapsed + elapsed,
            elapsed,
            setup: self.setup,
            gpu: self.gpu_time(elapsed),
            ..Outcome::new(problem, self.method.name(), count, verification)
        }
    }

    /// The faults of all sessions.
    fn faults(&self) -> Faults {
        let own = Faults { disagreed: self.disputes.met, ..Faults::default() };
        let earlier = self.earlier.faults.and(own);
        self.engines.iter().fold(earlier, |faults, engine| faults.and(engine.faults()))
    }

    /// The devices of all sessions with their visits.
    fn devices(&self) -> Vec<(DeviceInfo, u128)> {
        let mut devices = self.earlier.devices.clone();
        for (engine, &more) in self.engines.iter().zip(&self.visits) {
            let device = engine.device();
            match devices.iter_mut().find(|(known, _)| *known == device) {
                Some((_, visits)) => *visits += more,
                None => devices.push((device, more)),
            }
        }
        devices
    }

    /// The time of the kernels, if it can be true: none of the GPUs can have worked longer than the run took.
    fn gpu_time(&self, elapsed: Duration) -> Result<Duration, &'static str> {
        let mut sum = Err("no GPU took part");
        for time in self.engines.iter().filter_map(|engine| engine.gpu_time()) {
            let time = time?;
            if time.is_zero() {
                return Err("the device's clock stood still");
            }
            if time > elapsed {
                return Err("the device's clock says more than the whole run took");
            }
            sum = Ok(sum.unwrap_or_default() + time);
        }
        sum
    }
}
