//! The time of dispatches by the device's own clock.

use std::time::Duration;

use super::Device;

/// Bytes of the two timestamps of a dispatch.
pub(super) const BYTES: u64 = 16;

/// Two timestamps of a dispatch: when its pass begins, and when it has ended.
pub(super) struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
}

impl Stamps {
    /// For one slot.
    pub(super) fn new(device: &Device) -> Self {
        use wgpu::BufferUsages as Usage;
        Self {
            queries: device.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: device.buffer("stamps", BYTES, Usage::QUERY_RESOLVE | Usage::COPY_SRC),
        }
    }

    /// What has a pass stamped.
    pub(super) fn of_pass(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Copies both to where they can be read back.
    pub(super) fn copy(&self, encoder: &mut wgpu::CommandEncoder, readback: &wgpu::Buffer, offset: u64) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, readback, offset, BYTES);
    }
}

/// Adds up the time in which at least one dispatch ran.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timer {
    /// Nanoseconds of a tick.
    period: f64,
    ticks: u64,
    /// When the latest dispatch ended.
    until: u64,
    /// Why the clock is not believed.
    doubt: Option<&'static str>,
}

impl Timer {
    /// Of a clock whose ticks take `period` nanoseconds.
    pub(super) const fn new(period: f64) -> Self {
        Self { period, ticks: 0, until: 0, doubt: None }
    }

    /// Adds a dispatch, by the bytes of its timestamps. Those of two dispatches may overlap.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let &[begin, end] = &bytemuck::pod_collect_to_vec::<u8, u64>(bytes)[..] else {
            self.doubt = Some("the device gave no timestamps");
            return;
        };
        if begin > end || end < self.until {
            self.doubt = Some("the device's clock went back");
            return;
        }
        self.ticks += end - begin.max(self.until);
        self.until = end;
    }

    /// The time so far.
    pub(super) fn time(&self) -> Result<Duration, &'static str> {
        if let Some(doubt) = self.doubt {
            return Err(doubt);
        }
        Duration::try_from_secs_f64(self.ticks as f64 * self.period / 1e9)
            .map_err(|_| "the device's clock has no sensible period")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(period: f64, stamps: &[[u64; 2]]) -> Result<Duration, &'static str> {
        let mut timer = Timer::new(period);
        stamps.iter().for_each(|stamps| timer.add(bytemuck::cast_slice(stamps)));
        timer.time()
    }

    #[test]
    fn what_overlaps_counts_once() {
        let apart = [[100, 200], [300, 350]];
        assert_eq!(timed(2.0, &apart), Ok(Duration::from_nanos(300)));
        assert_eq!(timed(1.0, &[[100, 200], [150, 260]]), Ok(Duration::from_nanos(160)));
        assert_eq!(timed(1.0, &[]), Ok(Duration::ZERO));
    }

    #[test]
    fn a_clock_that_goes_back_or_says_nothing_is_not_believed() {
        assert!(timed(1.0, &[[200, 100]]).is_err() && timed(1.0, &[[100, 200], [90, 150]]).is_err());
        assert!(timed(f64::NAN, &[[1, 2]]).is_err() && timed(-1.0, &[[1, 2]]).is_err());
        let mut timer = Timer::new(1.0);
        timer.add(&[0; 8]);
        assert!(timer.time().is_err());
    }
}
