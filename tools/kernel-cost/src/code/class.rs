//! Which unit of a GPU executes an instruction.

use std::ops::AddAssign;

/// What executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The vector unit: one operation a lane.
    Vector,
    /// The workgroup memory (LDS).
    Lds,
    /// Memory, by a lane or for the whole wave.
    Memory,
    /// The scalar unit: one operation a wave.
    Scalar,
    /// The scalar unit as well: a branch to a label.
    Branch,
    /// Nothing but the order of others: waits, hints, barriers, the end.
    Wait,
}

/// Scalar instructions that compute nothing.
const WAITS: [&str; 12] = [
    "s_barrier",
    "s_clause",
    "s_code_end",
    "s_delay_alu",
    "s_endpgm",
    "s_inst_prefetch",
    "s_nop",
    "s_sendmsg",
    "s_set_inst_prefetch_distance",
    "s_sleep",
    "s_wait",
    "s_setprio",
];

impl Class {
    /// The class of the instruction with a name; none if there is no such instruction.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        Some(if starts(&["v_"]) {
            Self::Vector
        } else if starts(&["ds_"]) {
            Self::Lds
        } else if starts(&["buffer_", "global_", "flat_", "scratch_", "s_load_", "s_buffer_"]) {
            Self::Memory
        } else if starts(&["s_branch", "s_cbranch"]) {
            Self::Branch
        } else if starts(&WAITS) {
            Self::Wait
        } else if starts(&["s_"]) {
            Self::Scalar
        } else {
            return None;
        })
    }
}

/// Instructions by class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of the vector unit.
    pub vector: u64,
    /// Of the workgroup memory.
    pub lds: u64,
    /// Of memory.
    pub memory: u64,
    /// Of the scalar unit, branches included.
    pub scalar: u64,
}

impl Counts {
    /// Adds an instruction, executed so many times.
    pub fn add(&mut self, class: Class, times: u64) {
        match class {
            Class::Vector => self.vector += times,
            Class::Lds => self.lds += times,
            Class::Memory => self.memory += times,
            Class::Scalar | Class::Branch => self.scalar += times,
            Class::Wait => {}
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.vector += more.vector;
        self.lds += more.lds;
        self.memory += more.memory;
        self.scalar += more.scalar;
    }
}
