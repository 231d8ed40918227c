//! A rate over the last while.

use std::{collections::VecDeque, time::Duration};

/// Samples in a window.
const STEPS: u32 = 64;

/// Samples a rate is made of at least, once there are that many: the times at which blocks end are chance.
const LEAST: usize = 8;

/// Ends of blocks until which a rate is that since the start.
const SETTLED: u32 = 32;

/// What was done by when; the first sample is the start at first.
#[derive(Debug)]
pub struct Window {
    samples: VecDeque<(Duration, u128)>,
    ends: u32,
}

impl Window {
    /// Begins with nothing done.
    pub fn new(now: Duration) -> Self {
        Self { samples: VecDeque::from([(now, 0)]), ends: 0 }
    }

    /// Notes what is done in all at the end of a block, where the window is `span` long.
    pub fn push(&mut self, now: Duration, total: u128, span: Duration) {
        let before = self.samples.len().checked_sub(2).map(|at| self.samples[at].0);
        match self.samples.back_mut() {
            // the newest is kept, and others a step apart
            Some(newest) if before.is_some_and(|before| now.saturating_sub(before) < span / STEPS) => {
                *newest = (now, total);
            }
            _ => self.samples.push_back((now, total)),
        }
        self.ends = self.ends.saturating_add(1);
        if self.ends == SETTLED && self.samples.len() > LEAST {
            self.samples.pop_front();
        }
        while self.samples.len() > LEAST && self.samples[1].0 + span < now {
            self.samples.pop_front();
        }
    }

    /// What is done a second, from the end of a block to the end of another; a wait longer than any before is part of
    /// the time too. While that is the time since the start, what is under way has had a part in it: `begun` is done of
    /// that. None before anything is done.
    pub fn rate(&self, now: Duration, begun: f64) -> Option<f64> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let pairs = self.samples.iter().zip(self.samples.iter().skip(1));
        let longest = pairs.map(|(before, after)| after.0.saturating_sub(before.0)).max()?;
        let end = last.0.max(now.saturating_sub(longest));
        let time = end.saturating_sub(first.0).as_secs_f64();
        let done = last.1.saturating_sub(first.1) as f64;
        let begun = if self.ends < SETTLED { begun } else { 0.0 };
        (time > 0.0 && done > 0.0).then(|| (done + begun) / time)
    }
}
