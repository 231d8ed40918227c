//! Any bytes as a checkpoint, with the checksum that they have and with the one that they should have: refused, or read as
//! what writes the same bytes.

#![no_main]

use ferz::Checkpoint;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for bytes in [Some(bytes.to_vec()), mended(bytes)].into_iter().flatten() {
        if let Ok(checkpoint) = Checkpoint::read(&bytes) {
            assert_eq!(checkpoint.write(), bytes);
        }
    }
});

/// With the right checksum, behind which nothing would be reached by chance.
fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    const KEY: &[u8] = b"checksum: ";
    let end = bytes.windows(2).position(|pair| pair == b"\n\n")?;
    let (head, data) = (&bytes[..=end], &bytes[end + 2..]);
    let head = &head[..head.windows(KEY.len()).rposition(|words| words == KEY)?];
    let sum = blake3::Hasher::new().update(head).update(data).finalize().to_hex();
    Some([head, KEY, sum.as_bytes(), b"\n\n", data].concat())
}
