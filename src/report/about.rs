//! What is known about a placement, and the solution nearest to it, in words and as JSON.

use serde::Serialize;

use super::{
    json::{SCHEMA, document},
    solutions::{Numbered, ranks},
};
use crate::{
    BoardSize, Placement, Square,
    puzzle::{about::classify::Classification, notation},
};

#[derive(Serialize)]
struct Classified {
    schema: u32,
    board: [u32; 2],
    ranks: Option<Vec<Option<u32>>>,
    solution: bool,
    attacks: Attacks,
    number: Option<String>,
    class: Option<&'static str>,
    group_size: Option<usize>,
    images: Option<Vec<Numbered>>,
    no_three_in_line: Option<bool>,
    three_in_line: Option<[String; 3]>,
    largest_empty_centre: Option<u32>,
    empty_diagonals: Option<bool>,
    sums_differ: [bool; 2],
    parity_classes: Parity,
}

#[derive(Serialize)]
struct Attacks {
    total: String,
    shown: Vec<[String; 2]>,
}

#[derive(Serialize)]
struct Parity {
    a1: u64,
    a2: u64,
    b1: u64,
    b2: u64,
}

/// Whether the ranks and images of a placement are repeated: not those of a large board.
fn is_shown(placement: &Placement) -> bool {
    placement.ranks().max(placement.files()) <= BoardSize::MAX
}

/// The document of a placement.
pub fn json(placement: &Placement, seen: &Classification) -> String {
    let orbit = seen.orbit.as_ref();
    let [a1, a2, b1, b2] = seen.parity_classes;
    let images = orbit.and_then(|orbit| orbit.images.as_ref());
    document(&Classified {
        schema: SCHEMA,
        board: [placement.ranks(), placement.files()],
        ranks: is_shown(placement).then(|| ranks(placement)),
        solution: seen.is_solution,
        attacks: Attacks {
            total: seen.attacks.total.to_string(),
            shown: seen.attacks.shown.iter().map(|(a, b)| [a.to_string(), b.to_string()]).collect(),
        },
        number: orbit.and_then(|orbit| orbit.number).map(|number| number.to_string()),
        class: orbit.map(|orbit| orbit.class.name()),
        group_size: orbit.map(|orbit| orbit.size),
        images: images
            .map(|images| images.iter().map(|(image, number)| Numbered::new(*number, image)).collect()),
        no_three_in_line: seen.three_in_line.map(|line| line.is_none()),
        three_in_line: seen.three_in_line.flatten().map(|line| line.map(|square| square.to_string())),
        largest_empty_centre: seen.empty_centre,
        empty_diagonals: seen.empty_diagonals,
        sums_differ: seen.sums_differ,
        parity_classes: Parity { a1, a2, b1, b2 },
    })
}

/// A placement in words, a line for each property.
pub fn text(placement: &Placement, seen: &Classification) -> String {
    let yes = |yes: bool| if yes { "yes" } else { "no" };
    let mut lines = Vec::new();
    if is_shown(placement) {
        lines.push(format!("placement: {}", permutation(placement)));
    } else {
        lines.push(format!("placement: {} queens", placement.board().max_queens()));
    }
    lines.push(format!("solution: {}", yes(seen.is_solution)));
    if seen.attacks.total > 0 {
        let pairs: Vec<String> =
            seen.attacks.shown.iter().map(|(left, right)| format!("{left}-{right}")).collect();
        let more = if (pairs.len() as u64) < seen.attacks.total { " ..." } else { "" };
        let total = seen.attacks.total;
        lines.push(format!("pairs that attack: {total}: {}{more}", pairs.join(" ")));
    }
    if let Some(orbit) = &seen.orbit {
        let number = orbit.number.map_or("too far to count".into(), |number| number.to_string());
        lines.push(format!("number: {number}"));
        lines.push(format!("class: {}", orbit.class.name()));
        lines.push(format!("images: {}", orbit.size));
        for (image, number) in orbit.images.iter().flatten() {
            let number = number.map_or("-".into(), |number| number.to_string());
            lines.push(format!("  {number}  {}", permutation(image)));
        }
        if let Some((first, _)) = orbit.images.as_ref().and_then(|images| images.first()) {
            lines.push(format!("representative: {}", permutation(first)));
        }
    }
    lines.push(match &seen.three_in_line {
        None => "no three in line: too many queens to look".to_owned(),
        Some(None) => "no three in line: yes".to_owned(),
        Some(Some(line)) => {
            format!("no three in line: no: {}", line.map(|square: Square| square.to_string()).join(" "))
        }
    });
    lines.push(match seen.empty_centre {
        None => "largest empty centre: the board has no centre".to_owned(),
        Some(0) => "largest empty centre: none".to_owned(),
        Some(side) => format!("largest empty centre: {side} x {side}"),
    });
    lines.push(format!(
        "empty main diagonals: {}",
        seen.empty_diagonals.map_or("the board is not square", yes)
    ));
    let [rising, falling] = seen.sums_differ;
    lines.push(format!("sums with 1, 2, ... all differ: {}", yes(rising)));
    lines.push(format!("sums with ..., 2, 1 all differ: {}", yes(falling)));
    let [a1, a2, b1, b2] = seen.parity_classes;
    lines.push(format!("queens by parity class: {a1} as a1, {a2} as a2, {b1} as b1, {b2} as b2"));
    lines.join("\n")
}

fn permutation(placement: &Placement) -> String {
    let mut out = Vec::new();
    // a Vec takes what it is given, and it is given digits
    let written = notation::write_permutation(&mut out, placement, b' ');
    debug_assert!(written.is_ok());
    String::from_utf8_lossy(&out).into_owned()
}

#[derive(Serialize)]
struct Near {
    schema: u32,
    n: u32,
    given: Vec<Option<u32>>,
    moves: u32,
    ranks: Vec<Option<u32>>,
}

/// The document of a placement and the solution nearest to it.
pub fn nearest_json(given: &Placement, moves: u32, solution: &Placement) -> String {
    let (given, ranks) = (ranks(given), ranks(solution));
    document(&Near { schema: SCHEMA, n: ranks.len() as u32, given, moves, ranks })
}

/// The number of moves, the solution, and which queen moves where.
pub fn nearest_text(given: &Placement, moves: u32, solution: &Placement) -> String {
    let moved = given.squares().zip(solution.squares()).filter(|(from, to)| from != to);
    let moved: Vec<String> = moved.map(|(from, to)| format!("{from}-{to}")).collect();
    let list = if moved.is_empty() { "none".to_owned() } else { moved.join(" ") };
    format!("moves: {moves}\nsolution: {}\nmoved: {list}", permutation(solution))
}
