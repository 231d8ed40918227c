//! Files of a benchmark: seen to be writable before anything is timed, and whole at every moment.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    Error,
    checkpoint::link,
    cli::{Console, Failure, output::Output},
    report::bench::{Results, csv, markdown},
};

/// How results are written.
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

/// Where it is written to, links followed.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// Once, at the end.
    Stdout,
    /// A regular file: written beside its place and renamed, after each row.
    File(PathBuf),
    /// What is no regular file, such as /dev/null or a named pipe: once, at the end.
    Special(PathBuf),
}

/// A file to be written.
#[derive(Debug)]
struct Export {
    /// As it was given.
    path: PathBuf,
    place: Place,
    format: Format,
}

/// All that is to be written.
#[derive(Debug, Default)]
pub(super) struct Exports(Vec<Export>);

impl Exports {
    /// Adds a file, or stdout for `-`.
    ///
    /// # Errors
    ///
    /// [`Failure::WriteFile`] where it could not be written, a usage error where it is written to already.
    pub(super) fn add(&mut self, path: &Path, format: Format) -> Result<(), Failure> {
        let place = if path == Path::new("-") { Place::Stdout } else { writable(path)? };
        if self.0.iter().any(|export| export.place == place) {
            let what = format!("{} would be written twice", path.display());
            return Err(Error::usage(what, "give each export a file of its own; one of them can be -").into());
        }
        self.0.push(Export { path: path.into(), place, format });
        Ok(())
    }

    /// Whether stdout is for an export, and not for the table.
    pub(super) fn takes_stdout(&self) -> bool {
        self.0.iter().any(|export| export.place == Place::Stdout)
    }

    /// Writes the files anew.
    pub(super) fn save(&self, results: &Results) -> Result<(), Failure> {
        for Export { path, place, format } in &self.0 {
            if matches!(place, Place::File(_)) {
                write(path, &render(results, *format)?)?;
            }
        }
        Ok(())
    }

    /// Writes what is written once.
    pub(super) fn finish(&self, results: &Results, console: &Console) -> Result<(), Failure> {
        for Export { path, place, format } in &self.0 {
            match place {
                Place::File(_) => {}
                Place::Stdout => {
                    let text = String::from_utf8(render(results, *format)?).unwrap_or_default();
                    console.result(text.trim_end())?;
                }
                Place::Special(_) => write(path, &render(results, *format)?)?,
            }
        }
        Ok(())
    }
}

/// The results as bytes.
fn render(results: &Results, format: Format) -> Result<Vec<u8>, Error> {
    match format {
        Format::Json => Ok((results.json() + "\n").into_bytes()),
        Format::Csv => Ok(csv(results).into_bytes()),
        Format::Markdown => Ok(markdown(results).into_bytes()),
        #[cfg(feature = "plot")]
        Format::Svg => crate::report::bench::plot::svg(results).map(String::into_bytes),
        #[cfg(feature = "plot")]
        Format::Png => crate::report::bench::plot::png(results),
    }
}

/// The place of a path that can be written to.
fn writable(path: &Path) -> Result<Place, Failure> {
    let target = link::target(path);
    let target = fs::canonicalize(&target).unwrap_or(target);
    if fs::metadata(&target).is_ok_and(|there| !there.is_file() && !there.is_dir()) {
        // not opened yet: who reads a pipe would take its closing for the end
        return Ok(Place::Special(target));
    }
    // dropped at once: the file beside goes with it
    Output::open(Some(path))?;
    Ok(Place::File(target))
}

/// Writes a file as a whole.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut output = Output::open(Some(path))?;
    if let Err(error) = output.write_all(bytes) {
        return Err(output.blame(Failure::Write(error)));
    }
    output.finish()
}
