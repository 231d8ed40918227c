//! `ferz completions`.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::cli::{Cli, Console, Failure};

/// Examples of `ferz completions --help`.
const EXAMPLES: &str = "\
Examples:
  ferz completions bash > ~/.local/share/bash-completion/completions/ferz
  ferz completions zsh > ~/.zfunc/_ferz
  ferz completions fish > ~/.config/fish/completions/ferz.fish";

/// Write the completions of a shell
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

impl Completions {
    pub fn run(self, console: &Console) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "ferz", &mut script);
        console.result(String::from_utf8_lossy(&script).trim_end())
    }
}
