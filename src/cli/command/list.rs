//! `ferz list`.

use std::{io, ops::ControlFlow, path::PathBuf};

use clap::Args;

use crate::{
    Board, BoardSize, CancelToken, Class, Error, Placement, Problem,
    board::symmetry::is_fundamental,
    cli::{
        Console, Failure, Talk,
        flags::{format::Written, problem::Puzzle, whole},
        live::{listing::Progress, signal::Watch},
        output::Output,
    },
    known,
    puzzle::{about::properties, groups, list},
    report::solutions::{Format, Solutions},
};

/// Examples of `ferz list --help`.
const EXAMPLES: &str = "\
Examples:
  ferz list 8                               the 92 solutions, in lexicographic order
  ferz list 8 --format numbered             the classic listing
  ferz list 8 --unique                      one of each of the 12 groups
  ferz list 8 --groups                      the groups: images, numbers, sums
  ferz list 8 --no-three-in-line --unique   no three queens on any straight line
  ferz list 8 --queen d4 --forbid a1        only those with a queen on d4 and none on a1
  ferz list --board 4x6 --format board      4 queens on 4 ranks and 6 files
  ferz list 14 --format csv -o queens.csv   into a file";

/// List all solutions in lexicographic order
///
/// The number of a solution is its place among all solutions of the board with its queens and forbidden squares,
/// whatever is filtered out.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct List {
    #[command(flatten)]
    puzzle: Puzzle<{ BoardSize::MAX }>,

    #[command(flatten)]
    written: Written,

    /// Write to this file, which is there once the list is whole; - is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Stop after so many solutions (with --groups: groups)
    #[arg(long, value_name = "L", value_parser = whole::<u64>("--limit", 1..=u32::MAX), allow_negative_numbers = true)]
    limit: Option<u64>,

    /// Leave out the solutions before number K
    #[arg(long, value_name = "K", value_parser = whole::<u64>("--from", 1..=u32::MAX), allow_negative_numbers = true)]
    from: Option<u64>,

    /// Only one solution of each group of images, the first
    #[arg(long, conflicts_with_all = ["queens", "forbidden"])]
    unique: bool,

    /// Groups of images, their numbers and the sum of these; N up to 16
    #[arg(long, conflicts_with_all = ["queens", "forbidden", "unique", "from"])]
    groups: bool,

    /// Only solutions of this class
    #[arg(long, value_enum)]
    class: Option<Class>,

    /// Only solutions without three queens on a straight line of any slope
    #[arg(long)]
    no_three_in_line: bool,

    /// Only solutions whose K x K squares in the centre are empty
    #[arg(long, value_name = "K", value_parser = whole::<u32>("--empty-centre", 1..=BoardSize::MAX), allow_negative_numbers = true)]
    empty_centre: Option<u32>,

    /// Only solutions with both main diagonals empty
    #[arg(long)]
    empty_diagonals: bool,

    #[command(flatten)]
    talk: Talk,
}

impl List {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let problem = self.puzzle.problem()?;
        self.check(problem.board())?;
        self.talk.contradiction(console, &problem);
        let cancel = CancelToken::default();
        let mut output = Output::open(self.output.as_deref())?;
        let watch = Watch::start_meaning(&cancel, *console, "the list is not whole")?;
        let written = if self.groups {
            self.write_groups(&problem, &mut output, &cancel)
        } else {
            self.write_list(&problem, &mut output, &cancel, console)
        };
        // a signal is the cause of whatever else went wrong
        watch.finish()?;
        let (written, complete) = written.map_err(|failure| output.blame(failure))?;
        output.finish()?;
        let what = match (self.groups, written) {
            (false, 1) => "solution",
            (false, _) => "solutions",
            (true, 1) => "group",
            (true, _) => "groups",
        };
        let more = if complete { "" } else { ", stopped by --limit" };
        self.talk.summary(console, &format!("{written} {what}{more}"));
        Ok(())
    }

    /// Refuses filters that the board cannot have, and formats that cannot hold the list.
    fn check(&self, board: Board) -> Result<(), Error> {
        if self.empty_diagonals && !board.is_square() {
            return Err(Error::usage(
                format!("--empty-diagonals is given for a board of {board}"),
                "only square boards have main diagonals",
            ));
        }
        if let Some(side) = self.empty_centre.filter(|&side| properties::centre(board, side).is_none()) {
            return Err(Error::usage(
                format!("--empty-centre is {side} for a board of {board}"),
                "give a side that fits on the board and is even or odd as both of its sides are",
            ));
        }
        if self.written.format() == Format::Svg && (self.groups || self.limit != Some(1)) {
            return Err(Error::usage(
                "--format svg holds one board",
                "add --limit 1, and --from K for solution K, or take another format",
            ));
        }
        if self.groups {
            groups::check(board)?;
        }
        Ok(())
    }

    /// Whether a solution passes the filters that look at itself alone.
    fn wants(&self, solution: &Placement) -> bool {
        self.empty_centre.is_none_or(|side| properties::is_centre_empty(solution, side) == Some(true))
            && (!self.empty_diagonals || properties::are_diagonals_empty(solution) == Some(true))
            && self.class.is_none_or(|class| Class::of(solution) == class)
            && (!self.no_three_in_line || properties::has_no_three_in_line(solution))
    }

    /// Whether there is no filter at all, and so as many solutions are listed as are known.
    const fn wants_all(&self) -> bool {
        self.empty_centre.is_none() && !self.empty_diagonals && self.class.is_none() && !self.no_three_in_line
    }

    fn write_list(
        &self,
        problem: &Problem,
        output: &mut Output,
        cancel: &CancelToken,
        console: &Console,
    ) -> Result<(u64, bool), Failure> {
        let (from, limit, all) = (self.from.unwrap_or(1), self.limit.unwrap_or(u64::MAX), self.wants_all());
        let mut progress = (!matches!(output, Output::Stdout(_)) && !self.talk.quiet)
            .then(|| Progress::new(*console, total(problem)));
        let mut image = self.unique.then(|| Placement::blank(problem.board()));
        let mut listing = Solutions::list(output, self.written.format(), problem).map_err(Failure::Write)?;
        let mut failed = None;
        let listed = list::each(problem, u64::MAX, cancel, |number, solution| {
            if let Some(progress) = &mut progress {
                progress.at(number);
            }
            let wanted = number >= from
                && (all || self.wants(solution))
                && image.as_mut().is_none_or(|image| is_fundamental(solution, image));
            if !wanted {
                return ControlFlow::Continue(());
            }
            failed = listing.write(number, solution).err();
            if failed.is_some() || listing.written() == limit {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if let Some(progress) = &progress {
            progress.clear();
        }
        end(listing, failed, listed.map(|listed| listed.complete))
    }

    fn write_groups(
        &self,
        problem: &Problem,
        output: &mut Output,
        cancel: &CancelToken,
    ) -> Result<(u64, bool), Failure> {
        let limit = self.limit.unwrap_or(u64::MAX);
        let mut listing =
            Solutions::groups(output, self.written.format(), problem).map_err(Failure::Write)?;
        let mut failed = None;
        let complete = groups::each(problem.board(), cancel, |group| {
            // the filters are the same for all images
            if !group.images.first().is_some_and(|(_, first)| self.wants(first)) {
                return ControlFlow::Continue(());
            }
            failed = listing.write_group(group).err();
            if failed.is_some() || listing.written() == limit {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        end(listing, failed, complete)
    }
}

/// Ends a listing of which a write may have failed: how much was written, and whether that is all.
fn end(
    listing: Solutions<&mut Output>,
    failed: Option<io::Error>,
    complete: Result<bool, Error>,
) -> Result<(u64, bool), Failure> {
    if let Some(error) = failed {
        return Err(Failure::Write(error));
    }
    let (written, complete) = (listing.written(), complete?);
    listing.end(complete).map_err(Failure::Write)?;
    Ok((written, complete))
}

/// How many solutions the problem has, where that is known.
fn total(problem: &Problem) -> Option<u64> {
    let known = problem.plain().and_then(|size| known::solutions(size.get()));
    known.and_then(|total| u64::try_from(total).ok())
}
