//! What a benchmark found: as a document that is exported and read back, as tables and as a plot.

mod comparison;
mod csv;
mod markdown;
#[cfg(feature = "plot")]
pub mod plot;
mod table;
mod tuned;

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

pub use self::{
    comparison::Comparison,
    csv::csv,
    markdown::markdown,
    table::{Table, ladder},
    tuned::Choices,
};
use crate::bench::{Case, Line, Ratio, Row as Measured, Stats, Task, fit};

const SCHEMA: u32 = 1;

/// All rows of a benchmark, as it is exported (`tests/data/bench.schema.json`).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Document {
    schema: u32,
    ferz: String,
    task: String,
    /// Seconds since 1970, UTC.
    started: u64,
    machine: Machine,
    /// Whether it went to its end.
    pub complete: bool,
    pub rows: Vec<Row>,
    left_out: Vec<LeftOut>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Machine {
    os: String,
    arch: String,
    processor: String,
    threads: usize,
}

/// A row that would have taken too long.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct LeftOut {
    n: u32,
    method: String,
    device: String,
}

/// One row. Times are seconds; counts are digits, as they may pass 2^53.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Row {
    pub n: u32,
    pub count: String,
    pub method: String,
    pub device: Device,
    pub threads: Option<usize>,
    pub runs: usize,
    pub first_run_s: f64,
    pub wall_s: Times,
    pub setup_s: Times,
    pub compute_s: Times,
    /// None, and then a reason, where the device's clock was not read or not believed.
    pub gpu_s: Option<Times>,
    pub gpu_s_reason: Option<String>,
    pub visits: Option<String>,
    pub visits_per_s: Option<f64>,
    pub solutions_per_s: Option<f64>,
    /// Whether it was tuned; exports of earlier versions do not say.
    #[serde(default)]
    pub tuned: bool,
    /// Wall time in terms of the first row of this N.
    pub ratio: Option<Quotient>,
    pub warnings: Vec<String>,
    pub samples_s: Vec<f64>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Device {
    pub index: usize,
    pub kind: String,
    pub name: String,
    pub backend: Option<String>,
    pub driver: Option<String>,
    pub software: bool,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Times {
    pub min: f64,
    pub median: f64,
    pub mean: f64,
    pub stddev: Option<f64>,
    pub max: f64,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Quotient {
    pub value: f64,
    pub error: Option<f64>,
}

impl Document {
    /// One without rows, that starts now.
    pub fn new(task: Task, threads: usize) -> Self {
        let machine = Machine {
            os: std::env::consts::OS.into(),
            arch: std::env::consts::ARCH.into(),
            processor: crate::engine::cpu::processor_name(),
            threads,
        };
        Self {
            schema: SCHEMA,
            ferz: env!("CARGO_PKG_VERSION").into(),
            task: task.name().into(),
            started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            machine,
            complete: false,
            rows: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: &Measured) {
        self.rows.push(Row::from(row));
    }

    /// Notes a row that was left out.
    pub fn leave_out(&mut self, case: &Case) {
        let Case { n, line, .. } = case;
        self.left_out.push(LeftOut { n: *n, method: line.method().into(), device: label(line) });
    }

    /// The rows that were left out, in a line; none where there are none.
    pub fn left_out(&self) -> Option<String> {
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        for LeftOut { n, method, device } in &self.left_out {
            let name = format!("{method}, {device}");
            match lines.iter_mut().find(|(other, _)| *other == name) {
                Some((_, sizes)) => sizes.push(n.to_string()),
                None => lines.push((name, vec![n.to_string()])),
            }
        }
        let told: Vec<String> =
            lines.into_iter().map(|(name, sizes)| format!("{name}: N = {}", sizes.join(", "))).collect();
        (!told.is_empty()).then(|| format!("left out, as they take long: {}", told.join("; ")))
    }

    /// Whether all solutions were counted, so that times grow smoothly with N.
    pub fn grows(&self) -> bool {
        self.task == Task::Count.name()
    }

    /// As JSON, one line.
    pub fn json(&self) -> String {
        super::json::document(self)
    }

    /// From JSON.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn read(text: &str) -> Result<Self, String> {
        let document: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match document.schema {
            SCHEMA => Ok(document),
            other => Err(format!("its schema is {other}, and this version of ferz reads {SCHEMA}")),
        }
    }

    /// Rows by what is one curve of a plot, in the order of their first rows.
    pub fn lines(&self) -> Vec<(String, Vec<&Row>)> {
        let mut lines: Vec<(String, Vec<&Row>)> = Vec::new();
        for row in &self.rows {
            let name = row.line();
            match lines.iter_mut().find(|(other, _)| *other == name) {
                Some((_, rows)) => rows.push(row),
                None => lines.push((name, vec![row])),
            }
        }
        lines
    }
}

impl Row {
    /// Method and device, in short.
    pub fn line(&self) -> String {
        format!("{}, {}", self.method, self.place())
    }

    /// The device, in short: `cpu x2`, `gpu 1`, `software 2`.
    pub fn place(&self) -> String {
        place(&self.device.kind, self.device.index, self.threads)
    }
}

/// The device of a line, in short.
pub fn label(line: &Line) -> String {
    place(&line.device.kind.to_string(), line.index, line.threads)
}

fn place(kind: &str, index: usize, threads: Option<usize>) -> String {
    match (kind, threads) {
        ("cpu", Some(threads)) => format!("cpu x{threads}"),
        ("cpu", None) => "cpu".into(),
        ("software", _) => format!("software {index}"),
        _ => format!("gpu {index}"),
    }
}

/// The factor by which the time of a line grows with each N, fitted to the least compute times: they have the least noise.
pub fn growth(rows: &[&Row]) -> Option<f64> {
    fit::growth(&rows.iter().map(|row| (row.n, row.compute_s.min)).collect::<Vec<_>>())
}

impl From<&Measured> for Row {
    fn from(row: &Measured) -> Self {
        let info = &row.device;
        Self {
            n: row.case.n,
            count: row.found.to_string(),
            method: row.case.line.method().into(),
            device: Device {
                index: row.case.line.index,
                kind: info.kind.to_string(),
                name: info.name.clone(),
                backend: info.backend.clone(),
                driver: info.driver.clone(),
                software: info.is_software(),
            },
            threads: row.case.line.threads,
            runs: row.samples.len(),
            first_run_s: row.first_run,
            wall_s: row.wall.into(),
            setup_s: row.setup.into(),
            compute_s: row.compute.into(),
            gpu_s: row.gpu.ok().map(Times::from),
            gpu_s_reason: row.gpu.err().map(str::to_owned),
            visits: row.visits.map(|visits| visits.to_string()),
            visits_per_s: row.visits_per_second(),
            solutions_per_s: row.solutions_per_second(),
            tuned: row.tuned,
            ratio: row.ratio.map(Quotient::from),
            warnings: row.warnings.iter().map(|warning| warning.name().to_owned()).collect(),
            samples_s: row.samples.clone(),
        }
    }
}

impl From<Stats> for Times {
    fn from(Stats { min, median, mean, stddev, max }: Stats) -> Self {
        Self { min, median, mean, stddev, max }
    }
}

impl From<Times> for Stats {
    fn from(Times { min, median, mean, stddev, max }: Times) -> Self {
        Self { min, median, mean, stddev, max }
    }
}

impl From<Ratio> for Quotient {
    fn from(Ratio { value, error }: Ratio) -> Self {
        Self { value, error }
    }
}

#[cfg(test)]
mod tests;
