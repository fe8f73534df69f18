//! Where may a story put its files?
//!
//! Into a folder that is empty, new, or its own: one whose `freshness.yaml`
//! begins as the story's. It is written first, so that a story that was killed
//! finds its folder again. Files of the user in it are left alone.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::hint::failure;

const SETTINGS_FILE: &str = "freshness.yaml";

/// The store and the files that SQLite keeps beside it.
const STORE_FILES: [&str; 3] = ["freshness.db", "freshness.db-wal", "freshness.db-shm"];

/// A folder with a story's files and no store in it.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// Words of command lines that name something in it.
    places: Vec<&'static str>,
}

impl Folder {
    /// Makes the folder of a command ready for a first or a further run, with
    /// the files it comes with; `places` are others that its lines name.
    pub(crate) fn prepare(
        path: &Path,
        command: &str,
        files: &[(&'static str, &[u8])],
        places: &[&'static str],
    ) -> anyhow::Result<Folder> {
        // What the folder is told from, and the store's place for whoever goes
        // there.
        let mark = format!("# written by `freshness {command}`; this folder may be deleted");
        refuse_foreign(path, command, &mark)?;
        let names = files.iter().map(|(name, _)| *name);
        let folder = Folder {
            path: path.to_owned(),
            places: names.chain(places.iter().copied()).collect(),
        };
        fs::create_dir_all(path)
            .with_context(|| format!("cannot make the folder: {}", path.display()))?;
        let settings = format!("{mark}\nstore: {}\n", STORE_FILES[0]);
        folder.write(SETTINGS_FILE, settings.as_bytes())?;
        for name in STORE_FILES {
            match fs::remove_file(path.join(name)) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error)
                        .with_context(|| format!("cannot remove: {}", path.join(name).display()));
                }
                _ => {}
            }
        }
        for (name, bytes) in files {
            folder.write(name, bytes)?;
        }
        Ok(folder)
    }

    /// Where the store is to be.
    pub(crate) fn store(&self) -> PathBuf {
        self.path.join(STORE_FILES[0])
    }

    /// The path of a word that names something in it; others stay as they are.
    pub(crate) fn word(&self, word: &str) -> PathBuf {
        let first = word.split('/').next().unwrap_or(word);
        match self.places.contains(&first) {
            true => self.path.join(word),
            false => PathBuf::from(word),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.path.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write: {}", path.display()))
    }
}

fn refuse_foreign(path: &Path, command: &str, mark: &str) -> anyhow::Result<()> {
    let mut entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(error)
                .with_context(|| format!("cannot read the folder: {}", path.display()));
        }
    };
    let own = fs::read_to_string(path.join(SETTINGS_FILE))
        .is_ok_and(|text| text.lines().next() == Some(mark));
    match entries.next() {
        Some(_) if !own => Err(failure(
            format_args!("the folder holds files of others: {}", path.display()),
            format_args!("name a new or an empty one: `freshness {command} --dir DIR`"),
        )),
        _ => Ok(()),
    }
}
