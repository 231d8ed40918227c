use proptest::prelude::*;

use super::*;
use crate::{
    DeviceKind, Error, MethodName,
    engine::{
        DeviceInfo,
        tuning::{Tuning, tests::any_tuning},
    },
};

type Any = Result<(), Box<dyn std::error::Error>>;

/// A tuning of a device by its name and driver.
fn tuned(name: &str, driver: &str, method: MethodName, workgroup: u32) -> Result<Tuned, Error> {
    let info = DeviceInfo {
        kind: DeviceKind::Discrete,
        name: name.into(),
        backend: Some("vulkan".into()),
        driver: Some(driver.into()),
    };
    Tuned::new(&info, method, Tuning { workgroup: Some(workgroup), ..Tuning::default() })
}

/// Method and workgroup of all that is saved.
fn saved(folder: &Path) -> Vec<(MethodName, Option<u32>)> {
    let (all, warnings) = load(folder);
    assert!(warnings.is_empty(), "{warnings:?}");
    all.into_iter().map(|tuned| (tuned.method, tuned.tuning.workgroup)).collect()
}

#[test]
fn what_is_saved_is_read_back_and_replaced_method_by_method() -> Any {
    use MethodName::{Join, Search};
    let home = tempfile::tempdir()?;
    let folder = home.path().join("new/ferz");
    assert_eq!(load(&folder), (Vec::new(), Vec::new()), "no folder is no fault");
    probe(&folder)?;
    assert_eq!(fs::read_dir(&folder)?.count(), 0, "the probe leaves nothing");
    let first = tuned("A", "1", Join, 32)?;
    let path = save(&folder, first.clone())?;
    assert_eq!(load(&folder).0, [Tuned { file: path.display().to_string(), ..first }]);
    save(&folder, tuned("A", "1", Search, 128)?)?;
    assert_eq!(save(&folder, tuned("A", "1", Search, 256)?)?, path);
    assert_eq!(saved(&folder), [(Join, Some(32)), (Search, Some(256))]);
    // what was measured with another driver goes
    save(&folder, tuned("A", "2", Search, 64)?)?;
    assert_eq!(saved(&folder), [(Search, Some(64))]);
    // what a killed save left is replaced
    fs::write(folder.join(PART), "[")?;
    save(&folder, tuned("B", "1", Search, 32)?)?;
    assert_eq!((saved(&folder).len(), fs::read_dir(&folder)?.count()), (2, 2));
    Ok(())
}

#[test]
fn names_are_of_devices_and_fit_every_file_system() -> Any {
    let devices = ["NVIDIA GeForce RTX 4090", "nvidia geforce rtx-4090", "ä/../b", "", &"x".repeat(999)];
    let mut names = Vec::new();
    for device in devices {
        names.push(file_name(&tuned(device, "1", MethodName::Join, 32)?));
    }
    assert!(names[0].starts_with("nvidia-geforce-rtx-4090-"), "{names:?}");
    let plain =
        |name: &String| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    assert!(names.iter().all(|name| plain(name) && name.len() < 60), "{names:?}");
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 5);
    Ok(())
}

#[test]
fn what_cannot_be_used_is_ignored_with_a_warning() -> Any {
    let folder = tempfile::tempdir()?;
    let good = save(folder.path(), tuned("A", "1", MethodName::Search, 128)?)?;
    let text = fs::read_to_string(&good)?;
    let bad = folder.path().join("bad.json");
    let long = " ".repeat(MAX_BYTES as usize) + &text;
    for (text, why) in [
        ("", "damaged"),
        (&text[..text.len() / 2], "damaged"),
        (&text.replace("\"search\"", "\"walk\""), "damaged"),
        (&text.replace("\"workgroup\": 128", "\"workgroup\": 0"), "out of range"),
        (&text.replace("\"workgroup\": 128", "\"workgroup\": 96"), "no power of two"),
        (&text.replace("\"workgroup\": 128", "\"workgroup\": 4294967296"), "damaged"),
        (&text.replace("\"workgroup\": 128", "\"workgroups\": 128"), "damaged"),
        (&text.replace("\"workgroup\": 128", "\"in_flight\": 9"), "out of range"),
        ("{\"version\": 1, \"methods\": {}}", "of another version"),
        (&long, "not a small file"),
    ] {
        fs::write(&bad, text)?;
        let (all, warnings) = load(folder.path());
        assert_eq!((all.len(), warnings.len()), (1, 1), "{why}: {warnings:?}");
        assert!(warnings[0].contains("bad.json is not used") && warnings[0].contains(why), "{warnings:?}");
    }
    fs::write(&bad, [0xff, 0xfe, 0])?;
    assert_eq!(load(folder.path()).1.len(), 1);
    fs::remove_file(&bad)?;
    fs::create_dir(&bad)?;
    assert!(load(folder.path()).1[0].contains("not a small file"));
    // a file is not a folder
    assert!(load(&good).1[0].starts_with("no tuning is used: "));
    assert!(probe(&good).is_err() && save(&good, tuned("A", "1", MethodName::Join, 32)?).is_err());
    Ok(())
}

proptest! {
    #[test]
    fn every_tuning_is_read_back(tuning in any_tuning()) {
        let tuned = Tuned { tuning, ..tuned("A", "1", MethodName::Search, 128)? };
        let text = serde_json::to_string(&[&tuned])?;
        prop_assert_eq!(parse(&text), Ok(vec![tuned]));
    }
}
