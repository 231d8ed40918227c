//! Disjoint solutions as one document.

use std::io::{self, Write};

use super::{json::SCHEMA, solutions::ranks};
use crate::Placement;

/// Writes the document of disjoint solutions of N queens, one at a time; returns how many they are.
pub fn json(out: &mut impl Write, n: u32, solutions: impl Iterator<Item = Placement>) -> io::Result<u64> {
    write!(out, r#"{{"schema":{SCHEMA},"n":{n},"solutions":["#)?;
    let mut count = 0;
    for solution in solutions {
        out.write_all(if count == 0 { b"" } else { b"," })?;
        serde_json::to_writer(&mut *out, &ranks(&solution))?;
        count += 1;
    }
    writeln!(out, r#"],"count":{count},"fills_board":{}}}"#, count == u64::from(n))?;
    Ok(count)
}
