//! How many units the next dispatch takes, by the measured time of the last ones.

use std::time::Duration;

/// Units of the first dispatch: few enough that no device hangs a display, or passes a time-out, if each takes all
/// of its steps.
const FIRST_UNITS: u32 = 256;

/// A dispatch grows by this factor at the most, so that one lucky measurement does no harm.
const GROWTH: f64 = 2.0;

/// Keeps the time of a dispatch near a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    target: Duration,
    units: f64,
    least: f64,
    most: f64,
}

impl Pace {
    /// Starts small; never more than `most` units, nor less than `least` of them, the units that a device takes no
    /// longer for than for one: a slow dispatch of a few long units would else make the next ones ever smaller.
    #[must_use]
    pub fn new(target: Duration, least: u32, most: u32) -> Self {
        let least = least.clamp(1, most.max(1));
        let units = FIRST_UNITS.clamp(least, most.max(least));
        Self { target, units: units.into(), least: least.into(), most: most.max(least).into() }
    }

    /// Units for the next dispatch, at least one.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.units as u32
    }

    /// Takes note that `units` units took a time. A dispatch that held less than was asked for never makes the
    /// pace grow beyond what it shows.
    pub fn learn(&mut self, units: u32, took: Duration) {
        let ratio = self.target.as_secs_f64() / took.as_secs_f64().max(1e-6);
        let wanted = f64::from(units) * ratio;
        let most = (f64::from(units) * GROWTH).max(self.units);
        self.units = wanted.clamp(self.least, most.min(self.most).max(self.least));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn it_settles_on_the_target_and_stays_within_bounds() {
        let mut pace = Pace::new(12 * MS, 1, 1 << 20);
        assert_eq!(pace.units(), 256);
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
        let mut pace = Pace::new(12 * MS, 1, 1 << 20);
        pace.learn(256, Duration::from_secs(1));
        assert_eq!(pace.units(), 3);
        pace.learn(3, Duration::from_secs(60));
        assert_eq!(pace.units(), 1);
    }

    #[test]
    fn it_never_falls_below_the_least() {
        let mut pace = Pace::new(12 * MS, 64, 1 << 20);
        for _ in 0..3 {
            pace.learn(pace.units(), Duration::from_secs(9));
            assert_eq!(pace.units(), 64);
        }
        for (least, most) in [(64, 10), (0, 10), (0, 0), (300, 1000)] {
            let mut pace = Pace::new(12 * MS, least, most);
            for took in [Duration::ZERO, Duration::from_secs(1)] {
                assert!((least.min(most).max(1)..=most.max(1)).contains(&pace.units()), "{least}, {most}");
                pace.learn(pace.units(), took);
            }
        }
    }

    #[test]
    fn a_half_empty_dispatch_does_not_shrink_the_pace_below_what_it_shows() {
        let mut pace = Pace::new(12 * MS, 1, 1 << 20);
        pace.learn(4, MS / 100);
        assert_eq!(pace.units(), 256, "neither grown by a tiny sample nor shrunk");
        pace.learn(4, Duration::ZERO);
        assert!(pace.units() >= 1);
    }

    #[test]
    fn it_never_passes_the_most() {
        let mut pace = Pace::new(12 * MS, 1, 1000);
        pace.learn(1000, Duration::ZERO);
        assert_eq!(pace.units(), 1000);
    }
}
