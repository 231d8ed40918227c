//! Published counts, with their source.

/// All solutions for N = 1, 2, ... OEIS A000170; N = 27: Preusser 2016 (FPGA), confirmed by Yao 2025 (GPU).
const SOLUTIONS: [u128; 27] = [
    1,
    0,
    0,
    2,
    10,
    4,
    40,
    92,
    352,
    724,
    2_680,
    14_200,
    73_712,
    365_596,
    2_279_184,
    14_772_512,
    95_815_104,
    666_090_624,
    4_968_057_848,
    39_029_188_884,
    314_666_222_712,
    2_691_008_701_644,
    24_233_937_684_440,
    227_514_171_973_736,
    2_207_893_435_808_352,
    22_317_699_616_364_044,
    234_907_967_154_122_528,
];

/// The number of solutions for N queens, where it is known publicly: 1 <= `n` <= 27 (OEIS A000170).
#[must_use]
pub fn solutions(n: u32) -> Option<u128> {
    SOLUTIONS.get(usize::try_from(n.checked_sub(1)?).ok()?).copied()
}
