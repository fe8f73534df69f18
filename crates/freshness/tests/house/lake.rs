//! Tables as people make them: the Python packages deltalake and pyiceberg, at
//! a time that is told to them.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python that has the packages: the one that is named, or the one that
/// `scripts/test` made.
pub(crate) fn python() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_LAKE_PYTHON") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let target = test.ancestors().nth(3).unwrap();
    let python = target.join("lake/bin/python");
    assert!(
        python.exists(),
        "no deltalake here: run scripts/test once, or name a Python that has the packages \
         deltalake and pyiceberg in FRESHNESS_LAKE_PYTHON"
    );
    python
}

/// Does a stage of `lake.py` in a folder: `first`, or `then` what follows.
pub(crate) fn work(folder: &Path, stage: &str) {
    fs::create_dir_all(folder).unwrap();
    let (script, clock) = (folder.join("lake.py"), folder.join("clock"));
    fs::write(&script, include_str!("lake.py")).unwrap();
    fs::write(&clock, "2026-09-01 05:00:00").unwrap();
    let output = Command::new(python())
        .arg(&script)
        .args([folder, Path::new(stage), &clock])
        .env("LD_PRELOAD", faketime())
        .env("FAKETIME_TIMESTAMP_FILE", &clock)
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("NO_FAKE_STAT", "1")
        .env("TZ", "UTC")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The library that tells a program another time.
fn faketime() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_FAKETIME_LIBRARY") {
        return named.into();
    }
    let folders = fs::read_dir("/usr/lib").into_iter().flatten();
    let folders = folders.filter_map(|entry| Some(entry.ok()?.path()));
    let fixed = ["/usr/lib/faketime", "/usr/local/lib/faketime"].map(PathBuf::from);
    folders
        .map(|folder| folder.join("faketime"))
        .chain(fixed)
        .map(|folder| folder.join("libfaketime.so.1"))
        .find(|library| library.exists())
        .expect("no libfaketime here: run scripts/test once, or install the package libfaketime")
}
