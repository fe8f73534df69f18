//! Does a delivery serve the cycle that it is of, by the clock of its sender?

use super::*;

// dbt-labs/dbt-core#11066: nine hours of false age where the column is in JST.
#[test]
fn a_local_name_and_an_instant_of_one_cycle_are_one_cycle() {
    let feed = |also: &str| {
        format!("daily +06:00 ±5 Asia/Tokyo 2025-10-01..2026-02-28\nalso 2026-02-28T06:01 ={also}")
    };
    let instants = &["2026-02-28T08:00"];
    check_states_in_zone(
        &feed("2026-02-28"),
        "2026-02-27",
        instants,
        &expect![[r#"
        2026-02-28T08:00 ok 2026-02-28
    "#]],
    );
    check_states_in_zone(
        &feed("2026-02-28T00:30"),
        "2026-02-27",
        instants,
        &expect![[r#"
            2026-02-28T08:00 ok 2026-02-28
        "#]],
    );
    check_states_in_zone(
        &feed("2026-02-27T20:30Z"),
        "2026-02-27",
        instants,
        &expect![[r#"
            2026-02-28T08:00 ok 2026-02-28
        "#]],
    );
    // The day before, in Tokyo.
    check_states_in_zone(
        &feed("2026-02-27T14:30Z"),
        "2026-02-27",
        instants,
        &expect![[r#"
            2026-02-28T08:00 late 2026-02-28
        "#]],
    );
}

// dagster-io/dagster#12006: one UTC deadline is wrong in summer or in winter.
#[test]
fn a_deadline_follows_the_wall_clock_of_the_sender() {
    for (zone, winter, summer) in [
        ("Europe/Berlin", "2026-01-20T01:00Z", "2026-07-20T00:00Z"),
        ("America/New_York", "2026-01-20T07:00Z", "2026-07-20T06:00Z"),
    ] {
        let feed = Feed::new(&format!("daily +02:00 ±5 {zone} 2025-01-01..2026-07-21"));
        for usual in [winter, summer] {
            let usual = feed.at(usual);
            let model = feed.fit_at(usual - 3_600);
            let state = feed.judge_at(&model, usual + 30 * MINUTE);
            let deadline = state.current.unwrap().deadline.unwrap().as_second();
            assert!((5..60).contains(&((deadline - usual) / MINUTE)), "{zone}");
        }
    }
}

// healthchecks/healthchecks#815: down at 13:00 since the clock change, though
// the ping came at 11:00.
#[test]
fn a_load_twice_a_day_is_on_time_after_the_clock_change() {
    check_states_in_zone(
        "11:00, 23:00 +00:00 ±4 Europe/London 2025-10-26..2026-03-29\nalso 2026-03-29T11:01",
        "2026-03-28T12:00",
        &[
            "2026-03-29T02:30",
            "2026-03-29T10:30",
            "2026-03-29T13:00",
            "2026-03-29T22:30",
            "2026-03-30T00:30",
        ],
        &expect![[r#"
            2026-03-29T02:30 ok 2026-03-28T22:55
            2026-03-29T10:30 ok 2026-03-28T22:55
            2026-03-29T13:00 ok 2026-03-29T10:55
            2026-03-29T22:30 ok 2026-03-29T10:55
            2026-03-30T00:30 late 2026-03-29T22:55
        "#]],
    );
    check_states_in_zone(
        "every 12 hours +00:10 ±4 America/New_York 2025-04-01..2025-11-02T02:00\nalso 2025-11-02T12:11",
        "2025-11-01T13:00",
        &["2025-11-02T11:00", "2025-11-02T13:00"],
        &expect![[r#"
            2025-11-02T11:00 ok 2025-11-02T00:05
            2025-11-02T13:00 ok 2025-11-02T12:05
        "#]],
    );
}

// healthchecks/healthchecks#888: a sender one minute fast is credited to
// yesterday, and today is called late.
#[test]
fn a_sender_a_little_fast_serves_the_cycle_that_is_about_to_begin() {
    for (schedule, instants) in [
        (
            "hourly -00:01 ±1 UTC 2026-01-01..2026-03-01",
            ["2026-02-28T12:30", "2026-02-28T23:59"],
        ),
        (
            "daily -00:01 ±1 UTC 2025-10-01..2026-03-01",
            ["2026-02-28T12:30", "2026-02-28T23:59"],
        ),
        (
            "daily +00:01 ±2 UTC 2025-10-01..2026-03-01",
            ["2026-02-28T12:30", "2026-02-28T23:58"],
        ),
        (
            "weekly Mon -00:05 ±4 UTC 2025-01-01..2026-03-01",
            ["2026-02-28T12:30", "2026-03-01T23:59"],
        ),
        (
            "monthly day 1 -00:05 ±4 UTC 2024-01-01..2026-03-02",
            ["2026-02-27T12:30", "2026-02-28T23:59"],
        ),
    ] {
        let states = Feed::new(schedule).states("2026-02-27", &instants);
        assert!(
            !states.contains("late") && !states.contains("missed"),
            "{schedule}\n{states}"
        );
    }
    check_states(
        "daily +01:00 ±2 UTC 2025-10-01..2026-02-28\nalso 2026-02-28T00:57",
        "2026-02-27",
        &["2026-02-28T03:00"],
        &expect![[r#"
            2026-02-28T03:00 ok 2026-02-28
        "#]],
    );
    check_states(
        "hourly -00:01 ±1 UTC 2026-01-01..2026-03-01\nskip 2026-02-28T12",
        "2026-02-27",
        &["2026-02-28T11:58", "2026-02-28T12:05", "2026-02-28T13:05"],
        &expect![[r#"
            2026-02-28T11:58 ok 2026-02-28T11:00
            2026-02-28T12:05 late 2026-02-28T12:00
            2026-02-28T13:05 ok 2026-02-28T13:00
        "#]],
    );
}

// guilhemmarchand/trackme#248: a timestamp in the future is fresh for ever.
#[test]
fn an_arrival_from_the_future_makes_nothing_fresh() {
    check_states(
        "daily +06:00 ±5 UTC 2025-10-01..2026-02-27\nalso 2027-02-28T06:00",
        "2026-02-26",
        &["2026-02-27T08:00", "2026-02-28T08:00"],
        &expect![[r#"
            2026-02-27T08:00 late 2026-02-27
            2026-02-28T08:00 missed 2026-02-27
        "#]],
    );
    // Nor does data that claims to cover the future stop what comes after it.
    check_states(
        "daily +06:00 ±5 UTC 2025-10-01..2026-02-20
         also 2026-02-20T06:00 <2036-02-20
         also 2026-02-21T06:00 <2026-02-21
         also 2026-02-22T06:00 <2026-02-22",
        "2026-02-19",
        &["2026-02-20T08:00", "2026-02-21T08:00", "2026-02-22T08:00"],
        &expect![[r#"
            2026-02-20T08:00 ok 2026-02-20
            2026-02-21T08:00 ok 2026-02-21
            2026-02-22T08:00 ok 2026-02-22
        "#]],
    );
}

// dagster-io/dagster discussion 34023 and influxdata/kapacitor#815: an old
// partition turns today green; points two weeks old reset the alert.
#[test]
fn a_backfill_does_not_serve_today() {
    let backfill = "\nalso 2026-02-28T06:00 =2026-02-03\nalso 2026-02-28T06:01 =2026-02-04";
    check_states(
        &format!("daily +06:00 ±5 UTC 2025-10-01..2026-02-28{backfill}"),
        "2026-02-27",
        &["2026-02-28T05:00", "2026-02-28T08:00"],
        &expect![[r#"
            2026-02-28T05:00 pending 2026-02-28
            2026-02-28T08:00 late 2026-02-28
        "#]],
    );
    check_states(
        "hourly +00:06 ±3 UTC 2026-01-01..2026-02-28
         also 2026-02-28T00:06 =2026-02-14T00:00
         also 2026-02-28T00:07 =2026-02-14T01:00",
        "2026-02-27T12:00",
        &["2026-02-28T00:45"],
        &expect![[r#"
            2026-02-28T00:45 late 2026-02-28T00:00
        "#]],
    );
    check_states(
        "weekly Mon +06:00 ±20 UTC 2025-01-01..2026-03-02\nalso 2026-03-02T06:00 =2026-02-02",
        "2026-02-27",
        &["2026-03-02T23:00"],
        &expect![[r#"
            2026-03-02T23:00 late 2026-03-02
        "#]],
    );
    // The sender names no cycle, but says what the data covers.
    check_states(
        "daily +06:00 ±5 UTC 2025-10-01..2026-02-26
         also 2026-02-26T06:00 <2026-02-26
         also 2026-02-27T06:00 <2026-02-27
         also 2026-02-28T06:00 <2026-02-13",
        "2026-02-26",
        &["2026-02-27T08:00", "2026-02-28T08:00"],
        &expect![[r#"
            2026-02-27T08:00 ok 2026-02-27
            2026-02-28T08:00 late 2026-02-28
        "#]],
    );
}

// alvarodiez20/pysuricata#91: yesterday's file is delivered again.
#[test]
fn yesterdays_file_again_is_an_arrival_of_yesterdays_cycle() {
    for again in ["2026-02-28T02:00", "2026-02-27T15:00", "2026-02-27T23:30"] {
        let feed = format!("daily +06:00 ±5 UTC 2025-10-01..2026-02-28\nalso {again}");
        let states =
            Feed::new(&feed).states("2026-02-27", &["2026-02-28T05:30", "2026-02-28T08:00"]);
        assert_eq!(
            states, "2026-02-28T05:30 pending 2026-02-28\n2026-02-28T08:00 late 2026-02-28\n",
            "{again}"
        );
    }
    check_states(
        "daily +06:00 ±5 UTC 2025-10-01..2026-02-27
         also 2026-02-27T06:00 <2026-02-27
         also 2026-02-28T06:00 <2026-02-27",
        "2026-02-26",
        &["2026-02-28T08:00"],
        &expect![[r#"
            2026-02-28T08:00 late 2026-02-28
        "#]],
    );
    check_states(
        "hourly +00:06 ±2 UTC 2026-01-01..2026-02-28\nalso 2026-02-27T23:40",
        "2026-02-27",
        &["2026-02-28T00:30"],
        &expect![[r#"
            2026-02-28T00:30 late 2026-02-28T00:00
        "#]],
    );
}
