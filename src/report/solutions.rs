//! Placements in every format, one after another as they are found.

use std::io::{self, Write};

use clap::ValueEnum;
use serde::Serialize;

use super::json::{self, SCHEMA};
use crate::{
    Placement, Problem, Square,
    puzzle::{
        draw::{self, Marks},
        groups::Group,
        notation,
    },
};

/// How placements are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The rank of the queen on each file: 1 5 8 6 3 7 2 4
    #[default]
    Permutation,
    /// Their squares: a1 b5 c8 d6 e3 f7 g2 h4
    Squares,
    /// The classic listing: number, then file and rank of each queen
    Numbered,
    /// A board in plain letters
    Board,
    /// A board in chess symbols
    Unicode,
    /// An image with coordinates
    Svg,
    /// A JSON document
    Json,
    /// A table with a line of names
    Csv,
}

impl Format {
    /// Whether it draws boards.
    #[must_use]
    pub const fn draws(self) -> bool {
        matches!(self, Self::Board | Self::Unicode | Self::Svg)
    }

    /// Writes a placement in a format of its own lines: all but JSON. Its number is written where the format has
    /// a place for it.
    pub fn write(self, out: &mut impl Write, number: u64, placement: &Placement) -> io::Result<()> {
        match self {
            Self::Permutation | Self::Json => notation::write_permutation(out, placement, b' '),
            Self::Squares => notation::write_squares(out, placement),
            Self::Numbered => notation::write_numbered(out, placement, number),
            Self::Board => draw::write_board(out, placement, Marks::PLAIN),
            Self::Unicode => draw::write_board(out, placement, Marks::UNICODE),
            Self::Svg => draw::write_svg(out, placement),
            Self::Csv => notation::write_permutation(out, placement, b','),
        }?;
        out.write_all(b"\n")
    }
}

/// The line of names of a table of placements: `a,b,c`.
pub fn write_file_names(out: &mut impl Write, files: u32) -> io::Result<()> {
    for file in 0..files {
        write!(out, "{}{}", if file > 0 { "," } else { "" }, Square { rank: 0, file }.file_name())?;
    }
    writeln!(out)
}

/// A placement with its number.
#[derive(Serialize)]
pub struct Numbered {
    number: Option<String>,
    ranks: Vec<Option<u32>>,
}

impl Numbered {
    /// A placement with its number, if it is known.
    pub fn new(number: Option<u64>, placement: &Placement) -> Self {
        Self { number: number.map(|number| number.to_string()), ranks: ranks(placement) }
    }
}

/// The rank of the queen on each file, from 1.
pub fn ranks(placement: &Placement) -> Vec<Option<u32>> {
    placement.queens().map(|rank| rank.map(|rank| rank + 1)).collect()
}

/// A group of images in a JSON document.
#[derive(Serialize)]
struct Listed<'a> {
    group: u64,
    class: &'a str,
    sum: String,
    images: Vec<Numbered>,
}

/// Writes a list of solutions, or of groups of them, one at a time.
pub struct Solutions<W> {
    out: W,
    format: Format,
    written: u64,
    /// What is written of a solution, to hand it on in one piece: half the time of a list is spent here.
    piece: Vec<u8>,
}

impl<W: Write> Solutions<W> {
    /// Starts the list of the solutions of a problem.
    pub fn list(out: W, format: Format, problem: &Problem) -> io::Result<Self> {
        Self::start(out, format, problem, "solutions", "number")
    }

    /// Starts the list of the groups of a problem.
    pub fn groups(out: W, format: Format, problem: &Problem) -> io::Result<Self> {
        Self::start(out, format, problem, "groups", "group,class,number")
    }

    fn start(mut out: W, format: Format, problem: &Problem, key: &str, columns: &str) -> io::Result<Self> {
        match format {
            Format::Json => {
                let problem = json::document(&json::Problem::from(problem));
                write!(out, r#"{{"schema":{SCHEMA},"problem":{problem},"{key}":["#)?;
            }
            Format::Csv => {
                write!(out, "{columns},")?;
                write_file_names(&mut out, problem.board().files())?;
            }
            _ => {}
        }
        Ok(Self { out, format, written: 0, piece: Vec::new() })
    }

    /// Solutions or groups written so far.
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// Writes a solution.
    pub fn write(&mut self, number: u64, placement: &Placement) -> io::Result<()> {
        let first = self.written == 0;
        self.written += 1;
        let piece = &mut self.piece;
        piece.clear();
        match self.format {
            Format::Json => {
                piece.extend_from_slice(if first { b"" } else { b"," });
                serde_json::to_writer(&mut *piece, &Numbered::new(Some(number), placement))?;
            }
            Format::Csv => {
                write!(piece, "{number},")?;
                self.format.write(piece, number, placement)?;
            }
            Format::Board | Format::Unicode => {
                writeln!(piece, "{}number {number}", if first { "" } else { "\n" })?;
                self.format.write(piece, number, placement)?;
            }
            _ => self.format.write(piece, number, placement)?,
        }
        self.out.write_all(piece)
    }

    /// Writes a group: a line of its own, and its images.
    pub fn write_group(&mut self, group: &Group) -> io::Result<()> {
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
            let (gap, images) = (if first { "" } else { "\n" }, if size == 1 { "image" } else { "images" });
            writeln!(out, "{gap}group {number}: {class}, {size} {images}, sum {sum}")?;
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

    /// Ends the list; `complete` says whether all solutions were visited.
    pub fn end(mut self, complete: bool) -> io::Result<()> {
        if self.format == Format::Json {
            writeln!(self.out, r#"],"listed":"{}","complete":{complete}}}"#, self.written)?;
        }
        Ok(())
    }
}
