//! How placements are written, as flags.

use clap::Args;

use crate::report::solutions::Format;

#[derive(Args, Debug)]
pub struct Written {
    /// How placements are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// One JSON document: as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Written {
    /// The format that is asked for.
    pub fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}
