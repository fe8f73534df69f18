//! Is what maintenance keeps from being kept put off, never kept, and broken after it?

use super::*;
use freshness_core::schedule::{When, Window};
use std::sync::Arc;

/// One window of maintenance, from 20:00 on Saturday, 2026-03-14, to 04:00.
fn saturday_night() -> Maintenance {
    windows(&[("2026-03-14T20:00", "2026-03-15T04:00")])
}

fn windows(of: &[(&str, &str)]) -> Maintenance {
    let window = |(from, to): &(&str, &str)| {
        let (from, to) = (at(from), at(to));
        let reason = "no loads".to_owned();
        Arc::new(Window {
            when: When::Once { from, to },
            reason,
        })
    };
    Maintenance::new(of.iter().map(window).collect())
}

/// How the only promise stands at each instant: `kept`, `breached`, `not_due`, or to
/// when it is put off.
#[track_caller]
fn check(levels: &ServiceLevels, runs: &[Run], over: &Maintenance, at_each: &[(&str, &str)]) {
    let told = RunHistory::new("prod", runs.to_vec());
    let holidays = Holidays::builtin();
    let time = TimeOff {
        holidays: &holidays,
        maintenance: over,
    };
    for (now, expected) in at_each {
        let verdicts = judge(levels, &told, time, at(now));
        assert_eq!(verdicts.len(), 1);
        let said = match verdicts[0].outcome.because() {
            Some(Reason::PutOff { due_at, why, .. }) => {
                assert_eq!(why, "no loads");
                format!("{due_at:.0}")
            }
            _ => verdicts[0].outcome.word().to_owned(),
        };
        assert_eq!(said, *expected, "{now}");
        let since = broken_since(levels, &told, time, verdicts[0].objective, at(now));
        assert_eq!(since.is_some(), is_breach(&verdicts[0]), "{now}");
    }
}

#[test]
fn an_age_has_after_a_window_what_it_took() {
    // A day old at 06:00 on Sunday; the window took eight hours, of which two are made
    // up for by then.
    let ran = [run("2026-03-14T06:00", 1)];
    let put_off = "2026-03-15T12:00:00Z";
    check(
        &fresh(24.0),
        &ran,
        &saturday_night(),
        &[
            ("2026-03-15T03:00", "kept"),
            ("2026-03-15T06:00", "kept"),
            ("2026-03-15T06:01", put_off),
            ("2026-03-15T11:59", put_off),
            ("2026-03-15T12:00", "breached"),
        ],
    );
    // Within the window, and without it.
    let early = [run("2026-03-13T22:00", 1)];
    let put_off = "2026-03-15T06:00:00Z";
    check(
        &fresh(24.0),
        &early,
        &saturday_night(),
        &[
            ("2026-03-14T22:01", put_off),
            ("2026-03-15T05:59", put_off),
            ("2026-03-15T06:00", "breached"),
        ],
    );
    let none = Maintenance::NONE;
    check(
        &fresh(24.0),
        &early,
        &none,
        &[("2026-03-14T22:01", "breached")],
    );
}

#[test]
fn what_was_broken_before_a_window_stays_so() {
    let old = [run("2026-03-12T06:00", 1)];
    check(
        &fresh(24.0),
        &old,
        &saturday_night(),
        &[
            ("2026-03-14T19:00", "breached"),
            ("2026-03-14T23:00", "breached"),
        ],
    );
    let few = [run("2026-03-14T06:00", 40), run("2026-03-14T23:00", 40)];
    check(
        &least_rows(100),
        &few,
        &saturday_night(),
        &[
            ("2026-03-14T19:00", "breached"),
            ("2026-03-14T23:30", "breached"),
        ],
    );
}

#[test]
fn a_night_window_that_is_made_up_for_by_morning_puts_off_nothing() {
    let nightly: Vec<(String, String)> = (10..16)
        .map(|day| {
            (
                format!("2026-03-{day}T00:00"),
                format!("2026-03-{day}T03:00"),
            )
        })
        .collect();
    let nightly: Vec<(&str, &str)> = nightly.iter().map(|(a, b)| (&**a, &**b)).collect();
    let ran = [run("2026-03-14T06:00", 1)];
    check(
        &fresh(26.0),
        &ran,
        &windows(&nightly),
        &[
            ("2026-03-15T08:00", "kept"),
            ("2026-03-15T08:01", "breached"),
        ],
    );
}

#[test]
fn a_deadline_is_put_off_and_served_by_what_comes_until_then() {
    let mut levels = by_half_past_seven();
    let freshness = levels.freshness.as_mut().unwrap();
    (freshness.calendar, freshness.timezone) = (None, Some(Zone::universal()));
    let over = windows(&[("2026-03-14T06:00", "2026-03-14T10:00")]);
    let before = run("2026-03-13T06:00", 1);
    // Of the time before 07:30 the window took an hour and a half.
    let put_off = "2026-03-14T11:30:00Z";
    check(
        &levels,
        std::slice::from_ref(&before),
        &over,
        &[
            ("2026-03-14T07:00", "not_due"),
            ("2026-03-14T07:30", put_off),
            ("2026-03-14T10:30", put_off),
            ("2026-03-14T11:30", "breached"),
        ],
    );
    let came = [before.clone(), run("2026-03-14T11:00", 1)];
    check(
        &levels,
        &came,
        &over,
        &[("2026-03-14T11:10", "kept"), ("2026-03-14T12:00", "kept")],
    );
    // A window of days: each deadline in it is awaited after it.
    let over = windows(&[("2026-03-13T20:00", "2026-03-15T20:00")]);
    check(
        &levels,
        std::slice::from_ref(&before),
        &over,
        &[
            ("2026-03-14T12:00", "2026-03-16T07:30:00Z"),
            ("2026-03-15T12:00", "2026-03-16T08:00:00Z"),
            ("2026-03-16T08:00", "breached"),
        ],
    );
}

#[test]
fn what_a_run_in_a_window_brings_is_judged_after_it() {
    let runs = [run("2026-03-14T06:00", 100), run("2026-03-14T22:00", 40)];
    // It had lasted for two hours.
    let put_off = "2026-03-15T06:00:00Z";
    check(
        &least_rows(100),
        &runs,
        &saturday_night(),
        &[
            ("2026-03-14T22:30", put_off),
            ("2026-03-15T05:59", put_off),
            ("2026-03-15T06:00", "breached"),
        ],
    );
    // A run after it is judged at once, for better or worse.
    for (rows, outcome) in [(100, "kept"), (40, "breached")] {
        let mut runs = runs.to_vec();
        runs.push(run("2026-03-15T04:30", rows));
        check(
            &least_rows(100),
            &runs,
            &saturday_night(),
            &[("2026-03-15T05:00", outcome)],
        );
    }
}

#[test]
fn what_cannot_be_told_of_a_table_that_is_rebuilt_is_put_off() {
    let mut runs = [run("2026-03-14T06:00", 100), run("2026-03-14T22:00", 0)];
    runs[1].newest = Some(Newest::NoRows);
    check(
        &fresh(24.0),
        &runs,
        &saturday_night(),
        &[
            ("2026-03-14T22:30", "2026-03-15T06:00:00Z"),
            ("2026-03-15T07:00", "could_not_tell"),
        ],
    );
    runs[1].newest = Some(Newest::AllNull);
    check(
        &fresh(24.0),
        &runs,
        &saturday_night(),
        &[
            ("2026-03-14T22:30", "2026-03-15T06:00:00Z"),
            ("2026-03-15T07:00", "breached"),
        ],
    );
}

/// Time that is put off is in no history, neither as kept nor as broken.
#[test]
fn what_is_put_off_is_not_counted() {
    let told = RunHistory::new(
        "prod",
        [run("2026-03-14T06:00", 100), run("2026-03-15T18:00", 40)],
    );
    let holidays = Holidays::builtin();
    let over = windows(&[
        ("2026-03-14T20:00", "2026-03-15T04:00"),
        ("2026-03-15T17:00", "2026-03-15T19:00"),
    ]);
    let time = TimeOff {
        holidays: &holidays,
        maintenance: &over,
    };
    let mut levels = fresh(24.0);
    levels.row_count = least_rows(100).row_count;
    let of = history(&levels, &told, time, 1, at("2026-03-15T18:00"));
    let hours = |seconds: u64| seconds / 3_600;
    // Fresh until 06:00, put off until 12:00.
    let day = of[0].days[0];
    assert_eq!((hours(day.good), hours(day.total)), (6, 12));
    assert_eq!(of[1].days[0].state(), DayState::NotDue);
}

/// The fewer rows of a night on which somebody worked are not what is usual.
#[test]
fn runs_in_a_single_window_are_no_part_of_what_is_usual() {
    let nights: Vec<(String, String)> = (1..12)
        .map(|day| {
            (
                format!("2026-03-{day:02}T05:00"),
                format!("2026-03-{day:02}T07:00"),
            )
        })
        .collect();
    let nights: Vec<(&str, &str)> = nights.iter().map(|(a, b)| (&**a, &**b)).collect();
    let mut runs: Vec<Run> = (1..12)
        .map(|day| run(&format!("2026-03-{day:02}T06:00"), 10))
        .collect();
    runs.extend((1..14).map(|day| run(&format!("2026-03-{day:02}T18:00"), 100)));
    let levels = usual(AnomalyMethod::RollingAverage);
    let now = [("2026-03-14T05:00", "kept")];
    check(&levels, &runs, &windows(&nights), &now);
    runs.extend((1..14).map(|day| run(&format!("2026-03-{day:02}T19:00"), 10)));
    check(
        &levels,
        &runs,
        &windows(&nights),
        &[("2026-03-14T05:00", "breached")],
    );
}
