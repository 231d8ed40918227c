//! How far a run is: fed by the run loop, read by whoever observes the run.
//!
//! Progress moves with the expected cost of the blocks that are done. The remaining time is that of the remaining cost,
//! corrected by the visits that the blocks done took, at the rate of the last while. No clock is read here: times are
//! given, counted from the start of the run.

mod costs;
mod throttle;
mod window;

use std::time::Duration;

use strum::Display;

pub use self::throttle::Throttled;
use self::{costs::Costs, throttle::Throttle, window::Window};
use crate::ledger::Ledger;

/// Time from one report to the next, and to the first: a run that is done before is not worth a look at its costs.
const EVERY: Duration = Duration::from_millis(100);
const FIRST: Duration = Duration::from_millis(900);

/// The time over which the reported rate is taken.
const RATE_SPAN: Duration = Duration::from_secs(10);

/// The time over which the rate behind the remaining time is taken: at least this long, and this part of the run.
const ETA_SPAN: Duration = Duration::from_secs(60);
const ETA_PART: u32 = 10;

/// The part of the cost for which the expectation is held against what the first blocks took.
const TRUST: f64 = 0.05;

/// The part of blocks under way that is done: on a processor half of them wait, and the others are half done.
const BEGUN: f64 = 0.25;

/// What a run is doing.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// A device is opened, its kernels are compiled and tested.
    #[strum(serialize = "compiling kernels")]
    Compiling,
    /// The first blocks are built: the lists of the join, the prefixes of the search.
    #[strum(serialize = "building blocks")]
    Building,
    /// Blocks are counted.
    #[strum(serialize = "counting")]
    Counting,
    /// All blocks are counted; the recounts of the sample are awaited.
    #[strum(serialize = "verifying")]
    Verifying,
    /// The whole count once more, whose progress starts from 0 again.
    #[strum(serialize = "counting again")]
    Again,
    /// Symmetric solutions are counted, for the counts by class.
    #[strum(serialize = "counting symmetric solutions")]
    Symmetric,
}

/// How far a count is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// The part of the expected cost that is done, from 0 to 1. It never falls within a phase.
    pub share: f64,
    /// Queens placed, in earlier sessions too.
    pub visits: u128,
    /// Queens placed a second, over the last 10 seconds or so; none before there is something to tell.
    pub rate: Option<f64>,
    /// Time since the start of the run.
    pub elapsed: Duration,
    /// Time to the end as far as can be told.
    pub eta: Option<Duration>,
    /// The sum over the blocks that are done.
    pub sum: u128,
    /// Blocks that are done.
    pub done: u64,
    /// Blocks in all.
    pub blocks: u64,
}

/// Measures one count.
pub struct Meter<'a> {
    blocks: u64,
    cost: &'a dyn Fn(u64) -> f64,
    /// Looked up at the first report.
    costs: Option<Costs>,
    /// Blocks that were done before that.
    early: Vec<u64>,
    /// Expected cost of all that is done, and of what this session did.
    done: f64,
    session: f64,
    /// Visits of this session.
    visits: u128,
    short: Window,
    long: Window,
    latest: Duration,
    share: f64,
    next: Duration,
    throttle: Throttle,
}

impl<'a> Meter<'a> {
    /// Begins to measure `blocks` blocks of an expected `cost` each at the time `now`. Blocks that were counted in an earlier session are those that are in the
    /// ledger at the first report, but were never told of by [`Meter::finished`].
    #[must_use]
    pub fn new(blocks: u64, cost: &'a dyn Fn(u64) -> f64, now: Duration) -> Self {
        Self {
            blocks,
            cost,
            costs: None,
            early: Vec::new(),
            done: 0.0,
            session: 0.0,
            visits: 0,
            short: Window::new(now),
            long: Window::new(now),
            latest: now,
            share: 0.0,
            next: now + FIRST,
            throttle: Throttle::new(),
        }
    }

    /// Notes that block `number` is done, which took a kernel `visits`. Says so where the rate has fallen.
    pub fn finished(&mut self, now: Duration, number: u64, kernel: usize, visits: u128) -> Option<Throttled> {
        match &self.costs {
            Some(costs) => {
                self.done += costs.at(number);
                self.session += costs.at(number);
            }
            None => self.early.push(number),
        }
        self.visits += visits;
        self.latest = now;
        self.short.push(now, self.visits, RATE_SPAN);
        self.long.push(now, self.visits, ETA_SPAN.max(now / ETA_PART));
        self.throttle.finished(now, kernel, self.visits)
    }

    /// Notes that block `number`, which was done, is to be counted again.
    pub fn taken_out(&mut self, number: u64) {
        match &self.costs {
            Some(costs) => {
                self.done -= costs.at(number);
                self.session -= costs.at(number);
            }
            None => self.early.retain(|&early| early != number),
        }
    }

    /// How far the run is, if it is time to tell: about ten times a second. `under_way` are the blocks that devices have.
    pub fn report(
        &mut self,
        now: Duration,
        ledger: &Ledger,
        under_way: &mut dyn Iterator<Item = u64>,
    ) -> Option<Progress> {
        if now < self.next {
            return None;
        }
        self.next = now + EVERY;
        Some(self.progress(now, ledger, under_way))
    }

    /// The last report of a run that is done, where there was one before.
    pub fn last(&mut self, now: Duration, ledger: &Ledger) -> Option<Progress> {
        self.costs.is_some().then(|| self.progress(now, ledger, &mut std::iter::empty()))
    }

    /// What has been noted about the rate.
    #[must_use]
    pub fn into_throttled(self) -> Vec<Throttled> {
        self.throttle.into_notes()
    }

    fn progress(
        &mut self,
        now: Duration,
        ledger: &Ledger,
        under_way: &mut dyn Iterator<Item = u64>,
    ) -> Progress {
        let costs = match self.costs.take() {
            Some(costs) => costs,
            None => {
                let costs = Costs::of(self.blocks, self.cost);
                // from 0.0, as an empty sum of floating-point numbers is -0.0
                self.done = (0..self.blocks).filter(|&n| ledger.has(n)).fold(0.0, |sum, n| sum + costs.at(n));
                self.session = self.early.drain(..).fold(0.0, |sum, n| sum + costs.at(n));
                costs
            }
        };
        let blocks = self.blocks;
        let share = if ledger.blocks == blocks { 1.0 } else { self.done / costs.total() };
        // sums of floating-point numbers
        self.share = share.clamp(self.share, 1.0);
        let left = if ledger.blocks == blocks { 0.0 } else { (costs.total() - self.done).max(0.0) };
        let trust = TRUST * costs.total();
        let ratio = (self.visits as f64 + trust) / (self.session + trust);
        let begun = ratio * BEGUN * under_way.map(|number| costs.at(number)).sum::<f64>();
        let eta = self.long.rate(now, begun).and_then(|rate| {
            let from_latest = Duration::try_from_secs_f64((left * ratio - begun).max(0.0) / rate).ok()?;
            Some(from_latest.saturating_sub(now.saturating_sub(self.latest)))
        });
        self.costs = Some(costs);
        Progress {
            share: self.share,
            visits: ledger.visits,
            rate: self.short.rate(now, begun),
            elapsed: now,
            eta,
            sum: ledger.count,
            done: ledger.blocks,
            blocks,
        }
    }
}

#[cfg(test)]
mod tests;
