//! What was found by tuning, as a table: a line for each choice.

use super::table::device_width;
use crate::{
    bench::Series,
    tune::sweep::{Finding, MIN_GAIN, ROUNDS},
};

/// How the findings of some series are laid out.
#[derive(Clone, Copy, Debug)]
pub struct Findings {
    device_width: usize,
}

impl Findings {
    /// For some series.
    pub fn new(series: &[Series]) -> Self {
        Self { device_width: device_width(series) }
    }

    /// The head.
    pub fn head(&self) -> String {
        self.line("device", ["method", "N", "default", "fastest other", "gain", "chosen"].map(String::from))
    }

    /// A choice, on a board of `n` queens.
    pub fn row(&self, series: &Series, n: u32, finding: &Finding) -> String {
        let [other, gain, chosen] = match finding.fastest {
            None => ["-".into(), "no time".into(), "default".into()],
            Some(fastest) => [
                fastest.tuning.to_string(),
                format!("{:.1} %", 100.0 * fastest.gain),
                if fastest.is_taken() { "other".into() } else { "default".into() },
            ],
        };
        let default = finding.default.to_string();
        self.line(&series.place(), [series.method.to_string(), n.to_string(), default, other, gain, chosen])
    }

    /// What the columns mean.
    pub fn legend() -> String {
        format!(
            "gain: the part of the time of counting that the fastest other value saves, the median of {ROUNDS} comparisons \
             with the default; {:.0} % or more, and faster in all comparisons but one, is chosen",
            100.0 * MIN_GAIN
        )
    }

    fn line(&self, device: &str, [method, n, default, other, gain, chosen]: [String; 6]) -> String {
        let width = self.device_width;
        format!("{device:width$}  {method:6}  {n:>2}  {default:19}  {other:19}  {gain:>7}  {chosen}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        MethodName,
        engine::{cpu, tuning::Tuning},
        tune::sweep::Fastest,
    };

    #[test]
    fn a_choice_is_a_line() {
        let series = Series::new(MethodName::Search, 0, cpu::listed(2).info, Some(2));
        let units = |visits| Tuning { unit_visits: Some(visits), ..Tuning::default() };
        let table = Findings::new(std::slice::from_ref(&series));
        let row = |fastest| {
            let row = table.row(&series, 15, &Finding { default: units(32_768), fastest });
            row.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let fastest = |gain| Some(Fastest { tuning: units(4096), gain, wins: 7 });
        let start = "cpu x2 search 15 unit_visits 32768";
        assert_eq!(row(fastest(0.0512)), format!("{start} unit_visits 4096 5.1 % other"));
        assert_eq!(row(fastest(-0.5)), format!("{start} unit_visits 4096 -50.0 % default"));
        assert_eq!(row(None), format!("{start} - no time default"));
        assert!(table.head().starts_with("device  method"));
    }
}
