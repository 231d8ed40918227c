//! What is told of dispatches.

use std::thread;

use super::*;

/// A device that takes its time over one reply.
struct Slow<T> {
    inner: T,
    /// The reply that comes late, counted from 0, and by how much.
    at: usize,
    by: Duration,
    replies: usize,
}

impl<T: Transport> Transport for Slow<T> {
    fn device(&self) -> DeviceInfo {
        self.inner.device()
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn submit(&mut self, dispatch: &Dispatch) -> Result<(), Error> {
        self.inner.submit(dispatch)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, Error> {
        if self.replies == self.at {
            thread::sleep(self.by);
        }
        self.replies += 1;
        self.inner.poll(wait)
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }
}

/// The times of dispatches of N = 9, the reply `at` of which comes late; and all dispatches, with those of the self-test.
fn counted(at: usize, by: Duration) -> Result<(DispatchTimes, usize), Error> {
    let method = search(9, 2);
    let (spy, seen) = Spy::new(Simulated::new(Arc::clone(&method)));
    let slow = Slow { inner: spy, at, by, replies: 0 };
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
