//! How a caller stops what takes long.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crate::Error;

/// Cancels a run from another thread. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Asks the run to stop; it does within a fraction of a second.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run is asked to stop.
    ///
    /// # Errors
    ///
    /// [`Error::Cancelled`] if it is.
    pub fn check(&self) -> Result<(), Error> {
        if self.0.load(Ordering::Relaxed) { Err(Error::Cancelled) } else { Ok(()) }
    }
}

impl PartialEq for CancelToken {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CancelToken {}
