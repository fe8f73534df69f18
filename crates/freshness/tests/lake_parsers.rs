//! Can any log of a table, or any pattern of files, bring a reader down?
//!
//! Each is given arbitrary bytes, and good files with some bytes changed. It
//! answers with what it read or with an error, and a second reading from its
//! cursor tells nothing that is new. The fuzz targets `delta`, `iceberg` and
//! `file_pattern` in `fuzz/` ask the same with more time.

use std::fs;
use std::path::Path;

use freshness::sources::files::{FilePattern, FileRules, read_files};
use freshness::sources::lake::{read_delta, read_iceberg};
use freshness::sources::place::Place;
use freshness_core::dataset::DatasetId;
use proptest::prelude::*;

fn kept(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/lake/first")
        .join(name);
    match path.is_dir() {
        true => fs::read(fs::read_dir(path).unwrap().next().unwrap().unwrap().path()).unwrap(),
        false => fs::read(path).unwrap(),
    }
}

/// Reads the bytes as the only commit, and as the only metadata, of a table.
fn check_never_panics(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    for file in [
        "_delta_log/00000000000000000000.json",
        "metadata/v7.metadata.json",
    ] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let table = Place::named(folder.path().to_str().unwrap(), &[]).unwrap();
    let dataset = DatasetId::try_from("t").unwrap();
    for column in [None, Some("day")] {
        if let Ok(read) = read_delta(&table, &dataset, column, None) {
            assert_eq!(read.n_read, 1);
            let again = read_delta(&table, &dataset, column, read.cursor.as_deref()).unwrap();
            assert!(again.told.arrivals.is_empty() && again.cursor == read.cursor);
        }
        if let Ok(read) = read_iceberg(&table, None, &dataset, column, None) {
            assert!(read.n_brought <= read.n_read);
            let cursor = read.cursor.as_deref();
            let again = read_iceberg(&table, None, &dataset, column, cursor).unwrap();
            assert!(again.told.arrivals.is_empty() && again.cursor == read.cursor);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_are_a_table_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check_never_panics(&bytes);
        check_never_panics(&[b"\x1f\x8b\x08".as_slice(), &bytes].concat());
    }

    #[test]
    fn nearly_json_is_a_table_or_an_error(
        text in "(\\{|\\}|\\[|\\]|,|:|\"add\"|\"commitInfo\"|\"timestamp\"|\"snapshots\"|\"summary\"|\"format-version\"|-?[0-9]{1,20}|null|\n){0,40}"
    ) {
        check_never_panics(text.as_bytes());
        check_never_panics(format!("{{\"add\":{text}}}").as_bytes());
    }

    #[test]
    fn a_log_with_changed_bytes_is_a_table_or_an_error(
        file in 0usize..3,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let files = [
            "orders/_delta_log/00000000000000000005.json",
            "orders/_delta_log/00000000000000000008.json",
            "payments/metadata",
        ];
        let mut bytes = kept(files[file]);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        check_never_panics(&bytes);
    }

    #[test]
    fn any_text_is_a_pattern_or_an_error(
        text in "(\\{date:|%[A-Za-z-]|\\}|\\{|[*?/\\[\\]\\\\,a2-]|\\*\\*|[0-9]{4}|é|\\PC){0,12}",
        date in proptest::option::of("(%[YmdjGVHMS-]|[a/.-]|é){0,6}"),
    ) {
        let Ok(pattern) = FilePattern::parse(&text, date.as_deref()) else {
            return Ok(());
        };
        let folder = tempfile::tempdir().unwrap();
        for name in ["2026/a2", "2026-09-01", "a/20260230.csv", "é/2", ".a", "_2"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let place = Place::named(folder.path().to_str().unwrap(), &[]).unwrap();
        let rules = FileRules { now: i64::MAX / 2, quiet_seconds: None, allow_empty: false };
        let found = read_files(&place, &pattern, &rules).unwrap();
        prop_assert!(found.files.len() as u64 <= found.n_meant && found.n_meant <= 6);
    }
}
