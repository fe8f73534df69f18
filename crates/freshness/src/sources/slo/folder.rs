//! Which files of a folder count, and what stands above each?
//!
//! Folder by folder from the outermost in, `_domain.yaml` and then
//! `_system.yaml` are laid over what is said further out. Any other `*.yaml` or
//! `*.yml` is a contract if it has the key `dataset` or `service_levels`; as
//! many as one likes may lie in a folder. Data contracts of the Open Data
//! Contract Standard, sources of dbt and its `manifest.json` are told by their
//! content. Files and folders whose names begin with a dot are not looked at.
//! Above the root, levels count up to the first folder that has none, so that a
//! folder of a folder means the same by itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use freshness_core::civil::Holidays;
use freshness_core::slo::{
    CONTRACT, Content, Findings, LEVEL, Node, Place, Problem, checked, declaration, origins,
};

use crate::hint::did_you_mean;
use crate::sources::database::TableName;

use super::disk::{self, LEVELS, entries, in_words, is_manifest, is_yaml, levels_of, stem, text};
use super::foreign::Foreign;
use super::{ReadDeclaration, ReadPromises, Remark, dbt, meant, odcs, yaml};

/// Folders within folders.
const DEPTH_MAX: usize = 32;

/// Reads all that a folder, or one file, promises.
pub fn read_promises(root: &Path, holidays: &Holidays) -> ReadPromises {
    let known = fs::canonicalize(root).ok();
    let is_folder = root.is_dir();
    let mut reading = Reading {
        root: root.to_owned(),
        home: known.as_deref().and_then(|known| match is_folder {
            true => Some(known.to_owned()),
            false => known.parent().map(Path::to_owned),
        }),
        holidays,
        within: Vec::new(),
        read: ReadPromises::default(),
    };
    match fs::metadata(root) {
        Err(error) => reading.trouble(root, in_words(&error), None),
        Ok(_) if is_folder => {
            let above = reading.above(known.as_deref().and_then(Path::parent));
            reading.folder(root, above);
        }
        Ok(_) => {
            let home = reading.home.clone();
            let above = reading.above(home.as_deref());
            // Named by itself, a file need not have a name that we know.
            match root
                .extension()
                .is_some_and(|extension| extension == "json")
            {
                true => reading.manifest(root, &above),
                false => reading.file(root, &above),
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
    /// The root, or the folder that it lies in if it is a file, as the system
    /// knows it.
    home: Option<PathBuf>,
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
        let level = self.levels(&entries, above);
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

    /// What the levels of a folder say, under what is said above it.
    fn levels(&mut self, entries: &[PathBuf], above: Level) -> Level {
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
        level
    }

    /// What stands above the root: the levels of the folders that it lies in, up
    /// to the first that has none.
    fn above(&mut self, folder: Option<&Path>) -> Level {
        let mut level = Level {
            node: Node::empty(self.place(&self.root.clone())),
            spoilt: BTreeSet::new(),
        };
        let mut found = Vec::new();
        let mut folders = folder.into_iter().flat_map(Path::ancestors);
        let mut without = None;
        for folder in folders.by_ref() {
            let levels = levels_of(folder);
            if levels.is_empty() {
                without = Some(folder);
                break;
            }
            found.push(levels);
        }
        let further = folders.map(levels_of).find(|levels| !levels.is_empty());
        if let (Some(without), Some([file, ..])) = (without, further.as_deref()) {
            let what = format!(
                "left out: no level stands in the folder between, {}; import a folder from there on",
                self.name(without)
            );
            self.note(file, what, None);
        }
        for levels in found.iter().rev() {
            level = self.levels(levels, level);
        }
        level
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
        let read = disk::open(path).and_then(|file| dbt::read_manifest(file, &self.name(path)));
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
        let own: BTreeSet<String> = sections(&found).collect();
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
        if let Some(table) = merged.said("table")
            && let Content::Value(name) = &table.holds
            && let Err(error) = name.to_string().parse::<TableName>()
        {
            let hint = "catalog.schema.table; a part that holds a dot or a quote in double quotes";
            self.read.troubles.push(Remark {
                place: table.place.clone(),
                what: format!("table: {error}"),
                hint: Some(hint.to_owned()),
            });
        }
        for fault in found.faults {
            // What is missing may be what was meant by a mistake that is told already;
            // anything else is a mistake of its own.
            let section = section(&fault.key);
            let is_told = match &fault.problem {
                Problem::Needs { .. } | Problem::Cleared { .. } => {
                    let spoilt = &level.spoilt;
                    own.contains(section) || spoilt.contains(section) || spoilt.contains(EVERYTHING)
                }
                Problem::Dataset(_) => own.contains(section),
                _ => false,
            };
            if is_told {
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

    /// Below the root, with `/`; a root that is a file by its own name; what
    /// stands above it by as many `..`.
    fn name(&self, path: &Path) -> String {
        let home = self.home.iter().flat_map(|home| home.ancestors());
        let mut above = home.enumerate().skip(usize::from(self.root.is_dir()));
        if path != self.root
            && !path.starts_with(&self.root)
            && let (Some(folder), Some(name)) = (path.parent(), path.file_name())
            && let Some((n, _)) = above.find(|(_, of)| *of == folder)
        {
            return format!("{}{}", "../".repeat(n), name.to_string_lossy());
        }
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
