//! The groups of images of a board, one after another.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    json::{self, SCHEMA},
    solutions::{Format, Numbered, write_file_names},
};
use crate::{Problem, puzzle::groups::Group};

#[derive(Serialize)]
struct Listed<'a> {
    group: u64,
    class: &'a str,
    sum: String,
    images: Vec<Numbered>,
}

/// Writes a table of groups, one at a time.
pub struct Groups<W> {
    out: W,
    format: Format,
    written: u64,
}

impl<W: Write> Groups<W> {
    /// Starts the table of the groups of a problem.
    pub fn start(mut out: W, format: Format, problem: &Problem) -> io::Result<Self> {
        match format {
            Format::Json => {
                let problem = json::document(&json::Problem::from(problem));
                write!(out, r#"{{"schema":{SCHEMA},"problem":{problem},"groups":["#)?;
            }
            Format::Csv => {
                write!(out, "group,class,number,")?;
                write_file_names(&mut out, problem.board().files())?;
            }
            _ => {}
        }
        Ok(Self { out, format, written: 0 })
    }

    /// Groups written so far.
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// Writes a group: a line of its own, and its images.
    pub fn write(&mut self, group: &Group) -> io::Result<()> {
        let first = self.written == 0;
        self.written += 1;
        let (out, class) = (&mut self.out, group.class.name());
        if self.format == Format::Json {
            let images =
                group.images.iter().map(|(number, image)| Numbered::new(Some(*number), image)).collect();
            let document = Listed { group: group.number, class, sum: group.sum().to_string(), images };
            out.write_all(if first { b"" } else { b"," })?;
            return Ok(serde_json::to_writer(out, &document)?);
        }
        if self.format != Format::Csv {
            let (number, size, sum) = (group.number, group.images.len(), group.sum());
            let images = if size == 1 { "image" } else { "images" };
            writeln!(
                out,
                "{}group {number}: {class}, {size} {images}, sum {sum}",
                if first { "" } else { "\n" }
            )?;
        }
        for (number, image) in &group.images {
            match self.format {
                Format::Csv => write!(out, "{},{class},{number},", group.number)?,
                Format::Permutation | Format::Squares => write!(out, "{number}  ")?,
                Format::Board | Format::Unicode => writeln!(out, "number {number}")?,
                _ => {}
            }
            self.format.write(out, *number, image)?;
        }
        Ok(())
    }

    /// Ends the table; `complete` says whether all groups were visited.
    pub fn end(mut self, complete: bool) -> io::Result<()> {
        if self.format == Format::Json {
            writeln!(self.out, r#"],"listed":"{}","complete":{complete}}}"#, self.written)?;
        }
        Ok(())
    }
}
