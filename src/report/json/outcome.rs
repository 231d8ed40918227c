//! The document of `ferz count`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Problem, SCHEMA, blocks, device, joined, seconds};
use crate::{Classes, DeviceShare, Outcome, Sampled, Throttled, Tuned, Verification, engine::DispatchTimes};

/// The document of `ferz count`.
pub fn outcome(outcome: &Outcome) -> String {
    let mut count = json!({
        "schema": SCHEMA,
        "problem": Problem::from(&outcome.problem),
        "n": outcome.problem.n(),
        "count": outcome.count.to_string(),
        "method": outcome.method.to_string(),
        "devices": outcome.devices.iter().map(share).collect::<Vec<_>>(),
        "verification": verification(&outcome.verification),
        "blocks": blocks(outcome.blocks, outcome.blocks),
        "visits": outcome.visits.map(|visits| visits.to_string()),
        "elapsed_s": seconds(outcome.elapsed),
        "elapsed_total_s": seconds(outcome.elapsed_total),
        "setup_s": seconds(outcome.setup),
        "gpu_s": outcome.gpu.ok().map(seconds),
        "sessions": outcome.sessions,
        "faults": BTreeMap::from(outcome.faults.named()),
        "gpu_s_reason": outcome.gpu.err(),
        "tuned": outcome.tuned.iter().map(tuned).collect::<Vec<_>>(),
    });
    if let Some(parts) = &outcome.by_even_even {
        count["by_even_even"] = parts.iter().map(u128::to_string).collect();
    }
    if let Some(found) = &outcome.classes {
        count["classes"] = classes(found);
    }
    if !outcome.throttled.is_empty() {
        count["throttled"] = outcome.throttled.iter().map(throttled).collect();
    }
    count.to_string()
}

fn share(part: &DeviceShare) -> Value {
    let dispatches = |times: &DispatchTimes| {
        json!({
            "number": times.number(),
            "p50_s": seconds(times.quantile(0.5)),
            "p99_s": seconds(times.quantile(0.99)),
            "max_s": seconds(times.longest()),
        })
    };
    let dispatches = part.dispatches.as_ref().map(dispatches);
    joined(device(&part.device), json!({ "share": part.share, "dispatches": dispatches }))
}

fn verification(found: &Verification) -> Value {
    let mut verification = json!({ "level": found.level.to_string(), "detail": found.detail });
    if let Some(sampled) = &found.sampled {
        // and the least share of wrong units that it shows with a probability
        verification["sampled"] = json!({
            "recounted": sampled.recounted,
            "of": sampled.of,
            "too_large": sampled.too_large,
            "disagreed": sampled.disagreed,
            "seen_share": sampled.seen_share(),
            "seen_with": Sampled::CONFIDENCE,
        });
    }
    verification
}

fn classes(classes: &Classes) -> Value {
    json!({
        "fundamental": classes.fundamental.to_string(),
        "asymmetric": classes.asymmetric.to_string(),
        "point": classes.point.to_string(),
        "rotational": classes.rotational.to_string(),
    })
}

/// A tuning that was used.
fn tuned(Tuned { device, method, tuning, file, measured, .. }: &Tuned) -> Value {
    json!({ "device": device, "method": method, "tuning": tuning, "file": file, "measured": measured })
}

fn throttled(&Throttled { after, rate, before }: &Throttled) -> Value {
    json!({
        "after_s": seconds(after),
        "visits_per_s": rate.round(),
        "visits_per_s_before": before.round(),
    })
}
