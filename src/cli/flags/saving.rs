//! Where a count is saved.

use std::{path::PathBuf, time::Duration};

use clap::Args;

use crate::{Place, Saving, cli::flags};

/// Checkpoints.
#[derive(Args, Debug)]
pub struct Keep {
    /// Save the count in FILE, and go on from there if it is of this count [default: a file in the state folder]
    ///
    /// A count that lasts longer is saved every 30 seconds and whenever it is stopped; the same command goes on with it.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_checkpoint", "estimate"])]
    checkpoint: Option<PathBuf>,

    /// Save nothing, and begin at the beginning
    #[arg(long)]
    no_checkpoint: bool,

    /// Time from one save to the next, and to the first: 500ms, 30s, 5m, 2h [default: 30s]
    #[arg(long, value_name = "DURATION", value_parser = flags::interval, allow_hyphen_values = true, conflicts_with_all = ["no_checkpoint", "estimate"])]
    checkpoint_interval: Option<Duration>,

    /// Begin again where there is a checkpoint, and keep that as .bak
    #[arg(long, conflicts_with_all = ["no_checkpoint", "estimate"])]
    restart: bool,

    /// Save the count after this time and end with exit code 3
    #[arg(long, value_name = "DURATION", value_parser = flags::stop_after, allow_hyphen_values = true, conflicts_with_all = ["no_checkpoint", "estimate"])]
    pub stop_after: Option<Duration>,
}

impl Keep {
    /// What the flags say.
    pub fn saving(&self) -> Saving {
        Saving {
            place: match &self.checkpoint {
                Some(file) => Place::File(file.clone()),
                None if self.no_checkpoint => Place::Nowhere,
                None => Place::Default,
            },
            interval: self.checkpoint_interval,
            restart: self.restart,
        }
    }
}
