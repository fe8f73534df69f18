//! What does a person see when the store, the models or the clock are not as
//! they should be?

mod house;

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
#[cfg(unix)]
use std::process::Command;

use freshness_store::{Access, LineageMode, Store, StoreError, StraightEdges};
use house::{House, Ran};
use snapbox::{IntoData, assert_data_eq, str};

const STORE: &str = ".freshness/freshness.db";

/// The command says this and exits 2, with nothing on stdout.
#[track_caller]
fn check_refused(house: &House, line: &str, message: impl IntoData) {
    let ran = house.run(line).expect(2);
    assert_data_eq!(ran.stderr, message);
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_store_that_is_not_there_is_named() {
    let house = House::empty();
    for command in ["fit", "status", "check", "explain a"] {
        check_refused(
            &house,
            command,
            str![[r#"
error: no store: .freshness/freshness.db

hint: create it by importing: `freshness import arrivals FILE`

"#]],
        );
    }
    let ran = house.run("doctor").expect(2);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
HEALTH   PART    FINDING
unknown  store   no store: .freshness/freshness.db; create it by importing: `freshness import arrivals FILE`
ok       clock   pinned to 2026-02-28 12:00 UTC
ok       config  no freshness.yaml: all settings have their defaults

"#]]
    );
}

#[test]
fn an_empty_inventory_is_no_healthy_one() {
    let house = House::empty();
    Store::open(house.path(STORE), Access::Create).unwrap();
    for command in ["fit", "status", "check"] {
        check_refused(
            &house,
            command,
            str![[r#"
error: no datasets in the store: .freshness/freshness.db

hint: import what has arrived: `freshness import arrivals FILE`

"#]],
        );
    }
    house.run("doctor").expect(1);
}

#[test]
fn a_check_before_any_fit_cannot_tell() {
    let house = House::imported();
    for command in ["check", "status"] {
        check_refused(
            &house,
            command,
            str![[r#"
error: no models: nothing has been fitted yet

hint: run `freshness fit` first

"#]],
        );
    }
    house.run("doctor").expect(1);
}

#[test]
fn a_clock_behind_the_last_check_cannot_tell() {
    let house = House::fitted();
    house.run("check").expect(1);
    let back = "--now 2026-02-28T11:59:00Z";
    check_refused(
        &house,
        &format!("check {back}"),
        str![[r#"
error: the clock is behind the last check: now is 2026-02-28T11:59:00Z, the last check judged 2026-02-28T12:00:00Z

hint: set the clock right; to look back use `freshness status --now`, which records nothing

"#]],
    );
    let ran = house.run(&format!("doctor {back}")).expect(1);
    assert!(ran.stdout.contains("the clock is behind the last check"));
    house.run(&format!("status {back}")).expect(0);
    // The same instant again is no step back.
    house.run("check").expect(1);
}

#[test]
fn a_clock_pinned_ahead_of_the_machine_spoils_no_later_check() {
    let house = House::fitted();
    let ran = house.run("check --now 2199-01-01T00:00:00Z").expect(1);
    assert!(ran.stderr.contains("so nothing was recorded"), "{ran:?}");
    assert_eq!(house.run("check").expect(1).stderr, "");
}

#[test]
fn a_locked_store_says_how_long_it_waited() {
    let house = House::fitted();
    let mut store = Store::open(house.path(STORE), Access::ReadWrite).unwrap();
    let ran = store.import_lineage(&[], LineageMode::Add, |_, _| {
        // Inside the transaction, the store is locked against other writers.
        for command in ["check", "fit"] {
            check_refused(
                &house,
                &format!("{command} --lock-timeout 10ms"),
                str![[r#"
error: the store is locked: .freshness/freshness.db (waited 0.01 s)

hint: another process has been writing all the while; try again when it has ended

"#]],
            );
        }
        // Who only reads does not wait.
        house.run("status --lock-timeout 10ms").expect(0);
        Ok::<_, StoreError>(StraightEdges::default())
    });
    ran.unwrap();
    house.run("check").expect(1);
}

#[cfg(unix)]
#[test]
fn a_read_only_store_can_be_looked_at_and_not_checked() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    let house = House::fitted();
    let allow = |name: &str, mode| {
        fs::set_permissions(house.path(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    // By another process: a program that any process of ours still holds open
    // for writing, such as a child of another test, cannot be started.
    let copied = Command::new("cp")
        .arg(env!("CARGO_BIN_EXE_freshness"))
        .arg(house.path("freshness"))
        .status();
    assert!(copied.unwrap().success());
    allow("", 0o755);
    allow(".freshness", 0o555);
    allow(STORE, 0o444);
    let is_root = fs::metadata(house.path(STORE)).unwrap().uid() == 0;
    let run = |line: &str| {
        let mut command = Command::new(house.path("freshness"));
        command
            .current_dir(house.path(""))
            .env_clear()
            .args(line.split_whitespace())
            .args(["--now", house::NOW]);
        if is_root {
            // Root may write everywhere: play it as nobody.
            command.uid(65_534).gid(65_534);
        }
        Ran::from(command.output().unwrap())
    };
    run("status").expect(0);
    run("explain raw_orders").expect(0);
    assert_data_eq!(
        run("check").expect(2).stderr,
        str![[r#"
error: the store is read-only: .freshness/freshness.db

hint: `freshness status` needs no right to write; else make the file and its folder writable

"#]]
    );
    assert_data_eq!(
        run("fit").expect(2).stderr,
        str![[r#"
error: the store is read-only: .freshness/freshness.db

hint: make the file and its folder writable for this user; SQLite writes -wal and -shm files beside it

"#]]
    );
    allow(".freshness", 0o755);
}

#[test]
fn a_truncated_store_is_damaged() {
    let house = House::fitted();
    let file = OpenOptions::new()
        .write(true)
        .open(house.path(STORE))
        .unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    for command in ["fit", "status", "check"] {
        check_refused(
            &house,
            command,
            str![[r#"
error: the store is damaged: .freshness/freshness.db

hint: restore it from a backup, or remove it with its -wal and -shm files and import again

"#]],
        );
    }
    house.run("doctor").expect(2);
}

#[test]
fn a_file_that_is_no_store_is_left_alone() {
    let house = House::empty();
    fs::write(house.path("notes.txt"), "not a store at all\n".repeat(90)).unwrap();
    check_refused(
        &house,
        "check --store notes.txt",
        str![[r#"
error: not a store of freshness: notes.txt

hint: the file is something else and was left alone; name another with --store

"#]],
    );
}

#[test]
fn a_store_of_a_newer_version_is_refused() {
    let house = House::fitted();
    // SQLite keeps `user_version` at byte 60, big endian.
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(house.path(STORE))
        .unwrap();
    file.seek(SeekFrom::Start(60)).unwrap();
    file.write_all(&999_u32.to_be_bytes()).unwrap();
    drop(file);
    for command in ["check", "status", "fit", "import datasets datasets.csv"] {
        check_refused(
            &house,
            command,
            str![[r#"
error: the store was written by a newer version of freshness: .freshness/freshness.db (its format is 999, this program knows up to [..])

hint: use the newer version of freshness, or another store with --store

"#]],
        );
    }
}

#[test]
fn an_unreadable_configuration_is_named() {
    let house = House::empty();
    fs::write(house.path("freshness.yaml"), "check:\n  strikt: true\n").unwrap();
    check_refused(
        &house,
        "check",
        str![[r#"
error: freshness.yaml:2:3: unknown key: strikt

hint: did you mean `strict`?

"#]],
    );
    check_refused(
        &house,
        "check --config other.yaml",
        str![[r#"
error: cannot read configuration: other.yaml: No such file or directory (os error 2)

"#]],
    );
}

#[test]
fn a_variable_that_sets_nothing_is_found_by_doctor() {
    let house = House::fitted();
    let mut command = house.command("doctor");
    let output = command.env("FRESHNESS_STROE", "a.db").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("these variables set nothing: FRESHNESS_STROE"),
        "{text}"
    );
}

/// Overwrites the first byte of a text inside the store.
fn damage(house: &House, text: &str) {
    let mut bytes = fs::read(house.path(STORE)).unwrap();
    let at = bytes
        .windows(text.len())
        .position(|window| window == text.as_bytes())
        .unwrap();
    bytes[at] = b'!';
    fs::write(house.path(STORE), bytes).unwrap();
}

#[test]
fn a_dataset_that_cannot_be_read_stops_no_other() {
    let house = House::fitted();
    damage(&house, r#"{"version":1,"dataset_id":"events""#);
    let ran = house.run("check").expect(1);
    assert!(ran.stdout.contains("missed  critical  raw_orders"));
    assert_data_eq!(
        ran.stderr,
        str![[r#"
warning: not evaluated: the stored model of events cannot be read: expected value at line 1 column 1

"#]]
    );
    house.run("doctor").expect(1);
    house.run("fit").expect(0);
    assert_eq!(house.run("check").expect(1).stderr, "");
}

#[test]
fn a_store_damaged_in_the_middle_is_a_doubt_about_everything() {
    // Nothing is declared critical, and the list of datasets is sound.
    let house = House::fitted();
    fs::write(
        house.path("none.csv"),
        "dataset_id,critical\nraw_orders,false\nfct_revenue,false\n",
    )
    .unwrap();
    house.run("import datasets none.csv").expect(0);
    // SQLite's pages are 4 KiB: the one with a model is no page any more.
    let mut bytes = fs::read(house.path(STORE)).unwrap();
    let model = r#"{"version":1,"dataset_id":"events""#.as_bytes();
    let at = bytes
        .windows(model.len())
        .position(|window| window == model)
        .unwrap();
    let page = at / 4_096 * 4_096;
    bytes[page..page + 64].fill(0xff);
    fs::write(house.path(STORE), bytes).unwrap();
    for command in ["check", "check --strict", "status"] {
        check_refused(
            &house,
            command,
            str![[r#"
error: the store is damaged: .freshness/freshness.db

hint: restore it from a backup, or remove it with its -wal and -shm files and import again

"#]],
        );
    }
}

#[test]
fn an_unreadable_critical_dataset_cannot_be_told_unless_another_is_late() {
    let model = r#"{"version":1,"dataset_id":"fct_revenue""#;
    let declaration = r#"{"id":"fct_revenue""#;
    for damaged in [model, declaration] {
        let house = House::fitted();
        damage(&house, damaged);
        // Nothing is late yet; of one dataset that is not known.
        house.run("check --now 2026-02-25T12:30:00Z").expect(2);
        // One is late, whatever the other is.
        house.run("check").expect(1);
    }
}

#[test]
fn a_fit_by_a_wrong_clock_replaces_no_model() {
    let house = House::fitted();
    check_refused(
        &house,
        "fit --now 1980-01-01T00:00:00Z",
        str![[r#"
error: a fit as of 1980-01-01T00:00:00Z would replace newer models: the newest are of 2026-02-28T12:00:00Z

hint: set the clock right or give a later --now; --any-time says that it is meant

"#]],
    );
    check_refused(
        &house,
        "fit --now 2199-01-01T00:00:00Z",
        str![[r#"
error: a fit as of 2199-01-01T00:00:00Z lies in the future: its models would make nothing late until then

hint: give an earlier --now; --any-time says that it is meant

"#]],
    );
    house.run("doctor").expect(0);
    // Two clocks that differ a little are no reason to stop.
    house.run("fit --now 2026-02-28T11:58:00Z").expect(0);
    house
        .run("fit --now 2026-02-26T00:00:00Z --any-time")
        .expect(0);
}

#[test]
fn a_fit_that_saw_no_arrival_of_a_dataset_keeps_its_model() {
    let house = House::fitted();
    let ran = house
        .run("fit --now 1980-01-01T00:00:00Z --any-time")
        .expect(2);
    assert!(
        ran.stderr.contains("4 of 4 datasets could not be fitted"),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("Could not be fitted (4)"), "{ran:?}");
    assert!(ran.stdout.contains("model as of 2026-02-28"), "{ran:?}");
    assert!(!ran.stdout.contains("nothing new"), "{ran:?}");
    // All is as it was.
    house.run("doctor").expect(0);
    house.run("check").expect(1);
}

#[test]
fn a_fit_before_the_first_arrival_learns_nothing_and_says_so() {
    let house = House::imported();
    check_refused(
        &house,
        "fit --now 2020-01-01T00:00:00Z",
        str![[r#"
error: nothing had arrived by 2020-01-01T00:00:00Z: there is nothing to learn from

hint: is the clock right? `freshness doctor` says when the newest arrival was

"#]],
    );
}

#[test]
fn models_from_the_future_are_a_problem() {
    let house = House::imported();
    house
        .run("fit --now 2199-01-01T00:00:00Z --any-time")
        .expect(0);
    let ran = house.run("doctor").expect(1);
    assert!(
        ran.stdout
            .contains("problem  models    4 models from the future: "),
        "{ran:?}"
    );
    house.run("fit").expect(2);
    house.run("fit --any-time").expect(0);
    let ran = house.run("doctor").expect(0);
    assert!(!ran.stdout.contains("problem"), "{ran:?}");
}

#[test]
fn a_fit_says_first_what_it_could_not_read_and_stores_the_rest() {
    let house = House::fitted();
    damage(&house, r#"{"id":"fct_revenue""#);
    let ran = house.run("fit").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
warning: 1 of 4 datasets could not be fitted and keep what they had: fct_revenue: the stored declaration of fct_revenue cannot be read: [..]

"#]]
    );
    assert_data_eq!(
        ran.stdout,
        str![[r#"
4 datasets as of 2026-02-28 12:00 UTC: 2 learned, 0 provisional, 0 irregular, 1 with too little history, 1 failed

Could not be fitted (1)
  fct_revenue: the stored declaration of fct_revenue cannot be read: [..]

"#]]
    );
    let ran = house.run("fit --format ndjson").expect(2);
    assert!(
        ran.stdout
            .starts_with(r#"{"version":1,"change":"failed","dataset_id":"fct_revenue","error":"#),
        "{ran:?}"
    );
}
