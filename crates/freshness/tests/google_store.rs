//! Is a table or a file in Google Cloud Storage read as one on a disk is?
//!
//! The server is fake-gcs-server, which is not ours. It lets everybody in, so
//! what a stranger is told comes from a few lines of this test.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

mod house;
use house::google::GoogleStore;
use house::http::check_read_from_where_it_was_left;
use house::{House, Ran, lake};

const NOW: &str = "2026-09-07T12:00:00Z";

fn first() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lake/first"))
}

/// Writes the file of a service account whose key is made for it.
fn service_account(house: &House, name: &str) -> String {
    let script = r#"
import json, sys
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
json.dump({"type": "service_account", "project_id": "p", "private_key_id": "1",
           "private_key": key.decode(), "client_email": "somebody@p.iam.example.org"},
          open(sys.argv[1], "w"))
"#;
    let path = house.path(name);
    let made = Command::new(lake::python())
        .args(["-c", script])
        .arg(&path)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    path.to_str().unwrap().to_owned()
}

#[test]
fn tables_in_google_cloud_storage_are_read_as_on_a_disk() {
    let (house, store) = (House::empty(), GoogleStore::start());
    store.put_folder(&first(), "tables");
    // By the file of a service account, as on any machine; only the address is
    // another. Its token is signed and never shown to anybody but the store.
    let account = service_account(&house, "account.json");
    let by_account = [
        ("GOOGLE_APPLICATION_CREDENTIALS", account.clone()),
        ("GOOGLE_BASE_URL", store.endpoint()),
    ];
    let line = format!("import delta gs://lake/tables/orders --cycle day --now {NOW}");
    let ran = house.run_with(&by_account, &line).expect(0);
    assert_eq!(ran.stderr, "orders: 18 commits read, 8 brought data\n");
    // As Google's libraries are told of an emulator.
    let host = store.endpoint().replace("http://", "");
    let emulated = [("STORAGE_EMULATOR_HOST", host)];
    let line = format!("import iceberg gs://lake/tables/payments/ --cycle day --now {NOW}");
    let ran = house.run_with(&emulated, &line).expect(0);
    let words = "payments: 9 snapshots read, 6 brought data\n";
    assert!(ran.stderr.starts_with(words), "{}", ran.stderr);
    // The same from a disk changes nothing.
    for (tool, table, n) in [("delta", "orders", "8"), ("iceberg", "payments", "6")] {
        let path = first().join(table);
        let line = format!("import {tool} {} --cycle day --now {NOW}", path.display());
        let ran = house.run(&line).expect(0);
        assert!(
            ran.stdout
                .contains(&format!("             0         {n:>2}")),
            "{}",
            ran.stdout
        );
    }
    // The account's other ways, and nobody's.
    let told = |name: &'static str, value: String| (name, value);
    let at = told("GOOGLE_BASE_URL", store.endpoint());
    for variables in [
        [told("GOOGLE_SERVICE_ACCOUNT", account.clone()), at.clone()],
        [
            told(
                "GOOGLE_SERVICE_ACCOUNT_KEY",
                fs::read_to_string(&account).unwrap(),
            ),
            at.clone(),
        ],
        [told("GOOGLE_SKIP_SIGNATURE", "true".to_owned()), at],
    ] {
        let line = format!("import delta gs://lake/tables/orders --cycle day --now {NOW}");
        let ran = house.run_with(&variables, &line).expect(0);
        assert!(ran.stdout.contains("             0          8"), "{ran:?}");
    }
}

#[test]
fn a_table_in_google_cloud_storage_is_read_from_where_it_was_left() {
    let (house, store) = (House::empty(), GoogleStore::start());
    let put = |files: &[(String, Vec<u8>)]| {
        store.put(files.iter().map(|(name, bytes)| (name.clone(), &bytes[..])));
    };
    check_read_from_where_it_was_left(
        &house,
        "gs://lake",
        &[("STORAGE_EMULATOR_HOST", store.endpoint())],
        put,
    );
}

#[test]
fn files_in_google_cloud_storage_are_there_at_once_whatever_they_are_called() {
    let (house, store) = (House::empty(), GoogleStore::start());
    let odd = ["in/2026-02-01/a b%2F+&=#.csv", "in/2026-02-02/größe.csv"];
    let other = [
        "in/2026-02-01/_SUCCESS",
        "in/other.txt",
        "in/2026-02-03/c.csv",
    ];
    let names = odd.into_iter().chain(other).map(str::to_owned);
    store.put(names.map(|name| (name, &b"1"[..])));
    let variables = [("STORAGE_EMULATOR_HOST", store.endpoint())];
    let line = "import files gs://lake/in/{date:%Y-%m-%d}/*.csv --dataset orders --now 2099-01-01T00:00:00Z";
    let ran = house.run_with(&variables, line).expect(0);
    assert_eq!(ran.stderr, "orders: 3 files found, 3 arrived\n");
}

/// A store that answers every request with the same, and its address.
fn stranger(status: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 8192];
            let _ = stream.read(&mut request);
            let n = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {n}\r\nConnection: close\r\n\r\n{body}"
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://127.0.0.1:{port}")
}

#[test]
fn what_google_cloud_storage_does_not_give_is_told_in_short() {
    let (house, store) = (House::empty(), GoogleStore::start());
    let check_refused = |variables: &[(&str, &str)], line: &str, words: &str| {
        let mut command = house.command(line);
        command.envs(variables.iter().copied());
        // A machine that has no account.
        command.env("GCE_METADATA_HOST", "127.0.0.1:9");
        command.env("GCE_METADATA_IP", "127.0.0.1:9");
        let ran = Ran::from(command.output().unwrap()).expect(2);
        assert!(ran.stderr.contains(words), "{line}\n{}", ran.stderr);
        assert!(
            ran.stderr.len() < 900 && !ran.stderr.contains("hunter2"),
            "{}",
            ran.stderr
        );
        assert!(!Path::new(&house.path(".freshness")).exists());
    };
    let endpoint = store.endpoint();
    let emulated = [("STORAGE_EMULATOR_HOST", endpoint.as_str())];
    let orders = "import delta gs://lake/tables/orders";
    check_refused(
        &emulated,
        "import delta gs://lake/nothing",
        "gs://lake/nothing: not a Delta table: there is no _delta_log in it; nothing was imported",
    );
    check_refused(
        &emulated,
        "import iceberg gs://lake/t/v1.metadata.json",
        "gs://lake/t/v1.metadata.json: no such file or folder",
    );
    // In the emulator's words; Google's are below.
    check_refused(
        &emulated,
        "import delta gs://bucket-that-is-not/x",
        "no bucket named bucket-that-is-not",
    );
    let missing = stranger(
        "404 Not Found",
        "<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchBucket</Code>\
         <Message>The specified bucket does not exist.</Message></Error>",
    );
    check_refused(
        &[("STORAGE_EMULATOR_HOST", &missing)],
        "import delta gs://bucket-that-is-not/x",
        "gs://bucket-that-is-not/x: no such bucket: bucket-that-is-not; nothing was imported",
    );
    let closed = stranger(
        "403 Forbidden",
        "<?xml version='1.0' encoding='UTF-8'?><Error><Code>AccessDenied</Code>\
         <Message>Access denied.</Message><Details>somebody hunter2</Details></Error>",
    );
    check_refused(
        &[("STORAGE_EMULATOR_HOST", &closed)],
        orders,
        "gs://lake/tables/orders: Google Cloud Storage gives no access: 403 Forbidden: \
         AccessDenied: Access denied.; nothing was imported",
    );
    check_refused(
        &[("STORAGE_EMULATOR_HOST", "127.0.0.1:9")],
        orders,
        "cannot reach Google Cloud Storage: http://127.0.0.1:9/lake: Connection refused",
    );
    check_refused(
        &[],
        orders,
        "hint: Google Cloud Storage is reached by GOOGLE_APPLICATION_CREDENTIALS",
    );
    check_refused(
        &[],
        orders,
        "cannot reach Google Cloud Storage: http://127.0.0.1:9/computeMetadata/",
    );
    // Files that are not what they should be.
    for (text, words) in [
        (
            "\"hunter2\"",
            "credentials are of another form: line 1, column 9",
        ),
        (
            "hunter2",
            "credentials are of another form: expected value at line 1 column 1",
        ),
        (
            "{\"type\":\"external_account\"}",
            "credentials are of another form: unknown variant `external_account`",
        ),
        (
            "{\"type\":\"service_account\",\"private_key\":\"hunter2\",\"private_key_id\":\"1\",\"client_email\":\"a\"}",
            "cannot tell how Google Cloud Storage is reached: ",
        ),
        (
            "{\"type\":\"service_account\"}",
            "credentials are of another form: missing field `private_key`",
        ),
    ] {
        fs::write(house.path("account.json"), text).unwrap();
        let path = house.path("account.json");
        check_refused(
            &[("GOOGLE_APPLICATION_CREDENTIALS", path.to_str().unwrap())],
            orders,
            words,
        );
    }
    check_refused(
        &[("GOOGLE_APPLICATION_CREDENTIALS", "nothing.json")],
        orders,
        "Unable to open service account file from nothing.json: No such file or directory",
    );
}
