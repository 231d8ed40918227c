//! The run loop: next block -> engine -> ledger, until all blocks are done and the recounts have come out right.
//!
//! A block of which a recount came out otherwise is taken out of the sum at once and counted again as `disputes` says, so
//! that nothing that is saved holds a block that is known to be wrong.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    check::{
        disputes::{Next, Wrong},
        recount::{Counted, RAISED, Sample},
    },
    event::Event,
    feed::Feed,
    progress::{Meter, Phase},
    save::keeper::Keeper,
    session::Driven,
};
use crate::{
    Error,
    engine::{Engine, Faults, Finished, Ticket},
    method::{Block, Method},
};

/// The longest sleep in which nothing is looked at: bounds the time to react to a cancellation.
const NAP: Duration = Duration::from_millis(10);

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
    let phase = Phase::Building;
    observe(Event::Phase(phase));
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
        phase,
        taken_out: false,
    };
    loop {
        if std::mem::take(&mut team.taken_out) {
            keeper.save(team.driven, team.engines, team.sample.as_deref(), team.observe);
        }
        keeper.tick(team.driven, team.engines, team.sample.as_deref(), team.observe)?;
        team.tell();
        while let Some(at) = team.hungry() {
            let Some(block) = feed.take(Duration::ZERO)? else { break };
            team.give(at, Arc::new(block))?;
        }
        team.hear(Duration::ZERO)?;
        if team.collect()? {
            continue;
        }
        match team.hungry() {
            // a block may be ready before any engine is done
            Some(at) if feed.is_building() => {
                if let Some(block) = feed.take(NAP)? {
                    team.give(at, Arc::new(block))?;
                }
            }
            _ if team.pending.is_empty() => {
                team.verify();
                if team.is_settled() {
                    team.driven.ledger.check(method.blocks())?;
                    team.driven.throttled = team.meter.into_throttled();
                    return Ok(());
                }
                team.hear(NAP)?;
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
    /// As it was told last.
    phase: Phase,
    /// Whether a block was taken out of the sum since the last look: what was saved before is wrong.
    taken_out: bool,
}

impl Team<'_> {
    /// The first engine that wants more.
    fn hungry(&self) -> Option<usize> {
        self.engines.iter().position(|engine| engine.hungry())
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase != phase {
            self.phase = phase;
            (self.observe)(Event::Phase(phase));
        }
    }

    fn give(&mut self, at: usize, block: Arc<Block>) -> Result<(), Error> {
        self.enter(Phase::Counting);
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
        if let Some(wrong) = self.driven.disputes.still_wrong(block.number, &finished.tallies) {
            return self.count_again(at, block, wrong);
        }
        let added = self.driven.ledger.add(&block, &finished.tallies)?;
        self.driven.visits[at] += added.visits;
        let now = self.start.elapsed();
        if let Some(note) = self.meter.finished(now, block.number, block.kernel, added.visits) {
            (self.observe)(Event::Throttled(note));
        }
        let Some(sample) = &mut self.sample else { return Ok(()) };
        if self.driven.disputes.right(at, block.number) {
            sample.raise();
            (self.observe)(Event::Warning(format!(
                "block {} came out right when it was counted again; as other results of {} may be wrong too, up to \
                 {RAISED} times as many units are recounted from now on",
                block.number, self.names[at]
            )));
        }
        sample.offer(Counted { at, block, added }, &finished.tallies);
        Ok(())
    }

    /// Hears of recounts. A block of which one came out otherwise is taken out of the sum and counted again.
    fn hear(&mut self, wait: Duration) -> Result<(), Error> {
        let Some((counted, wrong)) = self.sample.as_mut().and_then(|sample| sample.hear(wait)) else {
            return Ok(());
        };
        let Counted { at, block, added } = counted;
        self.driven.ledger.remove(&added)?;
        self.driven.visits[at] -= added.visits;
        self.meter.taken_out(block.number);
        self.taken_out = true;
        self.count_again(at, block, wrong)
    }

    /// Counts a block again that came out wrong and is not in the sum.
    fn count_again(&mut self, at: usize, block: Arc<Block>, wrong: Wrong) -> Result<(), Error> {
        let (name, number, Wrong { unit, said, right }) = (self.names[at].clone(), block.number, wrong);
        let next = self.driven.disputes.wrong(at, &name, number, wrong)?;
        let how = match next {
            Next::OnNewDevice if self.engines[at].renew()? => "on the device opened anew",
            Next::OnNewDevice => "once more",
            Next::Again => "again",
        };
        (self.observe)(Event::Warning(format!(
            "recount of unit {unit} of block {number}: {name} says {said}, the reference says {right}; the block is \
             counted {how}"
        )));
        self.give(at, block)
    }

    /// Whether no recount is open.
    fn is_settled(&self) -> bool {
        self.sample.as_ref().is_none_or(|sample| sample.is_settled())
    }

    /// Tells how far the run is, now and then.
    fn tell(&mut self) {
        if self.phase == Phase::Verifying {
            return;
        }
        let mut under_way = self.pending.values().map(|block| block.number);
        let told = self.meter.report(self.start.elapsed(), &self.driven.ledger, &mut under_way);
        if let Some(progress) = told {
            (self.observe)(Event::Progress(progress));
        }
    }

    /// Tells that all is counted, and only recounts are awaited.
    fn verify(&mut self) {
        if self.phase == Phase::Verifying {
            return;
        }
        if let Some(progress) = self.meter.last(self.start.elapsed(), &self.driven.ledger) {
            (self.observe)(Event::Progress(progress));
        }
        self.enter(Phase::Verifying);
    }
}
