//! Operands of instructions.

/// A file of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// One word for the whole wave. The special registers are among them, see [`Operand::parse`].
    Scalar,
    /// One word a lane.
    Vector,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// So many registers from this one on.
    Register(Space, u8, u8),
    /// A constant; negative ones fill 64 bits with their sign, those in hexadecimal are words.
    Constant(i64),
    /// The scalar condition code.
    Scc,
    /// Nothing: a memory instruction without an address of its own, or the null register.
    Nothing,
    /// The target of a branch.
    Label(String),
}

/// Numbers of the special registers among the scalar ones, as in AMD's encodings.
pub const VCC: u8 = 106;
/// The register of [`VCC`]'s kind for LDS and messages.
const M0: u8 = 124;
/// The lanes that take part.
pub const EXEC: u8 = 126;

impl Operand {
    /// Reads an operand; none if it is not one.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        let scalar = |first, count| Some(Self::Register(Space::Scalar, first, count));
        match word {
            "vcc" => return scalar(VCC, 2),
            "vcc_lo" => return scalar(VCC, 1),
            "vcc_hi" => return scalar(VCC + 1, 1),
            "exec" => return scalar(EXEC, 2),
            "exec_lo" => return scalar(EXEC, 1),
            "exec_hi" => return scalar(EXEC + 1, 1),
            "m0" => return scalar(M0, 1),
            "scc" | "src_scc" => return Some(Self::Scc),
            "off" | "null" => return Some(Self::Nothing),
            _ => {}
        }
        if word.starts_with("BB") {
            return Some(Self::Label(word.to_owned()));
        }
        if let Some((space, rest)) = space(word) {
            return register(space, rest);
        }
        constant(word).map(Self::Constant)
    }
}

fn space(word: &str) -> Option<(Space, &str)> {
    let vector = word.strip_prefix('v').map(|rest| (Space::Vector, rest));
    vector.or_else(|| word.strip_prefix('s').map(|rest| (Space::Scalar, rest)))
}

/// `12` or `[12:15]`.
fn register(space: Space, rest: &str) -> Option<Operand> {
    let (first, last) = match rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(range) => range.split_once(':')?,
        None => (rest, rest),
    };
    let (first, last): (u8, u8) = (first.parse().ok()?, last.parse().ok()?);
    let count = last.checked_sub(first)?.checked_add(1)?;
    (space == Space::Vector || last < VCC).then_some(Operand::Register(space, first, count))
}

fn constant(word: &str) -> Option<i64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u32::from_str_radix(digits, 16).ok().map(i64::from);
    }
    // floating-point constants stand for their bits
    if word.contains('.') {
        return word.parse().ok().map(|value: f32| value.to_bits().into());
    }
    word.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_read() {
        let cases = [
            ("s3", Operand::Register(Space::Scalar, 3, 1)),
            ("s[4:7]", Operand::Register(Space::Scalar, 4, 4)),
            ("v[250:255]", Operand::Register(Space::Vector, 250, 6)),
            ("vcc", Operand::Register(Space::Scalar, 106, 2)),
            ("exec_hi", Operand::Register(Space::Scalar, 127, 1)),
            ("null", Operand::Nothing),
            ("-1", Operand::Constant(-1)),
            ("0xffffffff", Operand::Constant(0xffff_ffff)),
            ("1.0", Operand::Constant(0x3f80_0000)),
            ("src_scc", Operand::Scc),
        ];
        for (word, operand) in cases {
            assert_eq!(Operand::parse(word), Some(operand), "{word}");
        }
        for word in ["s", "v[3:1]", "s106", "v256", "0x1ffffffff", "s[1]", "1.x", "sext(v1)", "-v1"] {
            assert_eq!(Operand::parse(word), None, "{word}");
        }
    }
}
