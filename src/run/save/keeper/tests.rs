#![allow(clippy::unwrap_used)]

mod recounts;

use std::{fs, thread};

use tempfile::TempDir;

use super::*;
use crate::{
    CancelToken, MethodName, Options, Outcome, Place, Saving, Verify,
    engine::{
        DeviceInfo, Engine, Finished, Memory, Ticket,
        cpu::{self, CpuEngine},
    },
    known,
    ledger::Ledger,
    method::{Block, Tally, join::Join, sampling::Footprint, search::Search},
    recheck,
    run::{count_with, setup::saves},
};

fn problem(n: u32) -> Problem {
    Problem::queens(n).unwrap()
}

fn join(n: u32) -> Arc<dyn Method> {
    Arc::new(Join::new(&problem(n)).unwrap())
}

fn search(n: u32, depth: Option<u32>, unit_visits: f64) -> Arc<dyn Method> {
    Arc::new(Search::new(&problem(n), depth, unit_visits).unwrap())
}

fn options(file: &Path) -> Options {
    let saving = Saving { place: Place::File(file.into()), ..Saving::default() };
    Options { saving, verify: Verify::Auto, ..Options::default() }
}

/// That a run is saved in a file or ends.
fn asked(file: &Path) -> Saves {
    saves(&problem(8), &options(file), MethodName::Join).unwrap()
}

/// A CPU that does something after each block.
struct Watched<F> {
    inner: CpuEngine,
    then: F,
}

impl<F: FnMut(&mut Finished) + Send> Engine for Watched<F> {
    fn device(&self) -> DeviceInfo {
        self.inner.device()
    }

    fn hungry(&self) -> bool {
        self.inner.hungry()
    }

    fn memory(&self, blocks: &Footprint) -> Memory {
        self.inner.memory(blocks)
    }

    fn submit(&mut self, block: Arc<Block>) -> Result<Ticket, Error> {
        self.inner.submit(block)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Finished>, Error> {
        let mut finished = self.inner.poll(wait)?;
        finished.as_mut().map(&mut self.then);
        Ok(finished)
    }
}

/// One session of a run on `threads` threads, and what it tells.
fn session(
    n: u32,
    method: &Arc<dyn Method>,
    options: &Options,
    threads: usize,
    then: impl FnMut(&mut Finished) + Send + 'static,
) -> (Result<Outcome, Error>, Vec<Event>) {
    let pool = cpu::pool(Some(threads)).unwrap();
    let mut events = Vec::new();
    let mut observe = |event| events.push(event);
    let engine = Watched { inner: CpuEngine::new(Arc::clone(method), Arc::clone(&pool)), then };
    let engines = &mut [Box::new(engine) as Box<dyn Engine>];
    let outcome = count_with(&problem(n), method, &pool, engines, options, &mut observe);
    (outcome, events)
}

/// A session that is cancelled after some blocks.
fn cancelled(
    n: u32,
    method: &Arc<dyn Method>,
    file: &Path,
    threads: usize,
    blocks: usize,
) -> (Result<Outcome, Error>, Vec<Event>) {
    let options = options(file);
    let cancel = options.cancel.clone();
    let mut left = blocks;
    session(n, method, &options, threads, move |_| {
        left = left.saturating_sub(1);
        if left == 0 {
            cancel.cancel();
        }
    })
}

#[test]
fn a_run_stopped_and_resumed_gives_the_count_whatever_is_tuned() {
    let cases: [(u32, [Arc<dyn Method>; 3]); 2] = [
        (12, [join(12), join(12), join(12)]),
        (16, [search(16, None, 8192.0), search(16, None, 1e6), search(16, Some(7), 8192.0)]),
    ];
    for (n, methods) in cases {
        let blocks = methods[0].blocks() as usize;
        for step in if n == 16 { vec![2] } else { vec![blocks / 20, blocks / 7, blocks / 2] } {
            let folder = TempDir::new().unwrap();
            let file = folder.path().join("run");
            let mut sessions = 0;
            let outcome = loop {
                let method = &methods[sessions % 3];
                sessions += 1;
                match cancelled(n, method, &file, 1 + sessions % 2, step) {
                    (Ok(outcome), _) => break outcome,
                    (Err(Error::Cancelled), events) => {
                        let done = Checkpoint::open(&file).unwrap().done();
                        let saved =
                            |event: &Event| matches!(event, Event::Saved { done: d, .. } if *d == done);
                        assert!(events.iter().any(saved) && done > 0, "{events:?}");
                    }
                    (Err(error), _) => panic!("N = {n}, session {sessions}: {error}"),
                }
            };
            assert_eq!(Some(outcome.count), known::solutions(n), "N = {n}, {sessions} sessions");
            assert_eq!((outcome.sessions, outcome.blocks), (sessions as u64, methods[0].blocks()));
            assert!(sessions > 1 && outcome.elapsed_total > outcome.elapsed);
            assert!((outcome.devices.iter().map(|part| part.share).sum::<f64>() - 1.0).abs() < 1e-9);
            // it answers again until it is discarded, and counts nothing anew
            let (again, _) = session(n, &methods[1], &options(&file), 1, |_| panic!("a block again"));
            assert_eq!(again.unwrap().count, outcome.count);
            for file in &outcome.checkpoints {
                crate::checkpoint::discard(file).unwrap();
            }
            // where an open file cannot be removed, that of the lock stays
            let left = usize::from(!cfg!(unix));
            assert_eq!(folder.path().read_dir().unwrap().count(), left, "nothing is left");
        }
    }
}

#[test]
fn what_would_change_the_blocks_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run");
    let method = search(19, None, 8192.0);
    cancelled(19, &method, &file, 2, 1).0.unwrap_err();
    for (n, other, part) in [
        (14, search(14, None, 8192.0), "another count: 19 queens on 19x19, not 14 queens"),
        (19, join(19), "by search, not by join"),
        (19, search(19, Some(0), 8192.0), "seeds of 0 rows"),
    ] {
        let (refused, _) = session(n, &other, &options(&file), 1, |_| ());
        let error = refused.unwrap_err();
        assert!(error.to_string().contains(part) && error.exit_code() == 5, "{error}");
    }
    // as an older version might have cut it
    let mut checkpoint = Checkpoint::open(&file).unwrap();
    checkpoint.plan = join(9).plan_hash();
    fs::write(&file, checkpoint.write()).unwrap();
    let error = session(19, &method, &options(&file), 1, |_| ()).0.unwrap_err();
    assert!(error.to_string().contains("other blocks than this version"), "{error}");
}

#[test]
fn one_writer_at_a_time() {
    let folder = TempDir::new().unwrap();
    let saves = asked(&folder.path().join("run"));
    let open = || Keeper::open(&saves, &problem(8), &*join(8), &mut |_| ());
    let first = open().unwrap();
    let Err(second) = open() else { panic!("two have it") };
    assert!(second.to_string().contains("in use by another") && second.exit_code() == 5, "{second}");
    drop(first);
    assert!(open().is_ok());
}

#[test]
fn a_restart_keeps_the_old_file_and_leaves_those_of_others() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run");
    cancelled(12, &join(12), &file, 1, 5).0.unwrap_err();
    let mut options = options(&file);
    options.saving.restart = true;
    let (refused, _) = session(11, &join(11), &options, 1, |_| ());
    assert_eq!(refused.unwrap_err().exit_code(), 5);
    let before = fs::read(&file).unwrap();
    // by another method too: the problem is the same
    let (outcome, events) = session(12, &search(12, None, 8192.0), &options, 1, |_| ());
    assert_eq!((outcome.as_ref().unwrap().count, outcome.unwrap().sessions), (14_200, 1));
    assert!(events.iter().any(|event| matches!(event, Event::Notice(what) if what.contains("run.bak"))));
    assert_eq!(fs::read(folder.path().join("run.bak")).unwrap(), before);
    fs::write(&file, "a letter").unwrap();
    let (refused, _) = session(12, &join(12), &options, 1, |_| ());
    assert!(refused.unwrap_err().to_string().contains("not a checkpoint"));
    assert_eq!(fs::read(&file).unwrap(), b"a letter");
}

#[cfg(unix)]
#[test]
fn a_save_that_fails_is_told_once_and_stops_nothing() {
    let folder = TempDir::new().unwrap();
    let inside = folder.path().join("inside");
    fs::create_dir(&inside).unwrap();
    let mut options = options(&inside.join("run"));
    options.saving.interval = Some(Duration::from_millis(1));
    let gone = inside.clone();
    let (outcome, events) = session(13, &join(13), &options, 1, move |_| {
        if gone.exists() {
            fs::remove_dir_all(&gone).unwrap();
        }
        thread::sleep(Duration::from_micros(100));
    });
    assert_eq!(outcome.unwrap().count, 73_712);
    let warnings = events
        .iter()
        .filter(|event| matches!(event, Event::Warning(what) if what.contains("cannot be saved")));
    assert_eq!(warnings.count(), 1, "{events:?}");
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_only_where_it_was_asked_for() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let below = file.join("run");
    let (refused, _) = session(12, &join(12), &options(&below), 1, |_| ());
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("cannot be written") && error.exit_code() == 5, "{error}");

    let saves = Saves { named: false, asked: false, ..asked(&below) };
    let mut events = Vec::new();
    let (mut keeper, _) = Keeper::open(&saves, &problem(12), &*join(12), &mut |_| ()).unwrap();
    let Keeping::Later(store) = &keeper.keeping else { panic!("it begins at once") };
    keeper.begin(&Arc::clone(store), &mut |event| events.push(event)).unwrap();
    assert!(matches!(&events[..], [Event::Warning(what)] if what.contains("not saved")), "{events:?}");
    assert!(matches!(keeper.keeping, Keeping::Nothing));
}

/// A sum that cannot be right must not be what the next run goes on from. Here it is the known answer that says so, as
/// the unit looks too large to be recounted.
#[test]
fn what_is_seen_to_be_wrong_is_set_aside() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run");
    let spoil = |finished: &mut Finished| {
        if let Some(tally) = finished.tallies.first_mut().filter(|_| finished.ticket == 7) {
            *tally = Tally { count: tally.count + 1, visits: 1 << 40, ..*tally };
        }
    };
    let (outcome, events) = session(12, &join(12), &options(&file), 1, spoil);
    assert_eq!(outcome.unwrap_err().exit_code(), 7);
    let aside = folder.path().join("run.suspect");
    assert!(events.iter().any(|event| matches!(event, Event::Warning(what) if what.contains("run.suspect"))));
    let suspect = Checkpoint::open(&aside).unwrap();
    assert_eq!(suspect.faults.named()[3], ("disagreed", 1));
    // it is whole, and a recount still finds the block
    let error = recheck(&suspect, 100.0, Some(2), 1, &CancelToken::default()).unwrap_err();
    assert!(error.to_string().contains("block ") && error.exit_code() == 7, "{error}");
    let (outcome, _) = session(12, &join(12), &options(&file), 1, |_| ());
    assert_eq!((outcome.as_ref().unwrap().count, outcome.unwrap().sessions), (14_200, 1));
}

#[test]
fn a_recount_finds_every_planted_block_and_passes_the_others() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run");
    for method in [join(12), search(16, None, 8192.0)] {
        let n = if method.name() == MethodName::Join { 12 } else { 16 };
        cancelled(n, &method, &file, 2, method.blocks() as usize / 2).0.unwrap_err();
        let right = Checkpoint::open(&file).unwrap();
        let cancel = CancelToken::default();
        let checked = recheck(&right, 100.0, Some(2), 1, &cancel).unwrap();
        assert_eq!((checked.recounted, checked.done), (right.done(), right.done()));
        let one = recheck(&right, 1.0, Some(2), 1, &cancel).unwrap();
        assert_eq!(one.recounted, right.done().div_ceil(100));
        let mut wrong = right.clone();
        // two blocks that took each other's place: the sum and all its residues are right
        let mut entries = right.ledger.entries();
        let (a, b) = (0, entries.blocks.iter().position(|block| block.1 != entries.blocks[0].1).unwrap());
        (entries.blocks[a].1, entries.blocks[b].1) = (entries.blocks[b].1, entries.blocks[a].1);
        wrong.ledger = Ledger::restore(entries, wrong.blocks).unwrap();
        let error = recheck(&wrong, 100.0, Some(2), 1, &cancel).unwrap_err();
        assert!(matches!(error, Error::Disagree { .. }), "{error}");
        cancel.cancel();
        assert_eq!(recheck(&right, 100.0, Some(2), 1, &cancel), Err(Error::Cancelled));
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_run_stops_at_its_time_and_is_saved() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run");
    let mut options = options(&file);
    options.stop_after = Some(Duration::from_millis(200));
    let slow = |_: &mut Finished| thread::sleep(Duration::from_millis(20));
    let (stopped, events) = session(13, &join(13), &options, 1, slow);
    assert_eq!(stopped, Err(Error::Stopped(Duration::from_millis(200))));
    assert!(matches!(events.last(), Some(Event::Saved { done: 1.., .. })), "{events:?}");
    options.stop_after = None;
    assert_eq!(session(13, &join(13), &options, 2, |_| ()).0.unwrap().count, 73_712);
}

/// Else it would come to lie there once the run is over, and answer for a later one.
#[test]
fn a_save_under_way_at_the_end_is_waited_for() {
    for _ in 0..20 {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("run");
        let (method, observe) = (join(10), &mut |_| ());
        let (mut keeper, fresh) = Keeper::open(&asked(&file), &problem(10), &*method, observe).unwrap();
        keeper.start(fresh);
        assert_eq!(keeper.written(observe), Some(file));
    }
}
