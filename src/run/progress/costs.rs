//! Expected costs of all blocks, from a look at some of them.

/// Into how many runs the blocks are divided, and how many blocks of each are looked at: to work out a cost may take some
/// microseconds, and there may be a million blocks.
const RUNS: u64 = 1024;
const LOOKS: u64 = 4;

/// The expected visits of each block: the mean of its run.
#[derive(Debug)]
pub struct Costs {
    blocks: u64,
    /// The mean of each run of blocks.
    means: Vec<f64>,
    total: f64,
}

impl Costs {
    /// From the cost of a block by its number.
    pub fn of(blocks: u64, cost: &dyn Fn(u64) -> f64) -> Self {
        let runs = blocks.min(RUNS);
        let begin = |run: u64| (u128::from(run) * u128::from(blocks) / u128::from(runs.max(1))) as u64;
        let (mut means, mut total) = (Vec::with_capacity(runs as usize), 0.0);
        for run in 0..runs {
            let (first, length) = (begin(run), begin(run + 1) - begin(run));
            let looks = length.min(LOOKS);
            // in the middle of equal parts
            let look = |at: u64| cost(first + length * (2 * at + 1) / (2 * looks));
            let mean = (0..looks).map(look).sum::<f64>() / looks as f64;
            means.push(mean);
            total += mean * length as f64;
        }
        Self { blocks, means, total }
    }

    /// Expected visits of a block.
    pub fn at(&self, number: u64) -> f64 {
        let (number, blocks, runs) = (u128::from(number), u128::from(self.blocks), self.means.len() as u128);
        self.means[(((number + 1) * runs - 1) / blocks.max(1)) as usize]
    }

    /// Expected visits of all blocks.
    pub const fn total(&self) -> f64 {
        self.total
    }
}
