//! JSON documents, schema 1. Numbers that may pass 2^53 are strings.

mod outcome;

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;

pub use self::outcome::outcome;
use crate::{
    Figure, SelfTestReport, Square,
    engine::{DeviceInfo, listing::Listed},
    puzzle::Position,
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

impl From<&Position> for Problem {
    fn from(position: &Position) -> Self {
        Self {
            board: [position.ranks(), position.files()],
            place: position.place(),
            queens: names(position.queens()),
            forbidden: names(position.forbidden()),
        }
    }
}

/// Squares by name.
fn names(squares: &[Square]) -> Vec<String> {
    squares.iter().map(Square::to_string).collect()
}

#[derive(Serialize)]
struct Blocks {
    done: u64,
    total: u64,
}

#[derive(Serialize)]
struct Device<'a> {
    kind: &'a str,
    name: &'a str,
    backend: Option<&'a str>,
    driver: Option<&'a str>,
    software: bool,
}

#[derive(Serialize)]
struct Shared<'a> {
    #[serde(flatten)]
    device: Device<'a>,
    share: f64,
}

#[derive(Serialize)]
struct Estimate<'a> {
    schema: u32,
    problem: Problem,
    n: Option<u32>,
    method: &'a str,
    seed: String,
    draws: u64,
    devices: Vec<Timed<'a>>,
    visits: Estimated,
    solutions: Estimated,
    known: Option<String>,
    deviation: Option<f64>,
    time_s: Estimated,
    setup_s: f64,
    memory: Memory,
    elapsed_s: f64,
}

#[derive(Serialize)]
struct Timed<'a> {
    #[serde(flatten)]
    device: Device<'a>,
    visits_per_s: Option<f64>,
}

#[derive(Serialize)]
struct Estimated {
    mean: f64,
    error: f64,
}

impl From<Figure> for Estimated {
    fn from(Figure { mean, error }: Figure) -> Self {
        Self { mean, error }
    }
}

#[derive(Serialize)]
struct Memory {
    host_bytes: u64,
    device_bytes: u64,
}

#[derive(Serialize)]
struct Devices<'a> {
    schema: u32,
    devices: Vec<Indexed<'a>>,
}

#[derive(Serialize)]
struct Indexed<'a> {
    index: usize,
    #[serde(flatten)]
    device: Device<'a>,
    pci_id: Option<&'a str>,
    limits: BTreeMap<String, u64>,
    unusable: Option<&'a str>,
}

#[derive(Serialize)]
struct Checkpoint<'a> {
    schema: u32,
    problem: Problem,
    n: Option<u32>,
    method: &'a str,
    cut: String,
    plan: String,
    blocks: Blocks,
    partial_count: String,
    visits: String,
    sampled: Sampled,
    sessions: u64,
    elapsed_total_s: f64,
    faults: BTreeMap<&'a str, u64>,
    devices: Vec<Shared<'a>>,
    saved: String,
    writer: &'a str,
}

#[derive(Serialize)]
struct Sampled {
    recounted: u64,
    of: u64,
}

#[derive(Serialize)]
struct SelfTest<'a> {
    schema: u32,
    passed: bool,
    devices: Vec<Tested<'a>>,
}

#[derive(Serialize)]
struct Tested<'a> {
    #[serde(flatten)]
    device: Device<'a>,
    counts: u32,
    units: u64,
    elapsed_s: f64,
}

impl<'a> From<&'a DeviceInfo> for Device<'a> {
    fn from(info: &'a DeviceInfo) -> Self {
        Self {
            kind: info.kind.name(),
            name: &info.name,
            backend: info.backend.as_deref(),
            driver: info.driver.as_deref(),
            software: info.is_software(),
        }
    }
}

/// The document of `ferz checkpoint show`.
pub fn checkpoint(checkpoint: &crate::checkpoint::Checkpoint) -> String {
    let visits = checkpoint.visits().max(1) as f64;
    let devices = checkpoint.devices.iter();
    document(&Checkpoint {
        schema: SCHEMA,
        problem: (&checkpoint.problem).into(),
        n: checkpoint.problem.n(),
        method: checkpoint.method.name(),
        cut: checkpoint.cut.to_string(),
        plan: checkpoint.plan.to_string(),
        blocks: Blocks { done: checkpoint.done(), total: checkpoint.blocks },
        partial_count: checkpoint.count().to_string(),
        visits: checkpoint.visits().to_string(),
        sampled: Sampled { recounted: checkpoint.sampled.0, of: checkpoint.sampled.1 },
        sessions: checkpoint.sessions,
        elapsed_total_s: seconds(checkpoint.elapsed),
        faults: checkpoint.faults.named().into(),
        devices: devices
            .map(|(device, own)| Shared { device: device.into(), share: *own as f64 / visits })
            .collect(),
        saved: humantime::format_rfc3339_seconds(checkpoint.saved).to_string(),
        writer: &checkpoint.writer,
    })
}

/// The document of `ferz count --estimate`. Its figures are estimates, and so floating-point numbers.
pub fn estimate(estimate: &crate::Estimate) -> String {
    let devices = estimate.devices.iter();
    document(&Estimate {
        schema: SCHEMA,
        problem: (&estimate.problem).into(),
        n: estimate.problem.n(),
        method: estimate.method.name(),
        seed: estimate.seed.to_string(),
        draws: estimate.draws,
        devices: devices.map(|(device, rate)| Timed { device: device.into(), visits_per_s: *rate }).collect(),
        visits: estimate.visits.into(),
        solutions: estimate.solutions.into(),
        known: estimate.known.map(|known| known.to_string()),
        deviation: estimate.known.and_then(|known| estimate.solutions.deviation(known as f64)),
        time_s: estimate.time.into(),
        setup_s: seconds(estimate.setup),
        memory: Memory {
            host_bytes: estimate.memory.host as u64,
            device_bytes: estimate.memory.device as u64,
        },
        elapsed_s: seconds(estimate.elapsed),
    })
}

/// The document of `ferz devices`.
pub fn devices<'a>(devices: &'a [Listed]) -> String {
    let indexed = |(index, listed): (usize, &'a Listed)| Indexed {
        index,
        device: (&listed.info).into(),
        pci_id: listed.pci_id.as_deref(),
        limits: listed.limits.iter().map(|&(name, limit)| (name.replace(' ', "_"), limit)).collect(),
        unusable: listed.unusable.as_deref(),
    };
    let devices = devices.iter().enumerate().map(indexed);
    document(&Devices { schema: SCHEMA, devices: devices.collect() })
}

/// The document of `ferz selftest`, which there is only when all is well.
pub fn selftest(reports: &[SelfTestReport]) -> String {
    let tested = reports.iter().map(|report| Tested {
        device: (&report.device).into(),
        counts: report.counts,
        units: report.units,
        elapsed_s: seconds(report.elapsed),
    });
    document(&SelfTest { schema: SCHEMA, passed: true, devices: tested.collect() })
}

/// Whole microseconds: what is below is noise.
pub(super) fn seconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e6
}

/// These documents have string keys and no maps that could fail.
pub(super) fn document(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| unreachable!("a plain struct: {error}"))
}
