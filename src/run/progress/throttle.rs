//! Detects when a run has become slower than it was: a device too hot, or other work on the machine.

use std::{collections::BTreeMap, time::Duration};

/// The time and the number of blocks over which a rate is taken.
const SPAN: Duration = Duration::from_secs(60);
const LEAST_BLOCKS: u32 = 16;

/// Spans that must be known before another is compared with them, and the most that are remembered of a kernel.
const LEAST_PAST: usize = 2;
const MOST_PAST: usize = 240;

/// The part of the earlier rate below which the run counts as throttled.
const FALLEN: f64 = 0.7;

/// Time from one note to the next.
const EVERY: Duration = Duration::from_secs(3600);

/// A rate that fell more than 30 % below what it had been, for a minute.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Throttled {
    /// When it was seen, from the start of the run.
    pub after: Duration,
    /// Queens placed a second, over the minute.
    pub rate: f64,
    /// Earlier rate in queens placed a second: the upper quartile of past minutes.
    pub before: f64,
}

/// Compares each minute with the earlier ones of the same kernel: kernels differ in what a visit takes.
#[derive(Debug, Default)]
pub struct Throttle {
    span: Option<Span>,
    /// Rates of each kernel.
    past: BTreeMap<usize, Vec<f64>>,
    notes: Vec<Throttled>,
}

/// A minute under way; it begins and ends with the end of a block.
#[derive(Debug)]
struct Span {
    begin: Duration,
    visits: u128,
    kernel: usize,
    blocks: u32,
}

impl Throttle {
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes the end of a block, at which there are `visits` in all. Says so where the rate has fallen, at most once
    /// an hour.
    pub fn finished(&mut self, now: Duration, kernel: usize, visits: u128) -> Option<Throttled> {
        let begun = Span { begin: now, visits, kernel, blocks: 0 };
        let span = match &mut self.span {
            Some(span) if span.kernel == kernel => span,
            // a minute of two kernels is like no other
            _ => {
                self.span = Some(begun);
                return None;
            }
        };
        span.blocks += 1;
        let time = now.saturating_sub(span.begin);
        if time < SPAN || span.blocks < LEAST_BLOCKS {
            return None;
        }
        let rate = visits.saturating_sub(span.visits) as f64 / time.as_secs_f64();
        *span = begun;
        let past = self.past.entry(kernel).or_default();
        let before = upper_quartile(past);
        if past.len() < MOST_PAST {
            past.push(rate);
        }
        let before = before.filter(|before| rate < FALLEN * before)?;
        if self.notes.last().is_some_and(|note| now.saturating_sub(note.after) < EVERY) {
            return None;
        }
        let note = Throttled { after: now, rate, before };
        self.notes.push(note);
        Some(note)
    }

    /// All notes.
    pub fn into_notes(self) -> Vec<Throttled> {
        self.notes
    }
}

/// The rate that a quarter of the others pass: the best one may be chance.
fn upper_quartile(past: &[f64]) -> Option<f64> {
    let mut sorted = past.to_vec();
    sorted.sort_by(f64::total_cmp);
    (past.len() >= LEAST_PAST).then(|| sorted[sorted.len() * 3 / 4])
}
