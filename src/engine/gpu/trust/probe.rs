//! What is asked of a driver before it is trusted: the built-in operations that the kernels use, and how many
//! turns of a loop an invocation may take.
//!
//! Some drivers end an invocation after a number of loop turns without a word (llvmpipe of Mesa 22: 65,535 over
//! all its loops), and what it had not counted yet is missing. So every kernel has a step budget, and the
//! budget is one that a loop has been seen to complete.

use std::time::{Duration, Instant};

use crate::{
    Error,
    engine::gpu::dispatch::{
        decode::decode,
        shape::Shape,
        transport::{Dispatch, Transport},
    },
    method::{Grain, Kernel, Record, Unit, join_words, split_words},
};

/// The budget that every driver known so far completes, kernels' other loops included.
pub const FEW_TURNS: u32 = 40_000;

/// The kernel of `shaders/probe.wgsl`.
#[must_use]
pub fn kernel() -> Kernel {
    Kernel {
        name: "probe",
        source: [
            include_str!("../../../../shaders/lib/record.wgsl"),
            include_str!("../../../../shaders/probe.wgsl"),
        ]
        .concat(),
        overrides: Vec::new(),
        contexts: 0,
        workgroup_bytes_per_invocation: 0,
        workgroup_bytes: 32,
        grain: Grain::Invocation,
    }
}

/// What the probe must answer for a unit.
#[must_use]
pub fn expected(unit: &Unit, id: u32, run: u32) -> Record {
    let [a, b, shift, turns, ..] = *unit;
    let mixed = (0..turns).fold(a, |mixed, _| mixed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    Record {
        id,
        run,
        state: Record::DONE,
        bucket: turns,
        count: [
            a.count_ones() ^ first(a, u32::trailing_zeros) << 8 ^ first(a, |a| 31 - a.leading_zeros()) << 16,
            (a << shift) ^ (b >> shift),
        ],
        visits: split_words(join_words([a, mixed]).wrapping_add(u64::from(b))),
    }
}

/// The number of a set bit as WGSL has it: all ones where there is none.
fn first(word: u32, number: fn(u32) -> u32) -> u32 {
    if word == 0 { u32::MAX } else { number(word) }
}

/// Units that try the operations at their edges, some of them with a loop of `turns` turns.
fn units(turns: u32) -> Vec<Unit> {
    let words = [0, 1, 2, 0x8000_0000, 0xffff_ffff, 0xffff_fffe, 0x5555_5555, 0x0001_0000, 0xdead_beef];
    let mut units = Vec::new();
    for a in words {
        for b in words {
            let shift = (units.len() % 32) as u32;
            // one full loop for each `a` is enough to see a limit, and cheap to repeat here
            let turns = if b == 0 { turns } else { turns.min(64) };
            units.push([a, b, shift, turns, 0, 0, 0, 0]);
        }
    }
    units
}

/// Finds a step budget, at most `most`, whose loops the driver completes, and checks the operations.
///
/// # Errors
///
/// [`Error::NoDevice`] where it completes not even [`FEW_TURNS`] (or `most`, where that is less),
/// [`Error::Disagree`] where an operation gives wrong bits, and whatever the transport reports.
pub fn budget(
    transport: &mut dyn Transport,
    shape: Shape,
    most: u32,
    timeout: Duration,
) -> Result<u32, Error> {
    let least = FEW_TURNS.min(most);
    for (run, turns) in [(1, most), (2, least)] {
        let units = units(turns);
        let records = dispatch(transport, shape, &units, run, timeout)?;
        if records.iter().zip(&units).any(|(record, unit)| record.bucket < unit[3]) {
            continue;
        }
        let wrong = (0..).zip(units.iter().zip(&records)).find_map(|(id, (unit, record))| {
            let right = expected(unit, id, run);
            (*record != right).then(|| Error::Disagree {
                what: format!("probe of the driver's bit operations, {unit:x?}"),
                left_name: transport.device().name,
                left: format!("{record:x?}"),
                right_name: "this program".into(),
                right: format!("{right:x?}"),
            })
        });
        return wrong.map_or(Ok(turns), Err);
    }
    Err(Error::no_device(
        format!("{} ends loops after less than {least} turns", transport.device().name),
        "use another driver or `device` cpu",
    ))
}

fn dispatch(
    transport: &mut dyn Transport,
    shape: Shape,
    units: &[Unit],
    run: u32,
    timeout: Duration,
) -> Result<Vec<Record>, Error> {
    let count = units.len() as u32;
    let workgroups = shape.workgroups(count);
    transport.submit(&Dispatch {
        kernel: 0,
        run,
        budget: 0,
        workgroups,
        context: Vec::new(),
        units: units.to_vec(),
    })?;
    let end = Instant::now() + timeout;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if let Some(bytes) = transport.poll(left)? {
            return decode(&bytes, count, run)
                .map_err(|fault| Error::Damaged { device: transport.device().name, fault });
        }
        if left.is_zero() {
            transport.abandon();
            return Err(Error::DeviceHung { device: transport.device().name, waited: timeout });
        }
    }
}
