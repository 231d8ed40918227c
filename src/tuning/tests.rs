use proptest::prelude::*;

use super::*;
use crate::{DeviceKind, MethodChoice, Options, count};

/// Choices that a file may ask for, the ends of what is allowed among them.
pub(super) fn any_tuning() -> impl Strategy<Value = Tuning> {
    let choice = |parameter: Parameter| {
        let (least, most) = (*parameter.allowed().start(), *parameter.allowed().end());
        let power = (least.ilog2()..=most.ilog2()).prop_map(|power| 1 << power);
        prop::option::of(prop_oneof![Just(least), Just(most), power])
    };
    Parameter::ALL.map(choice).prop_map(|[workgroup, in_flight, unit_visits, blocks_per_thread]| Tuning {
        workgroup,
        in_flight,
        unit_visits,
        blocks_per_thread,
    })
}

fn on_cpu(method: MethodChoice, tuning: Tunings) -> Options {
    Options {
        method,
        device: "cpu".parse().unwrap_or_default(),
        threads: Some(2),
        tuning,
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

fn kept(key: Key) -> Kept {
    let tuning = Tuning::default().with(Parameter::Workgroup, 128);
    Kept { key, method: "search".into(), tuning, place: "a.json".into(), date: "2026-11-30".into() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn no_tuning_changes_a_count_or_its_blocks(tuning in any_tuning(), n in 4u32..=10) {
        let problem = Problem::queens(n)?;
        prop_assert_eq!(tuning.check(), Ok(()));
        for method in [MethodChoice::Search, MethodChoice::Join] {
            let plain = count(&problem, &on_cpu(method, Tunings::Defaults), &mut |_| {})?;
            let tuned = count(&problem, &on_cpu(method, Tunings::Given(tuning)), &mut |_| {})?;
            prop_assert_eq!((tuned.count, tuned.blocks, tuned.visits), (plain.count, plain.blocks, plain.visits));
        }
        let plan = |visits: u32| Search::new(&problem, None, visits.into()).map(|search| search.plan_hash());
        let visits = tuning.unit_visits.unwrap_or(1);
        prop_assert_eq!(plan(visits), plan(Parameter::UnitVisits.default_on(&cpu::listed(2).info)));
    }
}

#[test]
fn choices_that_cannot_be_made_are_refused_by_name() {
    for parameter in Parameter::ALL {
        let (least, most) = (*parameter.allowed().start(), *parameter.allowed().end());
        for value in [0, least - 1, most + 1, u32::MAX] {
            let refused = Tunings::Given(Tuning::default().with(parameter, value)).of(&device("1"), "search");
            let error = refused.map_err(|error| error.to_string());
            assert!(error.is_err_and(|error| error.contains(parameter.name())), "{parameter:?}: {value}");
        }
        for device in [cpu::listed(2).info, device("1")] {
            let default = parameter.default_on(&device);
            assert!(parameter.allowed().contains(&default), "{parameter:?}");
            let all = parameter.candidates().iter().chain([&default]);
            assert!(all.into_iter().all(|&value| Tuning::default().with(parameter, value).check().is_ok()));
        }
    }
    assert!(Tuning::default().with(Parameter::Workgroup, 96).check().is_err());
}

#[test]
fn a_tuning_is_for_one_driver_and_one_version_of_the_kernels() -> Result<(), Error> {
    let key = Key::of(&device("1"))?;
    let tunings = Tunings::Kept(vec![kept(key.clone())]);
    assert_eq!(tunings.of(&device("1"), "search")?.tuning.workgroup, Some(128));
    assert_eq!(tunings.outdated(&device("1")), Ok(None));
    assert_eq!(tunings.of(&device("1"), "join")?, Found::default());
    assert_eq!(tunings.of(&device("2"), "search")?, Found::default());
    assert!(tunings.outdated(&device("2"))?.is_some_and(|why| why.contains("another driver, 1")));
    let other = DeviceInfo { backend: Some("gl".into()), ..device("2") };
    assert_eq!((tunings.of(&other, "search")?, tunings.outdated(&other)?), (Found::default(), None));
    let older = Tunings::Kept(vec![kept(Key { kernels: "0123456789abcdef".into(), ..key })]);
    assert_eq!(older.of(&device("1"), "search")?, Found::default());
    assert!(older.outdated(&device("1"))?.is_some_and(|why| why.contains("other kernels")));
    Ok(())
}

#[test]
fn a_tuning_is_told_in_words() {
    assert_eq!(Tuning::default().to_string(), "all as by default");
    let tuning = Tuning::default().with(Parameter::UnitVisits, 2048).with(Parameter::Workgroup, 128);
    assert_eq!(tuning.to_string(), "workgroups of 128, units of 2048 visits");
}
