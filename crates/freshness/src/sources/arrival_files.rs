//! How are configured files of arrivals collected?
//!
//! The cursor says of each file that was read its size and when it was changed;
//! one that is as it was is not read again. By the clock of the files alone, a
//! file that is moved into the folder with an old date would never be read.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use globset::GlobBuilder;

use super::arrivals::read_arrivals;
use super::collect::{Asked, Collected, NotCollected};
use super::input::Source;
use super::instant::TimeRules;
use super::problem::BadRows;
use super::regular::irregular;
use super::told::{Told, ToldArrival, ToldRemark};

/// Files of arrivals, and what they mean.
#[derive(Debug, Clone)]
pub struct ArrivalFiles {
    /// Paths; in the name of a file `*` and `?` stand for any part of it.
    pub files: Vec<PathBuf>,
    /// How times are read.
    pub times: TimeRules,
}

/// More files at once are a folder that was not meant.
const FILES_MAX: usize = 100_000;

/// Reads the files that are new or changed. A row that means nothing stops it, so
/// that nothing is half read.
pub fn collect_arrival_files(
    source: &ArrivalFiles,
    asked: &Asked<'_>,
) -> Result<Collected, NotCollected> {
    // A cursor of another kind is none of ours: all is read anew.
    let before: BTreeMap<String, String> = asked
        .cursor
        .and_then(|cursor| serde_json::from_str(cursor).ok())
        .unwrap_or_default();
    let mut told = Told::default();
    let mut after = BTreeMap::new();
    for pattern in &source.files {
        let found = matching(pattern)?;
        if found.is_empty() {
            told.remarks.push(no_match(pattern));
        }
        for file in found {
            let name = file.display().to_string();
            let stamp = stamp_of(&file)?;
            if before.get(&name) != Some(&stamp) && !after.contains_key(&name) {
                read(&file, source.times, &mut told)?;
            }
            after.insert(name, stamp);
        }
    }
    let cursor = serde_json::to_string(&after).map_err(NotCollected::new)?;
    Ok(Collected {
        events: None,
        told,
        cursor: Some(cursor),
    })
}

fn read(file: &Path, times: TimeRules, told: &mut Told) -> Result<(), NotCollected> {
    let source = Source::named(file.to_owned(), None);
    let mut bad = BadRows::default();
    let label = source.label();
    read_arrivals(&source, &times, &|_| {}, &mut bad, &mut |read| {
        told.arrivals.push(ToldArrival {
            dataset: read.dataset.clone(),
            at: read.at,
            cycle: read.cycle,
            run_id: read.run_id.map(Into::into),
            covers_through: read.covers_through,
            rows: read.rows,
        });
    })
    .map_err(|error| NotCollected::with_hint(format_args!("{label}: {error}"), error.hint()))?;
    match bad.is_empty() {
        true => Ok(()),
        false => Err(NotCollected::of_rows(&bad)),
    }
}

/// What is said of a pattern that no file matches.
pub(super) fn no_match(pattern: &Path) -> ToldRemark {
    ToldRemark {
        place: pattern.display().to_string(),
        what: "no file matches".to_owned(),
    }
}

/// Those of the patterns that no file matches. One that cannot be looked for is
/// none of them: it fails its source.
pub fn without_match(patterns: &[PathBuf]) -> Vec<String> {
    let is_empty = |pattern: &&PathBuf| matching(pattern).is_ok_and(|found| found.is_empty());
    let of_none = patterns.iter().filter(is_empty);
    of_none
        .map(|pattern| pattern.display().to_string())
        .collect()
}

/// The files that a pattern names, by name. One without a wildcard names a file
/// that must be there.
pub(super) fn matching(pattern: &Path) -> Result<Vec<PathBuf>, NotCollected> {
    let name = pattern.file_name().unwrap_or_default().to_string_lossy();
    if !name.contains(['*', '?']) {
        return match fs::metadata(pattern) {
            Ok(found) => match irregular(&found) {
                None => Ok(vec![pattern.to_owned()]),
                Some(what) => Err(NotCollected::new(format_args!(
                    "{}: {what}",
                    pattern.display()
                ))),
            },
            Err(error) => Err(of_file(pattern, &error)),
        };
    }
    let glob = GlobBuilder::new(&name)
        .literal_separator(true)
        .build()
        .map_err(|error| NotCollected::new(format_args!("{}: {error}", pattern.display())))?
        .compile_matcher();
    let folder = match pattern.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let entries = fs::read_dir(folder).map_err(|error| of_file(folder, &error))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| of_file(folder, &error))?;
        let path = entry.path();
        if glob.is_match(entry.file_name()) && path.is_file() {
            found.push(path);
        }
        if found.len() > FILES_MAX {
            return Err(NotCollected::new(format_args!(
                "more than {FILES_MAX} files: {}",
                pattern.display()
            )));
        }
    }
    found.sort();
    Ok(found)
}

fn of_file(path: &Path, error: &std::io::Error) -> NotCollected {
    NotCollected::new(format_args!("{}: {error}", path.display()))
}

/// What tells that a file was changed.
pub(super) fn stamp_of(file: &Path) -> Result<String, NotCollected> {
    let metadata = fs::metadata(file).map_err(|error| of_file(file, &error))?;
    let changed = metadata.modified().ok();
    let changed = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let nanos = changed.map_or(0, |since| since.as_nanos());
    Ok(format!("{} {nanos}", metadata.len()))
}
