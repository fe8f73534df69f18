//! Is what is normal for a feed learned as its owner knows it?

use super::*;

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
