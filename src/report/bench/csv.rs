//! A benchmark as CSV (RFC 4180): a head, then a line for each row.

use super::Results;
use crate::bench::{Measurement, Task};

/// The name of a column, and its field in a row of a task.
type Column = (&'static str, fn(&Measurement, Task) -> String);

const COLUMNS: [Column; 35] = [
    ("n", |row, _| row.n.to_string()),
    ("count", |row, _| row.count.clone()),
    ("method", |row, _| row.series.method.to_string()),
    ("device_index", |row, _| row.series.device.index.to_string()),
    ("device_kind", |row, _| row.series.device.info.kind.to_string()),
    ("device_name", |row, _| row.series.device.info.name.clone()),
    ("backend", |row, _| or_empty(row.series.device.info.backend.as_ref())),
    ("driver", |row, _| or_empty(row.series.device.info.driver.as_ref())),
    ("software", |row, _| row.series.device.software.to_string()),
    ("threads", |row, _| or_empty(row.series.threads)),
    ("runs", |row, _| row.runs.to_string()),
    ("first_run_s", |row, _| row.first_run_s.to_string()),
    ("wall_min_s", |row, _| row.wall_s.min.to_string()),
    ("wall_median_s", |row, _| row.wall_s.median.to_string()),
    ("wall_mean_s", |row, _| row.wall_s.mean.to_string()),
    ("wall_stddev_s", |row, _| or_empty(row.wall_s.stddev)),
    ("wall_max_s", |row, _| row.wall_s.max.to_string()),
    ("setup_min_s", |row, _| row.setup_s.min.to_string()),
    ("setup_median_s", |row, _| row.setup_s.median.to_string()),
    ("setup_max_s", |row, _| row.setup_s.max.to_string()),
    ("compute_min_s", |row, _| row.compute_s.min.to_string()),
    ("compute_median_s", |row, _| row.compute_s.median.to_string()),
    ("compute_max_s", |row, _| row.compute_s.max.to_string()),
    ("gpu_min_s", |row, _| or_empty(row.gpu_s.map(|gpu| gpu.min))),
    ("gpu_median_s", |row, _| or_empty(row.gpu_s.map(|gpu| gpu.median))),
    ("gpu_max_s", |row, _| or_empty(row.gpu_s.map(|gpu| gpu.max))),
    ("gpu_reason", |row, _| or_empty(row.gpu_s_reason.as_ref())),
    ("visits", |row, _| or_empty(row.visits.as_ref())),
    ("visits_per_s", |row, _| or_empty(row.visits_per_s)),
    ("solutions_per_s", |row, _| or_empty(row.solutions_per_s)),
    ("ratio", |row, _| or_empty(row.ratio.map(|ratio| ratio.value))),
    ("ratio_error", |row, _| or_empty(row.ratio.and_then(|ratio| ratio.error))),
    ("task", |_, task| task.to_string()),
    ("warnings", |row, _| row.warnings.join(" ")),
    ("tuned", |row, _| row.tuned.to_string()),
];

/// The results as CSV; what is not known is an empty field.
pub fn csv(results: &Results) -> String {
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    let head = COLUMNS.iter().map(|(name, _)| (*name).to_owned());
    let rows =
        results.rows.iter().map(|row| COLUMNS.iter().map(|(_, field)| field(row, results.task)).collect());
    for record in std::iter::once(head.collect::<Vec<_>>()).chain(rows) {
        // memory takes all that is written, and each record has as many fields
        let _ = writer.write_record(record);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn or_empty(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
