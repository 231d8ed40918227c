//! `ferz devices`.

use clap::Args;

use crate::{
    cli::{Console, Failure},
    engine::listing::Backend,
    report,
};

/// List what can count
#[derive(Args, Debug)]
pub struct Devices {
    /// Only adapters of this backend (else of WGPU_BACKEND, else of all)
    #[arg(long, value_enum)]
    backend: Option<Backend>,

    /// One JSON document on stdout instead of the table
    #[arg(long)]
    json: bool,
}

impl Devices {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let devices = crate::devices(self.backend, None)?;
        console.result(&if self.json {
            report::json::devices(&devices)
        } else {
            report::text::devices(&devices)
        })
    }
}
