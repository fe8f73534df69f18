//! Which files of a folder count, and what stands above each?
//!
//! Folder by folder from the outermost in, `_domain.yaml` and then
//! `_system.yaml` are laid over what is said further out. Any other `*.yaml` or
//! `*.yml` is a contract if it has the key `dataset` or `service_levels`; as
//! many as one likes may lie in a folder. Data contracts of the Open Data
//! Contract Standard, sources of dbt and its `manifest.json` are told by their
//! content. Files and folders whose names begin
//! with a dot are not looked at.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use freshness_core::civil::Holidays;
use freshness_core::slo::{
    CONTRACT, Content, Findings, LEVEL, Node, Place, checked, declaration, origins,
};

use crate::hint::did_you_mean;

use super::foreign::Foreign;
use super::{ReadDeclaration, ReadPromises, Remark, dbt, meant, odcs, yaml};

/// No person writes more into one file.
const YAML_BYTES_MAX: u64 = 8 << 20;

/// Folders within folders.
const DEPTH_MAX: usize = 32;

const LEVELS: [&str; 2] = ["_domain", "_system"];

/// Reads all that a folder, or one file, promises.
pub fn read_promises(root: &Path, holidays: &Holidays) -> ReadPromises {
    let mut reading = Reading {
        root: root.to_owned(),
        holidays,
        within: Vec::new(),
        read: ReadPromises::default(),
    };
    let nothing = Level {
        node: Node::empty(reading.place(root)),
        spoilt: BTreeSet::new(),
    };
    match fs::metadata(root) {
        Err(error) => reading.trouble(root, in_words(&error), None),
        Ok(found) if found.is_dir() => reading.folder(root, nothing),
        Ok(_) => {
            // Named by itself, a file need not have a name that we know.
            match root
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                true => reading.manifest(root, &nothing),
                false => reading.file(root, &nothing),
            }
        }
    }
    let mut read = reading.read;
    read.troubles.sort_by(|a, b| a.place.cmp(&b.place));
    read.declarations.sort_by(|a, b| {
        let key = |read: &ReadDeclaration| {
            let of = &read.declaration;
            (of.dataset.clone(), of.environment.clone())
        };
        key(a).cmp(&key(b))
    });
    read
}

struct Reading<'a> {
    root: PathBuf,
    holidays: &'a Holidays,
    /// The folders that one is in, as the system knows them.
    within: Vec<PathBuf>,
    read: ReadPromises,
}

/// What is said above a file.
#[derive(Clone)]
struct Level {
    node: Node,
    /// Sections in which something is wrong: what is missing there is not told
    /// again with every contract.
    spoilt: BTreeSet<String>,
}

/// Stands for all sections, where a whole file could not be read.
const EVERYTHING: &str = "*";

impl Reading<'_> {
    fn folder(&mut self, folder: &Path, above: Level) {
        let known = match fs::canonicalize(folder) {
            Ok(known) => known,
            Err(error) => return self.trouble(folder, in_words(&error), None),
        };
        if self.within.contains(&known) || self.within.len() >= DEPTH_MAX {
            let what = "left out: the link leads back, or too deep".to_owned();
            return self.note(folder, what, None);
        }
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) => return self.trouble(folder, in_words(&error), None),
        };
        self.within.push(known);
        let mut level = above;
        for name in LEVELS {
            let mut files = entries
                .iter()
                .filter(|path| is_yaml(path) && stem(path) == name);
            let Some(file) = files.next() else { continue };
            if let Some(second) = files.next() {
                let first = self.name(file);
                self.trouble(second, format!("{first} says the same level"), None);
            }
            let Some(node) = self.parse(file) else {
                level.spoilt.insert(EVERYTHING.to_owned());
                continue;
            };
            let mut found = Findings::default();
            let node = checked(node, LEVEL, "", &mut found);
            level.spoilt.extend(sections(&found));
            level.node = level.node.under(node);
            self.keep(found);
        }
        for path in &entries {
            if path.is_dir() {
                self.folder(path, level.clone());
            } else if is_manifest(path) {
                self.manifest(path, &level);
            } else if is_yaml(path) && !LEVELS.contains(&stem(path)) {
                self.file(path, &level);
            }
        }
        self.within.pop();
    }

    /// A file that is no level.
    fn file(&mut self, path: &Path, level: &Level) {
        let Some(node) = self.parse(path) else { return };
        let foreign = match &node {
            node if odcs::is_contract(node) => Some(odcs::read(node)),
            node if dbt::is_sources(node) => Some(dbt::read_yaml(node)),
            _ => None,
        };
        if let Some(foreign) = foreign {
            return self.foreign(foreign, level);
        }
        let is_contract = ["dataset", "service_levels"]
            .iter()
            .any(|key| node.get(key).is_some());
        if is_contract {
            if stem(path).starts_with('_') {
                let hint = meant(stem(path), &LEVELS, "levels are");
                let what = "a name that begins with _ is that of a level".to_owned();
                return self.trouble(path, what, Some(hint));
            }
            return self.contract(node, level);
        }
        self.left_out(path, &node);
    }

    fn foreign(&mut self, foreign: Foreign, level: &Level) {
        self.read.notes.extend(foreign.notes);
        for contract in foreign.contracts {
            self.contract(contract, level);
        }
    }

    /// What dbt wrote of its sources.
    fn manifest(&mut self, path: &Path, level: &Level) {
        let read = fs::File::open(path)
            .map_err(|error| in_words(&error))
            .and_then(|file| dbt::read_manifest(file, &self.name(path)));
        match read {
            Ok(foreign) => {
                self.read.n_files += 1;
                self.foreign(foreign, level);
            }
            Err(what) => self.trouble(path, what, None),
        }
    }

    fn contract(&mut self, node: Node, level: &Level) {
        let mut found = Findings::default();
        let node = checked(node, CONTRACT, "", &mut found);
        let named = node.get("dataset").map(|node| node.place.clone());
        let place = named.unwrap_or_else(|| node.place.clone());
        let mut spoilt = level.spoilt.clone();
        spoilt.extend(sections(&found));
        self.keep(found);
        let merged = level.node.clone().under(node);
        let mut found = Findings::default();
        if let Some(declaration) = declaration(&merged, self.holidays, &mut found) {
            self.read.declarations.push(ReadDeclaration {
                declaration,
                origins: origins(&merged),
                place: place.clone(),
            });
        }
        for fault in found.faults {
            if spoilt.contains(EVERYTHING) || spoilt.contains(section(&fault.key)) {
                continue;
            }
            let elsewhere = fault.place.file != place.file;
            let mut trouble = Remark::from(fault);
            if elsewhere {
                trouble
                    .what
                    .push_str(&format!("; so it is for {}", place.file));
            }
            self.read.troubles.push(trouble);
        }
    }

    /// A file that promises nothing, which is said: a misspelt key may be why.
    fn left_out(&mut self, path: &Path, node: &Node) {
        if stem(path) == "contract" {
            let what = "a contract names its `dataset`".to_owned();
            return self.trouble(path, what, None);
        }
        let near = match &node.holds {
            Content::Section { keys, .. } => keys.keys().find_map(|key| {
                did_you_mean(key, ["dataset", "service_levels"])
                    .map(|word| format!("did you mean `{word}` by `{key}`?"))
            }),
            _ => None,
        };
        self.note(path, "left out: no `dataset` in it".to_owned(), near);
    }

    fn parse(&mut self, path: &Path) -> Option<Node> {
        let text = match text(path) {
            Ok(text) => text,
            Err(what) => {
                self.trouble(path, what, None);
                return None;
            }
        };
        self.read.n_files += 1;
        let file: Arc<str> = self.name(path).into();
        match yaml::read(&text, &file) {
            Ok(node) => Some(node),
            Err(trouble) => {
                self.read.troubles.push(trouble);
                None
            }
        }
    }

    fn keep(&mut self, found: Findings) {
        let Findings { faults, oddities } = found;
        self.read
            .troubles
            .extend(faults.into_iter().map(Remark::from));
        self.read
            .notes
            .extend(oddities.into_iter().map(Remark::from));
    }

    fn trouble(&mut self, path: &Path, what: String, hint: Option<String>) {
        let place = self.place(path);
        self.read.troubles.push(Remark { place, what, hint });
    }

    fn note(&mut self, path: &Path, what: String, hint: Option<String>) {
        let place = self.place(path);
        self.read.notes.push(Remark { place, what, hint });
    }

    fn place(&self, path: &Path) -> Place {
        Place {
            file: self.name(path).into(),
            line: 0,
            column: 0,
        }
    }

    /// Below the root, with `/`; a root that is a file by its own name.
    fn name(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let name = match below.as_os_str().is_empty() {
            true => path.file_name().map(Path::new).unwrap_or(path),
            false => below,
        };
        name.to_string_lossy().replace('\\', "/")
    }
}

/// The sections in which something is wrong.
fn sections(found: &Findings) -> impl Iterator<Item = String> {
    let keys = found.faults.iter().map(|fault| fault.key.as_str());
    keys.flat_map(|key| [section(key).to_owned(), key.to_owned()])
}

/// The section that a key stands in.
fn section(key: &str) -> &str {
    key.rsplit_once('.').map_or("", |(section, _)| section)
}

/// What lies in a folder, by name, without what is hidden.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with('.') {
            entries.push(path);
        }
    }
    entries.sort();
    Ok(entries)
}

fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml")
    }) && !path.is_dir()
}

fn is_manifest(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "manifest.json")
}

fn stem(path: &Path) -> &str {
    path.file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default()
}

fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    // A pipe would be waited for.
    let found = fs::metadata(path).map_err(|error| in_words(&error))?;
    if !found.is_file() {
        return Err("not a file".to_owned());
    }
    let file = fs::File::open(path).map_err(|error| in_words(&error))?;
    file.take(YAML_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| in_words(&error))?;
    if bytes.len() as u64 > YAML_BYTES_MAX {
        return Err(format!("larger than {} MiB", YAML_BYTES_MAX >> 20));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = error.as_bytes()[..error.utf8_error().valid_up_to()]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        format!("not UTF-8 text: line {}", line + 1)
    })
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}
