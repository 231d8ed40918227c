//! Where long results go: standard output, or a file that is there only once it is whole.

use std::{
    fs::{self, File},
    io::{self, BufWriter, IsTerminal, StdoutLock, Write},
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::Failure;
use crate::checkpoint::link;

/// A stream to write a result to. A file is written beside its place and renamed when it is done, so that no half
/// of it is ever seen under its name; what is not done is removed.
pub(super) enum Output {
    Stdout(BufWriter<StdoutLock<'static>>),
    /// A new file by the name of `part`, which is to take the place of `target`; `path` is what was given.
    Beside {
        file: BufWriter<File>,
        part: TempPath,
        target: PathBuf,
        path: PathBuf,
    },
    /// What is no regular file, such as /dev/null or a named pipe, is written to as it is.
    Special {
        file: BufWriter<File>,
        path: PathBuf,
    },
}

const BUFFER: usize = 1 << 16;

impl Output {
    /// Standard output, which `-` names too, or the file at `path`.
    pub(super) fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let stdout = io::stdout().lock();
            // somebody who looks at a terminal sees each line as it comes
            let buffer = if stdout.is_terminal() { 0 } else { BUFFER };
            return Ok(Self::Stdout(BufWriter::with_capacity(buffer, stdout)));
        };
        let path = path.to_owned();
        let failed = |source| Failure::WriteFile { path: path.clone(), source };
        let target = link::target(&path);
        if fs::metadata(&target).is_ok_and(|there| !there.is_file()) {
            let file = File::options().write(true).open(&target).map_err(failed)?;
            return Ok(Self::Special { file: BufWriter::with_capacity(BUFFER, file), path });
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        // an error as it is: that of `tempfile` names the part, which says nothing to anybody
        let mut cause = None;
        let make = |part: &Path| {
            File::create_new(part)
                .inspect_err(|error| cause = error.raw_os_error().map(io::Error::from_raw_os_error))
        };
        let made = tempfile::Builder::new()
            .prefix(".ferz-")
            .suffix(".part")
            .make_in(folder.unwrap_or(Path::new(".")), make);
        let (file, part) = made.map_err(|error| failed(cause.unwrap_or(error)))?.into_parts();
        #[cfg(unix)]
        if let Ok(there) = fs::metadata(&target) {
            // whoever could not read it cannot read what replaces it
            fs::set_permissions(&part, there.permissions()).map_err(failed)?;
        }
        Ok(Self::Beside { file: BufWriter::with_capacity(BUFFER, file), part, target, path })
    }

    /// The failure, where it is one of writing that of writing to this place.
    pub(super) fn blame(&self, failure: Failure) -> Failure {
        match (failure, self) {
            (Failure::Write(source), Self::Beside { path, .. } | Self::Special { path, .. }) => {
                Failure::WriteFile { path: path.clone(), source }
            }
            (other, _) => other,
        }
    }

    /// Writes what is left and gives a file its name.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        if let Err(error) = self.flush() {
            return Err(self.blame(Failure::Write(error)));
        }
        let Self::Beside { file, part, target, path } = self else { return Ok(()) };
        let failed = |source| Failure::WriteFile { path, source };
        // closed first, as Windows would have it
        match file.into_inner() {
            Ok(file) => drop(file),
            Err(error) => return Err(failed(error.into_error())),
        }
        part.persist(target).map_err(|error| failed(error.error))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stdout(stream) => stream.write(bytes),
            Self::Beside { file, .. } => file.write(bytes),
            Self::Special { file, .. } => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout(stream) => stream.flush(),
            Self::Beside { file, .. } => file.flush(),
            Self::Special { file, .. } => file.flush(),
        }
    }
}
