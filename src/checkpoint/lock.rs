//! One writer: a lock of the operating system on a file beside the checkpoint.
//!
//! It is free again the moment its holder dies, however that comes; the file itself means nothing. It lies beside because
//! on Windows a locked file cannot be read, and because the checkpoint is replaced at each save.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::files::not_ours;

/// How long a lock is waited for: a process that was killed holds it until the system has cleared it away.
const PATIENCE: Duration = Duration::from_millis(500);

/// A lock, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

impl Lock {
    /// Takes the lock; `None` where another process has it for longer than half a second.
    ///
    /// # Errors
    ///
    /// Where the file cannot be made or is no lock, or the file system has no locks.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
        let end = Instant::now() + PATIENCE;
        loop {
            // a lock is an empty file
            if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file() || there.len() > 0) {
                return Err(not_ours(path));
            }
            let file = File::options().create(true).truncate(false).write(true).open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if Instant::now() < end => {
                    thread::sleep(Duration::from_millis(10));
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // the last holder removed it after it was opened here: others would not see this lock
            if is_at(&file, path) {
                return Ok(Some(Self { path: path.into(), _file: file }));
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // while the lock is held; elsewhere an open file cannot be removed, and an empty one stays
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Whether a file is still the one of this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata().map(id), fs::metadata(path).map(id)), (Ok(open), Ok(named)) if open == named)
}

#[cfg(not(unix))]
const fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_and_then_another() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lock");
        let first = Lock::take(&path)?;
        assert!(first.is_some());
        assert!(Lock::take(&path)?.is_none());
        let dying = thread::spawn(move || {
            thread::sleep(PATIENCE / 5);
            drop(first);
        });
        assert!(Lock::take(&path)?.is_some(), "it is waited for");
        assert!(dying.join().is_ok());
        // a file that a killed process left is no lock
        fs::write(&path, "")?;
        assert!(Lock::take(&path)?.is_some());
        assert!(Lock::take(&folder.path().join("none/lock")).is_err());
        let other = folder.path().join("other");
        fs::write(&other, "precious")?;
        assert!(Lock::take(&other).is_err());
        assert_eq!(fs::read(&other)?, b"precious");
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_is_not_the_one_of_its_name() -> io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("lock");
        let file = File::create(&path)?;
        assert!(is_at(&file, &path));
        fs::remove_file(&path)?;
        assert!(!is_at(&file, &path));
        File::create(&path)?;
        assert!(!is_at(&file, &path));
        Ok(())
    }
}
