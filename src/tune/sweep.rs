//! Finds a tuning by measurement.
//!
//! The choices are made one after the other, each on top of those before it. In each of [`ROUNDS`] rounds every candidate
//! counts the same board once, in an order that turns from round to round, so that a clock that drifts favours none.
//! A candidate is compared with the default of the same round. The one with the smallest median quotient is taken if it
//! is [`MIN_GAIN`] faster than the default, and faster in all rounds but one: noise alone seldom does both.
//!
//! Nothing here depends on what a choice is: a candidate is a [`Tuning`] with one choice made.
//!
//! Every run is a whole count, which is compared with the published one.

use std::time::Duration;

use crate::{
    Error,
    bench::{Case, Clock, Counter, Series, Stats, Task, case::LARGEST, run_once, suite::max_growth},
    engine::tuning::Tuning,
};

/// The part of the time of counting that a choice must save.
pub const MIN_GAIN: f64 = 0.05;

/// Comparisons of a candidate with the default.
pub const ROUNDS: usize = 7;

/// The board that is timed first; larger ones follow as long as there is time.
const SMALLEST: u32 = 8;

/// The fastest candidate besides the default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fastest {
    /// The candidate.
    pub tuning: Tuning,
    /// The part of the time of counting that it saves, the median of the rounds; below 0 it takes longer.
    pub gain: f64,
    /// Rounds in which it was faster than the default.
    pub wins: usize,
}

impl Fastest {
    /// Of candidates, the default first, and the seconds that each took in each round; none where there is no other.
    fn of(candidates: &[Tuning], rounds: &[Vec<f64>]) -> Option<Self> {
        let rate = |at: usize| {
            let quotient = |times: &Vec<f64>| times[at] / times[0].max(f64::MIN_POSITIVE);
            let quotients: Vec<f64> = rounds.iter().map(quotient).collect();
            let wins = quotients.iter().filter(|&&quotient| quotient < 1.0).count();
            Self { tuning: candidates[at], gain: 1.0 - Stats::of(&quotients).median, wins }
        };
        (1..candidates.len()).map(rate).max_by(|a, b| a.gain.total_cmp(&b.gain))
    }

    /// Whether it is taken in place of the default.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        self.gain >= MIN_GAIN && self.wins + 1 >= ROUNDS
    }
}

/// What was found of one choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// The default.
    pub default: Tuning,
    /// The fastest of the other candidates; none where time ran out before.
    pub fastest: Option<Fastest>,
}

/// What was found of a method on a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The board that was counted.
    pub n: u32,
    /// The choices that are better than the defaults.
    pub tuning: Tuning,
    /// Each choice.
    pub findings: Vec<Finding>,
}

/// Tries all candidates of each choice, the default first, within about `time`.
///
/// # Errors
///
/// [`Error::Disagree`] for a wrong count, and any error of the counter.
pub fn sweep(
    series: &Series,
    choices: &[Vec<Tuning>],
    time: Duration,
    counter: &mut dyn Counter,
    clock: &dyn Clock,
) -> Result<Sweep, Error> {
    let end = clock.now() + time;
    let mut timer = Timer { series, counter, clock, end };
    let runs = ROUNDS * choices.iter().map(Vec::len).sum::<usize>();
    // the first board that takes too long takes as long as some of the others
    let n = timer.board(time.as_secs_f64() / (runs as f64 + max_growth(series.method)))?;
    let mut sweep = Sweep { n, tuning: Tuning::default(), findings: Vec::new() };
    for candidates in choices {
        let rounds = timer.rounds(n, candidates, sweep.tuning)?;
        let fastest = rounds.and_then(|rounds| Fastest::of(candidates, &rounds));
        if let Some(taken) = fastest.filter(Fastest::is_taken) {
            sweep.tuning = taken.tuning.or(sweep.tuning);
        }
        sweep.findings.push(Finding { default: candidates[0], fastest });
    }
    Ok(sweep)
}

struct Timer<'a> {
    series: &'a Series,
    counter: &'a mut dyn Counter,
    clock: &'a dyn Clock,
    /// When no further round begins.
    end: Duration,
}

impl Timer<'_> {
    fn is_over(&self) -> bool {
        self.clock.now() >= self.end
    }

    /// Counts once: seconds of setup and of counting.
    fn run(&mut self, n: u32, tuning: Tuning) -> Result<(f64, f64), Error> {
        let case = Case { n, task: Task::Count, series: self.series.clone(), tuning: Some(tuning) };
        let (wall, run) = run_once(&case, self.counter, self.clock)?;
        let setup = run.setup.as_secs_f64().min(wall);
        Ok((setup, wall - setup))
    }

    /// The largest board that can be counted in `share` seconds; the next one is counted too.
    fn board(&mut self, share: f64) -> Result<u32, Error> {
        for n in SMALLEST..=LARGEST {
            let (setup, counting) = self.run(n, Tuning::default())?;
            // where setup takes most of the time, fewer choices are measured on a board large enough to show a difference
            if counting > (share - setup).max(share / 2.0) {
                return Ok(SMALLEST.max(n - 1));
            }
            if self.is_over() {
                return Ok(n);
            }
        }
        Ok(LARGEST)
    }

    /// Seconds of each candidate in each round, on top of the choices made before; none where time runs out.
    fn rounds(
        &mut self,
        n: u32,
        candidates: &[Tuning],
        base: Tuning,
    ) -> Result<Option<Vec<Vec<f64>>>, Error> {
        let mut rounds = Vec::new();
        for round in 0..ROUNDS {
            if self.is_over() {
                return Ok(None);
            }
            let mut times = vec![0.0; candidates.len()];
            let mut order: Vec<usize> = (0..candidates.len()).collect();
            if round % 2 == 1 {
                order.reverse();
            }
            for at in order {
                times[at] = self.run(n, candidates[at].or(base))?.1;
            }
            rounds.push(times);
        }
        Ok(Some(rounds))
    }
}

#[cfg(test)]
mod tests;
