//! An Airflow of its own, in a folder of its own.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The password of the user `ann`, who may read.
pub(crate) const PASSWORD: &str = "hush";

/// A machine that is busy with other tests takes its time.
const STARTS_WITHIN: Duration = Duration::from_secs(240);

pub(crate) struct Airflow {
    home: TempDir,
    /// What is set for every command besides.
    variables: Vec<(String, String)>,
}

/// Its server; gone when this is.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Airflow {
    /// With the DAGs of a folder, known and never run.
    pub(crate) fn with(dags: &Path, variables: &[(&str, &str)]) -> Airflow {
        let home = TempDir::new().unwrap();
        let passwords = home.path().join("passwords.json");
        fs::write(&passwords, format!("{{\"ann\": \"{PASSWORD}\"}}")).unwrap();
        let transport = format!(
            "{{\"type\": \"file\", \"append\": true, \"log_file_path\": \"{}\"}}",
            home.path().join("events.ndjson").display()
        );
        let mut all: Vec<(String, String)> = [
            ("AIRFLOW__CORE__DAGS_FOLDER", dags.to_str().unwrap()),
            ("AIRFLOW__CORE__LOAD_EXAMPLES", "False"),
            ("AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS", "ann:viewer"),
            (
                "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE",
                passwords.to_str().unwrap(),
            ),
            ("AIRFLOW__OPENLINEAGE__TRANSPORT", &transport),
            ("AIRFLOW__USAGE_DATA_COLLECTION__ENABLED", "False"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        all.extend(
            variables
                .iter()
                .map(|(a, b)| ((*a).to_owned(), (*b).to_owned())),
        );
        let airflow = Airflow {
            home,
            variables: all,
        };
        for line in ["db migrate", "dags reserialize"] {
            let ran = airflow.run(line);
            assert!(ran.status.success(), "{line}: {}", said(&ran));
        }
        airflow
    }

    /// Runs a command line of Airflow.
    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a DAG for a time, all of its tasks in one process; did all succeed?
    pub(crate) fn dag(&self, dag: &str, at: &str) -> (bool, String) {
        let ran = self.run(&format!("dags test {dag} {at}"));
        (ran.status.success(), said(&ran))
    }

    /// The events that its provider for OpenLineage told.
    pub(crate) fn events(&self) -> PathBuf {
        self.home.path().join("events.ndjson")
    }

    /// Its server, once it answers.
    pub(crate) fn serve(&self) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        let port = address.port();
        let mut command = self.command(&format!(
            "api-server --host 127.0.0.1 --port {port} --workers 1"
        ));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let server = Server {
            // A group of its own, since it has workers.
            child: command.process_group(0).spawn().unwrap(),
            url: format!("http://{address}"),
        };
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(begun.elapsed() < STARTS_WITHIN, "airflow does not start");
            thread::sleep(Duration::from_millis(200));
        }
        server
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(program());
        command
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("AIRFLOW_HOME", self.home.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .envs(self.variables.iter().cloned())
            .current_dir(self.home.path())
            .args(line.split_whitespace());
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = format!("-{}", self.child.id());
        drop(Command::new("kill").args(["-TERM", "--", &group]).status());
        drop(self.child.wait());
    }
}

fn said(ran: &Output) -> String {
    let (out, error) = (&ran.stdout, &ran.stderr);
    String::from_utf8_lossy(out).into_owned() + &String::from_utf8_lossy(error)
}

/// The program: the one that is named, or the one that `scripts/test` installed.
fn program() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_AIRFLOW") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let program = test.ancestors().nth(3).unwrap().join("airflow/bin/airflow");
    assert!(
        program.exists(),
        "no Airflow here: run scripts/test once, or name its program in FRESHNESS_AIRFLOW"
    );
    program
}
