#![allow(clippy::unwrap_used)]

use std::time::Duration;

use super::{
    super::simulated::{Plan, Simulated, Unsynced},
    *,
};
use crate::{Problem, method::join::Join};

const FILE: &str = "folder/count.ferz";

fn checkpoint(sessions: u64) -> Checkpoint {
    let problem = Problem::queens(8).unwrap();
    let elapsed = Duration::from_secs(sessions);
    Checkpoint { sessions, elapsed, ..Checkpoint::new(&problem, &Join::new(&problem).unwrap()) }
}

fn store(disk: &Simulated) -> Store<&Simulated> {
    Store::new(disk, FILE.into())
}

/// The generation that is found.
fn found(disk: &Simulated) -> Result<Option<u64>, Error> {
    Ok(store(disk).load(|_| Ok(()))?.checkpoint.map(|checkpoint| checkpoint.sessions))
}

/// A disk on which some generations were saved.
fn disk(generations: u64) -> Simulated {
    let disk = Simulated::default();
    for generation in 1..=generations {
        store(&disk).save(&checkpoint(generation)).unwrap();
    }
    disk
}

fn calls_of_a_save(generations: u64) -> usize {
    let disk = disk(generations);
    disk.plan(Plan::default());
    store(&disk).save(&checkpoint(generations + 1)).unwrap();
    disk.calls()
}

#[test]
fn the_last_save_is_found() {
    for generations in 0..4 {
        assert_eq!(found(&disk(generations)), Ok((generations > 0).then_some(generations)));
    }
}

/// Every state in which a loss of power during a save may leave the disk.
fn after_power_losses(generations: u64, lies: bool) -> Vec<(String, Simulated)> {
    let mut disks = Vec::new();
    for power in 0..=calls_of_a_save(generations) {
        for unsynced in Unsynced::ALL {
            let disk = disk(generations);
            disk.plan(Plan { power: Some(power), lies, ..Plan::default() });
            let saved = store(&disk).save(&checkpoint(generations + 1));
            assert_eq!(saved.is_ok(), power == calls_of_a_save(generations));
            let after = disk.after_power_loss(unsynced).into_iter();
            disks.extend(after.map(|after| (format!("power gone after call {power}, {unsynced:?}"), after)));
        }
    }
    disks
}

#[test]
fn a_loss_of_power_leaves_the_state_before_or_after() {
    for generations in 0..4 {
        let (before, after) = ((generations > 0).then_some(generations), Some(generations + 1));
        let mut seen = [0, 0];
        for (case, disk) in after_power_losses(generations, false) {
            let found = found(&disk).unwrap_or_else(|error| panic!("{generations}, {case}: {error}"));
            assert!(found == before || found == after, "{generations}, {case}: {found:?}");
            seen[usize::from(found == after)] += 1;
            // and the next save works
            store(&disk).save(&checkpoint(9)).unwrap();
            assert_eq!(self::found(&disk), Ok(Some(9)), "{case}");
        }
        assert!(seen[0] > 10 && seen[1] > 5, "{seen:?}");
    }
}

/// The same test sees a disk that does not do what it says.
#[test]
fn a_disk_that_does_not_sync_is_caught() {
    let lost =
        after_power_losses(2, true).into_iter().filter(|(_, disk)| !matches!(found(disk), Ok(Some(2 | 3))));
    assert!(lost.count() > 0);
}

#[test]
fn a_call_that_fails_leaves_the_last_generation_whole() {
    for generations in 0..4 {
        let calls = calls_of_a_save(generations);
        for fails in 0..calls {
            let disk = disk(generations);
            disk.plan(Plan { fails: Some(fails), ..Plan::default() });
            assert!(store(&disk).save(&checkpoint(generations + 1)).is_err(), "call {fails}");
            disk.plan(Plan::default());
            let found = found(&disk).unwrap();
            // the last call syncs the folder, and what it syncs is there
            let expected = if fails == calls - 1 { generations + 1 } else { generations };
            assert_eq!(found, (expected > 0).then_some(expected), "{generations}, call {fails}");
            // the next one goes on
            store(&disk).save(&checkpoint(9)).unwrap();
            assert_eq!(self::found(&disk), Ok(Some(9)));
        }
    }
}

#[test]
fn a_damaged_file_is_set_aside_and_the_one_before_is_used() {
    let disk = disk(2);
    let mut bytes = (&disk).read(FILE.as_ref()).unwrap();
    bytes[100] ^= 1;
    (&disk).write(FILE.as_ref(), &bytes).unwrap();
    let loaded = store(&disk).load(|_| Ok(())).unwrap();
    assert_eq!(loaded.checkpoint.map(|checkpoint| checkpoint.sessions), Some(1));
    let notice = loaded.notice.unwrap();
    assert!(notice.contains("damaged") && notice.contains("count.ferz.bad"), "{notice}");
    assert_eq!((&disk).read(Path::new("folder/count.ferz.bad")).unwrap(), bytes);
    // the next save does not put a generation in place of the good one
    store(&disk).save(&checkpoint(9)).unwrap();
    (&disk).write(FILE.as_ref(), b"ferz checkpoint 1").unwrap();
    assert_eq!(found(&disk), Ok(Some(1)));
    assert!((&disk).exists(Path::new("folder/count.ferz.bad2")));
}

#[test]
fn without_a_whole_generation_nothing_is_touched() {
    for (bytes, part) in [
        (&b"my thesis"[..], "not a checkpoint"),
        (b"ferz checkpoint 1\n", "damaged"),
        (b"ferz checkpoint 7\n", "format 7"),
    ] {
        let disk = Simulated::default();
        (&disk).write(FILE.as_ref(), bytes).unwrap();
        let error = found(&disk).unwrap_err();
        assert!(error.to_string().contains(part) && error.exit_code() == 5, "{error}");
        assert_eq!((&disk).read(FILE.as_ref()).unwrap(), bytes);
    }
    // a newer format is not passed over for an older generation
    let disk = disk(2);
    (&disk).write(FILE.as_ref(), b"ferz checkpoint 7\n").unwrap();
    assert!(found(&disk).is_err());
}

#[test]
fn what_does_not_fit_is_refused_and_left() {
    let disk = disk(2);
    let refused = store(&disk).load(|_| Err(Error::checkpoint("other", "other")));
    assert_eq!(refused, Err(Error::checkpoint("other", "other")));
    assert_eq!(found(&disk), Ok(Some(2)));
}

#[test]
fn what_is_set_aside_has_a_name_of_its_own() {
    let disk = disk(2);
    for expected in ["folder/count.ferz.bak", "folder/count.ferz.bak2"] {
        let aside = store(&disk).set_aside(".bak").unwrap();
        assert_eq!(aside.as_deref(), Some(Path::new(expected)));
        assert!(!store(&disk).exists() && (&disk).exists(&with_suffix(Path::new(expected), ".prev")));
        store(&disk).save(&checkpoint(3)).unwrap();
        store(&disk).save(&checkpoint(4)).unwrap();
    }
    store(&disk).remove().unwrap();
    assert_eq!(found(&disk), Ok(None));
    store(&disk).remove().unwrap();
}
