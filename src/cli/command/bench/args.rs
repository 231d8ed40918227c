//! Values of the flags of `ferz bench`: pure functions of their text.

#[cfg(feature = "plot")]
use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "plot")]
use super::exports::Format;
use crate::{
    Error,
    bench::{Effort, case::LARGEST_FIRST},
    cli::{failure::shortened, flags},
};

/// Board sizes, each once, the smallest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes(pub(super) Vec<u32>);

/// Numbers of CPU threads; none is all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Threads(Vec<Option<usize>>);

impl Threads {
    /// As many as there are.
    pub(super) fn all() -> Vec<Option<usize>> {
        Self(vec![None]).numbers()
    }

    /// In digits.
    pub(super) fn numbers(&self) -> Vec<Option<usize>> {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        self.0.iter().map(|threads| Some(threads.unwrap_or(all))).collect()
    }
}

/// `--n`: numbers and ranges with commas between.
pub(super) fn sizes(text: &str) -> Result<Sizes, Error> {
    let refuse = |why: String| {
        Error::usage(
            format!("--n is '{}', {}", shortened(text), shortened(&why)),
            format!(
                "sizes are numbers from 1 to {LARGEST_FIRST} and ranges of them, with commas between: 8-12,16"
            ),
        )
    };
    let size = |text: &str| {
        flags::whole("a size of --n", 1..=LARGEST_FIRST)(text)
            .map_err(|_| refuse(format!("where '{text}' is no size")))
    };
    let mut sizes = Vec::new();
    for item in text.split(',') {
        match item.split_once('-') {
            Some(("", _) | (_, "")) => {
                return Err(refuse(format!("where '{item}' lacks an end of its range")));
            }
            Some((from, to)) => {
                let (from, to) = (size(from)?, size(to)?);
                if from > to {
                    return Err(refuse(format!("whose range {from}-{to} is empty")));
                }
                sizes.extend(from..=to);
            }
            None => sizes.push(size(item)?),
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    Ok(Sizes(sizes))
}

/// `--threads`: numbers and `all` with commas between.
pub(super) fn threads(text: &str) -> Result<Threads, Error> {
    let number = |item| if item == "all" { Ok(None) } else { flags::threads(item).map(Some) };
    text.split(',').map(number).collect::<Result<_, _>>().map(Threads)
}

/// `--runs`.
pub(super) fn runs(text: &str) -> Result<u32, Error> {
    flags::whole("--runs", 1..=Effort::MAX_RUNS)(text)
}

/// `--warmup`.
pub(super) fn warmup(text: &str) -> Result<u32, Error> {
    flags::whole("--warmup", 0..=Effort::MAX_RUNS)(text)
}

/// `--time`.
pub(super) fn time(text: &str) -> Result<Duration, Error> {
    const LONGEST: Duration = Duration::from_secs(24 * 3600);
    humantime::parse_duration(text).ok().filter(|time| !time.is_zero() && *time <= LONGEST).ok_or_else(|| {
        Error::usage(
            format!("--time is '{}', which is no time of a row", shortened(text)),
            "it is more than 0 and at most a day: 500ms, 2s, 1m",
        )
    })
}

/// `--fail-if-slower`.
pub(super) fn percent(text: &str) -> Result<f64, Error> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|&percent: &f64| plain && percent <= 1e6).ok_or_else(|| {
        Error::usage(
            format!("--fail-if-slower is '{}', which is no number of percent", shortened(text)),
            "it is from 0 to 1000000, without a sign: 5, 12.5",
        )
    })
}

/// A picture to be drawn.
#[cfg(feature = "plot")]
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) path: PathBuf,
    pub(super) format: Format,
}

/// `--plot`.
#[cfg(feature = "plot")]
pub(super) fn picture(text: &str) -> Result<Picture, Error> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase);
    match extension.as_deref() {
        Some("svg") => Ok(Picture { path, format: Format::Svg }),
        Some("png") => Ok(Picture { path, format: Format::Png }),
        _ => Err(Error::usage(
            format!("--plot is '{}', which names no kind of picture", shortened(text)),
            "give a file that ends in .svg or .png",
        )),
    }
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_numbers_and_ranges() {
        for (text, expected) in [
            ("8", vec![8]),
            ("8-10", vec![8, 9, 10]),
            ("12,8,10", vec![8, 10, 12]),
            ("8-10,9-11,4", vec![4, 8, 9, 10, 11]),
            ("30-30", vec![30]),
        ] {
            assert_eq!(sizes(text), Ok(Sizes(expected)), "{text}");
        }
        for text in ["", "0", "31", "8-", "-8", "10-8", "8,,9", "8-9-10", "8;9", "a", "8.5", "1-99999999999"]
        {
            let error = sizes(text).expect_err(text);
            assert_eq!(error.exit_code(), 2, "{text}");
            assert!(error.to_string().starts_with(&format!("--n is '{text}'")), "{error}");
            assert!(error.hint().is_some_and(|hint| hint.contains("from 1 to 30")), "{error:?}");
        }
    }

    #[test]
    fn threads_are_numbers_and_all() {
        assert_eq!(threads("1,all"), Ok(Threads(vec![Some(1), None])));
        for text in ["", "0", "one", "1,", "all,ALL", "5000"] {
            assert!(threads(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_and_percents_have_bounds() {
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        for text in ["", "0s", "5", "-1s", "2days", "1e3s"] {
            assert!(time(text).is_err(), "{text}");
        }
        assert_eq!((percent("5"), percent("12.5"), percent("0")), (Ok(5.0), Ok(12.5), Ok(0.0)));
        for text in ["", "-5", "nan", "inf", "5%", "1e3", "1000001", ".", "1.2.3"] {
            assert!(percent(text).is_err(), "{text}");
        }
    }

    #[cfg(feature = "plot")]
    #[test]
    fn pictures_are_told_by_their_names() {
        assert_eq!(picture("a.b.SVG").expect("svg").format, Format::Svg);
        assert_eq!(picture("/tmp/a.png").expect("png").format, Format::Png);
        for text in ["", "svg", "a.pdf", "-"] {
            assert!(picture(text).is_err(), "{text}");
        }
    }
}
