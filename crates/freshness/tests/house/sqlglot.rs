//! Parsers of SQL dialects that are not ours: the Python package sqlglot.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The Python that has the package: the one that is named, or the one that
/// `scripts/test` made.
pub(super) fn python() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_SQLGLOT_PYTHON") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let target = test.ancestors().nth(3).unwrap();
    let python = target.join("sqlglot/bin/python");
    assert!(
        python.exists(),
        "no sqlglot here: run scripts/test once, or name a Python that has the package sqlglot \
         in FRESHNESS_SQLGLOT_PYTHON"
    );
    python
}

/// What each of `[{"dialect", "what", "sql"}]` consists of, in the same order.
pub(crate) fn structures(asked: &Value) -> Vec<Value> {
    let mut child = Command::new(python())
        .args(["-c", include_str!("structure.py")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = asked.to_string().into_bytes();
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}
