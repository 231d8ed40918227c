//! What the integration tests share.

/// Part of the name of the adapter on which the GPU tests run: `FERZ_TEST_ADAPTER`, or llvmpipe. `None` where
/// `FERZ_TEST_GPU=skip`; otherwise a test that does not find this adapter fails.
pub fn gpu() -> Option<String> {
    match std::env::var("FERZ_TEST_GPU").as_deref() {
        Ok("skip") => {
            eprintln!("skipped: FERZ_TEST_GPU=skip");
            None
        }
        Ok("require") | Err(_) => {
            Some(std::env::var("FERZ_TEST_ADAPTER").unwrap_or_else(|_| "llvmpipe".into()))
        }
        Ok(other) => panic!("FERZ_TEST_GPU={other}: it is require (default) or skip"),
    }
}
