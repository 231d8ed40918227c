//! A benchmark as CSV (RFC 4180): one line a row, a head before them.

use super::Results;
use crate::bench::{Measurement, Stats, Task};

/// The columns.
const HEAD: [&str; 35] = [
    "n",
    "count",
    "method",
    "device_index",
    "device_kind",
    "device_name",
    "backend",
    "driver",
    "software",
    "threads",
    "runs",
    "first_run_s",
    "wall_min_s",
    "wall_median_s",
    "wall_mean_s",
    "wall_stddev_s",
    "wall_max_s",
    "setup_min_s",
    "setup_median_s",
    "setup_max_s",
    "compute_min_s",
    "compute_median_s",
    "compute_max_s",
    "gpu_min_s",
    "gpu_median_s",
    "gpu_max_s",
    "gpu_reason",
    "visits",
    "visits_per_s",
    "solutions_per_s",
    "ratio",
    "ratio_error",
    "task",
    "warnings",
    "tuned",
];

/// The results as CSV; what is not known is an empty field.
pub fn csv(results: &Results) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let records = std::iter::once(HEAD.map(str::to_owned))
        .chain(results.rows.iter().map(|row| fields(row, results.task)));
    for record in records {
        // memory takes all that is written, and each record has as many fields
        let _ = writer.write_record(record);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn fields(row: &Measurement, task: Task) -> [String; 35] {
    let device = &row.series.device;
    let [wall, setup, compute] = [row.wall_s, row.setup_s, row.compute_s].map(Some);
    let time = |times: Option<Stats>, of: fn(&Stats) -> f64| or_empty(times.as_ref().map(of));
    [
        row.n.to_string(),
        row.count.clone(),
        row.series.method.to_string(),
        device.index.to_string(),
        device.info.kind.to_string(),
        device.info.name.clone(),
        device.info.backend.clone().unwrap_or_default(),
        device.info.driver.clone().unwrap_or_default(),
        device.software.to_string(),
        or_empty(row.series.threads),
        row.runs.to_string(),
        row.first_run_s.to_string(),
        time(wall, |times| times.min),
        time(wall, |times| times.median),
        time(wall, |times| times.mean),
        or_empty(row.wall_s.stddev),
        time(wall, |times| times.max),
        time(setup, |times| times.min),
        time(setup, |times| times.median),
        time(setup, |times| times.max),
        time(compute, |times| times.min),
        time(compute, |times| times.median),
        time(compute, |times| times.max),
        time(row.gpu_s, |times| times.min),
        time(row.gpu_s, |times| times.median),
        time(row.gpu_s, |times| times.max),
        row.gpu_s_reason.clone().unwrap_or_default(),
        row.visits.clone().unwrap_or_default(),
        or_empty(row.visits_per_s),
        or_empty(row.solutions_per_s),
        or_empty(row.ratio.map(|ratio| ratio.value)),
        or_empty(row.ratio.and_then(|ratio| ratio.error)),
        task.to_string(),
        row.warnings.join(" "),
        row.tuned.to_string(),
    ]
}

fn or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
