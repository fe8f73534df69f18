//! How do the promises of files get into the store?
//!
//! In order: read every folder to its end; if anything is wrong anywhere, stop
//! and say all of it; only then open the store, and put what the folders
//! declare in place of what they declared before, in one transaction.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use freshness_core::slo::objectives;
use freshness_store::{DeclarationChanges, Declared, Store, StoreError};

use crate::sources::{ReadDeclaration, ReadPromises, Remark, read_promises};

/// Why nothing was declared.
#[derive(Debug, thiserror::Error)]
pub enum DeclareError {
    /// Files are wrong: all that is wrong with them, by place.
    #[error("{} wrong", .0.len())]
    Wrong(Vec<Remark>),
    /// Nothing is declared, and nobody said that this is meant.
    #[error("no service levels are declared in {}", .0.display())]
    Nothing(PathBuf),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was declared, and what became of it.
#[derive(Debug)]
pub struct Promised {
    /// Files that were read.
    pub n_files: u64,
    /// Datasets, each in one environment.
    pub n_declared: u64,
    /// What that changed.
    pub changes: DeclarationChanges,
    /// What is odd, or could not be mapped.
    pub notes: Vec<Remark>,
}

/// Declares what folders or files promise, in place of what they declared
/// before. `may_be_empty`: one that declares nothing is meant to.
pub fn declare(
    roots: &[PathBuf],
    may_be_empty: bool,
    open: impl FnOnce() -> Result<Store, StoreError>,
) -> Result<Promised, DeclareError> {
    let holidays = super::holidays();
    let read: Vec<(&Path, ReadPromises)> = roots
        .iter()
        .map(|root| (root.as_path(), read_promises(root, &holidays)))
        .collect();
    let mut troubles = Vec::new();
    let mut notes = Vec::new();
    for (root, read) in &read {
        troubles.extend(read.troubles.iter().map(|remark| under(root, remark)));
        notes.extend(read.notes.iter().map(|remark| under(root, remark)));
    }
    notes.extend(promising_nothing(&read));
    troubles.extend(declared_twice(&read));
    if !troubles.is_empty() {
        return Err(DeclareError::Wrong(troubles));
    }
    let empty = read.iter().find(|(_, read)| read.declarations.is_empty());
    if let (Some((root, _)), false) = (empty, may_be_empty) {
        return Err(DeclareError::Nothing((*root).to_owned()));
    }
    let folders: Vec<String> = roots.iter().map(|root| known_as(root)).collect();
    let n_files = read.iter().map(|(_, read)| read.n_files).sum();
    let mut declared = Vec::new();
    for ((_, read), folder) in read.into_iter().zip(&folders) {
        declared.extend(read.declarations.into_iter().map(|read| Declared {
            declaration: read.declaration,
            folder: folder.clone(),
            origins: read.origins,
        }));
    }
    Ok(Promised {
        n_files,
        n_declared: declared.len() as u64,
        changes: open()?.declare(&folders, &declared)?,
        notes,
    })
}

/// Contracts without an objective: nothing of them can be kept or broken.
fn promising_nothing(read: &[(&Path, ReadPromises)]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for (root, read) in read {
        let empty = |found: &&ReadDeclaration| objectives(&found.declaration.levels).is_empty();
        for found in read.declarations.iter().filter(empty) {
            let of = &found.declaration;
            let remark = Remark {
                place: found.place.clone(),
                what: format!("nothing is promised of {} ({})", of.dataset, of.environment),
                hint: Some("`service_levels` names no objective".to_owned()),
            };
            remarks.push(under(root, &remark));
        }
    }
    remarks
}

/// Datasets that two files of the same environment declare.
fn declared_twice(read: &[(&Path, ReadPromises)]) -> Vec<Remark> {
    let mut first = BTreeMap::new();
    let mut twice = Vec::new();
    for (root, read) in read {
        for found in &read.declarations {
            let remark = under(
                root,
                &Remark {
                    place: found.place.clone(),
                    what: String::new(),
                    hint: None,
                },
            );
            let of = &found.declaration;
            let key = (&of.dataset, &of.environment);
            match first.get(&key) {
                None => {
                    first.insert(key, remark.place);
                }
                Some(first) => twice.push(Remark {
                    what: format!(
                        "{} ({}) is declared twice, first at {first}",
                        of.dataset, of.environment
                    ),
                    hint: Some("give one of them another `environment`, or take it out".to_owned()),
                    ..remark
                }),
            }
        }
    }
    twice
}

/// A remark with its file as the user would name it.
fn under(root: &Path, remark: &Remark) -> Remark {
    let mut remark = remark.clone();
    let file = match root.is_dir() {
        true => root.join(&*remark.place.file),
        false => root.with_file_name(&*remark.place.file),
    };
    remark.place.file = file.to_string_lossy().replace('\\', "/").into();
    remark
}

/// What the store knows a folder by, wherever one stands.
fn known_as(root: &Path) -> String {
    let known = std::fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    known.to_string_lossy().into_owned()
}
