//! How long the dispatches of a GPU take.

use std::{fmt, time::Duration};

use hdrhistogram::Histogram;

/// The longest time that is distinguished from longer ones, in microseconds: far above any time-out.
const MOST: u64 = 3_600_000_000;

/// Significant digits of a quantile: 13 KB of counters.
const DIGITS: u8 = 2;

/// The times of dispatches as the host sees them: from the moment that the device was free for one to that at which its
/// bytes were taken. Quantiles are known to 1 %.
#[derive(Clone, PartialEq)]
pub struct DispatchTimes {
    micros: Histogram<u32>,
    longest: Duration,
}

impl DispatchTimes {
    /// Those of no dispatch.
    #[must_use]
    pub fn new() -> Self {
        let micros = Histogram::new_with_bounds(1, MOST, DIGITS)
            .unwrap_or_else(|error| unreachable!("bounds that are constants: {error}"));
        Self { micros, longest: Duration::ZERO }
    }

    /// Notes a dispatch.
    pub fn add(&mut self, took: Duration) {
        self.micros.saturating_record(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        self.longest = self.longest.max(took);
    }

    /// These and others.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        // of the same bounds, and counters stay at their most
        self.micros
            .add(&others.micros)
            .unwrap_or_else(|error| unreachable!("two histograms of the same bounds: {error}"));
        self.longest = self.longest.max(others.longest);
        self
    }

    /// How many there were.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.micros.len()
    }

    /// The time that a part of them, from 0 to 1, did not exceed; 0 where there was none.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Duration {
        // the upper end of a counter may lie above all that it counted
        Duration::from_micros(self.micros.value_at_quantile(part)).min(self.longest)
    }

    /// The longest, exactly; 0 where there was none.
    #[must_use]
    pub const fn longest(&self) -> Duration {
        self.longest
    }
}

impl Default for DispatchTimes {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for DispatchTimes {
    /// Without the counters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DispatchTimes")
            .field("number", &self.number())
            .field("median", &self.quantile(0.5))
            .field("longest", &self.longest)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(millis: impl IntoIterator<Item = u64>) -> DispatchTimes {
        let mut times = DispatchTimes::new();
        millis.into_iter().for_each(|millis| times.add(Duration::from_millis(millis)));
        times
    }

    fn assert_near(found: Duration, millis: u64) {
        let off = found.as_secs_f64() / Duration::from_millis(millis).as_secs_f64() - 1.0;
        assert!(off.abs() <= 0.01, "{found:?} for {millis} ms");
    }

    #[test]
    fn quantiles_are_those_of_the_times() {
        let all = times(1..=1000);
        assert_eq!((all.number(), all.longest()), (1000, Duration::from_secs(1)));
        for part in [1, 250, 500, 990, 1000] {
            assert_near(all.quantile(part as f64 / 1000.0), part);
        }
        assert_eq!(all.quantile(1.0), all.longest());
    }

    #[test]
    fn none_and_one_and_too_long() {
        let none = DispatchTimes::new();
        assert_eq!((none.number(), none.quantile(0.99), none.longest()), (0, Duration::ZERO, Duration::ZERO));
        let one = times([7]);
        assert_eq!(
            (one.number(), one.quantile(0.5), one.longest()),
            (1, one.longest(), Duration::from_millis(7))
        );
        let days = times([86_400_000]);
        assert_eq!((days.number(), days.longest()), (1, Duration::from_secs(86_400)));
        assert!(days.quantile(0.5) >= Duration::from_secs(3600));
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        assert_eq!(times(1..=300).and(&times(301..=1000)), times(1..=1000));
        assert_eq!(times(5..=9).and(&DispatchTimes::new()), times(5..=9));
    }
}
