//! Where do the files lie that dbt wrote?
//!
//! In a target folder, in a folder of archived ones nested in any way, or in a
//! tar of them, plain or gzip. Files are known by name (`manifest.json`, also
//! `manifest-2026-09-01.json` and `2026-09-01_manifest.json`), links are followed
//! within the folder only, and nothing is unpacked to disk.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::archive;
use super::fault::{DbtError, Fault};

/// The largest file that is read. A manifest of 10,000 nodes has some tens of
/// MiB.
pub(super) const FILE_BYTES_MAX: u64 = 512 << 20;

/// No folder of artefacts is nested deeper.
const DEPTH_MAX: usize = 40;

/// What dbt calls its files.
const KINDS: [&str; 4] = ["manifest", "sources", "freshness", "run_results"];

/// Folders that hold other projects.
const FOREIGN: [&str; 4] = ["dbt_packages", "dbt_modules", "node_modules", "__pycache__"];

/// What is done with what is found.
pub(super) trait Found {
    /// Is a file of this name and kind to be read?
    fn wants(&mut self, _name: &str, _metadata: &fs::Metadata) -> bool {
        true
    }
    /// A file, by the name that messages give it.
    fn file(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), DbtError>;
    /// Something is left out, which is said.
    fn left_out(&mut self, name: &str, why: &str);
    /// Something cannot be read; an error if that is to stop everything.
    fn unreadable(&mut self, error: DbtError) -> Result<(), DbtError>;
}

/// Looks into what the user named.
pub(super) fn look_into(roots: &[PathBuf], found: &mut dyn Found) -> Result<(), DbtError> {
    for root in roots {
        let name = root.display().to_string();
        let looked = match fs::metadata(root) {
            Err(error) => Err(DbtError::new(&name, Fault::Io(error))),
            Ok(metadata) if metadata.is_dir() => Folders::below(root, found),
            // Named by the user, whatever it is called.
            Ok(_) => {
                let is_archive = archive::is_archive(file_name(root));
                read_file(root, &name, is_archive, found)
            }
        };
        looked.or_else(|error| found.unreadable(error))?;
    }
    Ok(())
}

/// May a file of this name be one of dbt's?
pub(super) fn is_artefact(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let Some(stem) = name.strip_suffix(".json") else {
        return false;
    };
    let separates = |c: char| matches!(c, '-' | '_' | '.' | ' ');
    stem != "semantic_manifest"
        && KINDS.iter().any(|kind| {
            stem.strip_prefix(kind)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(separates))
                || stem
                    .strip_suffix(kind)
                    .is_some_and(|rest| rest.ends_with(separates))
        })
}

/// Reads up to the limit, unzipped if it is zipped.
pub(super) fn read_bounded(input: &mut dyn Read, name: &str) -> Result<Vec<u8>, DbtError> {
    let mut bytes = Vec::new();
    input
        .take(FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| DbtError::new(name, Fault::Io(error)))?;
    match bytes.len() as u64 > FILE_BYTES_MAX {
        true => Err(DbtError::new(name, Fault::TooLarge)),
        false => Ok(bytes),
    }
}

/// A walk through folders, each once.
struct Folders<'a> {
    /// The folder that nothing may lead out of.
    within: PathBuf,
    visited: BTreeSet<PathBuf>,
    found: &'a mut dyn Found,
}

impl Folders<'_> {
    fn below(root: &Path, found: &mut dyn Found) -> Result<(), DbtError> {
        let within = fs::canonicalize(root)
            .map_err(|error| DbtError::new(&root.display().to_string(), Fault::Io(error)))?;
        let mut folders = Folders {
            within,
            visited: BTreeSet::new(),
            found,
        };
        folders.folder(root, 0)
    }

    fn folder(&mut self, folder: &Path, depth: usize) -> Result<(), DbtError> {
        let name = folder.display().to_string();
        let io = |error| DbtError::new(&name, Fault::Io(error));
        if depth > DEPTH_MAX {
            self.found.left_out(&name, "nested too deep");
            return Ok(());
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(io)? {
            entries.push(entry.map_err(io)?.path());
        }
        entries.sort();
        for path in entries {
            let looked = self.entry(&path, depth);
            looked.or_else(|error| self.found.unreadable(error))?;
        }
        Ok(())
    }

    fn entry(&mut self, path: &Path, depth: usize) -> Result<(), DbtError> {
        let name = path.display().to_string();
        let called = file_name(path);
        let is_wanted = is_artefact(called) || archive::is_archive(called);
        // A link to nowhere matters only where it stands for something of dbt.
        let known = match fs::canonicalize(path) {
            Ok(known) => known,
            Err(error) if is_wanted => return Err(DbtError::new(&name, Fault::Io(error))),
            Err(_) => return Ok(()),
        };
        let is_folder = known.is_dir();
        let is_passed_over = called.starts_with('.') || (is_folder && FOREIGN.contains(&called));
        if is_passed_over || !(is_folder || is_wanted) {
            return Ok(());
        }
        if !known.starts_with(&self.within) {
            self.found
                .left_out(&name, "the link leads out of the folder");
            return Ok(());
        }
        // Two ways to one place are no two places; nor does a link lead in a circle.
        if known == self.within || !self.visited.insert(known) {
            return Ok(());
        }
        match is_folder {
            true => self.folder(path, depth + 1),
            false => read_file(path, &name, archive::is_archive(called), self.found),
        }
    }
}

fn read_file(
    path: &Path,
    name: &str,
    is_archive: bool,
    found: &mut dyn Found,
) -> Result<(), DbtError> {
    let io = |error: io::Error| DbtError::new(name, Fault::Io(error));
    let metadata = fs::metadata(path).map_err(io)?;
    // A pipe would be waited for.
    if !metadata.is_file() {
        found.left_out(name, "not a file");
        return Ok(());
    }
    if !found.wants(name, &metadata) {
        return Ok(());
    }
    if !is_archive && metadata.len() > FILE_BYTES_MAX {
        return Err(DbtError::new(name, Fault::TooLarge));
    }
    let mut file = fs::File::open(path).map_err(io)?;
    match is_archive {
        true => archive::read(&mut file, name, found),
        false => {
            let bytes = archive::unzipped(&mut file, name)?;
            found.file(name, bytes)
        }
    }
}

fn file_name(path: &Path) -> &str {
    let name = path.file_name().and_then(|name| name.to_str());
    name.unwrap_or_default()
}
