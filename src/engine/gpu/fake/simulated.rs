//! A device made of the CPU twin: it runs a kernel's units by [`Method::count`] and answers in bytes as a GPU
//! would. With it the whole engine is tested without a driver.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use crate::{
    Error,
    engine::{
        DeviceInfo, DeviceKind,
        gpu::dispatch::{
            decode::encode,
            transport::{Dispatch, Limits, Transport},
        },
    },
    method::{Block, Method, Record},
};

/// The simulated device.
pub struct Simulated {
    method: Arc<dyn Method>,
    replies: VecDeque<Vec<u8>>,
}

impl Simulated {
    /// A device for one method.
    #[must_use]
    pub fn new(method: Arc<dyn Method>) -> Self {
        Self { method, replies: VecDeque::new() }
    }

    /// The limits it pretends to have: wgpu's defaults.
    pub const LIMITS: Limits = Limits {
        workgroups: 65_535,
        invocations: 256,
        workgroup_bytes: 16 << 10,
        binding_bytes: 128 << 20,
        buffer_bytes: 256 << 20,
    };
}

impl Transport for Simulated {
    fn device(&self) -> DeviceInfo {
        DeviceInfo { kind: DeviceKind::Software, name: "simulated".into(), backend: None, driver: None }
    }

    fn slots(&self) -> usize {
        2
    }

    fn submit(&mut self, dispatch: &Dispatch) -> Result<(), Error> {
        let Dispatch { kernel, run, budget, context, units, .. } = dispatch.clone();
        let weights = vec![1; units.len()];
        let block = Block { number: 0, context, units, weights, visits: 0, kernel };
        let record = |unit: usize| Record {
            id: unit as u32,
            run,
            ..self.method.count(&block, unit, u64::from(budget))
        };
        self.replies.push_back(encode(&(0..block.units.len()).map(record).collect::<Vec<_>>()));
        Ok(())
    }

    fn poll(&mut self, _wait: Duration) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.replies.pop_front())
    }

    fn abandon(&mut self) {
        self.replies.clear();
    }
}
