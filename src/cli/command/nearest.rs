//! `ferz nearest`.

use std::io::{self, Read};

use clap::Args;

use crate::{
    CancelToken, Error, Placement,
    cli::{Console, Failure, failure::shortened, flags::placements, live::signal::Watch},
    puzzle::{about::nearest::nearest, notation},
    report,
};

/// Examples of `ferz nearest --help`.
const EXAMPLES: &str = "\
Examples:
  ferz nearest 1 1 1 1 1 1 1 1            7 moves
  ferz nearest a1 b5 c8 d6 e3 f7 g2 h5
  printf '2\\n1 2 3 4 5 6 7 8\\n1 5 8 6 3 7 2 4\\n' | ferz nearest --cases";

/// The most text of cases that is read, in bytes.
const LONGEST_INPUT: u64 = 256 << 20;

/// Find the fewest queens to move within their files to reach a solution
///
/// The answer is exact, by branch and bound; the time grows fast with N, from less than a millisecond at N = 8
/// to seconds at N = 16.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Nearest {
    /// The rank of the queen on each file, attacking or not (1 1 8 6 3 7 2 4), or their squares; - reads standard
    /// input, one placement a line
    #[arg(value_name = "PLACEMENT", required_unless_present = "cases", num_args = 1.., allow_negative_numbers = true)]
    placement: Vec<String>,

    /// Read cases from standard input, the number of cases and then N ranks for each; write a number of moves a line
    #[arg(long, conflicts_with = "placement")]
    cases: bool,

    /// One JSON document a placement instead of text
    #[arg(long)]
    json: bool,
}

impl Nearest {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let cancel = CancelToken::default();
        let watch = Watch::start_meaning(&cancel, *console, "the last placement is not answered")?;
        let mut first = true;
        let mut answer = |placement: Placement| {
            let Some((moves, solution)) = nearest(&placement, &cancel)? else {
                return Err(Failure::NoSolution {
                    what: format!("a board of {} has none to move to", placement.board()),
                    hint: "all other sizes have one",
                });
            };
            let gap = if first { "" } else { "\n" };
            first = false;
            console.result(&match (self.json, self.cases) {
                (true, _) => report::about::nearest_json(&placement, moves, &solution),
                (false, true) => moves.to_string(),
                (false, false) => {
                    format!("{gap}{}", report::about::nearest_text(&placement, moves, &solution))
                }
            })
        };
        let done = if self.cases {
            cases().and_then(|cases| cases.into_iter().try_for_each(&mut answer))
        } else {
            placements::each(&self.placement, None, &mut answer)
        };
        watch.finish()?;
        done
    }
}

/// The cases on standard input: how many, then the ranks of each, wherever the lines break.
fn cases() -> Result<Vec<Placement>, Failure> {
    let mut text = String::new();
    let read = io::stdin().lock().take(LONGEST_INPUT).read_to_string(&mut text);
    match read {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(Error::usage("standard input is not UTF-8 text", "write cases in plain digits").into())
        }
        Err(error) => Err(Failure::Read(error)),
        Ok(read) if read as u64 == LONGEST_INPUT => {
            Err(Error::usage("standard input is too long", "give fewer cases at a time").into())
        }
        Ok(_) => Ok(cases_of(&text)?),
    }
}

fn cases_of(text: &str) -> Result<Vec<Placement>, Error> {
    let hint = "first the number of cases, then for each the ranks of its queens, as many for each";
    let mut words = text.split_whitespace();
    let count = words.next().ok_or_else(|| Error::usage("standard input has no cases", hint))?;
    let count: usize = count
        .parse()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| Error::usage(format!("'{}' is no number of cases", shortened(count)), hint))?;
    let words: Vec<&str> = words.collect();
    if words.is_empty() || !words.len().is_multiple_of(count) {
        return Err(Error::usage(format!("{} ranks are given for {count} cases", words.len()), hint));
    }
    let placement = |(case, words): (usize, &[&str])| {
        notation::parse(&words.join(" "), None).map_err(|error| match error {
            Error::Usage { what, hint } => Error::usage(format!("{what} (case {})", case + 1), hint),
            other => other,
        })
    };
    words.chunks_exact(words.len() / count).enumerate().map(placement).collect()
}
