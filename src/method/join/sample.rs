//! The join's units drawn at random.
//!
//! A stratum is one k. Where the CPU counts several units of one (Re, Ro) together a member is such a pair, with all its
//! Ce; on larger boards it is one unit. There the lists are *thinned* too: a unit's value is the sum over the pairs of
//! its placements, so that with each placement kept with chance f its value is f^2 and its visits are f times the whole
//! on average. Units differ more from each other than the parts of one do, so that more and smaller ones tell more.

use std::{ops::Range, sync::Arc, time::Instant};

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;

use super::{
    Join,
    lists::{WORDS, list_one},
    plan::{KEPT_BYTES, Part, Plan},
    symmetry::Weights,
    unit::{self, SAMPLE, Words},
};
use crate::method::{
    Block, Method as _, Record, Unit,
    sampling::{Draw, Drawn, Footprint, Sampling, Stratum, Trial},
};

/// Placements kept of a unit's lists, in their geometric mean, and of the shorter one at least.
const KEPT: f64 = 16.0;
const KEPT_OF_SHORTER: f64 = 4.0;

/// Time to list a placement, in nanoseconds.
const LISTING: f64 = 15.0;

/// More than any list.
const ALL: usize = usize::MAX / WORDS;

/// The chance of a placement to be kept.
fn chance(white: f64, black: f64) -> f64 {
    let mean = (white * black).sqrt().max(1.0);
    (KEPT / mean).max(KEPT_OF_SHORTER / white.min(black).max(1.0)).min(1.0)
}

impl Plan {
    /// The sets (Re, Ro, Ce) of a member: several Ce for a pair.
    fn member(&self, part: &Part, member: u64) -> (u32, u32, &[u32]) {
        let all = self.even_sets.of_size(part.k);
        let of_ro = part.sets.len() as u64;
        let pair = |pair: u64| (part.re[(pair / of_ro) as usize], part.sets[(pair % of_ro) as usize]);
        if self.by_pairs {
            let (re, ro) = pair(member);
            return (re, ro, all);
        }
        let (ces, rest) = (all.len() as u64, member);
        let (re, ro) = pair(rest / ces);
        let ce = (rest % ces) as usize;
        (re, ro, &all[ce..=ce])
    }

    /// Bytes of the lists in a block, and of all lists of a part, for each colour.
    fn list_bytes(&self, part: &Part) -> ([f64; 2], [f64; 2]) {
        let all = self.even_sets.of_size(part.k).len() as f64;
        let stripe =
            part.stripes.iter().map(|stripe| stripe.ranks(&self.even_sets, part.k).len()).max().unwrap_or(0);
        // the placements, and where the list of each column set begins
        let bytes = |list: f64, columns: f64| 4.0 * (WORDS as f64 * list * columns / all + columns);
        let of = |columns: f64, re: usize, ro: usize| {
            [re as f64 * bytes(part.mean.white, columns), ro as f64 * bytes(part.mean.black, columns)]
        };
        let (re, ro) = (part.re.len(), part.sets.len());
        (of(stripe as f64, part.chunk_re.min(re), part.chunk_ro.min(ro)), of(all, re, ro))
    }
}

impl Sampling for Join {
    fn strata(&self) -> Vec<Stratum> {
        let plan = &self.plan;
        let stratum = |(at, part): (usize, &Part)| {
            let ces = plan.even_sets.of_size(part.k).len() as f64;
            let pairs = (part.re.len() * part.sets.len()) as u64;
            let end = plan.parts.get(at + 1).map_or(plan.blocks(), |next| next.first);
            let units = ces * plan.share(part);
            let (members, part_of_pair) =
                if plan.by_pairs { (pairs, units / ces) } else { (pairs * ces as u64, ces.recip()) };
            let [white, black, visits] =
                [part.mean.white, part.mean.black, part.mean.visits].map(|of_pair| of_pair * part_of_pair);
            let kept = if plan.by_pairs { 1.0 } else { chance(white, black) };
            let work = kept * visits + LISTING * (white + black) + 100.0;
            Stratum { members, whole: plan.by_pairs, visits: visits.max(1.0), work, blocks: part.first..end }
        };
        plan.parts.iter().enumerate().map(stratum).collect()
    }

    fn skips(&self, stratum: usize, member: u64) -> bool {
        let part = &self.plan.parts[stratum];
        let (re, ro, ces) = self.plan.member(part, member);
        match ces {
            &[ce] => part.symmetry.unit(re, ro, ce) == Weights::Skip,
            _ => !part.symmetry.rows_visited(re, ro),
        }
    }

    fn draw(&self, stratum: usize, members: &[u64], thin: bool, rng: &mut ChaCha8Rng) -> Drawn {
        let plan = &self.plan;
        let part = &plan.parts[stratum];
        let (mut lists, mut heads, mut tables) = (Lists::default(), Lists::default(), Vec::new());
        let (mut block, mut whole, mut draws) = (Block::default(), Block::default(), Vec::new());
        block.kernel = stratum;
        for &member in members {
            let (re, ro, ces) = plan.member(part, member);
            let first = block.units.len();
            let mut kept = 1.0;
            for &ce in ces {
                let weights = part.symmetry.unit(re, ro, ce);
                if weights == Weights::Skip {
                    continue;
                }
                let not_ro = plan.shape.all_odd() & !ro;
                let mut own = [
                    list_one(plan.shape.white(), re, ce, ALL),
                    list_one(plan.shape.black(), not_ro, plan.shape.all_even() & !ce, ALL),
                ];
                if own.iter().any(Vec::is_empty) {
                    continue;
                }
                let head = own.each_ref().map(|list| list[..list.len().min(WORDS * SAMPLE)].to_vec());
                if thin && !plan.by_pairs {
                    let [white, black] = own.each_ref().map(|list| (list.len() / WORDS) as f64);
                    kept = chance(white, black);
                    for list in &mut own {
                        thinned(list, kept, rng);
                    }
                }
                let before = block.units.len();
                let [white, black] = lists.push(&own);
                let words = Words { white, black, re, ro, ..Words::default() };
                plan.push_unit(part, words, (ce, weights), &mut block, &mut tables);
                if block.units.len() > before {
                    let [white, black] = heads.push(&head);
                    whole.units.push(Words { white, black, re, ro, ..Words::default() }.pack());
                }
            }
            draws.push(Draw {
                units: first..block.units.len(),
                solutions: kept.powi(-2),
                visits: kept.recip(),
                more_visits: 0.0,
            });
        }
        if tables.is_empty() {
            tables.push(0);
        }
        block.context = lists.context();
        block.context.extend([part.sets.clone(), tables.into()]);
        whole.context = heads.context();
        Drawn { block, whole: Some(whole), draws }
    }

    /// Rows are ordered as for the whole lists: a choice by the few placements that are kept would suit these too well.
    fn count_drawn(&self, drawn: &Drawn) -> Vec<Record> {
        let (block, whole) = (&drawn.block, drawn.whole.as_ref().unwrap_or(&drawn.block));
        let count = |units| unit::count_as(self.plan.shape, block, units, whole);
        self.chunks(block).into_iter().flat_map(count).collect()
    }

    /// A block itself, cut to a run of its units where it is too large.
    fn trial(&self, stratum: usize, number: u64, visits: f64, rng: &mut ChaCha8Rng) -> Trial {
        let (_, lists) = self.plan.list_bytes(&self.plan.parts[stratum]);
        let start = Instant::now();
        let mut block = self.block(number);
        let mut making = start.elapsed();
        if lists.iter().sum::<f64>() < KEPT_BYTES as f64 {
            // in the course of a run they are there
            let start = Instant::now();
            block = self.block(number);
            making = start.elapsed();
        }
        let units = block.units.len();
        let most = (units as f64 * visits / self.cost(number)).max(LEAST_TRIAL as f64) as usize;
        if most < units {
            let first = rng.random_range(0..=units - most);
            block.units = cut(&block.units, first, most);
            block.weights = cut(&block.weights, first, most);
        }
        Trial { block, whole: most >= units, making }
    }

    fn footprint(&self) -> Footprint {
        let plan = &self.plan;
        let lists = plan.parts.iter().map(|part| plan.list_bytes(part).1.iter().sum::<f64>());
        let contexts: f64 = lists.sum();
        let kept = KEPT_BYTES as f64;
        let mut footprint = Footprint { contexts, shared: contexts.min(kept), ..Footprint::default() };
        for part in &plan.parts {
            let ([white, black], _) = plan.list_bytes(part);
            let ce = plan.even_sets.of_size(part.k).len() as f64;
            let blocks: f64 = part.blocks().iter().map(|&along| along as f64).product();
            let units = part.re.len() as f64 * part.sets.len() as f64 * ce * plan.share(part) / blocks;
            let units = units * (size_of::<Unit>() + size_of::<u32>()) as f64;
            // lists in use are held even if they are not kept
            let (white_held, mut black_held) = if contexts > kept { (white, black) } else { (0.0, 0.0) };
            let mut shared = contexts.min(kept) + white_held;
            if blocks < FEW_BLOCKS {
                shared += std::mem::take(&mut black_held);
            }
            footprint.shared = footprint.shared.max(shared);
            footprint.block = footprint.block.max(black_held + units);
            footprint.units = footprint.units.max(units);
            footprint.context = footprint.context.max(white + black);
        }
        footprint
    }
}

/// A part with fewer blocks has one under way at a time, among those of others.
const FEW_BLOCKS: f64 = 8.0;

/// Lists of both colours, one unit after the other.
#[derive(Default)]
struct Lists([Vec<u32>; 2]);

impl Lists {
    /// Appends the lists of a unit; says where they lie, in placements.
    fn push(&mut self, own: &[Vec<u32>; 2]) -> [Range<u32>; 2] {
        [0, 1].map(|colour| {
            let start = (self.0[colour].len() / WORDS) as u32;
            self.0[colour].extend_from_slice(&own[colour]);
            start..(self.0[colour].len() / WORDS) as u32
        })
    }

    /// As the first two buffers of a context, none of them empty.
    fn context(self) -> Vec<Arc<[u32]>> {
        let filled = |words: Vec<u32>| if words.is_empty() { vec![0; WORDS] } else { words };
        self.0.map(filled).map(Arc::from).into()
    }
}

/// Units of a trial at least.
const LEAST_TRIAL: usize = 1;

fn cut<T: Copy>(all: &[T], first: usize, len: usize) -> Vec<T> {
    all[first..first + len].to_vec()
}

/// Keeps each placement with a chance.
fn thinned(list: &mut Vec<u32>, chance: f64, rng: &mut ChaCha8Rng) {
    let mut kept = 0;
    for at in (0..list.len()).step_by(WORDS) {
        if rng.random_bool(chance) {
            list.copy_within(at..at + WORDS, kept);
            kept += WORDS;
        }
    }
    list.truncate(kept);
}

#[cfg(test)]
impl Join {
    /// Sampled by units, as large boards are.
    pub(crate) fn by_units(mut self) -> Self {
        self.plan.by_pairs = false;
        self
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;
    use crate::{Error, Problem, known};

    fn joins(n: u32) -> Result<[Join; 2], Error> {
        let problem = Problem::queens(n)?;
        Ok([Join::new(&problem)?, Join::new(&problem)?.by_units()])
    }

    /// Solutions and visits by the draws of some members.
    fn values(join: &Join, drawn: &Drawn) -> [f64; 2] {
        let records = join.count_drawn(drawn);
        let mut sums = [0.0; 2];
        for draw in &drawn.draws {
            for at in draw.units.clone() {
                let weight = f64::from(drawn.block.weights[at]);
                sums[0] += draw.solutions * weight * records[at].count() as f64;
                sums[1] += draw.visits * records[at].visits() as f64;
            }
        }
        sums
    }

    #[test]
    fn every_member_drawn_once_gives_all_solutions() -> Result<(), Error> {
        for n in 1..=12 {
            for join in joins(n)? {
                let mut rng = ChaCha8Rng::seed_from_u64(0);
                let (mut solutions, mut skipped) = (0.0, 0.0);
                for (number, stratum) in join.strata().into_iter().enumerate() {
                    let (skips, members): (Vec<u64>, Vec<u64>) =
                        (0..stratum.members).partition(|&member| join.skips(number, member));
                    solutions += values(&join, &join.draw(number, &members, false, &mut rng))[0];
                    skipped += values(&join, &join.draw(number, &skips, false, &mut rng))[1];
                }
                let known = known::solutions(n).map(|known| known as f64);
                assert_eq!((Some(solutions), skipped), (known, 0.0), "N = {n}, pairs {}", join.plan.by_pairs);
            }
        }
        Ok(())
    }

    #[test]
    fn thinned_draws_are_right_on_average() -> Result<(), Error> {
        const DRAWS: usize = 600;
        let [_, join] = joins(22)?;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (mut compared, mut thinner) = (0, 0.0);
        for stratum in [3, 4, 5] {
            let members = join.strata()[stratum].members;
            while compared < 3 * (stratum - 2) {
                let member = rng.random_range(0..members);
                let whole = values(&join, &join.draw(stratum, &[member], false, &mut rng));
                if whole[0] == 0.0 {
                    continue;
                }
                let draws: Vec<[f64; 2]> = (0..DRAWS)
                    .map(|_| values(&join, &join.draw(stratum, &[member], true, &mut rng)))
                    .collect();
                for figure in 0..2 {
                    let mean = draws.iter().map(|draw| draw[figure]).sum::<f64>() / DRAWS as f64;
                    let square: f64 = draws.iter().map(|draw| (draw[figure] - mean).powi(2)).sum();
                    let error = square.sqrt() / DRAWS as f64;
                    let off = (mean - whole[figure]).abs() - 1e-9 * whole[figure];
                    assert!(off < 4.5 * error, "{figure} of {member}, k = {stratum}: {mean} for {whole:?}");
                    thinner += error;
                }
                compared += 1;
            }
        }
        assert!(thinner > 0.0, "some lists are thinned");
        Ok(())
    }

    #[test]
    fn the_footprint_is_that_of_the_lists_and_blocks() -> Result<(), Error> {
        let [join, _] = joins(18)?;
        let (mut lists, mut units) = (std::collections::HashMap::new(), 0);
        for number in 0..join.blocks() {
            let block = join.block(number);
            for words in &block.context[..2] {
                lists.insert(words.as_ptr(), size_of_val(&words[..]));
            }
            units = units.max(block.units.len() * (size_of::<Unit>() + 4));
        }
        let footprint = join.footprint();
        let ratio = footprint.contexts / lists.values().sum::<usize>() as f64;
        assert!((0.8..1.5).contains(&ratio), "lists: {ratio}");
        let ratio = footprint.units / units as f64;
        assert!((0.4..1.5).contains(&ratio), "units: {ratio}");
        for n in [24, 28, 32] {
            let [join, _] = joins(n)?;
            let footprint = join.footprint();
            assert!(footprint.block < f64::from(100 << 20), "N = {n}: {footprint:?}");
            assert!(footprint.shared < f64::from(400 << 20), "N = {n}: {footprint:?}");
        }
        Ok(())
    }
}
