//! Exports are the same bytes in every locale.

use std::{env, fs, path::Path, process::Command};

use super::*;
use crate::bench::Suite;

/// Where a child process renders to; not set in the process that compares.
const RENDER: &str = "FERZ_TEST_RENDER";

/// A measurement with numbers of every kind: whole, tiny, large, with many digits and with an exponent.
const SAVED: &str = r#"{"schema":1,"ferz":"0.1.0","task":"count","started":1796000000,
 "machine":{"os":"linux","arch":"x86_64","processor":"Prozessor ä","threads":12},"complete":true,"rows":[
 {"n":8,"count":"92","method":"join","device":{"index":0,"kind":"cpu","name":"A|B","backend":null,"driver":null,
  "software":false},"threads":12,"runs":3,"first_run_s":0.012345678901234,
  "wall_s":{"min":1.5e-5,"median":0.0125,"mean":0.0130001,"stddev":1.25e-9,"max":1234.5},
  "setup_s":{"min":0.001,"median":0.0011,"mean":0.00125,"stddev":null,"max":0.25},
  "compute_s":{"min":0.0115,"median":0.0114,"mean":0.01175,"stddev":0.5,"max":1234.25},
  "gpu_s":null,"gpu_s_reason":"no GPU took part","visits":"30511234567","visits_per_s":2676424.0789473685,
  "solutions_per_s":8070.175438596491,"ratio":null,"warnings":["outliers"],"samples_s":[0.0125,1.5e-5,1234.5]},
 {"n":9,"count":"352","method":"join","device":{"index":1,"kind":"discrete","name":"Karte","backend":"vulkan",
  "driver":"1.5","software":false},"threads":null,"runs":1,"first_run_s":0.5,
  "wall_s":{"min":0.5,"median":0.5,"mean":0.5,"stddev":null,"max":0.5},
  "setup_s":{"min":0.25,"median":0.25,"mean":0.25,"stddev":null,"max":0.25},
  "compute_s":{"min":0.25,"median":0.25,"mean":0.25,"stddev":null,"max":0.25},
  "gpu_s":{"min":0.125,"median":0.125,"mean":0.125,"stddev":null,"max":0.125},"gpu_s_reason":null,
  "visits":null,"visits_per_s":null,"solutions_per_s":1408.5,"ratio":{"value":38.46,"error":0.125},
  "warnings":[],"samples_s":[0.5]}],
 "left_out":[{"n":10,"method":"join","device":"gpu 1"}]}"#;

type Any<T> = Result<T, Box<dyn std::error::Error>>;

/// A file by its name.
type Named = (String, Vec<u8>);

/// Everything that a benchmark writes.
fn render(folder: &Path) -> Any<()> {
    let results = Results::read(SAVED)?;
    fs::write(folder.join("a.json"), results.json())?;
    fs::write(folder.join("a.csv"), csv(&results))?;
    fs::write(folder.join("a.md"), markdown(&results))?;
    #[cfg(feature = "plot")]
    {
        fs::write(folder.join("a.svg"), plot::svg(&results)?)?;
        fs::write(folder.join("a.png"), plot::png(&results)?)?;
    }
    let suite = Suite {
        task: Task::Count,
        sizes: Vec::new(),
        series: Vec::new(),
        effort: crate::bench::Effort::default(),
        limit: None,
    };
    let table = Table::new(&suite);
    let rows: Vec<String> = results.rows.iter().map(|row| table.row(row)).collect();
    let printed =
        [table.head(), rows.join("\n"), Table::foot(&results), results.left_out().unwrap_or_default()];
    fs::write(folder.join("table"), printed.join("\n"))?;
    fs::write(folder.join("comparison"), Comparison::new(&results, &results).table())?;
    Ok(())
}

/// Has C's functions obey the locale of the environment, as a library might: Rust's own never do. Returns the decimal point
/// that they use now.
#[cfg(target_os = "linux")]
fn obey_locale() -> String {
    use std::ffi::{CString, c_char, c_int};
    unsafe extern "C" {
        fn setlocale(category: c_int, locale: *const c_char) -> *mut c_char;
        fn snprintf(text: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
    }
    // of glibc and musl
    const LC_ALL: c_int = 6;
    let (empty, format) = (CString::default(), CString::from(c"%.1f"));
    let mut text = [0u8; 8];
    // SAFETY: no other thread of this process reads the locale meanwhile, and the texts end with zeros.
    unsafe {
        setlocale(LC_ALL, empty.as_ptr());
        snprintf(text.as_mut_ptr().cast(), text.len(), format.as_ptr(), 1.5f64);
    }
    String::from_utf8_lossy(&text[1..2]).into_owned()
}

/// The files that a child process renders in a locale of a folder, with their names.
fn rendered(locale: &str, locales: &Path) -> Any<Vec<Named>> {
    let folder = tempfile::tempdir()?;
    let name = "report::bench::tests::the_locale_changes_no_byte";
    let child = Command::new(env::current_exe()?)
        .args(["--exact", name, "--test-threads", "1"])
        .envs([("LC_ALL", locale), ("LANG", locale), ("LC_NUMERIC", locale)])
        .env("LOCPATH", locales)
        .env(RENDER, folder.path())
        .output()?;
    assert!(child.status.success(), "{child:?}");
    let mut files = Vec::new();
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        files.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), fs::read(&path)?));
    }
    files.sort();
    Ok(files)
}

#[test]
fn the_locale_changes_no_byte() -> Any<()> {
    if let Some(folder) = env::var_os(RENDER) {
        let folder = Path::new(&folder);
        #[cfg(target_os = "linux")]
        fs::write(folder.join(".point"), obey_locale())?;
        return render(folder);
    }
    // made here, as most machines have no German locale; its sources are in the package `locales`
    let locales = tempfile::tempdir()?;
    let made = Command::new("localedef")
        .args(["-i", "de_DE", "-f", "UTF-8"])
        .arg(locales.path().join("de_DE.UTF-8"))
        .output()
        .is_ok_and(|output| output.status.success());
    let [mut plain, mut german] = [rendered("C", locales.path())?, rendered("de_DE.UTF-8", locales.path())?];
    let is_point = |(name, _): &Named| name == ".point";
    let points = [&mut plain, &mut german].map(|files| files.extract_if(.., |file| is_point(file)).next());
    if made && cfg!(target_os = "linux") {
        assert_eq!(points.map(|point| point.unwrap_or_default().1), [b".".to_vec(), b",".to_vec()]);
    } else {
        eprintln!("the_locale_changes_no_byte: localedef made no German locale, so only its name was set");
    }
    assert_eq!(plain.len(), if cfg!(feature = "plot") { 7 } else { 5 });
    for (plain, german) in plain.iter().zip(&german) {
        assert!(plain == german, "{} differs from {}", plain.0, german.0);
    }
    Ok(())
}
