//! Encodings of vector instructions that read parts of words (SDWA) or the words of other lanes (DPP).

use super::wave::{LANES, Lanes};
use crate::{code::Inst, error::Error};

/// A part of a word: its shift and its mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part(u32, u32);

/// Parts of words as operands and result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sdwa {
    sources: [Part; 2],
    result: Part,
    /// The rest of the result's register stays as it is; else it becomes 0.
    preserves: bool,
}

impl Sdwa {
    /// That of an instruction, if it has it.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] if it is one that is not known.
    pub fn of(inst: &Inst) -> Result<Option<Self>, Error> {
        if inst.modifier("src0_sel").is_none() {
            return Ok(None);
        }
        let part = |name| match inst.modifier(name).unwrap_or("DWORD") {
            "DWORD" => Ok(Part(0, u32::MAX)),
            "WORD_0" => Ok(Part(0, 0xffff)),
            "WORD_1" => Ok(Part(16, 0xffff)),
            "BYTE_0" => Ok(Part(0, 0xff)),
            "BYTE_1" => Ok(Part(8, 0xff)),
            "BYTE_2" => Ok(Part(16, 0xff)),
            "BYTE_3" => Ok(Part(24, 0xff)),
            other => Err(inst.error(format!("'{other}' is no part of a word"))),
        };
        let preserves = match inst.modifier("dst_unused") {
            None | Some("UNUSED_PAD") => false,
            Some("UNUSED_PRESERVE") => true,
            Some(other) => return Err(inst.error(format!("'{other}' is not known"))),
        };
        let sources = [part("src0_sel")?, part("src1_sel")?];
        Ok(Some(Self { sources, result: part("dst_sel")?, preserves }))
    }

    /// Takes the part of source 0 or 1.
    pub fn select(&self, source: usize, lanes: &mut Lanes) {
        if let Some(&Part(shift, mask)) = self.sources.get(source) {
            lanes.iter_mut().for_each(|word| *word = *word >> shift & mask);
        }
    }

    /// Puts a result into its part of a register.
    #[must_use]
    pub const fn merge(&self, register: u32, result: u32) -> u32 {
        let Part(shift, mask) = self.result;
        let kept = if self.preserves { register & !(mask << shift) } else { 0 };
        kept | (result & mask) << shift
    }
}

/// From which lane each lane reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pattern {
    Quad([usize; 4]),
    Mirror(usize),
    /// From the lane so far below in the row of 16.
    Shift(usize),
    /// The last lane of each row but the last, to the row after it.
    Broadcast15,
    /// Lane 31, to the upper half.
    Broadcast31,
}

/// Words of other lanes as the first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dpp {
    pattern: Pattern,
    rows: u64,
    banks: u64,
    /// A lane that is not there, or takes no part, reads as 0; else it is not written.
    zero: bool,
    /// Lanes that take no part may be read.
    inactive: bool,
}

impl Dpp {
    /// That of an instruction, if it has it.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] if it is one that is not known.
    pub fn of(inst: &Inst) -> Result<Option<Self>, Error> {
        const OTHER: [&str; 8] =
            ["dst_sel", "dst_unused", "src0_sel", "src1_sel", "row_mask", "bank_mask", "bound_ctrl", "fi"];
        let mut pattern = None;
        for (name, value) in &inst.modifiers {
            let shift = || value.parse().ok().filter(|by| (1..16).contains(by));
            let found = match name.as_str() {
                "quad_perm" => quad(value).map(Pattern::Quad),
                "row_mirror" => Some(Pattern::Mirror(15)),
                "row_half_mirror" => Some(Pattern::Mirror(7)),
                "row_shr" => shift().map(Pattern::Shift),
                "row_bcast" if value == "15" => Some(Pattern::Broadcast15),
                "row_bcast" if value == "31" => Some(Pattern::Broadcast31),
                other if OTHER.contains(&other) => continue,
                _ => None,
            };
            pattern = Some(found.ok_or_else(|| inst.error(format!("'{name}' is not known")))?);
        }
        let Some(pattern) = pattern else { return Ok(None) };
        let mask = |name| {
            let digits = inst.modifier(name).unwrap_or("0xf").trim_start_matches("0x");
            u64::from_str_radix(digits, 16).map_err(|_| inst.error(format!("'{name}' is no mask")))
        };
        Ok(Some(Self {
            pattern,
            rows: mask("row_mask")?,
            banks: mask("bank_mask")?,
            // LLVM writes the bit that is set as 0 or as 1
            zero: inst.modifier("bound_ctrl").is_some(),
            inactive: inst.modifier("fi") == Some("1"),
        }))
    }

    /// The lane that a lane reads, if there is one.
    const fn source(&self, lane: usize) -> Option<usize> {
        match self.pattern {
            Pattern::Quad(lanes) => Some(lane & !3 | lanes[lane & 3]),
            Pattern::Mirror(mask) => Some(lane ^ mask),
            Pattern::Shift(by) if lane % 16 < by => None,
            Pattern::Shift(by) => Some(lane - by),
            Pattern::Broadcast15 if lane < 16 => None,
            Pattern::Broadcast15 => Some((lane & !15) - 1),
            Pattern::Broadcast31 if lane < 32 => None,
            Pattern::Broadcast31 => Some(31),
        }
    }

    fn readable(&self, exec: u64, lane: usize) -> Option<usize> {
        self.source(lane).filter(|&source| self.inactive || exec >> source & 1 == 1)
    }

    /// Gives each lane the word that it reads.
    pub fn permute(&self, exec: u64, lanes: &mut Lanes) {
        let words = *lanes;
        for (lane, word) in lanes.iter_mut().enumerate() {
            *word = self.readable(exec, lane).map_or(0, |source| words[source]);
        }
    }

    /// The lanes that are written.
    #[must_use]
    pub fn written(&self, exec: u64) -> u64 {
        let is_written = |lane: usize| {
            let chosen = self.rows >> (lane / 16) & self.banks >> (lane / 4 % 4) & 1 == 1;
            chosen && (self.zero || self.readable(exec, lane).is_some())
        };
        (0..LANES).filter(|&lane| is_written(lane)).fold(0, |mask, lane| mask | 1 << lane) & exec
    }
}

/// `[1,0,3,2]`.
fn quad(value: &str) -> Option<[usize; 4]> {
    let inner = value.strip_prefix('[')?.strip_suffix(']')?;
    let lanes: Option<Vec<usize>> =
        inner.split(',').map(|lane| lane.trim().parse().ok().filter(|&lane| lane < 4)).collect();
    lanes?.try_into().ok()
}
