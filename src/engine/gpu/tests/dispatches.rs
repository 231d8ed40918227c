//! What is told of dispatches.

use std::thread;

use super::{
    batches::{join, shapes},
    *,
};

/// The times of dispatches of N = 9, the reply `at` of which comes late; and all dispatches, with those of the self-test.
fn counted(at: usize, by: Duration) -> Result<(DispatchTimes, usize), Error> {
    let method = search(9, 2);
    let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
    let mut replies = 0;
    let slow = Polled::new(spy, move |inner: &mut Spy<Simulated>, wait| {
        if replies == at {
            thread::sleep(by);
        }
        replies += 1;
        inner.poll(wait)
    });
    let outcome = count(9, &method, engine(slow, &method), Verify::None)?;
    let times = outcome.devices.into_iter().find_map(|part| part.dispatches);
    Ok((times.unwrap_or_default(), taken(&seen).len()))
}

#[test]
fn each_dispatch_but_those_of_the_self_test_is_noted_with_its_time() -> Result<(), Error> {
    let tests = search(9, 2).self_test(0).block.units.len().div_ceil(SHAPE.most_units as usize);
    let late = Duration::from_millis(60);
    let (times, all) = counted(tests + 3, late)?;
    assert!(times.number() > 10, "{times:?}");
    assert_eq!(times.number() as usize, all - tests);
    assert!(times.longest() >= late && times.quantile(0.5) < late, "one of them was late: {times:?}");
    let (times, _) = counted(0, Duration::from_secs(1))?;
    assert!(times.longest() < Duration::from_secs(1), "a self-test may compile: {times:?}");
    Ok(())
}

#[test]
fn what_is_under_way_while_another_kernel_is_compiled_is_not_timed() -> Result<(), Error> {
    let method = join(9);
    let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
    let mut engine = GpuEngine::new(spy, Arc::clone(&method), shapes(&method), settings())?;
    let main = method.main_kernel();
    let other = (0..method.kernels().len()).find(|&kernel| kernel != main).unwrap_or_default();
    let of_kernel = |kernel| {
        let blocks = (0..method.blocks()).map(|number| method.block(number));
        blocks.into_iter().find(|block| block.kernel == kernel && !block.units.is_empty()).map(Arc::new)
    };
    let (Some(first), Some(second)) = (of_kernel(main), of_kernel(other)) else { panic!("no such blocks") };
    engine.submit(first)?;
    engine.pump()?;
    let under_way = engine.in_flight.len();
    assert!(under_way > 0);
    engine.submit(second)?;
    while engine.poll(Duration::from_secs(20))?.is_some() {}
    let tests = |kernel| method.self_test(kernel).block.units.len().div_ceil(SHAPE.most_units as usize);
    let others = taken(&seen).len() - tests(main) - tests(other);
    assert_eq!(engine.dispatches.number() as usize, others - under_way);
    Ok(())
}
