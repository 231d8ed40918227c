//! Tunings in the cache folder of the platform, one small file a device that a person can read.
//!
//! Nothing in a file can do harm: one that is not exactly as it should be is ignored with a warning, and values in range
//! can only cost time.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use etcetera::BaseStrategy as _;

use crate::{
    checkpoint::{Disk, Files as _},
    engine::tuning::Tuned,
};

/// The max bytes of a file that is read: far above what is written.
const MAX_BYTES: u64 = 1 << 16;

/// A file that is being written. The name is always the same, so that the next save replaces what a killed one left.
const PART: &str = "tuning.part";

/// The folder: in `$XDG_CACHE_HOME` where that is set, else in the folder that the platform has for caches (`~/.cache/ferz`,
/// `~/Library/Caches/ferz`, `%LOCALAPPDATA%\ferz`). `None` where no home is known.
pub fn folder() -> Option<PathBuf> {
    // the specification says to ignore a relative path
    let set = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set.or_else(|| Some(etcetera::base_strategy::choose_native_strategy().ok()?.cache_dir()))?;
    Some(cache.join("ferz"))
}

/// Reads all tunings of a folder, and returns what is wrong with files that are ignored.
pub fn load(folder: &Path) -> (Vec<Tuned>, Vec<String>) {
    let (mut all, mut warnings) = (Vec::new(), Vec::new());
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (all, warnings),
        Err(error) => {
            return (all, vec![format!("no tuning is used: {} cannot be read: {error}", folder.display())]);
        }
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    for path in files {
        match read(&path) {
            Ok(tuned) => all.extend(tuned),
            Err(why) => warnings.push(format!(
                "the tuning in {} is not used: {why}; `autotune` writes it again",
                path.display()
            )),
        }
    }
    (all, warnings)
}

fn read(path: &Path) -> Result<Vec<Tuned>, String> {
    // opening a named pipe would wait for its writer
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err("it is not a small file".into());
    }
    let mut all = parse(&fs::read_to_string(path).map_err(|error| error.to_string())?)?;
    all.iter_mut().for_each(|tuned| tuned.file = path.display().to_string());
    Ok(all)
}

fn parse(text: &str) -> Result<Vec<Tuned>, String> {
    let all: Vec<Tuned> = serde_json::from_str(text)
        .map_err(|error| format!("it is damaged or of another version of ferz ({error})"))?;
    all.iter().try_for_each(|tuned| tuned.tuning.check()).map_err(|error| error.to_string())?;
    Ok(all)
}

/// Makes the folder, and writes and removes a file there.
///
/// # Errors
///
/// Those of the file system, where nothing can be saved.
pub fn probe(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let part = folder.join(PART);
    Disk.write(&part, b"")?;
    Disk.remove(&part)
}

/// Saves a tuning in the file of its device, and returns that; what is there for other methods stays, unless driver or
/// kernels have changed. The file is replaced as a whole.
///
/// # Errors
///
/// Those of the file system; the file is as before then.
pub fn save(folder: &Path, tuned: Tuned) -> io::Result<PathBuf> {
    let path = folder.join(file_name(&tuned));
    // a file that cannot be read is replaced
    let mut all = read(&path).unwrap_or_default();
    all.retain(|other| {
        other.method != tuned.method && other.driver == tuned.driver && other.kernels == tuned.kernels
    });
    all.push(tuned);
    let text = serde_json::to_string_pretty(&all)? + "\n";
    let part = folder.join(PART);
    Disk.write(&part, text.as_bytes())
        .and_then(|()| Disk.sync(&part))
        .and_then(|()| Disk.rename(&part, &path))
        .inspect_err(|_| drop(Disk.remove(&part)))?;
    Ok(path)
}

/// A name that shows the device, and that no other device has.
fn file_name(tuned: &Tuned) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(tuned.device.as_bytes()).update(b"\0");
    hasher.update(tuned.backend.as_deref().unwrap_or_default().as_bytes());
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    let words: String = tuned.device.chars().map(plain).take(40).collect();
    let words: Vec<&str> = words.split('-').filter(|word| !word.is_empty()).collect();
    format!("{}-{}.json", words.join("-").to_lowercase(), &hasher.finalize().to_hex()[..8])
}

#[cfg(test)]
mod tests;
