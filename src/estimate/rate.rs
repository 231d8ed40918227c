//! How fast devices count, from blocks of the run itself.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::{
    CancelToken, Error, Event,
    engine::{Engine, count_all},
    method::{
        Block,
        sampling::{Sampling, Stratum, Trial},
    },
};

/// Strata with less of the visits are not timed; they are taken to go as fast as the others.
const LEAST_SHARE: f64 = 0.02;

/// Visits of a trial, time for which the CPU counts those of a stratum, and bounds of their number.
const TRIAL_VISITS: f64 = (1u64 << 25) as f64;
const TRIAL_TIME: Duration = Duration::from_millis(100);
const TRIALS: [u64; 2] = [4, 64];

/// A trial that takes this long is enough, and so are rounds that do.
const LONG: Duration = Duration::from_millis(700);

/// Trials are repeated until a round takes this long, and then in so many rounds, or fewer where that takes too long.
const ROUND: Duration = Duration::from_millis(80);
const ROUNDS: usize = 5;
const LEAST_ROUNDS: usize = 2;

/// Time after which strata that are left are not timed.
const MOST_TIME: Duration = Duration::from_secs(15);

/// The least spread that is believed: clocks and other work on a machine change by as much.
const LEAST_SPREAD: f64 = 0.03;

/// How fast a device counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Visits a second, as the CPU twin counts them, on average over the run; infinite where there are none.
    pub visits: f64,
    /// Relative spread between measurements.
    pub spread: f64,
    /// Time before the first results, over all kernels.
    pub setup: Duration,
}

/// What trials tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// One for each device.
    pub devices: Vec<Rate>,
    /// Time of one thread to make all blocks.
    pub making: Duration,
}

/// Times blocks of all strata that matter on some engines, given the visits of each stratum.
///
/// # Errors
///
/// [`Error::Cancelled`], and whatever stops a device from counting.
pub fn measure(
    method: &dyn Sampling,
    pool: &rayon::ThreadPool,
    engines: &mut [Box<dyn Engine>],
    visits: &[f64],
    (seed, cancel): (u64, &CancelToken),
    observe: &mut dyn FnMut(Event),
) -> Result<Rates, Error> {
    let start = Instant::now();
    let all: f64 = visits.iter().sum();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut strata: Vec<(usize, Stratum)> = method.strata().into_iter().enumerate().collect();
    strata.retain(|&(number, _)| visits[number] > LEAST_SHARE * all);
    strata.sort_by(|a, b| visits[b.0].total_cmp(&visits[a.0]));
    let (mut share, mut making) = (0.0, 0.0);
    let mut sums = vec![Sum::default(); engines.len()];
    for (number, stratum) in strata {
        if share > 0.0 && start.elapsed() > MOST_TIME {
            break;
        }
        let Some(trials) = Trials::new(method, pool, (number, &stratum), &mut rng, cancel)? else { continue };
        let mut told = format!("stratum {number}: making its blocks takes {:.1?} of a thread", trials.making);
        share += visits[number];
        making += trials.making.as_secs_f64();
        for (engine, sum) in engines.iter_mut().zip(&mut sums) {
            let Rate { visits: rate, spread, setup } = trials.time(&mut **engine, cancel)?;
            told += &format!(", {rate:.3e} visits/s");
            sum.seconds += visits[number] / rate;
            sum.spread += visits[number] / rate * spread;
            sum.setup += setup;
        }
        observe(Event::Detail(told));
    }
    let rate = |sum: Sum| Rate {
        visits: if share > 0.0 { share / sum.seconds } else { f64::INFINITY },
        spread: if share > 0.0 { (sum.spread / sum.seconds).max(LEAST_SPREAD) } else { 0.0 },
        setup: sum.setup,
    };
    let making = if share > 0.0 { making * all / share } else { 0.0 };
    Ok(Rates {
        devices: sums.into_iter().map(rate).collect(),
        making: Duration::try_from_secs_f64(making).unwrap_or(Duration::MAX),
    })
}

/// Over the strata that were timed.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    seconds: f64,
    spread: f64,
    setup: Duration,
}

/// Blocks of one stratum.
struct Trials {
    blocks: Vec<Arc<Block>>,
    /// Blocks are only parts of those of the run, which keep a device busy for longer.
    cut: bool,
    /// Visits of each block, as the CPU twin counts.
    visits: Vec<f64>,
    /// Time of one thread to make all blocks of the stratum.
    making: Duration,
}

impl Trials {
    /// Makes blocks that follow each other from a random one on; none where they hold nothing to count.
    fn new(
        method: &dyn Sampling,
        pool: &rayon::ThreadPool,
        (number, stratum): (usize, &Stratum),
        rng: &mut ChaCha8Rng,
        cancel: &CancelToken,
    ) -> Result<Option<Self>, Error> {
        let blocks = stratum.blocks.end - stratum.blocks.start;
        let first = rng.random_range(0..blocks.max(1));
        let (mut trials, mut visits, mut counting) = (Vec::new(), Vec::new(), Duration::ZERO);
        for at in 0..TRIALS[1].min(blocks) {
            cancel.check()?;
            let block = stratum.blocks.start + (first + at) % blocks;
            let trial = method.trial(number, block, TRIAL_VISITS, rng);
            let start = Instant::now();
            visits.push(counted(method, pool, &trial.block));
            counting += start.elapsed();
            trials.push(trial);
            if at + 1 >= TRIALS[0] && counting >= TRIAL_TIME {
                break;
            }
        }
        if visits.iter().sum::<f64>() == 0.0 {
            return Ok(None);
        }
        // the first made lists that later ones found there
        let later = &trials[usize::from(trials.len() > 1)..];
        let each = later.iter().map(|trial: &Trial| trial.making).sum::<Duration>() / later.len() as u32;
        let making = Duration::try_from_secs_f64(each.as_secs_f64() * blocks as f64);
        Ok(Some(Self {
            cut: trials.iter().any(|trial| !trial.whole),
            blocks: trials.into_iter().map(|trial| Arc::new(trial.block)).collect(),
            visits,
            making: making.unwrap_or(Duration::MAX),
        }))
    }

    /// Times the blocks on an engine.
    fn time(&self, engine: &mut dyn Engine, cancel: &CancelToken) -> Result<Rate, Error> {
        // a block without units would tell nothing
        let first = (0..self.visits.len()).max_by(|&a, &b| self.visits[a].total_cmp(&self.visits[b]));
        let first = first.unwrap_or_default();
        let one = &self.blocks[first..=first];
        let warm_up = self.count(engine, one, 1, cancel)?;
        let again = self.count(engine, one, 1, cancel)?;
        let mut rates = vec![self.visits[first] / again.as_secs_f64()];
        if again < LONG {
            rates.clear();
            let all: f64 = self.visits.iter().sum();
            let (start, mut copies) = (Instant::now(), 1);
            while rates.len() < LEAST_ROUNDS || (rates.len() < ROUNDS && start.elapsed() < LONG) {
                let took = self.count(engine, &self.blocks, copies, cancel)?;
                if took > ROUND {
                    rates.push(all * copies as f64 / took.as_secs_f64());
                } else {
                    let more = ROUND.as_secs_f64() / took.as_secs_f64().max(1e-6);
                    copies = (copies as f64 * (1.2 * more).clamp(1.5, 16.0)).ceil() as usize;
                }
            }
        }
        rates.sort_by(f64::total_cmp);
        let (least, rate, most) = (rates[0], rates[rates.len() / 2], rates[rates.len() - 1]);
        Ok(Rate { visits: rate, spread: (most - least) / (2.0 * rate), setup: warm_up.saturating_sub(again) })
    }

    /// The time to count some blocks several times.
    fn count(
        &self,
        engine: &mut dyn Engine,
        blocks: &[Arc<Block>],
        copies: usize,
        cancel: &CancelToken,
    ) -> Result<Duration, Error> {
        let start = Instant::now();
        // copies next to each other stand for the rest of a block
        let at = |number: usize| if self.cut { number / copies } else { number % blocks.len() };
        let all = (0..blocks.len() * copies).map(|number| Arc::clone(&blocks[at(number)]));
        count_all(engine, all, cancel, |_, _| Ok(()))?;
        Ok(start.elapsed())
    }
}

/// Visits of a block by the CPU twin.
fn counted(method: &dyn Sampling, pool: &rayon::ThreadPool, block: &Block) -> f64 {
    let visits = |units| method.count_units(block, units).iter().map(|record| record.visits()).sum::<u64>();
    let units: u64 = pool.install(|| method.chunks(block).into_par_iter().map(visits).sum());
    (block.visits + units) as f64
}
