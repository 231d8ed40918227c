//! The search of units by AVX2: the queue by level of `avx512` with 8 lanes.
//!
//! Shifts of 16-bit halves are products with powers of two, and lanes are packed by a table. The last two rows do not
//! change places.

use std::arch::x86_64::*;

use super::{LEVELS, Machine, Order, Search};
use crate::method::join::parity::Shape;

/// Nodes in a vector.
const LANES: usize = 8;
/// Nodes in a buffer.
const CAP: usize = 512;
/// Words between those of a node: a vector may be written behind the last node.
const STRIDE: usize = CAP + LANES;
/// Most words of a node: 15 later rows.
const WORDS: usize = 9;

/// Scratch of one thread.
pub struct Avx2 {
    /// Nodes of every level.
    len: [usize; LEVELS],
    /// For each word of a node after the first, the distance of its two rows from the current one.
    shift: [[u32; WORDS]; LEVELS],
    /// All buffers, those of level m from word `offset(m)` on; aligned to vectors.
    nodes: Vec<Vector>,
    visits: u64,
}

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Vector([u32; LANES]);

/// Where the buffers of level m begin.
const fn offset(m: usize) -> usize {
    let (mut at, mut i) = (0, 0);
    while i < m {
        at += STRIDE * (1 + i.div_ceil(2));
        i += 1;
    }
    at
}

impl Avx2 {
    /// None if the processor lacks a feature that is used.
    #[must_use]
    pub fn new() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
        has.then(|| Self {
            len: [0; LEVELS],
            shift: [[0; WORDS]; LEVELS],
            nodes: vec![Vector([0; LANES]); offset(LEVELS) / LANES],
            visits: 0,
        })
    }
}

impl Machine for Avx2 {
    fn fill(&mut self, search: &Search<'_>, table: &mut [u32]) -> u64 {
        // SAFETY: `new` found the features.
        unsafe { self.run(search, table) }
    }
}

/// Lanes of the first `n` nodes.
#[inline]
fn lanes(n: usize) -> u8 {
    if n >= LANES { !0 } else { (1 << n) - 1 }
}

/// Diagonals and antidiagonals of up to 8 placements; zeros in other lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn load(placements: &[u32]) -> (__m256i, __m256i) {
    let lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let len = placements.len() as i32;
    let at: *const i32 = placements.as_ptr().cast();
    // SAFETY: words that are not in the slice are masked out, and not touched.
    let (low, high) = unsafe {
        (
            _mm256_maskload_epi32(at, _mm256_cmpgt_epi32(_mm256_set1_epi32(len), lane)),
            _mm256_maskload_epi32(
                at.wrapping_add(LANES),
                _mm256_cmpgt_epi32(_mm256_set1_epi32(len - LANES as i32), lane),
            ),
        )
    };
    let (low, high) = (_mm256_castsi256_ps(low), _mm256_castsi256_ps(high));
    let d = _mm256_castps_si256(_mm256_shuffle_ps::<0x88>(low, high));
    let a = _mm256_castps_si256(_mm256_shuffle_ps::<0xdd>(low, high));
    (_mm256_permute4x64_epi64::<0xd8>(d), _mm256_permute4x64_epi64::<0xd8>(a))
}

/// For each choice of lanes their numbers, lowest first.
static COMPACT: [[u32; LANES]; 256] = {
    let mut all = [[0; LANES]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut at) = (0, 0);
        while lane < LANES {
            if set >> lane & 1 == 1 {
                all[set][at] = lane as u32;
                at += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    all
};

#[inline]
#[target_feature(enable = "avx2")]
fn compact(chosen: u8) -> __m256i {
    // SAFETY: 8 words are there.
    unsafe { _mm256_loadu_si256(COMPACT[chosen as usize].as_ptr().cast()) }
}

/// Lanes that are not 0.
#[inline]
#[target_feature(enable = "avx2")]
fn some(v: __m256i) -> u8 {
    !(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(v, _mm256_setzero_si256()))) as u8)
}

impl Avx2 {
    #[target_feature(enable = "avx2,popcnt")]
    fn run(&mut self, search: &Search<'_>, table: &mut [u32]) -> u64 {
        let order = Order::of(search);
        self.visits = 0;
        self.set_rows(order.as_slice());
        for (number, words) in search.units.iter().enumerate() {
            self.enter(words, search.shape, order.as_slice(), (number << search.shape.odd) as u32, table);
        }
        for m in (0..order.len).rev() {
            self.drain(m, table);
        }
        self.visits
    }

    /// The vector at node `at` of word `word` in level `m`; `at` is a multiple of 8.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn get(&self, m: usize, word: usize, at: usize) -> __m256i {
        let index = (offset(m) + word * STRIDE + at) / LANES;
        debug_assert!(
            at.is_multiple_of(LANES) && at < CAP && word <= m.div_ceil(2) && index < self.nodes.len()
        );
        // SAFETY: callers keep at < CAP, word <= ceil(m / 2) and m < LEVELS, so the index lies in `nodes`.
        unsafe { _mm256_load_si256(self.nodes.as_ptr().add(index).cast()) }
    }

    /// Writes the chosen lanes of a word from node `at` on, and garbage up to 8 nodes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn put(&mut self, m: usize, word: usize, at: usize, chosen: u8, v: __m256i) {
        let index = offset(m) + word * STRIDE + at;
        debug_assert!(at <= CAP && word <= m.div_ceil(2) && index + LANES <= self.nodes.len() * LANES);
        let v = _mm256_permutevar8x32_epi32(v, compact(chosen));
        // SAFETY: callers keep at <= CAP, word <= ceil(m / 2) and m < LEVELS, and STRIDE = CAP + 8.
        unsafe { _mm256_storeu_si256(self.nodes.as_mut_ptr().cast::<u32>().add(index).cast(), v) }
    }

    /// The distances between rows for a search of `order`.
    fn set_rows(&mut self, order: &[u8]) {
        for m in 1..order.len() {
            let later = &order[order.len() - m..];
            let here = order[order.len() - m - 1];
            for word in 0..m.div_ceil(2) {
                let far = |half: usize| {
                    let index = 2 * word + half;
                    let row = if m % 2 == 1 { index.checked_sub(1) } else { Some(index) };
                    row.map_or(0, |r| u32::from(later[r].abs_diff(here)))
                };
                self.shift[m][word] = far(0) | far(1) << 16;
            }
        }
    }

    /// Makes nodes of the placements of one unit, whose table begins at `first`.
    #[target_feature(enable = "avx2,popcnt")]
    fn enter(&mut self, words: &[u32], shape: Shape, order: &[u8], first: u32, table: &mut [u32]) {
        let m = order.len() - 1;
        let all = _mm256_set1_epi32(shape.all_odd() as i32);
        for placements in words.chunks(2 * LANES) {
            if self.len[m] > CAP - LANES {
                self.drain(m, table);
            }
            let (d, a) = load(placements);
            let free = |i: u8| {
                let i = u32::from(i);
                let a = _mm256_srlv_epi32(a, _mm256_set1_epi32(i as i32));
                let d = _mm256_srlv_epi32(d, _mm256_set1_epi32((shape.even - 1 - i) as i32));
                _mm256_andnot_si256(_mm256_or_si256(a, d), all)
            };
            let mut live = lanes(placements.len() / 2);
            let current = free(order[0]);
            live &= some(current);
            let mut nodes = [current; WORDS];
            nodes[0] = _mm256_or_si256(current, _mm256_set1_epi32((first << 16) as i32));
            let (mut word, mut half) = (1, m % 2);
            for &i in &order[1..] {
                let row = free(i);
                live &= some(row);
                if half == 0 {
                    nodes[word] = row;
                    half = 1;
                } else {
                    let low = if word == 1 && m % 2 == 1 { _mm256_setzero_si256() } else { nodes[word] };
                    nodes[word] = _mm256_or_si256(low, _mm256_slli_epi32::<16>(row));
                    half = 0;
                    word += 1;
                }
            }
            let len = self.len[m];
            for (word, &node) in nodes[..1 + m.div_ceil(2)].iter().enumerate() {
                self.put(m, word, len, live, node);
            }
            self.len[m] = len + live.count_ones() as usize;
        }
    }

    /// Empties level m; children stay on the levels below as far as they fit.
    #[target_feature(enable = "avx2,popcnt")]
    fn drain(&mut self, m: usize, table: &mut [u32]) {
        match m {
            0 => self.leaves(table),
            1 => self.expand::<1>(table),
            2 => self.expand::<2>(table),
            3 => self.expand::<3>(table),
            4 => self.expand::<4>(table),
            5 => self.expand::<5>(table),
            6 => self.expand::<6>(table),
            7 => self.expand::<7>(table),
            8 => self.expand::<8>(table),
            9 => self.expand::<9>(table),
            10 => self.expand::<10>(table),
            11 => self.expand::<11>(table),
            12 => self.expand::<12>(table),
            13 => self.expand::<13>(table),
            14 => self.expand::<14>(table),
            _ => self.expand::<15>(table),
        }
    }

    /// Empties level M, with room made below as needed.
    #[target_feature(enable = "avx2,popcnt")]
    fn expand<const M: usize>(&mut self, table: &mut [u32]) {
        let later = M.div_ceil(2);
        let high = _mm256_set1_epi32(!0xffff);
        let low = _mm256_set1_epi32(0xffff);
        // Shifts by d and 16 - d as products with powers of two, kept in their high and low halves.
        let (mut shift, mut back) = ([_mm256_setzero_si256(); WORDS], [_mm256_setzero_si256(); WORDS]);
        for w in 0..later {
            let (a, b) = (self.shift[M][w] & 0xffff, self.shift[M][w] >> 16);
            let right = |d: u32| if d == 0 { 0 } else { 1 << (16 - d) };
            shift[w] = _mm256_set1_epi32(1 << a | 1 << (16 + b));
            back[w] = _mm256_set1_epi32(right(a) | right(b) << 16);
        }
        loop {
            let n = self.len[M];
            if n == 0 {
                return;
            }
            self.visits += n as u64;
            let mut keep = 0;
            let mut at = 0;
            while at < n {
                if self.len[M - 1] > CAP - LANES {
                    self.drain(M - 1, table);
                }
                let live = lanes(n - at);
                let w0 = self.get(M, 0, at);
                let bit = _mm256_and_si256(w0, _mm256_sub_epi32(_mm256_setzero_si256(), w0));
                let upper = _mm256_slli_epi32::<16>(bit);
                let both = if M == 1 { upper } else { _mm256_or_si256(bit, upper) };
                let rest = _mm256_xor_si256(w0, bit);
                let set = _mm256_xor_si256(w0, upper);

                // The later rows without the squares that the new queen attacks.
                let mut old = [w0; WORDS];
                let mut new = [w0; WORDS];
                let mut least = low;
                for w in 0..later {
                    old[w] = self.get(M, 1 + w, at);
                    let left = _mm256_mullo_epi16(both, shift[w]);
                    let right = _mm256_mulhi_epu16(both, back[w]);
                    let hit = _mm256_or_si256(both, _mm256_or_si256(left, right));
                    new[w] = _mm256_andnot_si256(hit, old[w]);
                    least = match (w, M % 2) {
                        (0, 1) => _mm256_or_si256(new[w], low),
                        (0, _) => new[w],
                        _ => _mm256_min_epu16(least, new[w]),
                    };
                }
                let spent = _mm256_cmpeq_epi16(least, _mm256_setzero_si256());
                let alive = live & !some(spent);
                let head = if M % 2 == 1 {
                    _mm256_or_si256(_mm256_and_si256(high, set), _mm256_srli_epi32::<16>(new[0]))
                } else {
                    _mm256_blend_epi16::<0xaa>(new[0], set)
                };
                let len = self.len[M - 1];
                self.put(M - 1, 0, len, alive, head);
                for (word, &new) in new[M % 2..later].iter().enumerate() {
                    self.put(M - 1, 1 + word, len, alive, new);
                }
                self.len[M - 1] = len + alive.count_ones() as usize;

                let again = live & some(_mm256_and_si256(rest, low));
                self.put(M, 0, keep, again, rest);
                for (word, &old) in old[..later].iter().enumerate() {
                    self.put(M, 1 + word, keep, again, old);
                }
                keep += again.count_ones() as usize;
                at += LANES;
            }
            self.len[M] = keep;
        }
    }

    /// Empties level 0: every free square of the last row is a leaf.
    #[target_feature(enable = "avx2,popcnt")]
    fn leaves(&mut self, table: &mut [u32]) {
        let low = _mm256_set1_epi32(0xffff);
        loop {
            let n = self.len[0];
            if n == 0 {
                break;
            }
            self.visits += n as u64;
            let mut keep = 0;
            let mut at = 0;
            while at < n {
                let live = lanes(n - at);
                let w0 = self.get(0, 0, at);
                let bit = _mm256_and_si256(w0, _mm256_sub_epi32(_mm256_setzero_si256(), w0));
                let rest = _mm256_xor_si256(w0, bit);
                let index = _mm256_xor_si256(_mm256_srli_epi32::<16>(w0), bit);
                let mut out = Vector([0; LANES]);
                // SAFETY: a vector has 8 words and is aligned.
                unsafe { _mm256_store_si256(out.0.as_mut_ptr().cast(), index) };
                if n - at >= LANES {
                    out.0.iter().for_each(|&i| table[i as usize] += 1);
                } else {
                    out.0[..n - at].iter().for_each(|&i| table[i as usize] += 1);
                }
                let again = live & some(_mm256_and_si256(rest, low));
                self.put(0, 0, keep, again, rest);
                keep += again.count_ones() as usize;
                at += LANES;
            }
            self.len[0] = keep;
        }
    }
}
