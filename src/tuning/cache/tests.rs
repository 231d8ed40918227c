use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    bench::tune::Gain,
    tuning::{Parameter, tests::any_tuning},
};

fn key(name: &str) -> Key {
    Key {
        name: name.into(),
        backend: Some("vulkan".into()),
        driver: Some("1.2".into()),
        kernels: "0f".into(),
    }
}

fn measured(workgroup: u32) -> Measured {
    let finding = Finding {
        parameter: Parameter::Workgroup,
        n: 14,
        default: 64,
        tried: Some(workgroup),
        differs: true,
        chosen: workgroup,
        gain: Some(Gain { value: 0.125, error: 0.0625, pairs: 7 }),
    };
    Measured { tuning: Tuning::default().with(Parameter::Workgroup, workgroup), findings: vec![finding] }
}

fn methods(named: &[(&str, u32)]) -> BTreeMap<String, Measured> {
    named.iter().map(|&(name, workgroup)| (name.to_owned(), measured(workgroup))).collect()
}

/// Method and workgroup of all that is kept.
fn kept(folder: &Path) -> Vec<(String, Option<u32>)> {
    let (kept, warnings) = load(folder);
    assert!(warnings.is_empty(), "{warnings:?}");
    kept.into_iter().map(|kept| (kept.method, kept.tuning.workgroup)).collect()
}

#[test]
fn what_is_kept_is_read_back_and_renewed_method_by_method() -> Result<(), (PathBuf, io::Error)> {
    let home = tempfile::tempdir().map_err(|error| (PathBuf::new(), error))?;
    let folder = home.path().join("new/ferz");
    assert_eq!(load(&folder), (Vec::new(), Vec::new()), "no folder is no fault");
    let path = save(&folder, &key("A"), methods(&[("join", 32), ("search", 128)]))?;
    assert_eq!(save(&folder, &key("A"), methods(&[("search", 256)]))?, path);
    let of = |method: &str, workgroup| (method.to_owned(), Some(workgroup));
    assert_eq!(kept(&folder), [of("join", 32), of("search", 256)]);
    // what another driver was measured with is gone
    let newer = Key { driver: Some("1.3".into()), ..key("A") };
    save(&folder, &newer, methods(&[("search", 64)]))?;
    assert_eq!(kept(&folder), [of("search", 64)]);
    save(&folder, &key("B"), methods(&[("search", 32)]))?;
    assert_eq!(kept(&folder).len(), 2);
    let left: Vec<_> = fs::read_dir(&folder).into_iter().flatten().flatten().collect();
    assert_eq!(left.len(), 2, "no file beside is left: {left:?}");
    Ok(())
}

#[test]
fn names_are_of_devices_and_fit_every_file_system() {
    let names =
        ["NVIDIA GeForce RTX 4090", "nvidia geforce rtx-4090", "ä/../b", "", &"x".repeat(999)].map(key);
    let mut names: Vec<String> = names.iter().map(file_name).collect();
    assert!(names[0].starts_with("nvidia-geforce-rtx-4090-"), "{names:?}");
    let plain =
        |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    assert!(names.iter().all(|name| plain(name) && name.len() < 60), "{names:?}");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 5);
}

#[test]
fn what_cannot_be_used_is_ignored_with_a_warning() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let good = save(folder.path(), &key("A"), methods(&[("search", 128)])).map_err(|(_, error)| error)?;
    let text = fs::read_to_string(&good)?;
    let bad = folder.path().join("bad.json");
    let long = " ".repeat(MOST_BYTES as usize) + &text;
    for (text, why) in [
        ("", "damaged"),
        (&text[..text.len() / 2], "damaged"),
        (&text.replace("\"version\": 1", "\"version\": 2"), "its version is 2"),
        (&text.replace("\"workgroup\": 128", "\"workgroup\": 0"), "out of range"),
        (&text.replace("\"workgroup\": 128", "\"workgroup\": 96"), "no power of two"),
        (&text.replace("\"workgroup\": 128", "\"workgroup\": 4294967296"), "damaged"),
        (&text.replace("\"workgroup\": 128", "\"workgroups\": 128"), "damaged"),
        (&text.replace("\"workgroup\": 128", "\"in_flight\": 9"), "out of range"),
        (&long, "no small file"),
    ] {
        fs::write(&bad, text)?;
        let (kept, warnings) = load(folder.path());
        assert_eq!((kept.len(), warnings.len()), (1, 1), "{why}: {warnings:?}");
        assert!(warnings[0].contains("bad.json is not used") && warnings[0].contains(why), "{warnings:?}");
    }
    fs::write(&bad, [0xff, 0xfe, 0])?;
    assert_eq!(load(folder.path()).1.len(), 1);
    fs::remove_file(&bad)?;
    fs::create_dir(&bad)?;
    assert!(load(folder.path()).1[0].contains("no small file"));
    // what is no folder cannot be read as one
    assert!(load(&good).1[0].starts_with("no tuning is used: "));
    assert!(save(&good, &key("A"), BTreeMap::new()).is_err());
    Ok(())
}

/// Any JSON, of the shape of a file or not.
fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let name = prop_oneof!["[a-z_]{1,10}", Just("tuning".into()), Just("workgroup".into())];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..4)
                .prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn whatever_a_file_says_is_in_range_or_ignored(
        at in prop::sample::select(vec![
            "", "/version", "/measured", "/device", "/device/driver", "/methods", "/methods/search",
            "/methods/search/tuning", "/methods/search/tuning/workgroup", "/methods/search/findings",
            "/methods/search/findings/0/gain", "/methods/search/findings/0/parameter",
        ]),
        value in any_value(),
    ) {
        let measured = methods(&[("search", 128)]);
        let mut file = json!({"version": 1, "writer": "w", "measured": "m", "device": key("A"), "methods": measured});
        prop_assert!(parse(&file.to_string()).is_ok());
        *file.pointer_mut(at).unwrap_or(&mut Value::Null) = value;
        if let Ok(file) = parse(&file.to_string()) {
            prop_assert!(file.methods.values().all(|measured| measured.tuning.check().is_ok()));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = parse(&text);
    }

    #[test]
    fn every_tuning_is_read_back(tuning in any_tuning()) {
        let measured = Measured { tuning, findings: Vec::new() };
        let text = serde_json::to_string(&measured)?;
        prop_assert_eq!(serde_json::from_str::<Measured>(&text)?, measured);
    }
}
