//! How placements are written and read: as a permutation, as squares, and as the classic listing.

use std::io::{self, Write};

use fixedbitset::FixedBitSet;

use crate::{
    Board, Error, Placement, Square,
    board::{plain_number, start_of},
};

/// Writes the rank of the queen on each file, `-` where there is none, with `separator` between.
///
/// # Errors
///
/// Those of the writer.
pub fn write_permutation(out: &mut impl Write, placement: &Placement, separator: u8) -> io::Result<()> {
    let mut digits = itoa::Buffer::new();
    for (at, rank) in placement.queens().enumerate() {
        if at > 0 {
            out.write_all(&[separator])?;
        }
        // most ranks have a digit or two, and pieces of fixed length cost half of what others do
        match rank.map(|rank| rank + 1) {
            Some(rank @ 0..10) => out.write_all(&[b'0' + rank as u8])?,
            Some(rank @ 10..100) => out.write_all(&[b'0' + (rank / 10) as u8, b'0' + (rank % 10) as u8])?,
            Some(rank) => out.write_all(digits.format(rank).as_bytes())?,
            None => out.write_all(b"-")?,
        }
    }
    Ok(())
}

/// Writes the squares of the queens, file by file: `a1 b5 c8`.
///
/// # Errors
///
/// Those of the writer.
pub fn write_squares(out: &mut impl Write, placement: &Placement) -> io::Result<()> {
    for (at, square) in placement.squares().enumerate() {
        write!(out, "{}{square}", if at > 0 { " " } else { "" })?;
    }
    Ok(())
}

/// Writes a line of the classic listing: the number, then file and rank of each queen, `1  a 1  b 5  c 8`.
///
/// # Errors
///
/// Those of the writer.
pub fn write_numbered(out: &mut impl Write, placement: &Placement, number: u64) -> io::Result<()> {
    out.write_all(itoa::Buffer::new().format(number).as_bytes())?;
    for square in placement.squares() {
        write!(out, "  {} {}", square.file_name(), square.rank + 1)?;
    }
    Ok(())
}

/// Reads a placement: ranks of the queens on files a, b, ... (`1 5 8 6 3 7 2 4`, `1,5,8,6,3,7,2,4`; `-` for a
/// file without a queen), or their squares in any order (`a1 b5 c8 d6 e3 f7 g2 h4`). Without `board` it is square and
/// has as many files as there are queens.
///
/// # Errors
///
/// [`Error::Usage`] where a word is neither, where a rank or a square is off the board, where a file has two
/// queens, and where there are too few or too many.
pub fn parse(text: &str, board: Option<Board>) -> Result<Placement, Error> {
    let words = || {
        text.split(|character: char| character == ',' || character.is_whitespace())
            .filter(|word| !word.is_empty())
    };
    let count = u32::try_from(words().count()).unwrap_or(u32::MAX);
    if count == 0 {
        return Err(Error::usage("no queen is given", HINT));
    }
    let board = board.map_or_else(|| Board::square(count), Ok)?;
    if text.trim_start_matches(',').trim_start().starts_with(|character: char| character.is_alphabetic()) {
        return from_squares(words(), board);
    }
    let files = board.files();
    if count != files {
        return Err(Error::usage(
            format!("{count} ranks are given for {files} files"),
            format!("give {files} ranks, one for each file"),
        ));
    }
    let ranks: Vec<Option<u32>> =
        (0..).zip(words()).map(|(file, word)| rank(word, file, board.ranks())).collect::<Result<_, _>>()?;
    Placement::new(board.ranks(), ranks)
}

const HINT: &str = "a placement is the rank of the queen on each file, 1 5 8 6 3 7 2 4, or their squares, a1 b5 c8 d6 e3 f7 g2 h4";

fn from_squares<'a>(words: impl Iterator<Item = &'a str>, board: Board) -> Result<Placement, Error> {
    let mut placement = Placement::blank(board);
    let mut taken = FixedBitSet::with_capacity(board.files() as usize);
    for word in words {
        let square: Square = word.parse()?;
        board.require(square)?;
        if taken.put(square.file as usize) {
            return Err(Error::usage(
                format!("file {} has two queens", square.file_name()),
                "give at most one queen on each file",
            ));
        }
        placement.set(square.file, Some(square.rank));
    }
    Placement::new(board.ranks(), placement.queens())
}

/// The rank that a word names, counted from 0; none for `-`.
fn rank(word: &str, file: u32, ranks: u32) -> Result<Option<u32>, Error> {
    if word == "-" {
        return Ok(None);
    }
    if let Some(rank) = plain_number(word).filter(|rank| (1..=ranks).contains(rank)) {
        return Ok(Some(rank - 1));
    }
    let file = Square { rank: 0, file }.file_name();
    Err(Error::usage(
        format!("'{}' is no rank for the queen on file {file}", start_of(word)),
        format!("a rank is a whole number from 1 to {ranks}, in plain digits"),
    ))
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    const FIRST: &str = "1 5 8 6 3 7 2 4";

    pub fn read(text: &str) -> Placement {
        parse(text, None).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap_or_else(|error| panic!("{error}"));
        String::from_utf8(out).unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn permutation(placement: &Placement) -> String {
        written(|out| write_permutation(out, placement, b' '))
    }

    #[test]
    fn the_first_line_of_the_classic_listing() {
        let first = read(FIRST);
        assert_eq!(permutation(&first), FIRST);
        assert_eq!(written(|out| write_squares(out, &first)), "a1 b5 c8 d6 e3 f7 g2 h4");
        assert_eq!(
            written(|out| write_numbered(out, &first, 1)),
            "1  a 1  b 5  c 8  d 6  e 3  f 7  g 2  h 4"
        );
        assert_eq!(written(|out| write_permutation(out, &first, b',')), "1,5,8,6,3,7,2,4");
    }

    #[test]
    fn all_spellings_are_read() -> Result<(), Error> {
        let first = read(FIRST);
        for text in [
            "1,5,8,6,3,7,2,4",
            " 1, 5, 8, 6,\t3, 7, 2, 4\n",
            "a1 b5 c8 d6 e3 f7 g2 h4",
            "H4,g2,f7,e3,d6,c8,b5,a1",
        ] {
            assert_eq!(read(text), first, "{text}");
        }
        let wide = parse("1 - 2", Some("2x3".parse()?))?;
        assert_eq!(wide, parse("c2 a1", Some("2x3".parse()?))?);
        assert_eq!(permutation(&wide), "1 - 2");
        assert_eq!(parse("2 5", Some("5x2".parse()?))?.ranks(), 5);
        Ok(())
    }

    #[test]
    fn bad_input_is_named() -> Result<(), Error> {
        for (text, board, what, hint) in [
            ("", None, "no queen", "1 5 8"),
            (" , ", None, "no queen", "1 5 8"),
            ("1 2 3 5", None, "'5' is no rank for the queen on file d", "from 1 to 4"),
            ("0 1 2", None, "'0' is no rank for the queen on file a", "from 1 to 3"),
            ("1 02", None, "'02'", "plain digits"),
            ("1 +2", None, "'+2'", "plain digits"),
            ("1 -2", None, "'-2'", "plain digits"),
            ("1 b2", None, "'b2' is no rank", "from 1 to 2"),
            ("1 99999999999", None, "'99999999999'", "from 1 to 2"),
            ("1 - 3", None, "2 queens", "give 3 queens"),
            ("a1 a2", None, "file a has two", "each file"),
            ("a1 c2", None, "c2 is not on a board of 2x2", "a1 to b2"),
            ("a1 b3", None, "b3 is not", "a1 to b2"),
            ("a1 2", None, "'2' is not a square", "d4"),
            ("a0 b1", None, "'a0' is not a square", "d4"),
            ("1 2 3", Some("8x8"), "3 ranks are given for 8 files", "give 8"),
            ("a1 b3", Some("3x3"), "2 queens are given for a board of 3x3", "give 3"),
            ("1 2 3", Some("2x3"), "'3' is no rank", "from 1 to 2"),
            ("1 2 1", Some("2x3"), "3 queens", "give 2"),
        ] {
            let board = board.map(str::parse).transpose()?;
            let Err(error) = parse(text, board) else { panic!("{text} is read") };
            assert!(error.to_string().contains(what), "{text}: {error}");
            assert!(error.hint().is_some_and(|given| given.contains(hint)), "{text}: {error:?}");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(ranks in prop::collection::vec(0..40u32, 40)) {
            let placement = Placement::full(40, ranks);
            prop_assert_eq!(&read(&permutation(&placement)), &placement);
            prop_assert_eq!(&read(&written(|out| write_squares(out, &placement))), &placement);
        }

        #[test]
        fn reading_never_panics(text in "[-0-9a-c, ]{0,20}", sides in prop::option::of((1..5u32, 1..5u32))) {
            let board = sides.map(|(ranks, files)| Board::new(ranks, files)).transpose()?;
            let _ = parse(&text, board);
        }
    }
}
