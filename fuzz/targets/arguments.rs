//! Any words, a line each, as a command line: understood, or refused as wrong usage.

#![no_main]

use std::ffi::OsString;

use ferz::{
    Error,
    cli::{self, Failure},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let args: Vec<OsString> = std::iter::once("ferz").chain(text.split('\n')).map(OsString::from).collect();
    if let Err(failure) = cli::parse(&args) {
        assert!(
            matches!(failure, Failure::Library(Error::Usage { .. } | Error::NoDevice { .. })),
            "{failure}"
        );
    }
});
