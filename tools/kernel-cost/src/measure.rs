//! Executes a kernel's machine code on real units, and holds what it counts against the kernel's twin.

use ferz::testing::method::{Block, Record};

use crate::{
    code::{Counts, Program},
    error::Error,
    machine::{Executed, Machine, Memory, Shape, Turns},
    subject::Subject,
};

/// The tag of every dispatch.
const RUN: u32 = 0x00c0_57ed;

/// Turns of its loop that an invocation may take: more than any unit that is sampled needs.
const BUDGET: u32 = 1 << 26;

/// Words of a record and of the totals.
const RECORD: usize = 8;

/// What some units took.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// How many units.
    pub units: u64,
    /// Queens placed in them, as the kernel reports.
    pub visits: u64,
    /// Instructions executed, by a wave.
    pub counts: Counts,
    /// Turns of the main loop, by a wave.
    pub turns: u64,
    /// Turns that took the same branches, those with most vector instructions first. The label is that of the block
    /// with most vector instructions in them.
    pub kinds: Vec<(String, Turns)>,
}

/// Executes a sample of units.
///
/// # Errors
///
/// [`Error::Check`] if a record or a total is not that of the twin; [`Error::Code`] and [`Error::Fault`] where the
/// code cannot be executed.
pub fn measure(
    subject: &Subject,
    program: &Program,
    shape: Shape,
    samples: &[Block],
) -> Result<Measured, Error> {
    let main_loop = program.main_loop()?;
    let mut measured = Measured::default();
    let mut all = Executed::default();
    for block in samples {
        let mut machine = Machine::new(program, main_loop)?;
        let bytes = subject.workgroup_bytes(shape.workgroup) as usize;
        let mut memory = Memory::new(buffers(block), bytes);
        let executed = machine.dispatch(shape, block.units.len() as u32, &mut memory)?;
        measured.units += block.units.len() as u64;
        measured.visits += check(subject, block, &memory)?;
        measured.counts += executed.counts(program);
        if let Some(main_loop) = main_loop {
            measured.turns += executed.times[main_loop.first];
        }
        for (branches, turns) in executed.turns {
            let sum = all.turns.entry(branches).or_default();
            sum.turns += turns.turns;
            sum.counts += turns.counts;
        }
    }
    measured.kinds = all.turns.iter().map(|(branches, turns)| (label(program, branches), *turns)).collect();
    measured.kinds.sort_by(|(a, x), (b, y)| (y.counts.vector, a).cmp(&(x.counts.vector, b)));
    Ok(measured)
}

/// The buffers of a dispatch by binding.
fn buffers(block: &Block) -> Vec<Vec<u32>> {
    let mut buffers = vec![
        vec![block.units.len() as u32, RUN, BUDGET, 0],
        block.units.concat(),
        vec![Record::UNWRITTEN; RECORD * block.units.len()],
        vec![0; RECORD],
    ];
    buffers.extend(block.context.iter().map(|words| words.to_vec()));
    buffers
}

/// Compares records and totals with the twin; the visits of all units.
fn check(subject: &Subject, block: &Block, memory: &Memory) -> Result<u64, Error> {
    let (records, totals) = (&memory.buffers[2], &memory.buffers[3]);
    let mut sums = [0u32; RECORD];
    let mut visits = 0;
    for (unit, words) in records.as_chunks::<RECORD>().0.iter().enumerate() {
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = sum.wrapping_add(*word);
        }
        let [id, run, state, bucket, low, high, visits_low, visits_high] = *words;
        let record = Record { id, run, state, bucket, count: [low, high], visits: [visits_low, visits_high] };
        let twin = Record { run: RUN, id: unit as u32, ..subject.method.count(block, unit, u64::MAX) };
        let visits_agree = !subject.method.visits_agree() || record.visits == twin.visits;
        if (Record { visits: twin.visits, ..record }) != twin || !visits_agree {
            return Err(Error::Check(format!(
                "N = {}, unit {unit}: the machine code says {record:?}, the twin {twin:?}",
                subject.n
            )));
        }
        visits += record.visits();
    }
    if totals[..] != sums {
        return Err(Error::Check(format!("the kernel's totals are {totals:?}, its records' {sums:?}")));
    }
    Ok(visits)
}

/// The label of the block that stands for a kind of turn: the one after its last branch that decides.
fn label(program: &Program, branches: &[u32]) -> String {
    branches.last().map_or_else(String::new, |branch| {
        let at = (branch >> 1) as usize;
        let next = if branch & 1 == 1 { program.target(at).unwrap_or(at) } else { at + 1 };
        program.label(next).to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Name;

    fn subject(name: Name, n: u32) -> Subject {
        Subject::new(name, n, None, None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// What a right kernel leaves.
    fn finished(subject: &Subject, block: &Block) -> Memory {
        let mut memory = Memory::new(buffers(block), 0);
        for unit in 0..block.units.len() {
            let twin = Record { run: RUN, id: unit as u32, ..subject.method.count(block, unit, u64::MAX) };
            let [[low, high], [visits_low, visits_high]] = [twin.count, twin.visits];
            let words = [twin.id, twin.run, twin.state, twin.bucket, low, high, visits_low, visits_high];
            for (word, value) in words.into_iter().enumerate() {
                memory.buffers[2][RECORD * unit + word] = value;
                memory.buffers[3][word] = memory.buffers[3][word].wrapping_add(value);
            }
        }
        memory
    }

    #[test]
    fn a_record_or_total_that_is_wrong_in_any_word_is_seen() {
        for (name, n) in [(Name::Search, 8), (Name::Join, 12)] {
            let subject = subject(name, n);
            let samples = subject.sample(64, 1).unwrap_or_else(|error| panic!("{error}"));
            let block = &samples[0];
            assert!(check(&subject, block, &finished(&subject, block)).is_ok_and(|visits| visits > 0));
            for word in 0..RECORD {
                // a join's kernel and twin order rows in their own ways, so that visits differ
                let free = name == Name::Join && word >= 6;
                let mut memory = finished(&subject, block);
                memory.buffers[3][word] ^= 1;
                assert!(matches!(check(&subject, block, &memory), Err(Error::Check(_))), "total {word}");
                memory.buffers[3][word] ^= 1;
                memory.buffers[2][word] += 1;
                memory.buffers[3][word] = memory.buffers[3][word].wrapping_add(1);
                assert_eq!(check(&subject, block, &memory).is_ok(), free, "{name:?}: word {word}");
            }
        }
    }

    #[test]
    fn boards_parts_and_workgroups_that_there_are_not_are_named() {
        for (name, n, depth, k, what) in [
            (Name::Join, 40, None, None, "40"),
            (Name::Join, 16, None, Some(9), "k = "),
            (Name::Join, 16, Some(2), None, "--depth"),
            (Name::Search, 16, None, Some(4), "--k"),
            (Name::Search, 8, Some(8), None, "depth 8"),
        ] {
            let Err(error) = Subject::new(name, n, depth, k) else { panic!("{name:?}, {n}") };
            assert!(matches!(error, Error::Usage(_)) && error.to_string().contains(what), "{error}");
        }
        let join = subject(Name::Join, 8);
        assert!(join.takes(32).is_ok() && join.takes(48).is_err() && join.takes(256).is_err());
    }
}
