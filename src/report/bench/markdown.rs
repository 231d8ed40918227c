//! A benchmark as a table in Markdown.

use super::{
    Results, growth,
    table::{ratio, seconds},
};
use crate::report::text::scaled;

/// The results as a table, and the growth of each series below it.
pub fn markdown(results: &Results) -> String {
    let mut text = String::from(
        "| N | count | method | device | runs | median | min | mean ± σ | max | setup | visits/s | ratio | warnings |\n\
         |---:|---:|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
    );
    for row in &results.rows {
        let wall = row.wall_s;
        let spread = wall.stddev.map(|deviation| format!(" ± {}", seconds(deviation))).unwrap_or_default();
        let cells = [
            row.n.to_string(),
            row.count.clone(),
            row.series.method.to_string(),
            escaped(&format!("{}: {}", row.series.place(), row.series.device.info.name)),
            row.runs.to_string(),
            seconds(wall.median),
            seconds(wall.min),
            format!("{}{spread}", seconds(wall.mean)),
            seconds(wall.max),
            seconds(row.setup_s.median),
            row.visits_per_s.map_or_else(|| "-".into(), scaled),
            ratio(row),
            row.warnings.join(", "),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    let grows = results.series().into_iter().filter_map(|(name, rows)| {
        growth(&rows)
            .filter(|_| results.grows())
            .map(|factor| format!("* {}: x{factor:.2} for each N\n", escaped(&name)))
    });
    let grows: String = grows.collect();
    if !grows.is_empty() {
        text += &format!("\nGrowth of the time, fitted to min compute times of 10 ms and more:\n\n{grows}");
    }
    text
}

/// A text that Markdown leaves as it is, within a cell.
fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let special = matches!(character, '|' | '*' | '_' | '`' | '<' | '\\' | '[');
            special.then_some('\\').into_iter().chain([if character.is_control() { ' ' } else { character }])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_name_cannot_break_the_table() {
        assert_eq!(escaped("A|B\n<i>`c`"), "A\\|B \\<i>\\`c\\`");
    }
}
