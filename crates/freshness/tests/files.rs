//! What does a person see whose deliveries are files?

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use jiff::civil::Date;
use snapbox::{assert_data_eq, str};

mod house;
use house::{House, NOW};

/// Writes a file that was last written to at an instant.
fn write(path: &Path, content: &str, at: i64) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    let at = UNIX_EPOCH + Duration::from_secs(u64::try_from(at).unwrap());
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(at).unwrap();
}

fn seconds(text: &str) -> i64 {
    text.parse::<jiff::Timestamp>().unwrap().as_second()
}

/// A file each morning until the day before NOW, which is a Saturday noon.
fn delivered() -> House {
    let house = House::empty();
    let (mut day, last) = (Date::constant(2026, 1, 1), Date::constant(2026, 2, 27));
    while day <= last {
        let minutes = 300 + i64::from(day.day()) * 7 % 20;
        let at = seconds(&format!("{day}T00:00:00Z")) + minutes * 60;
        write(&house.path(&format!("in/orders_{day}.csv")), "id\n1\n", at);
        day = day.tomorrow().unwrap();
    }
    house
}

const DATED: &str = "import files in/orders_{date:%Y-%m-%d}.csv --dataset orders";

fn state(house: &House) -> String {
    let status = house.run("status --format json").stdout;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    status["datasets"][0]["state"].as_str().unwrap().to_owned()
}

#[test]
fn files_are_imported_once() {
    let house = delivered();
    let ran = house.run(DATED).expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
imported  files  new arrivals  duplicate  new runs  new datasets  gone  news of datasets, edges, dashboards
files        58            58          0         0             1     0                                    0

"#]]
    );
    assert_eq!(ran.stderr, "orders: 58 files found, 58 arrived\n");
    let again = house.run(DATED).expect(0);
    assert!(
        again
            .stdout
            .contains("files        58             0         58"),
        "{}",
        again.stdout
    );
}

#[test]
fn yesterdays_file_delivered_again_is_yesterdays() {
    let house = delivered();
    // In the hour when that of today usually comes.
    let again = house.path("in/orders_2026-02-27.csv");
    write(&again, "id\n1\n", seconds("2026-02-28T05:08:00Z"));
    house.run(DATED).expect(0);
    house.run("fit").expect(0);
    assert_eq!(state(&house), "late");
    write(
        &house.path("in/orders_2026-02-28.csv"),
        "id\n1\n",
        seconds("2026-02-28T05:10:00Z"),
    );
    house.run(DATED).expect(0);
    assert_eq!(state(&house), "ok");
}

#[test]
fn old_dated_files_that_were_all_written_anew_are_not_fresh() {
    let house = delivered();
    house.run(DATED).expect(0);
    house.run("fit").expect(0);
    for entry in fs::read_dir(house.path("in")).unwrap() {
        write(
            &entry.unwrap().path(),
            "id\n2\n",
            seconds("2026-02-28T05:09:00Z"),
        );
    }
    house.run(DATED).expect(0);
    assert_eq!(state(&house), "late");
    // Whoever names no day in the pattern is told.
    let ran = house
        .run("import files in/*.csv --dataset undated")
        .expect(0);
    let words = "note: in/*.csv: paths seem to be dated, such as orders_2026-";
    assert!(ran.stderr.contains(words), "{}", ran.stderr);
}

#[test]
fn a_file_that_still_grows_has_not_arrived() {
    let house = delivered();
    let today = house.path("in/orders_2026-02-28.csv");
    let growing = format!("{DATED} --now 2026-02-28T05:01:00Z");
    write(&today, "id\n", seconds("2026-02-28T05:00:00Z"));
    let ran = house.run(&growing).expect(0);
    assert!(
        ran.stderr.contains("59 files found, 58 arrived\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains(
        "note: in/orders_{date:%Y-%m-%d}.csv: 1 file written to in the last 120 seconds, so not \
         there yet: orders_2026-02-28.csv\n"
    ));
    // It goes on for an hour, and counts when it is done.
    write(&today, "id\n1\n2\n", seconds("2026-02-28T06:00:00Z"));
    house
        .run(&format!("{DATED} --now 2026-02-28T06:01:59Z"))
        .expect(0);
    assert!(
        house
            .run(&format!("{DATED} --now 2026-02-28T06:02:00Z"))
            .expect(0)
            .stdout
            .contains("59             1")
    );
    let slow = format!("{DATED} --unchanged-for 15m --now 2026-02-28T06:10:00Z");
    assert!(
        house
            .run(&slow)
            .expect(0)
            .stdout
            .contains("58             0")
    );
}

#[test]
fn what_cannot_be_looked_at_is_told_and_not_taken_for_nothing() {
    let house = delivered();
    symlink(".", house.path("in/loop")).unwrap();
    symlink("/", house.path("in/out")).unwrap();
    let ran = house
        .run("import files in/**/*.csv --dataset orders")
        .expect(0);
    assert!(
        ran.stderr.contains(
            "2 not looked into: a link that leads back to a folder that it lies in: loop, out\n"
        ),
        "{}",
        ran.stderr
    );
    let check_refused = |line: &str, words: &str| {
        let ran = house.run(line).expect(2);
        assert!(ran.stderr.contains(words), "{line}\n{}", ran.stderr);
    };
    check_refused(
        "import files nowhere/* --dataset a",
        "error: nowhere: no such file or folder\n",
    );
    check_refused(
        "import files in/*.txt --dataset a",
        "error: no file matches: in/*.txt\n",
    );
    check_refused(
        "import files in/a in/b --dataset a",
        "hint: put it in quotes",
    );
    check_refused(
        "import files in/{date:%m}/* --dataset a",
        "a date needs its year",
    );
    check_refused(
        "import files in/[a --dataset a",
        "not a pattern of files: [a\n\nhint: wildcards",
    );
    check_refused(
        "import files s3:///x --dataset a",
        "not a pattern of files: s3:///x",
    );
    symlink("itself.csv", house.path("in/itself.csv")).unwrap();
    check_refused(
        "import files in/*.csv --dataset orders",
        "in/itself.csv: cannot be looked at: ",
    );
}

#[test]
fn files_that_came_are_held_against_a_manifest_of_those_expected() {
    let house = House::empty();
    let contracts =
        "source,scope,max_source_lag_minutes,max_publication_gap_minutes\norders,FR,720,720\n";
    fs::write(house.path("contracts.csv"), contracts).unwrap();
    house
        .run("coverage contracts import contracts.csv")
        .expect(0);
    fs::write(house.path("expected.txt"), "fr-1.csv\nfr-2.csv\n").unwrap();
    let publish = "coverage publish --source orders --scope FR --run-id r1 \
        --complete-through 2026-02-28T11:00:00Z --published-at 2026-02-28T11:30:00Z \
        --manifest expected.txt --delivered-files in/*.csv";
    write(
        &house.path("in/fr-1.csv"),
        "1\n",
        seconds("2026-02-28T11:00:00Z"),
    );
    // This one is being written.
    write(&house.path("in/fr-2.csv"), "1\n", seconds(NOW) - 5);
    let ran = house.run(publish).expect(1);
    let words = "1 of 2 expected files are missing: fr-2.csv";
    assert!(ran.stdout.contains(words), "{ran:?}");
    write(&house.path("in/fr-2.csv"), "1\n2\n", seconds(NOW) - 300);
    house.run(publish).expect(0);
}

#[test]
fn files_that_are_all_left_out_are_no_answer() {
    let house = House::empty();
    write(&house.path("in/a.csv"), "", seconds("2026-02-27T06:00:00Z"));
    let ran = house.run("import files in/*.csv --dataset a").expect(2);
    assert!(ran.stderr.contains("1 file of no bytes"), "{ran:?}");
}
