//! The table on the terminal: one row at a time, so the widths of its columns are fixed beforehand.

use super::Results;
use crate::{
    MethodName,
    bench::{Measurement, Series, Suite, Task, Warning, sizes},
    report::text::scaled,
};

/// Head and right-aligned width of each column; the device's width is that of the longest.
const COLUMNS: [(&str, usize); 9] = [
    ("N", 2),
    ("method", 12),
    ("device", 0),
    ("runs", 4),
    ("median", 9),
    ("min to max", 20),
    ("setup", 9),
    ("visits/s", 8),
    ("ratio", 16),
];

/// How the rows of one benchmark are laid out.
#[derive(Clone, Debug)]
pub struct Table {
    widths: [usize; COLUMNS.len()],
    first: bool,
}

impl Table {
    /// For a suite.
    pub fn new(suite: &Suite) -> Self {
        let mut widths = COLUMNS.map(|(_, width)| width);
        widths[2] = device_width(&suite.series);
        Self { widths, first: suite.task == Task::First }
    }

    /// What the devices of some series are, in one line each.
    pub fn legend(of: &[Series]) -> String {
        let mut lines: Vec<String> = Vec::new();
        for series in of {
            let info = &series.device.info;
            let api =
                info.backend.iter().chain(&info.driver).fold(String::new(), |all, part| all + ", " + part);
            let text = format!("{}: {}{api}", series.place(), info.name);
            if !lines.contains(&text) {
                lines.push(text);
            }
        }
        lines.join("\n")
    }

    /// The head.
    pub fn head(&self) -> String {
        let mut heads = COLUMNS.map(|(head, _)| head.to_owned());
        if self.first {
            heads[7] = "nodes".into();
        }
        self.line(&heads)
    }

    /// A row.
    pub fn row(&self, row: &Measurement) -> String {
        let rate = row.visits_per_s.map_or_else(|| "-".into(), scaled);
        let nodes = row.visits.clone().unwrap_or_else(|| "-".into());
        self.line(&[
            row.n.to_string(),
            row.series.method.to_string(),
            row.series.place(),
            row.runs.to_string(),
            seconds(row.wall_s.median),
            format!("{} .. {}", seconds(row.wall_s.min), seconds(row.wall_s.max)),
            seconds(row.setup_s.median),
            if self.first { nodes } else { rate },
            ratio(row),
        ]) + &marks(row)
    }

    fn line(&self, cells: &[String; COLUMNS.len()]) -> String {
        let cell = |(at, (text, &width)): (usize, (&String, &usize))| match at {
            // words are flush left
            1 | 2 => format!("{text:width$}"),
            _ => format!("{text:>width$}"),
        };
        let cells: Vec<String> = cells.iter().zip(&self.widths).enumerate().map(cell).collect();
        cells.join("  ").trim_end().to_owned()
    }

    /// What the marks of some rows mean and which series were tuned, a line each; empty where no row has any.
    pub fn foot(results: &Results) -> String {
        let seen = |warning: &Warning| {
            results.rows.iter().any(|row| row.warnings.iter().any(|name| name == warning.name()))
        };
        let mut lines: Vec<String> = Warning::ALL
            .iter()
            .filter(|warning| seen(warning))
            .map(|warning| format!("{}  {}", mark(*warning), warning.explained()))
            .collect();
        let mut tuned = results.series();
        tuned.retain(|(_, rows)| rows.iter().any(|row| row.tuned));
        let tuned: Vec<String> = tuned.into_iter().map(|(name, _)| name).collect();
        if !tuned.is_empty() {
            lines.push(format!("tuned by --autotune, unless --no-tune-cache: {}", tuned.join("; ")));
        }
        lines.join("\n")
    }
}

/// The width of a column with the devices of some series.
pub fn device_width(series: &[Series]) -> usize {
    series.iter().map(|series| series.place().chars().count()).max().unwrap_or(0).max("device".len())
}

/// A letter for each warning.
const fn mark(warning: Warning) -> char {
    match warning {
        Warning::ColdFirstRun => 'c',
        Warning::Outliers => 'o',
        Warning::Throttled => 't',
        Warning::Under5Ms => 'u',
        Warning::Software => 's',
    }
}

fn marks(row: &Measurement) -> String {
    let warned = |warning: &Warning| row.warnings.iter().any(|name| name == warning.name());
    let marks: String = Warning::ALL.into_iter().filter(warned).map(mark).collect();
    if marks.is_empty() { marks } else { format!("  {marks}") }
}

/// The ratio to the first row of this N, with its error.
pub fn ratio(row: &Measurement) -> String {
    match row.ratio {
        None => "1".into(),
        Some(ratio) => quotient(ratio.value, ratio.error),
    }
}

/// A quotient with its error.
pub fn quotient(value: f64, error: Option<f64>) -> String {
    let digits = |number: f64| if number < 10.0 { 2 } else { 0 };
    let error = error.map(|error| format!(" ± {error:.*}", digits(error))).unwrap_or_default();
    format!("{value:.*}{error}", digits(value))
}

/// A time with three digits or so, in the unit that suits it.
pub fn seconds(time: f64) -> String {
    match time {
        short if short < 1e-3 => format!("{:.1} µs", 1e6 * short),
        short if short < 0.1 => format!("{:.2} ms", 1e3 * short),
        middle if middle < 100.0 => format!("{middle:.3} s"),
        long => format!("{long:.0} s"),
    }
}

/// The classic sizes of the search space for one N, and the rungs timed, as one lesson.
pub fn ladder(n: u32, results: &Results) -> String {
    let line = |what: &str, how: &str, size: String, time: String| {
        format!("{what:<12}  {how:<36}  {size:>14}  {time:>9}")
    };
    let mut lines = vec![line("", &format!("{n} queens on {n} x {n}"), "looked at".into(), "time".into())];
    for space in sizes::spaces(n) {
        lines.push(line(space.formula, space.meaning, counted(space.size), "-".into()));
    }
    for row in &results.rows {
        let nodes = row.visits.as_ref().and_then(|visits| visits.parse().ok());
        let method = row.series.method;
        // permutations counts no visits: it tries all N! boards
        let nodes = if method == MethodName::Permutations { Some(sizes::spaces(n)[2].size) } else { nodes };
        let size = nodes.map_or_else(|| "-".into(), counted);
        lines.push(line(method.into(), rung(method), size, seconds(row.wall_s.median)));
    }
    lines.join("\n")
}

const fn rung(method: MethodName) -> &'static str {
    match method {
        MethodName::Permutations => "every permutation, tested",
        MethodName::Backtrack => "row by row, conflicts on an array",
        MethodName::Bitmask => "the same, conflicts as bits",
        MethodName::Search => "one board of each symmetry orbit",
        MethodName::Join => "colours apart, then joined",
    }
}

/// A number of placements: in digits as far as they are exact and few.
fn counted(size: f64) -> String {
    if size < 1e12 { format!("{size:.0}") } else { format!("{size:.3e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [2e-6, 4.2e-4, 0.0123, 1.5, 4000.0].map(seconds),
            ["2.0 µs", "420.0 µs", "12.30 ms", "1.500 s", "4000 s"]
        );
        assert_eq!(quotient(3.456, Some(0.1)), "3.46 ± 0.10");
        assert_eq!(quotient(345.6, None), "346");
        assert_eq!(counted(40_320.0), "40320");
        assert_eq!(counted(1.2345e15), "1.234e15");
    }
}
