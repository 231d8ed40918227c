//! Devices that fail once or for good, under an engine that opens them anew.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::{Faults, engine::retrying::Retrying};

/// Counts N = 9 on a device whose first `bad` openings err at a reply.
fn with_faults(plant: Plant, at: usize, bad: u32) -> (Result<Outcome, Error>, Faults, u32) {
    const N: u32 = 9;
    let method = search(N, 2);
    let opened = Arc::new(AtomicU32::new(0));
    let (counted, of_method) = (Arc::clone(&opened), Arc::clone(&method));
    let open = move |_hung| -> Result<Box<dyn Engine>, Error> {
        let simulated = Simulated::new(Arc::clone(&of_method));
        let settings = Settings { timeout: Duration::from_millis(20), ..settings() };
        // a fault of the first device when it is opened is not met again
        let number = counted.fetch_add(1, Ordering::SeqCst);
        let at = if number < bad { at } else { usize::MAX };
        let faulty = Faulty::new(simulated, plant, at);
        Ok(Box::new(GpuEngine::new(faulty, Arc::clone(&of_method), vec![SHAPE], settings)?))
    };
    let mut engines: Vec<Box<dyn Engine>> = match Retrying::new(Box::new(open)) {
        Ok(engine) => vec![Box::new(engine)],
        Err(error) => return (Err(error), Faults::default(), opened.load(Ordering::SeqCst)),
    };
    let pool = cpu::pool(Some(1)).unwrap_or_else(|error| panic!("{error}"));
    let options = Options { verify: Verify::Sample, ..Options::default() };
    let outcome = count_with(&problem(N), &method, &pool, &mut engines, &options, &mut |_| {});
    (outcome, engines[0].faults(), opened.load(Ordering::SeqCst))
}

fn all(faults: Faults) -> u64 {
    faults.named().iter().map(|(_, times)| times).sum()
}

const PLANTS: [Plant; 7] = [
    Plant::Lost,
    Plant::Endless,
    Plant::Zeroed,
    Plant::Stale,
    Plant::Shifted,
    Plant::Flipped(777),
    Plant::CutShort(32),
];

/// Replies to the self-test, before which nothing is counted.
fn replies_to_the_self_test() -> usize {
    let method = search(9, 2);
    method.self_test(0).block.units.len().div_ceil(SHAPE.most_units as usize)
}

#[test]
fn a_device_that_fails_once_or_twice_costs_time_and_no_solution() {
    let first = replies_to_the_self_test();
    for plant in PLANTS {
        for at in [first, first + 1, first + 5] {
            for bad in [1, 2, 3] {
                let (outcome, faults, opened) = with_faults(plant, at, bad);
                let count = outcome.map(|outcome| outcome.count);
                assert_eq!(count, Ok(352), "{plant:?} at reply {at}, {bad} times");
                assert_eq!(
                    (all(faults), opened),
                    (u64::from(bad), bad + 1),
                    "{plant:?} at reply {at}: {faults:?}"
                );
            }
        }
    }
}

#[test]
fn a_device_that_fails_for_good_ends_the_run_with_its_fault() {
    let first = replies_to_the_self_test();
    for (plant, code) in [(Plant::Lost, 6), (Plant::Endless, 6), (Plant::Zeroed, 7), (Plant::Flipped(777), 7)]
    {
        let (outcome, faults, opened) = with_faults(plant, first, u32::MAX);
        let error = outcome.expect_err("a device that always fails");
        assert_eq!(error.exit_code(), code, "{plant:?}: {error}");
        assert_eq!((all(faults), opened), (3, 4), "{plant:?}");
    }
}

/// Counts N = 9, every unit recounted, on devices that come one after the other: what each errs with from its first reply
/// after the self-test on, for good or once. Also how many were opened.
fn with_wrong_counts(
    devices: &'static [Option<Plant>],
    for_good: bool,
    verify: Verify,
) -> (Result<Outcome, Error>, usize) {
    let method = search(9, 2);
    let opened = Arc::new(AtomicU32::new(0));
    let (counted, of_method) = (Arc::clone(&opened), Arc::clone(&method));
    let open = move |_hung| -> Result<Box<dyn Engine>, Error> {
        let number = counted.fetch_add(1, Ordering::SeqCst) as usize;
        let gone = || Error::no_device("it is gone", "plug it in");
        let plant = *devices.get(number).ok_or_else(gone)?;
        let at = if plant.is_some() { replies_to_the_self_test() } else { usize::MAX };
        let faulty = Faulty::new(Simulated::new(Arc::clone(&of_method)), plant.unwrap_or(Plant::TooMany), at);
        let faulty = if for_good { faulty.for_good() } else { faulty };
        Ok(Box::new(GpuEngine::new(faulty, Arc::clone(&of_method), vec![SHAPE], settings())?))
    };
    let engine = Retrying::new(Box::new(open)).unwrap_or_else(|error| panic!("{error}"));
    let pool = cpu::pool(Some(1)).unwrap_or_else(|error| panic!("{error}"));
    let options = Options { verify, ..Options::default() };
    let outcome = count_with(&problem(9), &method, &pool, &mut [Box::new(engine)], &options, &mut |_| {});
    (outcome, opened.load(Ordering::SeqCst) as usize)
}

/// Their bytes are whole: only the recount sees them, after the block was handed on.
#[test]
fn a_wrong_count_that_does_not_come_again_costs_time_and_no_solution() {
    let cases: [(&[Option<Plant>], bool, u64, usize); 3] = [
        (&[Some(Plant::WrongCount(3))], false, 1, 1),
        (&[Some(Plant::TooMany)], false, 1, 1),
        // another one when it is asked again, and right on a new device
        (&[Some(Plant::Drifting(1)), None], true, 2, 2),
    ];
    for (devices, for_good, wrong, expected) in cases {
        let (lie, _) = with_wrong_counts(devices, for_good, Verify::None);
        assert_ne!(lie.map(|outcome| outcome.count), Ok(352), "unchecked, the plant gives a wrong count");
        let (outcome, opened) = with_wrong_counts(devices, for_good, Verify::Sample);
        let outcome = outcome.unwrap_or_else(|error| panic!("{devices:?}: {error}"));
        let expected_faults = Faults { disagreed: wrong, ..Faults::default() };
        assert_eq!((outcome.count, outcome.faults, opened), (352, expected_faults, expected), "{devices:?}");
        let sampled = outcome.verification.sampled.map(|sampled| (sampled.recounted, sampled.disagreed));
        assert!(sampled.is_some_and(|(units, times)| units > 0 && times == wrong), "{sampled:?}");
    }
}

#[test]
fn a_wrong_count_that_comes_again_ends_the_run() {
    let cases: [(&[Option<Plant>], usize, u8, &str); 4] = [
        (&[Some(Plant::TooMany)], 1, 7, "which came out alike when it was counted again"),
        (&[Some(Plant::Drifting(1)), Some(Plant::Drifting(1 << 20))], 2, 7, "on a new device too"),
        // the value of the first device, on the second
        (&[Some(Plant::Drifting(1)), Some(Plant::Drifting(1))], 2, 7, "alike"),
        // there is no second device
        (&[Some(Plant::Drifting(1))], 2, 6, "it is gone"),
    ];
    for (devices, expected, code, why) in cases {
        let (outcome, opened) = with_wrong_counts(devices, true, Verify::Sample);
        let error = outcome.expect_err("always wrong");
        assert!(error.to_string().contains(why), "{devices:?}: {error}");
        assert_eq!((error.exit_code(), opened), (code, expected), "{devices:?}: {error}");
        let several = matches!(&error, Error::Disagree { left, .. } if left.contains(", then "));
        assert!(several || code == 6, "each value is named: {error}");
    }
}

#[test]
fn the_dispatches_of_a_device_that_failed_are_told_too() {
    let number = |at| {
        let (outcome, ..) = with_faults(Plant::Lost, at, 1);
        let devices = outcome.map(|outcome| outcome.devices).unwrap_or_default();
        devices.iter().filter_map(|part| part.dispatches.as_ref()).map(DispatchTimes::number).sum::<u64>()
    };
    let whole = number(usize::MAX);
    assert!(whole > 10, "{whole}");
    // all are of one block, which is counted again
    assert_eq!(search(9, 2).blocks(), 1);
    assert_eq!(number(replies_to_the_self_test() + 5), whole + 5);
}

#[test]
fn a_device_that_fails_its_self_test_is_not_opened_again() {
    let (outcome, _, opened) = with_faults(Plant::Zeroed, 0, u32::MAX);
    assert!(matches!(outcome, Err(Error::Damaged { .. })), "{outcome:?}");
    assert_eq!(opened, 1);
}
