//! fakesnow: a server that speaks as Snowflake does to its drivers, and answers
//! out of DuckDB. It lets everybody in.

use std::fs;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::lake::python;

/// A server, until it is dropped.
pub(crate) struct Snowflake {
    server: Child,
    log: NamedTempFile,
    pub(crate) port: u16,
}

impl Snowflake {
    pub(crate) fn start() -> Snowflake {
        let log = NamedTempFile::new().unwrap();
        let written = log.reopen().unwrap();
        let server = Command::new(python())
            // It takes a port that is free, and says which.
            .args(["-m", "fakesnow", "--server"])
            .stdout(written.try_clone().unwrap())
            .stderr(written)
            .spawn()
            .unwrap();
        let mut snowflake = Snowflake {
            server,
            log,
            port: 0,
        };
        let begun = Instant::now();
        while snowflake.port == 0 {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "fakesnow does not start: {}",
                snowflake.log()
            );
            thread::sleep(Duration::from_millis(50));
            let said = snowflake.log();
            let port = said.split("running on http://127.0.0.1:").nth(1);
            let port = port.and_then(|rest| rest.split_once(' '));
            snowflake.port = port.map_or(0, |(port, _)| port.parse().unwrap());
        }
        snowflake
    }

    /// Runs statements, one a line, by Snowflake's own client for Python.
    pub(crate) fn run(&self, statements: &str) {
        let script = "import sys, snowflake.connector\n\
            cursor = snowflake.connector.connect(user='loader', password='p', account='fakesnow', \
            host='127.0.0.1', port=int(sys.argv[1]), protocol='http').cursor()\n\
            for line in filter(None, map(str.strip, sys.argv[2].splitlines())):\n    cursor.execute(line)\n";
        let ran = Command::new(python())
            .args(["-c", script, &self.port.to_string(), statements])
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    /// What it was asked.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.log.path()).unwrap()
    }
}

impl Drop for Snowflake {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
