//! Tunings in the cache folder of the platform, one small file a device that a person can read.
//!
//! Nothing in a file can do harm: what is not to the letter as it should be is ignored with a warning, and what is in
//! range is only a matter of time.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

use etcetera::BaseStrategy as _;
use serde::{Deserialize, Serialize};

use super::{Kept, Key, Tuning};
use crate::{Error, bench::tune::Finding};

/// Of the layout of the files.
const VERSION: u32 = 1;

/// The most bytes of a file, and files of a folder, that are read: far above what is written.
const MOST_BYTES: u64 = 1 << 16;
const MOST_FILES: usize = 100;

/// What is kept of a device.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    writer: String,
    /// When the latest of the methods was measured, UTC.
    measured: String,
    device: Key,
    methods: BTreeMap<String, Measured>,
}

/// What was measured for one method.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// What is chosen other than by default.
    pub tuning: Tuning,
    /// How that was found, for people.
    pub findings: Vec<Finding>,
}

/// The folder: in `$XDG_CACHE_HOME` where that is set, else in the folder that the platform has for caches (`~/.cache/ferz`,
/// `~/Library/Caches/ferz`, `%LOCALAPPDATA%\ferz`). `None` where no home is known.
pub fn folder() -> Option<PathBuf> {
    // as the specification has it, a relative path is none
    let set = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set.or_else(|| Some(etcetera::base_strategy::choose_native_strategy().ok()?.cache_dir()))?;
    Some(cache.join("ferz"))
}

/// Reads all tunings of a folder, and says what was wrong with files that are ignored.
pub fn load(folder: &Path) -> (Vec<Kept>, Vec<String>) {
    let (mut kept, mut warnings) = (Vec::new(), Vec::new());
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (kept, warnings),
        Err(error) => {
            return (kept, vec![format!("no tuning is used: {} cannot be read: {error}", folder.display())]);
        }
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    if files.len() > MOST_FILES {
        let (folder, number) = (folder.display(), files.len());
        warnings.push(format!(
            "of {number} files in {folder} only the first {MOST_FILES} are looked at: remove some"
        ));
    }
    files.truncate(MOST_FILES);
    for path in files {
        let ignored = |why: String| {
            format!(
                "the tuning in {} is not used: {why}; remove it, and `autotune` writes it anew",
                path.display()
            )
        };
        match read(&path) {
            Ok(file) => {
                let place = path.display().to_string();
                kept.extend(file.methods.into_iter().map(|(method, Measured { tuning, .. })| Kept {
                    key: file.device.clone(),
                    method,
                    tuning,
                    place: place.clone(),
                    date: file.measured.clone(),
                }));
            }
            Err(why) => warnings.push(ignored(why)),
        }
    }
    (kept, warnings)
}

fn read(path: &Path) -> Result<File, String> {
    // a pipe would be waited for
    let there = fs::metadata(path).map_err(|error| error.to_string())?;
    if !there.is_file() || there.len() > MOST_BYTES {
        return Err("it is no small file".into());
    }
    parse(&fs::read_to_string(path).map_err(|error| error.to_string())?)
}

fn parse(text: &str) -> Result<File, String> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let damaged = |error: serde_json::Error| format!("it is damaged ({error})");
    let Versioned { version } = serde_json::from_str(text).map_err(damaged)?;
    if version != VERSION {
        return Err(format!("its version is {version}, and this version of ferz reads {VERSION}"));
    }
    let file: File = serde_json::from_str(text).map_err(damaged)?;
    for measured in file.methods.values() {
        measured.tuning.check().map_err(|error| error.to_string())?;
    }
    Ok(file)
}

/// Keeps what was measured on a device; methods that were not measured now stay as they are, unless driver or kernels
/// have changed. The file is replaced as a whole.
///
/// # Errors
///
/// Those of the file system, with the file; what was kept before is still there then.
pub fn save(
    folder: &Path,
    device: &Key,
    methods: BTreeMap<String, Measured>,
) -> Result<PathBuf, (PathBuf, io::Error)> {
    let path = folder.join(file_name(device));
    let mut all = match read(&path) {
        Ok(file) if file.device == *device => file.methods,
        _ => BTreeMap::new(),
    };
    all.extend(methods);
    let file = File {
        version: VERSION,
        writer: concat!("ferz ", env!("CARGO_PKG_VERSION")).into(),
        measured: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        device: device.clone(),
        methods: all,
    };
    match write(folder, &path, &file) {
        Ok(()) => Ok(path),
        Err(error) => Err((path, error)),
    }
}

fn write(folder: &Path, path: &Path, file: &File) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut beside = tempfile::Builder::new().prefix(".ferz-").suffix(".part").tempfile_in(folder)?;
    serde_json::to_writer_pretty(&mut beside, file)?;
    beside.write_all(b"\n")?;
    beside.as_file().sync_all()?;
    beside.persist(path).map(drop).map_err(|error| error.error)
}

/// A name that says the device and that no other device has.
fn file_name(device: &Key) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(device.name.as_bytes()).update(b"\0");
    hasher.update(device.backend.as_deref().unwrap_or_default().as_bytes());
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let words: String = device.name.chars().map(plain).take(40).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    format!("{}-{}.json", words.join("-").to_lowercase(), &hasher.finalize().to_hex()[..8])
}

/// The folder, or why there is none.
///
/// # Errors
///
/// [`Error::Internal`] where no home is known.
pub fn required_folder() -> Result<PathBuf, Error> {
    folder().ok_or_else(|| {
        Error::Internal("the tuning is not kept: no cache folder is known, set XDG_CACHE_HOME".into())
    })
}

#[cfg(test)]
mod tests;
