//! Recorded runs, replayed on a clock that is a number.

use std::collections::VecDeque;

use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{
    Error, Event, Options, Problem, Verify, count,
    ledger::Added,
    method::{Block, Method, Tally, join::Join, search::Search},
};

/// Expected and true visits of the blocks of a run.
struct Recorded {
    name: String,
    blocks: Vec<(f64, u64)>,
}

fn recorded() -> Vec<Recorded> {
    let mut runs: Vec<Recorded> = Vec::new();
    for line in include_str!("../../../tests/data/block-costs.txt").lines().filter(|l| !l.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        match (words[0].parse::<f64>(), runs.last_mut()) {
            (Ok(cost), Some(run)) => {
                run.blocks.push((1e3 * cost.max(0.001), 1000 * words[1].parse().unwrap_or(0)))
            }
            _ => runs.push(Recorded { name: line.into(), blocks: Vec::new() }),
        }
    }
    assert_eq!(runs.len(), 4);
    runs
}

/// The blocks as a method cuts and counts them today.
fn counted(method: &dyn Method) -> Recorded {
    let visits = |number| {
        let block = method.block(number);
        let records = method.chunks(&block).into_iter().flat_map(|units| method.count_units(&block, units));
        block.visits + records.map(|record| record.visits()).sum::<u64>()
    };
    let blocks = (0..method.blocks()).map(|number| (method.cost(number), visits(number))).collect();
    Recorded { name: method.name().to_string(), blocks }
}

/// Adds a block to a ledger, each with one solution.
fn add(ledger: &mut Ledger, number: u64, visits: u64) -> Result<Added, Error> {
    let block = Block { number, units: vec![[0; 8]], weights: vec![1], ..Block::default() };
    ledger.add(&block, &[Tally { count: 1, visits, bucket: 0 }])
}

/// When a replayed run starts.
const START: Duration = Duration::from_millis(20);

/// Counts the blocks that are not in the ledger on `threads` threads of 10^8 visits a second each, which are up to 20 %
/// slower now and then; as many blocks wait. Returns a report for each block and the time of the end.
fn replay(
    run: &Recorded,
    threads: usize,
    seed: u64,
    mut ledger: Ledger,
) -> Result<(Vec<Progress>, Duration), Error> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let cost = |number: u64| run.blocks[number as usize].0;
    let blocks = run.blocks.len() as u64;
    let mut todo: VecDeque<u64> = (0..blocks).filter(|&number| !ledger.has(number)).collect();
    let mut busy: Vec<(Duration, u64)> = Vec::new();
    let mut meter = Meter::new(blocks, &cost, START);
    let (mut reports, mut now) = (Vec::new(), START);
    loop {
        while busy.len() < threads
            && let Some(number) = todo.pop_front()
        {
            let slower = 1.0 + 0.2 * rng.random::<f64>();
            let took = Duration::from_secs_f64(run.blocks[number as usize].1 as f64 * slower / 1e8);
            busy.push((now + took, number));
        }
        let Some(first) = busy.iter().enumerate().min_by_key(|(_, block)| **block).map(|(at, _)| at) else {
            break;
        };
        let (end, number) = busy.swap_remove(first);
        now = end;
        let visits = run.blocks[number as usize].1;
        add(&mut ledger, number, visits)?;
        assert_eq!(meter.finished(now, number, 0, visits.into()), None);
        let mut under_way = busy.iter().map(|block| block.1).chain(todo.iter().copied().take(threads));
        reports.push(meter.progress(now, &ledger, &mut under_way));
    }
    Ok((reports, now))
}

fn assert_sound(name: &str, reports: &[Progress]) {
    for pair in reports.windows(2) {
        assert!(pair[0].share <= pair[1].share && pair[0].done < pair[1].done, "{name}: {pair:?}");
    }
    assert!(
        reports.iter().all(|report| (0.0..=1.0).contains(&report.share) && report.share.is_sign_positive()),
        "{name}"
    );
    let last = reports.last().map(|last| (last.share, last.eta, last.done == last.blocks));
    assert_eq!(last, Some((1.0, Some(Duration::ZERO), true)), "{name}");
}

#[test]
fn after_a_twentieth_of_a_run_the_time_left_is_known_within_a_fifth() -> Result<(), Error> {
    let (mut good, mut all) = (0, 0);
    // and the shortest that last for a second
    let sixteen = Problem::queens(16)?;
    let short = [counted(&Join::new(&sixteen)?), counted(&Search::new(&sixteen, None, 32_768.0)?)];
    for run in recorded().into_iter().chain(short) {
        for (threads, seed) in [(1, 0), (1, 1), (2, 2), (2, 3), (4, 4), (8, 5)] {
            let (reports, end) = replay(&run, threads, seed, Ledger::default())?;
            assert_sound(&run.name, &reports);
            // where blocks are few the first may end later
            let enough = START + (end - START) / 20;
            let at = reports.iter().find(|report| report.elapsed >= enough && report.eta.is_some());
            let Some(Progress { elapsed, eta: Some(eta), .. }) = at else {
                panic!("{}: no time left", run.name)
            };
            let left = (end - *elapsed).as_secs_f64();
            let error = eta.as_secs_f64() / left - 1.0;
            println!(
                "{}, {threads} at once: at {elapsed:.2?} of {end:.2?} {:+.1} %",
                run.name,
                100.0 * error
            );
            all += 1;
            good += u32::from(error.abs() < 0.2);
        }
    }
    assert!(10 * good >= 9 * all, "{good} of {all}");
    Ok(())
}

#[test]
fn blocks_of_search_are_alike_and_their_cost_is_expected() -> Result<(), Error> {
    let run = counted(&Search::new(&Problem::queens(16)?, None, 32_768.0)?);
    assert!(run.blocks.len() >= 100);
    let (cost, visits) =
        run.blocks.iter().fold((0.0, 0.0), |(cost, visits), block| (cost + block.0, visits + block.1 as f64));
    assert!((cost / visits - 1.0).abs() < 0.1, "{cost} {visits}");
    for (cost, visits) in run.blocks {
        assert!((cost / visits as f64 - 1.0).abs() < 0.3, "{cost} {visits}");
    }
    Ok(())
}

#[test]
fn phases_are_told_in_their_order() -> Result<(), Error> {
    use Phase::{Again, Building, Counting, Symmetric, Verifying};
    let options =
        Options { verify: Verify::Full, classes: true, device: "cpu".parse()?, ..Options::default() };
    let mut phases = Vec::new();
    count(&Problem::queens(10)?, &options, &mut |event| match event {
        Event::Phase(phase) => phases.push(phase),
        event => assert!(matches!(event, Event::Detail(_)), "{event:?}"),
    })?;
    phases.dedup();
    assert_eq!(phases, [Building, Counting, Verifying, Again, Symmetric]);
    Ok(())
}

#[test]
fn a_block_that_is_taken_out_is_left_to_do() -> Result<(), Error> {
    for looked_up_before in [false, true] {
        let (cost, at) = (|_| 1.0, Duration::from_secs);
        let (mut meter, mut ledger) = (Meter::new(4, &cost, Duration::ZERO), Ledger::default());
        let nothing = &mut std::iter::empty();
        if looked_up_before {
            meter.report(at(1), &ledger, nothing);
        }
        add(&mut ledger, 0, 7)?;
        meter.finished(at(2), 0, 0, 7);
        let wrong = add(&mut ledger, 1, 7)?;
        meter.finished(at(3), 1, 0, 7);
        ledger.remove(&wrong)?;
        meter.taken_out(1);
        let share = |told: Option<Progress>| told.map(|told| told.share);
        assert_eq!(share(meter.report(at(4), &ledger, nothing)), Some(0.25));
        add(&mut ledger, 1, 7)?;
        meter.finished(at(5), 1, 0, 7);
        assert_eq!(share(meter.report(at(6), &ledger, nothing)), Some(0.5));
    }
    Ok(())
}

#[test]
fn a_resumed_run_begins_where_the_other_ended() -> Result<(), Error> {
    for run in recorded() {
        let mut ledger = Ledger::default();
        let half = run.blocks.len() / 2;
        for (number, (_, visits)) in run.blocks.iter().enumerate().take(half) {
            add(&mut ledger, number as u64, *visits)?;
        }
        let (reports, end) = replay(&run, 2, 6, ledger)?;
        assert_sound(&run.name, &reports);
        let costs = |blocks: &[(f64, u64)]| blocks.iter().map(|(cost, _)| cost).sum::<f64>();
        let share = costs(&run.blocks[..half]) / costs(&run.blocks);
        let Progress { share: first, done, visits, .. } = &reports[0];
        assert!((first - share).abs() < 0.05 && *done == half as u64 + 1, "{}: {first} {share}", run.name);
        assert!(*visits > run.blocks[..half].iter().map(|(_, visits)| u128::from(*visits)).sum());
        let middle = reports.iter().find(|report| 2 * report.elapsed >= end);
        let error = middle
            .and_then(|report| Some(report.eta?.as_secs_f64() / (end - report.elapsed).as_secs_f64() - 1.0));
        assert!(error.is_some_and(|error| error.abs() < 0.25), "{}: {error:?}", run.name);
    }
    Ok(())
}

#[test]
fn reports_come_ten_times_a_second_but_not_of_a_short_run() -> Result<(), Error> {
    let cost = |_| 1.0;
    let mut meter = Meter::new(10, &cost, Duration::ZERO);
    let mut ledger = Ledger::default();
    add(&mut ledger, 3, 5)?;
    let at = |millis: u64| Duration::from_millis(millis);
    meter.finished(at(1), 3, 0, 5);
    assert_eq!(meter.last(at(2), &ledger), None, "a short run says nothing");
    let times: Vec<u64> =
        (0..1300).filter(|&now| meter.report(at(now), &ledger, &mut std::iter::empty()).is_some()).collect();
    assert_eq!(times, [900, 1000, 1100, 1200]);
    let last = meter.last(at(1301), &ledger).map(|last| (last.share, last.done, last.sum, last.visits));
    assert_eq!(last, Some((0.1, 1, 1, 5)));
    Ok(())
}

#[test]
fn costs_that_were_wrong_are_corrected() -> Result<(), Error> {
    // every block takes three times what was expected
    let run = Recorded { name: "wrong".into(), blocks: vec![(1e6, 3_000_000); 200] };
    let (reports, end) = replay(&run, 1, 7, Ledger::default())?;
    assert_sound("wrong", &reports);
    let Some(eta) = reports[60].eta else { panic!("no time left") };
    let left = (end - reports[60].elapsed).as_secs_f64();
    assert!((eta.as_secs_f64() / left - 1.0).abs() < 0.3, "{eta:?} {left}");
    Ok(())
}

#[test]
fn a_rate_follows_the_last_while_and_a_silence() {
    let second = Duration::from_secs;
    let mut window = Window::new(second(0));
    assert_eq!(window.rate(second(1), 0.0), None);
    for now in 1..=100 {
        window.push(second(now), u128::from(now) * 100, second(10));
    }
    assert_eq!(window.rate(second(100), 9.0), Some(100.0));
    assert_eq!(window.rate(second(101), 0.0), Some(100.0), "the next block is not late yet");
    assert!(window.rate(second(200), 0.0).is_some_and(|rate| rate < 11.0));
    for now in 101..=120 {
        window.push(second(now), 10_000 + (u128::from(now) - 100) * 40, second(10));
    }
    assert_eq!(window.rate(second(120), 0.0), Some(40.0));
}

/// Runs for some minutes at rates by the minute, from `rate`, four blocks a second.
fn throttled(
    minutes: u64,
    rate: &mut dyn FnMut(u64) -> f64,
    kernel: &dyn Fn(u64) -> usize,
) -> Vec<Throttled> {
    let mut throttle = Throttle::new();
    let mut visits = 0;
    for quarter in 0..minutes * 240 {
        visits += (rate(quarter / 240) / 4.0) as u128;
        throttle.finished(Duration::from_millis(250 * quarter), kernel(quarter / 240), visits);
    }
    throttle.into_notes()
}

#[test]
fn a_fall_of_the_rate_is_noted_once_an_hour() {
    let one = |_| 0;
    let notes = throttled(30, &mut |minute| if minute < 20 { 1e8 } else { 6e7 }, &one);
    assert_eq!(notes.len(), 1, "{notes:?}");
    let Throttled { after, rate, before } = notes[0];
    assert!((1200..1330).contains(&after.as_secs()), "{after:?}");
    assert!((rate / 6e7 - 1.0).abs() < 0.4 && (before / 1e8 - 1.0).abs() < 0.01, "{notes:?}");
    let again = throttled(200, &mut |minute| if minute % 10 < 8 { 1e8 } else { 5e7 }, &one);
    assert!((3..=4).contains(&again.len()), "{again:?}");
    let apart = again.windows(2).all(|pair| pair[1].after - pair[0].after >= Duration::from_secs(3600));
    assert!(apart, "{again:?}");
    // slowly, to half in an hour
    assert_eq!(throttled(60, &mut |minute| 1e8 - 8e5 * minute as f64, &one).len(), 1);
}

#[test]
fn what_varies_is_not_noted() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let one = |_| 0;
    let noisy = throttled(2000, &mut |_| 1e8 * (0.8 + 0.4 * rng.random::<f64>()), &one);
    assert_eq!(noisy, []);
    assert_eq!(throttled(60, &mut |minute| if minute < 30 { 1e8 } else { 7.5e7 }, &one), []);
    // a few seconds of other work
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let stalls = throttled(500, &mut |_| if rng.random_bool(0.1) { 2e7 } else { 1e8 }, &one);
    assert_eq!(stalls, []);
    // another kernel has another rate
    let kernels =
        throttled(60, &mut |minute| if minute < 30 { 1e8 } else { 3e7 }, &|minute| usize::from(minute >= 30));
    assert_eq!(kernels, []);
}
