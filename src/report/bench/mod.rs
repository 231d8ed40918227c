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
    tuned::Findings,
};
use crate::{
    MethodName,
    bench::{Case, Measurement, Task, fit},
};

const SCHEMA: u32 = 1;

/// All measurements of a benchmark, as they are exported (`tests/data/bench.schema.json`).
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Results {
    schema: u32,
    ferz: String,
    task: Task,
    /// Seconds since 1970, UTC.
    started: u64,
    machine: Machine,
    /// Whether it went to its end.
    pub complete: bool,
    /// One for each case, in the order in which they were made.
    pub rows: Vec<Measurement>,
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
    method: MethodName,
    device: String,
}

impl Results {
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
            task,
            started: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            machine,
            complete: false,
            rows: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Notes a row that was left out.
    pub fn leave_out(&mut self, case: &Case) {
        let Case { n, series, .. } = case;
        self.left_out.push(LeftOut { n: *n, method: series.method, device: series.place() });
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
        let sizes: Vec<String> =
            lines.into_iter().map(|(name, sizes)| format!("{name}: N = {}", sizes.join(", "))).collect();
        (!sizes.is_empty()).then(|| format!("left out, as they take long: {}", sizes.join("; ")))
    }

    /// Whether all solutions were counted, so that times grow smoothly with N.
    pub fn grows(&self) -> bool {
        self.task == Task::Count
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

    /// Rows by their series, in the order of their first rows.
    pub fn series(&self) -> Vec<(String, Vec<&Measurement>)> {
        let mut all: Vec<(String, Vec<&Measurement>)> = Vec::new();
        for row in &self.rows {
            let name = row.series.name();
            match all.iter_mut().find(|(other, _)| *other == name) {
                Some((_, rows)) => rows.push(row),
                None => all.push((name, vec![row])),
            }
        }
        all
    }
}

/// The factor by which the time of a series grows with each N, fitted to the min compute times, which have the smallest noise.
pub fn growth(rows: &[&Measurement]) -> Option<f64> {
    fit::growth(&rows.iter().map(|row| (row.n, row.compute_s.min)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
