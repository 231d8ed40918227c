//! Instructions of the vector unit.

use super::{
    lanes::{Dpp, Sdwa},
    scalar::comparison,
    wave::{LANES, Lanes, Wave, lanes_of},
};
use crate::{
    code::{Inst, Operand, Space},
    error::Error,
};

/// What a vector instruction computes in each lane.
#[derive(Clone, Copy)]
enum Op {
    One(fn(u32) -> u32),
    Two(fn(u32, u32) -> u32),
    Three(fn(u32, u32, u32) -> u32),
    /// A shift of 64 bits: distance, value.
    Shift(fn(u32, u64) -> u64),
    /// The second source in the lanes of a mask, the first in the others.
    Select,
    /// A mask of lanes; in some instructions it becomes the mask of those that take part.
    Compare(fn(u32, u32) -> bool, bool),
    /// A word and a mask of carries; in some instructions a mask of carries comes in.
    Carry(fn(u32, u32, bool) -> (u32, bool), bool),
    /// The lanes of a mask below one's own, of the low or the high word.
    CountBelow(u32),
    ReadFirst,
    Read,
    Write,
    /// Exchanges two registers.
    Swap,
    /// From the other row of 16 of each pair.
    OtherRow,
}

/// A vector instruction with what its encoding adds.
pub struct Vector {
    op: Op,
    sdwa: Option<Sdwa>,
    dpp: Option<Dpp>,
}

fn op(name: &str) -> Option<Op> {
    let name = name.strip_prefix("v_")?;
    if let Some(kind) = name.strip_prefix("cmpx_") {
        return comparison(kind).map(|compare| Op::Compare(compare, true));
    }
    if let Some(kind) = name.strip_prefix("cmp_") {
        return comparison(kind).map(|compare| Op::Compare(compare, false));
    }
    one_or_two(name).or_else(|| three(name)).or_else(|| other(name))
}

fn one_or_two(name: &str) -> Option<Op> {
    Some(match name {
        "mov_b32" => Op::One(|a| a),
        "not_b32" => Op::One(|a| !a),
        "bfrev_b32" => Op::One(u32::reverse_bits),
        "ffbl_b32" | "ctz_i32_b32" => Op::One(|a| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
        "ffbh_u32" | "clz_i32_u32" => Op::One(|a| if a == 0 { u32::MAX } else { a.leading_zeros() }),
        "add_nc_u32" | "add_u32" => Op::Two(u32::wrapping_add),
        "sub_nc_u32" | "sub_u32" => Op::Two(u32::wrapping_sub),
        "subrev_nc_u32" | "subrev_u32" => Op::Two(|a, b| b.wrapping_sub(a)),
        "and_b32" => Op::Two(|a, b| a & b),
        "or_b32" => Op::Two(|a, b| a | b),
        "xor_b32" => Op::Two(|a, b| a ^ b),
        "xnor_b32" => Op::Two(|a, b| !(a ^ b)),
        "lshlrev_b32" => Op::Two(|a, b| b << (a & 31)),
        "lshrrev_b32" => Op::Two(|a, b| b >> (a & 31)),
        "ashrrev_i32" => Op::Two(|a, b| (b as i32 >> (a & 31)) as u32),
        "min_u32" => Op::Two(u32::min),
        "max_u32" => Op::Two(u32::max),
        "mul_lo_u32" => Op::Two(u32::wrapping_mul),
        "mul_u32_u24" => Op::Two(|a, b| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff)),
        "bcnt_u32_b32" => Op::Two(|a, b| a.count_ones().wrapping_add(b)),
        "bfm_b32" => Op::Two(|a, b| ((1 << (a & 31)) - 1) << (b & 31)),
        _ => return None,
    })
}

fn three(name: &str) -> Option<Op> {
    Some(Op::Three(match name {
        "or3_b32" => |a, b, c| a | b | c,
        "xor3_b32" => |a, b, c| a ^ b ^ c,
        "and_or_b32" => |a, b, c| a & b | c,
        "add3_u32" => |a, b, c| a.wrapping_add(b).wrapping_add(c),
        "lshl_or_b32" => |a, b, c| a << (b & 31) | c,
        "lshl_add_u32" => |a, b, c| (a << (b & 31)).wrapping_add(c),
        "add_lshl_u32" => |a, b, c| a.wrapping_add(b) << (c & 31),
        "xad_u32" => |a, b, c| (a ^ b).wrapping_add(c),
        "bfe_u32" => |a, b, c| a >> (b & 31) & ((1 << (c & 31)) - 1),
        "bfi_b32" => |a, b, c| a & b | !a & c,
        "alignbit_b32" => |a, b, c| ((u64::from(a) << 32 | u64::from(b)) >> (c & 31)) as u32,
        "max3_u32" => |a, b, c| a.max(b).max(c),
        "min3_u32" => |a, b, c| a.min(b).min(c),
        "mad_u32_u24" => |a, b, c| (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c),
        _ => return None,
    }))
}

fn other(name: &str) -> Option<Op> {
    let borrow: fn(u32, u32, bool) -> (u32, bool) =
        |a, b, c| (a.wrapping_sub(b).wrapping_sub(c.into()), u64::from(a) < u64::from(b) + u64::from(c));
    let borrow_reversed: fn(u32, u32, bool) -> (u32, bool) =
        |a, b, c| (b.wrapping_sub(a).wrapping_sub(c.into()), u64::from(b) < u64::from(a) + u64::from(c));
    let carry: fn(u32, u32, bool) -> (u32, bool) = |a, b, c| {
        let sum = u64::from(a) + u64::from(b) + u64::from(c);
        (sum as u32, sum >> 32 != 0)
    };
    Some(match name {
        "lshlrev_b64" => Op::Shift(|by, value| value << (by & 63)),
        "lshrrev_b64" => Op::Shift(|by, value| value >> (by & 63)),
        "cndmask_b32" => Op::Select,
        "add_co_u32" => Op::Carry(carry, false),
        "add_co_ci_u32" | "addc_co_u32" => Op::Carry(carry, true),
        "sub_co_u32" => Op::Carry(borrow, false),
        "sub_co_ci_u32" | "subb_co_u32" => Op::Carry(borrow, true),
        "subrev_co_u32" => Op::Carry(borrow_reversed, false),
        "subrev_co_ci_u32" | "subbrev_co_u32" => Op::Carry(borrow_reversed, true),
        "mbcnt_lo_u32_b32" => Op::CountBelow(0),
        "mbcnt_hi_u32_b32" => Op::CountBelow(32),
        "readfirstlane_b32" => Op::ReadFirst,
        "readlane_b32" => Op::Read,
        "writelane_b32" => Op::Write,
        "swap_b32" => Op::Swap,
        "permlanex16_b32" => Op::OtherRow,
        _ => return None,
    })
}

impl Vector {
    /// The meaning of a vector instruction.
    ///
    /// # Errors
    ///
    /// [`Error::Code`] if it or its encoding is not known.
    pub fn of(inst: &Inst) -> Result<Self, Error> {
        let op = op(&inst.name).ok_or_else(|| inst.error("this tool cannot execute this instruction"))?;
        let (sdwa, dpp) = (Sdwa::of(inst)?, Dpp::of(inst)?);
        let plain = matches!(op, Op::One(_) | Op::Two(_) | Op::Compare(..) | Op::Select);
        if !plain && (sdwa.is_some() || dpp.is_some()) || dpp.is_some() && matches!(op, Op::Compare(..)) {
            return Err(inst.error("this tool cannot execute this encoding of the instruction"));
        }
        Ok(Self { op, sdwa, dpp })
    }

    /// Executes the instruction; none if its operands are not those of its meaning.
    pub fn execute(&self, inst: &Inst, wave: &mut Wave) -> Option<()> {
        let operands = &inst.operands[..];
        let source = |at: usize| -> Option<Lanes> {
            let mut lanes = wave.lanes(operands.get(at)?)?;
            // both encodings speak of the sources after the last destination
            let first = operands.len().checked_sub(self.sources())?;
            if let Some(sdwa) = &self.sdwa {
                sdwa.select(at.checked_sub(first)?, &mut lanes);
            }
            if let (Some(dpp), true) = (&self.dpp, at == first) {
                dpp.permute(wave.exec(), &mut lanes);
            }
            Some(lanes)
        };
        let exec = wave.exec();
        match self.op {
            Op::One(f) => {
                let result = source(1)?.map(f);
                self.write(operands, &result, exec, wave)
            }
            Op::Two(f) => {
                let (a, b) = (source(1)?, source(2)?);
                let result: Lanes = std::array::from_fn(|lane| f(a[lane], b[lane]));
                self.write(operands, &result, exec, wave)
            }
            Op::Three(f) => {
                let (a, b, c) = (source(1)?, source(2)?, source(3)?);
                let result: Lanes = std::array::from_fn(|lane| f(a[lane], b[lane], c[lane]));
                self.write(operands, &result, exec, wave)
            }
            Op::Select => {
                let (a, b) = (source(1)?, source(2)?);
                let mask = wave.scalar(operands.get(3)?)?;
                let result =
                    std::array::from_fn(|lane| if mask >> lane & 1 == 1 { b[lane] } else { a[lane] });
                self.write(operands, &result, exec, wave)
            }
            Op::CountBelow(from) => {
                let (mask, base) = (source(1)?[0], source(2)?);
                let result = std::array::from_fn(|lane| {
                    let below = (lane as u32).saturating_sub(from).min(32);
                    let lanes = (u64::from(mask) & ((1 << below) - 1)).count_ones();
                    base[lane].wrapping_add(lanes)
                });
                self.write(operands, &result, exec, wave)
            }
            Op::OtherRow => {
                let (value, low, high) = (source(1)?, source(2)?[0], source(3)?[0]);
                let result = std::array::from_fn(|lane| {
                    let nibbles = u64::from(high) << 32 | u64::from(low);
                    let chosen = (nibbles >> (4 * (lane % 16)) & 15) as usize;
                    value[(lane & !15) ^ 16 | chosen]
                });
                self.write(operands, &result, exec, wave)
            }
            Op::Swap => {
                let (a, b) = (vector(operands.first()?)?, vector(operands.get(1)?)?);
                for lane in lanes_of(exec) {
                    let (in_a, in_b) = (wave.vector(a)[lane], wave.vector(b)[lane]);
                    (wave.vector_mut(a)[lane], wave.vector_mut(b)[lane]) = (in_b, in_a);
                }
                Some(())
            }
            Op::Shift(f) => shift(f, operands, exec, wave),
            Op::Compare(f, narrows) => {
                let first = operands.len().checked_sub(2)?;
                let (a, b) = (source(first)?, source(first + 1)?);
                let mask = lanes_of(exec).fold(0, |mask, lane| mask | u64::from(f(a[lane], b[lane])) << lane);
                if narrows {
                    wave.set_exec(mask);
                }
                (first == 0 || wave.set_scalar(&operands[0], mask)).then_some(())
            }
            Op::Carry(f, takes) => {
                let (a, b) = (source(2)?, source(3)?);
                let carries = if takes { wave.scalar(operands.get(4)?)? } else { 0 };
                let both: [_; LANES] =
                    std::array::from_fn(|lane| f(a[lane], b[lane], carries >> lane & 1 == 1));
                let mask = lanes_of(exec).fold(0, |mask, lane| mask | u64::from(both[lane].1) << lane);
                self.write(operands, &both.map(|(word, _)| word), exec, wave)?;
                wave.set_scalar(&operands[1], mask).then_some(())
            }
            Op::ReadFirst | Op::Read => {
                let lane = match self.op {
                    Op::Read => wave.scalar(operands.get(2)?)? as usize % LANES,
                    _ => lanes_of(exec).next().unwrap_or(0),
                };
                let word = source(1)?[lane];
                wave.set_scalar(&operands[0], word.into()).then_some(())
            }
            Op::Write => {
                let lane = wave.scalar(operands.get(2)?)? as usize % LANES;
                let word = wave.scalar(operands.get(1)?)? as u32;
                wave.vector_mut(vector(operands.first()?)?)[lane] = word;
                Some(())
            }
        }
    }

    /// Sources of words: those of which the encodings speak.
    const fn sources(&self) -> usize {
        match self.op {
            Op::One(_) | Op::ReadFirst => 1,
            Op::Three(_) | Op::OtherRow | Op::Select | Op::Carry(_, true) => 3,
            _ => 2,
        }
    }

    /// Writes a result to the first operand in the lanes that take part.
    fn write(&self, operands: &[Operand], result: &Lanes, exec: u64, wave: &mut Wave) -> Option<()> {
        let mask = self.dpp.as_ref().map_or(exec, |dpp| dpp.written(exec));
        let register = wave.vector_mut(vector(operands.first()?)?);
        for lane in lanes_of(mask) {
            let word =
                self.sdwa.as_ref().map_or(result[lane], |sdwa| sdwa.merge(register[lane], result[lane]));
            register[lane] = word;
        }
        Some(())
    }
}

/// The number of a vector register.
pub fn vector(operand: &Operand) -> Option<u8> {
    match operand {
        Operand::Register(Space::Vector, first, _) => Some(*first),
        _ => None,
    }
}

fn shift(f: fn(u32, u64) -> u64, operands: &[Operand], exec: u64, wave: &mut Wave) -> Option<()> {
    let [to, by, value] = operands else { return None };
    let by = wave.lanes(by)?;
    let &Operand::Register(Space::Vector, to, 2) = to else { return None };
    let scalar = wave.scalar(value);
    for lane in lanes_of(exec) {
        let value = match *value {
            Operand::Register(Space::Vector, first, 2) => {
                u64::from(wave.vector(first + 1)[lane]) << 32 | u64::from(wave.vector(first)[lane])
            }
            _ => scalar?,
        };
        let result = f(by[lane], value);
        wave.vector_mut(to)[lane] = result as u32;
        wave.vector_mut(to + 1)[lane] = (result >> 32) as u32;
    }
    Some(())
}
