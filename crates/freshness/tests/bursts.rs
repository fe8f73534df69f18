//! Does every command know that a load of many commits is there with its last?
//!
//! A loader writes a few rows every few seconds; `max()` is fresh long before the
//! load is complete (dbt-labs/dbt-core#8797).

mod house;

use std::fmt::Write as _;
use std::fs;

use house::House;

/// 2026-01-01, in seconds since 1970.
const FIRST: i64 = 1_767_225_600;
const DAYS: i64 = 60;

/// Two hundred commits a day, from 05:00 and up to four minutes, six seconds and
/// a little apart; of the last day only those of the first ten minutes.
fn commits() -> String {
    let mut text = "dataset_id,arrived_at,rows\n".to_owned();
    for day in 0..DAYS {
        let begins = FIRST + day * 86_400 + 5 * 3_600 + day * 7_919 % 240;
        let mut at = begins;
        for i in 0..200 {
            at += 2 + (day * 31 + i * 17) % 9;
            if day < DAYS - 1 || at < begins + 600 {
                writeln!(text, "orders,{at},30").unwrap();
            }
        }
    }
    text
}

fn loaded() -> House {
    let house = House::empty();
    fs::write(house.path("arrivals.csv"), commits()).unwrap();
    fs::write(
        house.path("datasets.csv"),
        "dataset_id,critical\norders,true\n",
    )
    .unwrap();
    house
        .run("import arrivals arrivals.csv --now 2026-03-01T06:00:00Z")
        .expect(0);
    house.run("import datasets datasets.csv").expect(0);
    house.run("fit --now 2026-03-01T04:00:00Z").expect(0);
    house
}

#[test]
fn status_check_and_explain_wait_for_the_last_commit() {
    let house = loaded();
    let state = |now: &str| {
        let ran = house.run(&format!("status --format ndjson --now {now}"));
        let row = ran.expect(0).stdout.clone();
        let row: serde_json::Value = serde_json::from_str(row.trim()).unwrap();
        row["state"].as_str().unwrap().to_owned()
    };
    // Yesterday's load was over at 05:23 or so.
    assert_eq!(state("2026-02-28T05:05:00Z"), "pending");
    assert_eq!(state("2026-02-28T05:15:00Z"), "pending");
    assert_eq!(state("2026-02-28T05:40:00Z"), "ok");
    // Today's goes on.
    assert_eq!(state("2026-03-01T05:10:00Z"), "pending");
    house.run("check --now 2026-03-01T05:10:00Z").expect(0);

    let explained = house.run("explain orders --now 2026-03-01T05:08:00Z");
    let said = &explained.expect(0).stdout;
    for expected in [
        "complete when nothing came for 1 min; cycle 2026-03-01 is not due yet",
        "Bursts     of about 200 arrivals over 19 min",
        "a delivery is there when nothing came for 1 min, and then came with its last arrival",
        "of a burst that may go on",
    ] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

#[test]
fn a_backtest_counts_from_the_last_commit() {
    let house = loaded();
    let line = "backtest --from 2026-02-01 --to 2026-02-28 --arrivals arrivals.csv --out rows.ndjson --now 2026-03-01T06:00:00Z";
    house.run(line).expect(0);
    let rows = fs::read_to_string(house.path("rows.ndjson")).unwrap();
    assert_eq!(rows.lines().count(), 27);
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row).unwrap();
        assert_eq!(row["state"], "ok", "{row}");
        assert_eq!(row["alerted"], false, "{row}");
        let at = row["arrived_at"].as_str().unwrap();
        let minute: u32 = at[14..16].parse().unwrap();
        assert!((19..26).contains(&minute), "{row}");
    }
}
