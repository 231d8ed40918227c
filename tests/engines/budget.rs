//! The step budget: what happens without it, and that nothing is lost with a tiny one.

use std::sync::Arc;

use ferz::{
    Error, Verify,
    engine::{
        Engine,
        gpu::{GpuEngine, Settings, device::Device, plan::Shape, probe},
    },
    method::Method,
};

use crate::support::{Edited, adapter, count, counts_right, gl_adapter, known, search};

#[test]
fn with_a_budget_of_a_hundred_turns_every_big_unit_is_split() {
    let Some(adapter) = adapter() else { return };
    let settings = Settings { budget: 100, ..Settings::default() };
    for (n, depth) in [(8, 0), (8, 3), (10, 2), (11, 5)] {
        let method = search(n, Some(depth));
        counts_right(&format!("budget of 100, N = {n}, depth {depth}"), n, &method, adapter, settings);
    }
}

/// The kernel as one would write it first: it walks until its stack is empty.
fn endless_kernel(method: &Arc<dyn Method>) -> Arc<dyn Method> {
    Edited::text(
        method,
        &[
            ("for (var turn = 0u; turn < params.budget; turn++) {", "loop {"),
            ("var state = UNFINISHED;", "var state = DONE;"),
        ],
    )
}

/// The budget that the driver is seen to complete.
fn completed(device: &Device) -> u32 {
    let settings = Settings::default();
    let shape = Shape::fitting(&device.limits(), &probe::kernel(), settings.workgroup).unwrap();
    let mut transport = device.pipeline(&probe::kernel(), shape).unwrap();
    probe::budget(&mut transport, shape, probe::MOST_TURNS, settings.timeout).unwrap()
}

#[test]
fn a_kernel_without_a_budget_lies_where_the_driver_limits_loops() {
    let Some(vulkan) = adapter() else { return };
    let gl = gl_adapter();
    // the limit of llvmpipe is met at N = 15, depth 0
    let method = search(15, Some(0));
    for adapter in [Some(vulkan), gl.as_ref()].into_iter().flatten() {
        let name = format!("{} ({:?})", adapter.listed.info.name, adapter.listed.info.backend);
        let device = Device::open(adapter, false).unwrap();
        if completed(&device) == probe::MOST_TURNS {
            eprintln!("skipped on {name}: the probe finds no limit of loops");
            continue;
        }
        let endless = endless_kernel(&method);
        let kernel = endless.kernels().remove(0);
        let shape = Shape::fitting(&device.limits(), &kernel, 64).unwrap();
        let pipeline = device.pipeline(&kernel, shape).unwrap();
        let engine = GpuEngine::new(pipeline, Arc::clone(&endless), vec![shape], Settings::default());
        let engine: Box<dyn Engine> = Box::new(engine.unwrap());
        let lie = count(15, &endless, engine, Verify::None).unwrap().count;
        assert_ne!(lie, known(15), "{name}: the probe finds a limit that this kernel does not meet");
        eprintln!("{name}: without a budget N = 15 at depth 0 counts {lie}");
        let engine = ferz::engine::gpu::open(adapter, &method, Settings::default()).unwrap();
        assert_eq!(count(15, &method, Box::new(engine), Verify::None).unwrap().count, known(15), "{name}");
    }
}

#[test]
fn the_probe_settles_on_a_budget_that_small_workgroups_complete_too() {
    let Some(adapter) = adapter() else { return };
    let device = Device::open(adapter, false).unwrap();
    for workgroup in [1, 3, 8, 256] {
        let shape = Shape::fitting(&device.limits(), &probe::kernel(), workgroup).unwrap();
        let mut transport = device.pipeline(&probe::kernel(), shape).unwrap();
        let budget = probe::budget(&mut transport, shape, probe::MOST_TURNS, Settings::default().timeout);
        assert!(matches!(budget, Ok(probe::FEW_TURNS | probe::MOST_TURNS)), "{workgroup}: {budget:?}");
    }
}

#[test]
fn a_budget_out_of_range_is_refused_before_the_device_is_asked() {
    let Some(adapter) = adapter() else { return };
    let method = search(8, None);
    for budget in [0, 63, u32::MAX] {
        let start = std::time::Instant::now();
        let made = ferz::engine::gpu::open(adapter, &method, Settings { budget, ..Settings::default() });
        assert!(matches!(made.err(), Some(Error::Usage { .. })), "{budget}");
        assert!(start.elapsed().as_secs() < 5, "a loop of {budget} turns was run");
    }
}
