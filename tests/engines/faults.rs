//! Faults around the real pipeline: each is reported or made good, none gives a wrong count.

use std::{sync::Arc, time::Duration};

use ferz::{
    Error, Fault, Verify,
    testing::engine::{
        Engine,
        cpu::{self, CpuEngine},
        gpu::{
            Settings,
            fake::faulty::{Faulty, Plant},
        },
        paired::Paired,
        retrying::Retrying,
    },
};

use crate::support::{adapter, count, destroyed, engine_on, known, methods, settings};

/// The small dispatches of both methods are many, the first few of them self-tests.
#[test]
fn a_device_lost_in_the_middle_of_a_run_is_reported() {
    let Some(adapter) = adapter() else { return };
    for method in methods(11, 4) {
        for at in [0, 1, 3, 6] {
            let made = engine_on(adapter, &method, settings(), |inner, device| destroyed(inner, device, at));
            let result = made.and_then(|engine| count(11, &method, Box::new(engine), Verify::None));
            let Err(error) = result else { panic!("destroyed at reply {at}: {result:?}") };
            assert!(matches!(error, Error::DeviceLost { .. }), "destroyed at reply {at}: {error:?}");
            assert_eq!(error.exit_code(), 6);
        }
    }
}

#[test]
fn a_device_lost_in_the_middle_of_a_run_is_opened_anew_and_nothing_is_lost() {
    let Some(adapter) = adapter() else { return };
    for method in methods(11, 4) {
        let (of, mut opened) = (Arc::clone(&method), 0);
        let open = move |_hung| -> Result<Box<dyn Engine>, Error> {
            // the first device is lost in the middle, the second at once
            let at = [3, 1].get(opened).copied().unwrap_or(usize::MAX);
            opened += 1;
            let lost = |inner, device| destroyed(inner, device, at);
            Ok(Box::new(engine_on(adapter, &of, settings(), lost)?))
        };
        let engine = Retrying::new(Box::new(open)).unwrap();
        let outcome = count(11, &method, Box::new(engine), Verify::Sample).unwrap();
        assert_eq!((outcome.count, outcome.faults.lost), (known(11), 2), "{}", method.name());
    }
}

#[test]
fn a_device_lost_before_a_pipeline_is_made_is_reported() {
    let Some(adapter) = adapter() else { return };
    for method in methods(8, 2) {
        let made = engine_on(adapter, &method, settings(), |inner, device| {
            device.destroy();
            inner
        });
        assert!(matches!(made.err(), Some(Error::DeviceLost { .. })));
    }
}

#[test]
fn a_dispatch_that_never_ends_is_reported_in_time() {
    let Some(adapter) = adapter() else { return };
    // reply 0 is a self-test
    for (method, at) in methods(10, 3).iter().flat_map(|method| [(method, 0), (method, 2)]) {
        let settings = Settings { timeout: Duration::from_millis(1500), ..settings() };
        let start = std::time::Instant::now();
        let made = engine_on(adapter, method, settings, |inner, _| Faulty::new(inner, Plant::Endless, at));
        let result = made.and_then(|engine| count(10, method, Box::new(engine), Verify::None));
        let Err(error) = result else { panic!("reply {at}: {result:?}") };
        assert!(matches!(error, Error::DeviceHung { .. }), "reply {at}: {error:?}");
        assert_eq!(error.exit_code(), 6);
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

#[test]
fn spoilt_bytes_of_a_real_device_are_reported() {
    let Some(adapter) = adapter() else { return };
    let plants = [Plant::Zeroed, Plant::Stale, Plant::Shifted, Plant::Flipped(12_345), Plant::CutShort(32)];
    for method in methods(10, 3) {
        // a record that is alone in its dispatch is its own shift: that is planted in self-tests only
        let later = |plant| if plant == Plant::Shifted { 1 } else { 2 };
        for (plant, at) in plants.into_iter().flat_map(|plant| [(plant, 0), (plant, later(plant))]) {
            let made = engine_on(adapter, &method, settings(), |inner, _| Faulty::new(inner, plant, at));
            let result = made.and_then(|engine| count(10, &method, Box::new(engine), Verify::None));
            let Err(error) = result else { panic!("{plant:?} at reply {at}: {result:?}") };
            assert!(matches!(error, Error::Damaged { .. }), "{plant:?} at reply {at}: {error:?}");
            assert_eq!(error.exit_code(), 7);
        }
    }
}

#[test]
fn a_wrong_count_of_a_real_device_is_seen_and_named() {
    let Some(adapter) = adapter() else { return };
    for method in methods(10, 1) {
        // the first reply after the self-tests of all kernels, which are one dispatch each
        let at = method.kernels().len();
        let wrong = || {
            let plant = Plant::WrongCount(7);
            let made = engine_on(adapter, &method, settings(), |inner, _| Faulty::new(inner, plant, at));
            let mut engine = made.unwrap();
            engine.prove_all().unwrap();
            Box::new(engine)
        };
        let lie = count(10, &method, wrong(), Verify::None).unwrap();
        assert_ne!(lie.count, 724, "unchecked, the plant gives a wrong count");
        let again = count(10, &method, wrong(), Verify::Sample).unwrap();
        assert_eq!((again.count, again.faults.disagreed), (724, 1), "recounted, and counted again");
        let always = engine_on(adapter, &method, settings(), |inner, _| {
            Faulty::new(inner, Plant::TooMany, at).for_good()
        });
        let mut always = always.unwrap();
        always.prove_all().unwrap();
        let error = count(10, &method, Box::new(always), Verify::Sample).unwrap_err();
        assert!(error.to_string().contains("recount of unit "), "{error}");
        assert_eq!(error.exit_code(), 7);
        let blocks = (0..method.blocks()).map(|number| method.block(number));
        let block = blocks.max_by_key(|block| block.units.len()).expect("a block");
        let expected = format!("block {}, unit {} ", block.number, 7 % block.units.len());
        let cpu = CpuEngine::new(Arc::clone(&method), cpu::pool(Some(2)).unwrap());
        let mut paired = Paired::new(wrong(), Box::new(cpu), method.visits_agree());
        paired.submit(Arc::new(block)).unwrap();
        let error = paired.poll(Duration::from_secs(60)).unwrap_err();
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert_eq!(error.exit_code(), 7);
    }
}

#[test]
fn a_kernel_that_writes_nothing_leaves_records_that_are_seen_to_be_unwritten() {
    let Some(adapter) = adapter() else { return };
    for inner in methods(8, 3) {
        let dropped = [
            // nothing at all, one record, and all records but their sums
            ("if group.x < params.units {", "if false {"),
            ("if group.x < params.units {", "if group.x < params.units && group.x != 3u {"),
            ("atomicAdd(&totals[4], atomicLoad(&workgroup_totals[4]));", ""),
        ];
        for (at, (from, to)) in dropped.into_iter().enumerate() {
            let method = crate::support::Edited::text(&inner, &[(from, to)]);
            let made = engine_on(adapter, &method, settings(), |inner, _| inner);
            let Some(Error::Damaged { fault, .. }) = made.err() else { panic!("{to}: not seen") };
            let unwritten = |unit| matches!(fault, Fault::Unwritten { unit: u, .. } if u == unit);
            assert!([unwritten(0), unwritten(3), matches!(fault, Fault::Sum { .. })][at], "{to}: {fault}");
        }
    }
}
