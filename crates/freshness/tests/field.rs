//! Faults that users of other tools reported, put to the backtest.

mod house;

use std::fmt::Write as _;
use std::fs;

use house::House;

/// 2025-12-01, a Monday, in days since 1970; the clock stands at noon of day 89.
const FIRST: i64 = 20_423;
const DAYS: i64 = 90;

/// What a backtest of the last 30 days says, day by day: `deadline, arrived_at,
/// state, alerted`. Loads come at 06:00 and up to nine minutes; exceptions are
/// (day, hour).
fn backtest(exceptions: &[(i64, Option<i64>)]) -> Vec<[String; 4]> {
    let house = House::empty();
    let mut arrivals = "dataset_id,arrived_at\n".to_owned();
    for day in 0..DAYS {
        let usual = 6 * 3_600 + day * 7_919 % 540;
        let exception = exceptions.iter().find(|(other, _)| *other == day);
        let delay = exception.map_or(Some(usual), |(_, hour)| hour.map(|hour| hour * 3_600));
        if let Some(delay) = delay {
            writeln!(arrivals, "orders,{}", (FIRST + day) * 86_400 + delay).unwrap();
        }
    }
    fs::write(house.path("arrivals.csv"), arrivals).unwrap();
    let line =
        "backtest --from 2026-01-30 --to 2026-03-01 --arrivals arrivals.csv --out rows.ndjson";
    house.run(line).expect(0);
    let text = fs::read_to_string(house.path("rows.ndjson")).unwrap();
    text.lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            ["deadline", "arrived_at", "state", "alerted"].map(|field| match &row[field] {
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            })
        })
        .collect()
}

/// Days (from the first) that are alerted.
fn alerted(rows: &[[String; 4]]) -> Vec<i64> {
    let days = (60..).zip(rows).filter(|(_, row)| row[3] == "true");
    days.map(|(day, _)| day).collect()
}

// https://github.com/elementary-data/elementary/issues/980: an incident on
// 30 June enters the training data, and the same on 5 July isn't flagged.
#[test]
fn the_same_incident_again_five_days_later_is_alerted_again() {
    let rows = backtest(&[(75, Some(10)), (80, Some(10)), (85, Some(10))]);
    assert_eq!(alerted(&rows), [75, 80, 85]);
}

// https://github.com/elementary-data/elementary/issues/1560: the tested point is
// inside its own baseline.
#[test]
fn how_late_a_load_is_does_not_move_its_own_deadline() {
    let deadline = |exception: Option<i64>| backtest(&[(75, exception)])[15][0].clone();
    let of_an_ordinary_load = backtest(&[])[15][0].clone();
    for exception in [None, Some(7), Some(23)] {
        assert_eq!(deadline(exception), of_an_ordinary_load, "{exception:?}");
    }
}

// https://github.com/elementary-data/elementary/issues/1523: a detection period
// of one day alerts for two.
#[test]
fn one_late_load_is_one_alert_and_one_missed_load_too() {
    assert_eq!(alerted(&backtest(&[(75, Some(20))])), [75]);
    assert_eq!(alerted(&backtest(&[(75, None)])), [75]);
}

// https://github.com/elementary-data/elementary/issues/911: the check runs before
// today's load and reports a drop.
#[test]
fn what_is_not_due_yet_is_pending_and_no_alert() {
    // Now is noon of day 89, whose load usually comes at 06:00; a feed that has
    // come at 18:00 since the beginning is not due then.
    let evening: Vec<(i64, Option<i64>)> = (0..DAYS - 1).map(|day| (day, Some(18))).collect();
    let rows = backtest(&[evening, vec![(DAYS - 1, None)]].concat());
    let today = &rows[29];
    assert_eq!(today[1..], ["null", "pending", "false"].map(str::to_owned));
    assert!(alerted(&rows).is_empty());
}
