//! The value of one unit, plainly: no order of rows, no groups, no queue, no vectors.
//!
//! It reads the unit's words and the lists of its block, and so covers the searches, the ranks, the weights and the sum,
//! but neither how lists are made nor which units are visited; those are covered by the tests of the method.

use super::Words;
use crate::method::join::parity::Shape;

/// How often each column set fills the rows below some placements.
struct Fillings {
    shape: Shape,
    rows: Vec<u32>,
    found: Vec<u64>,
    steps: u64,
    most_steps: u64,
}

impl Fillings {
    /// Fills the rows from number `at` on; false if that takes too many steps.
    fn fill(&mut self, at: usize, columns: u32, d: u64, a: u64) -> bool {
        let Some(&row) = self.rows.get(at) else {
            self.found[columns as usize] += 1;
            return true;
        };
        let across = self.shape.even - 1 - row;
        for column in 0..self.shape.odd {
            if (u64::from(columns) | d >> across | a >> row) >> column & 1 == 1 {
                continue;
            }
            let bit = 1u64 << column;
            self.steps += 1;
            if self.steps > self.most_steps
                || !self.fill(at + 1, columns | 1 << column, d | bit << across, a | bit << row)
            {
                return false;
            }
        }
        true
    }
}

/// The value of a unit; none if it takes more than `most_steps` queens for one colour. Adds the queens placed to `steps`.
pub fn value(
    shape: Shape,
    unit: &Words,
    context: [&[u32]; 4],
    most_steps: u64,
    steps: &mut u64,
) -> Option<u64> {
    let [white, black, sets, weights] = context;
    let mut fillings = |rows: u32, list: &[u32], from: u32, to: u32| {
        let rows = (0..16).filter(|i| rows >> i & 1 == 1).collect();
        let found = vec![0; 1 << shape.odd];
        let mut fillings = Fillings { shape, rows, found, steps: 0, most_steps };
        let done = (from..to).all(|at| {
            let at = 2 * at as usize;
            fillings.fill(0, 0, list[at].into(), list[at + 1].into())
        });
        *steps += fillings.steps;
        done.then_some(fillings.found)
    };
    let b = fillings(shape.all_even() & !unit.re, black, unit.black.start, unit.black.end)?;
    let w = fillings(unit.ro, white, unit.white.start, unit.white.end)?;
    let mut value = 0;
    for (rank, &co) in sets.iter().enumerate() {
        let pairs = w[co as usize] * b[(shape.all_odd() - co) as usize];
        value += pairs * u64::from(unit.weight(weights, rank));
    }
    Some(value)
}
