//! Is a dataset late early because what it is made from is overdue, and not yet
//! because that is slow?

mod house;

use std::fmt::Write as _;
use std::fs;

use house::House;
use serde_json::Value;

/// 2025-12-01.
const START: i64 = 1_764_547_200;
const N_DAYS: i64 = 60;

/// `raw_orders` comes at 06:00 and a few minutes, and does not on the last day;
/// `fct_orders`, made from it, any time between 07:00 and 08:00, and on the last
/// day at 08:40.
fn house() -> House {
    let house = House::empty();
    let mut csv = String::from("dataset_id,arrived_at\n");
    for day in 0..N_DAYS {
        let midnight = START + day * 86_400;
        let is_last = day == N_DAYS - 1;
        if !is_last {
            writeln!(csv, "raw_orders,{}", midnight + 21_600 + day * 7_919 % 600).unwrap();
        }
        let delay = if is_last {
            31_200
        } else {
            25_200 + day * 7_919 % 3_600
        };
        writeln!(csv, "fct_orders,{}", midnight + delay).unwrap();
    }
    fs::write(house.path("arrivals.csv"), csv).unwrap();
    let edge = "upstream_id,downstream_id\nraw_orders,fct_orders\n";
    fs::write(house.path("lineage.csv"), edge).unwrap();
    house.run("import arrivals arrivals.csv").expect(0);
    house.run("fit --now 2026-01-28T23:00:00Z").expect(0);
    house
}

/// The last day, when nothing has come of it though the window has passed.
const IN_THE_TAIL: &str = "2026-01-29T08:20:00Z";

fn state_of(house: &House, id: &str, now: &str) -> Value {
    let ran = house.run(&format!("status --format json --now {now}"));
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    let all = said["datasets"].as_array().unwrap();
    let line = all.iter().find(|line| line["dataset_id"] == id);
    line.cloned().unwrap()
}

#[test]
fn what_waits_for_an_overdue_source_is_late_when_its_window_has_passed() {
    let house = house();
    assert_eq!(state_of(&house, "raw_orders", IN_THE_TAIL)["state"], "late");
    assert_eq!(
        state_of(&house, "fct_orders", IN_THE_TAIL)["state"],
        "pending"
    );

    house.run("import lineage lineage.csv").expect(0);
    let said = state_of(&house, "fct_orders", IN_THE_TAIL);
    assert_eq!(said["state"], "late", "{said}");
    assert_eq!(said["held_up_by"], "raw_orders");
    let reason = said["reason"].as_str().unwrap();
    let why = "brought forward because raw_orders was overdue";
    assert!(reason.contains(why), "{reason}");
    // Within the window nothing is late.
    let early = state_of(&house, "fct_orders", "2026-01-29T07:30:00Z");
    assert_eq!(early["state"], "pending");
    // Once it has come, it came late; the same is explained.
    let came = "2026-01-29T08:45:00Z";
    assert_eq!(
        state_of(&house, "fct_orders", came)["state"],
        "late_arrival"
    );
    let line = format!("explain fct_orders --now {IN_THE_TAIL}");
    let told = house.run(&line).expect(0).stdout;
    let line = ": raw_orders was overdue when this was to come";
    assert!(told.contains(line), "{told}");
}

#[test]
fn a_backtest_raises_it_too_if_it_is_told_what_is_made_from_what() {
    let house = house();
    let window = "backtest --arrivals arrivals.csv --from 2026-01-29 --to 2026-01-30 \
                  --now 2026-01-30T00:00:00Z --out";
    let alerted = |name: &str, more: &str| {
        house.run(&format!("{window} {name} {more}")).expect(0);
        let rows = fs::read_to_string(house.path(name)).unwrap();
        let row = rows
            .lines()
            .find(|row| row.starts_with("fct_orders"))
            .unwrap();
        row.contains(",late_arrival,true,") && row.ends_with(",raw_orders")
    };
    assert!(!alerted("alone.csv", ""));
    assert!(alerted("together.csv", "--lineage lineage.csv"));
}

/// `raw_orders` comes any time between 06:00 and 07:00, and on the last day at
/// 07:40; `fct_orders`, made from it, at 07:30 and a few minutes, and on the last
/// day at `last` seconds, if at all.
fn slow_house(last: Option<i64>) -> House {
    let house = House::empty();
    let mut csv = String::from("dataset_id,arrived_at\n");
    for day in 0..N_DAYS {
        let midnight = START + day * 86_400;
        let (source, made) = match day == N_DAYS - 1 {
            true => (27_600, last),
            false => (
                21_600 + day * 7_919 % 3_600,
                Some(27_000 + day * 7_919 % 300),
            ),
        };
        writeln!(csv, "raw_orders,{}", midnight + source).unwrap();
        if let Some(made) = made {
            writeln!(csv, "fct_orders,{}", midnight + made).unwrap();
        }
    }
    fs::write(house.path("arrivals.csv"), csv).unwrap();
    let edge = "upstream_id,downstream_id\nraw_orders,fct_orders\n";
    fs::write(house.path("lineage.csv"), edge).unwrap();
    house.run("import arrivals arrivals.csv").expect(0);
    house.run("fit --now 2026-01-28T23:00:00Z").expect(0);
    house
}

#[test]
fn what_waits_for_a_slow_source_is_not_late_before_it_had_its_time() {
    const WAITING: &str = "2026-01-29T08:20:00Z";
    let house = slow_house(None);
    assert_eq!(state_of(&house, "raw_orders", WAITING)["state"], "ok");
    assert_eq!(state_of(&house, "fct_orders", WAITING)["state"], "late");

    house.run("import lineage lineage.csv").expect(0);
    let said = state_of(&house, "fct_orders", WAITING);
    assert_eq!(said["state"], "pending", "{said}");
    assert_eq!(said["waits_for"], "raw_orders");
    let reason = said["reason"].as_str().unwrap();
    let why = "put off because raw_orders was slow";
    assert!(reason.contains(why), "{reason}");
    let line = format!("explain fct_orders --now {WAITING}");
    let told = house.run(&line).expect(0).stdout;
    let line = ": raw_orders, which it is made from, was slow and not late";
    assert!(told.contains(line), "{told}");
    // About an hour lies between the two; after that it is late.
    let late = state_of(&house, "fct_orders", "2026-01-29T09:00:00Z");
    assert_eq!(late["state"], "late", "{late}");
}

#[test]
fn a_backtest_waits_too_if_it_is_told_what_is_made_from_what() {
    let house = slow_house(Some(30_600));
    let window = "backtest --arrivals arrivals.csv --from 2026-01-29 --to 2026-01-30 \
                  --now 2026-01-30T00:00:00Z --out";
    let row_of = |name: &str, more: &str| {
        house.run(&format!("{window} {name} {more}")).expect(0);
        let rows = fs::read_to_string(house.path(name)).unwrap();
        let row = rows.lines().find(|row| row.starts_with("fct_orders"));
        row.unwrap().to_owned()
    };
    let alone = row_of("alone.csv", "");
    assert!(alone.contains(",late_arrival,true,"), "{alone}");
    let together = row_of("together.csv", "--lineage lineage.csv");
    assert!(together.contains(",ok,false,"), "{together}");
}
