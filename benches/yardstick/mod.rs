//! Compiles and runs `yardstick.c`.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// The compiled program.
pub struct Yardstick(PathBuf);

/// Compiles it by the C compiler of the machine (`CC`, else cc) with -O2; none, which is said, where there is no such
/// compiler.
///
/// # Panics
///
/// Where the compiler refuses it.
pub fn compile() -> Option<Yardstick> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/yardstick.c");
    let program =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("yardstick{}", std::env::consts::EXE_SUFFIX));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    match Command::new(&compiler).arg("-O2").arg("-o").arg(&program).arg(&source).status() {
        Ok(status) => {
            assert!(status.success(), "{} does not compile {}", compiler.display(), source.display());
            Some(Yardstick(program))
        }
        Err(error) => {
            eprintln!("yardstick: SKIPPED, no C compiler: {} ({error})", compiler.display());
            None
        }
    }
}

impl Yardstick {
    /// Processor time of some runs, as it says itself.
    ///
    /// # Panics
    ///
    /// Where it does not run, or counts wrong.
    pub fn time(&self, n: u32, runs: u64, answer: u128) -> Duration {
        let output = Command::new(&self.0).args([n.to_string(), runs.to_string()]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let (count, seconds) = text.trim().split_once(' ').expect("a count and seconds");
        assert_eq!(count.parse::<u128>().unwrap(), answer, "N = {n}");
        Duration::from_secs_f64(seconds.parse().unwrap())
    }
}
