//! The command line: flags in, library call, report out.
//!
//! Only this room prints, handles signals and ends the process.

mod command;
mod console;
mod failure;
mod flags;
mod live;
mod output;

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand};

use self::command::{
    bench, checkpoint, classify, completions, count, devices, list, man, nearest, selftest, solve, tile,
};
pub use self::{
    console::{ColorWhen, Console},
    failure::Failure,
};
use crate::{Event, Problem, report};

/// Counts the solutions of the N-queens puzzle on GPUs and CPUs, and checks itself.
#[derive(Debug, Parser)]
#[command(name = "ferz", version, arg_required_else_help = false, disable_help_subcommand = true)]
pub struct Cli {
    /// When to use colours
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value_t)]
    color: ColorWhen,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(Box<bench::Bench>),
    Count(count::Count),
    Devices(devices::Devices),
    Selftest(selftest::Selftest),
    Solve(solve::Solve),
    List(list::List),
    Classify(classify::Classify),
    Nearest(nearest::Nearest),
    Tile(tile::Tile),
    Completions(completions::Completions),
    Man(man::Man),
    Checkpoint(checkpoint::Checkpoints),
}

/// How much is printed on stderr.
#[derive(Args, Clone, Copy, Debug)]
struct Talk {
    /// Only warnings and errors on stderr
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,

    /// Also the choices that were made, on stderr
    #[arg(short, long)]
    verbose: bool,
}

impl Talk {
    /// Prints what the library reports while it works.
    fn observe(self, console: &Console, event: &Event) {
        match event {
            Event::Warning(what) => console.warning(what),
            Event::Detail(what) if self.verbose => console.detail(what),
            Event::Notice(what) if !self.quiet => console.line(&console::shown(what)),
            Event::Throttled(note) => console.warning(&report::text::throttled(note)),
            Event::Notice(_)
            | Event::Detail(_)
            | Event::Phase(_)
            | Event::Progress(_)
            | Event::Resumed(_)
            | Event::Saved { .. } => {}
        }
    }

    /// Prints that given queens contradict each other, where they do.
    fn contradiction(self, console: &Console, problem: &Problem) {
        if problem.is_contradictory() {
            self.summary(console, "two of the given queens attack each other: there is no solution");
        }
    }

    /// Prints how it went, once it is done.
    fn summary(self, console: &Console, what: &str) {
        if !self.quiet {
            console.line(what);
        }
    }
}

/// Keeps graphics drivers from writing to our stderr: without a desktop some say that XDG_RUNTIME_DIR is not
/// set, in words that look like an error of ours. To be called before any thread starts.
pub fn quiet_drivers() {
    let set = std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| !folder.is_empty());
    if cfg!(target_os = "linux") && !set {
        // no folder, so that nothing can lie in it that a driver would connect to
        // SAFETY: no other thread runs yet that could read the environment.
        unsafe { std::env::set_var("XDG_RUNTIME_DIR", "/dev/null") };
    }
}

/// Keeps signals that ask for no end from ending the process: that for the status, which a count answers once it is
/// under way, and that of a file size limit, which is an error of the write then.
pub fn outlive_signals() {
    // the same on Linux, macOS and the BSDs
    #[cfg(unix)]
    const SIGXFSZ: i32 = 25;
    #[cfg(unix)]
    for signal in [signal_hook::consts::SIGUSR1, SIGXFSZ] {
        // a handler that does nothing; where none can be set the signal does what it did before
        let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
    }
}

/// What the arguments ask for.
#[derive(Debug)]
pub enum Invocation {
    /// A command.
    Command(Box<Cli>),
    /// A text of clap's: help or version.
    Text(clap::builder::StyledStr),
}

/// Reads the arguments, the name of the program first. Touches nothing but them.
///
/// # Errors
///
/// [`crate::Error::Usage`] with what was given and what is allowed.
pub fn parse(args: &[OsString]) -> Result<Invocation, Failure> {
    match Cli::try_parse_from(args) {
        Ok(cli) => Ok(Invocation::Command(Box::new(cli))),
        Err(error) if !error.use_stderr() => Ok(Invocation::Text(error.render())),
        Err(error) => Err(failure::usage(&error).into()),
    }
}

impl Invocation {
    /// Does it.
    ///
    /// # Errors
    ///
    /// Whatever the library refuses or finds wrong, a result that cannot be written, a signal.
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let cli = match self {
            Self::Text(text) => return console.result(text.ansi().to_string().trim_end()),
            Self::Command(cli) => cli,
        };
        let console = &Console::new(cli.color);
        match cli.command {
            Command::Bench(bench) => bench.run(console),
            Command::Count(count) => count.run(console),
            Command::Devices(devices) => devices.run(console),
            Command::Selftest(selftest) => selftest.run(console),
            Command::Solve(solve) => solve.run(console),
            Command::List(list) => list.run(console),
            Command::Classify(classify) => classify.run(console),
            Command::Nearest(nearest) => nearest.run(console),
            Command::Tile(tile) => tile.run(console),
            Command::Completions(completions) => completions.run(console),
            Command::Man(man) => man.run(console),
            Command::Checkpoint(checkpoint) => checkpoint.run(console),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use proptest::prelude::*;

    use super::*;
    use crate::Error;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    /// Words that lead somewhere, and any others.
    fn word() -> impl Strategy<Value = String> {
        let mut known: Vec<String> = Vec::new();
        for command in Cli::command().get_subcommands() {
            known.push(command.get_name().into());
            known.extend(command.get_arguments().filter_map(|arg| Some(format!("--{}", arg.get_long()?))));
        }
        known.extend(["8", "show", "verify", "cpu", "30s", "1%", "6x9", "d4", "--"].map(Into::into));
        prop_oneof![3 => prop::sample::select(known), 1 => ".*", 1 => "--[a-z-]{0,12}(=.*)?"]
    }

    proptest! {
        #[test]
        fn any_arguments_are_understood_or_refused(words in prop::collection::vec(word(), 0..8)) {
            let args: Vec<OsString> = std::iter::once("ferz".into()).chain(words).map(OsString::from).collect();
            if let Err(failure) = parse(&args) {
                prop_assert!(matches!(failure, Failure::Library(Error::Usage { .. })), "{failure}");
            }
        }
    }
}
