//! Finds a tuning by measurement.
//!
//! The choices of a line are made one after the other, each on top of those before it. Those of its values that
//! make a difference on the board are timed in turns, and the slower half of them is left out until one remains (successive halving; Karnin, Koren, Somekh,
//! *Almost optimal exploration in multi-armed bandits*, ICML 2013). That one is then compared with what was chosen so
//! far, in pairs of fresh runs, so that the luck by which it won does not count, nor a clock that drifts. It is taken if
//! its gain, the median over the pairs, is more than [`ERRORS`] standard errors and [`LEAST_GAIN`]; else all stays. Where
//! noise leaves that open there are more pairs, as time allows.
//!
//! Every run is a whole count, which is compared with the published one.

use std::time::Duration;

use super::{
    Case, Clock, Counter, Line, Stats, Task,
    measure::wrong,
    plan::{LARGEST, most_growth},
};
use crate::{
    Error, MethodChoice, Problem,
    method::{Grain, Method as _, join::Join, search::Search},
    tuning::{Parameter, Tuning},
};

/// The gain that is worth a choice.
pub const LEAST_GAIN: f64 = 0.02;

/// The board that is timed first; larger ones follow as long as there is time.
const SMALLEST: u32 = 8;

/// Runs of each value in a round of halving.
const TURNS: usize = 2;

/// Standard errors that a gain must pass.
pub const ERRORS: f64 = 4.0;

/// Pairs of runs that may decide, the most there are, and those after which a value that was no faster is given up.
const PAIRS: usize = 7;
const MOST_PAIRS: usize = 25;
const HOPELESS: usize = 3;

/// By how much a value was faster.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct Gain {
    /// The part of the time of counting that it saves; below 0 it takes longer. The median of the pairs.
    pub value: f64,
    /// Its standard error: the deviation of the pairs by the root of their number.
    pub error: f64,
    /// Pairs of runs.
    pub pairs: usize,
}

impl Gain {
    /// Of the quotients of times, new by old; none without any.
    fn of(quotients: &[f64]) -> Option<Self> {
        let stats = Stats::of(quotients);
        let gain = Self {
            value: 1.0 - stats.median,
            error: stats.stddev.unwrap_or_default() / (quotients.len().max(1) as f64).sqrt(),
            pairs: quotients.len(),
        };
        (gain.pairs > 0 && gain.value.is_finite() && gain.error.is_finite()).then_some(gain)
    }

    /// Whether noise does not explain it.
    #[must_use]
    pub fn is_worth_it(&self) -> bool {
        self.pairs >= PAIRS && self.value > LEAST_GAIN.max(ERRORS * self.error)
    }
}

/// What was found about one choice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(serde::Serialize, serde::Deserialize))]
pub struct Finding {
    /// The choice.
    pub parameter: Parameter,
    /// The board that was counted.
    pub n: u32,
    /// What it is where nothing is tuned.
    pub default: u32,
    /// The best other value; none where there was no time to find it, or where none makes a difference on the board.
    pub tried: Option<u32>,
    /// Whether any other value makes a difference on the board.
    pub differs: bool,
    /// What is chosen.
    pub chosen: u32,
    /// By how much the best other value was faster than the default; none where there was no time to tell.
    pub gain: Option<Gain>,
}

/// What was found about a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// All that was chosen other than by default.
    pub tuning: Tuning,
    /// Each choice.
    pub findings: Vec<Finding>,
}

/// What is to be tuned, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Method and device.
    pub line: &'a Line,
    /// The most invocations of a workgroup that the device takes; of no matter for a CPU.
    pub most_lanes: u32,
    /// The time it should take at most; one run more is possible.
    pub time: Duration,
}

impl Subject<'_> {
    fn default(&self, parameter: Parameter) -> u32 {
        parameter.default_on(&self.line.device)
    }

    fn parameters(&self) -> &'static [Parameter] {
        Parameter::of(self.line.method(), self.line.index != 0)
    }

    /// A board, and what makes a difference on it.
    fn board(&self, n: u32) -> Result<Board, Error> {
        let (problem, threads) = (Problem::queens(n)?, self.line.threads.unwrap_or(1) as u64);
        let search = match self.line.method {
            MethodChoice::Join => None,
            _ => Some(Search::new(&problem, None, 1.0)?),
        };
        let most_lanes = self.most_lanes.min(Grain::MOST_LANES);
        let blocks = match &search {
            Some(search) => search.blocks(),
            None => Join::new(&problem)?.blocks(),
        };
        let effect = |parameter, value: u32| match (parameter, &search) {
            (Parameter::UnitVisits, Some(search)) => search.depth_for(value.into()).into(),
            (Parameter::BlocksPerThread, _) => blocks.min(threads * u64::from(value)),
            (Parameter::Workgroup, _) => value.min(most_lanes).into(),
            _ => value.into(),
        };
        let choice = |&parameter: &Parameter| {
            let default = self.default(parameter);
            let (mut seen, mut others) = (vec![effect(parameter, default)], Vec::new());
            for &value in parameter.candidates() {
                let effect = effect(parameter, value);
                if !seen.contains(&effect) {
                    seen.push(effect);
                    others.push(value);
                }
            }
            Choice { parameter, default, others }
        };
        Ok(Board { n, choices: self.parameters().iter().map(choice).collect() })
    }
}

/// A board that is counted.
struct Board {
    n: u32,
    choices: Vec<Choice>,
}

/// A parameter with its values that make a difference on a board: to the default and to each other.
#[derive(Debug, PartialEq)]
struct Choice {
    parameter: Parameter,
    default: u32,
    others: Vec<u32>,
}

impl Board {
    /// Runs that all choices take if no value is given up early.
    fn runs(&self) -> u32 {
        let runs = |choice: &Choice| {
            let mut left = choice.others.len();
            let mut runs = if left > 0 { 2 * PAIRS } else { 0 };
            while left > 1 {
                runs += TURNS * left;
                left = left.div_ceil(2);
            }
            runs
        };
        self.choices.iter().map(runs).sum::<usize>().max(2 * PAIRS) as u32
    }
}

/// Tunes a line.
///
/// # Errors
///
/// [`Error::Disagree`] for a wrong count, and any error of the counter; nothing is chosen then.
pub fn tune(subject: &Subject, counter: &mut dyn Counter, clock: &dyn Clock) -> Result<Tuned, Error> {
    let end = clock.now() + subject.time;
    let mut bench = Bench { subject, counter, clock, end };
    let Board { n, choices } = bench.board()?;
    let mut tuned = Tuned { tuning: Tuning::default(), findings: Vec::new() };
    for (at, Choice { parameter, default, others }) in choices.iter().enumerate() {
        // an equal share of the time that is left
        let now = clock.now();
        bench.end = now + end.saturating_sub(now) / (choices.len() - at) as u32;
        let (parameter, default) = (*parameter, *default);
        let tried = bench.best(n, (parameter, others), tuned.tuning)?;
        let gain = match tried {
            Some(value) => bench.gain(n, tuned.tuning, tuned.tuning.with(parameter, value))?,
            None => None,
        };
        let better = tried.filter(|_| gain.is_some_and(|gain| gain.is_worth_it()));
        if let Some(value) = better {
            tuned.tuning = tuned.tuning.with(parameter, value);
        }
        tuned.findings.push(Finding {
            parameter,
            n,
            default,
            tried,
            differs: !others.is_empty(),
            chosen: better.unwrap_or(default),
            gain,
        });
    }
    Ok(tuned)
}

struct Bench<'a> {
    subject: &'a Subject<'a>,
    counter: &'a mut dyn Counter,
    clock: &'a dyn Clock,
    /// When no further run begins.
    end: Duration,
}

impl Bench<'_> {
    fn is_over(&self) -> bool {
        self.clock.now() >= self.end
    }

    /// Counts once: seconds of setup and of counting.
    fn run(&mut self, n: u32, tuning: Tuning) -> Result<(f64, f64), Error> {
        let line = Line { tuning: Some(tuning), ..self.subject.line.clone() };
        let case = Case { n, task: Task::Count, line };
        let answer = case.task.answer(n)?;
        let start = self.clock.now();
        let run = self.counter.count(&case)?;
        let wall = self.clock.now().saturating_sub(start);
        if run.found != answer {
            return Err(wrong(&case, run.found, answer));
        }
        let setup = run.setup.min(wall);
        Ok((setup.as_secs_f64(), (wall - setup).as_secs_f64()))
    }

    /// The largest board that can be counted often enough.
    fn board(&mut self) -> Result<Board, Error> {
        let growth = most_growth(self.subject.line.method);
        let mut board = self.subject.board(SMALLEST)?;
        loop {
            let (setup, counting) = self.run(board.n, Tuning::default())?;
            if board.n == LARGEST || self.is_over() {
                return Ok(board);
            }
            let larger = self.subject.board(board.n + 1)?;
            let share = (self.subject.time / larger.runs()).as_secs_f64();
            // where setup takes most of the time, fewer runs of a board that tells something are better than more
            if growth * counting > (share - setup).max(share / 2.0) {
                return Ok(board);
            }
            board = larger;
        }
    }

    /// The best of the other values of a choice; none where there is none, or no time to find it.
    fn best(
        &mut self,
        n: u32,
        (parameter, others): (Parameter, &[u32]),
        tuning: Tuning,
    ) -> Result<Option<u32>, Error> {
        let mut field: Vec<(u32, Vec<f64>)> = others.iter().map(|&value| (value, Vec::new())).collect();
        while field.len() > 1 {
            for _ in 0..TURNS {
                for (value, times) in &mut field {
                    if self.is_over() {
                        return Ok(None);
                    }
                    times.push(self.run(n, tuning.with(parameter, *value))?.1);
                }
            }
            field.sort_by(|(_, a), (_, b)| Stats::of(a).median.total_cmp(&Stats::of(b).median));
            field.truncate(field.len().div_ceil(2));
        }
        Ok(field.first().map(|(value, _)| *value))
    }

    /// By how much one tuning is faster than another; none where there is no time to tell.
    fn gain(&mut self, n: u32, old: Tuning, new: Tuning) -> Result<Option<Gain>, Error> {
        let mut quotients = Vec::new();
        while quotients.len() < MOST_PAIRS {
            if self.is_over() {
                return Ok(Gain::of(&quotients).filter(|gain| gain.pairs >= PAIRS));
            }
            // each goes first in turn
            let (before, after) = if quotients.len().is_multiple_of(2) {
                let before = self.run(n, old)?.1;
                (before, self.run(n, new)?.1)
            } else {
                let after = self.run(n, new)?.1;
                (self.run(n, old)?.1, after)
            };
            quotients.push(after / before.max(f64::MIN_POSITIVE));
            let gain = Gain::of(&quotients);
            let hopeless = match quotients.len() {
                HOPELESS => 0.0,
                pairs if pairs >= PAIRS => LEAST_GAIN,
                _ => f64::NEG_INFINITY,
            };
            if gain.is_some_and(|gain| gain.is_worth_it() || gain.value <= hopeless) {
                break;
            }
        }
        Ok(Gain::of(&quotients))
    }
}

#[cfg(test)]
mod tests;
