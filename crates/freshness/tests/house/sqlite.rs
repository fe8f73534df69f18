//! A real file of SQLite, made by the Python that runs the parsers of SQL.

use std::path::Path;
use std::process::Command;

use super::sqlglot::python;

const SCRIPT: &str = "
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.executescript(sys.argv[2])
connection.commit()
";

/// Runs statements in a file, which is made if it is missing.
#[track_caller]
pub(crate) fn run(file: &Path, script: &str) {
    let output = Command::new(python())
        .args(["-c", SCRIPT])
        .arg(file)
        .arg(script)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
