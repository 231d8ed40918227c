//! What is asked of a driver before it is trusted: seen to fail with kernels that are wrong on purpose.

use std::{collections::BTreeSet, sync::Arc};

use ferz::{
    Error, Verify,
    testing::{
        engine::gpu::{
            self, Settings,
            device::{Device, pipeline::Pipeline},
            dispatch::shape::Shape,
            trust::probe,
        },
        method::{Kernel, Method},
    },
};

use crate::support::{Edited, adapter, count, edited, engine_on, join, known, methods, search, settings};

fn probed(kernel: &Kernel) -> Option<Result<u32, Error>> {
    let device = Device::open(adapter()?, false, false).unwrap();
    let shape = Shape::fitting(&device.limits(), kernel, 64).unwrap();
    let mut transport = Pipeline::new(&device, vec![(kernel.clone(), shape)]).unwrap();
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

/// An edit of a kernel's text.
type Edit = (&'static str, &'static str);

/// The self-test of some kernel refuses each edit.
fn refuses(inner: &Arc<dyn Method>, edits: &[Edit]) {
    let Some(adapter) = adapter() else { return };
    let open = |method: &Arc<dyn Method>| {
        let mut engine = engine_on(adapter, method, settings(), |inner, _| inner)?;
        engine.prove_all()
    };
    engine_on(adapter, inner, settings(), |inner, _| inner).unwrap();
    for &(from, to) in edits {
        let refused = open(&Edited::text(inner, &[(from, to)])).err();
        let Some(Error::Disagree { what, .. }) = &refused else { panic!("{from} -> {to}: {refused:?}") };
        assert!(what.contains(&format!("self-test of kernel '{}'", inner.name())), "{what}");
        assert_eq!(refused.map(|error| error.exit_code()), Some(7));
    }
}

#[test]
fn the_self_test_of_search_sees_a_lost_carry_and_a_wrong_walk() {
    for (n, depth) in [(10, 1), (13, 3), (16, 6)] {
        refuses(
            &search(n, Some(depth)),
            &[
                ("number.y + u32(low < more)", "number.y"),
                ("add(sum, other.x) + vec2(0u, other.y)", "add(sum, other.x)"),
                ("~(0xffffffffu >> (32u - COLUMNS))", "~(0xffffffffu >> (33u - COLUMNS))"),
                ("unit[5], row - first)", "unit[5], row - first + 1u)"),
                ("(node.w | queen) << next.y", "(node.w | queen) >> next.y"),
                ("let columns = node.y | queen;", "let columns = queen;"),
                ("vec4(rest, node.yzw)", "vec4(rest, node.yzz)"),
                ("filled + 2u == height", "filled + 3u == height"),
                ("placed += taken;", "placed += WORKGROUP;"),
            ],
        );
    }
    // units that fill more of the stack than one node a lane
    let inner = search(14, Some(1));
    refuses(&inner, &[("WORKGROUP * LOADS + ROWS>", "WORKGROUP>")]);
    // a stack of one node a lane does where turns are made smaller, and only there
    let small = Edited::text(&inner, &[("const LOADS = 5u;", "const LOADS = 1u;")]);
    refuses(&small, &[("max(WORKGROUP * LOADS, size + 1u) - size", "WORKGROUP")]);
}

#[test]
fn the_self_tests_of_the_join_see_each_wrong_step() {
    refuses(
        &join(14),
        &[
            // diagonals
            ("(d >> (even() - 1u - row))", "(d >> (even() - row))"),
            ("(a >> row)", "(a >> (row + 1u))"),
            ("let d = all[1] | (b << (even() - 1u - row));", "let d = all[1] | (b << (even() - row));"),
            ("let a = all[2] | (b << row);", "let a = all[2] | (b << (row + 1u));"),
            ("(b | (b << apart)) | (b >> apart)", "(b | (b << apart))"),
            ("return max(i, j) - min(i, j);", "return max(i, j) - min(i, j) + 1u;"),
            // columns
            ("select(0u, full(), phase == 0u)", "0u"),
            ("& ~(unit[4] & 0xffffu), phase == 0u)", "& (unit[4] & 0xffffu), phase == 0u)"),
            // the index of G
            ("i - first)", "(i - first) ^ 1u)"),
            ("(atomicLoad(&ranks[s >> HALF]) >> 16u)", "(atomicLoad(&ranks[s >> HALF]) >> 17u)"),
            // weights and ranks that count
            ("vec2(four & 255u,", "vec2(four & 7u,"),
            ("weights[unit[7] + rank / 4u]", "weights[unit[7] + (rank + 1u) / 4u]"),
            ("(8u * (rank % 4u))", "(8u * ((rank + 1u) % 4u))"),
            ("u32(rank >= low && rank < high)", "u32(rank > low && rank < high)"),
            ("u32(rank >= low && rank < high)", "u32(rank >= low && rank <= high)"),
            // the sum
            ("number.y + u32(low < more)", "number.y"),
            ("add(lower[state.lane], other.x) + vec2(0u, other.y)", "add(lower[state.lane], other.x)"),
            ("unit[5] & 255u, count", "unit[5] & 511u, count"),
            // placements and nodes
            ("if state.phase == 0u { placement = black", "if state.phase == 1u { placement = black"),
            ("if (keep & WALL) != WALL { last_level[place_back(bottom)] = keep; }", ""),
            ("leaf((node1 >> 16u) ^ (node1 ^ keep1));", ""),
            ("vec2(keep, s)", "vec2(keep, 0u)"),
            ("vec2(keep, others)", "vec2(keep, 0u)"),
            ("(f & WALL) | (s << 16u), d, a); }\n    }", "(f & WALL) | (s << 16u), d, d); }\n    }"),
        ],
    );
}

#[test]
fn the_self_tests_of_the_join_see_what_only_large_boards_use() {
    // more than 8 rows, and more than 11
    refuses(
        &join(24),
        &[
            (
                "vec2((order.x << 4u) | row, (order.y << 4u) | (order.x >> 28u))",
                "vec2((order.x << 4u) | row, order.y)",
            ),
            ("state.n_upper.z += select(0u, change, m >= 12u && m < 16u);", ""),
        ],
    );
    // two entries of G a word
    refuses(
        &join(28),
        &[
            ("((at & 1u) * 16u)) & 0xffffu", "((at & 1u) * 16u)) & 0xffu"),
            ("(product.x & 0xffffu) | (product.y << 16u)", "(product.x & 0xffffu) | (product.x << 16u)"),
            ("u32(rank + 1u >= low && rank + 1u < high)", "u32(rank >= low && rank < high)"),
            ("(four >> 8u) & 255u", "four & 255u"),
        ],
    );
}

/// A wrong kernel of one k alone is refused before its first block, though that of most of the work is right.
#[test]
fn a_wrong_kernel_of_any_k_is_refused_by_the_run() {
    let Some(adapter) = adapter() else { return };
    let inner = join(10);
    let used: BTreeSet<usize> = (0..inner.blocks())
        .map(|number| inner.block(number))
        .filter(|block| !block.units.is_empty())
        .map(|block| block.kernel)
        .collect();
    assert!(used.len() > 1, "{used:?}");
    for &wrong in &used {
        let mut kernel = 0;
        let method = Edited::kernels(&inner, |edit| {
            if kernel == wrong {
                edit.source = edited(&edit.source, "(a >> row)", "(a >> (row + 1u))");
            }
            kernel += 1;
        });
        let made = gpu::open(adapter, &method, settings());
        assert_eq!(made.is_err(), wrong == inner.main_kernel());
        let result = made.and_then(|engine| count(10, &method, engine, Verify::None));
        let Err(Error::Disagree { what, .. }) = &result else { panic!("kernel {wrong}: {result:?}") };
        assert!(what.contains(&format!("self-test of kernel 'join' ({wrong})")), "{what}");
    }
}

/// What the self-test is kept from seeing is seen by the recount: a kernel that is wrong for real units alone.
#[test]
fn the_recount_sees_what_the_self_tests_do_not() {
    let Some(adapter) = adapter() else { return };
    // no unit of a self-test has a white list of 4 to 6
    let edits = [(
        "state.phase = phase;",
        "state.phase = phase;\n        if unit[1] > 3u && unit[1] < 7u && state.lane == 0u { state.sum.x += 1u; }",
    )];
    let method = Edited::text(&join(11), &edits);
    let open = || gpu::open(adapter, &method, settings()).unwrap();
    let lie = count(11, &method, open(), Verify::None).unwrap();
    assert_ne!(lie.count, known(11));
    let error = count(11, &method, open(), Verify::Sample).unwrap_err();
    assert!(error.to_string().contains("recount of unit "), "{error}");
    assert_eq!(error.exit_code(), 7);
}

#[test]
fn a_kernel_that_does_not_compile_is_an_error() {
    let Some(adapter) = adapter() else { return };
    for inner in methods(8, 3) {
        for (from, to) in
            [("fn report(record: Record) {", "fn report(record: Record) { ;; 0"), ("fn main", "fn other")]
        {
            let method = Edited::text(&inner, &[(from, to)]);
            assert!(engine_on(adapter, &method, settings(), |inner, _| inner).is_err(), "{to}");
        }
    }
}
