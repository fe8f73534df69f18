//! Is a delivery that comes in pieces there with its last piece, and not before?
//!
//! A loader of few rows every few seconds makes a table new long before it is
//! complete (dbt-labs/dbt-core#8797).

use expect_test::{Expect, expect};
use freshness_core::arrivals::{Arrival, ArrivalDetail, CycleName};
use freshness_core::civil::{DAY, HOUR, Holidays, MINUTE};
use freshness_core::fit::{Fitted, Parameters};
use freshness_core::state::{Walk, replay};

use crate::feed::Feed;

/// Each delivery of the feed in so many commits over about so many seconds, at
/// pauses as chance makes them.
fn in_bursts(text: &str, n: u64, seconds: i64) -> Feed {
    let mut feed = Feed::new(text);
    let mut random: u64 = 7;
    let mut share = || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) as f64 / (1_u64 << 31) as f64
    };
    let commits = |start: i64| -> Vec<Arrival> {
        let length = seconds as f64 * (0.8 + 0.4 * share());
        let within = (0..n).map(|i| match i {
            0 => 0.0,
            1 => length,
            _ => length * share(),
        });
        let within: Vec<f64> = within.collect();
        let commit = |after: f64| Arrival {
            at: start + after as i64,
            detail: ArrivalDetail {
                rows: Some(10),
                ..ArrivalDetail::default()
            },
        };
        within.into_iter().map(commit).collect()
    };
    let starts: Vec<i64> = feed.arrivals.iter().map(|arrival| arrival.at).collect();
    feed.arrivals = starts.into_iter().flat_map(commits).collect();
    feed
}

const DAILY: &str = "daily +05:00 ±4 Etc/UTC 2025-10-01..2026-03-01";

#[track_caller]
fn check_burst(feed: &Feed, expected: &Expect) {
    let model = feed.fit("2026-02-27T04:00");
    expected.assert_eq(&match model.burst {
        None => "none".to_owned(),
        Some(burst) => format!(
            "{} over {} min, over after {} min",
            burst.arrivals,
            i64::from(burst.seconds) / MINUTE,
            i64::from(burst.quiet_seconds) / MINUTE
        ),
    });
}

#[track_caller]
fn check_states(feed: &Feed, as_of: &str, instants: &[&str], expected: &Expect) {
    expected.assert_eq(&feed.states(as_of, instants));
}

#[test]
fn many_commits_close_together_are_learned_as_one_delivery() {
    check_burst(
        &in_bursts(DAILY, 200, 1_200),
        &expect!["186 over 19 min, over after 3 min"],
    );
    let hourly = "hourly +00:05 ±1 Etc/UTC 2026-01-01..2026-03-01";
    check_burst(
        &in_bursts(hourly, 30, 180),
        &expect!["28 over 3 min, over after 2 min"],
    );
    let weekly = "Mon +05:00 ±4 Etc/UTC 2025-01-01..2026-03-01";
    check_burst(
        &in_bursts(weekly, 40, 900),
        &expect!["39 over 15 min, over after 7 min"],
    );
}

#[test]
fn what_follows_a_schedule_is_no_burst_however_often_it_comes() {
    for text in [
        DAILY,
        "every 5 min 06–23 +00:01 ±1 Etc/UTC 2026-01-01..2026-03-01",
        "hourly Mon–Fri 09–17 +00:05 ±2 Etc/UTC 2025-12-01..2026-03-01",
    ] {
        check_burst(&Feed::new(text), &expect!["none"]);
    }
    // Five files, half an hour apart.
    let mut files = Feed::new(DAILY);
    let starts: Vec<Arrival> = files.arrivals.clone();
    let later = |by: i64| {
        let moved = move |arrival: &Arrival| Arrival {
            at: arrival.at + by * 30 * MINUTE,
            ..arrival.clone()
        };
        starts.iter().map(moved).collect::<Vec<_>>()
    };
    files.arrivals = (0..5).flat_map(later).collect();
    check_burst(&files, &expect!["none"]);
    // A retry now and then.
    check_burst(&in_bursts(DAILY, 3, 600), &expect!["none"]);
    // Over before anybody looks.
    check_burst(&in_bursts(DAILY, 20, 30), &expect!["none"]);
    // A stream has no pauses between.
    let stream = in_bursts("hourly +00:00 ±0 Etc/UTC 2026-02-01..2026-03-01", 60, 3_600);
    check_burst(&stream, &expect!["none"]);
}

#[test]
fn a_sender_that_names_its_cycles_is_believed() {
    let mut feed = in_bursts(DAILY, 200, 1_200);
    for arrival in &mut feed.arrivals {
        let day = arrival.at.div_euclid(DAY) * DAY;
        arrival.detail.cycle = Some(CycleName::Civil(day));
    }
    check_burst(&feed, &expect!["none"]);
}

#[test]
fn a_delivery_is_not_there_in_the_middle_of_its_burst() {
    let daily = in_bursts(DAILY, 200, 1_200);
    let instants = [
        "2026-02-27T04:30",
        "2026-02-27T05:05",
        "2026-02-27T05:10",
        "2026-02-27T05:15",
        "2026-02-27T05:40",
    ];
    check_states(
        &daily,
        "2026-02-27T04:00",
        &instants,
        &expect![[r#"
        2026-02-27T04:30 pending 2026-02-27
        2026-02-27T05:05 pending 2026-02-27
        2026-02-27T05:10 pending 2026-02-27
        2026-02-27T05:15 pending 2026-02-27
        2026-02-27T05:40 ok 2026-02-27
    "#]],
    );
    // A model that was learned in the middle of one knows no better.
    check_states(
        &daily,
        "2026-02-27T05:10",
        &instants,
        &expect![[r#"
        2026-02-27T04:30 pending 2026-02-27
        2026-02-27T05:05 pending 2026-02-27
        2026-02-27T05:10 pending 2026-02-27
        2026-02-27T05:15 pending 2026-02-27
        2026-02-27T05:40 ok 2026-02-27
    "#]],
    );
    let hourly = "hourly +00:05 ±1 Etc/UTC 2026-01-01..2026-03-01";
    check_states(
        &in_bursts(hourly, 30, 180),
        "2026-02-27T05:00",
        &["2026-02-27T05:07", "2026-02-27T05:13"],
        &expect![[r#"
            2026-02-27T05:07 pending 2026-02-27T05:00
            2026-02-27T05:13 ok 2026-02-27T05:00
        "#]],
    );
}

#[test]
fn a_burst_that_goes_on_past_its_deadline_is_late_and_says_that_it_goes_on() {
    let mut feed = in_bursts(DAILY, 200, 1_200);
    let begins = feed.at("2026-02-27T04:00");
    let ends = feed.at("2026-02-27T12:00");
    for arrival in &mut feed.arrivals {
        if (begins..ends).contains(&arrival.at) {
            let five = begins + HOUR;
            arrival.at = five + (arrival.at - five) * 4;
        }
    }
    let model = feed.fit("2026-02-27T04:00");
    let state = feed.judge_at(&model, feed.at("2026-02-27T06:05"));
    expect!["Late: 186 arrivals since 04:59 UTC, complete when nothing came for 3 min; cycle 2026-02-27 is 25 min past its deadline; Fridays (21 deliveries): usually 5 h 18 min to 5 h 25 min after the cycle starts, late after 5 h 39 min"].assert_eq(&format!("{:?}: {}", state.state, state.reason));
}

#[test]
fn all_rows_of_a_burst_are_those_of_its_delivery_and_its_end_is_when_it_came() {
    let feed = in_bursts(DAILY, 50, 1_200);
    let model = feed.fit("2026-02-27T04:00");
    let history = feed.history();
    let now = feed.at("2026-02-27T12:00");
    let deliveries = model.deliveries(&history, now);
    assert_eq!(deliveries.len(), 150);
    let rows = (0..150).map(|i| deliveries.detail(i).unwrap().rows.unwrap());
    let n = history.at().partition_point(|&at| at <= now);
    assert_eq!(rows.sum::<u64>(), 10 * n as u64);
    assert_eq!(deliveries.at().last(), history.at()[..n].last());
    // What is not over yet is none.
    let in_the_middle = model.deliveries(&history, feed.at("2026-02-27T05:10"));
    assert_eq!(in_the_middle.len(), 149);
}

#[test]
fn a_deadline_allows_for_the_time_in_which_the_end_is_seen() {
    let feed = in_bursts(DAILY, 200, 1_200);
    let as_of = feed.at("2026-02-27T04:00");
    let model = feed.fit_at(as_of);
    let mut plain = Feed::new(DAILY);
    plain.arrivals = {
        let deliveries = model.deliveries(&feed.history(), as_of).into_owned();
        let at = deliveries.at().iter();
        at.map(|&at| Arrival {
            at,
            detail: ArrivalDetail::default(),
        })
        .collect()
    };
    let (Fitted::Learned(burst), Fitted::Learned(plain)) =
        (&model.fitted, &plain.fit_at(as_of).fitted)
    else {
        panic!("{model:?}");
    };
    let quiet = f64::from(model.burst.unwrap().quiet_seconds) / MINUTE as f64;
    for (burst, plain) in burst.cells.iter().zip(&plain.cells) {
        assert_eq!(
            (burst.p10, burst.p50, burst.p90),
            (plain.p10, plain.p50, plain.p90)
        );
        assert!((burst.threshold - plain.threshold - quiet).abs() < 1e-9);
    }
}

#[test]
fn a_replay_alerts_what_a_check_would_and_no_healthy_burst() {
    let mut feed = in_bursts(DAILY, 200, 1_200);
    let missing = (feed.at("2026-02-10T00:00"), feed.at("2026-02-11T00:00"));
    feed.arrivals
        .retain(|arrival| !(missing.0..missing.1).contains(&arrival.at));
    let walk = Walk {
        from: feed.at("2026-01-15T00:00"),
        to: feed.at("2026-02-27T00:00"),
        refit: DAY,
        known_until: feed.at("2026-02-27T12:00"),
    };
    let rows = replay(
        &feed.dataset,
        &feed.history(),
        &Holidays::builtin(),
        &walk,
        &Parameters::default(),
        &[],
    );
    assert_eq!(rows.len(), 43);
    let alerted = rows.iter().filter(|row| row.alerted);
    let alerted: Vec<&str> = alerted.map(|row| row.verdict.cycle.as_str()).collect();
    assert_eq!(alerted, ["2026-02-10"]);
}
