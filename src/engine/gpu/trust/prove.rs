//! Tests each kernel on units with known results before it counts anything.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    Error,
    engine::{
        Engine as _,
        gpu::{GpuEngine, Lane, Transport, jobs::forgotten, pace_of},
    },
    method::{Block, SelfTest, Tally},
};

impl<T: Transport> GpuEngine<T> {
    /// Tests every kernel of the method now; else each is tested before its first block.
    ///
    /// # Errors
    ///
    /// As [`GpuEngine::new`].
    pub fn prove_all(&mut self) -> Result<(), Error> {
        (0..self.lanes.len()).try_for_each(|kernel| self.prove(kernel))
    }

    /// Runs the self-test of a kernel through the pipeline of the run, unless it was passed.
    pub(in crate::engine::gpu) fn prove(&mut self, kernel: usize) -> Result<(), Error> {
        if self.lane(kernel)?.proven {
            return Ok(());
        }
        // the host compiles it, which may take long, before it looks at these again
        self.in_flight.iter_mut().for_each(|flight| flight.unwatched = true);
        let SelfTest { block, expected } = self.method.self_test(kernel);
        let tallies = self.tallies(Block { kernel, ..block })?;
        let visits = self.method.visits_agree();
        if let Some(unit) = (0..expected.len()).find(|&unit| !tallies[unit].agrees(&expected[unit], visits)) {
            return Err(Error::Disagree {
                what: format!("self-test of kernel '{}' ({kernel}), unit {unit}", self.method.name()),
                left_name: self.transport.device().name,
                left: format!("{:?}", tallies[unit]),
                right_name: "the reference".into(),
                right: format!("{:?}", expected[unit]),
            });
        }
        if let Some(Lane { shape, pace, proven }) = self.lanes.get_mut(kernel) {
            // tiny units say nothing about the pace of real ones
            *pace = pace_of(self.settings.target, *shape);
            *proven = true;
        }
        Ok(())
    }

    /// Counts a block to its end; others that are done meanwhile are kept.
    fn tallies(&mut self, block: Block) -> Result<Vec<Tally>, Error> {
        if block.units.is_empty() {
            return Ok(Vec::new());
        }
        let ticket = self.enqueue(Arc::new(block));
        let mut others = VecDeque::new();
        loop {
            match self.poll(self.settings.timeout)? {
                Some(finished) if finished.ticket == ticket => {
                    others.append(&mut self.finished);
                    self.finished = others;
                    return Ok(finished.tallies);
                }
                Some(finished) => others.push_back(finished),
                // `poll` itself says when a dispatch is overdue
                None if self.in_flight.is_empty() => return Err(forgotten()),
                None => {}
            }
        }
    }
}
