//! Placements in every format, one after another as they are found.

use std::io::{self, Write};

use clap::ValueEnum;
use serde::Serialize;

use super::json::{self, SCHEMA};
use crate::{
    Placement, Problem, Square,
    puzzle::{
        draw::{self, Marks},
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

/// Writes a list of solutions, one at a time.
pub struct Solutions<W> {
    out: W,
    format: Format,
    written: u64,
    /// What is written of a solution, to hand it on in one piece: half the time of a list is spent here.
    piece: Vec<u8>,
}

impl<W: Write> Solutions<W> {
    /// Starts the list of the solutions of a problem.
    pub fn start(mut out: W, format: Format, problem: &Problem) -> io::Result<Self> {
        match format {
            Format::Json => {
                let problem = json::document(&json::Problem::from(problem));
                write!(out, r#"{{"schema":{SCHEMA},"problem":{problem},"solutions":["#)?;
            }
            Format::Csv => {
                write!(out, "number,")?;
                write_file_names(&mut out, problem.board().files())?;
            }
            _ => {}
        }
        Ok(Self { out, format, written: 0, piece: Vec::new() })
    }

    /// Solutions written so far.
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

    /// Ends the list; `complete` says whether all solutions were visited.
    pub fn end(mut self, complete: bool) -> io::Result<()> {
        if self.format == Format::Json {
            writeln!(self.out, r#"],"listed":"{}","complete":{complete}}}"#, self.written)?;
        }
        Ok(())
    }
}
