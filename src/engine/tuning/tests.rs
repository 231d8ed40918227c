use proptest::prelude::*;

use super::*;
use crate::{MethodChoice, Options, count};

/// Choices that a file may ask for, the ends of what is allowed among them.
pub fn any_tuning() -> impl Strategy<Value = Tuning> {
    let choice = |(_, _, allowed): (_, _, RangeInclusive<u32>)| {
        let (min, max) = allowed.into_inner();
        let power = (min.ilog2()..=max.ilog2()).prop_map(|power| 1 << power);
        prop::option::of(prop_oneof![Just(min), Just(max), power])
    };
    Tuning::default().choices().map(choice).prop_map(
        |[workgroup, in_flight, unit_visits, blocks_per_thread]| Tuning {
            workgroup,
            in_flight,
            unit_visits,
            blocks_per_thread,
        },
    )
}

fn on_cpu(method: MethodName, tuned: Vec<Tuned>) -> Options {
    Options {
        method: MethodChoice::from(method),
        device: "cpu".parse().unwrap_or_default(),
        threads: Some(2),
        tuned,
        ..Options::default()
    }
}

fn device(driver: &str) -> DeviceInfo {
    DeviceInfo {
        kind: DeviceKind::Discrete,
        name: "A Card".into(),
        backend: Some("vulkan".into()),
        driver: Some(driver.into()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn no_tuning_changes_a_count_or_its_blocks(tuning in any_tuning(), n in 4u32..=10) {
        let problem = Problem::queens(n)?;
        prop_assert_eq!(tuning.check(), Ok(()));
        for method in [MethodName::Search, MethodName::Join] {
            let tuned = vec![Tuned::new(&cpu::listed(2).info, method, tuning)?];
            let plain = count(&problem, &on_cpu(method, Vec::new()), &mut |_| {})?;
            let other = count(&problem, &on_cpu(method, tuned.clone()), &mut |_| {})?;
            prop_assert_eq!((&other.tuned, plain.tuned), (&tuned, Vec::new()), "it is used");
            prop_assert_eq!((other.count, other.blocks, other.visits), (plain.count, plain.blocks, plain.visits));
        }
        let plan = |unit_visits: f64| {
            let cutting = Cutting { unit_visits, ..Cutting::default() };
            make(MethodName::Search, &problem, cutting).map(|search| search.plan_hash())
        };
        prop_assert_eq!(plan(tuning.unit_visits.unwrap_or(1).into()), plan(unit_visits(true)));
    }
}

#[test]
fn choices_out_of_range_are_refused_by_name() {
    let choices: [fn(&mut Tuning) -> &mut Option<u32>; 4] = [
        |tuning| &mut tuning.workgroup,
        |tuning| &mut tuning.in_flight,
        |tuning| &mut tuning.unit_visits,
        |tuning| &mut tuning.blocks_per_thread,
    ];
    for (choice, (name, _, allowed)) in choices.into_iter().zip(Tuning::default().choices()) {
        let values = [0, allowed.start() - 1, allowed.end() + 1, u32::MAX];
        for (tuning, value) in each(choice, &values).into_iter().zip(values) {
            let error = tuning.check().map_err(|error| error.to_string());
            assert_eq!(error, Err(format!("{name} {value} is out of range")));
        }
    }
    assert!(Tuning { workgroup: Some(96), ..Tuning::default() }.check().is_err());
    let info = cpu::listed(1).info;
    let wrong = Tuned::new(&info, MethodName::Join, Tuning { in_flight: Some(9), ..Tuning::default() })
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(find(&[wrong], &info, MethodName::Join).is_err(), "whoever gives it");
}

#[test]
fn candidates_are_allowed_and_begin_with_the_default() {
    let software = DeviceInfo { kind: DeviceKind::Software, ..device("1") };
    for (info, workgroup) in [(device("1"), 64), (software, 8)] {
        let search = candidates(MethodName::Search, &info);
        let defaults: Vec<String> = search.iter().map(|candidates| candidates[0].to_string()).collect();
        assert_eq!(
            defaults,
            [&format!("workgroup {workgroup}"), "unit_visits 65536", "in_flight 2"],
            "as where nothing is tuned"
        );
        assert_eq!(candidates(MethodName::Join, &info), [search[0].clone(), search[2].clone()]);
        for candidates in &search {
            assert!(candidates.iter().all(|tuning| tuning.check().is_ok()), "{candidates:?}");
            assert!((1..candidates.len()).all(|at| !candidates[..at].contains(&candidates[at])));
        }
    }
    let on_cpu = candidates(MethodName::Search, &cpu::listed(2).info);
    assert_eq!(on_cpu[0][0].to_string(), format!("unit_visits {}", unit_visits(false)));
    assert_eq!(on_cpu[1][0].to_string(), format!("blocks_per_thread {}", cpu::BLOCKS_PER_THREAD));
    assert_eq!(candidates(MethodName::Join, &cpu::listed(2).info), on_cpu[1..]);
}

#[test]
fn a_tuning_is_for_one_driver_and_one_version_of_the_kernels() -> Result<(), Error> {
    let tuning = Tuning { workgroup: Some(128), ..Tuning::default() };
    let tuned = Tuned { file: "a.json".into(), ..Tuned::new(&device("1"), MethodName::Search, tuning)? };
    let all = [tuned.clone()];
    assert_eq!(find(&all, &device("1"), MethodName::Search)?, Some(tuned.clone()));
    assert_eq!(warning(&all, &device("1")), Ok(None));
    assert_eq!(find(&all, &device("1"), MethodName::Join)?, None);
    assert_eq!(find(&all, &device("2"), MethodName::Search)?, None);
    let why = warning(&all, &device("2"))?;
    assert!(why.is_some_and(|why| why.starts_with("a.json was measured with another driver")));
    let other = DeviceInfo { backend: Some("gl".into()), ..device("2") };
    assert_eq!((find(&all, &other, MethodName::Search)?, warning(&all, &other)?), (None, None));
    let older = [Tuned { kernels: "0123456789abcdef".into(), ..tuned }];
    assert_eq!(find(&older, &device("1"), MethodName::Search)?, None);
    assert!(warning(&older, &device("1"))?.is_some());
    Ok(())
}

#[test]
fn choices_made_later_come_before_earlier_ones() {
    assert_eq!(Tuning::default().to_string(), "defaults");
    let base = Tuning { workgroup: Some(32), unit_visits: Some(2048), ..Tuning::default() };
    let later = Tuning { workgroup: Some(128), in_flight: Some(4), blocks_per_thread: Some(1), ..base };
    let later = Tuning { unit_visits: None, ..later };
    assert_eq!(
        later.or(base).to_string(),
        "workgroup 128, in_flight 4, unit_visits 2048, blocks_per_thread 1"
    );
}
