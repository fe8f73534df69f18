//! Is what is due in a window of maintenance waited for, everywhere, and late after it?

mod house;

use std::fmt::Write as _;
use std::fs;

use house::House;
use serde_json::Value;

/// 2025-12-01, a Monday.
const START: i64 = 1_764_547_200;
const N_DAYS: i64 = 60;

/// `raw_orders` comes at 06:00 and a few minutes, and not on the last day, which is
/// 2026-01-29, a Thursday; `fct_orders`, made from it, an hour later, and not then
/// either; `events` every hour, and on the last day not from 05:00 to 09:00.
fn house() -> House {
    let house = House::empty();
    let mut csv = String::from("dataset_id,arrived_at\n");
    for day in 0..N_DAYS {
        let midnight = START + day * 86_400;
        let is_last = day == N_DAYS - 1;
        let scatter = day * 7_919 % 600;
        if !is_last {
            writeln!(csv, "raw_orders,{}", midnight + 21_600 + scatter).unwrap();
            writeln!(csv, "fct_orders,{}", midnight + 25_200 + scatter).unwrap();
        }
        for hour in (0..24).filter(|hour| !is_last || !(5..9).contains(hour)) {
            let scatter = (day * 7_919 + hour * 104_729) % 200;
            let at = midnight + hour * 3_600 + 300 + scatter;
            writeln!(csv, "events,{at}").unwrap();
        }
    }
    fs::write(house.path("arrivals.csv"), csv).unwrap();
    let edge = "upstream_id,downstream_id\nraw_orders,fct_orders\n";
    fs::write(house.path("lineage.csv"), edge).unwrap();
    let report = "dashboard_id,title,dataset_id,part\norders,Orders,fct_orders,all\n";
    fs::write(house.path("dashboards.csv"), report).unwrap();
    let late = "2026-01-30T00:00:00Z";
    for what in ["arrivals", "lineage", "dashboards"] {
        let line = format!("import {what} {what}.csv --now {late}");
        house.run(&line).expect(0);
    }
    house
        .run("fit --now 2026-01-28T23:30:00Z --any-time")
        .expect(0);
    house
}

fn configure(house: &House, maintenance: &str) {
    let text = format!("datasets:\n- {{match: '*orders', critical: true}}\n{maintenance}");
    fs::write(house.path("freshness.yaml"), text).unwrap();
}

const UPGRADE: &str = "maintenance:
- match: '*'
  from: 2026-01-29T05:00:00Z
  to: 2026-01-29T10:00:00+01:00
  reason: the warehouse is upgraded
";

fn state_of(house: &House, id: &str, now: &str) -> Value {
    let ran = house.run(&format!("status --format json --now {now}"));
    let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let all = said["datasets"].as_array().unwrap();
    let line = all.iter().find(|line| line["dataset_id"] == id);
    line.cloned().unwrap()
}

/// Inside of the window, when everything is past the deadline that was learned.
const INSIDE: &str = "2026-01-29T08:45:00Z";

#[test]
fn what_is_due_in_a_window_is_waited_for_with_the_reason_and_late_after_it() {
    let house = house();
    configure(&house, "");
    assert_eq!(state_of(&house, "raw_orders", INSIDE)["state"], "late");
    house
        .run(&format!("gate orders --min-score 99 --now {INSIDE}"))
        .expect(1);

    configure(&house, UPGRADE);
    let said = state_of(&house, "raw_orders", INSIDE);
    assert_eq!(said["state"], "pending", "{said}");
    assert_eq!(said["maintenance"]["until"], "2026-01-29T09:00:00Z");
    let why = "the warehouse is upgraded";
    assert_eq!(said["maintenance"]["reason"], why);
    let reason = said["reason"].as_str().unwrap();
    assert!(
        reason.contains("not due yet, put off by maintenance until 2026-01-29T09:00:00Z (the warehouse is upgraded)"),
        "{reason}"
    );
    let told = house
        .run(&format!("explain raw_orders --now {INSIDE}"))
        .expect(0);
    assert!(
        told.stdout
            .contains("Put off    by maintenance until 2026-01-29 09:00"),
        "{told:?}"
    );
    // Nobody is paged, but what is shown is as old as without the window.
    house
        .run(&format!("gate orders --min-score 99 --now {INSIDE}"))
        .expect(1);
    let trust = house.run(&format!("trust --now {INSIDE}"));
    assert!(
        trust.stdout.contains(
            "is held up by maintenance until 2026-01-29 09:00 UTC (the warehouse is upgraded)"
        ),
        "{trust:?}"
    );
    let check = house.run(&format!("check --now {INSIDE}")).expect(0);
    assert!(
        check
            .stdout
            .contains("3 pending (3 held up by maintenance)"),
        "{check:?}"
    );
    let status = house.run(&format!("status --now {INSIDE}"));
    assert!(
        status.stdout.contains("2026-01-29 09:15 put off"),
        "{status:?}"
    );

    // It has after the window what it usually has from its usual time on.
    let deadline = state_of(&house, "raw_orders", INSIDE)["deadline"].clone();
    let deadline = deadline.as_str().unwrap();
    assert!(("2026-01-29T09:05:00Z".."2026-01-29T10:00:00Z").contains(&deadline));
    assert_eq!(
        state_of(&house, "raw_orders", "2026-01-29T09:04:00Z")["state"],
        "pending"
    );
    let after = state_of(&house, "raw_orders", "2026-01-29T11:00:00Z");
    assert_eq!(after["state"], "late", "{after}");
    assert_eq!(after["severity"], "critical");
    assert!(after["reason"].as_str().unwrap().contains(why));
    house.run("check --now 2026-01-29T11:00:00Z").expect(1);
}

#[test]
fn what_is_made_from_what_is_put_off_waits_for_it() {
    let house = house();
    configure(&house, &UPGRADE.replace("'*'", "raw_orders"));
    let said = state_of(&house, "fct_orders", INSIDE);
    assert_eq!(
        (&said["state"], &said["waits_for"]),
        (&"pending".into(), &"raw_orders".into())
    );
    assert_eq!(said["maintenance"]["until"], "2026-01-29T09:00:00Z");
    assert_eq!(
        state_of(&house, "fct_orders", "2026-01-29T12:00:00Z")["state"],
        "late"
    );
}

#[test]
fn a_window_on_days_of_the_week_is_read_on_its_own_clock() {
    let house = house();
    // From 05:00 to 09:00 UTC.
    let weekly = "maintenance:
- match: [raw_orders, x]
  weekdays: Thu
  from: '06:00'
  to: '10:00'
  timezone: Europe/Berlin
  reason: weekly vacuum
";
    configure(&house, weekly);
    let said = state_of(&house, "raw_orders", INSIDE);
    assert_eq!(said["state"], "pending", "{said}");
    assert_eq!(said["maintenance"]["until"], "2026-01-29T09:00:00Z");
    configure(&house, &weekly.replace("Thu", "Mon-Wed"));
    assert_eq!(state_of(&house, "raw_orders", INSIDE)["state"], "late");
    // Across midnight, and by the team.
    let night = "maintenance:
- team: web
  weekdays: Wed
  from: '23:00'
  to: '10:00'
  timezone: Europe/Berlin
  reason: a long night
";
    configure(&house, night);
    assert_eq!(state_of(&house, "raw_orders", INSIDE)["state"], "late");
    configure(
        &house,
        &format!("- {{match: raw_orders, team: web}}\n{night}"),
    );
    assert_eq!(state_of(&house, "raw_orders", INSIDE)["state"], "pending");
}

/// The rows of a backtest of the last day: dataset, cycle's start, deadline, state,
/// whether it was alerted.
fn replayed(house: &House) -> Vec<[String; 5]> {
    let line =
        "backtest --from 2026-01-29 --to 2026-01-30 --out rows.csv --now 2026-01-30T00:00:00Z";
    house.run(line).expect(0);
    let rows = fs::read_to_string(house.path("rows.csv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        [0, 2, 3, 5, 6].map(|column| cells[column].to_owned())
    };
    rows.lines().skip(1).map(row).collect()
}

#[test]
fn a_backtest_honours_the_same_windows() {
    let house = house();
    let alerted = |rows: &[[String; 5]], id: &str| {
        let rows = rows.iter().filter(|row| row[0] == id && row[4] == "true");
        rows.map(|row| row[2].clone()).collect::<Vec<_>>()
    };
    configure(&house, "");
    let rows = replayed(&house);
    assert_eq!(alerted(&rows, "events").len(), 4, "{rows:?}");
    assert!(alerted(&rows, "raw_orders")[0].as_str() < "2026-01-29T07:00:00Z");

    configure(&house, UPGRADE);
    let rows = replayed(&house);
    // What the hourly feed did not deliver then nobody waits for once it goes on.
    assert_eq!(alerted(&rows, "events"), [""; 0]);
    let left_out = rows
        .iter()
        .filter(|row| row[0] == "events" && row[3] == "not_evaluated");
    assert_eq!(left_out.count(), 4, "{rows:?}");
    assert_eq!(
        state_of(&house, "events", "2026-01-29T09:30:00Z")["state"],
        "ok"
    );
    let raw = alerted(&rows, "raw_orders");
    assert!(
        raw.len() == 1 && raw[0].as_str() > "2026-01-29T09:05:00Z",
        "{raw:?}"
    );

    // … and without a store.
    let files = "--arrivals arrivals.csv --lineage lineage.csv";
    let line = format!(
        "backtest --from 2026-01-29 --to 2026-01-30 --out files.csv {files} --now 2026-01-30T00:00:00Z"
    );
    house.run(&line).expect(0);
    let of = |file: &str| {
        let text = fs::read_to_string(house.path(file)).unwrap();
        text.lines()
            .filter(|line| line.starts_with("events,"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("files.csv"), of("rows.csv"));
}

#[test]
fn a_delivery_that_a_single_window_held_up_teaches_no_later_deadline() {
    let house = house();
    // It came three hours late on ten days in a row of windows.
    let mut windows = String::from("maintenance:\n");
    let mut csv = String::from("dataset_id,arrived_at\n");
    for day in 0..N_DAYS {
        let midnight = START + day * 86_400;
        let is_held_up = day % 6 == 3;
        let delay = 21_600 + day * 7_919 % 600 + if is_held_up { 10_800 } else { 0 };
        writeln!(csv, "held,{}", midnight + delay).unwrap();
        if is_held_up {
            let at = |second: i64| jiff::Timestamp::from_second(midnight + second).unwrap();
            let (from, to) = (at(18_000), at(32_000));
            writeln!(
                windows,
                "- {{match: held, from: {from}, to: {to}, reason: moved}}"
            )
            .unwrap();
        }
    }
    fs::write(house.path("held.csv"), csv).unwrap();
    house.run("import arrivals held.csv").expect(0);
    let threshold = |maintenance: &str| {
        configure(&house, maintenance);
        house
            .run("fit --now 2026-01-29T23:30:00Z --any-time")
            .expect(0);
        let said = state_of(&house, "held", "2026-01-29T23:30:00Z");
        said["because"]["threshold"].as_f64().unwrap()
    };
    let (with, without) = (threshold(&windows), threshold(""));
    assert!(with < 420.0 && without > 500.0, "{with} {without}");
}

#[test]
fn a_window_that_is_meant_for_nothing_is_told() {
    let house = house();
    configure(&house, &UPGRADE.replace("'*'", "raw_order"));
    let doctor = house.run("doctor").stdout;
    let told = "1 window of `maintenance` is of no dataset: the warehouse is upgraded";
    assert!(doctor.contains(told), "{doctor}");
    let text = UPGRADE.replace("match: '*'", "team: finanse");
    configure(&house, &format!("teams: {{finance: {{}}}}\n{text}"));
    let checked = house.run("config check").expect(2).stdout;
    assert!(checked.contains("no such team: finanse"), "{checked}");
    for (from, to, fault) in [
        ("match: '*'", "match: '[a'", "not a pattern: [a"),
        ("reason: the", "raison: the", "unknown key: raison"),
        (
            "T05:00:00Z",
            "T05:00:00",
            "`from` is unreadable: 2026-01-29T05:00:00",
        ),
    ] {
        configure(&house, &UPGRADE.replace(from, to));
        let refused = house.run("status").expect(2).stderr;
        assert!(refused.contains(fault), "{refused}");
    }
}

#[test]
fn windows_that_together_never_end_are_told() {
    let house = house();
    let window = |days: &str| {
        format!(
            "- {{match: raw_orders, weekdays: '{days}', from: '00:00', to: '24:00', timezone: UTC, reason: rest}}\n"
        )
    };
    configure(&house, &format!("maintenance:\n{}", window("Mon-Fri")));
    let told = "maintenance of 1 dataset is not over within a month, and until then none is late: raw_orders";
    let now = "doctor --now 2026-01-29T08:45:00Z";
    assert!(!house.run(now).stdout.contains("not over within a month"));
    let both = format!("maintenance:\n{}{}", window("Mon-Fri"), window("Sat, Sun"));
    configure(&house, &both);
    let doctor = house.run(now).stdout;
    assert!(doctor.contains(told), "{doctor}");
}
