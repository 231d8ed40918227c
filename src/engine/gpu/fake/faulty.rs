//! A device that errs on purpose: it wraps a real or simulated one and spoils the bytes before they are decoded,
//! loses the device, or never answers. Each check of the engine is seen to fail with it.

use std::time::{Duration, Instant};

use crate::{
    Error,
    engine::{
        DeviceInfo,
        gpu::dispatch::{
            decode::{RECORD_BYTES, decode, encode},
            transport::{Dispatch, Transport},
        },
    },
    method::{Record, split_words},
};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// All bytes zero, as of a buffer that was never written.
    Zeroed,
    /// The bytes of the dispatch before; for the first, records tagged by an earlier run.
    Stale,
    /// Every byte one record further.
    Shifted,
    /// One bit of the buffer flipped, counted from its start and modulo its length.
    Flipped(usize),
    /// The last bytes missing.
    CutShort(usize),
    /// A wrong count in a record whose sums fit: only a recount or a second engine can see it.
    WrongCount(usize),
    /// Every count one too great, in records whose sums fit: the same at each try, as of a bug.
    TooMany,
    /// Every count too great by so much and the number of the reply: another one at each try.
    Drifting(u64),
    /// The device is lost.
    Lost,
    /// The dispatch never ends.
    Endless,
}

/// A device that errs at one of its dispatches, or from one on, and behaves at the others.
pub struct Faulty<T> {
    inner: T,
    plant: Plant,
    /// The reply that is spoilt, counted from 0; the first is that of the self-test.
    at: usize,
    /// Whether those that follow are too.
    for_good: bool,
    replies: usize,
    before: Vec<u8>,
    sizes: Vec<(u32, u32)>,
}

impl<T> Faulty<T> {
    /// Plants a fault in the reply number `at`.
    #[must_use]
    pub const fn new(inner: T, plant: Plant, at: usize) -> Self {
        Self { inner, plant, at, for_good: false, replies: 0, before: Vec::new(), sizes: Vec::new() }
    }

    /// Plants it in all that follow too.
    #[must_use]
    pub const fn for_good(mut self) -> Self {
        self.for_good = true;
        self
    }

    fn spoil(&self, bytes: &mut Vec<u8>) {
        match self.plant {
            Plant::Zeroed => bytes.fill(0),
            Plant::Stale if self.before.is_empty() => self.edit(bytes, |records| {
                records.iter_mut().for_each(|record| record.run ^= 1);
            }),
            Plant::Stale => {
                let both = [self.before.as_slice(), bytes.as_slice()].concat();
                let length = bytes.len();
                bytes.copy_from_slice(&both[..length]);
            }
            Plant::Shifted => bytes.rotate_right(RECORD_BYTES),
            Plant::Flipped(bit) => {
                let bit = bit % (bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            Plant::CutShort(missing) => bytes.truncate(bytes.len().saturating_sub(missing)),
            Plant::WrongCount(unit) => self.edit(bytes, |records| {
                let unit = unit % records.len().max(1);
                records[unit].count = split_words(records[unit].count() + 1);
            }),
            Plant::TooMany => self.edit(bytes, |records| raise(records, 1)),
            Plant::Drifting(by) => self.edit(bytes, |records| raise(records, by + self.replies as u64)),
            Plant::Lost | Plant::Endless => {}
        }
    }

    /// Edits the records and makes the sums fit.
    fn edit(&self, bytes: &mut Vec<u8>, edit: impl FnOnce(&mut [Record])) {
        let (units, run) = self.sizes[self.replies];
        if let Ok(mut records) = decode(bytes, units, run) {
            edit(&mut records);
            *bytes = encode(&records);
        }
    }
}

/// Makes every count too great.
fn raise(records: &mut [Record], by: u64) {
    for record in records {
        record.count = split_words(record.count() + by);
    }
}

impl<T: Transport> Transport for Faulty<T> {
    fn device(&self) -> DeviceInfo {
        self.inner.device()
    }

    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn submit(&mut self, dispatch: &Dispatch) -> Result<(), Error> {
        self.sizes.push((dispatch.units.len() as u32, dispatch.run));
        self.inner.submit(dispatch)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, Error> {
        let due = self.replies == self.at || self.for_good && self.replies > self.at;
        if due && self.plant == Plant::Endless {
            let end = Instant::now() + wait;
            std::thread::sleep(end.saturating_duration_since(Instant::now()));
            return Ok(None);
        }
        if due && self.plant == Plant::Lost {
            return Err(Error::DeviceLost { device: self.device().name, what: "planted".into() });
        }
        let Some(mut bytes) = self.inner.poll(wait)? else { return Ok(None) };
        let good = bytes.clone();
        if due {
            self.spoil(&mut bytes);
        }
        self.before = good;
        self.replies += 1;
        Ok(Some(bytes))
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }
}

/// A device whose replies are asked for by a function: late, never, or after something was done to it.
pub struct Polled<T, F> {
    inner: T,
    poll: F,
}

impl<T, F: FnMut(&mut T, Duration) -> Result<Option<Vec<u8>>, Error> + Send> Polled<T, F> {
    /// Asks `inner` for replies by `poll`, which stands for [`Transport::poll`].
    #[must_use]
    pub const fn new(inner: T, poll: F) -> Self {
        Self { inner, poll }
    }
}

impl<T: Transport, F: FnMut(&mut T, Duration) -> Result<Option<Vec<u8>>, Error> + Send> Transport
    for Polled<T, F>
{
    fn device(&self) -> DeviceInfo {
        self.inner.device()
    }

    fn slots(&self) -> usize {
        self.inner.slots()
    }

    fn submit(&mut self, dispatch: &Dispatch) -> Result<(), Error> {
        self.inner.submit(dispatch)
    }

    fn poll(&mut self, wait: Duration) -> Result<Option<Vec<u8>>, Error> {
        (self.poll)(&mut self.inner, wait)
    }

    fn abandon(&mut self) {
        self.inner.abandon();
    }
}
