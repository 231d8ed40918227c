//! What `ferz bench --autotune` saved, as a flag.

use clap::Args;

use crate::{cli::Console, engine::tuning::Tuned, tune::cache};

/// Whether saved tunings are used.
#[derive(Args, Clone, Copy, Debug)]
pub struct TuneCache {
    /// Ignore what `ferz bench --autotune` found on this machine; -v shows what it was
    #[arg(long)]
    no_tune_cache: bool,
}

impl TuneCache {
    /// The saved tunings, unless they are to be ignored; files that cannot be used cause a warning.
    pub fn load(self, console: &Console) -> Vec<Tuned> {
        let Some(folder) = cache::folder().filter(|_| !self.no_tune_cache) else { return Vec::new() };
        let (tuned, warnings) = cache::load(&folder);
        warnings.iter().for_each(|warning| console.warning(warning));
        tuned
    }
}
