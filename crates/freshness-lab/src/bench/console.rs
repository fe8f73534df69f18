//! How long does it take to write the page that shows everything?

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use super::{Spread, measure};

/// What was measured of `freshness report`. Times in milliseconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ConsoleResults {
    /// The whole process: states, panels, console.html and console.json.
    pub report: Spread,
    /// The most memory it held, MiB.
    pub peak_mib: f64,
    /// console.html, bytes.
    pub page_bytes: u64,
    /// console.json, bytes.
    pub document_bytes: u64,
}

/// Writes the report of a store that is fitted `n` times.
pub(super) fn console(
    freshness: impl Fn() -> Command,
    folder: &Path,
    n: usize,
) -> anyhow::Result<ConsoleResults> {
    let out = folder.join("report");
    let report = || {
        let mut command = freshness();
        command.args(["report", "--out"]).arg(&out);
        command
    };
    let mut seconds = Vec::new();
    for _ in 0..n {
        seconds.push(measure(&mut report(), 0, false)?.seconds);
    }
    let peak = measure(&mut report(), 0, true)?.peak_mib;
    let bytes = |name: &str| -> anyhow::Result<u64> {
        let file = out.join(name);
        let read = fs::metadata(&file);
        Ok(read
            .with_context(|| format!("no file: {}", file.display()))?
            .len())
    };
    Ok(ConsoleResults {
        report: Spread::of(seconds).context("nothing was measured")?,
        peak_mib: peak.unwrap_or(0.0).round(),
        page_bytes: bytes("console.html")?,
        document_bytes: bytes("console.json")?,
    })
}
