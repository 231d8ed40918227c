//! Sets of small numbers, such as the files of a rank, as the bits of a word. Larger sets are `fixedbitset`'s.
//!
//! ```text
//! rank   . Q . . # # . #      # forbidden
//! file   a b c d e f g h
//! bit    0 1 2 3 4 5 6 7      the queen is 0b0000_0010, the forbidden squares are 0b1011_0000
//! ```

/// The members of a set, lowest first, each as a set of its own.
pub fn bits(mut set: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = set & set.wrapping_neg();
        set ^= bit;
        (bit != 0).then_some(bit)
    })
}

/// The subsets of a set that have `size` members, in the order of their numbers.
pub fn subsets(set: u32, size: u32) -> impl Iterator<Item = u32> {
    let members: Vec<u32> = bits(set).collect();
    let end = 1u64 << members.len();
    let first = Some((1u64 << size) - 1).filter(|&first| first < end);
    std::iter::successors(first, move |&chosen| {
        if chosen == 0 {
            return None;
        }
        // the next number with as many bits
        let low = chosen & chosen.wrapping_neg();
        let carried = chosen + low;
        let next = carried | (((chosen ^ carried) >> 2) / low);
        (next < end).then_some(next)
    })
    .map(move |chosen| {
        let kept = members.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
        kept.fold(0, |set, (_, bit)| set | bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_a_set_add_up_to_it() {
        assert_eq!(bits(0).next(), None);
        assert!(bits(0x8000_0105).eq([1, 4, 0x100, 0x8000_0000]));
        assert!(bits(u32::MAX).eq((0..32).map(|bit| 1 << bit)));
    }

    #[test]
    fn subsets_are_all_there_are() {
        for set in [0u32, 0b1, 0b1011_0110, 0x3fff_ffff & 0x2492_4924, 0b111_1111_1111] {
            for size in 0..=set.count_ones() + 1 {
                let listed: Vec<u32> = subsets(set, size).collect();
                let mut brute: Vec<u32> = vec![];
                let mut part = set;
                loop {
                    if part.count_ones() == size {
                        brute.push(part);
                    }
                    if part == 0 {
                        break;
                    }
                    part = (part - 1) & set;
                }
                brute.sort_unstable();
                assert_eq!(listed, brute, "{size} of {set:b}");
            }
        }
    }
}
