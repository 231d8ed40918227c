//! How far a listing is: a bar on a terminal, else now and then a line.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::display::Form;
use crate::cli::Console;

/// How many solutions go by between two looks at the clock.
const LOOK: u64 = 1 << 10;

/// Shows how many solutions were looked at.
pub struct Progress {
    console: Console,
    start: Instant,
    total: Option<u64>,
    bar: Option<ProgressBar>,
    lines: u64,
}

impl Progress {
    /// For `total` solutions, where that is known.
    pub fn new(console: Console, total: Option<u64>) -> Self {
        let bar = console.draws_progress().then(|| {
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(5));
            let template = if total.is_some() {
                "{wide_bar} {human_pos} of {human_len} solutions, {per_sec}, {eta} left"
            } else {
                "{spinner} {human_pos} solutions, {per_sec}"
            };
            // the template is a constant: where it were wrong, the style would be the usual one
            let bar = bar.with_style(
                ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
            );
            console.show_bar(bar.clone());
            bar
        });
        Self { console, start: Instant::now(), total, bar, lines: 0 }
    }

    /// Tells that solution `number` was looked at.
    pub fn at(&mut self, number: u64) {
        if !number.is_multiple_of(LOOK) {
            return;
        }
        if let Some(bar) = &self.bar {
            bar.set_position(number);
            return;
        }
        let elapsed = self.start.elapsed();
        let due = |line| Form::Plain.due(line).is_some_and(|due| elapsed >= due);
        if !due(self.lines) {
            return;
        }
        while due(self.lines) {
            self.lines += 1;
        }
        let rate = number as f64 / elapsed.as_secs_f64();
        let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
        self.console
            .line(&format!("{number}{of} solutions after {:.0} s, {rate:.0}/s", elapsed.as_secs_f64()));
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        self.console.hide_bar();
    }
}
