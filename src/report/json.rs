//! JSON documents, schema 1. Numbers that may pass 2^53 are strings.

mod outcome;

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;
use serde_json::{Value, json};

pub use self::outcome::outcome;
use crate::{
    Checkpoint, Estimate, Figure, SelfTestReport, Square,
    engine::{DeviceInfo, listing::Listed},
};

pub(super) const SCHEMA: u32 = 1;

#[derive(Serialize)]
pub(super) struct Problem {
    board: [u32; 2],
    place: u32,
    queens: Vec<String>,
    forbidden: Vec<String>,
}

impl From<&crate::Problem> for Problem {
    fn from(problem: &crate::Problem) -> Self {
        Self {
            board: [problem.board().ranks(), problem.board().files()],
            place: problem.place(),
            queens: names(problem.given()),
            forbidden: names(problem.forbidden()),
        }
    }
}

/// Squares by name.
fn names(squares: &[Square]) -> Vec<String> {
    squares.iter().map(Square::to_string).collect()
}

pub(super) fn blocks(done: u64, total: u64) -> Value {
    json!({ "done": done, "total": total })
}

/// An object with the members of another at its end.
fn joined(mut object: Value, more: Value) -> Value {
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

fn device(info: &DeviceInfo) -> Value {
    json!({
        "kind": info.kind.to_string(),
        "name": info.name,
        "backend": info.backend,
        "driver": info.driver,
        "software": info.is_software(),
    })
}

/// The document of `ferz checkpoint show`.
pub fn checkpoint(checkpoint: &Checkpoint) -> String {
    let visits = checkpoint.visits().max(1) as f64;
    let share =
        |(info, own): &(DeviceInfo, u128)| joined(device(info), json!({ "share": *own as f64 / visits }));
    let (recounted, of) = checkpoint.sampled;
    json!({
        "schema": SCHEMA,
        "problem": Problem::from(&checkpoint.problem),
        "n": checkpoint.problem.n(),
        "method": checkpoint.method.to_string(),
        "cut": checkpoint.cut.to_string(),
        "plan": checkpoint.plan.to_string(),
        "blocks": blocks(checkpoint.done(), checkpoint.blocks),
        "partial_count": checkpoint.count().to_string(),
        "visits": checkpoint.visits().to_string(),
        "sampled": { "recounted": recounted, "of": of },
        "sessions": checkpoint.sessions,
        "elapsed_total_s": seconds(checkpoint.elapsed),
        "faults": BTreeMap::from(checkpoint.faults.named()),
        "devices": checkpoint.devices.iter().map(share).collect::<Vec<_>>(),
        "saved": humantime::format_rfc3339_seconds(checkpoint.saved).to_string(),
        "writer": checkpoint.writer,
    })
    .to_string()
}

/// The document of `ferz count --estimate`. Its figures are estimates, and so floating-point numbers.
pub fn estimate(estimate: &Estimate) -> String {
    let figure = |Figure { mean, error }: Figure| json!({ "mean": mean, "error": error });
    let timed =
        |(info, rate): &(DeviceInfo, Option<f64>)| joined(device(info), json!({ "visits_per_s": rate }));
    json!({
        "schema": SCHEMA,
        "problem": Problem::from(&estimate.problem),
        "n": estimate.problem.n(),
        "method": estimate.method.to_string(),
        "seed": estimate.seed.to_string(),
        "draws": estimate.draws,
        "devices": estimate.devices.iter().map(timed).collect::<Vec<_>>(),
        "visits": figure(estimate.visits),
        "solutions": figure(estimate.solutions),
        "known": estimate.known.map(|known| known.to_string()),
        "deviation": estimate.known.and_then(|known| estimate.solutions.deviation(known as f64)),
        "time_s": figure(estimate.time),
        "setup_s": seconds(estimate.setup),
        "memory": {
            "host_bytes": estimate.memory.host as u64,
            "device_bytes": estimate.memory.device as u64,
        },
        "elapsed_s": seconds(estimate.elapsed),
    })
    .to_string()
}

/// The document of `ferz devices`.
pub fn devices(devices: &[Listed]) -> String {
    let indexed = |(index, listed): (usize, &Listed)| {
        let limits = listed.limits.iter().map(|&(name, limit)| (name.replace(' ', "_"), limit));
        let more = json!({
            "pci_id": listed.pci_id,
            "limits": BTreeMap::from_iter(limits),
            "unusable": listed.unusable,
        });
        joined(json!({ "index": index }), joined(device(&listed.info), more))
    };
    let devices: Vec<Value> = devices.iter().enumerate().map(indexed).collect();
    json!({ "schema": SCHEMA, "devices": devices }).to_string()
}

/// The document of `ferz selftest`, which there is only when all is well.
pub fn selftest(reports: &[SelfTestReport]) -> String {
    let tested = |report: &SelfTestReport| {
        let (counts, units, elapsed) = (report.counts, report.units, seconds(report.elapsed));
        joined(device(&report.device), json!({ "counts": counts, "units": units, "elapsed_s": elapsed }))
    };
    let devices: Vec<Value> = reports.iter().map(tested).collect();
    json!({ "schema": SCHEMA, "passed": true, "devices": devices }).to_string()
}

/// Whole microseconds: what is below is noise.
pub(super) fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}

/// These documents have string keys and no maps that could fail.
pub(super) fn document(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| unreachable!("a plain struct: {error}"))
}
