//! Is a table or a file in an object store read as one on a disk is?
//!
//! The server is moto, which is not ours and speaks the protocol of S3.

use std::path::{Path, PathBuf};

mod house;
use house::lake::ObjectStore;
use house::{House, Ran};

const NOW: &str = "2026-09-07T12:00:00Z";

fn kept() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lake"))
}

fn run(house: &House, store: &ObjectStore, line: &str) -> Ran {
    let mut command = house.command(line);
    command.envs(store.variables());
    Ran::from(command.output().unwrap())
}

#[test]
fn tables_in_an_object_store_are_read_as_on_a_disk() {
    let (house, store) = (House::empty(), ObjectStore::start());
    store.put_folder(&kept().join("first"), "tables");
    let line = format!("import delta s3://lake/tables/orders --cycle day --now {NOW}");
    let ran = run(&house, &store, &line).expect(0);
    assert_eq!(ran.stderr, "orders: 18 commits read, 8 brought data\n");
    let line = format!("import iceberg s3a://lake/tables/payments/ --cycle day --now {NOW}");
    let ran = run(&house, &store, &line).expect(0);
    let words = "payments: 9 snapshots read, 6 brought data\n";
    assert!(ran.stderr.starts_with(words), "{}", ran.stderr);
    // The same from a disk changes nothing.
    let first = kept().join("first");
    for (tool, table, n) in [("delta", "orders", "8"), ("iceberg", "payments", "6")] {
        let path = first.join(table);
        let line = format!("import {tool} {} --cycle day --now {NOW}", path.display());
        let ran = house.run(&line).expect(0);
        assert!(
            ran.stdout
                .contains(&format!("             0         {n:>2}")),
            "{}",
            ran.stdout
        );
    }
}

#[test]
fn a_large_commit_comes_in_pieces() {
    let (house, store) = (House::empty(), ObjectStore::start());
    let add = r#"{"add":{"path":"a","dataChange":true,"stats":"{\"numRecords\":2}"}}"#;
    let line_of_noise = format!("{}\n", " ".repeat(4_000));
    let commit = format!(
        "{{\"commitInfo\":{{\"timestamp\":1788239400000,\"operation\":\"WRITE\"}}}}\n{}{add}\n",
        format!("{add}\n{line_of_noise}").repeat(999)
    );
    assert!(commit.len() > 4_000_000);
    store.put(&format!("big/_delta_log/{:020}.json", 0), commit.as_bytes());
    store.put(
        &format!("big/_delta_log/{:020}.json", 1),
        format!("{add}\n").as_bytes(),
    );
    let line = format!("import delta s3://lake/big --now {NOW}");
    let ran = run(&house, &store, &line).expect(0);
    assert!(
        ran.stderr.contains("big: 2 commits read, 2 brought data\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn files_in_an_object_store_are_there_at_once() {
    let (house, store) = (House::empty(), ObjectStore::start());
    // A listing has a thousand to a page.
    for i in 0..1_050 {
        let day = 1 + i % 28;
        store.put(&format!("in/2026-02-{day:02}/part-{i}.csv"), b"1");
    }
    store.put("in/2026-02-01/_SUCCESS", b"");
    store.put("in/other.txt", b"1");
    let line = "import files s3://lake/in/{date:%Y-%m-%d}/*.csv --dataset orders --now 2099-01-01T00:00:00Z";
    let ran = run(&house, &store, line).expect(0);
    assert_eq!(ran.stderr, "orders: 1,050 files found, 1,050 arrived\n");
    let again = run(&house, &store, line).expect(0);
    assert!(
        again.stdout.contains("             0      1,050"),
        "{}",
        again.stdout
    );
}

#[test]
fn what_is_not_there_is_told_in_short() {
    let (house, store) = (House::empty(), ObjectStore::start());
    let check_refused = |variables: &[(&str, String)], line: &str, words: &str| {
        let mut command = house.command(line);
        command.envs(variables.iter().cloned());
        let ran = Ran::from(command.output().unwrap()).expect(2);
        assert!(ran.stderr.contains(words), "{line}\n{}", ran.stderr);
        assert!(
            ran.stderr.len() < 900 && !ran.stderr.contains("a secret"),
            "{}",
            ran.stderr
        );
        assert!(!Path::new(&house.path(".freshness")).exists());
    };
    let variables = store.variables();
    check_refused(
        &variables,
        "import delta s3://lake/nothing",
        "s3://lake/nothing: not a Delta table: there is no _delta_log in it; nothing was imported",
    );
    check_refused(
        &variables,
        "import iceberg s3://lake/t/v1.metadata.json",
        "s3://lake/t/v1.metadata.json: no such file or folder",
    );
    check_refused(
        &variables,
        "import files s3://lake/in/*.csv --dataset a",
        "no file matches: s3://lake/in/*.csv",
    );
    check_refused(
        &variables,
        "import delta s3://bucket-that-is-not/x",
        "s3://bucket-that-is-not/x: no such bucket: bucket-that-is-not; nothing was imported",
    );
    let guarded = ObjectStore::guarded();
    check_refused(
        &guarded.variables(),
        "import delta s3://lake/orders",
        "s3://lake/orders: S3 gives no access: 403 Forbidden: InvalidAccessKeyId: The AWS Access Key",
    );
    check_refused(
        &variables[..1],
        "import delta s3://lake/orders",
        "hint: S3 is reached by AWS_ACCESS_KEY_ID",
    );
    // A server that is not there is not waited for.
    let mut gone = variables.clone();
    gone[0].1 = "http://127.0.0.1:9".to_owned();
    check_refused(
        &gone,
        "import delta s3://lake/orders",
        "cannot reach S3: http://127.0.0.1:9/lake: Connection refused",
    );
}
