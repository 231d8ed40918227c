//! How many units the next dispatch takes, by the measured time of the last ones.

use std::time::Duration;

/// Units of the first dispatch: few enough that no device hangs a display, or passes a time-out, if each takes all
/// of its steps.
const FIRST_UNITS: u32 = 256;

/// A dispatch grows by this factor at the most, so that one lucky measurement does no harm.
const GROWTH: f64 = 2.0;

/// Dispatches after which the width of a device is measured again.
const HOLD: u32 = 32;

/// Keeps the time of a dispatch near a target.
///
/// A device counts some units side by side, its *width*, and takes as long for fewer: where that is longer than the
/// target, ever smaller dispatches would only leave it idle. So its width is measured whenever a dispatch was made
/// smaller, and dispatches stay that large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    target: Duration,
    units: f64,
    least: f64,
    most: f64,
    /// Units and seconds of the largest dispatch since one was not too long.
    long: Option<(f64, f64)>,
    width: f64,
    /// Dispatches for which the width is still believed.
    hold: u32,
}

impl Pace {
    /// Starts small; never more than `most` units, nor less than `least` of them, the units of one workgroup.
    #[must_use]
    pub fn new(target: Duration, least: u32, most: u32) -> Self {
        let least = least.clamp(1, most.max(1));
        let units = FIRST_UNITS.clamp(least, most.max(least));
        Self {
            target,
            units: units.into(),
            least: least.into(),
            most: most.max(least).into(),
            long: None,
            width: 1.0,
            hold: 0,
        }
    }

    /// Units for the next dispatch, at least one.
    #[must_use]
    pub fn units(&self) -> u32 {
        self.units as u32
    }

    /// Takes note that `units` units took a time. A dispatch that held less than was asked for never makes the
    /// pace grow beyond what it shows.
    pub fn learn(&mut self, units: u32, took: Duration) {
        let (units, took) = (f64::from(units), took.as_secs_f64().max(1e-6));
        let target = self.target.as_secs_f64();
        self.measure_width(units, took);
        if took <= target {
            self.long = None;
        } else if self.long.is_none_or(|(more, _)| units >= more) {
            self.long = Some((units, took));
        }
        self.hold = self.hold.saturating_sub(1);
        let least = if self.hold > 0 { self.least.max(self.width) } else { self.least };
        let wanted = units * target / took;
        let most = (units * GROWTH).max(self.units);
        self.units = wanted.clamp(least, most.min(self.most).max(least));
    }

    /// A dispatch of `n` units takes the longer of one unit's time and n times a share of the device: with the large
    /// dispatch for the share and the small one for the unit, they are the same at the width. A small one that took
    /// clearly longer than the large one held other units, and says nothing.
    fn measure_width(&mut self, units: f64, took: f64) {
        let Some((more, longer)) = self.long.filter(|&(more, _)| 2.0 * units <= more) else { return };
        self.long = None;
        let width = (more * took / longer).min(more);
        if width >= 2.0 * units && took <= 1.25 * longer {
            (self.width, self.hold) = (width, HOLD);
        }
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
            pace.learn(pace.units(), pace.units() * Duration::from_millis(9));
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

    /// Sizes and times of dispatches on a device that counts `width` units side by side, each in `unit` seconds.
    fn run(pace: &mut Pace, width: f64, unit: f64, dispatches: usize) -> Vec<(u32, f64)> {
        let dispatch = |_| {
            let units = pace.units();
            let took = unit * (f64::from(units) / width).max(1.0);
            pace.learn(units, Duration::from_secs_f64(took));
            (units, took)
        };
        (0..dispatches).map(dispatch).collect()
    }

    #[test]
    fn long_units_are_counted_as_many_at_once_as_the_device_has_room_for() {
        for (width, unit) in [(132.0, 0.03), (256.0, 0.02), (20.0, 0.2), (2.0, 0.03), (1000.0, 0.013)] {
            let mut pace = Pace::new(12 * MS, 1, 1 << 20);
            let all = run(&mut pace, width, unit, 400);
            let after = &all[50..];
            let units: f64 = after.iter().map(|&(units, _)| f64::from(units)).sum();
            let time: f64 = after.iter().map(|&(_, took)| took).sum();
            // a device of a width beyond the first dispatch is filled as far as it was
            let best = width.min(FIRST_UNITS.into()) / unit;
            assert!(units / time > 0.8 * best, "{width}, {unit}: {} of {best}", units / time);
            assert!(
                after.iter().all(|&(_, took)| took < 1.1 * unit),
                "{width}, {unit}: no longer than a unit"
            );
        }
    }

    #[test]
    fn a_device_that_counts_units_in_turn_is_held_to_the_target() {
        let mut pace = Pace::new(12 * MS, 1, 1 << 20);
        let all = run(&mut pace, 1.0, 0.001, 100);
        assert!(all[2..].iter().all(|&(units, _)| units == 12), "{all:?}");
        // units that are longer, then shorter again, and others that are counted side by side
        assert!(run(&mut pace, 1.0, 0.1, 100)[2..].iter().all(|&(units, _)| units == 1));
        assert_eq!(run(&mut pace, 1.0, 0.001, 100)[50].0, 12);
        assert!(run(&mut pace, 64.0, 0.001, 100)[50..].iter().all(|&(units, _)| units.abs_diff(768) < 9));
    }

    #[test]
    fn a_width_that_was_measured_wrong_is_soon_forgotten() {
        let mut pace = Pace::new(12 * MS, 1, 1 << 20);
        pace.learn(256, 100 * MS);
        // a unit that is longer by far than those before it
        pace.learn(30, 100 * MS);
        assert_eq!(pace.units(), 256);
        let all = run(&mut pace, 1.0, 0.001, 100);
        assert!(all[..30].iter().all(|&(units, _)| units == 256));
        assert!(all[40..].iter().all(|&(units, _)| units == 12), "{all:?}");
    }

    #[test]
    fn it_never_passes_the_most() {
        let mut pace = Pace::new(12 * MS, 1, 1000);
        pace.learn(1000, Duration::ZERO);
        assert_eq!(pace.units(), 1000);
    }
}
