//! Growth per N.

/// Times below this are left out of a fit: they are those of the start of threads and devices.
pub const LEAST_SECONDS: f64 = 0.01;

/// The factor by which times grow with each N, fitted by least squares to their logarithms; none for less than three
/// points of [`LEAST_SECONDS`] and more.
#[must_use]
pub fn growth(points: &[(u32, f64)]) -> Option<f64> {
    let used: Vec<(f64, f64)> = points
        .iter()
        .filter(|(_, seconds)| *seconds >= LEAST_SECONDS)
        .map(|&(n, seconds)| (f64::from(n), seconds.ln()))
        .collect();
    if used.len() < 3 {
        return None;
    }
    let mean = |of: fn(&(f64, f64)) -> f64| used.iter().map(of).sum::<f64>() / used.len() as f64;
    let (n, log) = (mean(|point| point.0), mean(|point| point.1));
    let slope = used.iter().map(|point| (point.0 - n) * (point.1 - log)).sum::<f64>()
        / used.iter().map(|point| (point.0 - n).powi(2)).sum::<f64>();
    Some(slope.exp()).filter(|growth| growth.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_growth_is_found_and_short_times_do_not_matter() {
        let points: Vec<(u32, f64)> = (8..16).map(|n| (n, 1e-4 + 5e-12 * 9.0f64.powi(n as i32))).collect();
        assert!((growth(&points[5..]).unwrap_or_default() - 9.0).abs() < 0.1);
        assert_eq!(growth(&points), growth(&points[2..]), "9 and less take under 10 ms");
        assert_eq!(growth(&points[..4]), None, "two points");
        assert_eq!(growth(&[(8, 1.0), (8, 1.0), (8, 1.0)]), None, "no slope");
    }
}
