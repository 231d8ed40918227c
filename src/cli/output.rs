//! Where long results go: standard output, or a file that is there only once it is whole.

use std::{
    fs::{self, File},
    io::{self, BufWriter, IsTerminal, StdoutLock, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::Failure;

/// A stream to write a result to. A file is written beside its place and renamed when it is done, so that no half
/// of it is ever seen under its name; what is not done is removed.
pub(super) enum Output {
    Stdout(BufWriter<StdoutLock<'static>>),
    /// A new file.
    Beside {
        file: BufWriter<NamedTempFile>,
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
        let failed = |source| Failure::WriteFile { path: path.to_owned(), source };
        // a link keeps its place: the file it points to is replaced
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(&target).is_ok_and(|there| !there.is_file()) {
            let file = File::options().write(true).open(&target).map_err(failed)?;
            return Ok(Self::Special { file: BufWriter::with_capacity(BUFFER, file), path: target });
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(".ferz-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // as any new file: the umask takes away from it
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(failed)?;
        Ok(Self::Beside { file: BufWriter::with_capacity(BUFFER, file), path: target })
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
        let Self::Beside { file, path } = self else { return Ok(()) };
        let failed = |source| Failure::WriteFile { path: path.clone(), source };
        let file = file.into_inner().map_err(|error| failed(error.into_error()))?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
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
