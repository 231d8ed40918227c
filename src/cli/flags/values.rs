//! Values of flags: pure functions of their text.

use std::{ops::RangeInclusive, time::Duration};

use crate::{
    BoardSize, Error,
    cli::failure::shortened,
    engine::cpu::MOST_THREADS,
    puzzle::{Position, list},
};

/// A whole number in plain digits within a range.
pub fn whole(what: &str, text: &str, allowed: RangeInclusive<u32>) -> Result<u32, Error> {
    let refuse = |why: &str| {
        let hint = format!(
            "{what} is a whole number from {} to {}, in plain digits",
            allowed.start(),
            allowed.end()
        );
        Err(Error::usage(format!("{what} is '{}', which {why}", shortened(text)), hint))
    };
    match text.as_bytes() {
        [] => return refuse("is empty"),
        // elsewhere 010 is eight
        [b'0', _, ..] => return refuse("starts with a zero"),
        [b'-', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) => {
            return refuse("is negative");
        }
        digits if !digits.iter().all(u8::is_ascii_digit) => return refuse("is not made of digits"),
        _ => {}
    }
    match text.parse() {
        Ok(number) if number < *allowed.start() => refuse("is too small"),
        Ok(number) if number <= *allowed.end() => Ok(number),
        _ => refuse("is too large"),
    }
}

/// N.
pub fn size(text: &str) -> Result<BoardSize, Error> {
    BoardSize::new(whole("N", text, 1..=BoardSize::MAX)?)
}

/// `--place`.
pub fn place(text: &str) -> Result<u32, Error> {
    whole("--place", text, 0..=BoardSize::MAX)
}

/// `--threads`.
pub fn threads(text: &str) -> Result<usize, Error> {
    whole("--threads", text, 1..=MOST_THREADS).map(|threads| threads as usize)
}

/// `--depth`.
pub fn depth(text: &str) -> Result<u32, Error> {
    whole("--depth", text, 0..=BoardSize::MAX - 1)
}

/// A side of a board whose solutions are listed.
pub fn listed_side(text: &str) -> Result<u32, Error> {
    whole("N", text, 1..=list::MAX_SIDE)
}

/// A side of a board of which one solution is sought.
pub fn solved_side(text: &str) -> Result<u32, Error> {
    whole("N", text, 1..=Position::MAX_SIDE)
}

/// A side of a board that is filled: N solutions of N queens are written.
pub fn tiled_side(text: &str) -> Result<u32, Error> {
    whole("N", text, 1..=10_000)
}

/// The side of an empty centre.
pub fn centre(text: &str) -> Result<u32, Error> {
    whole("--empty-centre", text, 1..=list::MAX_SIDE)
}

/// `--limit`.
pub fn limit(text: &str) -> Result<u64, Error> {
    whole("--limit", text, 1..=u32::MAX).map(u64::from)
}

/// `--from`.
pub fn from(text: &str) -> Result<u64, Error> {
    whole("--from", text, 1..=u32::MAX).map(u64::from)
}

/// `--runs`.
pub fn runs(text: &str) -> Result<u64, Error> {
    whole("--runs", text, 1..=u32::MAX).map(u64::from)
}

/// `--seed`.
pub fn seed(text: &str) -> Result<u64, Error> {
    whole("--seed", text, 0..=u32::MAX).map(u64::from)
}

/// `--board`: ranks and files.
pub fn sides(text: &str) -> Result<(u32, u32), Error> {
    let refuse = || {
        Error::usage(
            format!("--board is '{}'", shortened(text)),
            format!("--board is ranks x files, 6x8, each from 1 to {}", Position::MAX_SIDE),
        )
    };
    let (ranks, files) = text.split_once('x').ok_or_else(refuse)?;
    let side = |text| whole("a side of --board", text, 1..=Position::MAX_SIDE);
    Ok((side(ranks)?, side(files)?))
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
    fn boards_are_ranks_x_files() {
        assert_eq!(sides("6x8"), Ok((6, 8)));
        for text in
            ["", "8", "x", "8x", "x8", "0x8", "8x0", "08x8", "8X8", "8x8x8", "-8x8", "8 x 8", "99999999x1"]
        {
            assert!(matches!(sides(text), Err(Error::Usage { .. })), "{text}");
        }
    }

    #[test]
    fn only_plain_digits_in_range_are_numbers() {
        assert_eq!(whole("N", "8", 1..=32), Ok(8));
        assert_eq!(whole("N", "32", 1..=32), Ok(32));
        assert_eq!(whole("--depth", "0", 0..=31), Ok(0));
        for (text, why) in [
            ("", "is empty"),
            ("0", "is too small"),
            ("33", "is too large"),
            ("99999999999999999999999", "is too large"),
            ("08", "starts with a zero"),
            ("00", "starts with a zero"),
            ("-1", "is negative"),
            ("-", "is not made of digits"),
            ("+8", "is not made of digits"),
            ("1e3", "is not made of digits"),
            ("8.0", "is not made of digits"),
            (" 8", "is not made of digits"),
            ("٨", "is not made of digits"),
        ] {
            let error = whole("N", text, 1..=32).expect_err(text);
            assert!(error.to_string().ends_with(why), "{error}");
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
