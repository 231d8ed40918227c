//! Which context buffers stay on the device: words that several dispatches share are uploaded once.

use std::{collections::VecDeque, sync::Arc};

/// Bytes of contexts that are kept on the device beyond those of the latest dispatch.
pub const KEPT_BYTES: usize = 256 << 20;

/// Context buffers on the device, the latest used last.
pub struct Contexts<B> {
    most_bytes: usize,
    /// The words are kept too, so that no others can come to lie where they lie.
    kept: VecDeque<(Arc<[u32]>, B)>,
}

impl<B: Clone> Contexts<B> {
    /// Keeps up to so many bytes.
    pub const fn new(most_bytes: usize) -> Self {
        Self { most_bytes, kept: VecDeque::new() }
    }

    /// The buffers of a dispatch, those uploaded that are not there; then drops the least recently used.
    pub fn buffers(&mut self, context: &[Arc<[u32]>], mut upload: impl FnMut(&[u32]) -> B) -> Vec<B> {
        let buffers = context.iter().map(|words| self.buffer(words, &mut upload)).collect();
        self.trim(context.len());
        buffers
    }

    fn buffer(&mut self, words: &Arc<[u32]>, upload: impl FnOnce(&[u32]) -> B) -> B {
        let found = self.kept.iter().position(|(other, _)| Arc::ptr_eq(other, words));
        let entry =
            found.and_then(|at| self.kept.remove(at)).unwrap_or_else(|| (Arc::clone(words), upload(words)));
        let buffer = entry.1.clone();
        self.kept.push_back(entry);
        buffer
    }

    /// Drops the least recently used, but none of the last `used`.
    fn trim(&mut self, used: usize) {
        let mut bytes: usize = self.kept.iter().map(|(words, _)| size_of_val(&words[..])).sum();
        while bytes > self.most_bytes && self.kept.len() > used {
            bytes -= self.kept.pop_front().map_or(0, |(words, _)| size_of_val(&words[..]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(word: u32, len: usize) -> Arc<[u32]> {
        vec![word; len].into()
    }

    /// Contexts whose buffers are the words themselves, and what each dispatch uploads.
    fn uploads(most_bytes: usize, dispatches: &[&[&Arc<[u32]>]]) -> Vec<Vec<u32>> {
        let mut contexts = Contexts::new(most_bytes);
        let each = |dispatch: &&[&Arc<[u32]>]| {
            let context: Vec<_> = dispatch.iter().map(|&words| Arc::clone(words)).collect();
            let mut uploaded = Vec::new();
            let buffers = contexts.buffers(&context, |words| {
                uploaded.push(words[0]);
                words.to_vec()
            });
            assert!(buffers.iter().zip(&context).all(|(buffer, words)| buffer[..] == words[..]));
            uploaded
        };
        dispatches.iter().map(each).collect()
    }

    #[test]
    fn words_that_dispatches_share_are_uploaded_once() {
        let [a, b, c] = [1, 2, 3].map(|word| words(word, 1));
        assert_eq!(uploads(1 << 10, &[&[&a, &b], &[&a, &c], &[&b, &c]]), [vec![1, 2], vec![3], vec![]]);
        // equal words elsewhere are other words; one buffer may be bound twice
        assert_eq!(uploads(1 << 10, &[&[&a], &[&words(1, 1)], &[&c, &c]]), [[1], [1], [3]]);
    }

    #[test]
    fn what_was_dropped_is_uploaded_again() {
        let [a, b, c] = [1, 2, 3].map(|word| words(word, 10));
        // room for two: the least recently used goes
        let uploaded = uploads(80, &[&[&a], &[&b], &[&a], &[&c], &[&a], &[&b]]);
        assert_eq!(uploaded, [vec![1], vec![2], vec![], vec![3], vec![], vec![2]]);
    }

    #[test]
    fn the_buffers_of_a_dispatch_stay_though_they_are_too_large() {
        let [a, b] = [1, 2].map(|word| words(word, 10));
        assert_eq!(uploads(0, &[&[&a, &b], &[&b, &a], &[&a], &[&b]]), [vec![1, 2], vec![], vec![], vec![2]]);
    }
}
