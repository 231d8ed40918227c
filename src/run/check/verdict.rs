//! How far a count can be trusted: the known answer, and what a sample of recounted units can promise.

use strum::Display;

use crate::{Error, Problem, known, run::options::Verify};

/// By what a count was checked; its name in documents is that of the variant in kebab case.
#[derive(Clone, Copy, Debug, Display, PartialEq, Eq)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Level {
    /// A second count in another way.
    Full,
    /// The known answer.
    KnownAnswer,
    /// Some units that were recounted.
    Sampled,
    /// Nothing.
    Unverified,
}

/// How far a count can be trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verification {
    /// By what it was checked.
    pub level: Level,
    /// What was compared with what.
    pub detail: String,
    /// The sample of units that were recounted, where there was one.
    pub sampled: Option<Sampled>,
}

/// A random sample of units that were recounted by the plain reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sampled {
    /// Units recounted, of which each came out right, if not at once.
    pub recounted: u64,
    /// Units from which they were drawn.
    pub of: u64,
    /// Units in this session that could not be drawn, as their recount would take too long.
    pub too_large: u64,
    /// Times that a block came out wrong and was counted again.
    pub disagreed: u64,
}

impl Sampled {
    /// The probability of which [`Sampled::seen_share`] speaks.
    pub const CONFIDENCE: f64 = 0.95;

    /// The least share of wrong units that a sample of this size shows with a probability of [`Sampled::CONFIDENCE`]: a
    /// sample of k misses a share f with the probability (1 - f)^k, so that f = 1 - 0.05^(1/k), about 3/k (J. A. Hanley,
    /// A. Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249 (1983), 1743-1745). Units are drawn
    /// without replacement, which misses less. None where some units did come out wrong.
    #[must_use]
    pub fn seen_share(&self) -> Option<f64> {
        let share = 1.0 - (1.0 - Self::CONFIDENCE).powf(1.0 / self.recounted as f64);
        (self.recounted > 0 && self.disagreed == 0).then_some(share)
    }

    /// How many, and of how many; with what that can `promise`, where that is wanted.
    fn words(&self, promise: bool) -> String {
        let Self { recounted, of, too_large, disagreed } = *self;
        let mut words = if recounted == of {
            format!("all {of} units recounted")
        } else {
            format!("{recounted} of {of} units recounted")
        };
        if too_large > 0 {
            words += &format!(" ({too_large} more are too large for it)");
        }
        let seen = self.seen_share().filter(|_| promise && recounted < of);
        if let Some(share) = seen {
            let confidence = 100.0 * Self::CONFIDENCE;
            words += &format!(
                ": a fault in {} % of them would have been seen with {confidence} %",
                percent(share)
            );
        }
        if disagreed > 0 {
            words += &format!("; {disagreed} x a block came out wrong and was counted again");
            if recounted < of {
                words += ": units that were not recounted may be wrong too";
            }
        }
        words
    }
}

/// A share in percent, rounded up to two digits that count.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = (1 - percent.log10().floor() as i32).max(0);
    let scale = 10f64.powi(digits);
    format!("{:.*}", digits as usize, (percent * scale).ceil() / scale)
}

/// Compares a count with the known answer.
///
/// # Errors
///
/// [`Error::Disagree`] where they differ. Nothing is counted again then: there is no saying which unit is wrong.
pub fn verify(
    problem: &Problem,
    count: u128,
    verify: Verify,
    sampled: Option<Sampled>,
) -> Result<Verification, Error> {
    let sampled = sampled.filter(|sampled| sampled.recounted > 0);
    let known =
        problem.plain().filter(|_| verify != Verify::None).and_then(|size| known::solutions(size.get()));
    if let Some(known) = known.filter(|&known| known != count) {
        return Err(Error::Disagree {
            what: format!("the number of solutions of {problem}"),
            left_name: "this run".into(),
            left: count.to_string(),
            right_name: "OEIS A000170".into(),
            right: known.to_string(),
        });
    }
    let (level, detail) = match (known, sampled) {
        (Some(_), None) => (Level::KnownAnswer, "A000170".into()),
        (Some(_), Some(sampled)) => {
            // the sum is known to be right: what a sample promises is of interest where one was asked for
            (Level::KnownAnswer, format!("A000170; {}", sampled.words(verify != Verify::Auto)))
        }
        (None, Some(sampled)) => (Level::Sampled, sampled.words(true)),
        (None, None) => (Level::Unverified, "nothing was compared".into()),
    };
    Ok(Verification { level, detail, sampled })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(recounted: u64, of: u64) -> Sampled {
        Sampled { recounted, of, too_large: 0, disagreed: 0 }
    }

    #[test]
    fn a_sample_promises_what_it_would_have_seen() {
        for (recounted, percent_seen) in [(1, "95"), (2, "78"), (64, "4.6"), (299, "1.00"), (1000, "0.30")] {
            let share = sampled(recounted, 20_700).seen_share().unwrap_or_default();
            assert!(((1.0 - share).powf(recounted as f64) - 0.05).abs() < 1e-9, "{recounted}: {share}");
            assert_eq!(percent(share), percent_seen, "{recounted}");
        }
    }

    /// Drawn without replacement, as units are.
    #[test]
    fn a_sample_misses_no_more_than_it_promises() {
        for (recounted, of) in [(1, 10), (7, 40), (64, 700), (299, 20_700), (1000, 1200)] {
            let share = sampled(recounted, of).seen_share().unwrap_or_default();
            let wrong = (share * of as f64).ceil();
            let missed = (0..recounted)
                .map(|drawn| 1.0 - wrong / (of - drawn) as f64)
                .fold(1.0, |all, one| all * one.max(0.0));
            assert!(missed <= 0.05 + 1e-9, "{recounted} of {of}: {missed}");
        }
    }

    #[test]
    fn what_is_said_of_a_sample_is_no_more_than_it_can_promise() {
        let words = |sampled: Sampled| sampled.words(true);
        assert_eq!(
            words(sampled(64, 20_700)),
            "64 of 20700 units recounted: a fault in 4.6 % of them would have been seen with 95 %"
        );
        assert_eq!(sampled(64, 20_700).words(false), "64 of 20700 units recounted");
        assert_eq!(words(sampled(92, 92)), "all 92 units recounted");
        assert_eq!(
            words(Sampled { too_large: 3, ..sampled(2, 2) }),
            "all 2 units recounted (3 more are too large for it)"
        );
        let noisy = Sampled { disagreed: 2, ..sampled(64, 700) };
        assert_eq!(noisy.seen_share(), None);
        assert_eq!(
            words(noisy),
            "64 of 700 units recounted; 2 x a block came out wrong and was counted again: units that were not recounted \
             may be wrong too"
        );
    }

    #[test]
    fn the_promise_is_told_where_it_matters() -> Result<(), Error> {
        let detail = |n, asked, sampled| -> Result<_, Error> {
            let problem = Problem::queens(n)?;
            let count = known::solutions(n).unwrap_or(1);
            verify(&problem, count, asked, sampled).map(|done| (done.level, done.detail))
        };
        let some = Some(sampled(64, 20_700));
        let promise = "64 of 20700 units recounted: a fault in 4.6 % of them would have been seen with 95 %";
        let told = |level, detail: &str| Ok((level, detail.to_owned()));
        assert_eq!(detail(28, Verify::Auto, some), told(Level::Sampled, promise));
        let short = "A000170; 64 of 20700 units recounted";
        assert_eq!(detail(18, Verify::Auto, some), told(Level::KnownAnswer, short));
        assert_eq!(
            detail(18, Verify::Sample, some),
            told(Level::KnownAnswer, &format!("A000170; {promise}"))
        );
        assert_eq!(detail(18, Verify::Auto, Some(sampled(0, 7))), told(Level::KnownAnswer, "A000170"));
        assert_eq!(detail(28, Verify::None, None), told(Level::Unverified, "nothing was compared"));
        Ok(())
    }
}
