//! Do the ways in which freshness monitors fail in the field fail here too?
//!
//! Each test restates faults that users of other tools reported, with the
//! threads it came from, and varies grain and zone.

use expect_test::{Expect, expect};
use freshness_core::civil::MINUTE;
use freshness_core::fit::Fitted;

use crate::feed::Feed;

/// What is said of a feed at each instant, with a model learned up to `as_of`.
#[track_caller]
fn check_states(feed: &str, as_of: &str, instants: &[&str], expected: &Expect) {
    expected.assert_eq(&Feed::new(feed).states(as_of, instants));
}

#[track_caller]
fn check_states_in_zone(feed: &str, as_of: &str, instants: &[&str], expected: &Expect) {
    expected.assert_eq(&Feed::new(feed).in_zone().states(as_of, instants));
}

// dbt-labs/dbt-core#4450: a fixed age fires every Monday, or is blind.
#[test]
fn weekends_are_quiet_and_a_monday_miss_is_caught_the_same_evening() {
    check_states(
        "Mon–Fri +16:00 ±10 America/New_York 2025-06-01..2026-03-07",
        "2026-03-07",
        &[
            "2026-03-07T12:00",
            "2026-03-08T20:00",
            "2026-03-09T15:00",
            "2026-03-09T17:00",
        ],
        &expect![[r#"
            2026-03-07T12:00 ok 2026-03-06
            2026-03-08T20:00 ok 2026-03-06
            2026-03-09T15:00 pending 2026-03-09
            2026-03-09T17:00 late 2026-03-09
        "#]],
    );
    check_states_in_zone(
        "Sun–Thu +07:00 ±10 Asia/Dubai 2025-06-01..2026-03-06",
        "2026-03-06",
        &[
            "2026-03-06T12:00",
            "2026-03-07T20:00",
            "2026-03-08T06:00",
            "2026-03-08T08:00",
        ],
        &expect![[r#"
            2026-03-06T12:00 ok 2026-03-05
            2026-03-07T20:00 ok 2026-03-05
            2026-03-08T06:00 pending 2026-03-08
            2026-03-08T08:00 late 2026-03-08
        "#]],
    );
}

// elementary-data/elementary#962: without the hour of day the band never fires.
#[test]
fn what_is_normal_at_one_hour_is_late_at_another() {
    check_states(
        "hourly +00:05 ±2 UTC 2026-01-01..2026-03-01\nlate hour 2,3,4 +0:20\nskip 2026-02-28T03\nskip 2026-02-28T15",
        "2026-02-28T01:30",
        &["2026-02-28T03:20", "2026-02-28T03:45", "2026-02-28T15:20"],
        &expect![[r#"
            2026-02-28T03:20 pending 2026-02-28T03:00
            2026-02-28T03:45 late 2026-02-28T03:00
            2026-02-28T15:20 late 2026-02-28T15:00
        "#]],
    );
    check_states_in_zone(
        "08:00, 20:00 +00:10 ±5 Asia/Tokyo 2025-10-01..2026-02-28T12:00\nlate hour 20 +3:00",
        "2026-02-28",
        &["2026-02-28T09:00", "2026-02-28T23:00", "2026-02-28T23:59"],
        &expect![[r#"
            2026-02-28T09:00 ok 2026-02-28T08:05
            2026-02-28T23:00 ok 2026-02-28T08:05
            2026-02-28T23:59 late 2026-02-28T23:05
        "#]],
    );
}

// elementary-data/elementary#2052: bursts on the 1st, the 15th and at month end
// are flagged every month.
#[test]
fn slow_days_of_the_month_are_normal() {
    let slow = "late day 1,15 +1:30\nlate last day +1:30";
    check_states(
        &format!("daily +06:00 ±5 UTC 2025-01-01..2026-03-16\n{slow}"),
        "2026-02-20",
        &[
            "2026-02-28T07:20",
            "2026-03-01T07:20",
            "2026-03-15T07:20",
            "2026-03-16T07:00",
        ],
        &expect![[r#"
            2026-02-28T07:20 pending 2026-02-28
            2026-03-01T07:20 pending 2026-03-01
            2026-03-15T07:20 pending 2026-03-15
            2026-03-16T07:00 late 2026-03-16
        "#]],
    );
    // They too can be late, and other days are not excused.
    for late in ["2026-02-28", "2026-03-01", "2026-03-15"] {
        let feed = format!("daily +06:00 ±5 UTC 2025-01-01..{late}\n{slow}");
        let states = Feed::new(&feed).states("2026-02-20", &[&format!("{late}T08:30")]);
        assert_eq!(states, format!("{late}T08:30 late {late}\n"));
    }
    for late in ["2026-02-26", "2026-03-02", "2026-03-14"] {
        let feed = format!("daily +06:00 ±5 UTC 2025-01-01..{late}\n{slow}");
        let states = Feed::new(&feed).states("2026-02-20", &[&format!("{late}T07:20")]);
        assert_eq!(states, format!("{late}T07:20 late {late}\n"));
    }
    check_states_in_zone(
        "hourly +00:05 ±2 Europe/Berlin 2025-06-01..2026-03-01\nlate last day +0:20",
        "2026-02-20",
        &["2026-02-27T14:20", "2026-02-28T14:20", "2026-02-28T14:35"],
        &expect![[r#"
            2026-02-27T14:20 ok 2026-02-27T14:00
            2026-02-28T14:20 pending 2026-02-28T14:00
            2026-02-28T14:35 ok 2026-02-28T14:00
        "#]],
    );
}

// guilhemmarchand/trackme#104 and healthchecks/healthchecks#330: red every
// Monday morning; down every night.
#[test]
fn hours_without_deliveries_are_part_of_the_calendar() {
    check_states_in_zone(
        "hourly Mon–Fri 09–17 +00:10 ±3 Europe/Berlin 2025-11-01..2026-03-07\nskip 2026-03-05T11",
        "2026-03-04",
        &[
            "2026-03-04T23:00",
            "2026-03-05T08:30",
            "2026-03-05T11:05",
            "2026-03-05T11:30",
            "2026-03-08T12:00",
            "2026-03-09T08:59",
            "2026-03-09T09:10",
            "2026-03-09T09:30",
        ],
        &expect![[r#"
            2026-03-04T23:00 ok 2026-03-04T17:00
            2026-03-05T08:30 ok 2026-03-04T17:00
            2026-03-05T11:05 pending 2026-03-05T11:00
            2026-03-05T11:30 late 2026-03-05T11:00
            2026-03-08T12:00 ok 2026-03-06T17:00
            2026-03-09T08:59 ok 2026-03-06T17:00
            2026-03-09T09:10 pending 2026-03-09T09:00
            2026-03-09T09:30 late 2026-03-09T09:00
        "#]],
    );
    check_states(
        "every 5 minutes 06–23 +00:01 ±0.5 UTC 2026-02-01..2026-03-02",
        "2026-03-01",
        &[
            "2026-03-01T23:58",
            "2026-03-02T03:00",
            "2026-03-02T06:00",
            "2026-03-02T06:04",
            "2026-03-02T06:15",
        ],
        &expect![[r#"
            2026-03-01T23:58 ok 2026-03-01T23:55
            2026-03-02T03:00 ok 2026-03-01T23:55
            2026-03-02T06:00 pending 2026-03-02T06:00
            2026-03-02T06:04 late 2026-03-02T06:00
            2026-03-02T06:15 missed 2026-03-02T06:00
        "#]],
    );
}

// bitzesty/trade-tariff-backend#130: after a bank holiday a day must be added.
#[test]
fn a_holiday_and_the_morning_after_it_are_not_stale() {
    check_states_in_zone(
        "business days GB-ENG +08:00 ±10 Europe/London 2025-01-01..2026-04-03",
        "2026-04-02",
        &[
            "2026-04-03T12:00",
            "2026-04-06T12:00",
            "2026-04-07T07:00",
            "2026-04-07T09:00",
        ],
        &expect![[r#"
            2026-04-03T12:00 ok 2026-04-02
            2026-04-06T12:00 ok 2026-04-02
            2026-04-07T07:00 pending 2026-04-07
            2026-04-07T09:00 late 2026-04-07
        "#]],
    );
    check_states_in_zone(
        "business days US +1 +05:00 ±10 America/New_York 2025-01-01..2026-05-24",
        "2026-05-23",
        &[
            "2026-05-25T12:00",
            "2026-05-26T12:00",
            "2026-05-27T04:00",
            "2026-05-27T06:00",
        ],
        &expect![[r#"
            2026-05-25T12:00 ok 2026-05-23
            2026-05-26T12:00 ok 2026-05-23
            2026-05-27T04:00 pending 2026-05-27
            2026-05-27T06:00 late 2026-05-27
        "#]],
    );
}

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

// open-metadata/OpenMetadata#27173: the smallest limit is an hour.
#[test]
fn a_feed_of_a_few_minutes_is_late_within_minutes() {
    for (minutes, jitter, allowed) in [(5, 1, 5), (10, 2, 10), (15, 3, 10), (30, 5, 15)] {
        let feed = Feed::new(&format!(
            "every {minutes} minutes +00:02 ±{jitter} UTC 2026-02-01..2026-02-20"
        ));
        let model = feed.fit("2026-02-20");
        let Fitted::Learned(learned) = &model.fitted else {
            panic!("{:?}", model.fitted);
        };
        for cell in &learned.cells {
            assert!(
                cell.threshold - cell.p50 <= f64::from(allowed),
                "{minutes} {cell:?}"
            );
        }
        let silent = feed.judge_at(&model, feed.at("2026-02-20T00:45"));
        assert!(silent.late_seconds.is_some(), "{minutes}");
    }
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

// elementary-data/elementary#980: an incident on 30 June is trained on, and the
// same on 5 July is not flagged.
#[test]
fn an_incident_is_not_trained_away() {
    for (schedule, date, again) in [
        (
            "daily +06:00 ±5 UTC 2026-01-01..2026-07-05",
            "2026-06-30",
            "2026-07-05T10:00",
        ),
        (
            "daily +06:00 ±20 Europe/Berlin 2026-05-20..2026-07-05",
            "2026-06-30",
            "2026-07-05T10:00",
        ),
        (
            "Mon–Fri +06:00 ±5 UTC 2026-01-01..2026-07-06",
            "2026-06-30",
            "2026-07-06T10:00",
        ),
        (
            "weekly Mon +06:00 ±30 UTC 2025-01-01..2026-07-06",
            "2026-06-29",
            "2026-07-07T06:00",
        ),
        (
            "hourly +00:05 ±2 UTC 2026-05-01..2026-07-05",
            "2026-06-30T03",
            "2026-07-05T00:45",
        ),
    ] {
        let late = if schedule.starts_with('w') {
            "+30:00"
        } else if schedule.starts_with('h') {
            "+0:50"
        } else {
            "+5:00"
        };
        let feed = Feed::new(&format!("{schedule}\nlate {date} {late}")).in_zone();
        let model = feed.fit("2026-07-04");
        let state = feed.judge_at(&model, feed.at(again));
        assert_eq!(
            crate::feed::name(state.state),
            "late",
            "{schedule}: {}",
            state.reason
        );
    }
}

// elementary-data/elementary#911: the check runs before today's load.
#[test]
fn what_is_not_due_yet_is_pending() {
    check_states(
        "daily +06:00 ±5 UTC 2025-10-01..2026-02-28",
        "2026-02-27T12:00",
        &["2026-02-27T23:59", "2026-02-28T00:00", "2026-02-28T06:01"],
        &expect![[r#"
            2026-02-27T23:59 ok 2026-02-27
            2026-02-28T00:00 pending 2026-02-28
            2026-02-28T06:01 pending 2026-02-28
        "#]],
    );
    check_states_in_zone(
        "weekly Mon +06:00 ±20 Europe/Berlin 2025-01-01..2026-03-01",
        "2026-02-27",
        &["2026-03-01T12:00", "2026-03-02T05:00"],
        &expect![[r#"
            2026-03-01T12:00 ok 2026-02-23
            2026-03-02T05:00 pending 2026-03-02
        "#]],
    );
    check_states(
        "monthly day 3 +06:00 ±20 UTC 2024-01-01..2026-03-01",
        "2026-02-27",
        &["2026-03-01T12:00", "2026-03-03T05:00", "2026-03-04T12:00"],
        &expect![[r#"
            2026-03-01T12:00 ok 2026-02-03
            2026-03-03T05:00 pending 2026-03-03
            2026-03-04T12:00 late 2026-03-03
        "#]],
    );
}
