//! Does what goes wrong with declared levels in the field go right here?
//!
//! Each test names the report that it comes from.

mod clock;
mod maintenance;
mod properties;

use freshness_core::civil::{Holidays, Zone};
use freshness_core::schedule::{Maintenance, TimeOff};
use freshness_core::slo::{
    About, Anomaly, AnomalyMethod, Counts, DayCompliance, DayPromise, DayState, Freshness, Newest,
    Objective, Outcome, Reason, RowCount, Run, RunHistory, ServiceLevels, Stage, Verdict,
    broken_since, history, judge, objectives,
};
use jiff::Timestamp;
use proptest::prelude::*;

fn at(text: &str) -> i64 {
    let text = match text.len() {
        16 => format!("{text}:00Z"),
        _ => text.to_owned(),
    };
    text.parse::<Timestamp>().unwrap().as_second()
}

/// A run that was over then, with so many rows and data as new as itself.
fn run(finished: &str, rows: u64) -> Run {
    let finished_at = at(finished);
    Run {
        run_id: finished.to_owned(),
        environment: "prod".to_owned(),
        started_at: None,
        finished_at,
        stage: Stage::Normal,
        counts: Counts {
            source: Some(rows),
            total: Some(rows),
            ..Counts::default()
        },
        newest: Some(Newest::At(finished_at)),
        source_newest: None,
        filled: None,
    }
}

fn about() -> About {
    About {
        critical: true,
        ..About::default()
    }
}

/// `field` at most so many hours old.
fn fresh(hours: f64) -> ServiceLevels {
    ServiceLevels {
        freshness: Some(Freshness {
            about: about(),
            threshold: Some(hours * 3_600.0),
            field: Some("updated_at".to_owned()),
            ..Freshness::default()
        }),
        ..ServiceLevels::default()
    }
}

/// So many rows in each run.
fn least_rows(min_rows: u64) -> ServiceLevels {
    ServiceLevels {
        row_count: Some(RowCount {
            about: about(),
            min_rows: Some(min_rows),
            ..RowCount::default()
        }),
        ..ServiceLevels::default()
    }
}

fn usual(method: AnomalyMethod) -> ServiceLevels {
    ServiceLevels {
        row_count: Some(RowCount {
            about: about(),
            anomaly: Some(Anomaly {
                method,
                min_runs_before_enforcement: 3,
                ..Anomaly::default()
            }),
            ..RowCount::default()
        }),
        ..ServiceLevels::default()
    }
}

/// By 07:30 in Berlin on business days.
fn by_half_past_seven() -> ServiceLevels {
    ServiceLevels {
        freshness: Some(Freshness {
            about: about(),
            by: Some(DayPromise { minutes: 450 }),
            calendar: Some("business days DE".parse().unwrap()),
            timezone: Some(Zone::named("Europe/Berlin").unwrap()),
            ..Freshness::default()
        }),
        ..ServiceLevels::default()
    }
}

fn judged(levels: &ServiceLevels, runs: Vec<Run>, now: &str) -> Vec<Verdict> {
    let runs = RunHistory::new("prod", runs);
    judge(
        levels,
        &runs,
        TimeOff::holidays(&Holidays::builtin()),
        at(now),
    )
}

fn one(levels: &ServiceLevels, runs: Vec<Run>, now: &str) -> Verdict {
    let mut verdicts = judged(levels, runs, now);
    assert_eq!(verdicts.len(), 1);
    verdicts.remove(0)
}

/// How the first promise stood on each of the last days.
fn days(levels: &ServiceLevels, runs: Vec<Run>, n_days: u16, now: &str) -> Vec<DayState> {
    let told = RunHistory::new("prod", runs);
    let of = history(
        levels,
        &told,
        TimeOff::holidays(&Holidays::builtin()),
        n_days,
        at(now),
    );
    of[0].days.iter().map(DayCompliance::state).collect()
}

fn reason(verdict: &Verdict) -> Reason {
    verdict.outcome.because().unwrap().clone()
}

fn is_breach(verdict: &Verdict) -> bool {
    verdict.outcome.is_breach()
}

/// elementary-data/elementary#2052: bursts on the 1st are flagged every month.
#[test]
fn case_3_a_burst_on_the_first_is_usual_once_two_months_had_it() {
    let day = |i: i64| {
        let day = at("2026-01-01T06:00") + i * 86_400;
        let told = Timestamp::from_second(day).unwrap().to_string();
        let rows = if told[8..10] == *"01" { 9_000 } else { 1_000 };
        (told.clone(), run(&told, rows))
    };
    let runs: Vec<(String, Run)> = (0..150).map(day).collect();
    let levels = usual(AnomalyMethod::SeasonalMedian);
    let until = |now: &str| -> Vec<Run> {
        runs.iter()
            .map(|(_, run)| run.clone())
            .filter(|run| run.finished_at <= at(now))
            .collect()
    };
    let breached: Vec<&str> = (40..150)
        .map(|i| runs[i].0.as_str())
        .filter(|now| is_breach(&one(&levels, until(now), now)))
        .collect();
    // January and February had it, so March and those after it are usual.
    assert_eq!(breached, [""; 0]);
    // A burst on another day is none.
    let mut odd = until("2026-05-12T06:00");
    odd.last_mut().unwrap().counts.source = Some(9_000);
    assert!(is_breach(&one(&levels, odd, "2026-05-12T06:00")));
}

/// dbt-labs/dbt-core#2428: an empty new table is ERROR STALE.
#[test]
fn case_12_an_empty_table_has_a_state_of_its_own() {
    let mut look = run("2026-03-16T12:00", 0);
    look.newest = Some(Newest::NoRows);
    let verdict = one(&fresh(1.0), vec![look], "2026-03-16T12:00");
    assert_eq!(reason(&verdict), Reason::NoRows);
    assert!(verdict.outcome.is_doubt());
    // And one that never ran another.
    let never = one(&fresh(1.0), Vec::new(), "2026-03-16T12:00");
    assert_eq!(reason(&never), Reason::NeverRun);
    assert!(never.outcome.is_doubt());
}

/// rocky-data/rocky#1930: two rows, both NULL: nothing checked, exit 0.
#[test]
fn case_13_nulls_alone_never_pass() {
    let mut look = run("2026-03-16T12:00", 2);
    look.newest = Some(Newest::AllNull);
    let verdict = one(&fresh(1.0), vec![look], "2026-03-16T12:00");
    assert_eq!(reason(&verdict), Reason::AllNull);
    assert!(is_breach(&verdict));
    assert_eq!(verdict.evidence.n_rows, Some(2));
    // Nor does a run that looked at nothing.
    let mut blind = run("2026-03-16T12:00", 2);
    blind.newest = None;
    let verdict = one(&fresh(1.0), vec![blind], "2026-03-16T12:00");
    assert_eq!(reason(&verdict), Reason::NotMeasured);
    assert!(verdict.outcome.is_doubt());
}

/// rocky-data/rocky#1931 and sodadata/soda-core#2850: an unreadable time is
/// neither an empty table nor None.
#[test]
fn cases_14_and_15_what_cannot_be_read_is_quoted_and_not_told() {
    let mut look = run("2026-03-16T12:00", 2);
    let value = "\"16 Mar, noonish\"".to_owned();
    look.newest = Some(Newest::Unreadable(value.clone()));
    let verdict = one(&fresh(1.0), vec![look], "2026-03-16T12:00");
    assert_eq!(reason(&verdict), Reason::Unreadable { value });
    assert!(verdict.outcome.is_doubt());
}

/// dbt-labs/dbt-core#8797: `max()` is fresh long before the load is complete.
#[test]
fn case_21_a_trickle_is_fresh_and_no_delivery() {
    let mut levels = by_half_past_seven();
    let freshness = levels.freshness.as_mut().unwrap();
    (freshness.threshold, freshness.field) = (Some(3_600.0), Some("updated_at".to_owned()));
    levels.row_count = Some(RowCount {
        about: about(),
        min_rows: Some(1_000),
        ..RowCount::default()
    });
    let trickle = |full: u64| {
        vec![
            run("2026-03-13T06:00", 1_000),
            run("2026-03-16T06:00", 60),
            run("2026-03-16T06:20", full),
        ]
    };
    let outcomes = |full: u64| -> Vec<bool> {
        let verdicts = judged(&levels, trickle(full), "2026-03-16T06:31");
        verdicts.iter().map(is_breach).collect()
    };
    // Fresh; no delivery by 07:30 in Berlin; too few rows.
    assert_eq!(outcomes(70), [false, true, true]);
    assert_eq!(outcomes(1_000), [false, false, false]);
}

/// elementary-data/elementary#1560: the tested point is inside its own baseline.
#[test]
fn case_24_a_run_is_never_part_of_its_own_baseline() {
    let mut runs: Vec<Run> = (10..14)
        .map(|day| run(&format!("2026-03-{day}T06:00"), 100))
        .collect();
    runs.push(run("2026-03-14T06:00", 201));
    for method in [
        AnomalyMethod::Median,
        AnomalyMethod::RollingAverage,
        AnomalyMethod::SeasonalMedian,
    ] {
        let verdict = one(&usual(method), runs.clone(), "2026-03-14T07:00");
        assert_eq!(verdict.evidence.expected, Some(100.0));
        assert_eq!(verdict.evidence.samples, Some(4));
        assert!(is_breach(&verdict));
    }
}

/// elementary-data/elementary#1523: a detection period of one day alerts for two.
#[test]
fn case_25_one_bad_run_is_one_day_of_breach() {
    let mut runs: Vec<Run> = (10..20)
        .map(|day| run(&format!("2026-03-{day}T06:00"), 100))
        .collect();
    runs[6].counts.source = Some(10);
    let levels = usual(AnomalyMethod::Median);
    let breached: Vec<bool> = (14..20)
        .map(|day| is_breach(&one(&levels, runs.clone(), &format!("2026-03-{day}T23:59"))))
        .collect();
    assert_eq!(breached, [false, false, true, false, false, false]);
    let (kept, breached) = (DayState::Kept, DayState::Breached);
    let states = days(&levels, runs, 6, "2026-03-19T23:59");
    assert_eq!(states, [kept, kept, breached, kept, kept, kept]);
}

#[test]
fn what_made_an_older_day_anew_does_not_turn_today_green() {
    let mut levels = usual(AnomalyMethod::Median);
    levels.row_count.as_mut().unwrap().min_rows = Some(50);
    levels.row_count.as_mut().unwrap().skip_reprocess_days = Some(3);
    let mut runs: Vec<Run> = (10..14)
        .map(|day| run(&format!("2026-03-{day}T06:00"), 100))
        .collect();
    runs.push(run("2026-03-14T06:00", 10));
    let anew = |from: &str, to: &str| {
        let mut anew = run("2026-03-14T09:00", 100);
        (anew.run_id, anew.stage) = (
            "anew".to_owned(),
            Stage::Reprocess {
                from: at(from),
                to: at(to),
            },
        );
        anew
    };
    let breached = |anew: Option<Run>| -> Vec<bool> {
        let runs = runs.iter().cloned().chain(anew).collect();
        judged(&levels, runs, "2026-03-14T10:00")
            .iter()
            .map(is_breach)
            .collect()
    };
    assert_eq!(breached(None), [true, true]);
    let (old, long) = (
        anew("2026-03-10T00:00", "2026-03-11T00:00"),
        anew("2026-03-01T00:00", "2026-03-14T00:00"),
    );
    assert_eq!(breached(Some(old)), [true, true]);
    assert_eq!(breached(Some(long)), [true, true]);
    // The day itself, made anew, is mended.
    assert_eq!(
        breached(Some(anew("2026-03-13T00:00", "2026-03-14T00:00"))),
        [false, false]
    );
    // Nor does a run that found nothing new make or mend anything.
    let mut nothing = run("2026-03-14T09:00", 0);
    nothing.stage = Stage::NoNewData;
    assert_eq!(breached(Some(nothing)), [true, true]);
}

#[test]
fn what_was_counted_weeks_and_runs_ago_says_nothing_of_today() {
    let counted = run("2026-01-01 06:00", 1_000);
    let uncounted = |day: u32| {
        let mut run = run(&format!("2026-02-{day:02} 06:00"), 0);
        run.counts = Counts::default();
        run
    };
    let levels = ServiceLevels {
        row_count: Some(RowCount {
            about: about(),
            min_rows: Some(100),
            ..RowCount::default()
        }),
        ..ServiceLevels::default()
    };
    let few = [counted.clone()].into_iter().chain((1..=14).map(uncounted));
    assert_eq!(
        one(&levels, few.collect(), "2026-02-28 12:00").outcome,
        Outcome::Kept
    );
    let many = [counted].into_iter().chain((1..=28).map(uncounted));
    let told = one(&levels, many.collect(), "2026-02-28 12:00");
    assert_eq!(reason(&told), Reason::NotMeasured);
}
