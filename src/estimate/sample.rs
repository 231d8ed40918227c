//! Visits and solutions from a sample of every stratum, counted by the CPU twin.
//!
//! A stratum of M members of which a share p is not skipped, with mean value m of those, holds M p m. The share is known,
//! or that of a screening; the mean is that of draws. Both come from one stream of random numbers a stratum and one a
//! batch of draws, and their numbers from expectations, never from a clock: so a seed gives the same figures whatever
//! counts and however fast.

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Figure;
use crate::{
    CancelToken, Error,
    method::{
        Record,
        sampling::{Draw, Drawn, Sampling, Stratum},
    },
};

/// The part of the expected work that is sampled, and its bounds in nanoseconds of one thread.
const PART: f64 = 0.1;
const LEAST_WORK: f64 = (1u64 << 26) as f64;
const MOST_WORK: f64 = (1u64 << 32) as f64;

/// Members that are screened.
const SCREENED: u64 = 1 << 20;

/// Draws of a stratum at least, by whether it holds more than [`SMALL`] of the visits.
const LEAST_DRAWS: [u64; 2] = [8, 32];
const SMALL: f64 = 1e-3;

/// A stratum that takes less of the work than this is drawn as often as it has members: where solutions are rare, a few
/// draws may see none of them.
const CHEAP: f64 = 0.02;

/// A stratum with less of the visits than this is left out where a draw takes more than [`DEAR`]: it would change no
/// digit that is shown. Its share of the solutions is smaller still.
const NEGLIGIBLE: f64 = 1e-6;
const DEAR: f64 = (1u64 << 20) as f64;

/// Work of a batch of draws, and the most draws in it.
const BATCH_WORK: f64 = (1u64 << 23) as f64;
const BATCH_DRAWS: f64 = 1024.0;

/// What a sample tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Visits of a run.
    pub visits: Figure,
    /// Solutions.
    pub solutions: Figure,
    /// Visits of each stratum.
    pub strata: Vec<f64>,
    /// Draws taken.
    pub draws: u64,
}

/// The work that an estimate puts into its sample, by the expectations of a method.
pub fn default_work(strata: &[Stratum]) -> f64 {
    let visits: f64 = strata.iter().map(|stratum| stratum.members as f64 * stratum.visits).sum();
    (visits * PART).clamp(LEAST_WORK, MOST_WORK)
}

/// Draws a sample of about some work, on the threads of a pool.
///
/// # Errors
///
/// [`Error::Cancelled`], and [`Error::Internal`] where a unit was not counted to its end.
pub fn sample(
    method: &dyn Sampling,
    pool: &rayon::ThreadPool,
    seed: u64,
    work: f64,
    cancel: &CancelToken,
) -> Result<Sampled, Error> {
    let strata = method.strata();
    let mut screened = Vec::new();
    for (number, stratum) in strata.iter().enumerate() {
        cancel.check()?;
        screened.push(Screened::new(method, number, stratum, seed));
    }
    let draws = allocate(&strata, &screened, work);
    let base = method.base_visits();
    let mut sampled = Sampled {
        visits: Figure { mean: base, error: 0.0 },
        solutions: Figure::default(),
        strata: Vec::new(),
        draws: 0,
    };
    for (number, (stratum, screened)) in strata.iter().zip(&screened).enumerate() {
        let members = screened.members(stratum, draws[number]);
        let values = draw(method, pool, number, stratum, &members, seed, cancel)?;
        let whole = screened.is_whole(stratum, draws[number]);
        let figure = |value: fn(&Value) -> f64| screened.total(values.iter().map(value), whole);
        let (visits, solutions) = (figure(|value| value.visits), figure(|value| value.solutions));
        sampled.draws += values.len() as u64;
        sampled.strata.push(visits.mean);
        sampled.visits = sampled.visits.plus(visits);
        sampled.solutions = sampled.solutions.plus(solutions);
    }
    Ok(sampled)
}

/// How many members of each stratum are drawn: where the spread of values is in proportion to their mean, the error is
/// least if draws are in proportion to the visits of the stratum over the square root of the work of a draw.
fn allocate(strata: &[Stratum], screened: &[Screened], work: f64) -> Vec<u64> {
    let visits: Vec<f64> =
        strata.iter().zip(screened).map(|(s, screened)| screened.size * s.visits).collect();
    let all: f64 = visits.iter().sum();
    let wanted: Vec<f64> = strata.iter().zip(&visits).map(|(s, visits)| visits / s.work.sqrt()).collect();
    let unit: f64 = strata.iter().zip(&wanted).map(|(s, wanted)| wanted * s.work).sum();
    let draws = |((stratum, visits), wanted): ((&Stratum, &f64), &f64)| {
        let share = visits / all.max(1.0);
        if share < NEGLIGIBLE && stratum.work > DEAR {
            return 0;
        }
        let members = visits / stratum.visits;
        let all = if members * stratum.work < CHEAP * work { members.ceil() as u64 } else { 0 };
        ((wanted * work / unit.max(1.0)) as u64).max(LEAST_DRAWS[usize::from(share > SMALL)]).max(all)
    };
    strata.iter().zip(&visits).zip(&wanted).map(draws).collect()
}

/// What is known of the members of a stratum that are not skipped.
struct Screened {
    /// All of them, or the first of those seen in a random order.
    hits: Vec<u64>,
    /// Whether they are all.
    complete: bool,
    /// How many there are, or about.
    size: f64,
    /// Relative standard error of that.
    error: f64,
    rng: ChaCha8Rng,
}

impl Screened {
    fn new(method: &dyn Sampling, number: usize, stratum: &Stratum, seed: u64) -> Self {
        let mut rng = stream(seed, number, 0);
        let complete = stratum.members <= SCREENED;
        let looked = stratum.members.min(SCREENED);
        let hits: Vec<u64> = (0..looked)
            .map(|at| if complete { at } else { rng.random_range(0..stratum.members) })
            .filter(|&member| !method.skips(number, member))
            .collect();
        let share = hits.len() as f64 / looked.max(1) as f64;
        let size = stratum.members as f64 * share;
        let error = if complete { 0.0 } else { ((1.0 - share) / (share * looked as f64).max(1.0)).sqrt() };
        Self { hits, complete, size, error, rng }
    }

    /// Whether so many draws are all members.
    fn is_whole(&self, stratum: &Stratum, draws: u64) -> bool {
        stratum.whole && self.complete && self.hits.len() as u64 <= draws
    }

    /// The members to be drawn.
    fn members(&self, stratum: &Stratum, draws: u64) -> Vec<u64> {
        if draws == 0 || self.hits.is_empty() {
            return Vec::new();
        }
        if self.is_whole(stratum, draws) {
            return self.hits.clone();
        }
        if !self.complete {
            // as random as they came
            return self.hits.iter().copied().take(draws as usize).collect();
        }
        let mut rng = self.rng.clone();
        (0..draws).map(|_| self.hits[rng.random_range(0..self.hits.len())]).collect()
    }

    /// The sum over the stratum from the values of draws.
    fn total(&self, values: impl Iterator<Item = f64> + Clone, whole: bool) -> Figure {
        let draws = values.clone().count() as f64;
        let sum: f64 = values.clone().sum();
        if whole || draws == 0.0 {
            return Figure { mean: sum, error: 0.0 };
        }
        let mean = sum / draws;
        let square: f64 = values.map(|value| (value - mean).powi(2)).sum();
        let of_mean = (square / (draws - 1.0).max(1.0) / draws).sqrt();
        Figure { mean: self.size * mean, error: self.size * of_mean.hypot(mean * self.error) }
    }
}

/// What a draw says of its member.
struct Value {
    visits: f64,
    solutions: f64,
}

fn draw(
    method: &dyn Sampling,
    pool: &rayon::ThreadPool,
    number: usize,
    stratum: &Stratum,
    members: &[u64],
    seed: u64,
    cancel: &CancelToken,
) -> Result<Vec<Value>, Error> {
    let batch = (BATCH_WORK / stratum.work).clamp(1.0, BATCH_DRAWS) as usize;
    let count = |(at, members): (usize, &[u64])| {
        cancel.check()?;
        let mut rng = stream(seed, number, 1 + at as u64);
        let drawn = method.draw(number, members, true, &mut rng);
        let records = method.count_drawn(&drawn);
        let Drawn { block, draws, .. } = drawn;
        let value = |draw: &Draw| {
            let mut value = Value { visits: draw.more_visits, solutions: 0.0 };
            for (record, &weight) in
                records[draw.units.clone()].iter().zip(&block.weights[draw.units.clone()])
            {
                if record.state != Record::DONE {
                    return Err(Error::Internal("a unit of the sample was not counted to its end".into()));
                }
                value.visits += draw.visits * record.visits() as f64;
                value.solutions += draw.solutions * (record.count() as f64 * f64::from(weight));
            }
            Ok(value)
        };
        draws.iter().map(value).collect()
    };
    let batches = pool.install(|| {
        members.par_chunks(batch).enumerate().map(count).collect::<Result<Vec<Vec<Value>>, Error>>()
    })?;
    Ok(batches.into_iter().flatten().collect())
}

/// The random numbers of a stratum: those that screen it and choose members, or those of a batch of draws.
fn stream(seed: u64, stratum: usize, batch: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream((stratum as u64) << 40 | batch);
    rng
}

#[cfg(test)]
mod tests;
