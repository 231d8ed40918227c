//! `ferz selftest`.

use clap::Args;

use crate::{
    Options,
    cli::{Console, Failure, Talk, live::signal::Watch},
    engine::listing::{Backend, Wanted},
    report,
};

/// Count known boards through the real kernels, and compare every unit with the CPU
#[derive(Args, Debug)]
pub struct Selftest {
    /// auto, cpu, gpu, all, an index of `ferz devices` or part of a name; several with commas between
    #[arg(long, default_value = "auto")]
    device: Wanted,

    /// Only adapters of this backend (else of WGPU_BACKEND, else of all)
    #[arg(long, value_enum)]
    backend: Option<Backend>,

    /// One JSON document on stdout instead of a line a device
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    talk: Talk,
}

impl Selftest {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let options = Options { device: self.device, backend: self.backend, ..Options::default() };
        let watch = Watch::start(&options.cancel, *console)?;
        let tested = crate::selftest(&options, &mut |event| self.talk.observe(console, &event));
        watch.finish()?;
        let reports = tested?;
        console.result(&if self.json {
            report::json::selftest(&reports)
        } else {
            report::text::selftest(&reports)
        })
    }
}
