//! Blocks under way, and what the parts of their split units add up to.

use std::{collections::HashMap, ops::Range, sync::Arc};

use crate::{
    Error,
    engine::{Finished, Ticket},
    method::{Block, Method, Record, Tally},
};

/// A block under way, or the parts of a unit that was split.
struct Job {
    block: Arc<Block>,
    tallies: Vec<Tally>,
    left: usize,
    /// The unit whose tally this job makes up; none for a block that was submitted.
    parent: Option<(u64, usize)>,
}

/// A run of units of one job.
pub struct Segment {
    /// The job.
    pub job: u64,
    /// Its units.
    pub units: Range<usize>,
}

/// What a record leads to.
pub enum Next {
    /// Its block is not done yet.
    Wait,
    /// Its block is done.
    Finished(Finished),
    /// Its unit ran out of steps, and these are its parts.
    Split(Segment),
}

/// Jobs by number; that of a block that was submitted is its ticket.
#[derive(Default)]
pub struct Jobs {
    jobs: HashMap<u64, Job>,
    next: u64,
}

impl Jobs {
    /// Takes a block, all units of which are to be counted. One without units is done at once.
    pub fn submit(&mut self, block: Arc<Block>) -> (Ticket, Segment) {
        let segment = self.add(block, None);
        (segment.job, segment)
    }

    fn add(&mut self, block: Arc<Block>, parent: Option<(u64, usize)>) -> Segment {
        let job = self.next;
        self.next += 1;
        let units = block.units.len();
        if units > 0 {
            self.jobs.insert(job, Job { tallies: vec![Tally::default(); units], left: units, block, parent });
        }
        Segment { job, units: 0..units }
    }

    /// The block of a job.
    pub fn block(&self, job: u64) -> Result<&Arc<Block>, Error> {
        self.jobs.get(&job).map(|job| &job.block).ok_or_else(forgotten)
    }

    /// Takes the record of a unit.
    pub fn record(
        &mut self,
        method: &dyn Method,
        job: u64,
        unit: usize,
        record: &Record,
    ) -> Result<Next, Error> {
        if record.state == Record::DONE {
            let tally = Tally { count: record.count(), visits: record.visits(), bucket: record.bucket };
            return self.complete(job, unit, tally);
        }
        let block = self.block(job)?;
        let Some(parts) = method.split(block, unit) else {
            let record = method.count(block, unit, u64::MAX);
            if record.state != Record::DONE {
                return Err(Error::Internal("a unit that cannot be split was not counted to its end".into()));
            }
            return self.record(method, job, unit, &record);
        };
        if parts.units.is_empty() {
            let tally = Tally { visits: parts.visits, bucket: record.bucket, count: 0 };
            return self.complete(job, unit, tally);
        }
        Ok(Next::Split(self.add(Arc::new(parts), Some((job, unit)))))
    }

    /// Notes the tally of a unit; a job that is done with it passes its sum on.
    fn complete(&mut self, mut id: u64, mut unit: usize, mut tally: Tally) -> Result<Next, Error> {
        loop {
            let job = self.jobs.get_mut(&id).ok_or_else(forgotten)?;
            job.tallies[unit] = tally;
            job.left -= 1;
            if job.left > 0 {
                return Ok(Next::Wait);
            }
            let Job { block, tallies, parent, .. } = self.jobs.remove(&id).ok_or_else(forgotten)?;
            let Some(parent) = parent else { return Ok(Next::Finished(Finished { ticket: id, tallies })) };
            tally = sum_of_parts(&block, &tallies)?;
            (id, unit) = parent;
        }
    }
}

/// The tally of a unit from those of its parts.
fn sum_of_parts(block: &Block, tallies: &[Tally]) -> Result<Tally, Error> {
    let mut sum = Tally { visits: block.visits, ..Tally::default() };
    for (part, &weight) in tallies.iter().zip(&block.weights) {
        let count = part.count.checked_mul(u64::from(weight)).and_then(|count| sum.count.checked_add(count));
        sum.count = count.ok_or_else(|| Error::Internal("the count of a unit passes 64 bits".into()))?;
        sum.visits = sum.visits.saturating_add(part.visits);
        sum.bucket = part.bucket;
    }
    Ok(sum)
}

/// The error of a result that nothing under way waits for.
pub fn forgotten() -> Error {
    Error::Internal("a result for a block that is not under way".into())
}
