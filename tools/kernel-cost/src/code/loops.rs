//! Loops of machine code, found by their back edges.

use super::{Class, Counts, Program};
use crate::error::Error;

/// A loop: what lies between the target of a branch back and the last such branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its first instruction, to which it branches back.
    pub first: usize,
    /// Its last branch back.
    pub last: usize,
    /// Other loops lie within it.
    pub nests: bool,
    /// Its instructions, each once.
    pub counts: Counts,
}

impl Program {
    /// All loops, in order of their first instruction. Code that the compiler has moved out of a loop's range is
    /// not seen; Mesa's compiler keeps loops together.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] for a branch to nowhere.
    pub fn loops(&self) -> Result<Vec<Loop>, Error> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for (at, inst) in self.insts.iter().enumerate() {
            if inst.class != Class::Branch {
                continue;
            }
            let target = self.target(at)?;
            if target > at {
                continue;
            }
            match ranges.iter_mut().find(|range| range.0 == target) {
                Some(range) => range.1 = at,
                None => ranges.push((target, at)),
            }
        }
        ranges.sort_unstable();
        let of = |&(first, last): &(usize, usize)| {
            let mut counts = Counts::default();
            self.insts[first..=last].iter().for_each(|inst| counts.add(inst.class, 1));
            let inner =
                |other: &(usize, usize)| *other != (first, last) && other.0 >= first && other.1 <= last;
            Loop { first, last, nests: ranges.iter().any(inner), counts }
        };
        Ok(ranges.iter().map(of).collect())
    }

    /// The loop whose turns are counted: the longest of those without a loop in them.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] for a branch to nowhere.
    pub fn main_loop(&self) -> Result<Option<Loop>, Error> {
        let innermost = self.loops()?.into_iter().filter(|found| !found.nests);
        Ok(innermost.max_by_key(|found| found.last - found.first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: &str = "
        s_mov_b32 s0, 0
    BB1:
        s_cmp_ge_u32 s0, 9
        s_cbranch_scc1 BB9
    BB2:
        v_mov_b32_e32 v0, v1
        ds_read_b32 v1, v0
        s_waitcnt lgkmcnt(0)
        s_cbranch_scc0 BB2
    BB3:
        v_mov_b32_e32 v0, v1
        v_mov_b32_e32 v0, v1
        s_cbranch_scc0 BB3
        buffer_load_dword v0, off, s[0:3], 0
        s_cbranch_scc1 BB3
    BB4:
        s_branch BB1
    BB9:
        s_endpgm
    ";

    #[test]
    fn loops_nest_and_those_of_one_target_are_one() {
        let program = Program::parse(NESTED).unwrap_or_else(|error| panic!("{error}"));
        let loops = program.loops().unwrap_or_else(|error| panic!("{error}"));
        let seen: Vec<_> =
            loops.iter().map(|found| (program.label(found.first), found.last, found.nests)).collect();
        assert_eq!(seen, [("BB1", 12, true), ("BB2", 6, false), ("BB3", 11, false)]);
        assert_eq!(loops[1].counts, Counts { vector: 1, lds: 1, memory: 0, scalar: 1 });
        assert_eq!(loops[2].counts, Counts { vector: 2, lds: 0, memory: 1, scalar: 2 });
        assert_eq!(program.main_loop(), Ok(Some(loops[2])));
    }

    #[test]
    fn straight_code_has_no_loop() {
        let program = Program::parse("s_cbranch_scc0 BB1\ns_nop 0\nBB1:\ns_endpgm");
        assert_eq!(program.and_then(|program| program.main_loop()), Ok(None));
    }
}
