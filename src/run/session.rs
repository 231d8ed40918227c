//! What a session of a run has done so far.

use super::{check::disputes::Disputes, progress::Throttled};
use crate::ledger::Ledger;

/// What the engines counted together.
pub struct Driven {
    /// The sum, over earlier sessions too.
    pub ledger: Ledger,
    /// Visits of each engine in this session, in their order.
    pub visits: Vec<u128>,
    /// When the rate had fallen.
    pub throttled: Vec<Throttled>,
    /// What came out otherwise than the reference says in this session.
    pub disputes: Disputes,
}
