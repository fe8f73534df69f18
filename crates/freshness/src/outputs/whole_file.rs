//! How does a file appear whole or not at all?
//!
//! It is written beside its place, under a name that says so, and takes its
//! place when everything is on the disk. What stood there stays until then.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::hint::failure;

/// A place where a file can be written.
#[derive(Debug)]
pub struct WholeFile {
    place: PathBuf,
    unfinished: PathBuf,
}

impl WholeFile {
    /// Refuses a place that cannot be written, before any work is done.
    pub fn at(path: &Path) -> anyhow::Result<WholeFile> {
        if path.is_dir() {
            return Err(failure(
                format_args!("a folder, not a file: {}", path.display()),
                "name a file in it",
            ));
        }
        // A link stays a link: what it names is replaced.
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if place.exists() && !place.is_file() {
            return Err(failure(
                format_args!("not a plain file: {}", path.display()),
                "it is replaced as a whole; name a plain file",
            ));
        }
        let mut name = place.file_name().map(OsString::from).unwrap_or_default();
        name.push(".unfinished");
        let file = WholeFile {
            unfinished: place.with_file_name(name),
            place,
        };
        let tried = File::create(&file.unfinished);
        tried.with_context(|| format!("cannot write {}", path.display()))?;
        // It only had to be possible.
        let _ = fs::remove_file(&file.unfinished);
        Ok(file)
    }

    /// Writes the file. If that fails, what stood there before still does.
    pub fn write(
        &self,
        content: impl FnOnce(&mut BufWriter<File>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let written = self.write_beside(content).and_then(|()| {
            fs::rename(&self.unfinished, &self.place)?;
            Ok(())
        });
        if written.is_err() {
            // What cannot be removed is at least named as what it is.
            let _ = fs::remove_file(&self.unfinished);
        }
        written.with_context(|| format!("cannot write {}", self.place.display()))
    }

    fn write_beside(
        &self,
        content: impl FnOnce(&mut BufWriter<File>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut out = BufWriter::new(File::create(&self.unfinished)?);
        content(&mut out)?;
        out.flush()?;
        // Before the name is given: a power failure must not leave it empty.
        out.get_ref().sync_all()?;
        Ok(())
    }
}
