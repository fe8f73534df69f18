//! Does the house stand as ARCHITECTURE.md says?
//!
//! What the compiler cannot check, read from the sources of all crates: the
//! order of the floors, a question on top of every file, no file that holds
//! two ideas, SQL in one place, a core without I/O.

#![allow(
    clippy::disallowed_methods,
    reason = "a test of the sources reads the sources"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// Longest shipped part of a source file.
const LINES_MAX: usize = 400;

/// Files that may be longer, with the reason.
const MAY_BE_LONGER: [(&str, &str); 0] = [];

/// What core may depend on. Nothing here reads files, clocks or sockets.
const CORE_DEPENDENCIES: [&str; 4] = ["arrayvec", "jiff", "serde", "thiserror"];

struct Source {
    /// From the root of the workspace, with `/`.
    path: String,
    text: String,
}

impl Source {
    /// The text without the test module at its end.
    fn shipped(&self) -> &str {
        let end = self.text.find("\n#[cfg(test)]\nmod ");
        end.map_or(&self.text, |end| &self.text[..end])
    }

    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All texts of the project, in the order of their paths.
fn sources() -> Vec<Source> {
    let root = root();
    let mut sources = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !["target", ".git", ".freshness"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if name != ".git"
                && let Ok(text) = fs::read_to_string(&path)
            {
                let path = path.strip_prefix(&root).unwrap().to_string_lossy();
                let path = path.replace('\\', "/");
                sources.push(Source { path, text });
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn rust_sources() -> impl Iterator<Item = Source> {
    sources().into_iter().filter(Source::is_rust)
}

#[track_caller]
fn check_none(offences: impl IntoIterator<Item = String>) {
    let offences: Vec<String> = offences.into_iter().collect();
    assert!(offences.is_empty(), "\n{}\n", offences.join("\n"));
}

/// The floors of core, lowest first.
fn floors() -> Vec<String> {
    let lib = fs::read_to_string(root().join("crates/freshness-core/src/lib.rs")).unwrap();
    lib.lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(str::to_owned)
        .collect()
}

/// Modules of the crate that a text names: after `crate::`, braces opened.
fn named_modules(text: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        let plain = |c: &char| c.is_alphanumeric() || *c == '_';
        text.trim_start().chars().take_while(plain).collect()
    };
    let mut named = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let preceding = text[..at].chars().next_back();
        if preceding.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &text[at + "crate::".len()..];
        let Some(group) = rest.strip_prefix('{') else {
            named.push(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = 0;
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' | ',' if depth == 0 => {
                    named.push(word(&group[start..i]));
                    start = i + 1;
                    if c == '}' {
                        break;
                    }
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
    }
    named.retain(|name| !name.is_empty());
    named
}

#[test]
fn a_floor_names_only_floors_declared_above_it() {
    let floors = floors();
    assert!(floors.len() >= 8, "{floors:?}");
    let place = |name: &str| floors.iter().position(|floor| floor == name);
    let mut offences = Vec::new();
    for source in rust_sources() {
        let Some(inside) = source.path.strip_prefix("crates/freshness-core/src/") else {
            continue;
        };
        let own = inside.split('/').next().unwrap().trim_end_matches(".rs");
        let Some(own_place) = place(own) else {
            if own != "lib" {
                offences.push(format!("{}: not a floor of lib.rs: {own}", source.path));
            }
            continue;
        };
        for name in named_modules(&source.text) {
            match place(&name) {
                Some(named_place) if named_place <= own_place => {}
                Some(_) => offences.push(format!(
                    "{}: {own} names {name}, a higher floor",
                    source.path
                )),
                None => offences.push(format!("{}: not a floor: {name}", source.path)),
            }
        }
    }
    check_none(offences);
}

#[test]
fn modules_are_found_in_groups_too() {
    let named =
        named_modules("use crate::{civil::{Day, Zone}, fit};\nlet x = crate::state::judge;");
    assert_eq!(named, ["civil", "fit", "state"]);
    assert_eq!(named_modules("mycrate::x, super::y"), [""; 0]);
}

#[test]
fn every_source_file_starts_with_its_question() {
    check_none(
        rust_sources()
            .filter(|source| !source.text.starts_with("//! "))
            .map(|source| format!("{}: no //! on its first line", source.path)),
    );
}

#[test]
fn a_source_file_holds_one_idea() {
    for (path, reason) in MAY_BE_LONGER {
        assert!(root().join(path).exists() && !reason.is_empty(), "{path}");
    }
    let long = |source: &Source| {
        let shipped = source.path.contains("/src/") || source.path.ends_with("/build.rs");
        let excused = MAY_BE_LONGER.iter().any(|(path, _)| *path == source.path);
        shipped && !excused && source.shipped().lines().count() > LINES_MAX
    };
    check_none(rust_sources().filter(long).map(|source| {
        let n = source.shipped().lines().count();
        format!("{}: {n} lines; look for the second noun", source.path)
    }));
}

#[test]
fn only_the_store_speaks_sql() {
    let names = |source: &Source| {
        let mentions = source.text.contains("rusqlite::")
            || (source.path.ends_with("Cargo.toml") && source.text.contains("rusqlite"));
        let elsewhere = source.path.starts_with("crates/")
            && !source.path.starts_with("crates/freshness-store/")
            && !source.path.ends_with("tests/architecture.rs");
        mentions && elsewhere
    };
    check_none(
        sources()
            .into_iter()
            .filter(names)
            .map(|source| format!("{}: names rusqlite", source.path)),
    );
}

#[test]
fn core_depends_on_nothing_that_does_io() {
    let manifest = fs::read_to_string(root().join("crates/freshness-core/Cargo.toml")).unwrap();
    let dependencies = manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['=', '.', ' ']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'));
    check_none(
        dependencies
            .filter(|name| !CORE_DEPENDENCIES.contains(name))
            .map(|name| format!("core depends on {name}: say here why that does no I/O")),
    );
    let forbidden = [
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
        "std::time",
        "std::io",
    ];
    let mut offences = Vec::new();
    for source in rust_sources() {
        if source.path.starts_with("crates/freshness-core/src/") {
            offences.extend(
                forbidden
                    .iter()
                    .filter(|path| source.shipped().contains(**path))
                    .map(|path| format!("{}: names {path}", source.path)),
            );
        }
    }
    check_none(offences);
}

#[test]
fn no_test_is_switched_off() {
    // Clippy finds unfinished code; this finds tests that say nothing. Written
    // in two parts, so that this file does not find itself.
    let leftovers = [concat!("#[ig", "nore"), concat!("#[should_", "panic")];
    let mut offences = Vec::new();
    for source in rust_sources() {
        for leftover in leftovers {
            if source.text.contains(leftover) {
                offences.push(format!("{}: has {leftover}", source.path));
            }
        }
    }
    check_none(offences);
}

#[test]
fn no_file_names_a_registry_host() {
    // A mirror must do as well. Cargo.lock names the registry of its crates;
    // the fuzz targets are a workspace with one of their own.
    let hosts = [
        concat!("crates", ".io"),
        concat!("//docs", ".rs"),
        concat!("pypi", ".org"),
        concat!("npmjs", ".com"),
        concat!("npmjs", ".org"),
        concat!("static.rust", "-lang"),
    ];
    let mut offences = Vec::new();
    for source in sources() {
        if ["Cargo.lock", "fuzz/Cargo.lock"].contains(&source.path.as_str()) {
            continue;
        }
        for host in hosts {
            if source.text.contains(host) {
                offences.push(format!("{}: names {host}", source.path));
            }
        }
    }
    check_none(offences);
}
