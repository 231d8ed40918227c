//! Builds blocks ahead on threads, so that no engine waits for them.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    time::Duration,
};

use crate::{
    Error,
    ledger::{Ledger, Missing},
    method::{Block, Method},
};

/// Hands out the blocks of a method that are not done yet, each once, in about their order.
pub struct Feed {
    method: Arc<dyn Method>,
    pool: Arc<rayon::ThreadPool>,
    todo: Missing,
    building: usize,
    sender: Sender<Result<Block, Error>>,
    receiver: Receiver<Result<Block, Error>>,
}

impl Feed {
    /// Starts with the first block that is not in the ledger.
    #[must_use]
    pub fn new(method: Arc<dyn Method>, pool: Arc<rayon::ThreadPool>, ledger: &Ledger) -> Self {
        let (sender, receiver) = channel();
        let todo = ledger.missing(method.blocks());
        Self { method, pool, todo, building: 0, sender, receiver }
    }

    /// Keeps as many blocks in the making as there are threads, and one more.
    fn top_up(&mut self) {
        while self.building <= self.pool.current_num_threads() {
            let Some(number) = self.todo.next() else { return };
            self.building += 1;
            let (method, sender) = (Arc::clone(&self.method), self.sender.clone());
            self.pool.spawn(move || {
                let block = catch_unwind(AssertUnwindSafe(|| method.block(number)))
                    .map_err(|_| Error::Internal(format!("building block {number} panicked")));
                // nobody listens any more once the run has ended
                let _ = sender.send(block);
            });
        }
    }

    /// Whether a block is in the making.
    #[must_use]
    pub const fn is_building(&self) -> bool {
        self.building > 0
    }

    /// The next block that is ready within `wait`.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] where building a block panicked.
    pub fn take(&mut self, wait: Duration) -> Result<Option<Block>, Error> {
        self.top_up();
        if self.building == 0 {
            return Ok(None);
        }
        let Ok(block) = self.receiver.recv_timeout(wait) else { return Ok(None) };
        self.building -= 1;
        self.top_up();
        block.map(Some)
    }
}
