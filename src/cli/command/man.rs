//! `ferz man`.

use clap::{Args, CommandFactory};

use crate::{
    Error,
    cli::{Cli, Console, Failure, failure::shortened},
};

/// Examples of `ferz man --help`.
const EXAMPLES: &str = "\
Examples:
  ferz man > ~/.local/share/man/man1/ferz.1
  ferz man count > ~/.local/share/man/man1/ferz-count.1
  ferz man checkpoint show > ~/.local/share/man/man1/ferz-checkpoint-show.1";

/// Write a page of the manual, in roff
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Man {
    /// A command, and one of its own [default: ferz itself, with a list of the commands]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl Man {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let mut all = Cli::command();
        // gives each command its full name, ferz-count, and the flags that all have
        all.build();
        let page = self.command.iter().try_fold(all, |command, name| {
            let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            command.find_subcommand(name).cloned().ok_or_else(|| {
                let hint = match names.as_slice() {
                    [] => "it has no commands of its own".to_owned(),
                    names => format!("the commands are {}", names.join(", ")),
                };
                let whole = command.get_bin_name().unwrap_or("ferz");
                Error::usage(format!("'{}' is no command of {whole}", shortened(name)), hint)
            })
        })?;
        let mut roff = Vec::new();
        clap_mangen::Man::new(page).render(&mut roff).map_err(Failure::Write)?;
        console.result(String::from_utf8_lossy(&roff).trim_end())
    }
}
