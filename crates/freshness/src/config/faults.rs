//! What is wrong with `freshness.yaml`, everywhere in it?
//!
//! A reader of YAML stops at the first fault. So that one look finds more, a file
//! that is refused is read again section by section, each at its own lines.

use std::path::{Path, PathBuf};

use serde_saphyr::Error as YamlError;

use super::calendars;
use super::file::{ConfigFile, parse_yaml, read_text};
use super::refused::{FileFault, fault};
use super::{Environment, GlobalFlags};
use crate::hint;
use crate::sources::typed_keys;

/// More sections than there are keys; others are not looked at.
const MOST_SECTIONS: usize = 64;

/// The configuration file that is named, or the one that is read otherwise.
pub fn config_path(flags: &GlobalFlags, environment: &Environment) -> PathBuf {
    let named = flags.config.clone();
    named
        .or_else(|| environment.get("FRESHNESS_CONFIG").map(PathBuf::from))
        .unwrap_or_else(|| ConfigFile::default_path().to_owned())
}

/// The faults of a file, by line. None: every section can be read, and so can the
/// lists of holidays that it names.
pub fn faults(path: &Path) -> Vec<FileFault> {
    let unplaced = |what: String| FileFault {
        line: None,
        column: None,
        key: None,
        what,
        hint: None,
    };
    let text = match read_text(path) {
        Ok(text) => text,
        Err(error) => return vec![unplaced(format!("cannot read configuration: {error}"))],
    };
    let mut faults = Vec::new();
    let mut sound = Vec::new();
    match parse_yaml(&text) {
        Ok(file) => sound.push(file),
        Err(error) => {
            let first = error.without_snippet();
            let is_of_yaml = is_of_yaml(first);
            faults.push(fault(first, &text));
            for section in sections(&text) {
                match parse_yaml(&section) {
                    Ok(file) => sound.push(file),
                    Err(error) => {
                        let error = error.without_snippet();
                        // The same fault of YAML may seem to be elsewhere in a part,
                        // and a part lacks the anchors of the others.
                        let is_known = matches!(error, YamlError::UnknownAnchor { .. })
                            || (is_of_yaml && self::is_of_yaml(error));
                        faults.extend((!is_known).then(|| fault(error, &section)));
                    }
                }
            }
        }
    }
    for file in sound {
        for (name, section) in file.calendars.unwrap_or_default() {
            let one = [(name.clone(), section)].into_iter().collect();
            if let Err(error) = calendars::read(one, path.parent()) {
                let key = format!("calendars.{name}.file");
                let keys = typed_keys(&text, "").unwrap_or_default();
                let line = keys.iter().find(|typed| typed.key == key);
                faults.push(FileFault {
                    line: line.map(|typed| typed.line.into()),
                    key: Some(key),
                    hint: hint::of(&error).map(str::to_owned),
                    ..unplaced(format!("{error:#}"))
                });
            }
        }
    }
    let place = |fault: &FileFault| (fault.line.unwrap_or(0), fault.column);
    faults.sort_by(|a, b| place(a).cmp(&place(b)).then_with(|| a.what.cmp(&b.what)));
    faults.dedup_by(|a, b| (place(a), &a.what) == (place(b), &b.what));
    faults
}

/// Is it the YAML itself that cannot be read?
fn is_of_yaml(error: &YamlError) -> bool {
    matches!(
        error,
        YamlError::ExternalMessage { .. }
            | YamlError::MultipleDocuments { .. }
            | YamlError::Eof { .. }
            | YamlError::ContainerEndMismatch { .. }
    )
}

/// Each key of the outermost level with what is below it, at its own lines.
fn sections(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    // A list may stand as far left as its key; `---` and `...` are no keys.
    let is_key =
        |line: &str| line.starts_with(|c: char| !c.is_whitespace() && !"#-.%[]{}".contains(c));
    let mut starts: Vec<usize> = (0..lines.len()).filter(|&i| is_key(lines[i])).collect();
    starts.truncate(MOST_SECTIONS);
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    (starts.iter().copied().zip(ends))
        .map(|(start, end)| "\n".repeat(start) + &lines[start..end].concat())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_keeps_its_lines() {
        let text = "# one\nstore: a\n\ndatasets:\n- match: b\nfit: {seed: 1}";
        assert_eq!(
            sections(text),
            [
                "\nstore: a\n\n",
                "\n\n\ndatasets:\n- match: b\n",
                "\n\n\n\n\nfit: {seed: 1}"
            ]
        );
    }
}
