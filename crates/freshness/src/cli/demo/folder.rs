//! Which files does the demo come with, and where may it put them?
//!
//! Into a folder that is empty, new, or its own: one whose `freshness.yaml`
//! begins as the demo's. It is written first, so that a demo that was killed
//! finds its folder again. Files of the user in it are left alone.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use jiff::Timestamp;

use crate::hint::failure;

/// What the folder is told from, and the store's place for whoever goes there.
const SETTINGS: &str = "\
# written by `freshness demo`; this folder may be deleted
store: freshness.db
";
const SETTINGS_FILE: &str = "freshness.yaml";

/// The store and the files that SQLite keeps beside it.
const STORE_FILES: [&str; 3] = ["freshness.db", "freshness.db-wal", "freshness.db-shm"];

/// The histories; README.md beside them says where they come from.
const DATA: [(&str, &[u8]); 4] = [
    (
        "arrivals.csv.gz",
        include_bytes!("../../../demo/arrivals.csv.gz"),
    ),
    ("datasets.csv", include_bytes!("../../../demo/datasets.csv")),
    ("lineage.csv", include_bytes!("../../../demo/lineage.csv")),
    (
        "dashboards.csv",
        include_bytes!("../../../demo/dashboards.csv"),
    ),
];

/// The first arrival of each after the pinned instant; never imported.
const AFTERWARDS: &str = include_str!("../../../demo/afterwards.csv");

/// A folder with the demo's files and no store in it.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder ready for a first or a further run.
    pub(super) fn prepare(path: &Path) -> anyhow::Result<Folder> {
        refuse_foreign(path)?;
        let folder = Folder {
            path: path.to_owned(),
        };
        fs::create_dir_all(path)
            .with_context(|| format!("cannot make the folder: {}", path.display()))?;
        folder.write(SETTINGS_FILE, SETTINGS.as_bytes())?;
        for name in STORE_FILES {
            match fs::remove_file(path.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error)
                        .with_context(|| format!("cannot remove: {}", path.join(name).display()));
                }
                _ => {}
            }
        }
        for (name, bytes) in DATA {
            folder.write(name, bytes)?;
        }
        Ok(folder)
    }

    /// Where the store is to be.
    pub(super) fn store(&self) -> PathBuf {
        self.path.join(STORE_FILES[0])
    }

    /// The path of a bundled file; other words stay as they are.
    pub(super) fn word(&self, word: &str) -> PathBuf {
        match DATA.iter().any(|&(name, _)| name == word) {
            true => self.path.join(word),
            false => PathBuf::from(word),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.path.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write: {}", path.display()))
    }
}

/// When a dataset delivered next after the pinned instant, in fact; `None` if
/// it never did.
pub(super) fn afterwards(dataset: &str) -> Option<Timestamp> {
    let at = AFTERWARDS.lines().find_map(|line| {
        let (id, at) = line.split_once(',')?;
        (id == dataset).then_some(at)
    })?;
    at.parse().ok()
}

fn refuse_foreign(path: &Path) -> anyhow::Result<()> {
    let mut entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error)
                .with_context(|| format!("cannot read the folder: {}", path.display()));
        }
    };
    let own = fs::read_to_string(path.join(SETTINGS_FILE))
        .is_ok_and(|text| text.lines().next() == SETTINGS.lines().next());
    match entries.next() {
        Some(_) if !own => Err(failure(
            format_args!("the folder holds files of others: {}", path.display()),
            "name a new or an empty one: `freshness demo --dir DIR`",
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_later_happened_is_known_of_all_but_the_feed_that_never_came_back() {
        let at = afterwards("chnroutes_txt").unwrap();
        assert_eq!(at.to_string(), "2022-09-07T05:52:58Z");
        assert_eq!(afterwards("covid_ts_combined"), None);
        let unreadable = AFTERWARDS
            .lines()
            .skip(1)
            .find(|line| afterwards(line.split(',').next().unwrap()).is_none());
        assert_eq!(unreadable, None);
    }
}
