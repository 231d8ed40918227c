//! The puzzle around the count: golden values through the binary.

mod classify;
mod generated;
mod list;
mod nearest;
mod readme;
mod solve;
mod streams;
mod tile;

use jsonschema::Validator;
use serde_json::Value;

use crate::{ferz, read, run};

/// stdout of a command that ends well.
fn stdout(args: &[&str]) -> String {
    let (code, stdout, stderr) = run(args);
    assert_eq!(code, 0, "{args:?}: {stderr}");
    stdout
}

/// Exit code, stdout and stderr of a command that reads `input`.
fn piped(args: &[&str], input: &str) -> (i32, String, String) {
    read(ferz().args(args).write_stdin(input).output().unwrap())
}

/// The document of a command, which fits its schema.
fn document(schema: &Validator, args: &[&str]) -> Value {
    let text = stdout(args);
    assert_eq!(text.lines().count(), 1, "{args:?}: one document");
    let document = serde_json::from_str(&text).unwrap();
    assert_fits(schema, &document, args);
    document
}

fn assert_fits(schema: &Validator, document: &Value, args: &[&str]) {
    let errors: Vec<String> = schema.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{args:?}: {errors:?} in {document}");
}

/// Asserts that a schema refuses a good document in which one value is replaced, for each of these.
fn assert_refuses(schema: &Validator, good: &Value, changes: &[(&str, Value)]) {
    assert!(schema.is_valid(good));
    for (pointer, value) in changes {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value.clone();
        assert!(!schema.is_valid(&bad), "{pointer} = {value}");
    }
}

fn schema(text: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
}

/// The ranks on a line.
fn ranks(line: &str) -> Vec<i64> {
    line.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// Whether ranks by file are a solution: written anew, to check what ferz says.
fn is_solution(ranks: &[i64]) -> bool {
    let apart = |set: Vec<i64>| {
        let mut sorted = set;
        sorted.sort_unstable();
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    let files = || ranks.iter().zip(0i64..);
    apart(ranks.to_vec())
        && apart(files().map(|(rank, file)| rank + file).collect())
        && apart(files().map(|(rank, file)| rank - file).collect())
        && ranks.iter().all(|rank| (1..=ranks.len() as i64).contains(rank))
}
