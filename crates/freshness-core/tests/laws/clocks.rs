//! Are schedules understood in local time, on every calendar?

use expect_test::{Expect, expect};

use crate::feed::Feed;

#[track_caller]
fn check_learned(feed: &str, expected: &Expect) {
    expected.assert_eq(&Feed::new(feed).learned(60));
}

#[track_caller]
fn check_learned_in_zone(feed: &str, expected: &Expect) {
    expected.assert_eq(&Feed::new(feed).in_zone().learned(60));
}

#[test]
fn a_daily_feed_in_the_hour_that_is_skipped_and_repeated_keeps_its_time() {
    check_learned(
        "daily +02:30 ±5 Europe/Berlin 2025-01-01..2026-04-20",
        &expect![[r#"
            daily in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "daily +02:30 ±5 Europe/Berlin 2025-01-01..2025-12-01",
        &expect![[r#"
            daily in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "daily +02:30 ±5 America/New_York 2025-01-01..2026-04-20",
        &expect![[r#"
            daily in America/New_York
            noticed when missing"#]],
    );
    check_learned(
        "daily +01:30 ±5 America/New_York 2025-01-01..2025-12-01",
        &expect![[r#"
            daily in America/New_York
            noticed when missing"#]],
    );
}

#[test]
fn a_daily_feed_is_on_time_by_the_wall_clock_on_a_day_of_23_or_25_hours() {
    check_learned(
        "daily +06:10 ±5 Europe/Berlin 2025-01-01..2026-04-20",
        &expect![[r#"
            daily in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "daily +06:10 ±5 Europe/Berlin 2025-01-01..2025-12-01",
        &expect![[r#"
            daily in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "daily +22:00 ±5 America/New_York 2025-01-01..2025-12-01",
        &expect![[r#"
            daily in America/New_York
            noticed when missing"#]],
    );
    check_learned(
        "daily +06:10 ±5 Australia/Sydney 2025-01-01..2025-12-01",
        &expect![[r#"
            daily in Australia/Sydney
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "daily +06:10 ±5 America/Santiago 2025-01-01..2025-10-01",
        &expect![[r#"
            daily in America/Santiago
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "daily +23:50 ±20 Europe/London 2025-01-01..2025-12-01",
        &expect![[r#"
            daily in Europe/London
            noticed when missing"#]],
    );
    check_learned(
        "daily +06:10 ±5 Asia/Tokyo 2025-01-01..2025-12-01",
        &expect![[r#"
            daily in UTC
            noticed when missing"#]],
    );
}

#[test]
fn business_days_are_told_from_weekdays_by_the_holidays() {
    check_learned(
        "business days US +17:30 ±10 America/New_York 2025-01-01..2026-04-20",
        &expect![[r#"
            business days US in America/New_York
            noticed when missing"#]],
    );
    check_learned(
        "business days GB +07:00 ±10 Europe/London 2025-01-01..2026-04-20",
        &expect![[r#"
            business days GB in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "business days DE +1 +07:00 ±10 Europe/Berlin 2024-01-01..2026-04-20",
        &expect![[r#"
            business days DE +1 in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "Mon–Fri +07:00 ±10 Europe/Berlin 2024-01-01..2026-04-20",
        &expect![[r#"
            Mon–Fri in Europe/Berlin
            noticed when missing"#]],
    );
}

#[test]
fn a_month_end_is_found_whatever_the_length_of_the_month() {
    check_learned(
        "monthly business day 3 US +09:00 ±20 America/New_York 2023-01-01..2026-04-20",
        &expect![[r#"
            monthly business day 3 US in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "monthly last business day US +16:00 ±20 America/New_York 2023-01-01..2026-04-20",
        &expect![[r#"
            monthly last business day US in America/New_York
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "monthly last business day US +20:00 ±20 America/New_York 2023-01-01..2026-04-20",
        &expect![[r#"
            monthly last business day US in America/New_York
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "monthly last business day GB +18:00 ±20 Europe/London 2023-01-01..2026-04-20",
        &expect![[r#"
            monthly last business day US in Europe/London
            noticed when missing"#]],
    );
    check_learned(
        "monthly day 31 +08:00 ±20 Europe/Berlin 2023-01-01..2026-04-20",
        &expect![[r#"
            monthly last day in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "monthly day 1 +00:30 ±10 Europe/Berlin 2023-01-01..2026-04-20",
        &expect![[r#"
            monthly day 1 in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "monthly day 15 +08:00 ±20 UTC 2023-01-01..2026-04-20",
        &expect![[r#"
            monthly day 15 in UTC
            noticed when missing"#]],
    );
}

#[test]
fn a_day_of_23_or_25_hours_has_all_its_cycles() {
    check_learned(
        "hourly +00:12 ±2 Europe/Berlin 2025-08-01..2025-12-01",
        &expect![[r#"
            hourly in UTC
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "hourly +00:12 ±2 Europe/Berlin 2025-08-01..2025-12-01",
        &expect![[r#"
            hourly in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "hourly +00:12 ±2 Asia/Kolkata 2025-08-01..2025-12-01",
        &expect![[r#"
            hourly in Asia/Kolkata
            noticed when missing"#]],
    );
    check_learned(
        "hourly +00:12 ±2 America/New_York 2026-01-15..2026-04-20",
        &expect![[r#"
            hourly in UTC
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "every 5 minutes 06–23 +00:01 ±0.5 Europe/Berlin 2026-01-20..2026-04-20",
        &expect![[r#"
            every 5 minutes 06–23 in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "hourly Mon–Fri 09–17 +00:05 ±2 Europe/Berlin 2025-08-01..2025-12-01",
        &expect![[r#"
            hourly Mon–Fri 09–17 in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "hourly Mon–Fri 09–17 +00:05 ±2 Europe/Berlin 2025-01-01..2025-12-01",
        &expect![[r#"
            hourly Mon–Fri 09–17 in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "hourly Mon–Fri 09–17 +00:05 ±2 America/New_York 2025-07-01..2026-04-20",
        &expect![[r#"
            hourly Mon–Fri 09–17 in America/New_York
            noticed when missing"#]],
    );
}

#[test]
fn loads_a_few_times_a_day_follow_the_wall_clock() {
    check_learned(
        "every 6 hours +00:20 ±5 Europe/Berlin 2025-01-01..2025-12-10",
        &expect![[r#"
            every 6 hours in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "every 6 hours +00:20 ±5 Europe/Berlin 2025-08-01..2025-12-10",
        &expect![[r#"
            every 6 hours in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "06:00, 18:00 +00:10 ±5 Europe/Berlin 2025-01-01..2025-12-10",
        &expect![[r#"
            06:05, 18:05 in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "06:00, 18:00 +00:10 ±5 Europe/Berlin 2025-08-01..2025-12-10",
        &expect![[r#"
            06:05, 18:05 in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "11:00, 23:00 Mon–Fri +00:02 ±2 America/New_York 2025-07-01..2026-04-20",
        &expect![[r#"
            11:00, 23:00 Mon–Fri in America/New_York
            noticed when missing"#]],
    );
}

#[test]
fn a_weekly_feed_keeps_its_day_and_its_time() {
    check_learned(
        "weekly Mon +06:00 ±15 Europe/Berlin 2024-06-01..2026-04-20",
        &expect![[r#"
            weekly Mon in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "weekly Sun +23:30 ±15 America/New_York 2024-06-01..2026-04-20",
        &expect![[r#"
            weekly Sun in America/New_York
            noticed when missing"#]],
    );
    check_learned_in_zone(
        "weekly Sun +23:30 ±15 America/New_York 2024-06-01..2026-04-20",
        &expect![[r#"
            weekly Sun in America/New_York
            noticed when missing"#]],
    );
    check_learned(
        "weekly Wed +12:00 ±15 UTC 2024-06-01..2026-04-20",
        &expect![[r#"
            weekly Wed in UTC
            noticed when missing"#]],
    );
}

#[test]
fn a_weekly_feed_that_waits_a_day_after_a_holiday_is_told_from_one_that_does_not() {
    check_learned(
        "weekly business day 3 US +21:20 ±15 America/New_York 2024-06-01..2026-04-20",
        &expect![[r#"
            weekly business day 3 US in America/New_York
            noticed when missing"#]],
    );
    check_learned(
        "weekly business day 3 US +1 +02:20 ±15 UTC 2024-06-01..2026-04-20",
        &expect![[r#"
            weekly business day 3 US +1 in UTC
            noticed when missing"#]],
    );
    check_learned(
        "weekly business day 1 DE +07:00 ±15 Europe/Berlin 2023-06-01..2026-04-20",
        &expect![[r#"
            weekly business day 1 DE in Europe/Berlin
            noticed when missing"#]],
    );
    check_learned(
        "weekly Thu +02:20 ±15 UTC 2024-06-01..2026-04-20",
        &expect![[r#"
            weekly Thu in UTC
            noticed when missing"#]],
    );
}

#[test]
fn a_move_near_a_clock_change_is_one_move_and_no_zone() {
    for day in ["2026-03-08", "2026-03-27", "2026-03-29", "2026-04-03"] {
        let feed = format!(
            "daily +06:00 ±5 UTC 2026-01-01..{day}
             daily +08:00 ±5 UTC {day}..2026-06-10"
        );
        let learned = Feed::new(&feed).learned(30);
        let moves: Vec<&str> = learned
            .lines()
            .filter(|line| line.starts_with("moved"))
            .collect();
        assert!(learned.starts_with("daily in UTC"), "{day}: {learned}");
        assert_eq!(moves.len(), 1, "{day}: {learned}");
        let minutes: f64 = moves[0].split(' ').nth(3).unwrap().parse().unwrap();
        assert!((minutes - 120.0).abs() < 3.0, "{day}: {learned}");
    }
}

#[test]
fn a_fresh_move_has_its_date_and_size() {
    let learned = |until: &str| {
        Feed::new(&format!(
            "daily +06:00 ±5 UTC 2026-01-01..2026-06-11
             daily +09:00 ±5 UTC 2026-06-11..{until}"
        ))
        .learned(1)
    };
    let fresh = learned("2026-06-15");
    assert!(fresh.contains("provisional"), "{fresh}");
    assert!(!fresh.contains("late"), "{fresh}");
    let settled = learned("2026-06-16");
    assert!(!settled.contains("provisional"), "{settled}");
    assert!(!settled.contains("late"), "{settled}");
}

#[test]
fn a_feed_whose_zone_is_not_known_yet_is_not_late_by_an_hour_of_the_clock() {
    // Fitted before its first clock change, judged after it.
    let feed = Feed::new("daily +06:10 ±5 Europe/Berlin 2026-06-01..2026-11-20");
    let states = feed.states(
        "2026-10-20T12:00Z",
        &[
            "2026-10-26T05:35Z",
            "2026-10-26T06:40Z",
            "2026-11-10T05:35Z",
        ],
    );
    assert!(!states.contains("late"), "{states}");
}
