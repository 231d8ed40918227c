//! Text for people, and the plain number for scripts.

use std::time::Duration;

use comfy_table::{ContentArrangement, Table, presets::NOTHING};
use indicatif::HumanBytes;

use crate::{
    Classes, DeviceShare, Estimate, Faults, Figure, Level, Outcome, SelfTestReport, Throttled,
    checkpoint::Checkpoint, engine::listing::Listed,
};

/// The count: plain digits.
pub fn outcome(outcome: &Outcome) -> String {
    outcome.count.to_string()
}

/// The counts by symmetry class, in one line.
pub fn classes(classes: &Classes) -> String {
    let Classes { fundamental, asymmetric, point, rotational } = classes;
    format!(
        "{fundamental} fundamental solutions: {asymmetric} asymmetric, {point} point, {rotational} rotational"
    )
}

/// Method, devices, time, rate and how the count was checked, in one line.
pub fn summary(outcome: &Outcome) -> String {
    let devices: Vec<String> = match outcome.devices.as_slice() {
        [only] => vec![only.device.name.clone()],
        several => {
            several.iter().map(|part| format!("{} ({:.0} %)", part.device.name, 100.0 * part.share)).collect()
        }
    };
    let counting = outcome.elapsed_total.saturating_sub(outcome.setup).as_secs_f64().max(1e-9);
    let rate = outcome
        .visits
        .map(|visits| format!(", {} visits/s", scaled(visits as f64 / counting)))
        .unwrap_or_default();
    let checked = match outcome.verification.level {
        Level::KnownAnswer => format!("known answer ({})", outcome.verification.detail),
        Level::Unverified => Level::Unverified.to_string(),
        level => format!("{level} ({})", outcome.verification.detail),
    };
    let (elapsed, sessions) = match outcome.sessions {
        1 => (outcome.elapsed, String::new()),
        sessions => (outcome.elapsed_total, format!(" in {sessions} sessions")),
    };
    let faults = faults(&outcome.faults).map(|faults| format!("; devices: {faults}")).unwrap_or_default();
    format!(
        "{} on {}: {}{sessions}{rate}; {checked}{faults}",
        outcome.method,
        devices.join(" + "),
        time(elapsed)
    )
}

/// The times of dispatches, a line for each GPU.
pub fn dispatches(outcome: &Outcome) -> Vec<String> {
    let line = |part: &DeviceShare| {
        let times = part.dispatches.as_ref()?;
        let [p50, p99, longest] =
            [times.quantile(0.5), times.quantile(0.99), times.longest()].map(self::time);
        let number = times.number();
        let name = &part.device.name;
        Some(format!("dispatches: {number}; p50 {p50}, p99 {p99}, longest {longest} ({name})"))
    };
    outcome.devices.iter().filter_map(line).collect()
}

/// The faults there were.
fn faults(faults: &Faults) -> Option<String> {
    let some = faults.named().into_iter().filter(|&(_, times)| times > 0);
    let words: Vec<String> = some.map(|(name, times)| format!("{name} {times} x")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// What a checkpoint holds, one thing a line.
pub fn checkpoint(checkpoint: &Checkpoint) -> String {
    let Checkpoint { problem, method, cut, plan, blocks, sampled, sessions, saved, writer, .. } = checkpoint;
    let done = checkpoint.done();
    let visits = checkpoint.visits().max(1) as f64;
    let share = |own: u128| 100.0 * own as f64 / visits;
    let devices = checkpoint.devices.iter();
    let devices: Vec<String> =
        devices.map(|(device, own)| format!("{} ({:.0} % of visits)", device.name, share(*own))).collect();
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    for (key, value) in [
        ("problem", problem.to_string()),
        ("method", format!("{method}, {cut}")),
        ("plan", plan.to_string()),
        ("blocks", format!("{done} of {blocks} done (blocks differ in size)")),
        ("count so far", checkpoint.count().to_string()),
        ("visits", checkpoint.visits().to_string()),
        ("recounted", format!("{} of {} units, all right", sampled.0, sampled.1)),
        ("sessions", sessions.to_string()),
        ("time", time(checkpoint.elapsed)),
        ("devices", devices.join(", ")),
        ("faults", faults(&checkpoint.faults).unwrap_or_else(|| "none".into())),
        ("saved", format!("{} by {writer}", humantime::format_rfc3339_seconds(*saved))),
    ] {
        table.add_row([key, &value]);
    }
    table.trim_fmt()
}

/// A table of what a count is expected to take.
pub fn estimate(estimate: &Estimate) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    let Estimate { visits, solutions, time, setup, memory, draws, seed, .. } = estimate;
    table.add_row([
        "estimate".into(),
        format!("{} by {}; nothing is counted", estimate.problem, estimate.method),
    ]);
    for (device, rate) in &estimate.devices {
        let rate = rate.map(|rate| format!(", {} visits/s", scaled(rate))).unwrap_or_default();
        table.add_row(["device".into(), format!("{}{rate}", device.name)]);
    }
    let figure = |Figure { mean, error }: &Figure, show: fn(f64) -> String| match error {
        0.0 => format!("{}, exact", show(*mean)),
        error => format!("{} \u{b1} {} ({:.1} %)", show(*mean), show(*error), 100.0 * error / mean),
    };
    table.add_row(["visits".into(), figure(visits, digits)]);
    let of_setup = format!("including {} before the first block", self::time(*setup));
    table.add_row(["time".into(), format!("{}; {of_setup}", figure(time, span))]);
    let device = if memory.device > 0.0 {
        format!(", {} on the device", size_of(memory.device))
    } else {
        String::new()
    };
    table.add_row(["memory".into(), format!("{}{device}", size_of(memory.host))]);
    table.add_row(["solutions".into(), figure(solutions, digits)]);
    if let Some(known) = estimate.known {
        let off = solutions.deviation(known as f64);
        let off = off.map(|off| format!(", {off:+.1} standard errors from it")).unwrap_or_default();
        table.add_row([
            "known".into(),
            format!("{known}; the estimate is {:+.2} %{off}", percent(solutions.mean, known)),
        ]);
    }
    let took = self::time(estimate.elapsed);
    table.add_row([
        "sample".into(),
        format!("{draws} draws in {took}; --seed {seed} gives the same visits and solutions"),
    ]);
    table.trim_fmt()
}

/// How far a number is off the right one.
fn percent(number: f64, right: u128) -> f64 {
    let right = right as f64;
    if number == right { 0.0 } else { 100.0 * (number - right) / right.max(1.0) }
}

/// As many digits of an estimate as matter.
fn digits(number: f64) -> String {
    if number < 1e6 { format!("{number:.0}") } else { format!("{number:.3e}") }
}

/// A time that may be long.
fn span(seconds: f64) -> String {
    let units = [(365.25 * 86_400.0, "years"), (86_400.0, "days"), (3600.0, "h"), (60.0, "min")];
    match units.into_iter().find(|&(length, _)| seconds >= 2.0 * length) {
        Some((length, unit)) if seconds >= 1e4 * length => format!("{:.2e} {unit}", seconds / length),
        Some((length, unit)) => format!("{:.1} {unit}", seconds / length),
        None => time(Duration::from_secs_f64(seconds.max(0.0))),
    }
}

/// A size of memory.
fn size_of(bytes: f64) -> String {
    HumanBytes(bytes as u64).to_string()
}

/// That a run has become slow.
pub fn throttled(note: &Throttled) -> String {
    format!(
        "the rate has fallen to {:.0} % of what it was, {} visits/s instead of {}, for a minute: the device may be too \
         hot, or have other work",
        100.0 * note.rate / note.before,
        scaled(note.rate),
        scaled(note.before)
    )
}

/// The table of devices.
pub fn devices(devices: &[Listed]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["index", "name", "kind", "backend", "driver", "PCI id", "limits", "usable"]);
    for (index, listed) in devices.iter().enumerate() {
        let limits: Vec<String> =
            listed.limits.iter().map(|(name, limit)| format!("{} {name}", bytes(name, *limit))).collect();
        let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
        table.add_row([
            index.to_string(),
            listed.info.name.clone(),
            listed.info.kind.to_string(),
            or_dash(&listed.info.backend),
            or_dash(&listed.info.driver),
            or_dash(&listed.pci_id),
            limits.join("\n"),
            listed.unusable.as_ref().map_or_else(|| "yes".into(), |why| format!("no: {why}")),
        ]);
    }
    table.trim_fmt()
}

/// A line for each device tested.
pub fn selftest(reports: &[SelfTestReport]) -> String {
    let lines: Vec<String> = reports
        .iter()
        .map(|report| {
            format!(
                "{}: passed; {} counts known, {} units compared, {}",
                report.device.name,
                report.counts,
                report.units,
                time(report.elapsed)
            )
        })
        .collect();
    lines.join("\n")
}

/// A limit in bytes in the largest unit that divides it; others as they are.
fn bytes(name: &str, limit: u64) -> String {
    if !name.contains("memory") && !name.contains("binding") {
        return limit.to_string();
    }
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.into_iter().find(|&(shift, _)| limit != 0 && limit.is_multiple_of(1 << shift)) {
        Some((shift, unit)) => format!("{} {unit}", limit >> shift),
        None => format!("{limit} B"),
    }
}

/// A time with three digits or so.
fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        short if short < 0.1 => format!("{:.2} ms", 1e3 * short),
        middle if middle < 100.0 => format!("{middle:.2} s"),
        long => format!("{long:.0} s"),
    }
}

/// A number with a prefix of the SI.
pub(super) fn scaled(number: f64) -> String {
    let steps = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match steps.into_iter().find(|&(step, _)| number >= step) {
        Some((step, prefix)) => format!("{:.1} {prefix}", number / step),
        None => format!("{number:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(scaled(12.0), "12");
        assert_eq!(scaled(98_412_345.0), "98.4 M");
        assert_eq!(time(Duration::from_micros(420)), "0.42 ms");
        assert_eq!(time(Duration::from_millis(1310)), "1.31 s");
        assert_eq!(time(Duration::from_secs(4000)), "4000 s");
        assert_eq!(span(59.0), "59.00 s");
        assert_eq!(span(7200.0), "2.0 h");
        assert_eq!(span(86_400.0 * 365.25 * 1.9), "694.0 days");
        assert_eq!(span(1e20), "3.17e12 years");
        assert_eq!((digits(724.0).as_str(), digits(39_029_188_884.0).as_str()), ("724", "3.903e10"));
        assert_eq!((size_of(512.0).as_str(), size_of(1.5e9).as_str()), ("512 B", "1.40 GiB"));
        assert_eq!(bytes("workgroup memory", 32 << 10), "32 KiB");
        assert_eq!(bytes("storage binding", (1 << 31) - 4), "2147483644 B");
        assert_eq!(bytes("threads", 1 << 10), "1024");
    }
}
