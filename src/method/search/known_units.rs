//! Units of the very problem with known results, run through the kernel before it is trusted.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Prefix, Search, prefix, reference, unit};
use crate::method::{Block, SelfTest, Tally, Unit, split_words};

/// Random units; every second one starts just below a multiple of 2^32 to prove the carry and both words.
const UNITS: u32 = 96;
pub const NEAR_WRAP: u64 = (6 << 32) - 1;

/// Rows of most units, and of the last eight: as deep as the kernel's stack where that is soon walked.
const FEW_ROWS: u32 = 7;
const MORE_ROWS: u32 = 11;

/// The units and what they must count.
pub fn units(search: &Search) -> SelfTest {
    let deepest = search.seeds.iter().map(|seed| seed.rows.count_ones()).max().unwrap_or_default();
    let steps = search.depth - search.seed_depth;
    let deepest = deepest.saturating_sub(steps);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut units: Vec<Unit> = Vec::new();
    for number in 0..UNITS {
        let rows = match deepest {
            0 => 0,
            _ if number < UNITS - 8 => 1 + number % deepest.min(FEW_ROWS),
            _ => deepest.min(MORE_ROWS),
        };
        let Some(prefix) = prefix::random(&search.inner, &search.seeds, steps, rows, &mut rng) else {
            continue;
        };
        let mut unit = unit::pack(&search.inner, &prefix);
        if number % 2 == 1 {
            unit[6..].copy_from_slice(&split_words(NEAR_WRAP));
        }
        units.push(unit);
    }
    let span = search.span();
    // where the diagonals of a unit need two words
    if search.inner.columns() + span > 33 {
        units.extend((0..24).map(|number| wide_unit(search, span, number % 3 == 0, &mut rng)));
    }
    let expected = |unit: &Unit| {
        let plain = reference::count(&search.inner, unit);
        Tally { count: plain.solutions, visits: plain.visits, bucket: 0 }
    };
    let expected = units.iter().map(expected).collect();
    let empty = search.block_of(0, &[], 0);
    SelfTest { block: Block { weights: vec![1; units.len()], units, ..empty }, expected }
}

/// A unit that no prefix has: as many rows as the kernel takes, so that its diagonals reach into the second word,
/// but too few free columns to fill them, so that it is soon walked. It has visits and no solution.
fn wide_unit(search: &Search, span: u32, highest: bool, rng: &mut ChaCha8Rng) -> Unit {
    let full = search.inner.full();
    let some = |number: u32, rng: &mut ChaCha8Rng| {
        (0..number).fold(0, |chosen, _| chosen | prefix::pick(full & !chosen, rng).unwrap_or(0))
    };
    let free = if highest { full & !(full >> 10) } else { some(8, rng) };
    let rows = ((1u32 << span) - 1) << (search.inner.rows() - span);
    let [d, a] = [0; 2].map(|_: u32| u64::from(some(4, rng)) << (span / 2));
    let start = rows.trailing_zeros();
    // the last square of the first row has the highest diagonal of all
    let d = if highest { d | 1 << (search.inner.columns() + span - 2) } else { d };
    let prefix = Prefix { columns: full & !free, d, a: a << start, rows, weight: 1 };
    unit::pack(&search.inner, &prefix)
}
