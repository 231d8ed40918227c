//! Estimates against the truth, over many seeds.

use super::*;
use crate::{
    MethodName, Problem,
    engine::cpu,
    known,
    method::{Method, join::Join, search::Search},
};

fn methods(n: u32) -> Result<Vec<Box<dyn Sampling>>, Error> {
    let problem = Problem::queens(n)?;
    Ok(vec![
        Box::new(Join::new(&problem)?),
        Box::new(Join::new(&problem)?.by_units()),
        Box::new(Search::new(&problem, None, 8192.0)?),
    ])
}

/// All visits of a run.
fn visits(method: &dyn Method) -> f64 {
    let of_block = |number| {
        let block = method.block(number);
        let units = method.count_units(&block, 0..block.units.len());
        block.visits + units.iter().map(Record::visits).sum::<u64>()
    };
    (0..method.blocks()).map(of_block).sum::<u64>() as f64
}

fn sampled(method: &dyn Sampling, seed: u64, work: f64) -> Result<Sampled, Error> {
    sample(method, &*cpu::pool(Some(1))?, seed, work, &CancelToken::default())
}

#[test]
fn figures_are_within_five_errors_of_the_truth() -> Result<(), Error> {
    for n in 8..=14 {
        let known = known::solutions(n).unwrap_or_default() as f64;
        for method in methods(n)? {
            let estimate = sampled(&*method, 42, 3e6)?;
            let (Figure { mean, error }, visits) = (estimate.solutions, visits(&*method));
            let name = method.name();
            // a small stratum whose draws all miss its few solutions knows of no error
            let off = (mean - known).abs();
            assert!(off <= 5.0 * error + 1e-3 * known, "N = {n}, {name}: {mean} for {known}, {error}");
            let Figure { mean, error } = estimate.visits;
            // units that are counted together share an order of rows, which costs some visits
            let slack = if name == MethodName::Join { 0.05 * visits } else { 1e-6 };
            assert!((mean - visits).abs() <= 5.0 * error + slack, "N = {n}, {name}: {mean} for {visits}");
            assert!(mean >= 0.5 * visits, "{mean}");
        }
    }
    Ok(())
}

#[test]
fn over_many_seeds_figures_are_unbiased_and_their_errors_true() -> Result<(), Error> {
    const SEEDS: u64 = 200;
    // pairs of row sets of smaller boards are all drawn
    for (n, by_units) in [(8, true), (9, true), (10, true), (10, false), (11, false), (12, false)] {
        let known = known::solutions(n).unwrap_or_default() as f64;
        let join = Join::new(&Problem::queens(n)?)?;
        let method = if by_units { join.by_units() } else { join };
        let (mut means, mut covered) = (Vec::new(), 0.0);
        for seed in 0..SEEDS {
            let Figure { mean, error } = sampled(&method, seed, 1e4)?.solutions;
            covered += f64::from(u8::from((mean - known).abs() <= 2.0 * error));
            means.push(mean);
        }
        let (z, spread) = deviation(&means, known);
        assert!(spread > 0.0, "N = {n} is sampled");
        assert!(z.abs() < 4.0, "N = {n}: {z}");
        assert!(covered / SEEDS as f64 > 0.8, "N = {n}: {covered}");
    }
    Ok(())
}

/// The mean's distance from the truth in its own standard errors, and the spread.
fn deviation(values: &[f64], truth: f64) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    ((mean - truth) / (spread / n.sqrt()).max(1e-9), spread)
}

#[test]
fn random_walks_are_unbiased() -> Result<(), Error> {
    const SEEDS: u64 = 60;
    for n in [14, 15] {
        let method = Search::new(&Problem::queens(n)?, None, 8192.0)?;
        assert!(!method.strata()[0].whole, "N = {n}: walks below the seeds");
        let known = known::solutions(n).unwrap_or_default() as f64;
        let (mut solutions, mut all_visits, mut covered) = (Vec::new(), Vec::new(), 0.0);
        for seed in 0..SEEDS {
            let Sampled { solutions: Figure { mean, error }, visits, .. } = sampled(&method, seed, 3e6)?;
            covered += f64::from(u8::from((mean - known).abs() <= 2.0 * error));
            solutions.push(mean);
            all_visits.push(visits.mean);
        }
        for (values, truth) in [(&solutions, known), (&all_visits, visits(&method))] {
            let (z, spread) = deviation(values, truth);
            assert!(z.abs() < 4.0 && spread > 0.0, "N = {n}: {z}, {spread}");
        }
        assert!(covered / SEEDS as f64 > 0.85, "N = {n}: {covered}");
    }
    Ok(())
}

#[test]
fn a_seed_repeats_a_sample_on_any_number_of_threads() -> Result<(), Error> {
    for method in methods(14)? {
        let with =
            |seed, threads| sample(&*method, &*cpu::pool(Some(threads))?, seed, 2e6, &CancelToken::default());
        let one = with(1, 1)?;
        assert_eq!(one, with(1, 3)?);
        assert_ne!(one, with(2, 3)?);
    }
    Ok(())
}

#[test]
fn a_sample_stops_where_it_is_cancelled() -> Result<(), Error> {
    let cancel = CancelToken::default();
    cancel.cancel();
    for method in methods(20)? {
        let stopped = sample(&*method, &*cpu::pool(Some(2))?, 1, 1e12, &cancel);
        assert_eq!(stopped, Err(Error::Cancelled));
    }
    Ok(())
}

#[test]
fn draws_follow_the_work_and_only_what_changes_no_digit_is_left_out() -> Result<(), Error> {
    for n in 4..=32 {
        for method in methods(n)? {
            let strata = method.strata();
            // the share that is skipped does not matter here
            let screened = |stratum: &Stratum| Screened {
                hits: Vec::new(),
                complete: false,
                size: stratum.members as f64,
                error: 0.0,
                rng: stream(0, 0, 0),
            };
            let screened: Vec<Screened> = strata.iter().map(screened).collect();
            let draws = allocate(&strata, &screened, MOST_WORK);
            let work: f64 = strata.iter().zip(&draws).map(|(s, &draws)| s.work * draws as f64).sum();
            assert!(work < 3.0 * MOST_WORK, "N = {n}: {work:.3e}");
            let visits = |stratum: &Stratum| stratum.members as f64 * stratum.visits;
            let all: f64 = strata.iter().map(visits).sum();
            for (stratum, &draws) in strata.iter().zip(&draws) {
                let left_out = visits(stratum) < NEGLIGIBLE * all && stratum.work > DEAR;
                assert_eq!(draws == 0, left_out, "N = {n}");
                assert!(n > 22 || draws > 0, "N = {n}");
            }
        }
    }
    Ok(())
}
