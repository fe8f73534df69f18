//! What lies around that could be read?
//!
//! A look at a folder and a few levels below it, at names and first bytes only.
//! It follows no links, and what is hidden or made by tools is passed over.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// What was found, each by path from the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Folders with a `dbt_project.yml`.
    pub dbt_projects: Vec<PathBuf>,
    /// Delta tables.
    pub delta: Vec<PathBuf>,
    /// Iceberg tables.
    pub iceberg: Vec<PathBuf>,
    /// Folders of files of arrivals, and the extension of those.
    pub arrivals: Vec<(PathBuf, String)>,
    /// Databases of SQLite.
    pub sqlite: Vec<PathBuf>,
    /// Databases of DuckDB.
    pub duckdb: Vec<PathBuf>,
    /// Was there more than is looked at?
    pub is_cut: bool,
}

/// Levels below the folder that are looked at.
const DEPTH_MAX: usize = 4;

/// Entries that are looked at.
const ENTRIES_MAX: usize = 20_000;

/// So many of a kind make the point.
const FOUND_MAX: usize = 20;

/// Folders that tools fill.
const MADE: [&str; 8] = [
    "target",
    "node_modules",
    "venv",
    "site-packages",
    "dbt_packages",
    "__pycache__",
    "build",
    "dist",
];

/// Bytes that are looked at of a file.
const HEAD_BYTES: u64 = 4_096;

/// Looks around in a folder.
pub fn look_around(folder: &Path) -> Surroundings {
    let mut found = Surroundings::default();
    let mut n_left = ENTRIES_MAX;
    look_into(folder, Path::new(""), 0, &mut n_left, &mut found);
    found
}

fn look_into(
    root: &Path,
    inside: &Path,
    depth: usize,
    n_left: &mut usize,
    found: &mut Surroundings,
) {
    // What cannot be listed is not around.
    let mut names: Vec<_> = (fs::read_dir(root.join(inside)).into_iter().flatten())
        .filter_map(|entry| {
            Some((
                entry.as_ref().ok()?.file_name(),
                entry.ok()?.file_type().ok()?,
            ))
        })
        .collect();
    names.sort_by(|a, b| a.0.cmp(&b.0));
    let has = |name: &str| names.iter().any(|(found, _)| found == name);
    if has("dbt_project.yml") {
        add(&mut found.dbt_projects, inside.to_owned());
    }
    if has("_delta_log") {
        add(&mut found.delta, inside.to_owned());
        return;
    }
    if has("metadata") && is_iceberg(&root.join(inside).join("metadata")) {
        add(&mut found.iceberg, inside.to_owned());
        return;
    }
    for (name, kind) in names {
        if *n_left == 0 {
            found.is_cut = true;
            return;
        }
        *n_left -= 1;
        let shown = name.to_string_lossy();
        let path = inside.join(&name);
        if shown.starts_with('.') || kind.is_symlink() {
            continue;
        }
        if kind.is_dir() {
            if depth < DEPTH_MAX && !MADE.contains(&shown.as_ref()) {
                look_into(root, &path, depth + 1, n_left, found);
            }
        } else if kind.is_file() {
            look_at(root, inside, &path, found);
        }
    }
}

fn look_at(root: &Path, inside: &Path, path: &Path, found: &mut Surroundings) {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default().to_lowercase();
    let of_arrivals = |text: &str| text.contains("dataset_id") && text.contains("arrived_at");
    match extension.as_str() {
        "csv" | "ndjson" | "jsonl" => {
            let head = head(&root.join(path));
            let text = String::from_utf8_lossy(&head);
            let first = text.lines().next().unwrap_or_default().to_lowercase();
            if of_arrivals(&first) {
                add(&mut found.arrivals, (inside.to_owned(), extension));
            }
        }
        "db" | "sqlite" | "sqlite3" if head(&root.join(path)).starts_with(b"SQLite format 3\0") => {
            add(&mut found.sqlite, path.to_owned());
        }
        // Eight bytes of a checksum stand before the name of the format.
        "duckdb" | "ddb" if head(&root.join(path)).get(8..12) == Some(b"DUCK") => {
            add(&mut found.duckdb, path.to_owned());
        }
        _ => {}
    }
}

fn is_iceberg(metadata: &Path) -> bool {
    let entries = fs::read_dir(metadata).into_iter().flatten();
    entries.take(ENTRIES_MAX).flatten().any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz")
    })
}

fn head(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let opened = File::open(path);
    // What cannot be read is not around.
    let _ = opened.and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut bytes));
    bytes
}

fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if list.len() < FOUND_MAX && !list.contains(&item) {
        list.push(item);
    }
}
