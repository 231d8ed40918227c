//! What happens to units on which an engine and the reference differ.
//!
//! Noise is retried: the block is counted again, first by the same engine, then on a new device. The same wrong value
//! twice is no noise but a bug, and ends the run; so do a block that came out wrong [`MOST_WRONG`] times and a device
//! with noise in more than [`MOST_NOISY`] blocks.
//!
//! Only recounts by the reference are handled this way. Where two engines, two runs, or the sum and the known answer differ,
//! nobody knows which block is wrong, and the run ends at once. So does a self-test, which looks for noise.

use std::collections::{BTreeMap, HashMap};

use crate::{Error, method::Tally};

/// Wrong counts of one block that end the run: by the engine, by it again, on a new device.
const MOST_WRONG: u32 = 3;

/// Blocks of one device that may come out wrong, and then right: a sample sees but few of the units, and a device that is
/// seen to err more often has erred where nobody looked.
const MOST_NOISY: u32 = 3;

/// A unit, what an engine said of it, and what the reference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its place in its block.
    pub unit: usize,
    /// What the engine said.
    pub said: u64,
    /// What is right.
    pub right: u64,
}

/// How a block that came out wrong is counted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// By the same engine.
    Again,
    /// By the same engine on a device that was opened anew.
    OnNewDevice,
}

/// All blocks that ever came out wrong.
#[derive(Debug, Default)]
pub struct Disputes {
    /// How often one did, and was to be counted again.
    pub met: u64,
    /// Whether the first ends the run.
    strict: bool,
    blocks: HashMap<u64, Dispute>,
    /// Blocks with noise, by the place of the engine.
    noisy: HashMap<usize, u32>,
}

/// One block that came out wrong.
#[derive(Debug, Default)]
struct Dispute {
    /// How often it did.
    wrong: u32,
    /// Whether it has not come out right since.
    open: bool,
    /// Its units that were wrong: the right count, and what the engine counted each time.
    units: BTreeMap<usize, (u64, Vec<u64>)>,
}

impl Disputes {
    /// None yet; the first ends the run where that is to be `strict`.
    #[must_use]
    pub fn new(strict: bool) -> Self {
        Self { strict, ..Self::default() }
    }

    /// Records that a block came out wrong at a unit; `at` is the place of the engine and `name` its device.
    ///
    /// # Errors
    ///
    /// [`Error::Disagree`], with all that was counted, where the block need not be counted again.
    pub fn wrong(&mut self, at: usize, name: &str, block: u64, wrong: Wrong) -> Result<Next, Error> {
        let Wrong { unit, said, right } = wrong;
        let noisy = self.noisy.get(&at).copied().unwrap_or(0);
        let dispute = self.blocks.entry(block).or_default();
        dispute.wrong += 1;
        dispute.open = true;
        let (_, all) = dispute.units.entry(unit).or_insert_with(|| (right, Vec::new()));
        let alike = all.contains(&said);
        all.push(said);
        let why = if self.strict {
            ""
        } else if alike {
            ", which came out alike when it was counted again, as of a bug"
        } else if dispute.wrong == MOST_WRONG {
            ", which came out wrong each time, on a new device too"
        } else if noisy >= MOST_NOISY {
            ", on a device that erred in several blocks"
        } else {
            self.met += 1;
            return Ok(if dispute.wrong == 1 { Next::Again } else { Next::OnNewDevice });
        };
        let all: Vec<String> = all.iter().map(u64::to_string).collect();
        Err(Error::Disagree {
            what: format!("recount of unit {unit} of block {block}{why}"),
            left_name: name.into(),
            left: all.join(", then "),
            right_name: "the reference".into(),
            right: right.to_string(),
        })
    }

    /// The first unit of a block that is known to have been wrong and is so in a new count of it.
    #[must_use]
    pub fn still_wrong(&self, block: u64, tallies: &[Tally]) -> Option<Wrong> {
        let units = &self.blocks.get(&block)?.units;
        units.iter().find_map(|(&unit, &(right, _))| {
            let said = tallies.get(unit)?.count;
            (said != right).then_some(Wrong { unit, said, right })
        })
    }

    /// Records that a block came out right at all units that are known; whether it had been wrong before, by noise of the
    /// engine at `at`.
    pub fn right(&mut self, at: usize, block: u64) -> bool {
        let Some(dispute) = self.blocks.get_mut(&block).filter(|dispute| dispute.open) else { return false };
        dispute.open = false;
        *self.noisy.entry(at).or_default() += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn said(said: u64) -> Wrong {
        Wrong { unit: 1, said, right: 10 }
    }

    fn tallies(counts: [u64; 2]) -> [Tally; 2] {
        counts.map(|count| Tally { count, ..Tally::default() })
    }

    #[test]
    fn noise_is_counted_again_and_then_on_a_new_device() {
        let mut disputes = Disputes::default();
        assert_eq!(disputes.still_wrong(7, &tallies([5, 11])), None, "nothing is known yet");
        assert_eq!(disputes.wrong(0, "it", 7, said(11)), Ok(Next::Again));
        assert_eq!(disputes.still_wrong(7, &tallies([5, 12])), Some(said(12)));
        assert_eq!(disputes.wrong(0, "it", 7, said(12)), Ok(Next::OnNewDevice));
        assert_eq!(disputes.still_wrong(7, &tallies([5, 10])), None);
        assert!(disputes.right(0, 7) && !disputes.right(0, 7) && !disputes.right(0, 8));
    }

    #[test]
    fn the_same_wrong_value_twice_ends_the_run_and_so_does_a_third_one() {
        for (values, told, why) in [
            (vec![11, 11], "11, then 11", "alike"),
            (vec![11, 12, 11], "11, then 12, then 11", "alike"),
            (vec![11, 12, 13], "11, then 12, then 13", "each time"),
        ] {
            let mut disputes = Disputes::default();
            let (last, first) = values.split_last().unwrap_or_else(|| panic!("no values"));
            for &value in first {
                assert!(disputes.wrong(0, "it", 7, said(value)).is_ok());
            }
            let error =
                disputes.wrong(0, "it", 7, said(*last)).map_or_else(|error| error, |_| panic!("goes on"));
            let Error::Disagree { what, left, right, .. } = &error else { panic!("{error}") };
            assert!(left == told && right == "10" && what.contains(why), "{error}");
            assert!(what.contains("unit 1 of block 7") && error.exit_code() == 7, "{error}");
        }
    }

    #[test]
    fn a_block_that_came_out_right_meanwhile_is_not_begun_from_new() {
        let mut disputes = Disputes::default();
        assert_eq!(disputes.wrong(0, "it", 7, said(11)), Ok(Next::Again));
        assert!(disputes.right(0, 7));
        // another unit of it, that nobody had looked at before
        let other = Wrong { unit: 0, said: 4, right: 5 };
        assert_eq!(disputes.wrong(0, "it", 7, other), Ok(Next::OnNewDevice));
        assert!(disputes.wrong(0, "it", 7, Wrong { said: 3, ..other }).is_err());
    }

    #[test]
    fn a_self_test_ends_at_the_first() {
        assert!(Disputes::new(true).wrong(0, "it", 7, said(11)).is_err());
        let mut disputes = Disputes::new(false);
        assert!(disputes.wrong(0, "it", 7, said(11)).is_ok() && disputes.met == 1);
    }

    #[test]
    fn a_device_that_errs_again_and_again_is_not_believed() {
        let mut disputes = Disputes::default();
        for block in 0..3 {
            assert_eq!(disputes.wrong(0, "it", block, said(11 + block)), Ok(Next::Again));
            assert!(disputes.right(0, block));
        }
        assert_eq!(disputes.wrong(1, "another", 3, said(11)), Ok(Next::Again), "it is not another's fault");
        assert!(disputes.wrong(0, "it", 4, said(11)).is_err());
    }
}
