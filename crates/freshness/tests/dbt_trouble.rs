//! What if somebody means harm, or a disk was full?

mod house;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use freshness::sources::{Told, read_dbt, read_dbt_file};
use freshness_core::civil::Holidays;
use house::House;
use serde_json::{Value, json};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

fn manifest() -> Value {
    json!({
        "metadata": {
            "dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json",
            "generated_at": "2026-09-01T06:00:00Z",
            "project_name": "shop",
        },
        "nodes": {"model.shop.a": {}},
    })
}

fn read(path: &Path) -> Result<Told, String> {
    let read = read_dbt(&[path.to_owned()], false, &Holidays::default(), i64::MAX);
    let folder = path.parent().unwrap().display().to_string();
    read.map(|(told, _)| told)
        .map_err(|error| error.to_string().replace(&format!("{folder}/"), ""))
}

#[track_caller]
fn refused(path: &Path, expected: &str) {
    assert_eq!(read(path).unwrap_err(), expected);
}

fn refused_text(text: &str) -> String {
    let bytes = text.as_bytes().to_vec();
    let read = read_dbt_file("manifest.json", bytes, &Holidays::default());
    read.unwrap_err().to_string()
}

fn put(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A tar of entries, whatever they are called.
fn tar(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut tar = Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = Header::new_gnu();
        // Past the checks of the crate, which makes no such tars.
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    tar.into_inner().unwrap()
}

fn good() -> Vec<u8> {
    manifest().to_string().into_bytes()
}

fn n_datasets(told: &Told) -> usize {
    told.houses.iter().map(|house| house.datasets.len()).sum()
}

#[test]
fn a_manifest_that_goes_in_a_circle_is_refused_by_name() {
    let mut circle = manifest();
    let made_from = |parent: &str| json!({"depends_on": {"nodes": [parent]}});
    let through =
        json!({"config": {"materialized": "ephemeral"}, "depends_on": {"nodes": ["model.shop.a"]}});
    circle["nodes"] = json!({
        "model.shop.a": made_from("model.shop.b"),
        "model.shop.b": through,
        "model.shop.c": made_from("model.shop.a"),
    });
    assert_eq!(
        refused_text(&circle.to_string()),
        "manifest.json: lineage has a cycle: model.shop.a → model.shop.b → model.shop.a"
    );
    circle["nodes"] = json!({"model.shop.a": made_from("model.shop.a")});
    assert!(refused_text(&circle.to_string()).contains("lineage has a cycle: model.shop.a"));
}

#[test]
fn layers_that_multiply_to_billions_of_edges_are_refused() {
    let mut wide = manifest();
    let mut nodes = serde_json::Map::new();
    let layer =
        |n: usize| -> Vec<String> { (0..1_500).map(|i| format!("model.shop.l{n}_{i}")).collect() };
    let between =
        json!({"config": {"materialized": "ephemeral"}, "depends_on": {"nodes": layer(0)}});
    nodes.insert("model.shop.between".to_owned(), between);
    for name in layer(0) {
        nodes.insert(name, json!({}));
    }
    for name in layer(1) {
        nodes.insert(
            name,
            json!({"depends_on": {"nodes": ["model.shop.between"]}}),
        );
    }
    wide["nodes"] = Value::Object(nodes);
    assert_eq!(
        refused_text(&wide.to_string()),
        "manifest.json: more than 2000000 edges between datasets"
    );
}

#[test]
fn a_wrong_type_is_told_with_its_key_and_place() {
    let mut odd = manifest();
    odd["nodes"]["model.shop.a"]["tags"] = json!({"a": 1});
    let error = refused_text(&odd.to_string());
    assert!(
        error.starts_with("manifest.json: not JSON as dbt writes it: model.shop.a: invalid type: map, expected a sequence at line 1 column "),
        "{error}"
    );
}

#[test]
fn nesting_without_end_is_an_error_and_no_crash() {
    let deep = "[".repeat(200_000);
    for key in ["nodes", "child_map", "results"] {
        let text =
            manifest()
                .to_string()
                .replacen("\"nodes\"", &format!("\"{key}\":{deep},\"x\""), 1);
        let error = refused_text(&text);
        assert!(
            error.starts_with("manifest.json: not JSON"),
            "{key}: {error}"
        );
    }
    let meta = format!(
        r#"{{"metadata":{},"nodes":{{"model.shop.a":{{"meta":{{"freshness":{deep}"#,
        manifest()["metadata"]
    );
    assert!(
        refused_text(&meta).contains("recursion limit"),
        "{}",
        refused_text(&meta)
    );
}

#[test]
fn a_file_that_was_not_written_to_its_end_stops_the_import_or_is_left_out() {
    let house = House::empty();
    let folder = house.path("archive");
    put(&folder, "1/manifest.json", good());
    put(&folder, "2/manifest.json", &good()[..60]);
    let ran = house
        .run("import dbt archive --now 2026-09-02T00:00:00Z")
        .expect(2);
    assert!(
        ran.stderr
            .contains("archive/2/manifest.json: not JSON as dbt writes it: EOF"),
        "{ran:?}"
    );
    assert!(
        !house.path(".freshness").exists(),
        "a refused file leaves no trace"
    );
    let ran = house
        .run("import dbt archive --on-error skip --now 2026-09-02T00:00:00Z")
        .expect(0);
    assert!(
        ran.stderr
            .contains("note: archive/2/manifest.json: left out: "),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("dbt"), "{ran:?}");
}

#[test]
fn where_dbt_wrote_a_manifest_of_another_shape_is_as_wrong_as_a_truncated_one() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("target");
    put(&target, "manifest-1.json", good());
    for wrong in ["[1, 2]".to_owned(), "[".repeat(200_000)] {
        put(&target, "manifest.json", &wrong);
        refused(
            &target,
            "target/manifest.json: not JSON as dbt writes it: it is of another shape",
        );
    }
}

#[test]
fn what_is_of_somebody_else_is_left_out_and_nothing_at_all_is_an_error() {
    let folder = TempDir::new().unwrap();
    let target = folder.path().join("target");
    put(
        &target,
        "manifest.json",
        r#"{"name": "a web page", "icons": []}"#,
    );
    put(&target, "semantic_manifest.json", "{}");
    put(&target, "sources.json", "[1, 2]");
    put(&target, "notes.txt", "manifest.json");
    refused(
        &target,
        "target: no manifest.json, sources.json, freshness.json or run_results.json of dbt in it; target/manifest.json: left out: not of dbt",
    );
    put(&target, "nightly/manifest.json", good());
    let told = read(&target).unwrap();
    assert_eq!((n_datasets(&told), told.remarks.len()), (1, 2));
    refused(
        &folder.path().join("nowhere"),
        "nowhere: no such file or folder",
    );
}

#[test]
fn a_file_beyond_the_stated_size_is_refused_before_it_is_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("manifest.json");
    let file = fs::File::create(&path).unwrap();
    // All of it a hole.
    file.set_len(2 << 30).unwrap();
    refused(&path, "manifest.json: larger than 512 MiB");
}

#[test]
fn what_unpacks_to_hundreds_of_times_its_size_is_refused() {
    let folder = TempDir::new().unwrap();
    let zeros = vec![0; 80 << 20];
    let path = put(folder.path(), "manifest.json.gz", gzip(&zeros));
    refused(
        &path,
        "manifest.json.gz: unpacks to more than 256 times its size",
    );
    // Also where nothing of it is asked for, and in a tar in a tar.
    let bomb = gzip(&tar(&[("huge.bin", EntryType::Regular, &zeros)]));
    let path = put(folder.path(), "a.tgz", &bomb);
    let error = read(&path).unwrap_err();
    assert!(
        error.contains("unpacks to more than 256 times its size"),
        "{error}"
    );
    let outer = gzip(&tar(&[("b.tar.gz", EntryType::Regular, &bomb)]));
    let path = put(folder.path(), "outer.tar.gz", outer);
    let error = read(&path).unwrap_err();
    assert!(
        error.contains("unpacks to more than 256 times its size"),
        "{error}"
    );
}

#[test]
fn a_tar_is_read_like_the_folder_that_it_was_made_of() {
    let folder = TempDir::new().unwrap();
    let inner = tar(&[("day/manifest.json", EntryType::Regular, &good())]);
    let entries: &[(&str, EntryType, &[u8])] = &[
        ("./", EntryType::Directory, b""),
        (
            "./target/compiled/model.sql",
            EntryType::Regular,
            b"select 1",
        ),
        ("./target/manifest.json", EntryType::Regular, &good()),
    ];
    for (name, content) in [
        ("a.tar", tar(entries)),
        ("a.tar.gz", gzip(&tar(entries))),
        (
            "b.tgz",
            gzip(&tar(&[("x/inner.tar", EntryType::Regular, &inner)])),
        ),
        (
            "c.tar",
            tar(&[("inner.tar.gz", EntryType::Regular, &gzip(&inner))]),
        ),
        (
            "d.tar",
            tar(&[("manifest.json.gz", EntryType::Regular, &gzip(&good()))]),
        ),
    ] {
        let path = put(folder.path(), name, content);
        assert_eq!(n_datasets(&read(&path).unwrap()), 1, "{name}");
    }
    // In a folder they are found too.
    assert_eq!(n_datasets(&read(folder.path()).unwrap()), 1);
}

#[test]
fn names_longer_than_a_header_holds_are_read_in_both_ways_that_tars_have() {
    let folder = TempDir::new().unwrap();
    let long = format!("{}/manifest.json", ["a-long-folder"; 20].join("/"));
    let mut gnu = Builder::new(Vec::new());
    let mut header = Header::new_gnu();
    header.set_size(good().len() as u64);
    header.set_mode(0o644);
    gnu.append_data(&mut header, &long, good().as_slice())
        .unwrap();
    let path = put(folder.path(), "gnu.tar", gnu.into_inner().unwrap());
    assert_eq!(n_datasets(&read(&path).unwrap()), 1);

    let record = format!(" path={long}\n");
    let length = record.len() + (record.len() + 3).to_string().len();
    let record = format!("{length}{record}");
    let pax = tar(&[
        ("header", EntryType::XHeader, record.as_bytes()),
        ("short", EntryType::Regular, &good()),
    ]);
    let path = put(folder.path(), "pax.tar", pax);
    assert_eq!(n_datasets(&read(&path).unwrap()), 1);
}

#[test]
fn a_tar_that_is_no_tar_is_refused_and_so_is_half_of_one() {
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "a.tar", vec![7; 2_000]);
    let error = read(&path).unwrap_err();
    assert!(
        error.starts_with("a.tar: not a tar that can be read: "),
        "{error}"
    );
    let whole = gzip(&tar(&[("manifest.json", EntryType::Regular, &good())]));
    let path = put(folder.path(), "b.tar.gz", &whole[..whole.len() / 2]);
    let error = read(&path).unwrap_err();
    assert!(error.starts_with("b.tar.gz"), "{error}");
    assert!(
        error.contains("too early") || error.contains("cannot be read"),
        "{error}"
    );
}

#[test]
fn a_name_that_climbs_out_of_a_tar_is_refused() {
    let folder = TempDir::new().unwrap();
    for name in [
        "../manifest.json",
        "a/../../manifest.json",
        "/etc/manifest.json",
        "C:\\manifest.json",
    ] {
        let path = put(
            folder.path(),
            "a.tar",
            tar(&[(name, EntryType::Regular, &good())]),
        );
        refused(
            &path,
            &format!("a.tar: a name in the tar leads out of it: {name}"),
        );
    }
}

#[test]
fn a_name_without_end_is_not_kept_in_memory() {
    let folder = TempDir::new().unwrap();
    let name = vec![b'a'; 3 << 20];
    for kind in [EntryType::GNULongName, EntryType::XHeader] {
        let path = put(folder.path(), "a.tar", tar(&[("x", kind, &name)]));
        refused(&path, "a.tar: a name in the tar is too long");
    }
}

#[test]
fn tars_in_tars_in_tars_come_to_an_end() {
    let folder = TempDir::new().unwrap();
    let mut nested = tar(&[("manifest.json", EntryType::Regular, &good())]);
    for _ in 0..4 {
        nested = tar(&[("n.tar", EntryType::Regular, &nested)]);
    }
    let path = put(folder.path(), "n.tar", nested);
    refused(&path, "n.tar:n.tar:n.tar:n.tar: a tar in a tar in a tar");
}

#[test]
fn an_archive_of_nothing_but_links_says_that_it_is_the_links() {
    let folder = TempDir::new().unwrap();
    let link: &[(&str, EntryType, &[u8])] = &[("manifest.json", EntryType::Symlink, b"")];
    let path = put(folder.path(), "a.tar", tar(link));
    let none = "no manifest.json, sources.json, freshness.json or run_results.json of dbt in it";
    let why = "a.tar:manifest.json: left out: a link or no file";
    refused(&path, &format!("a.tar: {none}; {why}"));
    let elsewhere = put(folder.path(), "elsewhere/manifest.json", good());
    fs::create_dir(folder.path().join("b")).unwrap();
    symlink(elsewhere, folder.path().join("b/manifest.json")).unwrap();
    let why = "b/manifest.json: left out: the link leads out of the folder";
    refused(&folder.path().join("b"), &format!("b: {none}; {why}"));
}

#[test]
fn a_zip_is_called_one_and_a_mark_before_the_text_is_passed_over() {
    let folder = TempDir::new().unwrap();
    let path = put(folder.path(), "t.zip", b"PK\x03\x04\x14\0");
    refused(&path, "t.zip: a zip, which is not read");
    let marked = [b"\xef\xbb\xbf", &good()[..]].concat();
    let path = put(folder.path(), "manifest.json", marked);
    assert_eq!(n_datasets(&read(&path).unwrap()), 1);
}

#[test]
fn a_link_in_a_tar_is_left_out() {
    let folder = TempDir::new().unwrap();
    let entries: &[(&str, EntryType, &[u8])] = &[
        ("old/manifest.json", EntryType::Symlink, b""),
        ("new/manifest.json", EntryType::Regular, &good()),
    ];
    let told = read(&put(folder.path(), "a.tar", tar(entries))).unwrap();
    assert_eq!((n_datasets(&told), told.remarks.len()), (1, 1));
    assert!(
        told.remarks[0].what.contains("a link"),
        "{:?}",
        told.remarks
    );
}

#[test]
fn links_in_a_folder_lead_in_no_circle_and_not_out_of_it() {
    let folder = TempDir::new().unwrap();
    let archive = folder.path().join("archive");
    put(&archive, "day-1/manifest.json", good());
    put(folder.path(), "elsewhere/manifest.json", good());
    symlink(&archive, archive.join("day-1/up")).unwrap();
    symlink("loop-b", archive.join("loop-a")).unwrap();
    symlink("loop-a", archive.join("loop-b")).unwrap();
    symlink(archive.join("day-1"), archive.join("latest")).unwrap();
    symlink(folder.path().join("elsewhere"), archive.join("out")).unwrap();
    let told = read(&archive).unwrap();
    let remarks: Vec<&str> = told
        .remarks
        .iter()
        .map(|remark| remark.what.as_str())
        .collect();
    assert_eq!(remarks, ["left out: the link leads out of the folder"]);
    assert_eq!(n_datasets(&told), 1);
    // A link to nowhere that stands for something of dbt is worth a word.
    symlink("nowhere.json", archive.join("manifest.json")).unwrap();
    refused(&archive, "archive/manifest.json: no such file or folder");
}

#[test]
fn ten_thousand_models_are_read_at_once() {
    let house = House::empty();
    let mut nodes = serde_json::Map::new();
    let sql = "select one_column, another_column from somewhere\n".repeat(40);
    for i in 0..10_000_u32 {
        let parents: Vec<String> = [1, 7, 61]
            .into_iter()
            .filter_map(|back| Some(format!("model.shop.model_{}", i.checked_sub(back)?)))
            .collect();
        let node = json!({
            "name": format!("model_{i}"), "package_name": "shop", "resource_type": "model",
            "raw_code": sql, "compiled_code": sql, "config": {"materialized": "table"},
            "depends_on": {"nodes": parents}, "tags": ["nightly"],
        });
        nodes.insert(format!("model.shop.model_{i}"), node);
    }
    let mut large = manifest();
    large["nodes"] = Value::Object(nodes);
    let bytes = large.to_string();
    assert!(bytes.len() > 40 << 20);
    put(&house.path("target"), "manifest.json", &bytes);
    let ran = house
        .run("import dbt target --format json --now 2026-09-02T00:00:00Z")
        .expect(0);
    let counts: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(counts["datasets_new"], 10_000);
    // Datasets and edges.
    assert_eq!(counts["told_new"], 10_000 + 9_999 + 9_993 + 9_939);
}
