//! Two exports side by side.

use super::{
    Results,
    table::{quotient, seconds},
};
use crate::bench::{Measurement, Ratio};

/// The rows that two exports have in common.
#[derive(Debug)]
pub struct Comparison {
    pairs: Vec<(Measurement, Measurement, Option<Ratio>)>,
    /// Rows that only one of them has.
    alone: Vec<(&'static str, Measurement)>,
}

impl Comparison {
    /// Matches rows by N, method, device (kind and name) and threads.
    pub fn new(before: &Results, after: &Results) -> Self {
        let same_task = before.task == after.task;
        let matches = |a: &Measurement, b: &Measurement| {
            let key = |row: &Measurement| {
                let info = row.series.device.info.clone();
                (row.n, row.series.method, info.kind, info.name, row.series.threads)
            };
            same_task && key(a) == key(b)
        };
        let (mut pairs, mut alone) = (Vec::new(), Vec::new());
        for a in &before.rows {
            match after.rows.iter().find(|b| matches(a, b)) {
                Some(b) => {
                    pairs.push((a.clone(), b.clone(), Ratio::of(&b.wall_s, &a.wall_s)));
                }
                None => alone.push(("A", a.clone())),
            }
        }
        let unmatched = |b: &&Measurement| !before.rows.iter().any(|a| matches(a, b));
        alone.extend(after.rows.iter().filter(unmatched).map(|b| ("B", b.clone())));
        Self { pairs, alone }
    }

    /// Whether they have no row in common.
    pub const fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The first row with two counts, in words: at least one of them is wrong.
    pub fn disagreement(&self) -> Option<(String, String, String)> {
        let (a, b, _) = self.pairs.iter().find(|(a, b, _)| a.count != b.count)?;
        Some((format!("N = {} by {}", a.n, a.series.name()), a.count.clone(), b.count.clone()))
    }

    /// The rows that took over `percent` longer in the second, which noise does not explain, in words.
    pub fn slower(&self, percent: f64) -> Vec<String> {
        let slower = |ratio: &Option<Ratio>| ratio.is_some_and(|ratio| ratio.is_slower_by(percent));
        let name = |(a, _, ratio): &(Measurement, Measurement, Option<Ratio>)| {
            format!("N = {} by {}: {}", a.n, a.series.name(), shown(*ratio))
        };
        self.pairs.iter().filter(|(.., ratio)| slower(ratio)).map(name).collect()
    }

    /// As a table.
    pub fn table(&self) -> String {
        let width =
            self.pairs.iter().map(|(a, ..)| a.series.name().chars().count()).max().unwrap_or(0).max(6);
        let line = |n: &str, name: &str, a: &str, b: &str, ratio: &str| {
            format!("{n:>2}  {name:width$}  {a:>9}  {b:>9}  {ratio:>14}")
        };
        let mut lines = vec![line("N", "series", "A (mean)", "B (mean)", "B/A")];
        for (a, b, ratio) in &self.pairs {
            let (before, after) = (seconds(a.wall_s.mean), seconds(b.wall_s.mean));
            lines.push(line(&a.n.to_string(), &a.series.name(), &before, &after, &shown(*ratio)));
        }
        for (side, row) in &self.alone {
            lines.push(format!("only in {side}: N = {} by {}", row.n, row.series.name()));
        }
        lines.join("\n")
    }
}

fn shown(ratio: Option<Ratio>) -> String {
    ratio.map_or_else(|| "-".into(), |ratio| quotient(ratio.value, ratio.error))
}
