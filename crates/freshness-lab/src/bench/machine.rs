//! On which machine was it measured?

use std::fs;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// What a time depends on. What cannot be found out is `unknown`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the processor.
    pub cpu: String,
    /// Cores that may be used.
    pub cores: usize,
    /// Memory, MiB.
    pub memory_mib: u64,
    /// Kernel.
    pub kernel: String,
    /// Compiler.
    pub rustc: String,
    /// Commit, with `+` if the tree was not clean.
    pub commit: String,
    /// Work on the machine when the measurement began, besides it: the load
    /// average of a minute.
    pub load: String,
}

impl Machine {
    /// This one.
    pub fn here() -> Machine {
        let after_colon = |path: &str, key: &str| {
            let text = fs::read_to_string(path).ok()?;
            let line = text.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let memory_kib = after_colon("/proc/meminfo", "MemTotal")
            .and_then(|text| text.trim_end_matches(" kB").parse::<u64>().ok());
        let first_word = |path: &str| {
            let text = fs::read_to_string(path).ok()?;
            text.split_whitespace().next().map(str::to_owned)
        };
        let clean = said("git", &["status", "--porcelain", "--untracked-files=no"]);
        let commit = said("git", &["rev-parse", "--short=12", "HEAD"]).map(|commit| {
            let mark = if clean.as_deref() == Some("") {
                ""
            } else {
                "+"
            };
            format!("{commit}{mark}")
        });
        Machine {
            cpu: or_unknown(after_colon("/proc/cpuinfo", "model name")),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_mib: memory_kib.unwrap_or(0) / 1_024,
            kernel: or_unknown(first_word("/proc/sys/kernel/osrelease")),
            rustc: or_unknown(said("rustc", &["--version"])),
            commit: or_unknown(commit),
            load: or_unknown(first_word("/proc/loadavg")),
        }
    }
}

fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn or_unknown(found: Option<String>) -> String {
    found.unwrap_or_else(|| "unknown".to_owned())
}
