//! What does an import leave behind, and where can it not?

use super::*;

#[test]
fn importing_a_file_again_adds_nothing_and_says_when_it_was() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("one.csv"), GOOD).unwrap();
    fs::write(folder.path().join("same.csv"), GOOD).unwrap();
    import(folder.path(), "arrivals one.csv", b"");
    let ran = import(folder.path(), "arrivals same.csv --format json", b"");
    assert_data_eq!(
        ran.stderr,
        str![[r#"
same.csv: already imported on 2026-09-30T12:00:00Z (one.csv): 0 new

"#]]
        .raw()
    );
    assert_data_eq!(
        ran.stdout,
        str![[r#"
{
  "version": 1,
  "imported": "arrivals",
  "rows": 2,
  "new": 0,
  "duplicate": 2,
  "skipped": 0,
  "datasets_new": 0,
  "files": [
    {
      "file": "same.csv",
      "rows": 2,
      "new": 0,
      "duplicate": 2,
      "skipped": 0,
      "imported_before": "2026-09-30T12:00:00Z"
    }
  ],
  "skipped_by_kind": []
}

"#]]
        .raw()
    );
    assert_eq!(ran.code, Some(0));
}

/// A cause is said once, and the remedy is that of the command.
#[cfg(unix)]
#[test]
fn a_folder_is_neither_a_file_nor_a_store() {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("store.db")).unwrap();
    let good = b"dataset_id,arrived_at\na,1788238800\n";
    let ran = import(folder.path(), "arrivals -", good);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: cannot open the store: store.db: is a directory

"#]]
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_asks_for_the_right_to_write() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    // By another process: a program that any process of ours still holds open
    // for writing, such as a child of another test, cannot be started.
    let copied = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_freshness"))
        .arg(path("freshness"))
        .status();
    assert!(copied.unwrap().success());
    fs::write(path("a.csv"), "dataset_id,arrived_at\na,1788238800\n").unwrap();
    fs::write(path("secret.csv"), "dataset_id,arrived_at\n").unwrap();
    let allow = |name: &str, mode| {
        fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    allow("secret.csv", 0o000);
    allow("", 0o555);
    let run = |file: &str| {
        let mut command = Command::new(path("freshness"));
        command
            .current_dir(folder.path())
            .args(["--now", NOW, "--store", "new/store.db"])
            .args(["import", "arrivals", file]);
        if fs::metadata(path("a.csv")).unwrap().uid() == 0 {
            // Root may write everywhere: play it as nobody.
            command.uid(65_534).gid(65_534);
        }
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert_data_eq!(
        run("a.csv"),
        str![[r#"
error: cannot open the store: new/store.db: Permission denied (os error 13)

hint: give this user the right to write the file and its folder, or name another with --store

"#]]
    );
    assert_data_eq!(
        run("secret.csv"),
        str![[r#"
error: secret.csv: cannot be read: Permission denied (os error 13)

"#]]
    );
    allow("", 0o755);
}
