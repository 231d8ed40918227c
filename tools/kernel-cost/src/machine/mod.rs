//! Executes machine code as the waves of a GPU would, and counts its instructions.
//!
//! Only what the instructions mean is imitated, not how long they take. What is unusual is an error: workgroup memory
//! out of range, an instruction that is not known. Registers and workgroup memory hold junk at first.

mod lanes;
mod memory;
mod scalar;
mod vector;
mod wave;

use std::collections::HashMap;

pub use self::memory::Memory;
use self::{vector::Vector, wave::Wave};
use crate::{
    code::{Class, Counts, Loop, Operand, Program, Space},
    error::Error,
};

/// Instructions that a dispatch may take: more than any that is measured, and soon reached by a loop without end.
const MOST_INSTRUCTIONS: u64 = 4_000_000_000;

/// How the lanes of a workgroup are cut into waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Invocations of a workgroup.
    pub workgroup: u32,
    /// Lanes of a wave: 32 or 64.
    pub wave: u32,
}

/// What a dispatch executed.
#[derive(Clone, Debug, Default)]
pub struct Executed {
    /// How often each instruction was, by a wave.
    pub times: Vec<u64>,
    /// The turns of the loop that was asked for, by the branches taken in them.
    pub turns: HashMap<Vec<u32>, Turns>,
}

/// Turns of a loop that took the same branches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turns {
    /// How many.
    pub turns: u64,
    /// Their instructions.
    pub counts: Counts,
}

impl Executed {
    /// All instructions by class.
    #[must_use]
    pub fn counts(&self, program: &Program) -> Counts {
        let mut counts = Counts::default();
        for (inst, &times) in program.insts.iter().zip(&self.times) {
            counts.add(inst.class, times);
        }
        counts
    }
}

enum Op {
    Scalar(scalar::Op),
    Vector(Vector),
    Memory(memory::Op),
    Branch(Condition, usize),
    Barrier,
    End,
    Nothing,
}

/// When a branch is taken.
#[derive(Clone, Copy)]
enum Condition {
    Always,
    Scc(bool),
    VccZero(bool),
    ExecZero(bool),
}

/// A turn under way.
#[derive(Default)]
struct Turn {
    branches: Vec<u32>,
    counts: Counts,
}

/// A wave under way.
struct Running {
    wave: Wave,
    turn: Option<Turn>,
    ended: bool,
}

/// Machine code, ready to be executed.
pub struct Machine<'a> {
    program: &'a Program,
    ops: Vec<Result<Op, Error>>,
    /// Registers that hold the address of the descriptors and the number of the workgroup at first.
    descriptors: u8,
    workgroup: u8,
    watched: Option<Loop>,
    left: u64,
}

impl<'a> Machine<'a> {
    /// Takes machine code, and the loop whose turns are told apart.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] if the code reads no descriptors.
    pub fn new(program: &'a Program, watched: Option<Loop>) -> Result<Self, Error> {
        let ops = (0..program.insts.len()).map(|at| decode(program, at)).collect();
        // Mesa passes the address of the descriptors in one register and the workgroup's number in the next
        let load = program.insts.iter().find(|inst| inst.name.starts_with("s_load_"));
        let descriptors = load.and_then(|inst| match inst.operands.get(1) {
            Some(Operand::Register(Space::Scalar, first, _)) => Some(*first),
            _ => None,
        });
        let Some(descriptors) = descriptors else {
            return Err(Error::Code { text: String::new(), what: "it reads no descriptors".into() });
        };
        Ok(Self { program, ops, descriptors, workgroup: descriptors + 1, watched, left: MOST_INSTRUCTIONS })
    }

    /// Executes a dispatch.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] for an instruction that is not known, [`Error::Fault`] for one that does what it must not.
    pub fn dispatch(
        &mut self,
        shape: Shape,
        workgroups: u32,
        memory: &mut Memory,
    ) -> Result<Executed, Error> {
        let mut executed = Executed { times: vec![0; self.program.insts.len()], ..Executed::default() };
        for group in 0..workgroups {
            memory.next_workgroup();
            let mut waves: Vec<Running> = (0..shape.workgroup)
                .step_by(shape.wave as usize)
                .map(|first| Running { wave: self.wave(shape, group, first), turn: None, ended: false })
                .collect();
            // from barrier to barrier, one wave after the other
            while waves.iter().any(|running| !running.ended) {
                for running in waves.iter_mut().filter(|running| !running.ended) {
                    self.run(running, memory, &mut executed)?;
                }
            }
        }
        Ok(executed)
    }

    /// A wave of a workgroup as the hardware starts it.
    fn wave(&self, shape: Shape, group: u32, first: u32) -> Wave {
        let mut wave = Wave::new(shape.wave.min(shape.workgroup - first));
        wave.set_scalar_register(self.descriptors, memory::DESCRIPTORS);
        wave.set_scalar_register(self.workgroup, group);
        // RDNA 3 has y and z in the bits above; both are 0
        for (lane, word) in wave.vector_mut(0).iter_mut().enumerate() {
            *word = first + lane as u32;
        }
        wave
    }

    /// Executes a wave until it ends or comes to a barrier.
    fn run(
        &mut self,
        running: &mut Running,
        memory: &mut Memory,
        executed: &mut Executed,
    ) -> Result<(), Error> {
        let Running { wave, turn, ended } = running;
        loop {
            let at = wave.pc;
            let (Some(inst), Some(op)) = (self.program.insts.get(at), self.ops.get(at)) else {
                *ended = true;
                return Ok(());
            };
            let fault = |what: String| Error::Fault { text: inst.text.clone(), what };
            self.left = self.left.checked_sub(1).ok_or_else(|| fault("it does not come to an end".into()))?;
            if let Some(Loop { first, last, .. }) = self.watched {
                if at == first || !(first..=last).contains(&at) {
                    finish(turn.take(), executed);
                }
                if at == first {
                    *turn = Some(Turn::default());
                }
            }
            if let Some(turn) = turn {
                turn.counts.add(inst.class, 1);
            }
            executed.times[at] += 1;
            wave.pc += 1;
            let operands = || fault("its operands are not those of its meaning".into());
            match op.as_ref().map_err(Clone::clone)? {
                Op::Scalar(op) => scalar::execute(*op, inst, wave).ok_or_else(operands)?,
                Op::Vector(vector) => vector.execute(inst, wave).ok_or_else(operands)?,
                Op::Memory(op) => memory::execute(*op, inst, wave, memory).map_err(fault)?,
                Op::Branch(condition, target) => {
                    let taken = condition.holds(wave);
                    if taken {
                        wave.pc = *target;
                    }
                    // that some lanes skip a part makes no turn of another kind
                    if let (Some(turn), Condition::Scc(_) | Condition::VccZero(_)) =
                        (turn.as_mut(), condition)
                    {
                        turn.branches.push((at as u32) << 1 | u32::from(taken));
                    }
                }
                Op::Barrier => return Ok(()),
                Op::End => {
                    finish(turn.take(), executed);
                    *ended = true;
                    return Ok(());
                }
                Op::Nothing => {}
            }
        }
    }
}

fn finish(turn: Option<Turn>, executed: &mut Executed) {
    if let Some(Turn { branches, counts }) = turn {
        let kind = executed.turns.entry(branches).or_default();
        kind.turns += 1;
        kind.counts += counts;
    }
}

impl Condition {
    const fn holds(self, wave: &Wave) -> bool {
        match self {
            Self::Always => true,
            Self::Scc(wanted) => wave.scc == wanted,
            Self::VccZero(wanted) => (wave.vcc() == 0) == wanted,
            Self::ExecZero(wanted) => (wave.exec() == 0) == wanted,
        }
    }
}

fn decode(program: &Program, at: usize) -> Result<Op, Error> {
    let inst = &program.insts[at];
    let unknown = || inst.error("this tool cannot execute this instruction");
    match inst.class {
        Class::Vector => Vector::of(inst).map(Op::Vector),
        Class::Scalar => scalar::op(&inst.name).map(Op::Scalar).ok_or_else(unknown),
        Class::Lds | Class::Memory => memory::op(&inst.name).map(Op::Memory).ok_or_else(unknown),
        Class::Branch => {
            let condition = match inst.name.as_str() {
                "s_branch" => Condition::Always,
                "s_cbranch_scc0" => Condition::Scc(false),
                "s_cbranch_scc1" => Condition::Scc(true),
                "s_cbranch_vccz" => Condition::VccZero(true),
                "s_cbranch_vccnz" => Condition::VccZero(false),
                "s_cbranch_execz" => Condition::ExecZero(true),
                "s_cbranch_execnz" => Condition::ExecZero(false),
                _ => return Err(unknown()),
            };
            program.target(at).map(|target| Op::Branch(condition, target))
        }
        Class::Wait => Ok(match inst.name.as_str() {
            "s_barrier" => Op::Barrier,
            "s_endpgm" => Op::End,
            _ => Op::Nothing,
        }),
    }
}

#[cfg(test)]
mod tests;
