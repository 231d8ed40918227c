//! Every shader with every set of overrides is valid and translates to what each backend reads, and the probe of
//! drivers tries every bit operation that a kernel uses.

#![cfg(feature = "gpu")]
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used)]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use ferz::{
    Problem,
    testing::{
        engine::gpu::trust::probe,
        method::{Grain, Kernel, Method, join::Join, search::Search},
    },
};
use naga::{
    ShaderStage,
    back::{self, PipelineConstants, glsl, hlsl, msl, spv},
    proc::BoundsCheckPolicies,
    valid::{Capabilities, ModuleInfo, ValidationFlags, Validator},
};

/// Workgroup sizes that devices take.
const WORKGROUPS: [u32; 7] = [1, 7, 32, 64, 128, 256, 1024];

/// Those of kernels of which a workgroup counts one unit.
const LANES: [u32; 5] = [1, 8, 32, 64, 128];

/// Every kernel of the product, with each set of overrides once. On large boards, where a plan takes its time,
/// only the least and greatest depths.
fn kernels() -> &'static [Kernel] {
    static KERNELS: OnceLock<Vec<Kernel>> = OnceLock::new();
    KERNELS.get_or_init(|| {
        let mut kernels = vec![probe::kernel()];
        let mut seen = BTreeSet::new();
        for n in 1..=32u32 {
            let plain = Problem::queens(n).unwrap();
            let deepest = Search::new(&plain, None, 1e4).unwrap().profile().deepest();
            let near = |depth: u32| depth < 4 || depth + 2 >= deepest;
            let depths =
                (0..=deepest).filter(|&depth| n <= 14 || near(depth)).map(|depth| (plain.clone(), depth));
            let constrained = plain.clone().forbidding("b2".parse().unwrap()).ok().zip(Some(0));
            for (problem, depth) in depths.chain(constrained) {
                let kernel = Search::new(&problem, Some(depth), 1e4).unwrap().kernels().remove(0);
                let values: Vec<String> = kernel.overrides.iter().map(|value| format!("{value:?}")).collect();
                if seen.insert(values) {
                    kernels.push(kernel);
                }
            }
        }
        for n in 1..=32 {
            kernels.extend(Join::new(&Problem::queens(n).unwrap()).unwrap().kernels());
        }
        let of = |name| kernels.iter().filter(|kernel| kernel.name == name).count();
        assert!(of("search") > 150 && of("join") > 100, "{} and {}", of("search"), of("join"));
        kernels
    })
}

fn constants(kernel: &Kernel, workgroup: u32) -> PipelineConstants {
    let values = kernel.overrides.iter().copied().chain([("WORKGROUP", f64::from(workgroup))]);
    values.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn module(kernel: &Kernel) -> (naga::Module, ModuleInfo) {
    let module = naga::front::wgsl::parse_str(&kernel.source)
        .unwrap_or_else(|error| panic!("{}: {}", kernel.name, error.emit_to_string(&kernel.source)));
    // no capability: nothing beyond core WGSL
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}: {}", kernel.name, error.emit_to_string(&kernel.source)));
    (module, info)
}

/// Translates a module without overrides to each language; gives the names of those that it was.
fn translate(module: &naga::Module, info: &ModuleInfo) -> Vec<&'static str> {
    let mut done = Vec::new();
    let entry = (ShaderStage::Compute, "main".to_owned());

    let options = spv::PipelineOptions { shader_stage: entry.0, entry_point: entry.1.clone() };
    let words = spv::write_vec(module, info, &spv::Options::default(), Some(&options)).expect("SPIR-V");
    assert_eq!(words[0], 0x0723_0203, "the magic number of SPIR-V");
    done.push("SPIR-V");

    let options = msl::PipelineOptions { entry_point: Some(entry.clone()), ..Default::default() };
    let msl_options = msl::Options { lang_version: (2, 0), ..Default::default() };
    let (text, translation) = msl::write_string(module, info, &msl_options, &options).expect("MSL");
    assert!(translation.entry_point_names[0].is_ok() && text.contains("kernel void"));
    done.push("MSL");

    let options = hlsl::PipelineOptions { entry_point: Some(entry.clone()) };
    let mut text = String::new();
    let hlsl_options = hlsl::Options::default();
    hlsl::Writer::new(&mut text, &hlsl_options, &options).write(module, info, None).expect("HLSL");
    assert!(text.contains("numthreads"));
    done.push("HLSL");

    for version in [glsl::Version::new_gles(310), glsl::Version::Desktop(430)] {
        let options =
            glsl::PipelineOptions { shader_stage: entry.0, entry_point: entry.1.clone(), multiview: None };
        let mut text = String::new();
        let glsl_options = glsl::Options { version, ..Default::default() };
        glsl::Writer::new(&mut text, module, info, &glsl_options, &options, BoundsCheckPolicies::default())
            .and_then(|mut writer| writer.write())
            .expect("GLSL");
        assert!(text.contains("local_size_x"));
        done.push("GLSL");
    }
    done
}

#[test]
fn every_shader_with_every_overrides_is_valid_and_translates() {
    let mut modules = BTreeMap::new();
    let mut translated = 0;
    for (at, kernel) in kernels().iter().enumerate() {
        let (module, info) = modules.entry(kernel.name).or_insert_with(|| module(kernel));
        // each set with one size, each size with many sets
        let workgroups = if kernel.grain == Grain::Workgroup {
            &LANES[at % LANES.len()..][..1]
        } else if at < 2 {
            &WORKGROUPS[..]
        } else {
            &WORKGROUPS[at % WORKGROUPS.len()..][..1]
        };
        for &workgroup in workgroups {
            let constants = constants(kernel, workgroup);
            let entry = Some((ShaderStage::Compute, "main"));
            let case = format!("{}, {constants:?}", kernel.name);
            // validates the result as well
            let (module, info) = back::pipeline_constants::process_overrides(module, info, entry, &constants)
                .unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(module.entry_points[0].workgroup_size, [workgroup, 1, 1], "{case}");
            assert_eq!(translate(&module, &info), ["SPIR-V", "MSL", "HLSL", "GLSL", "GLSL"], "{case}");
            translated += 1;
        }
    }
    assert_eq!(modules.len(), 3, "search, join and probe");
    assert!(translated > 200, "{translated}");
}

#[test]
fn a_kernel_takes_no_more_workgroup_memory_than_it_tells_the_planner() {
    let mut modules = BTreeMap::new();
    for kernel in kernels() {
        let (module, info) = modules.entry(kernel.name).or_insert_with(|| module(kernel));
        let workgroup = 64;
        let constants = constants(kernel, workgroup);
        let (module, _) =
            back::pipeline_constants::process_overrides(module, info, None, &constants).unwrap();
        let bytes: u32 = module
            .global_variables
            .iter()
            .filter(|(_, variable)| variable.space == naga::AddressSpace::WorkGroup)
            .map(|(_, variable)| module.types[variable.ty].inner.size(module.to_ctx()))
            .sum();
        let told = kernel.workgroup_bytes + kernel.workgroup_bytes_per_invocation * workgroup;
        assert_eq!(bytes, told, "{}, {constants:?}", kernel.name);
        // a join of more than 11 rows has smaller workgroups where a device has 16 KiB only
        let value = |name| kernel.overrides.iter().find(|value| value.0 == name).map_or(0.0, |value| value.1);
        if kernel.name == "search" || (value("N") <= 28.0 && value("TALL") == 0.0) {
            assert!(told <= 16 << 10, "{constants:?}: {told} bytes");
        }
    }
}

/// Bit operations of WGSL whose translation or hardware differs between drivers.
const BUILTINS: [&str; 10] = [
    "countOneBits",
    "countLeadingZeros",
    "countTrailingZeros",
    "firstLeadingBit",
    "firstTrailingBit",
    "reverseBits",
    "extractBits",
    "insertBits",
    "dot4U8Packed",
    "pack4xU8",
];

/// The code of a WGSL text, without its comments.
fn code(source: &str) -> String {
    source.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

fn used(source: &str) -> BTreeSet<&'static str> {
    let code = code(source);
    BUILTINS.into_iter().filter(|builtin| code.contains(&format!("{builtin}("))).collect()
}

#[test]
fn the_probe_tries_every_bit_operation_that_a_kernel_uses() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let probed = used(&std::fs::read_to_string(folder.join("probe.wgsl")).unwrap());
    assert!(!probed.is_empty());
    let mut files = 0;
    for entry in [folder.clone(), folder.join("lib")].iter().flat_map(|path| std::fs::read_dir(path).unwrap())
    {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "wgsl") {
            let missing: Vec<_> =
                used(&std::fs::read_to_string(&path).unwrap()).difference(&probed).copied().collect();
            assert!(missing.is_empty(), "{}: not in probe.wgsl: {missing:?}", path.display());
            files += 1;
        }
    }
    assert!(files >= 3, "{files} shaders");
    // the scan itself
    assert_eq!(
        used("let a = firstTrailingBit(b); // reverseBits(c)").into_iter().collect::<Vec<_>>(),
        ["firstTrailingBit"]
    );
}

#[test]
fn every_loop_of_every_kernel_is_bounded() {
    // wgpu's own bound on loops is off by default (src/engine/gpu/device.rs), which this makes safe
    let names: BTreeMap<_, _> = kernels().iter().map(|kernel| (kernel.name, kernel)).collect();
    assert_eq!(names.len(), 3);
    for kernel in names.values() {
        let code = code(&kernel.source);
        for word in ["loop", "while"] {
            let found = code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|token| token == word);
            assert!(!found, "'{word}' in the kernel '{}'", kernel.name);
        }
        for head in code.lines().filter(|line| line.trim_start().starts_with("for ")) {
            assert!(head.contains(" < ") && (head.contains("++)") || head.contains(" += ")), "{head}");
        }
    }
}

/// Whether each function, and last the entry point, runs a barrier; and whether one stands in a branch or a loop.
fn barriers(module: &naga::Module) -> Vec<(bool, bool)> {
    fn walk(block: &naga::Block, nested: bool, called: &[(bool, bool)], found: &mut (bool, bool)) {
        use naga::Statement as S;
        for statement in block {
            let mut into = |blocks: &[&naga::Block]| {
                blocks.iter().for_each(|block| walk(block, true, called, found));
            };
            match statement {
                S::Block(block) => walk(block, nested, called, found),
                S::If { accept, reject, .. } => into(&[accept, reject]),
                S::Switch { cases, .. } => cases.iter().for_each(|case| into(&[&case.body])),
                S::Loop { body, continuing, .. } => into(&[body, continuing]),
                S::ControlBarrier(_) | S::WorkGroupUniformLoad { .. } => *found = (true, found.1 | nested),
                S::Call { function, .. } => {
                    let (any, within) = called[function.index()];
                    *found = (found.0 | any, found.1 | within | (any && nested));
                }
                _ => {}
            }
        }
    }
    let mut all = Vec::new();
    // a function follows those that it calls
    let functions = module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        let mut found = (false, false);
        walk(&function.body, false, &all, &mut found);
        all.push(found);
    }
    all
}

#[test]
fn only_kernels_of_a_workgroup_a_unit_have_barriers_in_branches_and_loops() {
    // what an old compiler of HLSL refuses unless it can prove that all lanes come along: see shaders/README.md
    let names: BTreeMap<_, _> = kernels().iter().map(|kernel| (kernel.name, kernel)).collect();
    for kernel in names.values() {
        let found = *barriers(&module(kernel).0).last().expect("an entry point");
        assert_eq!(found, (true, kernel.grain == Grain::Workgroup), "{}", kernel.name);
    }
    // the walk itself
    let of = |body: &str| {
        let text =
            format!("fn sync() {{ workgroupBarrier(); }} @compute @workgroup_size(1) fn main() {{ {body} }}");
        *barriers(&naga::front::wgsl::parse_str(&text).unwrap()).last().unwrap()
    };
    assert_eq!(of("var a = 1; if a > 0 { a = 2; }"), (false, false));
    assert_eq!(of("sync();"), (true, false));
    assert_eq!(of("{ workgroupBarrier(); }"), (true, false));
    for nested in
        ["for (var i = 0; i < 3; i++) { sync(); }", "var a = 1; if a > 0 {} else { workgroupBarrier(); }"]
    {
        assert_eq!(of(nested), (true, true), "{nested}");
    }
}
