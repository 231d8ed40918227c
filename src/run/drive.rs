//! The run loop: next block -> engine -> ledger, until all blocks are done.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    Event,
    feed::Feed,
    keep::Keeper,
    progress::{Meter, Phase, Throttled},
    sample::Sample,
};
use crate::{
    Error, Faults,
    engine::{Engine, Finished, Ticket},
    ledger::Ledger,
    method::{Block, Method},
};

/// The longest sleep in which nothing is looked at: bounds the time to react to a cancellation.
const NAP: Duration = Duration::from_millis(10);

/// What the engines counted together.
pub struct Driven {
    /// The sum, over earlier sessions too.
    pub ledger: Ledger,
    /// Visits of each engine in this session, in their order.
    pub visits: Vec<u128>,
    /// When the rate had fallen.
    pub throttled: Vec<Throttled>,
}

/// Counts every block of a method that is not done yet once, on whichever engine asks for the next, and tells how far
/// that is. Where it fails, `driven` says how far it came.
pub fn drive(
    method: &Arc<dyn Method>,
    pool: &Arc<rayon::ThreadPool>,
    engines: &mut [Box<dyn Engine>],
    sample: Option<&mut Sample>,
    driven: &mut Driven,
    keeper: &mut Keeper,
    observe: &mut dyn FnMut(Event),
) -> Result<(), Error> {
    let names = engines.iter().map(|engine| engine.device().name).collect();
    let mut feed = Feed::new(Arc::clone(method), Arc::clone(pool), &driven.ledger);
    observe(Event::Phase(Phase::Building));
    let (cost, start) = (|number| method.cost(number), keeper.start());
    let meter = Meter::new(method.blocks(), &cost, start.elapsed());
    let faults = vec![Faults::default(); engines.len()];
    let mut team = Team {
        faults,
        engines,
        names,
        pending: HashMap::new(),
        driven,
        sample,
        start,
        meter,
        observe,
        given: false,
    };
    loop {
        keeper.tick(team.driven, team.engines, team.sample.as_deref(), team.observe)?;
        team.tell();
        while let Some(at) = team.hungry() {
            let Some(block) = feed.take(Duration::ZERO)? else { break };
            team.give(at, block)?;
        }
        if team.collect()? {
            continue;
        }
        match team.hungry() {
            // a block may be ready before any engine is done
            Some(at) if feed.is_building() => {
                if let Some(block) = feed.take(NAP)? {
                    team.give(at, block)?;
                }
            }
            _ if team.pending.is_empty() => {
                team.driven.ledger.check(method.blocks())?;
                team.end();
                return Ok(());
            }
            _ => team.wait()?,
        }
    }
}

/// The engines of a run, and what each has under way.
struct Team<'a> {
    engines: &'a mut [Box<dyn Engine>],
    names: Vec<String>,
    pending: HashMap<(usize, Ticket), Arc<Block>>,
    driven: &'a mut Driven,
    sample: Option<&'a mut Sample>,
    start: Instant,
    meter: Meter<'a>,
    observe: &'a mut dyn FnMut(Event),
    /// What each engine has got over, as it was told.
    faults: Vec<Faults>,
    /// Whether any block has been given to an engine.
    given: bool,
}

impl Team<'_> {
    /// The first engine that wants more.
    fn hungry(&self) -> Option<usize> {
        self.engines.iter().position(|engine| engine.hungry())
    }

    fn give(&mut self, at: usize, block: Block) -> Result<(), Error> {
        if !self.given {
            self.given = true;
            (self.observe)(Event::Phase(Phase::Counting));
        }
        let block = Arc::new(block);
        let ticket = self.engines[at].submit(Arc::clone(&block))?;
        self.pending.insert((at, ticket), block);
        Ok(())
    }

    /// Takes what is done already; whether there was anything.
    fn collect(&mut self) -> Result<bool, Error> {
        let mut any = false;
        for at in 0..self.engines.len() {
            while let Some(finished) = self.engines[at].poll(Duration::ZERO)? {
                any = true;
                self.add(at, finished)?;
            }
            self.look_after(at);
        }
        Ok(any)
    }

    /// Waits a while for an engine that has work under way.
    fn wait(&mut self) -> Result<(), Error> {
        let busy = self.pending.keys().map(|&(at, _)| at).min().unwrap_or(0);
        match self.engines[busy].poll(NAP)? {
            Some(finished) => self.add(busy, finished),
            None => Ok(()),
        }
    }

    /// Tells of a device that failed and was opened anew.
    fn look_after(&mut self, at: usize) {
        let now = self.engines[at].faults();
        if now != self.faults[at] {
            let Faults { lost, hung, damaged, .. } = now;
            let name = &self.names[at];
            (self.observe)(Event::Warning(format!(
                "device {name} failed and was opened anew; so far it was lost {lost} times, hung {hung} times, and \
                 gave damaged results {damaged} times"
            )));
            self.faults[at] = now;
        }
    }

    /// Adds a block to the sum and lets the sample draw from it.
    fn add(&mut self, at: usize, finished: Finished) -> Result<(), Error> {
        let block = self
            .pending
            .remove(&(at, finished.ticket))
            .ok_or_else(|| Error::Internal("an engine finished a block that it was not given".into()))?;
        let before = self.driven.ledger.visits;
        self.driven.ledger.add(&block, &finished.tallies)?;
        let visits = self.driven.ledger.visits - before;
        self.driven.visits[at] += visits;
        if let Some(note) = self.meter.finished(self.start.elapsed(), block.number, block.kernel, visits) {
            (self.observe)(Event::Throttled(note));
        }
        match &mut self.sample {
            Some(sample) => sample.offer(&block, &finished.tallies, &self.names[at]),
            None => Ok(()),
        }
    }

    /// Tells how far the run is, now and then.
    fn tell(&mut self) {
        let mut under_way = self.pending.values().map(|block| block.number);
        let told = self.meter.report(self.start.elapsed(), &self.driven.ledger, &mut under_way);
        if let Some(progress) = told {
            (self.observe)(Event::Progress(progress));
        }
    }

    /// Tells that all is done.
    fn end(mut self) {
        if let Some(progress) = self.meter.last(self.start.elapsed(), &self.driven.ledger) {
            (self.observe)(Event::Progress(progress));
        }
        (self.observe)(Event::Phase(Phase::Verifying));
        self.driven.throttled = self.meter.into_throttled();
    }
}
