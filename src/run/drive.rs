//! The run loop: next block -> engine -> ledger, until all blocks are done and the recounts have come out right.
//!
//! A block of which a recount differs is taken out of the sum at once and counted again as `disputes` says, so that nothing
//! that is saved holds a block that is known to be wrong.

use std::{collections::HashMap, sync::Arc, time::Duration};

use super::{
    check::{
        disputes::{Next, Wrong},
        recount::{Counted, RAISED},
    },
    event::Event,
    feed::Feed,
    progress::{Meter, Phase},
    session::Session,
};
use crate::{
    Error,
    engine::{Faults, Finished, Ticket, not_given},
    method::Block,
};

/// The longest sleep in which nothing is looked at: bounds the time to react to a cancellation.
const NAP: Duration = Duration::from_millis(10);

/// Counts every block of a session's method that is not done yet once, on whichever engine asks for the next, and tells
/// how far that is. Where it fails, the session says how far it came.
///
/// # Errors
///
/// Whatever ends the run before it is done.
pub fn drive(session: &mut Session) -> Result<(), Error> {
    let method = Arc::clone(&session.method);
    let cost = |number| method.cost(number);
    session.tell(Event::Phase(Phase::Building));
    let mut driver = Driver {
        names: session.engines.iter().map(|engine| engine.device().name).collect(),
        pending: HashMap::new(),
        meter: Meter::new(method.blocks(), &cost, session.elapsed()),
        faults: vec![Faults::default(); session.engines.len()],
        phase: Phase::Building,
        taken_out: false,
        session,
    };
    driver.run()?;
    driver.session.ledger.check(method.blocks())?;
    driver.session.throttled = driver.meter.into_throttled();
    Ok(())
}

/// A session at work, and what each engine has under way.
struct Driver<'a, 'b> {
    session: &'a mut Session<'b>,
    names: Vec<String>,
    pending: HashMap<(usize, Ticket), Arc<Block>>,
    meter: Meter<'a>,
    /// The faults of each engine that were reported.
    faults: Vec<Faults>,
    /// The phase that was reported last.
    phase: Phase,
    /// Whether a block was taken out of the sum since the last look: what was saved before is wrong.
    taken_out: bool,
}

impl Driver<'_, '_> {
    fn run(&mut self) -> Result<(), Error> {
        let Session { method, pool, ledger, .. } = &*self.session;
        let mut feed = Feed::new(Arc::clone(method), Arc::clone(pool), ledger);
        loop {
            if std::mem::take(&mut self.taken_out) {
                self.session.save_again();
            }
            self.session.rules.check()?;
            self.session.keep()?;
            self.report();
            while let Some(at) = self.hungry() {
                let Some(block) = feed.take(Duration::ZERO)? else { break };
                self.give(at, Arc::new(block))?;
            }
            self.receive_recounts(Duration::ZERO)?;
            if self.collect()? {
                continue;
            }
            match self.hungry() {
                // a block may be ready before any engine is done
                Some(at) if feed.is_building() => {
                    if let Some(block) = feed.take(NAP)? {
                        self.give(at, Arc::new(block))?;
                    }
                }
                _ if self.pending.is_empty() => {
                    self.report_verifying();
                    if self.session.recounts.as_ref().is_none_or(|recounts| recounts.is_settled()) {
                        return Ok(());
                    }
                    self.receive_recounts(NAP)?;
                }
                _ => self.wait()?,
            }
        }
    }

    /// The first engine that wants more.
    fn hungry(&self) -> Option<usize> {
        self.session.engines.iter().position(|engine| engine.hungry())
    }

    fn enter(&mut self, phase: Phase) {
        if self.phase != phase {
            self.phase = phase;
            self.session.tell(Event::Phase(phase));
        }
    }

    fn give(&mut self, at: usize, block: Arc<Block>) -> Result<(), Error> {
        self.enter(Phase::Counting);
        let ticket = self.session.engines[at].submit(Arc::clone(&block))?;
        self.pending.insert((at, ticket), block);
        Ok(())
    }

    /// Adds what is done already; whether there was anything.
    fn collect(&mut self) -> Result<bool, Error> {
        let mut any = false;
        for at in 0..self.session.engines.len() {
            while let Some(finished) = self.session.engines[at].poll(Duration::ZERO)? {
                any = true;
                self.add(at, finished)?;
            }
            self.report_faults(at);
        }
        Ok(any)
    }

    /// Waits a while for an engine that has work under way.
    fn wait(&mut self) -> Result<(), Error> {
        let busy = self.pending.keys().map(|&(at, _)| at).min().unwrap_or(0);
        match self.session.engines[busy].poll(NAP)? {
            Some(finished) => self.add(busy, finished),
            None => Ok(()),
        }
    }

    /// Reports a device that failed and was opened anew.
    fn report_faults(&mut self, at: usize) {
        let now = self.session.engines[at].faults();
        if now != self.faults[at] {
            let Faults { lost, hung, damaged, .. } = now;
            let name = &self.names[at];
            self.session.tell(Event::Warning(format!(
                "device {name} failed and was opened anew; so far it was lost {lost} times, hung {hung} times, and \
                 gave damaged results {damaged} times"
            )));
            self.faults[at] = now;
        }
    }

    /// Adds a block to the sum and lets the sample draw from it.
    fn add(&mut self, at: usize, finished: Finished) -> Result<(), Error> {
        let block = self.pending.remove(&(at, finished.ticket)).ok_or_else(not_given)?;
        let session = &mut *self.session;
        if let Some(wrong) = session.disputes.still_wrong(block.number, &finished.tallies) {
            return self.count_again(at, block, wrong);
        }
        let added = session.ledger.add(&block, &finished.tallies)?;
        session.visits[at] += added.visits;
        let now = session.elapsed();
        if let Some(note) = self.meter.finished(now, block.number, block.kernel, added.visits) {
            session.tell(Event::Throttled(note));
        }
        let Some(recounts) = &mut session.recounts else { return Ok(()) };
        if session.disputes.right(at, block.number) {
            recounts.raise();
            (session.observe)(Event::Warning(format!(
                "block {} came out right when it was counted again; as other results of {} may be wrong too, up to \
                 {RAISED} times as many units are recounted from now on",
                block.number, self.names[at]
            )));
        }
        recounts.offer(Counted { at, block, added }, &finished.tallies);
        Ok(())
    }

    /// Receives recounts. A block of which one differs is taken out of the sum and counted again.
    fn receive_recounts(&mut self, wait: Duration) -> Result<(), Error> {
        let recounts = self.session.recounts.as_mut();
        let Some((counted, wrong)) = recounts.and_then(|recounts| recounts.receive(wait)) else {
            return Ok(());
        };
        let Counted { at, block, added } = counted;
        self.session.ledger.remove(&added)?;
        self.session.visits[at] -= added.visits;
        self.meter.taken_out(block.number);
        self.taken_out = true;
        self.count_again(at, block, wrong)
    }

    /// Counts a block again that came out wrong and is not in the sum.
    fn count_again(&mut self, at: usize, block: Arc<Block>, wrong: Wrong) -> Result<(), Error> {
        let (name, number, Wrong { unit, said, right }) = (&self.names[at], block.number, wrong);
        let next = self.session.disputes.wrong(at, name, number, wrong)?;
        let how = match next {
            Next::OnNewDevice if self.session.engines[at].renew()? => "on the device opened anew",
            Next::OnNewDevice => "once more",
            Next::Again => "again",
        };
        self.session.tell(Event::Warning(format!(
            "recount of unit {unit} of block {number}: {name} says {said}, the reference says {right}; the block is \
             counted {how}"
        )));
        self.give(at, block)
    }

    /// Reports how far the run is, now and then.
    fn report(&mut self) {
        if self.phase == Phase::Verifying {
            return;
        }
        let mut under_way = self.pending.values().map(|block| block.number);
        let report = self.meter.report(self.session.elapsed(), &self.session.ledger, &mut under_way);
        if let Some(progress) = report {
            self.session.tell(Event::Progress(progress));
        }
    }

    /// Reports that all is counted, and only recounts are awaited.
    fn report_verifying(&mut self) {
        if self.phase == Phase::Verifying {
            return;
        }
        if let Some(progress) = self.meter.last(self.session.elapsed(), &self.session.ledger) {
            self.session.tell(Event::Progress(progress));
        }
        self.enter(Phase::Verifying);
    }
}
