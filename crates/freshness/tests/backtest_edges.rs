//! What is replayed of a history of which hardly anything can be said?

mod house;

use std::fmt::Write;
use std::fs;

use house::House;
use serde_json::Value;
use snapbox::{assert_data_eq, str};

/// 2026-01-01.
const START: i64 = 1_767_225_600;
const DAY: i64 = 86_400;

fn house(arrivals: impl IntoIterator<Item = String>) -> House {
    let house = House::empty();
    let mut csv = String::from("dataset_id,arrived_at\n");
    for at in arrivals {
        writeln!(csv, "feed,{at}").unwrap();
    }
    fs::write(house.path("arrivals.csv"), csv).unwrap();
    house
}

fn daily(from: i64, n: i64) -> impl Iterator<Item = String> {
    (0..n).map(move |day| (from + day * DAY + 6 * 3_600 + day * 37 % 600).to_string())
}

/// The whole summary, in which no number is missing or none.
#[track_caller]
fn summary(house: &House, from: &str) -> Value {
    let line = format!(
        "backtest --from {from} --to 9999-12-31 --arrivals arrivals.csv --summary --out out.csv \
         --format json"
    );
    let ran = house.run(&line).expect(0);
    let rows = fs::read_to_string(house.path("out.csv")).unwrap();
    for text in [&ran.stdout, &rows] {
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
    serde_json::from_str(&ran.stdout).unwrap()
}

/// (alerts, alerted cycles, advised cycles, days).
fn total(summary: &Value) -> (u64, u64, u64, f64) {
    let total = &summary["total"];
    let count = |name: &str| total[name].as_u64().unwrap();
    (
        count("n_alerts"),
        count("n_alerted_cycles"),
        count("n_advisory_cycles"),
        total["days"].as_f64().unwrap(),
    )
}

#[test]
fn of_two_arrivals_it_is_said_that_they_are_too_few() {
    let house = house(daily(START, 2));
    let (alerts, _, advised, _) = total(&summary(&house, "2026-01-01"));
    assert_eq!((alerts, advised), (0, 0));
    let rows = fs::read_to_string(house.path("out.csv")).unwrap();
    assert!(rows.lines().skip(3).all(|row| {
        row.contains(",insufficient_history,false,,cold_start") || row.contains(",pending,")
    }));
}

#[test]
fn of_three_arrivals_nobody_is_alerted() {
    let house = house(daily(START, 3));
    let (alerts, alerted, advised, _) = total(&summary(&house, "2026-01-01"));
    assert_eq!((alerts, alerted), (0, 0));
    assert!(advised > 0);
}

#[test]
fn forty_times_the_same_arrival_is_one() {
    let house = house((0..40).map(|_| "2026-01-05T06:00:00Z".to_owned()));
    let (alerts, alerted, advised, _) = total(&summary(&house, "1900-01-01"));
    assert_eq!((alerts, alerted, advised), (0, 0, 0));
    let rows = fs::read_to_string(house.path("out.csv")).unwrap();
    assert!(rows.contains("insufficient_history"), "{rows}");
}

#[test]
fn arrivals_at_the_same_second_of_each_day_are_judged() {
    let house = house((0..50).map(|day| (START + day * DAY + 6 * 3_600).to_string()));
    // It stops on 20 February: one alert, eight or nine cycles.
    let (alerts, alerted, ..) = total(&summary(&house, "1900-01-01"));
    assert_eq!((alerts, alerted), (1, 9));
}

#[test]
fn a_gap_of_three_years_is_one_alert() {
    let before = START - 4 * 365 * DAY;
    let house = house(daily(before, 120).chain(daily(START - 200 * DAY, 259)));
    let summary = summary(&house, "1900-01-01");
    let (alerts, alerted, _, days) = total(&summary);
    assert_eq!(alerts, 1);
    assert!(alerted > 1_000);
    // Counted from the first arrival, not from 1900.
    assert!((1_518.0..1_519.0).contains(&days), "{days}");
    assert_eq!(summary["weeks"].as_array().unwrap().len(), 218);
    assert_eq!(summary["weeks"][0]["week"], "2021-12-27");
}

#[test]
fn arrivals_at_the_edge_of_what_can_be_written_are_refused_by_line() {
    let edges = [
        "-009999-01-02T01:59:59Z",
        "0001-01-01T00:00:00Z",
        "1970-01-01T00:00:00Z",
        "9999-12-30T22:00:00Z",
    ];
    let house = house(edges.map(str::to_owned).into_iter().chain(daily(START, 40)));
    let ran =
        house.run("backtest --from 2026-01-01 --to 2026-02-01 --arrivals arrivals.csv --summary");
    assert_data_eq!(
        ran.expect(2).stderr,
        str![[r#"
error: 4 bad rows (2 before 1990, 1 placeholder for no time, 1 year 1970 looks like a missing timestamp); nothing was done
  arrivals.csv line 2, arrived_at: before 1990, too early for an arrival: "-009999-01-02T01:59:59Z"
  arrivals.csv line 3, arrived_at: before 1990, too early for an arrival: "0001-01-01T00:00:00Z"
  arrivals.csv line 4, arrived_at: year 1970 looks like a missing timestamp: "1970-01-01T00:00:00Z"
  arrivals.csv line 5, arrived_at: year 9999 looks like a placeholder for no time: "9999-12-30T22:00:00Z"

"#]]
    );
}

#[test]
fn a_window_at_the_edge_of_what_can_be_written_is_cut_to_the_history() {
    let house = house(daily(START, 40));
    for from in ["-009999-01-01", "-009999-01-02T01:59:59Z"] {
        let line =
            format!("backtest --from={from} --to 9999-12-31 --arrivals arrivals.csv --summary");
        let ran = house.run(&line).expect(0);
        assert!(
            ran.stderr.contains("replayed from 2025-12-0"),
            "{}",
            ran.stderr
        );
        assert!(ran.stdout.contains("2025-12-29"), "{}", ran.stdout);
    }
}

#[test]
fn a_window_that_begins_long_before_the_history_says_nothing_else_of_it() {
    let house = house(daily(START, 40));
    fs::write(
        house.path("datasets.csv"),
        "dataset_id,calendar\nfeed,every day\n",
    )
    .unwrap();
    let rows = |from: &str| {
        let ran = house.run(&format!(
            "backtest --from {from} --to 2026-02-20 --arrivals arrivals.csv --datasets datasets.csv \
             --out out.csv"
        ));
        ran.expect(0);
        let text = fs::read_to_string(house.path("out.csv")).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let (long, short) = (rows("1900-01-01"), rows("2026-01-01"));
    // A month of cycles of which nothing is known, and not 126 years.
    assert!(long.len() < short.len() + 33, "{}", long.len());
    assert!(long[1].contains(",unknown,false,"), "{}", long[1]);
    assert_eq!(long[long.len() - short.len() + 1..], short[1..]);
}

#[test]
fn a_window_before_the_history_says_when_that_begins() {
    let house = house(daily(START, 40));
    let check = |window: &str, stderr: snapbox::data::Inline| {
        let line = format!("backtest {window} --arrivals arrivals.csv --summary");
        let ran = house.run(&line).expect(2);
        assert_eq!(ran.stdout, "");
        assert_data_eq!(ran.stderr, stderr);
    };
    check(
        "--from 2020-01-01 --to 2021-01-01",
        str![[r#"
error: the window lies before the history: it ends 2021-01-01T00:00:00Z, the first arrival was 2026-01-01T06:00:00Z

hint: choose a window inside the history

"#]],
    );
    check(
        "--from 1900-01-01 --to 1901-01-01",
        str![[r#"
error: the window lies before the history: it ends 1901-01-01T00:00:00Z, the first arrival was 2026-01-01T06:00:00Z

hint: choose a window inside the history

"#]],
    );
}

#[test]
fn a_file_without_arrivals_is_nothing_to_replay() {
    let house = house([]);
    let ran =
        house.run("backtest --from 2026-01-01 --to 2026-02-01 --arrivals arrivals.csv --summary");
    assert_data_eq!(
        ran.expect(2).stderr,
        str![[r#"
error: nothing to replay: nothing has arrived of any dataset

hint: import arrivals, or name a file of them with --arrivals

"#]]
    );
}

#[test]
fn with_one_fit_a_schedule_that_moves_later_goes_on_being_late() {
    let house = house(daily(START, 60).chain(daily(START + 60 * DAY + 2 * 3_600, 40)));
    let alerted = |refit: &str| -> u64 {
        let line = format!(
            "backtest --from 2026-02-20 --to 2026-04-10 --refit {refit} --arrivals arrivals.csv \
             --summary --format json --now 2026-04-10T12:00:00Z"
        );
        let ran = house.run(&line).expect(0);
        total(&serde_json::from_str(&ran.stdout).unwrap()).1
    };
    let (once, daily) = (alerted("never"), alerted("1d"));
    assert!(once >= 15 && daily <= 5, "{once} {daily}");
    let ran = house.run(
        "backtest --from 2026-02-20 --to 2026-04-10 --refit sometimes --arrivals arrivals.csv --summary",
    );
    assert!(ran.expect(2).stderr.contains("or never"));
}
