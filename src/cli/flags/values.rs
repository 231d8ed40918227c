//! Values of flags: pure functions of their text.

use std::{ops::RangeInclusive, time::Duration};

use crate::{Error, board::plain_number, cli::failure::shortened, engine::cpu::MOST_THREADS};

/// A parser of whole numbers within a range. Only plain digits are numbers: +8 and 010, which is eight elsewhere, are refused.
pub fn whole<T: TryFrom<u32>>(
    what: &'static str,
    allowed: RangeInclusive<u32>,
) -> impl Fn(&str) -> Result<T, Error> + Clone {
    move |text| {
        let number = plain_number(text).filter(|number| allowed.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let (min, max) = (allowed.start(), allowed.end());
            Error::usage(
                format!("invalid value '{}' for {what}", shortened(text)),
                format!("{what} is a whole number from {min} to {max}, in plain digits"),
            )
        })
    }
}

/// `--threads`.
pub fn threads(text: &str) -> Result<usize, Error> {
    whole("--threads", 1..=MOST_THREADS)(text)
}

/// A time in words of humantime's, such as `1h 30m`, within a range.
fn duration(what: &str, text: &str, allowed: RangeInclusive<Duration>) -> Result<Duration, Error> {
    let shown = |time: &Duration| humantime::format_duration(*time).to_string().replace(' ', "");
    let refuse = |why: &str| {
        let hint = format!(
            "{what} is a time from {} to {}: 500ms, 30s, 5m, 2h",
            shown(allowed.start()),
            shown(allowed.end())
        );
        Err(Error::usage(format!("{what} is '{}', which {why}", shortened(text)), hint))
    };
    match humantime::parse_duration(text) {
        Ok(time) if time < *allowed.start() => refuse("is too short"),
        Ok(time) if time > *allowed.end() => refuse("is too long"),
        Ok(time) => Ok(time),
        Err(_) => refuse("is not a time with its unit"),
    }
}

/// `--checkpoint-interval`.
pub fn interval(text: &str) -> Result<Duration, Error> {
    duration("--checkpoint-interval", text, Duration::from_millis(100)..=Duration::from_secs(24 * 3600))
}

/// `--stop-after`.
pub fn stop_after(text: &str) -> Result<Duration, Error> {
    duration("--stop-after", text, Duration::from_millis(100)..=Duration::from_secs(1000 * 24 * 3600))
}

/// `--recheck`: more than 0 and at most 100 percent.
pub fn percent(text: &str) -> Result<f64, Error> {
    let digits = |number: &&str| number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number = text.strip_suffix('%').filter(digits).and_then(|number| number.parse().ok());
    number.filter(|&percent| percent > 0.0 && percent <= 100.0).ok_or_else(|| {
        Error::usage(
            format!("--recheck is '{}', which is not a part of the blocks", shortened(text)),
            "--recheck is more than 0% and at most 100%: 1%",
        )
    })
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_digits_in_range_are_numbers() {
        let size = whole::<u32>("N", 1..=32);
        assert_eq!((size("8"), size("32")), (Ok(8), Ok(32)));
        assert_eq!(whole::<u64>("--depth", 0..=31)("0"), Ok(0));
        for text in [
            "",
            "0",
            "33",
            "99999999999999999999999",
            "08",
            "00",
            "-1",
            "-",
            "+8",
            "1e3",
            "8.0",
            " 8",
            "8 ",
            "٨",
        ] {
            let error = size(text).expect_err(text);
            assert_eq!(error.to_string(), format!("invalid value '{text}' for N"));
            assert!(error.hint().is_some_and(|hint| hint.contains("from 1 to 32")), "{error:?}");
        }
    }

    #[test]
    fn times_have_a_unit_and_a_range() {
        for (text, millis) in
            [("500ms", 500), ("30s", 30_000), ("5m", 300_000), ("2h", 7_200_000), ("1m 30s", 90_000)]
        {
            assert_eq!(interval(text), Ok(Duration::from_millis(millis)), "{text}");
            assert_eq!(stop_after(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        for (text, why) in [
            ("", "not a time"),
            ("30", "not a time"),
            ("-1s", "not a time"),
            ("1 fortnight", "not a time"),
            ("99999999999999999999999s", "not a time"),
            ("0", "too short"),
            ("0s", "too short"),
            ("99ms", "too short"),
            ("2days", "too long"),
            ("100years", "too long"),
        ] {
            let error = interval(text).expect_err(text);
            assert!(error.to_string().contains(why), "{error}");
            assert!(error.hint().is_some_and(|hint| hint.contains("from 100ms to 1day")), "{error:?}");
        }
        assert!(stop_after("100years").is_err());
    }

    #[test]
    fn parts_are_percent() {
        assert_eq!(percent("1%"), Ok(1.0));
        assert_eq!(percent("0.5%"), Ok(0.5));
        assert_eq!(percent("100%"), Ok(100.0));
        for text in ["", "%", "1", "0%", "100.1%", "-1%", "1e1%", "nan%", "inf%", "1%%", "1.2.3%"] {
            assert!(matches!(percent(text), Err(Error::Usage { .. })), "{text}");
        }
    }
}
