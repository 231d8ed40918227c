//! The search of units by AVX-512: a queue by level.
//!
//! A node is a partial filling of the searched rows: its column set S and, for every row still to be filled, the squares
//! still free in it, 16 bits each. With m rows after the current one a node takes 1 + ceil(m/2) words: word 0 is
//! S << 16 | free squares of the current row, the others hold the later rows in pairs. If m is odd, the low half of word
//! 1 is spent.
//!
//! The nodes with m later rows lie in the buffer of level m, word by word, 16 to a vector. A step takes 16 nodes, puts
//! a queen on the lowest free square of each, writes the children that leave every later row a square to level m - 1,
//! and the nodes that have squares left back to level m. When a buffer is full, the level below is emptied first. So
//! lanes are always full, nothing is undone, rows and shifts are uniform. The table of a unit is found by the bits of
//! S above its columns.

use std::arch::x86_64::*;

use super::{LEVELS, Machine, Order, Search};
use crate::method::join::parity::Shape;

/// Nodes in a vector.
const LANES: usize = 16;
/// Nodes in a buffer.
const CAP: usize = 512;
/// Words between those of a node: a vector may be written behind the last node.
const STRIDE: usize = CAP + LANES;
/// Most words of a node: 15 later rows.
const WORDS: usize = 9;

/// Scratch of one thread.
pub struct Avx512 {
    /// Nodes of every level.
    len: [usize; LEVELS],
    /// For each word of a node after the first, the distance of its two rows from the current one.
    shift: [[u32; WORDS]; LEVELS],
    /// All buffers, those of level m from word `offset(m)` on; aligned to vectors.
    nodes: Vec<Vector>,
    visits: u64,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
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

impl Avx512 {
    /// None if the processor lacks a feature that is used.
    #[must_use]
    pub fn new() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512bitalg")
            && is_x86_feature_detected!("popcnt");
        has.then(|| Self {
            len: [0; LEVELS],
            shift: [[0; WORDS]; LEVELS],
            nodes: vec![Vector([0; LANES]); offset(LEVELS) / LANES],
            visits: 0,
        })
    }
}

impl Machine for Avx512 {
    fn fill(&mut self, search: &Search<'_>, table: &mut [u32]) -> u64 {
        // SAFETY: `new` found the features.
        unsafe { self.run(search, table) }
    }
}

/// Lanes of the first `n` nodes.
#[inline]
fn lanes(n: usize) -> u16 {
    if n >= LANES { !0 } else { (1 << n) - 1 }
}

/// Diagonals and antidiagonals of up to 16 placements; zeros in other lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(placements: &[u32]) -> (__m512i, __m512i) {
    let words = if placements.len() >= 2 * LANES { !0 } else { (1u32 << placements.len()) - 1 };
    let at: *const i32 = placements.as_ptr().cast();
    // SAFETY: words that are not in the slice are masked out, and not touched.
    let (low, high) = unsafe {
        (
            _mm512_maskz_loadu_epi32(words as u16, at),
            _mm512_maskz_loadu_epi32((words >> 16) as u16, at.wrapping_add(LANES)),
        )
    };
    let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    (_mm512_permutex2var_epi32(low, even, high), _mm512_permutex2var_epi32(low, odd, high))
}

/// Lanes that are not 0.
#[inline]
#[target_feature(enable = "avx512f")]
fn some(v: __m512i) -> u16 {
    _mm512_test_epi32_mask(v, v)
}

impl Avx512 {
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512bitalg,popcnt")]
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

    /// The vector at node `at` of word `word` in level `m`; `at` is a multiple of 16.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn get(&self, m: usize, word: usize, at: usize) -> __m512i {
        let index = (offset(m) + word * STRIDE + at) / LANES;
        debug_assert!(
            at.is_multiple_of(LANES) && at < CAP && word <= m.div_ceil(2) && index < self.nodes.len()
        );
        // SAFETY: callers keep at < CAP, word <= ceil(m / 2) and m < LEVELS, so the index lies in `nodes`.
        unsafe { _mm512_load_si512(self.nodes.as_ptr().add(index).cast()) }
    }

    /// Writes the chosen lanes of a word from node `at` on, and garbage up to 16 nodes.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn put(&mut self, m: usize, word: usize, at: usize, chosen: u16, v: __m512i) {
        let index = offset(m) + word * STRIDE + at;
        debug_assert!(at <= CAP && word <= m.div_ceil(2) && index + LANES <= self.nodes.len() * LANES);
        let v = _mm512_maskz_compress_epi32(chosen, v);
        // SAFETY: callers keep at <= CAP, word <= ceil(m / 2) and m < LEVELS, and STRIDE = CAP + 16.
        unsafe { _mm512_storeu_si512(self.nodes.as_mut_ptr().cast::<u32>().add(index).cast(), v) }
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
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512bitalg,popcnt")]
    fn enter(&mut self, words: &[u32], shape: Shape, order: &[u8], first: u32, table: &mut [u32]) {
        let m = order.len() - 1;
        let all = _mm512_set1_epi32(shape.all_odd() as i32);
        for placements in words.chunks(2 * LANES) {
            if self.len[m] > CAP - LANES {
                self.drain(m, table);
            }
            let (d, a) = load(placements);
            let free = |i: u8| {
                let i = u32::from(i);
                let a = _mm512_srlv_epi32(a, _mm512_set1_epi32(i as i32));
                let d = _mm512_srlv_epi32(d, _mm512_set1_epi32((shape.even - 1 - i) as i32));
                _mm512_ternarylogic_epi32::<0x02>(a, d, all)
            };
            let mut live = lanes(placements.len() / 2);
            let current = free(order[0]);
            live &= some(current);
            let mut nodes = [current; WORDS];
            nodes[0] = _mm512_or_si512(current, _mm512_set1_epi32((first << 16) as i32));
            let (mut word, mut half) = (1, m % 2);
            for &i in &order[1..] {
                let row = free(i);
                live &= some(row);
                if half == 0 {
                    nodes[word] = row;
                    half = 1;
                } else {
                    let low = if word == 1 && m % 2 == 1 { _mm512_setzero_si512() } else { nodes[word] };
                    nodes[word] = _mm512_or_si512(low, _mm512_slli_epi32::<16>(row));
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
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512bitalg,popcnt")]
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
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512bitalg,popcnt")]
    fn expand<const M: usize>(&mut self, table: &mut [u32]) {
        let later = M.div_ceil(2);
        let high = _mm512_set1_epi32(!0xffff);
        let low = _mm512_set1_epi32(0xffff);
        let mut shift = [_mm512_setzero_si512(); WORDS];
        for (shift, &far) in shift[..later].iter_mut().zip(&self.shift[M]) {
            *shift = _mm512_set1_epi32(far as i32);
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
                let bit = _mm512_and_si512(w0, _mm512_sub_epi32(_mm512_setzero_si512(), w0));
                let upper = _mm512_slli_epi32::<16>(bit);
                let both = if M == 1 { upper } else { _mm512_or_si512(bit, upper) };
                let rest = _mm512_xor_si512(w0, bit);
                let set = _mm512_xor_si512(w0, upper);

                // The later rows without the squares that the new queen attacks.
                let mut old = [w0; WORDS];
                let mut new = [w0; WORDS];
                let mut least = low;
                for w in 0..later {
                    old[w] = self.get(M, 1 + w, at);
                    let left = _mm512_sllv_epi16(both, shift[w]);
                    let right = _mm512_srlv_epi16(both, shift[w]);
                    let hit = _mm512_ternarylogic_epi32::<0xfe>(both, left, right);
                    new[w] = _mm512_andnot_si512(hit, old[w]);
                    least = match (w, M % 2) {
                        (0, 1) => _mm512_or_si512(new[w], low),
                        (0, _) => new[w],
                        _ => _mm512_min_epu16(least, new[w]),
                    };
                }
                let mut alive = _mm512_mask_test_epi32_mask(live, least, high);
                if M > 1 {
                    alive = _mm512_mask_test_epi32_mask(alive, least, low);
                }
                if M == 2 {
                    // The last two rows may change places: the fuller one comes last.
                    let count = _mm512_popcnt_epi16(new[0]);
                    let fuller = _mm512_cmplt_epu32_mask(count, _mm512_rol_epi32::<16>(count));
                    new[0] = _mm512_mask_rol_epi32::<16>(new[0], fuller, new[0]);
                }
                let head = if M % 2 == 1 {
                    _mm512_ternarylogic_epi32::<0xea>(high, set, _mm512_srli_epi32::<16>(new[0]))
                } else {
                    _mm512_ternarylogic_epi32::<0xca>(high, set, new[0])
                };
                let len = self.len[M - 1];
                self.put(M - 1, 0, len, alive, head);
                for (word, &new) in new[M % 2..later].iter().enumerate() {
                    self.put(M - 1, 1 + word, len, alive, new);
                }
                self.len[M - 1] = len + alive.count_ones() as usize;

                let again = _mm512_mask_test_epi32_mask(live, rest, low);
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
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,avx512bitalg,popcnt")]
    fn leaves(&mut self, table: &mut [u32]) {
        let low = _mm512_set1_epi32(0xffff);
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
                let bit = _mm512_and_si512(w0, _mm512_sub_epi32(_mm512_setzero_si512(), w0));
                let rest = _mm512_xor_si512(w0, bit);
                let index = _mm512_xor_si512(_mm512_srli_epi32::<16>(w0), bit);
                let mut out = Vector([0; LANES]);
                // SAFETY: a vector has 16 words and is aligned.
                unsafe { _mm512_store_si512(out.0.as_mut_ptr().cast(), index) };
                if n - at >= LANES {
                    out.0.iter().for_each(|&i| table[i as usize] += 1);
                } else {
                    out.0[..n - at].iter().for_each(|&i| table[i as usize] += 1);
                }
                let again = _mm512_mask_test_epi32_mask(live, rest, low);
                self.put(0, 0, keep, again, rest);
                keep += again.count_ones() as usize;
                at += LANES;
            }
            self.len[0] = keep;
        }
    }
}
