//! Units with known results for the kernel of each k.
//!
//! A kernel is given masks of diagonals and never asks which queens hold them, so that these need not be queens'. Each
//! unit is made to count something: a Co is drawn, both colours are filled on the columns that it leaves them, and
//! of the diagonals that no queen of these fillings holds some are blocked at random. Some units count only the Co
//! next to the drawn one, some have weights, some start near 2^32.

use std::{ops::Range, sync::Arc};

use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{
    lists::{WORDS, list_one},
    parity::{Listed, Shape},
    plan::{Part, Plan},
    unit::{Words, reference},
};
use crate::method::{SelfTest, Tally};

/// Units of a test: each way to choose and weigh Co four times.
const UNITS: usize = 24;

/// Placements of either list of most units, and of the last: it gives each lane of a workgroup several nodes. Halved
/// while its searches take too long.
const FEW: [usize; 5] = [1, 3, 2, 7, 1];
const MANY: usize = 260;

/// Queens that the reference places for a colour at most, in most units and in the last.
const STEPS: [u64; 2] = [1500, 12_000];

/// Draws of one unit; the last may be of one that counts nothing, as some k of small boards have no solution.
const TRIES: usize = 40;

/// Units for the kernel of one k.
pub fn self_test(plan: &Plan, kernel: usize) -> SelfTest {
    let mut test = SelfTest::default();
    let Some(part) = plan.parts.get(kernel) else { return test };
    let mut draw = Draw { plan, part, rng: ChaCha8Rng::seed_from_u64(part.k.into()) };
    let mut lists = <[Vec<u32>; 3]>::default();
    for number in 0..UNITS {
        let Some(drawn) = (0..TRIES).find_map(|attempt| draw.unit(number, attempt)) else { continue };
        let Drawn { mut words, lists: own, value } = drawn;
        let begin = lists.each_ref().map(|words| words.len() as u32);
        let moved = |range: Range<u32>, by: u32| range.start + by..range.end + by;
        words.white = moved(words.white, begin[0] / WORDS as u32);
        words.black = moved(words.black, begin[1] / WORDS as u32);
        words.table = words.table.map(|at| at + begin[2]);
        lists.iter_mut().zip(own).for_each(|(all, own)| all.extend(own));
        test.block.units.push(words.pack());
        test.block.weights.push(1);
        test.expected.push(Tally { count: words.start() + value, visits: 0, bucket: part.k });
    }
    let [white, black, mut weights] = lists;
    if weights.is_empty() {
        weights.push(0);
    }
    test.block.context = vec![white.into(), black.into(), Arc::clone(&part.sets), weights.into()];
    test.block.kernel = kernel;
    test
}

/// A unit with lists of its own (white, black, weights), and its value.
struct Drawn {
    words: Words,
    lists: [Vec<u32>; 3],
    value: u64,
}

struct Draw<'a> {
    plan: &'a Plan,
    part: &'a Part,
    rng: ChaCha8Rng,
}

impl Draw<'_> {
    /// A unit; none if the draw is of no use: it cannot be filled, or takes too long.
    fn unit(&mut self, number: usize, attempt: usize) -> Option<Drawn> {
        let (shape, part) = (self.plan.shape, self.part);
        let last = number + 1 == UNITS;
        let (re, ro) = (self.pick(self.plan.even_sets.of_size(part.k)), self.pick(&part.sets));
        let rank = self.below(part.sets.len());
        let co = part.sets[rank];
        let rows = [ro, shape.all_even() & !re];
        let fillings = [(rows[0], co), (rows[1], shape.all_odd() & !co)]
            .map(|(rows, columns)| list_one(searched(shape), rows, columns, 1));
        if fillings.iter().any(Vec::is_empty) && attempt + 1 < TRIES {
            return None;
        }
        let density = number % 3 + attempt;
        let [white, black] = [0, 1].map(|colour| {
            let length = if last { MANY >> (attempt / 8) } else { FEW[(number + 2 * colour) % FEW.len()] };
            self.list(length, &fillings[colour], density)
        });
        let (ranks, weighted) = choice(number, rank as u32, part.sets.len() as u32);
        let weights = if weighted { self.weights(rank) } else { Vec::new() };
        let words = Words {
            white: 0..(white.len() / WORDS) as u32,
            black: 0..(black.len() / WORDS) as u32,
            re,
            ro,
            k: part.k,
            ranks,
            table: weighted.then_some(0),
            preset: number / 6 % 2 == 1,
        };
        let context = [&white[..], &black, &part.sets, &weights];
        let value = reference::value(shape, &words, context, STEPS[usize::from(last)], &mut 0)?;
        Some(Drawn { words, lists: [white, black, weights], value })
    }

    /// Placements that leave a filling possible: each blocks a quarter, a half, three quarters or all of the diagonals
    /// that it does not hold.
    fn list(&mut self, length: usize, filling: &[u32], density: usize) -> Vec<u32> {
        let bits = (1 << (self.plan.shape.n - 1)) - 1;
        let mut words = Vec::new();
        for word in 0..length * WORDS {
            let (one, two) = (self.rng.next_u32(), self.rng.next_u32());
            let blocked = [one & two, one, one | two, u32::MAX][density.min(3)];
            words.push(blocked & bits & !filling.get(word % WORDS).unwrap_or(&0));
        }
        words
    }

    /// A table of weights, the greatest for one Co.
    fn weights(&mut self, rank: usize) -> Vec<u32> {
        let mut bytes: Vec<u8> = self.part.sets.iter().map(|_| [0, 1, 2, 4, 8][self.below(5)]).collect();
        bytes[rank] = 8;
        let word = |four: &[u8]| four.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
        bytes.chunks(4).map(word).collect()
    }

    fn below(&mut self, end: usize) -> usize {
        self.rng.next_u32() as usize % end
    }

    fn pick(&mut self, sets: &[u32]) -> u32 {
        sets[self.below(sets.len())]
    }
}

/// The class below placements of either colour, as its masks are normalised.
const fn searched(shape: Shape) -> Listed {
    Listed {
        height: shape.even,
        width: shape.odd,
        diagonal: shape.even.saturating_sub(1),
        drop_d: 0,
        drop_a: 0,
    }
}

/// The ranks that count in a unit, and whether it has weights: bounds next to the drawn Co show one that is off by one.
fn choice(number: usize, rank: u32, sets: u32) -> (Range<u32>, bool) {
    match number % 6 {
        0 => (0..sets, false),
        1 => (rank..rank + 1, false),
        2 => (rank + 1..sets, false),
        3 => (0..rank, false),
        4 => (0..sets, true),
        _ => (rank..sets, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BoardSize, Error, method::join::plan::Cut};

    #[test]
    fn every_kernel_has_units_of_all_kinds_that_count() -> Result<(), Error> {
        for n in 1..=32 {
            let plan = Plan::new(Shape::of(BoardSize::new(n)?), &Cut::default());
            for (kernel, part) in plan.parts.iter().enumerate() {
                let test = self_test(&plan, kernel);
                let case = format!("N = {n}, k = {}", part.k);
                assert_eq!((test.block.kernel, test.block.units.len()), (kernel, UNITS), "{case}");
                let words: Vec<Words> = test.block.units.iter().map(Words::unpack).collect();
                let counts = |(words, tally): &(&Words, &Tally)| tally.count > words.start();
                let counting: Vec<_> = words.iter().zip(&test.expected).filter(counts).collect();
                // two or three queens of these k stand on as many rows and columns of one class: they attack each other
                if [(4, 0), (5, 3), (6, 0), (7, 4)].contains(&(n, part.k)) {
                    assert_eq!(counting.len(), 0, "{case}");
                    continue;
                }
                assert!(counting.len() >= 16, "{case}: {}", counting.len());
                let some = |kind: fn(&Words) -> bool| counting.iter().any(|(words, _)| kind(words));
                assert!(some(|words| words.table.is_some()) && some(|words| words.table.is_none()), "{case}");
                assert!(some(|words| words.preset) && some(|words| !words.preset), "{case}");
                assert!(some(|words| words.white.len().min(words.black.len()) > 64), "{case}");
            }
        }
        Ok(())
    }
}
