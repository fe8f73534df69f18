//! What does a person see who imports good files, and bad ones?
//!
//! Through the real binary, with a pinned clock: each test shows the message.

mod declared;
mod formats;
mod rows;
mod store;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray,
};
use arrow::datatypes::Int32Type;
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use snapbox::data::Inline;
use snapbox::{IntoData, assert_data_eq, str};
use tempfile::TempDir;

const NOW: &str = "2026-09-30T12:00:00Z";

const GOOD: &str = "dataset_id,arrived_at\na,2026-09-01T05:00:00Z\nb,2026-09-01T06:00:00Z\n";

struct Ran {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs `freshness import …` in a folder.
fn import(folder: &Path, args: &str, stdin: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_freshness"))
        .current_dir(folder)
        .args(["--now", NOW, "--store", "store.db", "import"])
        .args(args.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A file that is refused with this message; no store is made.
#[track_caller]
fn check_refused(kind: &str, name: &str, content: impl AsRef<[u8]>, message: Inline) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    let ran = import(folder.path(), &format!("{kind} {name}"), b"");
    assert_data_eq!(ran.stderr, message.raw());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
    assert!(
        !folder.path().join("store.db").exists(),
        "nothing is stored"
    );
}

/// A file that is imported: what stdout says.
#[track_caller]
fn check_imported(args: &str, name: &str, content: impl AsRef<[u8]>, stdout: Inline) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), content).unwrap();
    let ran = import(folder.path(), &format!("{args} {name}"), b"");
    assert_data_eq!(ran.stdout, stdout.raw());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn parquet(columns: Vec<(&str, ArrayRef)>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn ids() -> ArrayRef {
    Arc::new(StringArray::from(vec!["a", "b"]))
}

/// The times of [`GOOD`].
fn times(per_second: i64) -> Vec<i64> {
    [1_788_238_800, 1_788_242_400]
        .map(|seconds: i64| seconds * per_second)
        .to_vec()
}
