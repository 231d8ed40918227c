//! Text for people, and the plain number for scripts.

use std::time::Duration;

use comfy_table::{ContentArrangement, Table, presets::NOTHING};

use crate::{Classes, Outcome, SelfTestReport, engine::listing::Listed};

/// The count: plain digits.
pub fn outcome(outcome: &Outcome) -> String {
    outcome.count.to_string()
}

/// The counts by symmetry class, in one line.
pub fn classes(classes: &Classes) -> String {
    let Classes { fundamental, asymmetric, point, rotational } = classes;
    format!(
        "{fundamental} fundamental solutions: {asymmetric} asymmetric, {point} of point symmetry, {rotational} \
         of rotational symmetry"
    )
}

/// Method, devices, time, rate and how the count was checked, in one line.
pub fn summary(outcome: &Outcome) -> String {
    let devices: Vec<String> = match outcome.devices.as_slice() {
        [(device, _)] => vec![device.name.clone()],
        several => several
            .iter()
            .map(|(device, share)| format!("{} ({:.0} %)", device.name, 100.0 * share))
            .collect(),
    };
    let counting = outcome.elapsed.saturating_sub(outcome.setup).as_secs_f64().max(1e-9);
    let rate = outcome
        .visits
        .map(|visits| format!(", {} visits/s", scaled(visits as f64 / counting)))
        .unwrap_or_default();
    let checked = match outcome.verification.level {
        "known-answer" => format!("known answer ({})", outcome.verification.detail),
        level @ ("sampled" | "full") => format!("{level} ({})", outcome.verification.detail),
        level => level.to_owned(),
    };
    format!("{} on {}: {}{rate}; {checked}", outcome.method, devices.join(" + "), time(outcome.elapsed))
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
            listed.info.kind.to_owned(),
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
fn scaled(number: f64) -> String {
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
        assert_eq!(bytes("workgroup memory", 32 << 10), "32 KiB");
        assert_eq!(bytes("storage binding", (1 << 31) - 4), "2147483644 B");
        assert_eq!(bytes("threads", 1 << 10), "1024");
    }
}
