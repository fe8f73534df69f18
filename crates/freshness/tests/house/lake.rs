//! Tables as people make them: the Python packages deltalake and pyiceberg, at
//! a time that is told to them.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

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
pub(crate) fn faketime() -> PathBuf {
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

/// A server that speaks the protocol of S3, with a bucket `lake`, until it is
/// dropped.
pub(crate) struct ObjectStore {
    server: Child,
    port: u16,
}

impl ObjectStore {
    /// Lets everybody in.
    pub(crate) fn start() -> ObjectStore {
        ObjectStore::started(&[])
    }

    /// Lets in only whom it knows, which is nobody, once the bucket is there.
    pub(crate) fn guarded() -> ObjectStore {
        ObjectStore::started(&[("INITIAL_NO_AUTH_ACTION_COUNT", "1")])
    }

    fn started(told: &[(&str, &str)]) -> ObjectStore {
        let said = tempfile::NamedTempFile::new().unwrap();
        let server = Command::new(python().with_file_name("moto_server"))
            // It takes a port that is free, and says which.
            .args(["-H", "127.0.0.1", "-p", "0"])
            .envs(told.iter().copied())
            .stdout(Stdio::null())
            .stderr(said.reopen().unwrap())
            .spawn()
            .expect("no moto here: run scripts/test once");
        let mut store = ObjectStore { server, port: 0 };
        let begun = Instant::now();
        while store.port == 0 {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "moto does not start"
            );
            thread::sleep(Duration::from_millis(50));
            let said = fs::read_to_string(said.path()).unwrap();
            let port = said
                .split("http://127.0.0.1:")
                .nth(1)
                .and_then(|rest| rest.split_once('\n'));
            store.port = port.map_or(0, |(port, _)| port.trim().parse().unwrap());
        }
        store.put("", b"");
        store
    }

    /// What the program is told of it.
    pub(crate) fn variables(&self) -> [(&'static str, String); 4] {
        [
            (
                "AWS_ENDPOINT_URL",
                format!("http://127.0.0.1:{}", self.port),
            ),
            ("AWS_ACCESS_KEY_ID", "somebody".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "a secret".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }

    /// Puts an object there; without a name, the bucket.
    pub(crate) fn put(&self, name: &str, bytes: &[u8]) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let head = format!(
            "PUT /lake/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            bytes.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }

    /// Puts all files of a folder there.
    pub(crate) fn put_folder(&self, folder: &Path, prefix: &str) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}/{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => self.put_folder(&entry.path(), &name),
                false => self.put(&name, &fs::read(entry.path()).unwrap()),
            }
        }
    }
}

impl Drop for ObjectStore {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
