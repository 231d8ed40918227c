//! Workgroup memory, buffers, and the instructions that read and write them.

use super::{
    vector::vector,
    wave::{JUNK, Wave, lanes_of},
};
use crate::code::{Inst, Operand, Space};

/// The low half of the address of the descriptors; the driver's code sets the high half.
pub const DESCRIPTORS: u32 = 0x0010_0000;

/// Bytes of a descriptor, which is that of the binding of its place.
const DESCRIPTOR_BYTES: u32 = 16;

/// Marks the address in a descriptor: a buffer's number follows in the low bits.
const BUFFER: u32 = 0xb0ff_e000;
const NUMBERS: u32 = 0xff;

/// What waves of a workgroup share.
pub struct Memory {
    /// The words of the buffer of each binding.
    pub buffers: Vec<Vec<u32>>,
    /// Workgroup memory.
    lds: Vec<u32>,
}

type Result<T> = std::result::Result<T, String>;

impl Memory {
    /// Buffers, and so many bytes of workgroup memory.
    #[must_use]
    pub fn new(buffers: Vec<Vec<u32>>, lds_bytes: usize) -> Self {
        Self { buffers, lds: vec![JUNK; lds_bytes / 4] }
    }

    /// Forgets what the workgroup before has left.
    pub fn next_workgroup(&mut self) {
        self.lds.fill(JUNK);
    }

    fn lds(&mut self, address: u32) -> Result<&mut u32> {
        let bytes = 4 * self.lds.len();
        let word = if address.is_multiple_of(4) { self.lds.get_mut(address as usize / 4) } else { None };
        word.ok_or_else(|| format!("workgroup memory at byte {address}, of {bytes}"))
    }

    /// A word of a descriptor.
    fn descriptor(&self, address: u32, word: u32) -> Result<u32> {
        let at = address.wrapping_sub(DESCRIPTORS).wrapping_add(4 * word);
        let number = at / DESCRIPTOR_BYTES;
        let Some(buffer) = self.buffers.get(number as usize) else {
            return Err(format!("no descriptor at {at:#x}"));
        };
        Ok(match at % DESCRIPTOR_BYTES / 4 {
            0 => BUFFER | number,
            2 => size_of_val(&buffer[..]) as u32,
            _ => 0,
        })
    }

    /// The buffer whose descriptor a register begins.
    fn buffer(&mut self, wave: &Wave, operand: &Operand) -> Result<&mut Vec<u32>> {
        let Operand::Register(Space::Scalar, first, 4) = *operand else { return Err("no descriptor".into()) };
        let word = wave.scalar_register(first);
        let number = (word & !NUMBERS == BUFFER).then_some((word & NUMBERS) as usize);
        let buffer = number.and_then(|number| self.buffers.get_mut(number));
        buffer.ok_or_else(|| format!("{word:#x} is no descriptor"))
    }
}

/// An instruction that reads or writes memory; numbers are words.
#[derive(Clone, Copy)]
pub enum Op {
    /// From descriptors to scalar registers.
    Descriptor(u8),
    /// From a buffer to scalar registers.
    Scalar(u8),
    Load(u8),
    Store(u8),
    Atomic(fn(u32, u32) -> u32),
    LdsRead(u8),
    LdsWrite(u8),
    /// Two places, of so many words each, at offsets in units of so many words.
    LdsReadTwo(u8, u32),
    LdsWriteTwo(u8, u32),
    /// The bool: what was there is returned.
    LdsAtomic(fn(u32, u32) -> u32, bool),
}

fn words(size: &str) -> Option<u8> {
    Some(match size {
        "dword" | "b32" => 1,
        "dwordx2" | "b64" => 2,
        "dwordx3" | "b96" => 3,
        "dwordx4" | "b128" => 4,
        "dwordx8" | "b256" => 8,
        _ => return None,
    })
}

fn atomic(name: &str) -> Option<fn(u32, u32) -> u32> {
    Some(match name {
        "add" | "add_u32" => u32::wrapping_add,
        "or" | "or_b32" => |a, b| a | b,
        "and" | "and_b32" => |a, b| a & b,
        "xor" | "xor_b32" => |a, b| a ^ b,
        "umax" | "max_u32" => u32::max,
        "umin" | "min_u32" => u32::min,
        _ => return None,
    })
}

fn lds_op(name: &str) -> Option<Op> {
    let pair = |size: &str, stride, op: fn(u8, u32) -> Op| {
        words(size).map(|words| op(words, stride * u32::from(words)))
    };
    for (prefix, stride) in
        [("read2st64_", 64), ("load_2addr_stride64_", 64), ("read2_", 1), ("load_2addr_", 1)]
    {
        if let Some(size) = name.strip_prefix(prefix) {
            return pair(size, stride, Op::LdsReadTwo);
        }
    }
    for (prefix, stride) in
        [("write2st64_", 64), ("store_2addr_stride64_", 64), ("write2_", 1), ("store_2addr_", 1)]
    {
        if let Some(size) = name.strip_prefix(prefix) {
            return pair(size, stride, Op::LdsWriteTwo);
        }
    }
    let one = |read: &str| name.strip_prefix(read).and_then(words);
    if let Some(words) = one("read_").or_else(|| one("load_")) {
        return Some(Op::LdsRead(words));
    }
    if let Some(words) = one("write_").or_else(|| one("store_")) {
        return Some(Op::LdsWrite(words));
    }
    let returns = name.contains("_rtn_");
    atomic(&name.replace("_rtn", "")).map(|f| Op::LdsAtomic(f, returns))
}

/// The meaning of a memory instruction; none if it is not known.
pub fn op(name: &str) -> Option<Op> {
    if let Some(name) = name.strip_prefix("ds_") {
        return lds_op(name);
    }
    let sized = |prefix: &str| name.strip_prefix(prefix).and_then(words);
    let scalar = sized("s_load_").map(Op::Descriptor).or_else(|| sized("s_buffer_load_").map(Op::Scalar));
    let buffer = || {
        let load = sized("buffer_load_").map(Op::Load).or_else(|| sized("buffer_store_").map(Op::Store));
        load.or_else(|| name.strip_prefix("buffer_atomic_").and_then(atomic).map(Op::Atomic))
    };
    scalar.or_else(buffer)
}

/// Executes a memory instruction.
///
/// # Errors
///
/// What it did wrong: workgroup memory that is not there, a word for a descriptor, operands of another kind.
pub fn execute(op: Op, inst: &Inst, wave: &mut Wave, memory: &mut Memory) -> Result<()> {
    let operand = |at: usize| inst.operands.get(at).ok_or_else(|| "an operand is missing".to_owned());
    let register =
        |at: usize| operand(at).and_then(|found| vector(found).ok_or_else(|| "no register".into()));
    let scalar = |wave: &Wave, at| wave.scalar(operand(at)?).ok_or_else(|| "no scalar".to_owned());
    let offset = |name| inst.modifier(name).map_or(Ok(0), number);
    match op {
        Op::Descriptor(words) => {
            let from = (scalar(wave, 1)? as u32).wrapping_add(scalar(wave, 2)? as u32);
            let from = from.wrapping_add(offset("offset")?);
            let to = scalar_register(operand(0)?)?;
            for word in 0..words {
                wave.set_scalar_register(to + word, memory.descriptor(from, word.into())?);
            }
        }
        Op::Scalar(words) => {
            let from = (scalar(wave, 2)? as u32).wrapping_add(offset("offset")?) / 4;
            let (buffer, to) = (memory.buffer(wave, operand(1)?)?, scalar_register(operand(0)?)?);
            for word in 0..words {
                let found = buffer.get(from as usize + usize::from(word)).copied();
                wave.set_scalar_register(to + word, found.unwrap_or(0));
            }
        }
        Op::Load(_) | Op::Store(_) | Op::Atomic(_) => {
            if inst.modifier("idxen").is_some() {
                return Err("this tool executes no indexed buffers".into());
            }
            let data = register(0)?;
            let base = (scalar(wave, 3)? as u32).wrapping_add(offset("offset")?);
            let address = inst.modifier("offen").is_some().then(|| register(1)).transpose()?;
            let buffer = memory.buffer(wave, operand(2)?)?;
            for lane in lanes_of(wave.exec()) {
                let own = address.map_or(0, |address| wave.vector(address)[lane]);
                let from = base.wrapping_add(own) as usize / 4;
                // outside of the buffer reads are 0 and writes are dropped, as the hardware does
                match op {
                    Op::Store(words) => {
                        for word in 0..words {
                            if let Some(place) = buffer.get_mut(from + usize::from(word)) {
                                *place = wave.vector(data + word)[lane];
                            }
                        }
                    }
                    Op::Atomic(f) => {
                        if let Some(place) = buffer.get_mut(from) {
                            *place = f(*place, wave.vector(data)[lane]);
                        }
                    }
                    _ => {
                        let Op::Load(words) = op else { continue };
                        for word in 0..words {
                            let found = buffer.get(from + usize::from(word)).copied();
                            wave.vector_mut(data + word)[lane] = found.unwrap_or(0);
                        }
                    }
                }
            }
        }
        Op::LdsRead(words) => {
            let (to, address, offset) = (register(0)?, register(1)?, offset("offset")?);
            for lane in lanes_of(wave.exec()) {
                let from = wave.vector(address)[lane].wrapping_add(offset);
                for word in 0..words {
                    wave.vector_mut(to + word)[lane] = *memory.lds(from.wrapping_add(4 * u32::from(word)))?;
                }
            }
        }
        Op::LdsWrite(words) => {
            let (address, data, offset) = (register(0)?, register(1)?, offset("offset")?);
            for lane in lanes_of(wave.exec()) {
                let to = wave.vector(address)[lane].wrapping_add(offset);
                for word in 0..words {
                    *memory.lds(to.wrapping_add(4 * u32::from(word)))? = wave.vector(data + word)[lane];
                }
            }
        }
        Op::LdsReadTwo(words, stride) => {
            let (to, address) = (register(0)?, register(1)?);
            let offsets = [offset("offset0")?, offset("offset1")?];
            for lane in lanes_of(wave.exec()) {
                let from = wave.vector(address)[lane];
                for at in 0..2 * words {
                    let place = 4 * (stride * offsets[usize::from(at / words)] + u32::from(at % words));
                    wave.vector_mut(to + at)[lane] = *memory.lds(from.wrapping_add(place))?;
                }
            }
        }
        Op::LdsWriteTwo(words, stride) => {
            let (address, data) = (register(0)?, [register(1)?, register(2)?]);
            let offsets = [offset("offset0")?, offset("offset1")?];
            for lane in lanes_of(wave.exec()) {
                let to = wave.vector(address)[lane];
                for at in 0..2 * words {
                    let which = usize::from(at / words);
                    let place = 4 * (stride * offsets[which] + u32::from(at % words));
                    *memory.lds(to.wrapping_add(place))? = wave.vector(data[which] + at % words)[lane];
                }
            }
        }
        Op::LdsAtomic(f, returns) => {
            let first = usize::from(returns);
            let (address, data, offset) = (register(first)?, register(first + 1)?, offset("offset")?);
            let to = if returns { Some(register(0)?) } else { None };
            for lane in lanes_of(wave.exec()) {
                let place = memory.lds(wave.vector(address)[lane].wrapping_add(offset))?;
                let before = *place;
                *place = f(before, wave.vector(data)[lane]);
                if let Some(to) = to {
                    wave.vector_mut(to)[lane] = before;
                }
            }
        }
    }
    Ok(())
}

fn number(value: &str) -> Result<u32> {
    let parsed = match value.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => value.parse(),
    };
    parsed.map_err(|_| format!("'{value}' is no offset"))
}

fn scalar_register(operand: &Operand) -> Result<u8> {
    match operand {
        Operand::Register(Space::Scalar, first, _) => Ok(*first),
        _ => Err("no scalar register".into()),
    }
}
