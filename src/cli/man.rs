//! `ferz man`.

use clap::{Args, CommandFactory};

use super::{Cli, Console, Failure};
use crate::Error;

/// Examples of `ferz man --help`.
const EXAMPLES: &str = "\
Examples:
  ferz man > ~/.local/share/man/man1/ferz.1
  ferz man count > ~/.local/share/man/man1/ferz-count.1";

/// Write a page of the manual, in roff
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Man {
    /// A command [default: ferz itself, with a list of the commands]
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

impl Man {
    pub(super) fn run(self, console: &Console) -> Result<(), Failure> {
        let mut all = Cli::command();
        // gives each command its full name, ferz-count, and the flags that all have
        all.build();
        let page = match self.command {
            None => all,
            Some(name) => {
                let names: Vec<&str> = all.get_subcommands().map(clap::Command::get_name).collect();
                let command = all.find_subcommand(&name).ok_or_else(|| {
                    Error::usage(
                        format!("'{}' is no command", super::failure::shortened(&name)),
                        format!("the commands are {}", names.join(", ")),
                    )
                })?;
                command.clone()
            }
        };
        let mut roff = Vec::new();
        clap_mangen::Man::new(page).render(&mut roff).map_err(Failure::Write)?;
        console.result(String::from_utf8_lossy(&roff).trim_end())
    }
}
