//! A checkpoint on disk: two generations, of which one is whole at any moment.
//!
//! A save writes a file beside (`.new`), syncs it, renames the present file to the last generation (`.prev`), renames the new
//! one to its place and syncs the folder. A crash anywhere leaves the state before or after, in one file or the other.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use super::{Checkpoint, Disk, Files, Unreadable, files::not_ours, format::is_begun};
use crate::{Error, Problem};

/// Where a checkpoint is kept.
#[derive(Debug)]
pub struct Store<F = Disk> {
    files: F,
    path: PathBuf,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Loaded {
    /// The checkpoint, where there is one.
    pub checkpoint: Option<Checkpoint>,
    /// What the user should know of it.
    pub notice: Option<String>,
}

impl<F: Files> Store<F> {
    /// The store of a file, which need not be there.
    #[must_use]
    pub const fn new(files: F, path: PathBuf) -> Self {
        Self { files, path }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        with_suffix(&self.path, suffix)
    }

    /// Whether there is a file of either generation.
    pub fn exists(&self) -> bool {
        self.files.exists(&self.path) || self.files.exists(&self.beside(".prev"))
    }

    /// The last generation that is whole and that `fits`. A damaged file is set aside by another name if the one before
    /// it is whole; nothing else is changed.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] where no generation is whole, a file cannot be read or is of a newer format; whatever
    /// `fits` says.
    pub fn load(&self, fits: impl Fn(&Checkpoint) -> Result<(), Error>) -> Result<Loaded, Error> {
        let previous = self.beside(".prev");
        let why = match self.generation(&self.path)? {
            Some(Ok(checkpoint)) => {
                fits(&checkpoint)?;
                return Ok(Loaded { checkpoint: Some(checkpoint), notice: None });
            }
            Some(Err(newer @ Unreadable::Newer(_))) => return Err(unreadable(&self.path, &newer)),
            Some(Err(why)) => Some(why),
            None => None,
        };
        let checkpoint = match (self.generation(&previous)?, &why) {
            (Some(Ok(checkpoint)), _) => checkpoint,
            (_, Some(why)) => return Err(unreadable(&self.path, why)),
            (Some(Err(why)), None) => return Err(unreadable(&previous, &why)),
            (None, None) => return Ok(Loaded { checkpoint: None, notice: None }),
        };
        fits(&checkpoint)?;
        let notice = match why {
            None => None,
            Some(why) => {
                let aside = self.move_to_free(&self.path, ".bad")?;
                Some(format!(
                    "{} {why}; it is kept as {}, and the save before it is used",
                    self.path.display(),
                    aside.display()
                ))
            }
        };
        Ok(Loaded { checkpoint: Some(checkpoint), notice })
    }

    /// The last generation that is whole, whatever it is of; for a look at it before anything is decided.
    pub fn peek(&self) -> Option<Checkpoint> {
        let generations = [self.path.clone(), self.beside(".prev")];
        generations.iter().find_map(|path| self.generation(path).ok()??.ok())
    }

    /// Makes room for a new count of a problem: what is there gets another name, which is returned.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] for a file of another problem, one that is no checkpoint, and one that cannot be read or
    /// renamed.
    pub fn restart(&self, problem: &Problem) -> Result<Option<PathBuf>, Error> {
        for path in [self.path.clone(), self.beside(".prev")] {
            match self.generation(&path)? {
                Some(Ok(checkpoint)) => checkpoint.is_of(&path, problem)?,
                Some(Err(foreign @ Unreadable::Foreign)) => return Err(unreadable(&path, &foreign)),
                _ => {}
            }
        }
        self.set_aside(".bak")
    }

    /// A file, if it is there, and what it is.
    fn generation(&self, path: &Path) -> Result<Option<Result<Checkpoint, Unreadable>>, Error> {
        match self.files.read(path) {
            Ok(bytes) => Ok(Some(Checkpoint::read(&bytes))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unopened(path, &error)),
        }
    }

    /// Saves a checkpoint; the present file becomes the last generation.
    ///
    /// # Errors
    ///
    /// Those of the file system; the last generation is whole then, under its own name or `.prev`.
    pub fn save(&self, checkpoint: &Checkpoint) -> io::Result<()> {
        let new = self.beside(".new");
        let written = self.files.write(&new, &checkpoint.write()).and_then(|()| self.files.sync(&new));
        if let Err(error) = written {
            // a part of a file, which may be in the way on a full disk
            let _ = self.files.remove(&new);
            return Err(error);
        }
        if self.files.exists(&self.path) {
            self.files.rename(&self.path, &self.beside(".prev"))?;
        }
        self.files.rename(&new, &self.path)?;
        self.files.sync_folder(folder_of(&self.path))
    }

    /// Whether files can be written where the checkpoint is to lie. What a save that was cut short has left there is
    /// replaced, and nothing else.
    ///
    /// # Errors
    ///
    /// Those of the file system, and [`io::ErrorKind::AlreadyExists`] for a file of somebody else.
    pub fn probe(&self) -> io::Result<()> {
        let new = self.beside(".new");
        if self.files.exists(&new) {
            let there = self.files.read(&new).map_err(|_| not_ours(&new))?;
            if !is_begun(&there) {
                return Err(not_ours(&new));
            }
        }
        self.files.write(&new, b"")?;
        self.files.remove(&new)
    }

    /// Gives both generations another name, so that no run goes on from them unasked: that of the file with `.bak` or
    /// another suffix, and a number where that is taken. Returns it, unless there was nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Checkpoint`] where they cannot be renamed.
    pub fn set_aside(&self, suffix: &str) -> Result<Option<PathBuf>, Error> {
        let previous = self.beside(".prev");
        if !self.files.exists(&self.path) {
            return if self.files.exists(&previous) {
                self.move_to_free(&previous, suffix).map(Some)
            } else {
                Ok(None)
            };
        }
        let aside = self.move_to_free(&self.path, suffix)?;
        if self.files.exists(&previous) {
            self.move_to(&previous, &with_suffix(&aside, ".prev"))?;
        }
        Ok(Some(aside))
    }

    /// Renames a file to the name of the store with a suffix that is not taken.
    fn move_to_free(&self, from: &Path, suffix: &str) -> Result<PathBuf, Error> {
        let numbered = |number: u32| if number == 1 { suffix.into() } else { format!("{suffix}{number}") };
        let mut names = (1..).map(|number| self.beside(&numbered(number)));
        let to = names.find(|name| !self.files.exists(name)).unwrap_or_else(|| self.beside(suffix));
        self.move_to(from, &to)?;
        Ok(to)
    }

    fn move_to(&self, from: &Path, to: &Path) -> Result<(), Error> {
        self.files.rename(from, to).map_err(|error| {
            Error::checkpoint(
                format!("{} cannot be renamed to {}: {error}", from.display(), to.display()),
                "move it away by hand, or give another file by `saving.place`",
            )
        })
    }

    /// Removes both generations.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub fn remove(&self) -> io::Result<()> {
        // the older first, so that it never comes back in place of the other
        for path in [self.beside(".prev"), self.path.clone()] {
            match self.files.remove(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// A path with more at its end.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// The folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

/// The error of a file that cannot be read.
pub fn unopened(path: &Path, error: &io::Error) -> Error {
    Error::checkpoint(
        format!("{} cannot be read: {error}", path.display()),
        "a checkpoint is a file that `count` wrote: give another",
    )
}

/// The error of a file that is no checkpoint.
pub fn unreadable(path: &Path, why: &Unreadable) -> Error {
    let hint = match why {
        Unreadable::Foreign => "it is left as it is: give another file",
        Unreadable::Newer(_) => "use the ferz that wrote it, or give another file",
        Unreadable::Damaged(_) => {
            "`count` with `saving.restart` begins again and keeps the file as .bak; or give another file"
        }
    };
    Error::checkpoint(format!("{} {why}", path.display()), hint)
}

#[cfg(test)]
mod tests;
