//! One solution, and the figures of random tries.

use serde::Serialize;

use super::{
    json::{self, SCHEMA, document},
    solutions::ranks,
};
use crate::{Board, Placement, Problem, puzzle::find::las_vegas::Tries};

#[derive(Serialize)]
struct Solved<'a> {
    schema: u32,
    problem: json::Problem,
    algorithm: &'a str,
    nodes: Option<String>,
    ranks: Vec<Option<u32>>,
}

/// The document of a solution; `nodes` where the algorithm searches.
pub fn json(problem: &Problem, algorithm: &str, nodes: Option<u64>, solution: &Placement) -> String {
    document(&Solved {
        schema: SCHEMA,
        problem: problem.into(),
        algorithm,
        nodes: nodes.map(|nodes| nodes.to_string()),
        ranks: ranks(solution),
    })
}

#[derive(Serialize)]
struct Runs {
    schema: u32,
    n: u32,
    algorithm: &'static str,
    seed: String,
    runs: String,
    successes: String,
    success_rate: Option<f64>,
    nodes_of_success: Option<f64>,
    nodes_of_failure: Option<f64>,
    expected_nodes: Option<f64>,
}

/// The document of random tries.
pub fn runs_json(board: Board, seed: u64, tries: Tries) -> String {
    document(&Runs {
        schema: SCHEMA,
        n: board.files(),
        algorithm: "las-vegas",
        seed: seed.to_string(),
        runs: (tries.successes + tries.failures).to_string(),
        successes: tries.successes.to_string(),
        success_rate: tries.success_rate(),
        nodes_of_success: tries.nodes_of_success(),
        nodes_of_failure: tries.nodes_of_failure(),
        expected_nodes: tries.expected_nodes(),
    })
}

/// Random tries in words.
pub fn runs_text(tries: Tries) -> String {
    let or_none = |figure: Option<f64>, digits: usize| {
        figure.map_or("none".into(), |figure| format!("{figure:.digits$}"))
    };
    format!(
        "runs: {}\nsuccess rate: {}\nnodes of a success: {}\nnodes of a failure: {}\nexpected nodes until success: {}",
        tries.successes + tries.failures,
        or_none(tries.success_rate(), 4),
        or_none(tries.nodes_of_success(), 2),
        or_none(tries.nodes_of_failure(), 2),
        or_none(tries.expected_nodes(), 1),
    )
}
