//! Files of a benchmark: seen to be writable before anything is timed, and whole at every moment.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::{
    Error,
    cli::{Console, Failure},
    report::bench::{Document, csv, markdown},
};

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Csv,
    Markdown,
    #[cfg(feature = "plot")]
    Svg,
    #[cfg(feature = "plot")]
    Png,
}

/// Where it is written to.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Once, at the end.
    Stdout,
    /// A regular file: written beside its place and renamed, after each row.
    File(PathBuf),
    /// What is no regular file, such as /dev/null or a named pipe: once, at the end.
    Special(PathBuf),
}

/// All that is to be written.
#[derive(Debug, Default)]
pub(super) struct Exports(Vec<(Place, Format)>);

impl Exports {
    /// Adds a file, or stdout for `-`.
    ///
    /// # Errors
    ///
    /// [`Failure::WriteFile`] where it could not be written, a usage error where it is written to already.
    pub(super) fn add(&mut self, path: &Path, format: Format) -> Result<(), Failure> {
        let place = if path == Path::new("-") { Place::Stdout } else { writable(path)? };
        if self.0.iter().any(|(other, _)| *other == place) {
            let what = format!("{} would be written twice", path.display());
            return Err(Error::usage(what, "give each export a file of its own; one of them can be -").into());
        }
        self.0.push((place, format));
        Ok(())
    }

    /// Whether stdout is for an export, and not for the table.
    pub(super) fn takes_stdout(&self) -> bool {
        self.0.iter().any(|(place, _)| *place == Place::Stdout)
    }

    /// Writes the files anew.
    pub(super) fn save(&self, document: &Document) -> Result<(), Failure> {
        for (place, format) in &self.0 {
            if let Place::File(path) = place {
                let failed = |source| Failure::WriteFile { path: path.clone(), source };
                let bytes = render(document, *format)?;
                let mut file = beside(path).map_err(failed)?;
                file.write_all(&bytes).map_err(failed)?;
                file.persist(path).map_err(|error| failed(error.error))?;
            }
        }
        Ok(())
    }

    /// Writes what is written once.
    pub(super) fn finish(&self, document: &Document, console: &Console) -> Result<(), Failure> {
        for (place, format) in &self.0 {
            match place {
                Place::File(_) => {}
                Place::Stdout => {
                    let text = String::from_utf8(render(document, *format)?).unwrap_or_default();
                    console.result(text.trim_end())?;
                }
                Place::Special(path) => {
                    let failed = |source| Failure::WriteFile { path: path.clone(), source };
                    let mut file = File::options().write(true).open(path).map_err(failed)?;
                    file.write_all(&render(document, *format)?).map_err(failed)?;
                }
            }
        }
        Ok(())
    }
}

/// The document as bytes.
fn render(document: &Document, format: Format) -> Result<Vec<u8>, Error> {
    match format {
        Format::Json => Ok((document.json() + "\n").into_bytes()),
        Format::Csv => Ok(csv(document).into_bytes()),
        Format::Markdown => Ok(markdown(document).into_bytes()),
        #[cfg(feature = "plot")]
        Format::Svg => crate::report::bench::plot::svg(document).map(String::into_bytes),
        #[cfg(feature = "plot")]
        Format::Png => crate::report::bench::plot::png(document),
    }
}

/// The place of a path that can be written to.
fn writable(path: &Path) -> Result<Place, Failure> {
    let failed = |source| Failure::WriteFile { path: path.to_owned(), source };
    // a link keeps its place: the file it points to is replaced
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Ok(there) = fs::metadata(&target) {
        if !there.is_file() {
            File::options().write(true).open(&target).map_err(failed)?;
            return Ok(Place::Special(target));
        }
        if there.permissions().readonly() {
            return Err(failed(io::ErrorKind::PermissionDenied.into()));
        }
    }
    beside(&target).map_err(failed)?;
    Ok(Place::File(target))
}

/// A file beside another, that is removed unless it is renamed.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ferz-").suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // as any new file: the umask takes away from it
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}
