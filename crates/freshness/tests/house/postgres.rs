//! A real PostgreSQL of the tests' own, thrown away when they end.
//!
//! Started once for a test binary, on a free port of the loopback, its data in
//! memory where the system has a place for that. A shell holds it and waits for
//! the end of its own input: that comes when the tests end, however they do.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// A row as text.
pub(crate) type Row = Vec<Option<String>>;

/// A running server.
#[derive(Debug)]
pub(crate) struct Postgres {
    port: u16,
    /// The shell that stops the server when its input ends.
    _keeper: Child,
}

/// One connection to it.
pub(crate) struct Connected {
    runtime: Runtime,
    client: Client,
}

/// What a shell does with the folder `$1`, the programs in `$2`, the port `$3`
/// and more options, `$4`.
/// Durability is nothing to tests.
const KEEP: &str = r#"
set -e
"$2/initdb" -D "$1/data" -U postgres --auth=trust --encoding=UTF8 --locale=C --no-sync >"$1/initdb.log" 2>&1
trap '"$2/pg_ctl" -D "$1/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$1"' EXIT
"$2/pg_ctl" -D "$1/data" -w -t 60 -l "$1/server.log" -o "-p $3 -c listen_addresses=127.0.0.1 -c unix_socket_directories=$1 \
  -c fsync=off -c synchronous_commit=off -c full_page_writes=off -c dynamic_shared_memory_type=mmap -c max_connections=50 -c shared_buffers=32MB $4" start >"$1/start.log" 2>&1
echo ready
cat >/dev/null
"#;

/// The server of this test binary, which is started when it is first asked for.
pub(crate) fn postgres() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(Postgres::start)
}

impl Postgres {
    /// Starts a server that nobody else uses.
    pub(crate) fn start() -> Postgres {
        Postgres::start_with("", &[])
    }

    /// … one that speaks TLS, by the certificate in `tests/house/tls`.
    pub(crate) fn start_with_tls() -> Postgres {
        let files = [
            ("server.pem", include_str!("tls/server.pem")),
            ("server.key", include_str!("tls/server.key")),
        ];
        let options = "-c ssl=on -c ssl_cert_file=../server.pem -c ssl_key_file=../server.key";
        Postgres::start_with(options, &files)
    }

    fn start_with(options: &str, files: &[(&str, &str)]) -> Postgres {
        let programs = programs();
        let folder = folder();
        let port = free_port();
        let mut shell = Command::new("sh");
        shell
            .args(["-c", KEEP, "sh"])
            .args([&folder, &programs])
            .args([&port.to_string(), options])
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let owner = unprivileged(&folder);
        for (name, text) in files {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            if let Some((user, group)) = owner {
                chown(&path, Some(user), Some(group)).unwrap();
            }
        }
        if let Some((user, group)) = owner {
            chown(&folder, Some(user), Some(group)).unwrap();
            shell.uid(user).gid(group);
        }
        let mut keeper = shell.spawn().unwrap();
        let mut ready = String::new();
        let stdout = keeper.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut ready).unwrap();
        if ready.trim() != "ready" {
            let logs: Vec<String> = ["initdb.log", "start.log", "server.log"]
                .iter()
                .filter_map(|log| fs::read_to_string(folder.join(log)).ok())
                .collect();
            panic!("PostgreSQL does not start:\n{}", logs.join("\n"));
        }
        Postgres {
            port,
            _keeper: keeper,
        }
    }

    /// The port it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Where it is, for its superuser.
    pub(crate) fn url(&self, database: &str) -> String {
        self.url_of("postgres", database)
    }

    /// … for somebody else.
    pub(crate) fn url_of(&self, user: &str, database: &str) -> String {
        format!("postgresql://{user}@127.0.0.1:{}/{database}", self.port)
    }

    /// Connects to a database.
    pub(crate) fn connect(&self, database: &str) -> Connected {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let url = self.url(database);
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
            tokio::spawn(async move {
                let _ = connection.await;
            });
            client
        });
        Connected { runtime, client }
    }

    /// Runs a script of statements; the rows of all of them as text.
    #[track_caller]
    pub(crate) fn run(&self, database: &str, script: &str) -> Vec<Row> {
        self.connect(database).run(script)
    }

    /// Stops one of its processes where it is, so that it says nothing more.
    pub(crate) fn freeze(&self, pid: &str) {
        // The shell has a `kill` of its own, wherever there is none besides.
        let command = format!("kill -STOP {pid}");
        let frozen = Command::new("sh").args(["-c", &command]).status();
        assert!(frozen.unwrap().success());
    }

    /// Ends all of it at once, as a power cut would.
    pub(crate) fn kill(&self) {
        let pids = "SELECT (regexp_match(pg_read_file('postmaster.pid'), '^[0-9]+'))[1]
            UNION ALL SELECT pid::text FROM pg_stat_activity";
        let pids: Vec<String> = self
            .run("postgres", pids)
            .into_iter()
            .filter_map(|row| row.into_iter().next().flatten())
            .collect();
        // The first is the one that would start the others anew.
        let all = format!("kill -KILL {} 2>/dev/null; true", pids.join(" "));
        let killed = Command::new("sh").args(["-c", &all]).status().unwrap();
        assert!(killed.success());
    }

    /// Makes a database that only one test uses; its name.
    pub(crate) fn database<'a>(&self, name: &'a str, script: &str) -> &'a str {
        self.run("postgres", &format!("CREATE DATABASE {name}"));
        self.run(name, script);
        name
    }
}

impl Connected {
    /// Runs a script of statements; the rows of all of them as text.
    #[track_caller]
    pub(crate) fn run(&mut self, script: &str) -> Vec<Row> {
        let answered = self.runtime.block_on(self.client.simple_query(script));
        let messages = answered.unwrap_or_else(|error| panic!("{error:?}\n{script}"));
        messages
            .into_iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(
                    (0..row.len())
                        .map(|i| row.get(i).map(str::to_owned))
                        .collect(),
                ),
                _ => None,
            })
            .collect()
    }
}

/// The folder of `initdb`, wherever the system keeps it.
fn programs() -> PathBuf {
    let configured = Command::new("pg_config").arg("--bindir").output().ok();
    let configured = configured
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map(|path| PathBuf::from(path.trim()));
    let in_path = env::var_os("PATH").unwrap_or_default();
    let mut packaged: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    packaged.sort();
    configured
        .into_iter()
        .chain(env::split_paths(&in_path))
        .chain(packaged.into_iter().rev())
        .find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
        .expect(
            "no PostgreSQL server here: run scripts/test once, or install the package postgresql",
        )
}

/// A folder of the server's own.
fn folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let parent = match memory.is_dir() {
        true => memory.to_owned(),
        false => env::temp_dir(),
    };
    let folder = tempfile::Builder::new()
        .prefix("freshness-postgres-")
        .tempdir_in(parent)
        .unwrap();
    // The shell removes it.
    folder.keep()
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Whom the server runs as, if the tests run as root, which PostgreSQL refuses.
fn unprivileged(folder: &Path) -> Option<(u32, u32)> {
    if fs::metadata(folder).unwrap().uid() != 0 {
        return None;
    }
    let id = |flag: &str, user: &str| {
        let output = Command::new("id").args([flag, user]).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    ["postgres", "nobody"]
        .into_iter()
        .find_map(|user| Some((id("-u", user)?, id("-g", user)?)))
}
