//! What lies in a folder on a disk?
//!
//! Links are followed, since folders of data are often linked together; one
//! that leads back to where it lies is told, and not followed. Pipes and
//! devices are never opened: they would be waited for.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::UNIX_EPOCH;

use super::{Entry, PlaceError};
use crate::threads::{n_threads, share_with};

/// What a walk came upon.
#[derive(Debug)]
pub enum Walked {
    /// A file; its name is that from the folder of the walk.
    File(Entry),
    /// What could not be looked at: its name, and why.
    Unreadable(String, String),
    /// A folder that is not looked into, or a file that is none: its name, and
    /// why. Nothing is missed by it.
    NotFollowed(String, &'static str),
}

/// Files for which a thread is worth its start.
const ENTRIES_PER_THREAD: usize = 64;

/// More threads wait for one disk, and do not make it faster.
const THREADS_MAX: usize = 8;

/// Folders that link to each other make endless ways through few files.
const LINKS_MAX: u32 = 10_000;

pub(super) fn list(folder: &Path, after: Option<&str>) -> Result<Vec<Entry>, PlaceError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Who looks for files here knows what they are called.
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        if after.is_some_and(|after| name.as_str() <= after) {
            continue;
        }
        match fs::metadata(entry.path()) {
            Ok(metadata) if metadata.is_file() => found.push(described(name, &metadata)),
            Ok(_) => {}
            // A link that leads nowhere is there; who reads it hears of it. What
            // was removed meanwhile is not.
            Err(_) => {
                if let Ok(metadata) = fs::symlink_metadata(entry.path()) {
                    found.push(described(name, &metadata));
                }
            }
        }
    }
    Ok(found)
}

pub(super) fn entry(folder: &Path, name: &str) -> Result<Entry, PlaceError> {
    let metadata = fs::metadata(folder.join(name))?;
    match metadata.is_file() {
        true => Ok(described(name.to_owned(), &metadata)),
        false => Err(PlaceError::NotAFile),
    }
}

pub(super) fn walk(
    root: &Path,
    enter: &dyn Fn(&str) -> bool,
    each: &mut dyn FnMut(Walked),
) -> Result<(), PlaceError> {
    if !fs::metadata(root)?.is_dir() {
        return Err(PlaceError::NotAFolder);
    }
    let mut n_links = 0;
    let mut folders = vec![Folder {
        path: root.to_owned(),
        name: String::new(),
        left: Rc::from([]),
    }];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder.path) {
            Ok(entries) => entries,
            Err(error) if folder.name.is_empty() => return Err(error.into()),
            Err(error) => {
                each(Walked::Unreadable(folder.name, error.to_string()));
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    each(Walked::Unreadable(folder.name.clone(), error.to_string()));
                    break;
                }
            };
            let own = match entry.file_name().into_string() {
                Ok(own) => folder.below(&own),
                Err(own) => {
                    let own = folder.below(&own.to_string_lossy());
                    each(Walked::NotFollowed(own, "its name is not UTF-8"));
                    continue;
                }
            };
            match fs::metadata(entry.path()) {
                Ok(metadata) if metadata.is_file() => {
                    each(Walked::File(described(own, &metadata)));
                }
                Ok(metadata) if metadata.is_dir() && enter(&own) => {
                    match folder.entered(&entry, own.clone(), &mut n_links) {
                        Ok(inner) => folders.push(inner),
                        Err(walked) => each(walked),
                    }
                }
                Ok(_) => {}
                // A link to nothing, or a file that was removed meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => each(Walked::Unreadable(own, error.to_string())),
            }
        }
    }
    Ok(())
}

/// A folder that is going to be looked into.
struct Folder {
    path: PathBuf,
    /// From the root of the walk.
    name: String,
    /// Where the links are, really, that led here.
    left: Rc<[PathBuf]>,
}

impl Folder {
    fn below(&self, own: &str) -> String {
        match self.name.is_empty() {
            true => own.to_owned(),
            false => format!("{}/{own}", self.name),
        }
    }

    /// A folder in it, unless it is a link to one that it lies in itself.
    fn entered(
        &self,
        entry: &fs::DirEntry,
        name: String,
        n_links: &mut u32,
    ) -> Result<Folder, Walked> {
        let path = entry.path();
        let mut left = self.left.clone();
        if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            let real = |path: &Path| {
                fs::canonicalize(path)
                    .map_err(|error| Walked::Unreadable(name.clone(), error.to_string()))
            };
            let (site, target) = (real(&self.path)?, real(&path)?);
            let sites: Rc<[PathBuf]> = left.iter().cloned().chain([site]).collect();
            if sites.iter().any(|site| site.starts_with(&target)) {
                let why = "a link that leads back to a folder that it lies in";
                return Err(Walked::NotFollowed(name, why));
            }
            *n_links += 1;
            if *n_links > LINKS_MAX {
                let why = format!("more than {LINKS_MAX} links to folders");
                return Err(Walked::Unreadable(name, why));
            }
            left = sites;
        }
        Ok(Folder { path, name, left })
    }
}

pub(super) fn read_each<T: Send, E: Send + From<PlaceError>>(
    folder: &Path,
    entries: &[Entry],
    work: &(impl Fn(&Entry, &mut dyn Read) -> Result<T, E> + Sync),
) -> Vec<Result<T, E>> {
    let read = |entry: &Entry| work(entry, &mut open(&folder.join(&entry.name))?);
    // More do not make a disk faster.
    let n_threads = n_threads(None, entries.len(), ENTRIES_PER_THREAD).min(THREADS_MAX);
    share_with(
        vec![(); n_threads],
        entries,
        |(), entry| read(entry),
        |_| {},
    )
}

fn open(path: &Path) -> Result<File, PlaceError> {
    // Asked before it is opened, which of a pipe would wait for a writer.
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => Ok(File::open(path)?),
        Ok(_) => Err(PlaceError::NotAFile),
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_symlink() => {
            Err(PlaceError::BrokenLink)
        }
        Err(error) => Err(error.into()),
    }
}

fn described(name: String, metadata: &Metadata) -> Entry {
    let modified = metadata.modified().ok();
    let since = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    Entry {
        name,
        bytes: metadata.len(),
        modified: since.map_or(0, |since| {
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn check_walk(make: impl FnOnce(&Path)) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path());
        let mut found = Vec::new();
        walk(
            folder.path(),
            &|name| !name.ends_with("skip"),
            &mut |walked| {
                found.push(match walked {
                    Walked::File(entry) => format!("{} {}", entry.name, entry.bytes),
                    Walked::Unreadable(name, why) => format!("{name}: {why}"),
                    Walked::NotFollowed(name, why) => format!("{name}: {why}"),
                });
            },
        )
        .unwrap();
        found.sort();
        found
    }

    #[test]
    fn files_below_are_named_from_the_root() {
        let found = check_walk(|root| {
            fs::create_dir_all(root.join("a/b")).unwrap();
            fs::create_dir_all(root.join("skip")).unwrap();
            fs::write(root.join("top"), "x").unwrap();
            fs::write(root.join("a/b/deep"), "xyz").unwrap();
            fs::write(root.join("skip/unseen"), "x").unwrap();
            symlink("top", root.join("link")).unwrap();
            symlink("nowhere", root.join("dangling")).unwrap();
        });
        assert_eq!(found, ["a/b/deep 3", "link 1", "top 1"]);
    }

    #[test]
    fn links_are_followed_and_circles_of_them_are_told() {
        let found = check_walk(|root| {
            for folder in ["a", "b"] {
                fs::create_dir(root.join(folder)).unwrap();
                fs::write(root.join(folder).join("f"), "").unwrap();
            }
            symlink("../b", root.join("a/to_b")).unwrap();
            symlink("../a", root.join("b/to_a")).unwrap();
            symlink("/", root.join("out")).unwrap();
            symlink("itself", root.join("itself")).unwrap();
        });
        let back = "a link that leads back to a folder that it lies in";
        assert_eq!(found[0], "a/f 0");
        assert_eq!(found[1], "a/to_b/f 0");
        assert_eq!(found[2], format!("a/to_b/to_a: {back}"));
        assert_eq!(found[5], format!("b/to_a/to_b: {back}"));
        assert!(found[6].starts_with("itself: "), "{found:?}");
        assert_eq!(found[7], format!("out: {back}"));
        assert_eq!(found.len(), 8);
    }

    #[test]
    fn a_pipe_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert_eq!(list(folder.path(), None).unwrap(), []);
        let entry = Entry {
            name: "pipe".to_owned(),
            bytes: 0,
            modified: 0,
        };
        let read = |_: &Entry, _: &mut dyn Read| Ok::<(), PlaceError>(());
        let found = read_each(folder.path(), &[entry], &read);
        assert!(matches!(found[..], [Err(PlaceError::NotAFile)]));
    }
}
