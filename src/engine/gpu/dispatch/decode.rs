//! From the bytes that came back from a device to records: a pure function that believes nothing.
//!
//! A buffer holds one record a unit, then eight words of totals: the device's own wrapping sum of each of the
//! eight words over all records. Before a dispatch the records are filled with a word that no kernel writes
//! as a state, so that a record that is zero, stale, shifted, cut off or flipped is seen.

use crate::{error::Fault, method::Record};

/// Bytes of one record.
pub const RECORD_BYTES: usize = size_of::<Record>();

/// Bytes of the totals that follow the records.
pub const TOTALS_BYTES: usize = size_of::<[u32; WORDS]>();

/// Words of a record.
const WORDS: usize = RECORD_BYTES / 4;

/// Names of the words of a record, for messages.
const WORD_NAMES: [&str; WORDS] =
    ["id", "run", "state", "bucket", "count low", "count high", "visits low", "visits high"];

/// Reads the records of `units` units of the dispatch tagged `run`.
///
/// # Errors
///
/// The first [`Fault`] found.
pub fn decode(bytes: &[u8], units: u32, run: u32) -> Result<Vec<Record>, Fault> {
    let want = units as usize * RECORD_BYTES + TOTALS_BYTES;
    if bytes.len() != want {
        return Err(Fault::Length { got: bytes.len(), want });
    }
    let (records, totals) = bytes.split_at(want - TOTALS_BYTES);
    // copies, as the bytes of a device may lie at any address
    let records: Vec<Record> = records.chunks_exact(RECORD_BYTES).map(bytemuck::pod_read_unaligned).collect();
    let mut sums = [0u32; WORDS];
    for (unit, record) in (0..).zip(&records) {
        let Record { id, run: tag, state, .. } = *record;
        if state != Record::DONE && state != Record::UNFINISHED {
            return Err(Fault::Unwritten { unit, state });
        }
        if tag != run {
            return Err(Fault::Stale { unit, got: tag, want: run });
        }
        if id != unit {
            return Err(Fault::Misplaced { unit, got: id });
        }
        for (sum, word) in sums.iter_mut().zip(bytemuck::cast::<Record, [u32; WORDS]>(*record)) {
            *sum = sum.wrapping_add(word);
        }
    }
    let device: [u32; WORDS] = bytemuck::pod_read_unaligned(totals);
    match (0..WORDS).find(|&word| sums[word] != device[word]) {
        None => Ok(records),
        Some(word) => Err(Fault::Sum { word: WORD_NAMES[word], device: device[word], host: sums[word] }),
    }
}

/// Writes records as a device would: the inverse of [`decode`].
#[cfg(feature = "testing")]
#[must_use]
pub fn encode(records: &[Record]) -> Vec<u8> {
    let mut totals = [0u32; WORDS];
    for record in records {
        for (sum, word) in totals.iter_mut().zip(bytemuck::cast::<Record, [u32; WORDS]>(*record)) {
            *sum = sum.wrapping_add(word);
        }
    }
    [bytemuck::cast_slice(records), bytemuck::bytes_of(&totals)].concat()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RUN: u32 = 0x0101_0007;

    fn records(units: u32) -> Vec<Record> {
        (0..units)
            .map(|id| Record {
                id,
                run: RUN,
                state: Record::DONE,
                bucket: 0,
                count: [id * 3, 1],
                visits: [id * 50, 2],
            })
            .collect()
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        for units in [0, 1, 63, 64, 65] {
            assert_eq!(decode(&encode(&records(units)), units, RUN), Ok(records(units)));
        }
    }

    #[test]
    fn zeroed_stale_shifted_and_cut_buffers_are_seen() {
        let good = encode(&records(9));
        assert!(matches!(decode(&vec![0; good.len()], 9, RUN), Err(Fault::Unwritten { unit: 0, state: 0 })));
        assert!(matches!(decode(&good, 9, RUN + 1), Err(Fault::Stale { unit: 0, .. })));
        let mut shifted = good.clone();
        shifted.rotate_left(RECORD_BYTES);
        assert!(decode(&shifted, 9, RUN).is_err());
        let mut swapped = good.clone();
        let (first, second) = swapped.split_at_mut(RECORD_BYTES);
        first.swap_with_slice(&mut second[..RECORD_BYTES]);
        assert_eq!(decode(&swapped, 9, RUN), Err(Fault::Misplaced { unit: 0, got: 1 }));
        for length in 0..good.len() {
            assert!(matches!(decode(&good[..length], 9, RUN), Err(Fault::Length { .. })));
        }
        let mut filled = good;
        filled[4 * RECORD_BYTES..5 * RECORD_BYTES].fill(0xa5);
        assert_eq!(decode(&filled, 9, RUN), Err(Fault::Unwritten { unit: 4, state: Record::UNWRITTEN }));
    }

    #[test]
    fn every_single_flipped_bit_is_seen() {
        let good = encode(&records(5));
        for bit in 0..good.len() * 8 {
            let mut flipped = good.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&flipped, 5, RUN).is_err(), "bit {bit}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), units in 0u32..12) {
            let _ = decode(&bytes, units, RUN);
        }
    }
}
