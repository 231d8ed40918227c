//! Instructions of the scalar unit.

use super::wave::Wave;
use crate::code::Inst;

/// What a scalar instruction computes. Those that set the condition code say so with their result.
#[derive(Clone, Copy)]
pub enum Op {
    /// One source; the condition code says whether the result is not zero, if that is asked for.
    One(fn(u64) -> u64, bool),
    /// Two words and the condition code.
    Two(fn(u32, u32, bool) -> (u32, Option<bool>)),
    /// Two sources of 64 bits and the condition code.
    Wide(fn(u64, u64, bool) -> (u64, Option<bool>)),
    /// Compares two words.
    Compare(fn(u32, u32) -> bool),
    /// Compares two sources of 64 bits.
    CompareWide(fn(u64, u64) -> bool),
    /// The destination and a constant of 16 bits with a sign.
    Short(fn(u32, u32) -> (u32, Option<bool>)),
    /// Compares a register and a constant of 16 bits, which has a sign or has none.
    CompareShort(fn(u32, u32) -> bool, bool),
    /// Saves the mask of lanes and changes it: mask and source.
    SaveExec(fn(u64, u64) -> u64),
}

/// A result that sets the condition code if it is not zero.
const fn tested(value: u32) -> (u32, Option<bool>) {
    (value, Some(value != 0))
}

const fn tested_wide(value: u64) -> (u64, Option<bool>) {
    (value, Some(value != 0))
}

/// A sum that sets the condition code if it is carried over.
const fn carried(sum: u64) -> (u32, Option<bool>) {
    (sum as u32, Some(sum >> 32 != 0))
}

const fn signed_sum(a: u32, b: u32) -> (u32, Option<bool>) {
    let (sum, over) = (a as i32).overflowing_add(b as i32);
    (sum as u32, Some(over))
}

const fn signed_difference(a: u32, b: u32) -> (u32, Option<bool>) {
    let (difference, over) = (a as i32).overflowing_sub(b as i32);
    (difference as u32, Some(over))
}

const fn low(width: u32) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}

const fn bit_or_minus_one(word: u64, bit: u32) -> u64 {
    if word == 0 { 0xffff_ffff } else { bit as u64 }
}

/// The comparison of words that an instruction's name ends in (`eq_u32`); signed types are those with an `i`.
pub fn comparison(name: &str) -> Option<fn(u32, u32) -> bool> {
    Some(match name {
        "eq_i32" | "eq_u32" => |a, b| a == b,
        "ne_i32" | "ne_u32" | "lg_i32" | "lg_u32" => |a, b| a != b,
        "lt_u32" => |a, b| a < b,
        "le_u32" => |a, b| a <= b,
        "gt_u32" => |a, b| a > b,
        "ge_u32" => |a, b| a >= b,
        "lt_i32" => |a, b| (a as i32) < b as i32,
        "le_i32" => |a, b| a as i32 <= b as i32,
        "gt_i32" => |a, b| a as i32 > b as i32,
        "ge_i32" => |a, b| a as i32 >= b as i32,
        _ => return None,
    })
}

/// The meaning of a scalar instruction; none if it is not known.
pub fn op(name: &str) -> Option<Op> {
    let name = name.strip_prefix("s_")?;
    if let Some(kind) = name.strip_prefix("cmpk_") {
        return comparison(kind).map(|compare| Op::CompareShort(compare, kind.ends_with("i32")));
    }
    if let Some(kind) = name.strip_prefix("cmp_") {
        return match kind {
            "eq_u64" => Some(Op::CompareWide(|a, b| a == b)),
            "lg_u64" | "ne_u64" => Some(Op::CompareWide(|a, b| a != b)),
            _ => comparison(kind).map(Op::Compare),
        };
    }
    one(name).or_else(|| two(name)).or_else(|| wide(name)).or_else(|| other(name))
}

fn one(name: &str) -> Option<Op> {
    Some(match name {
        "mov_b32" | "mov_b64" => Op::One(|a| a, false),
        "not_b32" => Op::One(|a| u64::from(!(a as u32)), true),
        "not_b64" => Op::One(|a| !a, true),
        "brev_b32" => Op::One(|a| (a as u32).reverse_bits().into(), false),
        "bcnt1_i32_b32" => Op::One(|a| (a as u32).count_ones().into(), true),
        "bcnt1_i32_b64" => Op::One(|a| a.count_ones().into(), true),
        "ff1_i32_b32" | "ctz_i32_b32" => {
            Op::One(|a| bit_or_minus_one(a & 0xffff_ffff, a.trailing_zeros()), false)
        }
        "ff1_i32_b64" | "ctz_i32_b64" => Op::One(|a| bit_or_minus_one(a, a.trailing_zeros()), false),
        "flbit_i32_b32" | "clz_i32_u32" => {
            Op::One(|a| bit_or_minus_one(a & 0xffff_ffff, (a as u32).leading_zeros()), false)
        }
        "flbit_i32_b64" | "clz_i32_u64" => Op::One(|a| bit_or_minus_one(a, a.leading_zeros()), false),
        _ => return None,
    })
}

fn two(name: &str) -> Option<Op> {
    Some(Op::Two(match name {
        "add_u32" | "add_co_u32" => |a, b, _| carried(u64::from(a) + u64::from(b)),
        "addc_u32" | "add_co_ci_u32" => |a, b, c| carried(u64::from(a) + u64::from(b) + u64::from(c)),
        "sub_u32" | "sub_co_u32" => |a, b, _| (a.wrapping_sub(b), Some(b > a)),
        "add_i32" | "add_co_i32" => |a, b, _| signed_sum(a, b),
        "sub_i32" | "sub_co_i32" => |a, b, _| signed_difference(a, b),
        "min_u32" => |a, b, _| (a.min(b), Some(a <= b)),
        "max_u32" => |a, b, _| (a.max(b), Some(a >= b)),
        "min_i32" => |a, b, _| ((a as i32).min(b as i32) as u32, Some(a as i32 <= b as i32)),
        "max_i32" => |a, b, _| ((a as i32).max(b as i32) as u32, Some(a as i32 >= b as i32)),
        "mul_i32" => |a, b, _| (a.wrapping_mul(b), None),
        "mul_hi_u32" => |a, b, _| (((u64::from(a) * u64::from(b)) >> 32) as u32, None),
        "and_b32" => |a, b, _| tested(a & b),
        "or_b32" => |a, b, _| tested(a | b),
        "xor_b32" => |a, b, _| tested(a ^ b),
        "xnor_b32" => |a, b, _| tested(!(a ^ b)),
        "nand_b32" => |a, b, _| tested(!(a & b)),
        "nor_b32" => |a, b, _| tested(!(a | b)),
        "andn2_b32" | "and_not1_b32" => |a, b, _| tested(a & !b),
        "orn2_b32" | "or_not1_b32" => |a, b, _| tested(a | !b),
        "lshl_b32" => |a, b, _| tested(a << (b & 31)),
        "lshr_b32" => |a, b, _| tested(a >> (b & 31)),
        "ashr_i32" => |a, b, _| tested((a as i32 >> (b & 31)) as u32),
        "bfe_u32" => |a, b, _| tested(a >> (b & 31) & low(b >> 16 & 127)),
        "bfm_b32" => |a, b, _| (low(a & 31) << (b & 31), None),
        "lshl1_add_u32" => |a, b, _| carried((u64::from(a) << 1) + u64::from(b)),
        "lshl2_add_u32" => |a, b, _| carried((u64::from(a) << 2) + u64::from(b)),
        "lshl3_add_u32" => |a, b, _| carried((u64::from(a) << 3) + u64::from(b)),
        "lshl4_add_u32" => |a, b, _| carried((u64::from(a) << 4) + u64::from(b)),
        "pack_ll_b32_b16" => |a, b, _| (a & 0xffff | b << 16, None),
        "pack_lh_b32_b16" => |a, b, _| (a & 0xffff | b & 0xffff_0000, None),
        "pack_hh_b32_b16" => |a, b, _| (a >> 16 | b & 0xffff_0000, None),
        "cselect_b32" => |a, b, scc| (if scc { a } else { b }, None),
        _ => return None,
    }))
}

fn wide(name: &str) -> Option<Op> {
    Some(Op::Wide(match name {
        "and_b64" => |a, b, _| tested_wide(a & b),
        "or_b64" => |a, b, _| tested_wide(a | b),
        "xor_b64" => |a, b, _| tested_wide(a ^ b),
        "xnor_b64" => |a, b, _| tested_wide(!(a ^ b)),
        "nand_b64" => |a, b, _| tested_wide(!(a & b)),
        "nor_b64" => |a, b, _| tested_wide(!(a | b)),
        "andn2_b64" | "and_not1_b64" => |a, b, _| tested_wide(a & !b),
        "orn2_b64" | "or_not1_b64" => |a, b, _| tested_wide(a | !b),
        "lshl_b64" => |a, b, _| tested_wide(a << (b & 63)),
        "lshr_b64" => |a, b, _| tested_wide(a >> (b & 63)),
        "cselect_b64" => |a, b, scc| (if scc { a } else { b }, None),
        _ => return None,
    }))
}

fn other(name: &str) -> Option<Op> {
    Some(match name {
        "movk_i32" => Op::Short(|_, k| (k, None)),
        "addk_i32" | "addk_co_i32" => Op::Short(signed_sum),
        "mulk_i32" => Op::Short(|d, k| (d.wrapping_mul(k), None)),
        "bitcmp0_b32" => Op::Compare(|a, b| a >> (b & 31) & 1 == 0),
        "bitcmp1_b32" => Op::Compare(|a, b| a >> (b & 31) & 1 == 1),
        "and_saveexec_b64" | "and_saveexec_b32" => Op::SaveExec(|exec, a| a & exec),
        "or_saveexec_b64" | "or_saveexec_b32" => Op::SaveExec(|exec, a| a | exec),
        "xor_saveexec_b64" | "xor_saveexec_b32" => Op::SaveExec(|exec, a| a ^ exec),
        "andn2_saveexec_b64" | "andn2_saveexec_b32" | "and_not1_saveexec_b64" | "and_not1_saveexec_b32" => {
            Op::SaveExec(|exec, a| a & !exec)
        }
        "andn1_saveexec_b64" | "andn1_saveexec_b32" | "and_not0_saveexec_b64" | "and_not0_saveexec_b32" => {
            Op::SaveExec(|exec, a| !a & exec)
        }
        _ => return None,
    })
}

/// Executes a scalar instruction; none if its operands are not scalar.
pub fn execute(op: Op, inst: &Inst, wave: &mut Wave) -> Option<()> {
    let operands = &inst.operands;
    let source = |wave: &Wave, at: usize| operands.get(at).and_then(|operand| wave.scalar(operand));
    let short = |signed: bool| {
        source(wave, 1).map(|k| if signed { i32::from(k as u16 as i16) as u32 } else { k as u32 & 0xffff })
    };
    let (value, scc) = match op {
        Op::One(f, sets) => {
            let value = f(source(wave, 1)?);
            (value, sets.then_some(value != 0))
        }
        Op::Two(f) => {
            let (value, scc) = f(source(wave, 1)? as u32, source(wave, 2)? as u32, wave.scc);
            (value.into(), scc)
        }
        Op::Wide(f) => f(source(wave, 1)?, source(wave, 2)?, wave.scc),
        Op::Short(f) => {
            let (value, scc) = f(source(wave, 0)? as u32, short(true)?);
            (value.into(), scc)
        }
        Op::SaveExec(f) => {
            let (before, a) = (wave.exec(), source(wave, 1)?);
            let after = f(before, a);
            wave.set_exec(after);
            (before, Some(after != 0))
        }
        Op::Compare(f) => {
            wave.scc = f(source(wave, 0)? as u32, source(wave, 1)? as u32);
            return Some(());
        }
        Op::CompareWide(f) => {
            wave.scc = f(source(wave, 0)?, source(wave, 1)?);
            return Some(());
        }
        Op::CompareShort(f, signed) => {
            wave.scc = f(source(wave, 0)? as u32, short(signed)?);
            return Some(());
        }
    };
    wave.scc = scc.unwrap_or(wave.scc);
    wave.set_scalar(operands.first()?, value).then_some(())
}
