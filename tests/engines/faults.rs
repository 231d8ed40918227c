//! Faults around the real pipeline: each is reported, none gives a count.

use std::{sync::Arc, time::Duration};

use ferz::{
    Error, Verify,
    engine::{
        Engine,
        cpu::{self, CpuEngine},
        decode::Fault,
        gpu::{
            Settings,
            faulty::{Faulty, Plant},
        },
        paired::Paired,
    },
};

use crate::support::{Destroyed, adapter, count, engine_on, search, settings};

#[test]
fn a_device_lost_in_the_middle_of_a_run_is_reported() {
    let Some(adapter) = adapter() else { return };
    let method = search(11, Some(4));
    for at in [0, 1, 3, 6] {
        let made = engine_on(adapter, &method, settings(), |inner, device| Destroyed {
            inner,
            device,
            at,
            replies: 0,
        });
        let result = made.and_then(|engine| count(11, &method, Box::new(engine), Verify::None));
        let Err(error) = result else { panic!("destroyed at reply {at}: {result:?}") };
        assert!(matches!(error, Error::DeviceLost { .. }), "destroyed at reply {at}: {error:?}");
        assert_eq!(error.exit_code(), 6);
    }
}

#[test]
fn a_device_lost_before_a_pipeline_is_made_is_reported() {
    let Some(adapter) = adapter() else { return };
    let method = search(8, None);
    let made = engine_on(adapter, &method, settings(), |inner, device| {
        device.destroy();
        inner
    });
    assert!(matches!(made.err(), Some(Error::DeviceLost { .. })));
}

#[test]
fn a_dispatch_that_never_ends_is_reported_in_time() {
    let Some(adapter) = adapter() else { return };
    let method = search(10, Some(3));
    // reply 0 is the self-test
    for at in [0, 2] {
        let settings = Settings { timeout: Duration::from_millis(1500), ..settings() };
        let start = std::time::Instant::now();
        let made = engine_on(adapter, &method, settings, |inner, _| Faulty::new(inner, Plant::Endless, at));
        let result = made.and_then(|engine| count(10, &method, Box::new(engine), Verify::None));
        let Err(error) = result else { panic!("reply {at}: {result:?}") };
        assert!(matches!(error, Error::DeviceHung { .. }), "reply {at}: {error:?}");
        assert_eq!(error.exit_code(), 6);
        assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    }
}

#[test]
fn spoilt_bytes_of_a_real_device_are_reported() {
    let Some(adapter) = adapter() else { return };
    let method = search(10, Some(3));
    let plants = [Plant::Zeroed, Plant::Stale, Plant::Shifted, Plant::Flipped(12_345), Plant::CutShort(32)];
    for plant in plants {
        for at in [0, 2] {
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
    let method = search(10, Some(1));
    let wrong =
        || engine_on(adapter, &method, settings(), |inner, _| Faulty::new(inner, Plant::WrongCount(7), 1));
    let lie = count(10, &method, Box::new(wrong().unwrap()), Verify::None).unwrap();
    assert_ne!(lie.count, 724, "unchecked, the plant gives a wrong count");
    let error = count(10, &method, Box::new(wrong().unwrap()), Verify::Sample).unwrap_err();
    assert!(error.to_string().contains("recount of unit 7 of block 0"), "{error}");
    let cpu = CpuEngine::new(Arc::clone(&method), cpu::pool(Some(2)).unwrap());
    let mut paired = Paired::new(Box::new(wrong().unwrap()), Box::new(cpu), true);
    paired.submit(Arc::new(method.block(0))).unwrap();
    let error = paired.poll(Duration::from_secs(60)).unwrap_err();
    assert!(error.to_string().starts_with("block 0, unit 7 "), "{error}");
    assert_eq!(error.exit_code(), 7);
}

#[test]
fn a_kernel_that_writes_nothing_leaves_records_that_are_seen_to_be_unwritten() {
    let Some(adapter) = adapter() else { return };
    let inner = search(8, Some(3));
    let dropped = [
        // nothing at all, one record, and all records but their sums
        ("if invocation.x < params.units {", "if false {"),
        ("if invocation.x < params.units {", "if invocation.x < params.units && invocation.x != 3u {"),
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
