//! Machine code of AMD GPUs, read from the text that Mesa's driver prints of it.
//!
//! The text is a line an instruction, `name operands modifiers ; encoding`, between labels (`BB12:`). Names and
//! meaning: AMD's instruction set references for RDNA 2, RDNA 3 and Vega.

mod class;
mod loops;
pub mod operand;

use std::collections::HashMap;

pub use self::{
    class::{Class, Counts},
    loops::Loop,
    operand::{Operand, Space},
};
use crate::error::Error;

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inst {
    /// The name without its encoding (`_e32`, `_e64`, `_sdwa`, `_dpp`).
    pub name: String,
    /// Destinations first.
    pub operands: Vec<Operand>,
    /// What follows the operands: a name and, after a colon, its value.
    pub modifiers: Vec<(String, String)>,
    /// What executes it.
    pub class: Class,
    /// The line.
    pub text: String,
}

impl Inst {
    /// The value of a modifier.
    #[must_use]
    pub fn modifier(&self, name: &str) -> Option<&str> {
        self.modifiers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// An error about this line.
    #[must_use]
    pub fn error(&self, what: impl Into<String>) -> Error {
        Error::Code { text: self.text.clone(), what: what.into() }
    }
}

/// The machine code of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// In order.
    pub insts: Vec<Inst>,
    /// Labels, each with the number of the instruction that follows it, in order.
    pub labels: Vec<(String, usize)>,
    targets: HashMap<String, usize>,
}

impl Program {
    /// Reads machine code.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] for a line that is no instruction, or a branch to a label that is not there.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut program = Self::default();
        for line in text.lines() {
            let line = line.split(';').next().unwrap_or_default().trim();
            if let Some(label) = line.strip_suffix(':') {
                program.labels.push((label.to_owned(), program.insts.len()));
            } else if !line.is_empty() {
                program.insts.push(inst(line)?);
            }
        }
        program.targets = program.labels.iter().cloned().collect();
        for (at, inst) in program.insts.iter().enumerate() {
            if inst.class == Class::Branch {
                program.target(at)?;
            }
        }
        Ok(program)
    }

    /// Where a branch goes.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] if it is no branch to a label.
    pub fn target(&self, at: usize) -> Result<usize, Error> {
        let inst = &self.insts[at];
        let Some(Operand::Label(label)) = inst.operands.first() else {
            return Err(inst.error("a branch without a label"));
        };
        self.targets.get(label).copied().ok_or_else(|| inst.error("there is no such label"))
    }

    /// The label of the block that an instruction is in; empty before the first.
    #[must_use]
    pub fn label(&self, at: usize) -> &str {
        let after = self.labels.partition_point(|&(_, first)| first <= at);
        after.checked_sub(1).map_or("", |block| self.labels[block].0.as_str())
    }
}

/// Encodings that LLVM appends to a name.
const ENCODINGS: [&str; 4] = ["_e32", "_e64", "_sdwa", "_dpp"];

fn inst(line: &str) -> Result<Inst, Error> {
    let (full, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let mut name = full;
    while let Some(shorter) = ENCODINGS.iter().find_map(|encoding| name.strip_suffix(encoding)) {
        name = shorter;
    }
    let Some(class) = Class::of(name) else {
        return Err(Error::Code {
            text: line.to_owned(),
            what: "this is no instruction of an AMD GPU".into(),
        });
    };
    let mut inst = Inst {
        name: name.to_owned(),
        operands: Vec::new(),
        modifiers: Vec::new(),
        class,
        text: line.to_owned(),
    };
    // the operands of these say nothing that counts or is executed
    if class == Class::Wait {
        return Ok(inst);
    }
    let pieces = split_commas(rest);
    for (number, piece) in pieces.iter().enumerate() {
        let mut words = piece.split_whitespace();
        if let Some(word) = words.next() {
            let operand =
                Operand::parse(word).ok_or_else(|| inst.error(format!("'{word}' is no operand")))?;
            inst.operands.push(operand);
        }
        if number + 1 == pieces.len() {
            for word in words {
                let (name, value) = word.split_once(':').unwrap_or((word, ""));
                inst.modifiers.push((name.to_owned(), value.to_owned()));
            }
        } else if words.next().is_some() {
            return Err(inst.error(format!("'{piece}' is no operand")));
        }
    }
    Ok(inst)
}

/// Splits at the commas that are not in brackets.
fn split_commas(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut pieces) = (0u32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                pieces.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(text[from..].trim());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Inst {
        Program::parse(line).map_or_else(|error| panic!("{error}"), |program| program.insts[0].clone())
    }

    #[test]
    fn names_operands_and_modifiers_are_told_apart() {
        let inst =
            one("\tv_add_nc_u32_dpp v2, v2, s3 quad_perm:[1,0,3,2] row_mask:0xf fi:1 ; 4a0404fa ff04b102");
        assert_eq!(inst.name, "v_add_nc_u32");
        assert_eq!(inst.class, Class::Vector);
        let (v2, s3) = (Operand::Register(Space::Vector, 2, 1), Operand::Register(Space::Scalar, 3, 1));
        assert_eq!(inst.operands, [v2.clone(), v2, s3]);
        assert_eq!(inst.modifier("quad_perm"), Some("[1,0,3,2]"));
        assert_eq!(inst.modifier("fi"), Some("1"));
        assert_eq!(inst.modifier("bank_mask"), None);
        let inst = one("buffer_load_dwordx4 v[8:11], v4, s[8:11], 0 offen offset:16");
        assert_eq!(inst.operands[0], Operand::Register(Space::Vector, 8, 4));
        assert_eq!(inst.operands[3], Operand::Constant(0));
        assert_eq!((inst.modifier("offen"), inst.modifier("offset")), (Some(""), Some("16")));
        assert_eq!(one("s_waitcnt vmcnt(0) lgkmcnt(0)").operands, []);
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (text, what) in [
            ("xs_mov_b32 s0, 1", "no instruction"),
            ("s_mov_b32 s0, y1", "'y1'"),
            ("s_mov_b32 s0 s1, 1", "'s0 s1'"),
            ("s_branch BB7\nBB8:", "no such label"),
            ("s_branch", "without a label"),
        ] {
            let Err(error) = Program::parse(text) else { panic!("{text}") };
            assert!(error.to_string().contains(what), "{text}: {error}");
            assert_eq!(error.exit_code(), 3);
        }
    }

    #[test]
    fn an_instruction_is_in_the_block_of_the_label_before_it() {
        let text = "s_nop 0\nBB0:\ns_nop 0\nBB1:\nBB2:\ns_branch BB0\n";
        let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!([0, 1, 2].map(|at| program.label(at)), ["", "BB0", "BB2"]);
        assert_eq!(program.target(2), Ok(1));
    }
}
