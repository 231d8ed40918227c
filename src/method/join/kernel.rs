//! The kernels of the join: one text, compiled for each k with the memory that its searches and its table need.

use super::parity::Shape;
use crate::method::{Grain, Kernel};

const SOURCE: [&str; 3] = [
    include_str!("../../../shaders/lib/record.wgsl"),
    include_str!("../../../shaders/lib/table.wgsl"),
    include_str!("../../../shaders/join.wgsl"),
];

/// Workgroup memory that every device has.
const COMMON_BYTES: u32 = 16 << 10;

/// Invocations of a workgroup for which the table is packed where it would not fit.
const LANES: u32 = 64;

/// Words of workgroup memory besides the table: totals, ranks and counters, then those of a lane.
const TOTALS: u32 = 8;
const COUNTERS: u32 = 3;
const LOWER: u32 = 11;

/// Rows up to which a vector of two words holds the number of nodes of each level.
const NOT_TALL: u32 = 11;

/// The kernel for units with one k and so many sets Co.
pub fn kernel(shape: Shape, k: u32, sets: u32) -> Kernel {
    let rows = (shape.even - k).max(shape.odd_size(k));
    let upper = if rows > 3 { 2 * (rows - 4) + 1 } else { 1 };
    let half = shape.odd.div_ceil(2);
    let per_lane = 4 * (LOWER + 3 * upper);
    let bytes = |table: u32| 4 * (TOTALS + COUNTERS + (1 << half) + table);
    let packed = bytes(sets) + per_lane * LANES > COMMON_BYTES;
    let table = if packed { sets.div_ceil(2) } else { sets };
    Kernel {
        name: "join",
        source: SOURCE.concat(),
        overrides: vec![
            ("N", shape.n.into()),
            ("UPPER", upper.into()),
            ("TALL", f64::from(u8::from(rows > NOT_TALL))),
            ("TABLE", table.into()),
            ("PACKED", f64::from(u8::from(packed))),
            ("HALF", half.into()),
            ("RANKS", f64::from(1 << half)),
        ],
        contexts: 4,
        workgroup_bytes_per_invocation: per_lane,
        workgroup_bytes: bytes(table),
        grain: Grain::Workgroup,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry of G is at most the leaves of a phase times a weight.
    #[test]
    fn entries_of_32_bits_do_not_run_over() {
        let constant = SOURCE[2].lines().find_map(|line| line.strip_prefix("const MOST_TURNS = 0x"));
        let turns = constant.and_then(|rest| u64::from_str_radix(rest.trim_end_matches("u;"), 16).ok());
        let turns = turns.unwrap_or_else(|| panic!("no MOST_TURNS in join.wgsl"));
        let lanes = u64::from(Grain::MOST_LANES);
        let leaves = lanes + 2 * lanes * (turns - 1);
        assert!(leaves * u64::from(crate::method::join::symmetry::COMMON) < 1 << 32, "{turns} turns");
    }
}
