//! The document of `ferz count`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Blocks, Problem, SCHEMA, Shared, document, seconds};
use crate::{
    Outcome,
    engine::DispatchTimes,
    tuning::{Kept, Tuning},
};

#[derive(Serialize)]
struct Count<'a> {
    schema: u32,
    problem: Problem,
    n: Option<u32>,
    count: String,
    method: &'a str,
    devices: Vec<Counted<'a>>,
    verification: Verification<'a>,
    blocks: Blocks,
    visits: Option<String>,
    elapsed_s: f64,
    elapsed_total_s: f64,
    setup_s: f64,
    gpu_s: Option<f64>,
    sessions: u64,
    faults: BTreeMap<&'a str, u64>,
    gpu_s_reason: Option<&'a str>,
    tuned: Vec<Tuned<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_even_even: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Classes>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    throttled: Vec<Throttled>,
}

/// What is tuned for a device, as it was measured before.
#[derive(Serialize)]
struct Tuned<'a> {
    device: &'a str,
    method: &'a str,
    tuning: Tuning,
    file: &'a str,
    measured: &'a str,
}

impl<'a> From<&'a Kept> for Tuned<'a> {
    fn from(Kept { key, method, tuning, place, date }: &'a Kept) -> Self {
        Self { device: &key.name, method, tuning: *tuning, file: place, measured: date }
    }
}

#[derive(Serialize)]
struct Throttled {
    after_s: f64,
    visits_per_s: f64,
    visits_per_s_before: f64,
}

impl From<&crate::Throttled> for Throttled {
    fn from(note: &crate::Throttled) -> Self {
        let &crate::Throttled { after, rate, before } = note;
        Self { after_s: seconds(after), visits_per_s: rate.round(), visits_per_s_before: before.round() }
    }
}

#[derive(Serialize)]
struct Classes {
    fundamental: String,
    asymmetric: String,
    point: String,
    rotational: String,
}

impl From<&crate::Classes> for Classes {
    fn from(classes: &crate::Classes) -> Self {
        Self {
            fundamental: classes.fundamental.to_string(),
            asymmetric: classes.asymmetric.to_string(),
            point: classes.point.to_string(),
            rotational: classes.rotational.to_string(),
        }
    }
}

#[derive(Serialize)]
struct Verification<'a> {
    level: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sampled: Option<Promise>,
}

/// A sample, and the least share of wrong units that it shows with a probability.
#[derive(Serialize)]
struct Promise {
    recounted: u64,
    of: u64,
    too_large: u64,
    disagreed: u64,
    seen_share: Option<f64>,
    seen_with: f64,
}

impl From<crate::Sampled> for Promise {
    fn from(sampled: crate::Sampled) -> Self {
        let crate::Sampled { recounted, of, too_large, disagreed, .. } = sampled;
        let (seen_share, seen_with) = (sampled.seen_share(), crate::Sampled::CONFIDENCE);
        Self { recounted, of, too_large, disagreed, seen_share, seen_with }
    }
}

#[derive(Serialize)]
struct Counted<'a> {
    #[serde(flatten)]
    shared: Shared<'a>,
    dispatches: Option<Dispatches>,
}

impl<'a> From<&'a crate::DeviceShare> for Counted<'a> {
    fn from(part: &'a crate::DeviceShare) -> Self {
        let shared = Shared { device: (&part.device).into(), share: part.share };
        Self { shared, dispatches: part.dispatches.as_ref().map(Dispatches::from) }
    }
}

#[derive(Serialize)]
struct Dispatches {
    number: u64,
    p50_s: f64,
    p99_s: f64,
    max_s: f64,
}

impl From<&DispatchTimes> for Dispatches {
    fn from(times: &DispatchTimes) -> Self {
        Self {
            number: times.number(),
            p50_s: seconds(times.quantile(0.5)),
            p99_s: seconds(times.quantile(0.99)),
            max_s: seconds(times.longest()),
        }
    }
}

/// The document of `ferz count`.
pub fn outcome(outcome: &Outcome) -> String {
    document(&Count {
        schema: SCHEMA,
        problem: (&outcome.problem).into(),
        n: outcome.problem.n(),
        count: outcome.count.to_string(),
        method: outcome.method.name(),
        devices: outcome.devices.iter().map(Counted::from).collect(),
        verification: Verification {
            level: outcome.verification.level.name(),
            detail: &outcome.verification.detail,
            sampled: outcome.verification.sampled.map(Promise::from),
        },
        blocks: Blocks { done: outcome.blocks, total: outcome.blocks },
        visits: outcome.visits.map(|visits| visits.to_string()),
        elapsed_s: seconds(outcome.elapsed),
        elapsed_total_s: seconds(outcome.elapsed_total),
        setup_s: seconds(outcome.setup),
        tuned: outcome.tuned.iter().map(Tuned::from).collect(),
        sessions: outcome.sessions,
        faults: outcome.faults.named().into(),
        gpu_s: outcome.gpu.ok().map(seconds),
        gpu_s_reason: outcome.gpu.err(),
        classes: outcome.classes.as_ref().map(Classes::from),
        throttled: outcome.throttled.iter().map(Throttled::from).collect(),
        by_even_even: outcome.by_even_even.as_ref().map(|parts| parts.iter().map(u128::to_string).collect()),
    })
}
