//! How many units the next dispatch takes, by the measured time of the last ones.

use std::time::Duration;

/// Units of the first dispatch: enough to say something, far too few to hang a display.
const FIRST_UNITS: f64 = 4096.0;

/// A dispatch grows by this factor at the most, so that one lucky measurement does no harm.
const GROWTH: f64 = 2.0;

/// Keeps the time of a dispatch near a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    target: Duration,
    units: f64,
    most: f64,
}

impl Pace {
    /// Starts small; never more than `most` units.
    #[must_use]
    pub fn new(target: Duration, most: u32) -> Self {
        Self { target, units: FIRST_UNITS.min(f64::from(most)), most: f64::from(most) }
    }

    /// Units for the next dispatch, at least one.
    #[must_use]
    pub fn units(&self) -> u32 {
        (self.units as u32).max(1)
    }

    /// Takes note that `units` units took a time. A dispatch that held less than was asked for never makes the
    /// pace grow beyond what it shows.
    pub fn learn(&mut self, units: u32, took: Duration) {
        let ratio = self.target.as_secs_f64() / took.as_secs_f64().max(1e-6);
        let wanted = f64::from(units) * ratio;
        let most = (f64::from(units) * GROWTH).max(self.units);
        self.units = wanted.clamp(1.0, most.min(self.most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn it_settles_on_the_target_and_stays_within_bounds() {
        let mut pace = Pace::new(12 * MS, 1 << 20);
        assert_eq!(pace.units(), 4096);
        let mut longest = Duration::ZERO;
        for _ in 0..40 {
            let units = pace.units();
            let took = Duration::from_nanos(u64::from(units) * 100);
            longest = longest.max(took);
            pace.learn(units, took);
        }
        assert_eq!(pace.units(), 120_000);
        assert!(longest <= 13 * MS);
    }

    #[test]
    fn a_slow_device_is_given_less_at_once() {
        let mut pace = Pace::new(12 * MS, 1 << 20);
        pace.learn(4096, Duration::from_secs(4));
        assert_eq!(pace.units(), 12);
        pace.learn(12, Duration::from_secs(60));
        assert_eq!(pace.units(), 1);
    }

    #[test]
    fn a_half_empty_dispatch_does_not_shrink_the_pace_below_what_it_shows() {
        let mut pace = Pace::new(12 * MS, 1 << 20);
        pace.learn(4, MS / 100);
        assert_eq!(pace.units(), 4096, "neither grown by a tiny sample nor shrunk");
        pace.learn(4, Duration::ZERO);
        assert!(pace.units() >= 1);
    }

    #[test]
    fn it_never_passes_the_most() {
        let mut pace = Pace::new(12 * MS, 1000);
        pace.learn(1000, Duration::ZERO);
        assert_eq!(pace.units(), 1000);
    }
}
