//! Can any bytes at all bring the reader of dbt's files down, and does their
//! order show?
//!
//! The fuzz targets `dbt` and `dbt_tar` ask the same with more time.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use freshness::sources::{read_dbt, read_dbt_file, read_dbt_tar};
use freshness_core::civil::Holidays;
use freshness_core::lineage::Lineage;
use proptest::prelude::*;

fn kept(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/dbt/kept/1.12")
        .join(file)
}

/// A small file of each kind.
fn good(kind: usize) -> Vec<u8> {
    const MANIFEST: &str = r#"{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "generated_at": "2026-09-01T06:00:00Z", "project_id": "x"},
 "nodes": {"model.shop.a": {"name": "a", "config": {"materialized": "ephemeral", "meta": {"freshness": {"calendar": "Mon-Fri", "settle": "1h"}}}, "tags": ["t"], "group": "g"},
  "model.shop.b": {"depends_on": {"nodes": ["model.shop.a", "source.shop.raw.o"]}, "meta": null}},
 "sources": {"source.shop.raw.o": {"source_name": "raw", "name": "o", "loaded_at_field": "at", "freshness": {"warn_after": {"count": 1, "period": "day"}}}},
 "groups": {"group.shop.g": {"name": "g", "owner": {"name": "G", "email": ["a", "b"]}}},
 "exposures": {"exposure.shop.e": {"name": "e", "url": "https://e", "depends_on": {"nodes": ["model.shop.b"]}}},
 "parent_map": {"model.shop.b": ["model.shop.a"]}}"#;
    match kind {
        0 => MANIFEST.as_bytes().to_vec(),
        1 => fs::read(kept("day-1/06-00-look/sources.json")).unwrap(),
        _ => fs::read(kept("day-5/08-00-backfill/run_results.json")).unwrap(),
    }
}

fn check_never_panics(bytes: &[u8]) {
    let holidays = Holidays::default();
    if let Ok((told, files)) = read_dbt_file("manifest.json", bytes.to_vec(), &holidays) {
        assert!(files.n() <= 1);
        for house in told.houses {
            assert!(Lineage::new(house.edges).is_ok(), "a circle is refused");
        }
    }
    for skip in [false, true] {
        let _ = read_dbt_tar("a.tar", bytes, skip, &holidays);
    }
}

fn tar() -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for kind in 0..3 {
        let content = good(kind);
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let name = ["manifest.json", "sources.json", "run_results.json"][kind];
        tar.append_data(&mut header, format!("day/{name}"), content.as_slice())
            .unwrap();
    }
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_bytes_are_what_dbt_wrote_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..1_200)) {
        check_never_panics(&bytes);
        check_never_panics(&[b"\x1f\x8b\x08".as_slice(), &bytes].concat());
        check_never_panics(&gzip(&bytes));
    }

    #[test]
    fn a_file_with_changed_bytes_is_read_or_an_error(
        file in 0usize..5,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = match file {
            3 => tar(),
            4 => gzip(&tar()),
            kind => good(kind),
        };
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
    fn a_file_with_changed_values_is_read_or_an_error(
        kind in 0usize..3,
        at in any::<prop::sample::Index>(),
        value in prop::sample::select(vec!["null", "{}", "[]", "-1", "1e99", "\"\"", "\"\\u0000\"", "true", "[[]]", "{\"a\":1}"]),
    ) {
        let text = String::from_utf8(good(kind)).unwrap();
        // After any of the colons.
        let colons: Vec<usize> = text.match_indices(": ").map(|(at, _)| at).collect();
        let at = colons[at.index(colons.len())] + 2;
        let end = text[at..].find([',', '}']).map_or(text.len(), |end| at + end);
        check_never_panics(format!("{}{value}{}", &text[..at], &text[end..]).as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn the_order_in_which_files_are_found_never_shows(order in Just((0..16usize).collect::<Vec<_>>()).prop_shuffle()) {
        let mut files = Vec::new();
        for day in fs::read_dir(kept("")).unwrap() {
            for command in fs::read_dir(day.unwrap().path()).unwrap() {
                for file in fs::read_dir(command.unwrap().path()).unwrap() {
                    files.push(file.unwrap().path());
                }
            }
        }
        files.sort();
        prop_assert_eq!(files.len(), order.len());
        let read = |roots: &[PathBuf]| {
            let (told, _) = read_dbt(roots, false, &Holidays::default(), i64::MAX).unwrap();
            (told.arrivals, format!("{:?}", told.houses))
        };
        let shuffled: Vec<PathBuf> = order.iter().map(|&i| files[i].clone()).collect();
        prop_assert_eq!(read(&files), read(&shuffled));
    }
}
