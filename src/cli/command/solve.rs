//! `ferz solve`.

use std::{ops::ControlFlow, time::Instant};

use clap::{Args, ValueEnum};

use crate::{
    CancelToken, Error,
    cli::{
        Console, Failure, Talk,
        flags::{self, board::BoardFlags},
        live::signal::Watch,
        output::Output,
    },
    puzzle::{
        Placement, Position, complete,
        compose::{self, Composed},
        draw, explicit, knight,
        las_vegas::LasVegas,
        list, min_conflicts,
    },
    report::{
        placements::{self, Format},
        solved,
    },
};

/// Examples of `ferz solve --help`.
const EXAMPLES: &str = "\
Examples:
  ferz solve 8                                        2 4 6 8 3 1 7 5
  ferz solve 10000000 > queens.txt                    the explicit list takes any N
  ferz solve 8 --format svg > queens.svg
  ferz solve 8 --queen d4 --forbid a1                 completion, or that there is none
  ferz solve 20 --algorithm backtrack                 lexicographically first, and its nodes
  ferz solve 8 --algorithm las-vegas --runs 100000    success rate and nodes of random tries
  ferz solve 1000000 --algorithm min-conflicts --seed 7
  ferz solve 8 5 7 --algorithm compose                280 queens from solutions of 8, 5 and 7
  ferz solve --board 6x9 --format board";

/// Queens placed to find the number of a solution for --format numbered: two seconds or so.
const MOST_NODES: u64 = 200_000_000;

/// Find one solution
///
/// Exits with 1 where there is no solution, or none was found.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Solve {
    /// Queens, and side of the board: 1 to 10000000; with --algorithm compose the factors, the outermost first
    #[arg(value_name = "N", value_parser = flags::solved_side, allow_negative_numbers = true, num_args = 0..)]
    n: Vec<u32>,

    #[command(flatten)]
    board: BoardFlags,

    /// How to find it [default: explicit; complete where --queen or --forbid are given]
    #[arg(long, value_enum)]
    algorithm: Option<Algorithm>,

    /// Start of the random numbers of las-vegas and min-conflicts [default: 0]
    #[arg(long, value_name = "S", value_parser = flags::seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Try R times by las-vegas, and tell how that went instead of a solution
    #[arg(long, value_name = "R", value_parser = flags::runs, allow_negative_numbers = true)]
    runs: Option<u64>,

    /// How the solution is written
    #[arg(long, value_enum, default_value_t)]
    format: Format,

    /// One JSON document: as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    #[command(flatten)]
    talk: Talk,
}

/// How to find a solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Algorithm {
    /// The list that depends on N mod 12: no search, any N
    Explicit,
    /// Knight's moves: no search, any N
    Knight,
    /// The first in lexicographic order; N up to 32
    Backtrack,
    /// A complete search that begins where fewest squares are free; N up to 1000
    Complete,
    /// Random tries; N up to 1000
    LasVegas,
    /// Local search from a random permutation; any N
    MinConflicts,
    /// A board of A * B * ... files from solutions of A, B, ...
    Compose,
}

impl Algorithm {
    const fn name(self) -> &'static str {
        match self {
            Self::Explicit => "explicit",
            Self::Knight => "knight",
            Self::Backtrack => "backtrack",
            Self::Complete => "complete",
            Self::LasVegas => "las-vegas",
            Self::MinConflicts => "min-conflicts",
            Self::Compose => "compose",
        }
    }
}

/// What an algorithm found.
struct Found {
    solution: Option<Placement>,
    /// Nodes of a search, the empty board included.
    nodes: Option<u64>,
    /// What there is to say of the way.
    detail: String,
    /// Whether it is certain that there is none, where none was found.
    is_certain: bool,
}

impl Found {
    fn known(solution: Option<Placement>) -> Self {
        Self { solution, nodes: None, detail: String::new(), is_certain: true }
    }
}

impl Solve {
    pub fn run(mut self, console: &Console) -> Result<(), Failure> {
        if self.json {
            self.format = Format::Json;
        }
        let board = self.board()?;
        let algorithm = self.algorithm.unwrap_or(if board.is_plain() {
            Algorithm::Explicit
        } else {
            Algorithm::Complete
        });
        self.check(&board, algorithm)?;
        let cancel = CancelToken::default();
        let watch = Watch::start_meaning(&cancel, *console, "no solution is given")?;
        let start = Instant::now();
        let done = match self.runs {
            Some(runs) => self.try_often(&board, runs, &cancel, console),
            None => self.solve(&board, algorithm, &cancel).and_then(|found| {
                self.write(&board, algorithm, &found, &cancel)?;
                let took = start.elapsed().as_secs_f64();
                self.talk.summary(console, &format!("{}: {}{took:.2} s", algorithm.name(), found.detail));
                Ok(())
            }),
        };
        watch.finish()?;
        done
    }

    /// The board; that of a composition has the product of the factors on each side.
    fn board(&self) -> Result<Position, Error> {
        let compose = self.algorithm == Some(Algorithm::Compose);
        let n = match *self.n.as_slice() {
            [] => None,
            [n] => Some(n),
            _ if !compose => {
                return Err(Error::usage(
                    format!("{} numbers are given", self.n.len()),
                    "give one N, or several factors with --algorithm compose",
                ));
            }
            ref factors => {
                Some(factors.iter().try_fold(1u32, |n, &factor| n.checked_mul(factor)).unwrap_or(u32::MAX))
            }
        };
        self.board.board(n)
    }

    /// Refuses flags that the algorithm has no use for.
    fn check(&self, board: &Position, algorithm: Algorithm) -> Result<(), Error> {
        let name = algorithm.name();
        if self.seed.is_some() && !matches!(algorithm, Algorithm::LasVegas | Algorithm::MinConflicts) {
            return Err(Error::usage(
                format!("--seed is given for {name}, which is not random"),
                "las-vegas and min-conflicts are",
            ));
        }
        if self.runs.is_some() && algorithm != Algorithm::LasVegas {
            return Err(Error::usage(
                format!("--runs is given for {name}"),
                "--runs tells how often --algorithm las-vegas succeeds",
            ));
        }
        if self.runs.is_some() && !matches!(self.format, Format::Permutation | Format::Json) {
            return Err(Error::usage(
                "--runs writes no solution, and so takes no --format",
                "give --json or no format",
            ));
        }
        if algorithm == Algorithm::Compose && (self.n.is_empty() || !board.is_plain()) {
            return Err(Error::usage(
                "compose is given a board",
                "compose takes its factors alone: ferz solve 8 5 --algorithm compose",
            ));
        }
        if self.format.draws() && board.ranks().max(board.files()) > draw::MAX_SIDE {
            return Err(Error::usage(
                format!("a board of {} x {} squares is too large to draw", board.ranks(), board.files()),
                format!("boards are drawn up to {0} x {0}; permutation and squares take any", draw::MAX_SIDE),
            ));
        }
        Ok(())
    }

    fn solve(&self, board: &Position, algorithm: Algorithm, cancel: &CancelToken) -> Result<Found, Failure> {
        let seed = self.seed.unwrap_or(0);
        Ok(match algorithm {
            Algorithm::Explicit => Found::known(explicit::solution(board)?),
            Algorithm::Knight => Found::known(knight::solution(board)?),
            Algorithm::Backtrack => {
                let mut solution = None;
                let listed = list::each(board, u64::MAX, cancel, |_, first| {
                    solution = Some(first.clone());
                    ControlFlow::Break(())
                })?;
                searched(solution, listed.nodes + 1)
            }
            Algorithm::Complete => {
                let (solution, nodes) = complete::solution(board, cancel)?;
                searched(solution, nodes + 1)
            }
            Algorithm::LasVegas => {
                let mut las_vegas = LasVegas::new(board, seed)?;
                let solution = las_vegas.solve(cancel)?;
                let tries = las_vegas.tries();
                let nodes = tries.success_nodes + tries.failure_nodes;
                let detail = format!("{} tries, {nodes} nodes, ", tries.successes + tries.failures);
                // without a try it is known that there is none
                Found { solution, nodes: Some(nodes), detail, is_certain: nodes == 0 }
            }
            Algorithm::MinConflicts => {
                let (solution, repairs) = min_conflicts::solution(board, seed, cancel)?;
                let detail = format!("{} starts, {} exchanges, ", repairs.starts, repairs.exchanges);
                Found { solution, nodes: None, detail, is_certain: true }
            }
            Algorithm::Compose => match compose::solution(&self.n, cancel)? {
                Composed::Solution(solution) => Found::known(Some(solution)),
                Composed::NoFactor(factor) => {
                    return Err(Failure::NoSolution {
                        what: format!("{factor} queens have none to compose with"),
                        hint: "give factors other than 2 and 3",
                    });
                }
                Composed::NotFound => Found { is_certain: false, ..Found::known(None) },
            },
        })
    }

    /// Writes the solution, or fails where there is none.
    fn write(
        &self,
        board: &Position,
        algorithm: Algorithm,
        found: &Found,
        cancel: &CancelToken,
    ) -> Result<(), Failure> {
        let Some(solution) = &found.solution else { return Err(none(board, algorithm, found.is_certain)) };
        if !solution.is_solution() {
            return Err(Error::Internal(format!("{} gave what is no solution", algorithm.name())).into());
        }
        let number = if self.format == Format::Numbered { number(board, solution, cancel)? } else { 0 };
        let mut output = Output::open(None)?;
        let written = match self.format {
            Format::Json => {
                writeln(&mut output, &solved::json(board, algorithm.name(), found.nodes, solution))
            }
            Format::Csv => placements::write_file_names(&mut output, board.files())
                .and_then(|()| Format::Csv.write(&mut output, number, solution)),
            format => format.write(&mut output, number, solution),
        };
        written.map_err(Failure::Write)?;
        output.finish()
    }

    /// Tries at random, and tells how that went.
    fn try_often(
        &self,
        board: &Position,
        runs: u64,
        cancel: &CancelToken,
        console: &Console,
    ) -> Result<(), Failure> {
        let seed = self.seed.unwrap_or(0);
        let mut las_vegas = LasVegas::new(board, seed)?;
        for _ in 0..runs {
            cancel.check()?;
            las_vegas.try_once();
        }
        let tries = las_vegas.tries();
        console.result(&match self.format {
            Format::Json => solved::runs_json(board, seed, tries),
            _ => solved::runs_text(tries),
        })
    }
}

fn writeln(output: &mut Output, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(output, "{text}")
}

/// The end of a complete search.
fn searched(solution: Option<Placement>, nodes: u64) -> Found {
    Found { solution, nodes: Some(nodes), detail: format!("{nodes} nodes, "), is_certain: true }
}

/// The number of a solution among all of its board, for the classic listing.
fn number(board: &Position, solution: &Placement, cancel: &CancelToken) -> Result<u64, Failure> {
    list::check_sides(board)?;
    let numbers = list::numbers(board, std::slice::from_ref(solution), MOST_NODES, cancel)?;
    numbers.into_iter().next().flatten().ok_or_else(|| {
        let hint = "take another format: only small boards are numbered";
        Error::usage("the number of this solution is too far to count", hint).into()
    })
}

/// What to say where no solution was found.
fn none(board: &Position, algorithm: Algorithm, is_certain: bool) -> Failure {
    let (ranks, files, place) = (board.ranks(), board.files(), board.place());
    let (what, hint) = match (is_certain, algorithm) {
        (true, _) if board.is_plain() => (
            format!("{place} queens cannot stand on {ranks} x {files} squares without an attack"),
            "all square boards but 2 x 2 and 3 x 3 have one",
        ),
        (true, _) => (
            format!(
                "{place} queens cannot stand on {ranks} x {files} squares with these queens and forbidden squares"
            ),
            "the search was complete; leave out a --queen or a --forbid",
        ),
        (false, Algorithm::Compose) => (
            "the search found no inner solutions that go together".to_owned(),
            "there may be some: put a factor prime to 6 last, with which it always works",
        ),
        (false, _) => ("none of the tries succeeded".to_owned(), "try another --seed or --algorithm"),
    };
    Failure::NoSolution { what, hint }
}
