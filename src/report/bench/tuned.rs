//! What was tuned, as a table: a line a choice.

use super::label;
use crate::bench::{
    Line,
    tune::{ERRORS, Finding, Gain, LEAST_GAIN},
};

/// How the choices of some lines are laid out.
#[derive(Clone, Copy, Debug)]
pub struct Choices {
    /// The width of the device's column.
    width: usize,
}

impl Choices {
    /// For some lines.
    pub fn new(lines: &[Line]) -> Self {
        Self { width: lines.iter().map(|line| label(line).chars().count()).max().unwrap_or(0).max(6) }
    }

    /// The head.
    pub fn head(&self) -> String {
        self.line(
            "device",
            ["method", "N", "parameter", "default", "best other", "chosen", "gain of it"].map(String::from),
        )
    }

    /// A choice.
    pub fn row(&self, line: &Line, finding: &Finding) -> String {
        let cells = [
            line.method().to_owned(),
            finding.n.to_string(),
            finding.parameter.name().to_owned(),
            finding.default.to_string(),
            finding.tried.map_or_else(|| "-".into(), |tried| tried.to_string()),
            finding.chosen.to_string(),
            match finding.gain {
                Some(gain) => percent(&gain),
                None if finding.differs => "no time".into(),
                None => "no difference".into(),
            },
        ];
        self.line(&label(line), cells)
    }

    /// What the columns mean.
    pub fn legend() -> String {
        format!(
            "the gain is of the time of counting, the median of pairs of runs ± its standard error; what gains more than \
             {ERRORS} errors, and {:.0} %, is chosen; no difference: all values do the same on the largest board that \
             can be counted often enough, which a longer --time makes larger",
            100.0 * LEAST_GAIN
        )
    }

    fn line(
        &self,
        device: &str,
        [method, n, parameter, default, tried, chosen, gain]: [String; 7],
    ) -> String {
        let width = self.width;
        format!(
            "{device:width$}  {method:6}  {n:>2}  {parameter:17}  {default:>8}  {tried:>10}  {chosen:>8}  {gain:>14}"
        )
    }
}

fn percent(Gain { value, error, .. }: &Gain) -> String {
    format!("{:.1} ± {:.1} %", 100.0 * value, 100.0 * error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MethodChoice, engine::cpu, tuning::Parameter};

    #[test]
    fn a_choice_is_a_line() {
        let device = cpu::listed(2).info;
        let line = Line { method: MethodChoice::Search, index: 0, device, threads: Some(2), tuning: None };
        let mut finding = Finding {
            parameter: Parameter::UnitVisits,
            n: 15,
            default: 32_768,
            tried: Some(8192),
            differs: true,
            chosen: 8192,
            gain: Some(Gain { value: 0.0512, error: 0.011, pairs: 7 }),
        };
        let table = Choices::new(std::slice::from_ref(&line));
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        let row = table.row(&line, &finding);
        assert_eq!(row.chars().count(), table.head().chars().count());
        assert_eq!(words(row), "cpu x2 search 15 unit_visits 32768 8192 8192 5.1 ± 1.1 %");
        finding = Finding { tried: None, chosen: 32_768, gain: None, ..finding };
        assert_eq!(words(table.row(&line, &finding)), "cpu x2 search 15 unit_visits 32768 - 32768 no time");
        finding.differs = false;
        assert_eq!(
            words(table.row(&line, &finding)),
            "cpu x2 search 15 unit_visits 32768 - 32768 no difference"
        );
    }
}
