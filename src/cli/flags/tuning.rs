//! What `ferz bench --autotune` kept, as a flag.

use clap::Args;

use crate::{
    cli::Console,
    tuning::{Tunings, cache},
};

/// Whether what was kept is used.
#[derive(Args, Clone, Copy, Debug)]
pub struct TuneCache {
    /// Leave alone what `ferz bench --autotune` found on this machine; -v says what that is
    #[arg(long)]
    no_tune_cache: bool,
}

impl TuneCache {
    /// What was kept, unless it is to be left alone; files that cannot be used are warned of.
    pub fn load(self, console: &Console) -> Tunings {
        let Some(folder) = cache::folder().filter(|_| !self.no_tune_cache) else { return Tunings::Defaults };
        let (kept, warnings) = cache::load(&folder);
        for warning in warnings {
            console.warning(&warning);
        }
        Tunings::Kept(kept)
    }
}
