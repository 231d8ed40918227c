//! Where a checkpoint lies that nobody gave a name.

use std::{
    env,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy as _;

use crate::{
    Problem,
    method::{MethodName, PlanHash},
};

/// The file of a count: in `$XDG_STATE_HOME/ferz` where that is set, else in the folder that the platform has for state
/// (`~/.local/state/ferz`, `~/Library/Application Support/ferz`, `%APPDATA%\ferz`). `None` where no home is known.
///
/// Its name is made from the problem and the method: `20-queens-20x20-join.ferz`.
#[must_use]
pub fn default_path(problem: &Problem, method: MethodName) -> Option<PathBuf> {
    Some(folder()?.join(name(problem, method)))
}

fn folder() -> Option<PathBuf> {
    // as the specification has it, a relative path is none
    let set = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set.or_else(|| {
        let platform = etcetera::base_strategy::choose_native_strategy().ok()?;
        Some(platform.state_dir().unwrap_or_else(|| platform.data_dir()))
    })?;
    Some(state.join("ferz"))
}

/// Problems with the same board and number of queens differ in a hash of their words.
fn name(problem: &Problem, method: MethodName) -> String {
    let constraints = if problem.given().is_empty() && problem.forbidden().is_empty() {
        String::new()
    } else {
        let hash = PlanHash::of(&problem.to_string(), []).to_string();
        format!("-{}", &hash[..12])
    };
    format!("{}-queens-{}{constraints}-{method}.ferz", problem.place(), problem.board())
}

/// The file of the second count of `--verify full`, beside that of the first.
pub fn second(first: &Path) -> PathBuf {
    super::store::with_suffix(first, ".second")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    #[test]
    fn every_problem_has_a_name_of_its_own() -> Result<(), Error> {
        let eight = Problem::queens(8)?;
        assert_eq!(name(&eight, MethodName::Join), "8-queens-8x8-join.ferz");
        let mut names = vec![
            name(&eight, MethodName::Join),
            name(&eight, MethodName::Search),
            name(&Problem::queens(9)?, MethodName::Join),
            name(&Problem::on("8x9".parse()?), MethodName::Search),
            name(&eight.clone().placing(7)?, MethodName::Search),
            name(&eight.clone().with_queen("d1".parse()?)?, MethodName::Search),
            name(&eight.forbidding("d1".parse()?)?, MethodName::Search),
        ];
        assert!(names.iter().all(|name| name.len() < 60));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 7);
        Ok(())
    }
}
