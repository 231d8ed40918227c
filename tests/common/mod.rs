//! What several test programs share.

use std::env::{self, VarError};

/// Part of the name of the adapter on which GPU tests must run; none where they are to be skipped, which this
/// then says.
///
/// `tests/run.sh` sets the variables: FERZ_TEST_GPU=require (as unset) or skip, FERZ_TEST_ADAPTER=NAME.
///
/// # Panics
///
/// For any other value, so that a slip of the pen does not skip tests.
pub fn gpu() -> Option<String> {
    match env::var("FERZ_TEST_GPU").as_deref() {
        Ok("require") | Err(VarError::NotPresent) => {
            Some(env::var("FERZ_TEST_ADAPTER").unwrap_or_else(|_| "llvmpipe".into()))
        }
        Ok("skip") => {
            let test = std::thread::current().name().unwrap_or("a GPU test").to_owned();
            eprintln!("{test}: SKIPPED, FERZ_TEST_GPU=skip");
            None
        }
        other => panic!("FERZ_TEST_GPU is {other:?}, neither require nor skip"),
    }
}
