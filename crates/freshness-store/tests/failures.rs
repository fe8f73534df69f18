//! What does a store that cannot be used say?

#![allow(
    clippy::disallowed_methods,
    reason = "a child process is told its role by its environment"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use freshness_store::{Access, ArrivalBatch, ImportedFile, Store, StoreError, Tail};
use jiff::Timestamp;
use tempfile::TempDir;

const EVERY_ACCESS: [Access; 3] = [Access::ReadOnly, Access::ReadWrite, Access::Create];

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    (folder, path)
}

/// Stores `n` arrivals of `a`, a minute apart.
fn import(store: &mut Store, n: i64) -> Result<u64, StoreError> {
    let mut batch = ArrivalBatch::new();
    let a = batch.dataset("a").unwrap();
    for i in 0..n {
        batch.push(a, 1_700_000_000 + i * 60 + i * 7_919 % 60);
    }
    let file = ImportedFile {
        name: "1".to_owned(),
        hash: n.to_string(),
        at: Timestamp::UNIX_EPOCH,
    };
    let counts = store.import_arrivals(batch, &file)?;
    match counts.refused.into_iter().next() {
        Some((_, error)) => Err(error),
        None => Ok(counts.new),
    }
}

fn filled(path: &Path) {
    let mut store = Store::open(path, Access::Create).unwrap();
    import(&mut store, 50_000).unwrap();
}

/// Opens and reads everything.
fn read(path: &Path) -> Result<usize, StoreError> {
    let store = Store::open(path, Access::ReadOnly)?;
    let mut n = 0;
    for no in store.dataset_numbers()? {
        n += store.history(no)?.len();
    }
    Ok(n)
}

fn check_refused(path: &Path, access: Access, message: &str) {
    let error = Store::open(path, access).unwrap_err();
    let name = path.display().to_string();
    assert_eq!(error.to_string().replace(&name, "PATH"), message);
}

#[test]
fn a_missing_store_is_named() {
    let (_folder, path) = folder();
    check_refused(&path, Access::ReadOnly, "no store: PATH");
    check_refused(&path, Access::ReadWrite, "no store: PATH");
    assert!(!path.exists());
    // What a crash in the first moment leaves.
    fs::write(&path, "").unwrap();
    check_refused(&path, Access::ReadOnly, "no store: PATH");
    Store::open(&path, Access::Create).unwrap();
    assert_eq!(read(&path).unwrap(), 0);
}

#[test]
fn a_name_that_means_something_to_sqlite_is_a_file_all_the_same() {
    let (folder, path) = folder();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.current_dir(folder.path());
    run(command, "has odd names", &path);
}

fn has_odd_names() {
    for name in [":memory:", "file:a.db?mode=memory", "ü 'quoted' #1 %41?.db"] {
        let path = Path::new(name);
        filled(path);
        assert!(path.is_file(), "{name}");
        assert_eq!(read(path).unwrap(), 50_000);
    }
    check_refused(Path::new("none.db"), Access::ReadOnly, "no store: PATH");
    fs::write("text.db", "a text").unwrap();
    check_refused(
        Path::new("text.db"),
        Access::Create,
        "not a store of freshness: PATH",
    );
    println!("played");
}

#[test]
fn a_folder_is_no_store() {
    let (folder, _) = folder();
    for access in EVERY_ACCESS {
        check_refused(
            folder.path(),
            access,
            "cannot open the store: PATH: is a directory",
        );
    }
}

#[test]
fn a_file_of_another_kind_is_left_alone() {
    let (_folder, path) = folder();
    let text = "dataset_id,arrived_at\n".repeat(500);
    fs::write(&path, &text).unwrap();
    for access in EVERY_ACCESS {
        check_refused(&path, access, "not a store of freshness: PATH");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let (_folder, path) = folder();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE mine (x)").unwrap();
    drop(other);
    let before = fs::read(&path).unwrap();
    for access in EVERY_ACCESS {
        check_refused(&path, access, "not a store of freshness: PATH");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let (_folder, path) = folder();
    filled(&path);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.pragma_update(None, "user_version", 99).unwrap();
    drop(other);
    for access in EVERY_ACCESS {
        check_refused(
            &path,
            access,
            &format!(
                "the store was written by a newer version of freshness: PATH (its format is 99, this program knows up to {})",
                freshness_store::SCHEMA_VERSION
            ),
        );
    }
}

#[test]
fn a_truncated_store_is_damaged_at_any_length() {
    let (_folder, path) = folder();
    filled(&path);
    let whole = fs::read(&path).unwrap();
    for kept in [100, 4_000, 8_192, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..kept]).unwrap();
        let error = read(&path).unwrap_err();
        assert!(
            matches!(
                error,
                StoreError::Damaged { .. }
                    | StoreError::NotAStore { .. }
                    | StoreError::BadChunk { .. }
            ),
            "{kept}: {error}"
        );
        let mut opened = Store::open(&path, Access::Create);
        if let Ok(store) = &mut opened {
            import(store, 60_000).unwrap_err();
        }
    }
}

#[test]
fn scribbled_pages_are_an_error_or_harmless_but_never_other_arrivals() {
    let (_folder, path) = folder();
    filled(&path);
    let whole = fs::read(&path).unwrap();
    for place in (100..whole.len() - 16).step_by(1_777) {
        let mut scribbled = whole.clone();
        scribbled[place..place + 16].fill(0xa5);
        fs::write(&path, &scribbled).unwrap();
        if let Ok(n) = read(&path) {
            assert!(n == 50_000 || n == 0, "at {place}: {n}");
        }
        if let Ok(store) = Store::open(&path, Access::ReadOnly) {
            let _ = store.integrity();
        }
    }
}

#[test]
fn a_writer_says_how_long_it_waited_and_a_reader_does_not_wait() {
    let (_folder, path) = folder();
    filled(&path);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let timeout = Duration::from_millis(100);
    let mut store = Store::open_waiting(&path, Access::ReadWrite, timeout).unwrap();
    let error = import(&mut store, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the store is locked: {} (waited 0.1 s)", path.display())
    );
    assert_eq!(read(&path).unwrap(), 50_000);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(import(&mut store, 50_001).unwrap(), 1);
}

#[test]
fn a_store_opened_to_read_refuses_to_write() {
    let (_folder, path) = folder();
    filled(&path);
    let mut store = Store::open(&path, Access::ReadOnly).unwrap();
    let error = import(&mut store, 1).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the store is read-only: {}", path.display())
    );
}

const ROLE: &str = "FRESHNESS_STORE_TEST_ROLE";
const STORE: &str = "FRESHNESS_STORE_TEST_STORE";

/// What the processes started below run; without a role there is nothing to do.
#[test]
fn a_process_plays_its_role() {
    let (Ok(role), Ok(path)) = (std::env::var(ROLE), std::env::var(STORE)) else {
        return;
    };
    let path = Path::new(&path);
    match role.as_str() {
        "has odd names" => has_odd_names(),
        "may not write" => may_not_write(path),
        "has a full disk" => has_a_full_disk(path),
        _ => panic!("unknown role: {role}"),
    }
}

fn run(mut command: Command, role: &str, store: &Path) {
    let ran = command
        .args(["--exact", "a_process_plays_its_role", "--nocapture"])
        .env(ROLE, role)
        .env(STORE, store)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(said.contains("played"), "{said}");
}

/// What others have beside the store: nothing; the files of a live writer,
/// with commits that are not in the main file yet; those of a dead one.
#[cfg(unix)]
#[test]
fn a_store_that_may_not_be_written_can_be_read_whatever_lies_beside_it() {
    let (_folder, path) = folder();
    filled(&path);
    check_unwritable(&path);

    let (_folder, path) = folder();
    let mut writer = Store::open(&path, Access::Create).unwrap();
    import(&mut writer, 50_000).unwrap();
    check_unwritable(&path);

    let (_folder, of_the_dead) = folder();
    for file in ["store.db", "store.db-wal", "store.db-shm"] {
        fs::copy(path.with_file_name(file), of_the_dead.with_file_name(file)).unwrap();
    }
    check_unwritable(&of_the_dead);
}

#[cfg(unix)]
fn check_unwritable(path: &Path) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let allow = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let folder = path.parent().unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        allow(&entry.unwrap().path(), 0o444);
    }
    let program = folder.join("program");
    // By another process: a program that any process of ours still holds open
    // for writing, such as a child of another test, cannot be started.
    let copied = Command::new("cp")
        .arg(std::env::current_exe().unwrap())
        .arg(&program)
        .status();
    assert!(copied.unwrap().success());
    allow(&program, 0o755);
    allow(folder, 0o555);
    let mut command = Command::new(program);
    command.current_dir("/");
    if fs::metadata(path).unwrap().uid() == 0 {
        // Root may write everywhere: play it as nobody.
        command.uid(65_534).gid(65_534);
    }
    run(command, "may not write", path);
    allow(folder, 0o755);
}

fn may_not_write(path: &Path) {
    assert_eq!(read(path).unwrap(), 50_000);
    let store = Store::open(path, Access::ReadOnly).unwrap();
    let readers = store.readers(2).unwrap();
    let tail = Tail {
        at_least: 1,
        since: i64::MAX,
    };
    assert_eq!(readers[1].recent_all(tail).unwrap().len(), 1);
    for access in [Access::ReadWrite, Access::Create] {
        check_refused(path, access, "the store is read-only: PATH");
    }
    check_refused(
        &path.with_file_name("other.db"),
        Access::Create,
        "cannot open the store: PATH: permission denied",
    );
    println!("played");
}

/// Not even the -shm file, which SQLite wants for reading, finds room.
fn can_be_read_without_any_room(path: &Path, crashed: &Path) {
    let ballast = path.with_file_name("ballast");
    let full = fs::write(&ballast, vec![1; 4 << 20]).unwrap_err();
    assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
    assert_eq!(read(path).unwrap(), 1_000);
    let store = Store::open(path, Access::ReadOnly).unwrap();
    assert_eq!(store.integrity().unwrap().problems, [""; 0]);
    assert_eq!(store.readers(2).unwrap().len(), 2);
    drop(store);
    // To read past commits that are only in the -wal file would be to lie.
    let error = read(crashed).unwrap_err();
    assert!(
        matches!(error, StoreError::NoRoomToRead { .. }),
        "{error:?}"
    );
    assert!(error.hint().unwrap().starts_with("free some space"));
    fs::remove_file(ballast).unwrap();
    fs::remove_file(path.with_file_name("live.db")).unwrap();
    assert_eq!(read(crashed).unwrap(), 1_000);
}

/// A store whose commits are in its -wal file, and which has no -shm file.
fn left_by_a_crash(path: &Path) -> PathBuf {
    let (live, crashed) = (
        path.with_file_name("live.db"),
        path.with_file_name("crashed.db"),
    );
    let mut writer = Store::open(&live, Access::Create).unwrap();
    import(&mut writer, 1_000).unwrap();
    fs::copy(&live, &crashed).unwrap();
    let wal = |path: &Path| path.with_extension("db-wal");
    fs::copy(wal(&live), wal(&crashed)).unwrap();
    crashed
}

/// A real full disk: a small file system in memory, in a mount namespace of
/// its own, so that it needs no rights and leaves nothing behind.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_stores_nothing() {
    let (folder, path) = folder();
    let can_mount = Command::new("unshare")
        .args(["-rm", "mount", "-t", "tmpfs", "tmpfs"])
        .arg(folder.path())
        .status()
        .is_ok_and(|status| status.success());
    if !can_mount {
        // The same answer of SQLite is tested in src/store.rs on every system.
        return;
    }
    let mut command = Command::new("unshare");
    command
        .args(["-rm", "sh", "-c"])
        .arg("mount -t tmpfs -o size=3m tmpfs \"$0\" && exec \"$@\"")
        .arg(folder.path())
        .arg(std::env::current_exe().unwrap());
    run(command, "has a full disk", &path);
}

fn has_a_full_disk(path: &Path) {
    let crashed = left_by_a_crash(path);
    let mut store = Store::open(path, Access::Create).unwrap();
    assert_eq!(import(&mut store, 1_000).unwrap(), 1_000);
    let error = import(&mut store, 3_000_000).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the disk is full: {}", path.display())
    );
    assert!(error.hint().unwrap().contains("free some space"));
    drop(store);
    assert_eq!(read(path).unwrap(), 1_000);
    can_be_read_without_any_room(path, &crashed);
    let mut store = Store::open(path, Access::ReadWrite).unwrap();
    assert_eq!(import(&mut store, 2_000).unwrap(), 1_000);
    println!("played");
}
