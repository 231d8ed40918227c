//! `ferz classify`.

use clap::Args;

use crate::{
    CancelToken,
    cli::{Console, Failure, flags::placements::PlacementFlags, live::signal::Watch},
    puzzle::about::classify::classify,
    report::about,
};

/// Examples of `ferz classify --help`.
const EXAMPLES: &str = "\
Examples:
  ferz classify 1 5 8 6 3 7 2 4
  ferz classify a2 b4 c1 d3 --json
  ferz solve 1000000 | ferz classify -
  ferz list 8 | ferz classify - --json      one document a line
  ferz classify 1 - 2 --board 2x3";

/// Tell what a placement is like: solution or not, number, class, images, lines, centre
///
/// The number is the place among all solutions in lexicographic order, where it takes a few seconds at most to
/// count that far (always up to N = 15).
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Classify {
    #[command(flatten)]
    placements: PlacementFlags,

    /// One JSON document a placement instead of text
    #[arg(long)]
    json: bool,
}

impl Classify {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let cancel = CancelToken::default();
        let watch = Watch::start_meaning(&cancel, *console, "the last placement is not answered")?;
        let mut first = true;
        let done = self.placements.each(|placement| {
            let seen = classify(&placement, &cancel)?;
            let text = if self.json {
                about::json(&placement, &seen)
            } else {
                let gap = if first { "" } else { "\n" };
                format!("{gap}{}", about::text(&placement, &seen))
            };
            first = false;
            console.result(&text)
        });
        watch.finish()?;
        done
    }
}
