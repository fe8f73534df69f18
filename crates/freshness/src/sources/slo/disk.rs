//! What lies in a folder of promises, and what is in a file?

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The names of levels, the outer one first.
pub(super) const LEVELS: [&str; 2] = ["_domain", "_system"];

/// No person writes more into one file.
const YAML_BYTES_MAX: u64 = 8 << 20;

/// The levels of a folder above the root. One that cannot be listed has none: who
/// may read the root need not read what is above it.
pub(super) fn levels_of(folder: &Path) -> Vec<PathBuf> {
    let mut entries = entries(folder).unwrap_or_default();
    entries.retain(|path| is_yaml(path) && LEVELS.contains(&stem(path)));
    entries
}

/// What lies in a folder, by name, without what is hidden.
pub(super) fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
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

pub(super) fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        extension.eq_ignore_ascii_case("yaml") || extension.eq_ignore_ascii_case("yml")
    }) && !path.is_dir()
}

pub(super) fn is_manifest(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "manifest.json")
}

pub(super) fn stem(path: &Path) -> &str {
    path.file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default()
}

/// Opens a file; a pipe would be waited for.
pub(super) fn open(path: &Path) -> Result<fs::File, String> {
    let found = fs::metadata(path).map_err(|error| in_words(&error))?;
    if !found.is_file() {
        return Err("not a file".to_owned());
    }
    fs::File::open(path).map_err(|error| in_words(&error))
}

pub(super) fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = open(path)?;
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

pub(super) fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}
