//! What is asked of a driver before it is trusted: seen to fail with kernels that are wrong on purpose.

use ferz::{
    Error,
    engine::gpu::{Settings, device::Device, plan::Shape, probe},
    method::Kernel,
};

use crate::support::{Edited, adapter, edited, engine_on, search, settings};

fn probed(kernel: &Kernel) -> Option<Result<u32, Error>> {
    let device = Device::open(adapter()?, false).unwrap();
    let shape = Shape::fitting(&device.limits(), kernel, 64).unwrap();
    let mut transport = device.pipeline(kernel, shape).unwrap();
    Some(probe::budget(&mut transport, shape, probe::FEW_TURNS, Settings::default().timeout))
}

#[test]
fn the_probe_sees_wrong_operations() {
    let Some(right) = probed(&probe::kernel()) else { return };
    assert_eq!(right, Ok(probe::FEW_TURNS));
    for (from, to) in [
        ("countOneBits(unit[0])", "(countOneBits(unit[0]) | 1u)"),
        ("countOneBits(unit[0])", "countOneBits(unit[0] & 0x7fffffffu)"),
        ("unit[0] << unit[2]", "unit[0] << (unit[2] & 15u)"),
        ("unit[1] >> unit[2]", "u32(i32(unit[1]) >> unit[2])"),
        ("number.y + u32(low < more)", "number.y"),
        ("number.y + u32(low < more)", "number.y + u32(low <= more)"),
    ] {
        let mut kernel = probe::kernel();
        kernel.source = edited(&kernel.source, from, to);
        let result = probed(&kernel);
        let Some(Err(Error::Disagree { what, .. })) = &result else { panic!("{to}: {result:?}") };
        assert!(what.contains("bit operations"), "{what}");
    }
}

#[test]
fn a_driver_that_ends_loops_early_is_refused() {
    let mut kernel = probe::kernel();
    kernel.source = edited(&kernel.source, "turn < unit[3]", "turn < min(unit[3], 1000u)");
    let Some(result) = probed(&kernel) else { return };
    assert!(matches!(result, Err(Error::NoDevice { .. })), "{result:?}");
}

#[test]
fn the_self_test_sees_a_lost_carry_and_a_wrong_walk() {
    let Some(adapter) = adapter() else { return };
    for (n, depth) in [(10, 1), (13, 3), (16, 6)] {
        let inner = search(n, Some(depth));
        engine_on(adapter, &inner, settings(), |inner, _| inner).unwrap();
        for (from, to) in [
            ("number.y + u32(low < more)", "number.y"),
            ("let full = 0xffffffffu >> (32u - COLUMNS)", "let full = 0xffffffffu >> (33u - COLUMNS)"),
            ("window(next_antidiagonals, next - first)", "window(next_antidiagonals, at - first)"),
            (
                "diagonals = select(diagonals, next_diagonals, step);\n",
                "diagonals = select(diagonals, next_diagonals, push);\n",
            ),
            ("visits += leaves + u32(!pop);", "visits += leaves + u32(!leaf);"),
            ("array<u32, WORKGROUP * LEVELS>", "array<u32, WORKGROUP * (LEVELS - 2u)>"),
        ] {
            let method = Edited::text(&inner, &[(from, to)]);
            let made = engine_on(adapter, &method, settings(), |inner, _| inner);
            let Some(Error::Disagree { what, .. }) = &made.err() else { panic!("N = {n}, {to}: not seen") };
            assert!(what.contains("self-test of kernel 'search'"), "{what}");
        }
    }
}

#[test]
fn a_kernel_that_does_not_compile_is_an_error() {
    let Some(adapter) = adapter() else { return };
    let inner = search(8, None);
    for (from, to) in [("var count = 0u;", "var count = ;"), ("fn main", "fn other")] {
        let method = Edited::text(&inner, &[(from, to)]);
        assert!(engine_on(adapter, &method, settings(), |inner, _| inner).is_err(), "{to}");
    }
}
