//! How long did a process take, and how much memory?

use std::fs;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

/// One run of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// From before its start to after its end.
    pub seconds: f64,
    /// The most memory it held at once, MiB; `None` if not asked for.
    pub peak_mib: Option<f64>,
}

/// How often the memory of a process is looked at. The kernel keeps the most
/// it ever held, so only what is added in the last moment is missed.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Runs a process to its end. Its output is thrown away; an exit code above
/// `worst_code` is an error. Looking at memory costs a little time.
pub fn measure(command: &mut Command, worst_code: i32, memory: bool) -> anyhow::Result<Measured> {
    let name = format!("{command:?}");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let started = Instant::now();
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot run: {name}"))?;
    let (status, peak_mib) = match memory {
        false => (child.wait()?, None),
        true => {
            let (status, peak_kib) = watch(&mut child)?;
            (status, Some(peak_kib as f64 / 1_024.0))
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    match status.code() {
        Some(code) if code <= worst_code => Ok(Measured { seconds, peak_mib }),
        _ => bail!("{name} failed: {status}"),
    }
}

fn watch(child: &mut Child) -> anyhow::Result<(ExitStatus, u64)> {
    let path = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0;
    loop {
        if let Ok(text) = fs::read_to_string(&path) {
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
            peak_kib = peak_kib.max(kib.unwrap_or(0));
        }
        if let Some(status) = child.try_wait()? {
            return Ok((status, peak_kib));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}
