//! The registers of a wave.

use crate::code::{Operand, Space, operand};

/// Lanes of the widest wave.
pub const LANES: usize = 64;

/// One word a lane.
pub type Lanes = [u32; LANES];

/// Registers of a vector file.
const VECTORS: usize = 256;

/// What an uninitialised word holds: no kernel may come to depend on it.
pub const JUNK: u32 = 0xdead_beef;

/// The registers of a wave.
pub struct Wave {
    scalars: [u32; 128],
    vectors: Vec<Lanes>,
    /// The scalar condition code.
    pub scc: bool,
    /// The next instruction.
    pub pc: usize,
}

impl Wave {
    /// A wave in which so many lanes take part.
    #[must_use]
    pub fn new(lanes: u32) -> Self {
        let mut wave =
            Self { scalars: [JUNK; 128], vectors: vec![[JUNK; LANES]; VECTORS], scc: false, pc: 0 };
        wave.set_exec(if lanes < 64 { (1 << lanes) - 1 } else { u64::MAX });
        wave
    }

    /// The lanes that take part, a bit each.
    #[must_use]
    pub const fn exec(&self) -> u64 {
        let exec = operand::EXEC as usize;
        (self.scalars[exec + 1] as u64) << 32 | self.scalars[exec] as u64
    }

    /// Sets the lanes that take part.
    pub const fn set_exec(&mut self, mask: u64) {
        let exec = operand::EXEC as usize;
        self.scalars[exec] = mask as u32;
        self.scalars[exec + 1] = (mask >> 32) as u32;
    }

    /// The condition mask of old encodings, a bit a lane.
    #[must_use]
    pub const fn vcc(&self) -> u64 {
        let vcc = operand::VCC as usize;
        (self.scalars[vcc + 1] as u64) << 32 | self.scalars[vcc] as u64
    }

    /// A scalar register.
    #[must_use]
    pub const fn scalar_register(&self, number: u8) -> u32 {
        self.scalars[number as usize & 127]
    }

    /// Sets a scalar register.
    pub const fn set_scalar_register(&mut self, number: u8, word: u32) {
        self.scalars[number as usize & 127] = word;
    }

    /// A vector register.
    #[must_use]
    pub fn vector(&self, number: u8) -> &Lanes {
        &self.vectors[usize::from(number)]
    }

    /// A vector register, to be written.
    pub fn vector_mut(&mut self, number: u8) -> &mut Lanes {
        &mut self.vectors[usize::from(number)]
    }

    /// A scalar operand of up to 64 bits; none if it is not scalar.
    #[must_use]
    pub fn scalar(&self, operand: &Operand) -> Option<u64> {
        match *operand {
            Operand::Register(Space::Scalar, first, 1) => Some(self.scalar_register(first).into()),
            Operand::Register(Space::Scalar, first, 2) => {
                let high = u64::from(self.scalar_register(first + 1));
                Some(high << 32 | u64::from(self.scalar_register(first)))
            }
            Operand::Constant(value) => Some(value as u64),
            Operand::Scc => Some(self.scc.into()),
            Operand::Nothing => Some(0),
            _ => None,
        }
    }

    /// Writes a scalar operand of up to 64 bits; false if it is none.
    #[must_use]
    pub fn set_scalar(&mut self, operand: &Operand, value: u64) -> bool {
        match *operand {
            Operand::Register(Space::Scalar, first, count @ (1 | 2)) => {
                self.set_scalar_register(first, value as u32);
                if count == 2 {
                    self.set_scalar_register(first + 1, (value >> 32) as u32);
                }
                true
            }
            Operand::Nothing => true,
            _ => false,
        }
    }

    /// The low word of an operand for each lane; none if it has no words.
    #[must_use]
    pub fn lanes(&self, operand: &Operand) -> Option<Lanes> {
        match *operand {
            Operand::Register(Space::Vector, first, _) => Some(*self.vector(first)),
            _ => self.scalar(operand).map(|word| [word as u32; LANES]),
        }
    }
}

/// The numbers of the lanes of a mask.
pub fn lanes_of(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(lane)
    })
}
