//! `ferz solve`.

use std::time::Instant;

use clap::{Args, ValueEnum};

use crate::{
    Board, CancelToken, Error, Placement, Problem,
    cli::{
        Console, Failure, Talk,
        flags::{format::Written, problem::Puzzle, whole},
        live::signal::Watch,
        output::Output,
    },
    puzzle::{
        draw,
        find::{
            complete,
            compose::{self, Composed},
            explicit, knight,
            las_vegas::LasVegas,
            min_conflicts,
        },
        list,
    },
    report::{
        solutions::{self, Format},
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

/// The maximum number of queens placed to find the number of a solution for --format numbered: two seconds or so.
const MAX_NODES: u64 = 200_000_000;

/// Find one solution
///
/// Exits with 1 where there is no solution, or none was found.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Solve {
    #[command(flatten)]
    puzzle: Puzzle<{ Board::MAX_SIDE }>,

    /// With --algorithm compose: more factors of the number of queens, N being the outermost
    #[arg(value_name = "FACTOR", value_parser = whole::<u32>("FACTOR", 1..=Board::MAX_SIDE), allow_negative_numbers = true)]
    factors: Vec<u32>,

    /// How to find it [default: explicit; complete where --queen or --forbid are given]
    #[arg(long, value_enum)]
    algorithm: Option<Algorithm>,

    /// Start of the random numbers of las-vegas and min-conflicts [default: 0]
    #[arg(long, value_name = "S", value_parser = whole::<u64>("--seed", 0..=u32::MAX), allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Try R times by las-vegas, and print success rate and nodes instead of a solution
    #[arg(long, value_name = "R", value_parser = whole::<u64>("--runs", 1..=u32::MAX), allow_negative_numbers = true)]
    runs: Option<u64>,

    #[command(flatten)]
    written: Written,

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
    /// The cost of the search, for the last line.
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
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let problem = self.problem()?;
        let algorithm = self.algorithm.unwrap_or(if problem.is_unconstrained() {
            Algorithm::Explicit
        } else {
            Algorithm::Complete
        });
        self.check(&problem, algorithm)?;
        let cancel = CancelToken::default();
        let watch = Watch::start_meaning(&cancel, *console, "no solution is given")?;
        let start = Instant::now();
        let done = match self.runs {
            Some(runs) => self.try_often(problem.board(), runs, &cancel, console),
            None => self.solve(&problem, algorithm, &cancel).and_then(|found| {
                self.write(&problem, algorithm, &found, &cancel)?;
                let took = start.elapsed().as_secs_f64();
                self.talk.summary(console, &format!("{}: {}{took:.2} s", algorithm.name(), found.detail));
                Ok(())
            }),
        };
        watch.finish()?;
        done
    }

    /// The problem; that of a composition has as many queens as the product of the factors.
    fn problem(&self) -> Result<Problem, Error> {
        let problem = self.puzzle.problem()?;
        if self.algorithm != Some(Algorithm::Compose) {
            if self.factors.is_empty() {
                return Ok(problem);
            }
            return Err(Error::usage(
                format!("{} numbers are given", 1 + self.factors.len()),
                "give one N, or several factors with --algorithm compose",
            ));
        }
        if self.puzzle.n().is_none() || !problem.is_unconstrained() {
            return Err(Error::usage(
                "compose is given a board",
                "compose takes its factors alone: ferz solve 8 5 --algorithm compose",
            ));
        }
        Problem::queens(compose::product(&self.all_factors())?)
    }

    /// The factors of a composition, the outermost first.
    fn all_factors(&self) -> Vec<u32> {
        self.puzzle.n().into_iter().chain(self.factors.iter().copied()).collect()
    }

    /// Refuses flags that the algorithm has no use for.
    fn check(&self, problem: &Problem, algorithm: Algorithm) -> Result<(), Error> {
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
                "--runs measures how often --algorithm las-vegas succeeds",
            ));
        }
        if self.runs.is_some() && !matches!(self.written.format(), Format::Permutation | Format::Json) {
            return Err(Error::usage(
                "--runs writes no solution, and so takes no --format",
                "give --json or no format",
            ));
        }
        if !problem.is_unconstrained() && !matches!(algorithm, Algorithm::Backtrack | Algorithm::Complete) {
            return Err(Error::usage(
                format!("{name} does not take given queens or forbidden squares"),
                "backtrack and complete do",
            ));
        }
        if self.written.format().draws() {
            problem.board().at_most(draw::MAX_SIDE, "a drawing")?;
        }
        Ok(())
    }

    fn solve(&self, problem: &Problem, algorithm: Algorithm, cancel: &CancelToken) -> Result<Found, Failure> {
        let (board, seed) = (problem.board(), self.seed.unwrap_or(0));
        Ok(match algorithm {
            Algorithm::Explicit => Found::known(explicit::solution(board)),
            Algorithm::Knight => Found::known(knight::solution(board)?),
            Algorithm::Backtrack => {
                let (solution, nodes) = list::first(problem, cancel)?;
                searched(solution, nodes + 1)
            }
            Algorithm::Complete => {
                let (solution, nodes) = complete::solution(problem, cancel)?;
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
            Algorithm::Compose => match compose::solution(&self.all_factors(), cancel)? {
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
        problem: &Problem,
        algorithm: Algorithm,
        found: &Found,
        cancel: &CancelToken,
    ) -> Result<(), Failure> {
        let Some(solution) = &found.solution else { return Err(none(problem, algorithm, found.is_certain)) };
        if !solution.is_solution() {
            return Err(Error::Internal(format!("{} gave what is no solution", algorithm.name())).into());
        }
        let number =
            if self.written.format() == Format::Numbered { number(problem, solution, cancel)? } else { 0 };
        let mut output = Output::open(None)?;
        let written = match self.written.format() {
            Format::Json => {
                writeln(&mut output, &solved::json(problem, algorithm.name(), found.nodes, solution))
            }
            Format::Csv => solutions::write_file_names(&mut output, problem.board().files())
                .and_then(|()| Format::Csv.write(&mut output, number, solution)),
            format => format.write(&mut output, number, solution),
        };
        written.map_err(Failure::Write)?;
        output.finish()
    }

    /// Tries at random, and prints success rate and nodes.
    fn try_often(
        &self,
        board: Board,
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
        console.result(&match self.written.format() {
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
fn number(problem: &Problem, solution: &Placement, cancel: &CancelToken) -> Result<u64, Failure> {
    let numbers = list::numbers(problem, std::slice::from_ref(solution), MAX_NODES, cancel)?;
    numbers.into_iter().next().flatten().ok_or_else(|| {
        let hint = "take another format: only small boards are numbered";
        Error::usage("the number of this solution is too far to count", hint).into()
    })
}

/// The failure where no solution was found.
fn none(problem: &Problem, algorithm: Algorithm, is_certain: bool) -> Failure {
    let (what, hint) = match (is_certain, algorithm) {
        (true, _) if problem.is_unconstrained() => {
            (problem.to_string(), "all square boards but 2x2 and 3x3 have one")
        }
        (true, _) => (problem.to_string(), "the search was complete; omit a --queen or a --forbid"),
        (false, Algorithm::Compose) => (
            "the search found no inner solutions that go together".to_owned(),
            "there may be some: put a factor prime to 6 last, with which it always works",
        ),
        (false, _) => ("none of the tries succeeded".to_owned(), "try another --seed or --algorithm"),
    };
    Failure::NoSolution { what, hint }
}
