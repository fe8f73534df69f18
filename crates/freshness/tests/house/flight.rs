//! roapi: a server that answers Flight SQL with what is in files, by DataFusion.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A server with one table, until it is dropped.
pub(crate) struct FlightServer {
    server: Child,
    pub(crate) port: u16,
}

impl FlightServer {
    /// `table` is named as the file.
    pub(crate) fn start(table: &Path) -> FlightServer {
        let log = tempfile::NamedTempFile::new().unwrap();
        let server = Command::new(program())
            // It takes ports that are free, and says which.
            .args(["-a", "127.0.0.1:0", "-p", "127.0.0.1:0"])
            .args(["--addr-flight-sql", "127.0.0.1:0", "-t"])
            .arg(table)
            .stdout(Stdio::null())
            .stderr(log.reopen().unwrap())
            .spawn()
            .unwrap();
        let mut flight = FlightServer { server, port: 0 };
        let begun = Instant::now();
        while flight.port == 0 {
            let said = fs::read_to_string(log.path()).unwrap();
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "roapi does not start: {said}"
            );
            thread::sleep(Duration::from_millis(50));
            let port = said.split(" for FlightSQL traffic").next();
            let port = port.filter(|before| before.len() < said.len());
            let port = port.and_then(|before| before.rsplit_once(':'));
            flight.port = port.map_or(0, |(_, port)| port.parse().unwrap());
        }
        flight
    }
}

impl Drop for FlightServer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn program() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_ROAPI") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let program = test.ancestors().nth(3).unwrap().join("roapi/bin/roapi");
    assert!(
        program.exists(),
        "no roapi here: run scripts/test once, or name its program in FRESHNESS_ROAPI"
    );
    program
}
