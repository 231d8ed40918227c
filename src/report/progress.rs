//! How far a run is, as a line of text and as a line of JSON.

use std::time::Duration;

use serde_json::json;

use super::{
    json::{SCHEMA, blocks, seconds},
    text::scaled,
};
use crate::{Phase, Progress};

/// What is known of a run at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// What it does; none where it has not said yet.
    pub phase: Option<Phase>,
    /// Time since its start.
    pub elapsed: Duration,
    /// How far it is, where the phase tells.
    pub progress: Option<Progress>,
}

impl Status {
    fn phase(&self) -> String {
        self.phase.map_or_else(|| "starting".into(), |phase| phase.to_string())
    }

    /// A line for people; no line break, no escape byte.
    pub fn text(&self) -> String {
        let mut parts = Vec::new();
        // what matters most comes first, as a narrow terminal cuts the rest
        if let Some(Progress { share, eta, rate, .. }) = &self.progress {
            // rounded down: 100 % is the end
            parts.push(format!("{:.1} %", (1000.0 * share).floor() / 10.0));
            parts.extend(eta.map(|eta| format!("{} left", clock(eta))));
            parts.extend(rate.map(|rate| format!("{} visits/s", scaled(rate))));
        }
        parts.push(format!("{} elapsed", clock(self.elapsed)));
        if let Some(Progress { sum, done, blocks, .. }) = &self.progress {
            parts.push(format!("{sum} so far"));
            parts.push(format!("{done} of {blocks} blocks"));
        }
        format!("{}: {}", self.phase(), parts.join(", "))
    }

    /// A line for programs; its schema is `tests/data/progress.schema.json`.
    pub fn json(&self) -> String {
        let progress = self.progress.as_ref();
        json!({
            "schema": SCHEMA,
            "phase": self.phase(),
            "elapsed_s": seconds(self.elapsed),
            "share": progress.map(|progress| progress.share),
            "visits": progress.map(|progress| progress.visits.to_string()),
            "visits_per_s": progress.and_then(|progress| progress.rate).map(f64::round),
            "eta_s": progress.and_then(|progress| progress.eta).map(seconds),
            "partial_sum": progress.map(|progress| progress.sum.to_string()),
            "blocks": progress.map(|progress| blocks(progress.done, progress.blocks)),
        })
        .to_string()
    }
}

/// A time in the two largest units that say something.
fn clock(span: Duration) -> String {
    let whole = span.as_secs();
    let (days, hours, minutes, seconds) = (whole / 86_400, whole / 3600 % 24, whole / 60 % 60, whole % 60);
    match (days, hours, minutes) {
        (0, 0, 0) if whole < 10 => format!("{:.1} s", (10.0 * span.as_secs_f64()).floor() / 10.0),
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {seconds} s"),
        (0, ..) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_all_there_is() {
        let status = |phase, progress| Status { phase, elapsed: Duration::from_millis(61_900), progress };
        assert_eq!(status(None, None).text(), "starting: 1 min 1 s elapsed");
        let progress = Progress {
            share: 0.9999,
            visits: 12,
            rate: Some(2.5e8),
            elapsed: Duration::from_secs(61),
            eta: Some(Duration::from_secs(90_000)),
            sum: u128::MAX,
            done: 3,
            blocks: 10,
        };
        let all = status(Some(Phase::Counting), Some(progress.clone())).text();
        let expected = format!(
            "counting: 99.9 %, 1 d 1 h left, 250.0 M visits/s, 1 min 1 s elapsed, {} so far, 3 of 10 blocks",
            u128::MAX
        );
        assert_eq!(all, expected);
        let begun = Progress { rate: None, eta: None, share: 0.0, sum: 0, done: 0, ..progress };
        let begun = status(Some(Phase::Counting), Some(begun)).text();
        assert_eq!(begun, "counting: 0.0 %, 1 min 1 s elapsed, 0 so far, 0 of 10 blocks");
    }

    #[test]
    fn times_have_two_units() {
        for (seconds, text) in [
            (0.0, "0.0 s"),
            (9.99, "9.9 s"),
            (10.0, "10 s"),
            (59.9, "59 s"),
            (60.0, "1 min 0 s"),
            (3600.0, "1 h 0 min"),
            (86_399.0, "23 h 59 min"),
            (200_000.0, "2 d 7 h"),
        ] {
            assert_eq!(clock(Duration::from_secs_f64(seconds)), text);
        }
    }
}
