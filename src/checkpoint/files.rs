//! The calls of the file system that a store makes, one by one.
//!
//! They are a trait so that tests can let each of them fail, or the power, without a code path of their own.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::Path,
};

/// The most bytes that are read: far above any checkpoint.
const MOST: u64 = 1 << 28;

/// The error of a name beside a checkpoint that something else has.
pub fn not_ours(path: &Path) -> io::Error {
    let what = format!("{} is in the way, and not of ferz: move it away", path.display());
    io::Error::new(io::ErrorKind::AlreadyExists, what)
}

/// What a store asks of a file system.
pub trait Files {
    /// All bytes of a file.
    ///
    /// # Errors
    ///
    /// Those of the file system, and [`io::ErrorKind::FileTooLarge`] above 256 MiB.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// Whether there is something of this name.
    fn exists(&self, path: &Path) -> bool;

    /// Makes or replaces a file; its bytes may not survive a loss of power yet.
    ///
    /// # Errors
    ///
    /// Those of the file system; the file may be there in part then.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Waits until the bytes of a file would survive.
    ///
    /// # Errors
    ///
    /// Those of the file system; what survives is open then.
    fn sync(&self, path: &Path) -> io::Result<()>;

    /// Gives a file another name, and takes that from whatever had it.
    ///
    /// # Errors
    ///
    /// Those of the file system; nothing has changed then.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    ///
    /// Those of the file system; nothing has changed then.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Waits until the names in a folder would survive.
    ///
    /// # Errors
    ///
    /// Those of the file system; what survives is open then.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;
}

/// The file system of the machine.
#[derive(Clone, Copy, Debug)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // a pipe would be waited for
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MOST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large for a checkpoint"));
        }
        Ok(bytes)
    }

    fn exists(&self, path: &Path) -> bool {
        // a link that leads nowhere is there too
        fs::symlink_metadata(path).is_ok()
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        // never through a link to another file
        match fs::symlink_metadata(path) {
            Ok(there) if !there.is_file() => Err(not_ours(path)),
            _ => File::create(path)?.write_all(bytes),
        }
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        // Windows syncs only what may be written
        File::options().write(true).open(path)?.sync_all()
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        // Windows has no such call, and its names are in a journal
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }
}
