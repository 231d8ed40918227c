//! Any bytes as a checkpoint: refused, or read as what writes the same bytes.

#![no_main]

use ferz::checkpoint::Checkpoint;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(checkpoint) = Checkpoint::read(bytes) {
        assert_eq!(checkpoint.write(), bytes);
    }
});
