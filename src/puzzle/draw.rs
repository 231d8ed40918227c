//! Boards as pictures: plain letters, chess symbols, SVG. Rank 1 is at the bottom, file a at the left.

use std::io::{self, Write};

use crate::{Placement, Square};

/// The longest side that is drawn.
pub const MAX_SIDE: u32 = 1000;

/// The characters for a queen and for an empty square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// A queen.
    pub queen: char,
    /// An empty square.
    pub empty: char,
}

impl Marks {
    /// `Q` and `.`.
    pub const PLAIN: Self = Self { queen: 'Q', empty: '.' };
    /// The symbol of the queen, and a dot in the middle.
    pub const UNICODE: Self = Self { queen: '♛', empty: '·' };
}

/// Draws the board with ranks at the left and files below.
///
/// # Errors
///
/// Those of the writer.
pub fn write_board(out: &mut impl Write, placement: &Placement, marks: Marks) -> io::Result<()> {
    let (ranks, files) = (placement.ranks(), placement.files());
    let names: Vec<String> =
        (0..files).map(|file| Square { rank: 0, file }.file_name().to_string()).collect();
    let width = names.last().map_or(1, String::len);
    let margin = ranks.to_string().len();
    for rank in (0..ranks).rev() {
        write!(out, "{:>margin$}", rank + 1)?;
        for queen in placement.queens() {
            let mark = if queen == Some(rank) { marks.queen } else { marks.empty };
            write!(out, " {mark:>width$}")?;
        }
        writeln!(out)?;
    }
    write!(out, "{:margin$}", "")?;
    names.iter().try_for_each(|name| write!(out, " {name:>width$}"))
}

/// A queen on the unit square, its origin the upper left corner: a crown with five points on a base.
const QUEEN: &str =
    "M.26 .78H.74M.28 .70L.18 .36 .34 .54 .36 .27 .46 .52 .5 .22 .54 .52 .64 .27 .66 .54 .82 .36 .72 .70Z";

/// Draws the board as an SVG image with its coordinates.
///
/// # Errors
///
/// Those of the writer.
pub fn write_svg(out: &mut impl Write, placement: &Placement) -> io::Result<()> {
    let (ranks, files) = (placement.ranks(), placement.files());
    // sides in squares, of which one is 45 pixels wide; a margin of one square at the left and below
    let (width, height) = (files + 1, ranks + 1);
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="-0.8 -0.2 {width} {height}">"#,
        width * 45,
        height * 45,
    )?;
    writeln!(out, "<title>{} queens on {ranks} x {files} squares</title>", ranks.min(files))?;
    writeln!(
        out,
        r##"<defs><pattern id="squares" width="2" height="2" patternUnits="userSpaceOnUse" y="{}"><rect width="2" height="2" fill="#f0d9b5"/><path d="M0 0h1v1h1v1h-1v-1h-1z" fill="#b58863"/></pattern>"##,
        // so that a1 is dark
        (ranks + 1) % 2,
    )?;
    writeln!(
        out,
        r##"<path id="queen" d="{QUEEN}" fill="#222" stroke="#222" stroke-width=".06" stroke-linejoin="round" stroke-linecap="round"/></defs>"##
    )?;
    writeln!(out, r##"<rect width="2000" height="2000" x="-5" y="-5" fill="#fff"/>"##)?;
    writeln!(
        out,
        r##"<rect width="{files}" height="{ranks}" fill="url(#squares)" stroke="#222" stroke-width=".04"/>"##
    )?;
    writeln!(out, r##"<g font-family="sans-serif" font-size=".38" fill="#222" text-anchor="middle">"##)?;
    for rank in 0..ranks {
        let middle = f64::from(ranks - rank) - 0.37;
        writeln!(out, r#"<text x="-.4" y="{middle:.2}">{}</text>"#, rank + 1)?;
    }
    for file in 0..files {
        let (middle, below) = (f64::from(file) + 0.5, f64::from(ranks) + 0.5);
        let name = Square { rank: 0, file }.file_name();
        writeln!(out, r#"<text x="{middle}" y="{below}">{name}</text>"#)?;
    }
    writeln!(out, "</g>")?;
    for square in placement.squares() {
        writeln!(out, r##"<use href="#queen" x="{}" y="{}"/>"##, square.file, ranks - 1 - square.rank)?;
    }
    write!(out, "</svg>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::notation::{parse, tests::read};

    fn drawn(placement: &Placement, marks: Marks) -> String {
        let mut out = Vec::new();
        write_board(&mut out, placement, marks).unwrap_or_else(|error| panic!("{error}"));
        String::from_utf8(out).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn boards_for_the_terminal() -> Result<(), crate::Error> {
        assert_eq!(
            drawn(&read("2 4 1 3"), Marks::PLAIN),
            "4 . Q . .\n3 . . . Q\n2 Q . . .\n1 . . Q .\n  a b c d"
        );
        assert_eq!(
            drawn(&parse("2 - 1", Some("2x3".parse()?))?, Marks::UNICODE),
            "2 ♛ · ·\n1 · · ♛\n  a b c"
        );
        let wide = drawn(&Placement::full(27, (0..27).collect()), Marks::PLAIN);
        let lines: Vec<&str> = wide.lines().collect();
        assert!(lines[26].starts_with(" 1  Q  .") && lines[27].ends_with("  y  z aa"), "{wide}");
        assert!(lines.iter().all(|line| line.len() == lines[0].len()), "{wide}");
        Ok(())
    }

    #[test]
    fn a_picture_has_its_queens_on_their_squares() {
        let mut out = Vec::new();
        write_svg(&mut out, &read("2 4 1 3")).unwrap_or_else(|error| panic!("{error}"));
        let svg = String::from_utf8(out).unwrap_or_else(|error| panic!("{error}"));
        let queens: Vec<&str> = svg.lines().filter(|line| line.starts_with("<use")).collect();
        assert_eq!(queens.len(), 4);
        assert_eq!(queens[0], r##"<use href="#queen" x="0" y="2"/>"##, "a2 is third from the top");
        for text in
            (1..=4).map(|rank| format!(">{rank}</text>")).chain(["a", "d"].map(|f| format!(">{f}</text>")))
        {
            assert!(svg.contains(&text), "{text}");
        }
    }
}
