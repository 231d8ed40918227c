//! What is made of the times of a case.

use serde::{Deserialize, Serialize};

/// Seconds of several runs.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Stats {
    /// The min.
    pub min: f64,
    /// The one in the middle, or the mean of the two there.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation of a sample (n - 1); none for one run.
    pub stddev: Option<f64>,
    /// The max.
    pub max: f64,
}

impl Stats {
    /// Of one time or more; without any, all are 0.
    #[must_use]
    pub fn of(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len().max(1) as f64;
        let mean = sorted.iter().sum::<f64>() / count;
        let squares: f64 = sorted.iter().map(|time| (time - mean).powi(2)).sum();
        Self {
            min: sorted.first().copied().unwrap_or_default(),
            median: median(&sorted),
            mean,
            stddev: (sorted.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
            max: sorted.last().copied().unwrap_or_default(),
        }
    }
}

/// The median of sorted numbers; 0 where there is none.
fn median(sorted: &[f64]) -> f64 {
    match (sorted.len(), sorted.len() / 2) {
        (0, _) => 0.0,
        (len, middle) if len % 2 == 1 => sorted[middle],
        (_, middle) => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// One mean time in terms of another.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Ratio {
    /// The quotient: below 1 is faster.
    pub value: f64,
    /// Its standard error to first order, the errors of both taken to be independent; none where one has one run.
    pub error: Option<f64>,
}

impl Ratio {
    /// `a` in terms of `b`; none where `b` is 0.
    ///
    /// The relative errors, each the standard deviation by the mean, add up as squares; hyperfine does the same.
    #[must_use]
    pub fn of(a: &Stats, b: &Stats) -> Option<Self> {
        let value = a.mean / b.mean;
        let relative = |stats: &Stats| stats.stddev.map(|deviation| deviation / stats.mean);
        let error = relative(a).zip(relative(b)).map(|(a, b)| value * a.hypot(b));
        value.is_finite().then_some(Self { value, error: error.filter(|error| error.is_finite()) })
    }

    /// Whether `a` took more than `percent` longer, and noise does not explain it.
    #[must_use]
    pub fn is_slower_by(&self, percent: f64) -> bool {
        self.value > 1.0 + percent / 100.0 && self.value - self.error.unwrap_or_default() > 1.0
    }
}

/// What should be known of the times of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The first run, not preceded by one to warm up, took more than 1.5 times the median of the others.
    ColdFirstRun,
    /// A run lies more than ten standard deviations from the median, these estimated by the median of the distances from
    /// it; the measure and the bound are hyperfine's.
    Outliers,
    /// The last third of the runs took over 10 % longer than the first third: the processor or device became slower.
    Throttled,
    /// The median is below 5 ms: what is timed is the start of threads and the like.
    Under5Ms,
    /// The adapter runs its kernels on the CPU: the time is not that of a GPU.
    Software,
}

impl Warning {
    /// All there are.
    pub const ALL: [Self; 5] =
        [Self::ColdFirstRun, Self::Outliers, Self::Throttled, Self::Under5Ms, Self::Software];

    /// As in exports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ColdFirstRun => "cold-first-run",
            Self::Outliers => "outliers",
            Self::Throttled => "throttled",
            Self::Under5Ms => "under-5-ms",
            Self::Software => "software",
        }
    }

    /// For people.
    #[must_use]
    pub const fn explained(self) -> &'static str {
        match self {
            Self::ColdFirstRun => {
                "the first run took much longer than the others, and none came before it to warm up"
            }
            Self::Outliers => "some runs lie far from the others: is the machine busy with something else?",
            Self::Throttled => "the last runs took longer than the first: is it getting hot, or busy?",
            Self::Under5Ms => "so short that mostly the start of threads and the like is timed",
            Self::Software => "a software adapter runs on the CPU: the time is not that of a GPU",
        }
    }

    /// What the times of a case show.
    pub(super) fn of_samples(samples: &[f64], cold: bool) -> Vec<Self> {
        let mut warnings = Vec::new();
        if cold && samples.len() > 1 && samples[0] > 1.5 * Stats::of(&samples[1..]).median {
            warnings.push(Self::ColdFirstRun);
        }
        let stats = Stats::of(samples);
        // 1.4826 makes a standard deviation of it where the times are normally distributed
        let distances: Vec<f64> = samples.iter().map(|time| (time - stats.median).abs()).collect();
        let deviation = 1.4826 * Stats::of(&distances).median;
        if deviation > 0.0 && distances.iter().any(|&distance| distance > 10.0 * deviation) {
            warnings.push(Self::Outliers);
        }
        let third = samples.len() / 3;
        let median = |samples: &[f64]| Stats::of(samples).median;
        if third >= 3 && median(&samples[samples.len() - third..]) > 1.1 * median(&samples[..third]) {
            warnings.push(Self::Throttled);
        }
        if stats.median < 0.005 {
            warnings.push(Self::Under5Ms);
        }
        warnings
    }
}
