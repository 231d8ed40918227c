//! `ferz checkpoint`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::{
    CancelToken, Checkpoint,
    cli::{Console, Failure, flags, live::signal::Watch},
    recheck, report,
};

/// Look at a checkpoint, or recount a part of it
#[derive(Args, Debug)]
#[command(arg_required_else_help = false)]
pub struct Checkpoints {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Show(Show),
    Verify(Verify),
}

/// Say what a checkpoint holds
#[derive(Args, Debug)]
struct Show {
    /// The checkpoint
    file: PathBuf,

    /// One JSON document on stdout instead of lines
    #[arg(long)]
    json: bool,
}

/// Check a checkpoint: its checksum, its residues and, if asked for, its blocks, by counting some of them again
#[derive(Args, Debug)]
struct Verify {
    /// The checkpoint
    file: PathBuf,

    /// Recount a random part of the blocks that are done: 1%, 0.5%, 100%
    #[arg(long, value_name = "P%", value_parser = flags::percent, allow_hyphen_values = true)]
    recheck: Option<f64>,

    /// CPU threads [default: one a core]
    #[arg(long, value_name = "T", value_parser = flags::threads, allow_negative_numbers = true)]
    threads: Option<usize>,
}

impl Checkpoints {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        match self.action {
            Action::Show(show) => show.run(console),
            Action::Verify(verify) => verify.run(console),
        }
    }
}

impl Show {
    fn run(self, console: &Console) -> Result<(), Failure> {
        let checkpoint = Checkpoint::open(&self.file)?;
        console.result(&if self.json {
            report::json::checkpoint(&checkpoint)
        } else {
            report::text::checkpoint(&checkpoint)
        })
    }
}

impl Verify {
    fn run(self, console: &Console) -> Result<(), Failure> {
        // reading compares the checksum, the residues and the parts
        let checkpoint = Checkpoint::open(&self.file)?;
        let Some(percent) = self.recheck else {
            return console.result("whole: checksum, residues and parts are right; no block was recounted");
        };
        let cancel = CancelToken::default();
        let watch = Watch::start(&cancel, *console)?;
        let checked = recheck(&checkpoint, percent, self.threads, rand::random(), &cancel);
        watch.finish()?;
        let checked = checked?;
        console.result(&format!(
            "whole: checksum, residues and parts are right; {} of {} blocks recounted, all right",
            checked.recounted, checked.done
        ))
    }
}
