//! Azurite: Microsoft's own emulator of Azure's store of blobs, which checks
//! who asks.

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

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest as _, Sha256};

use super::http::Connection;

/// The account that it knows.
pub(crate) const ACCOUNT: &str = "somebody";

/// What proves to be that account, before it is written as base64.
const SECRET: &[u8] = b"a secret of somebody";

/// A store of blobs with a container `lake`, until it is dropped.
pub(crate) struct AzureStore {
    server: Child,
    port: u16,
}

impl AzureStore {
    pub(crate) fn start() -> AzureStore {
        let said = tempfile::NamedTempFile::new().unwrap();
        let server = Command::new("node")
            .arg(program())
            // It takes a port that is free, and says which.
            .args(["--blobHost", "127.0.0.1", "--blobPort", "0"])
            .args(["--inMemoryPersistence", "--silent"])
            .env("AZURITE_ACCOUNTS", format!("{ACCOUNT}:{}", key()))
            .stdout(said.reopen().unwrap())
            .stderr(Stdio::null())
            .spawn()
            .expect("no node here: run scripts/test once");
        let mut store = AzureStore { server, port: 0 };
        let begun = Instant::now();
        while store.port == 0 {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "Azurite does not start"
            );
            thread::sleep(Duration::from_millis(50));
            let said = fs::read_to_string(said.path()).unwrap();
            let port = said.split("listens on http://127.0.0.1:").nth(1);
            let port = port.and_then(|rest| rest.split_once('\n'));
            store.port = port.map_or(0, |(port, _)| port.trim().parse().unwrap());
        }
        let url = format!("/{ACCOUNT}/lake?restype=container&{}", signature(FOR_LONG));
        store.connection().send("PUT", &url, &[], b"");
        store
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}/{ACCOUNT}", self.port)
    }

    /// What the program is told of it.
    pub(crate) fn variables(&self) -> [(&'static str, String); 3] {
        [
            ("AZURE_STORAGE_ACCOUNT_NAME", ACCOUNT.to_owned()),
            ("AZURE_STORAGE_ACCOUNT_KEY", key()),
            ("AZURE_STORAGE_ENDPOINT", self.endpoint()),
        ]
    }

    /// Puts blobs there, by name.
    pub(crate) fn put<'a>(&self, blobs: impl IntoIterator<Item = (String, &'a [u8])>) {
        let mut connection = self.connection();
        let signature = signature(FOR_LONG);
        for (name, bytes) in blobs {
            let name = super::http::escaped(&name);
            let url = format!("/{ACCOUNT}/lake/{name}?{signature}");
            connection.send("PUT", &url, &["x-ms-blob-type: BlockBlob"], bytes);
        }
    }

    /// Puts all files of a folder there.
    pub(crate) fn put_folder(&self, folder: &Path, prefix: &str) {
        let files = super::http::files_of(folder, prefix);
        self.put(files.iter().map(|(name, bytes)| (name.clone(), &bytes[..])));
    }

    fn connection(&self) -> Connection {
        Connection::to(self.port)
    }
}

impl Drop for AzureStore {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The key of the account.
pub(crate) fn key() -> String {
    BASE64.encode(SECRET)
}

pub(crate) const FOR_LONG: &str = "2099-01-01T00:00:00Z";

/// What may be shown instead of the key, until an instant: a shared access
/// signature of the account, for all that can be done with blobs.
pub(crate) fn signature(until: &str) -> String {
    let version = "2021-12-02";
    let signed = format!("{ACCOUNT}\nrwdlac\nb\nsco\n\n{until}\n\nhttps,http\n{version}\n\n");
    let signed = BASE64.encode(hmac(SECRET, signed.as_bytes()));
    let signed = signed
        .replace('+', "%2B")
        .replace('/', "%2F")
        .replace('=', "%3D");
    format!("sv={version}&ss=b&srt=sco&sp=rwdlac&se={until}&spr=https,http&sig={signed}")
}

/// HMAC-SHA256 (RFC 2104), with a key that is shorter than a block.
fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    const BLOCK_BYTES: usize = 64;
    let padded = |with: u8| {
        let mut block = [with; BLOCK_BYTES];
        block
            .iter_mut()
            .zip(key)
            .for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner = Sha256::new()
        .chain_update(padded(0x36))
        .chain_update(message);
    let outer = Sha256::new().chain_update(padded(0x5c));
    outer.chain_update(inner.finalize()).finalize().to_vec()
}

fn program() -> PathBuf {
    let folder = env::var_os("FRESHNESS_AZURITE").map_or_else(
        || {
            let test = env::current_exe().unwrap();
            // target/debug/deps/test
            test.ancestors()
                .nth(3)
                .unwrap()
                .join("azurite/node_modules/azurite")
        },
        PathBuf::from,
    );
    let program = folder.join("dist/src/blob/main.js");
    assert!(
        program.exists(),
        "no Azurite here: run scripts/test once, or name the folder of the package azurite in \
         FRESHNESS_AZURITE"
    );
    program
}
