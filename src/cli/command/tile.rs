//! `ferz tile`.

use clap::Args;

use crate::{
    CancelToken, Error, Placement, Problem,
    cli::{
        Console, Failure, Talk,
        flags::{format::Written, whole},
        live::signal::Watch,
        output::Output,
    },
    puzzle::about::tile,
    report::{
        solutions::{Format, Solutions},
        tiled,
    },
};

/// Examples of `ferz tile --help`.
const EXAMPLES: &str = "\
Examples:
  ferz tile 7                    7 solutions that fill the board
  ferz tile 8 --max              6 disjoint solutions: there are no 7
  ferz tile 1001 --format squares";

/// Find N solutions that together fill the board
///
/// Where N is prime to 6 a linear scheme gives them. For other N up to 10 a search decides. Beyond, ferz knows no
/// scheme; there may be one: 12 solutions can fill the board of 12x12. Solutions are numbered by the ranks of their
/// queens on file a.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Tile {
    /// Queens, and side of the board: 1 to 10000
    #[arg(value_name = "N", value_parser = whole::<u32>("N", 1..=10_000), allow_negative_numbers = true)]
    n: u32,

    /// As many solutions as possible without a common square, where they cannot fill the board; N up to 10, or
    /// prime to 6
    #[arg(long)]
    max: bool,

    #[command(flatten)]
    written: Written,

    #[command(flatten)]
    talk: Talk,
}

impl Tile {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        if self.written.format() == Format::Svg {
            return Err(Error::usage("--format svg holds one board", "take another format").into());
        }
        let cancel = CancelToken::default();
        let watch = Watch::start_meaning(&cancel, *console, "no solutions are given")?;
        let done = self.tile(&cancel);
        watch.finish()?;
        let written = done?;
        self.talk.summary(console, &format!("{written} disjoint solutions of {} queens", self.n));
        Ok(())
    }

    fn tile(&self, cancel: &CancelToken) -> Result<u64, Failure> {
        if let Some(solutions) = tile::linear(self.n)? {
            // the scheme goes by the queens on file a, and so need not be sorted
            return self.write(solutions, cancel);
        }
        if self.n > tile::MAX_SEARCHED {
            return Err(Failure::NoSolution {
                what: format!("ferz knows no scheme for N = {}; there may be one", self.n),
                hint: "there is a scheme where N is prime to 6; up to 10 a search decides",
            });
        }
        let solutions = tile::most_disjoint(self.n, cancel)?;
        let most = solutions.len();
        if most == 0 {
            return Err(Failure::NoSolution {
                what: format!("{} queens have none", self.n),
                hint: "all square boards but 2x2 and 3x3 have one",
            });
        }
        if most < self.n as usize && !self.max {
            return Err(Failure::NoSolution {
                what: format!(
                    "{0} solutions cannot fill a board of {0}x{0}: at most {most} are disjoint",
                    self.n
                ),
                hint: "--max gives as many as possible",
            });
        }
        self.write(solutions.into_iter(), cancel)
    }

    fn write(
        &self,
        solutions: impl Iterator<Item = Placement>,
        cancel: &CancelToken,
    ) -> Result<u64, Failure> {
        let mut output = Output::open(None)?;
        let written = if self.written.format() == Format::Json {
            tiled::json(&mut output, self.n, solutions).map_err(Failure::Write)?
        } else {
            let problem = Problem::queens(self.n)?;
            let mut list =
                Solutions::list(&mut output, self.written.format(), &problem).map_err(Failure::Write)?;
            for (number, solution) in (1..).zip(solutions) {
                cancel.check()?;
                list.write(number, &solution).map_err(Failure::Write)?;
            }
            let written = list.written();
            list.end(true).map_err(Failure::Write)?;
            written
        };
        output.finish()?;
        Ok(written)
    }
}
