//! Does what goes wrong with declared levels in the field go right here?
//!
//! Each test names the report that it comes from.

use freshness_core::civil::{Holidays, Zone};
use freshness_core::slo::{
    About, Anomaly, AnomalyMethod, Counts, DayPromise, DayState, Freshness, Newest, Objective,
    Outcome, Reason, RowCount, Run, RunHistory, ServiceLevels, Stage, Verdict, broken_since,
    history, judge,
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
    judge(levels, &runs, &Holidays::builtin(), at(now))
}

fn one(levels: &ServiceLevels, runs: Vec<Run>, now: &str) -> Verdict {
    let mut verdicts = judged(levels, runs, now);
    assert_eq!(verdicts.len(), 1);
    verdicts.remove(0)
}

fn reason(verdict: &Verdict) -> Reason {
    verdict.outcome.because().unwrap().clone()
}

fn is_breach(verdict: &Verdict) -> bool {
    verdict.outcome.is_breach()
}

/// Whoever looks late finds it no later.
#[test]
fn a_promise_is_broken_since_its_limit_was_passed() {
    let since = |levels: &ServiceLevels, ran: Run, now: &str| {
        let verdict = one(levels, vec![ran], now);
        let since = broken_since(levels, &verdict, &Holidays::builtin(), at(now));
        since.map(|since| Timestamp::from_second(since).unwrap().to_string())
    };
    let ran = || run("2026-02-27T06:00", 40);
    let some = |at: &str| Some(at.to_owned());
    assert_eq!(since(&fresh(24.0), ran(), "2026-02-28T06:00"), None);
    assert_eq!(
        since(&fresh(24.0), ran(), "2026-03-02T12:00"),
        some("2026-02-28T06:00:00Z")
    );
    // On business days Friday's data of 07:00 in Berlin is a day old on Monday.
    let mut levels = by_half_past_seven();
    let monday = since(&levels, ran(), "2026-03-02T12:00");
    assert_eq!(monday, some("2026-03-02T06:30:00Z"));
    if let Some(freshness) = &mut levels.freshness {
        freshness.by = None;
        freshness.threshold = Some(24.0 * 3_600.0);
    }
    let monday = since(&levels, ran(), "2026-03-02T12:00");
    assert_eq!(monday, some("2026-03-02T06:00:00Z"));
    let few = ServiceLevels {
        row_count: Some(RowCount {
            about: about(),
            min_rows: Some(100),
            ..RowCount::default()
        }),
        ..ServiceLevels::default()
    };
    assert_eq!(
        since(&few, ran(), "2026-03-02T12:00"),
        some("2026-02-27T06:00:00Z")
    );
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

/// dbt-labs/dbt-core#11066: nine hours of false age. Instants are compared, so
/// the zone of the column changes nothing; reading a naive time is refused where
/// files are read.
#[test]
fn case_7_an_instant_from_tokyo_has_no_false_age() {
    let mut look = run("2026-03-16T12:00", 1);
    look.newest = Some(Newest::At(at("2026-03-16T20:50:00+09:00")));
    let verdict = one(&fresh(1.0), vec![look], "2026-03-16T12:00");
    assert_eq!(verdict.evidence.age_seconds, Some(600));
    assert_eq!(verdict.outcome, Outcome::Kept);
}

/// guilhemmarchand/trackme#248: a future timestamp is fresh for ever.
#[test]
fn case_11_the_future_is_not_fresh_not_even_when_it_has_come() {
    let mut look = run("2026-03-16T12:00", 1);
    look.newest = Some(Newest::At(at("2026-03-18T12:00")));
    for now in ["2026-03-16T12:00", "2026-03-18T12:01"] {
        let verdict = one(&fresh(1.0), vec![look.clone()], now);
        assert!(is_breach(&verdict), "{now}");
        let ahead_seconds = 2 * 86_400;
        assert_eq!(reason(&verdict), Reason::Future { ahead_seconds });
    }
    // A clock may be five minutes fast.
    look.newest = Some(Newest::At(at("2026-03-16T12:05")));
    assert_eq!(
        one(&fresh(1.0), vec![look], "2026-03-16T12:00").outcome,
        Outcome::Kept
    );
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

/// open-metadata/OpenMetadata#27173: the smallest possible limit is an hour.
#[test]
fn case_16_a_limit_may_be_five_minutes() {
    let runs = || vec![run("2026-03-16T12:00", 1)];
    let levels = fresh(5.0 / 60.0);
    assert_eq!(
        one(&levels, runs(), "2026-03-16T12:05").outcome,
        Outcome::Kept
    );
    assert!(is_breach(&one(&levels, runs(), "2026-03-16T12:05:01Z")));
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
    let told = RunHistory::new("prod", runs);
    let days = &history(
        &levels,
        &told,
        &Holidays::builtin(),
        6,
        at("2026-03-19T23:59"),
    )[0]
    .days;
    let states: Vec<DayState> = days
        .iter()
        .map(freshness_core::slo::DayCompliance::state)
        .collect();
    let (kept, breached) = (DayState::Kept, DayState::Breached);
    assert_eq!(states, [kept, kept, breached, kept, kept, kept]);
}

/// elementary-data/elementary#911: the check runs before today's load and
/// reports a drop.
#[test]
fn case_26_before_its_time_nothing_is_due() {
    let levels = by_half_past_seven();
    let runs = || vec![run("2026-03-12T06:00", 100), run("2026-03-13T06:00", 100)];
    let monday = one(&levels, runs(), "2026-03-16T05:00");
    let due_at = "2026-03-16T06:30:00Z".parse().unwrap();
    assert_eq!(reason(&monday), Reason::NotDueYet { due_at });
    // On Saturday nothing is owed.
    let saturday = one(&levels, runs(), "2026-03-14T12:00");
    let next_due_at = Some(due_at);
    assert_eq!(reason(&saturday), Reason::NothingOwed { next_due_at });
    // Once it is, silence is a breach.
    let late = one(&levels, runs(), "2026-03-16T06:31");
    assert!(is_breach(&late));
    assert_eq!(late.evidence.age_seconds, Some(60));
    // And rows are those of the last run, whatever today's will be.
    let rows = usual(AnomalyMethod::Median);
    let mut four: Vec<Run> = (10..13)
        .map(|day| run(&format!("2026-03-{day}T06:00"), 100))
        .collect();
    four.push(run("2026-03-13T06:00", 100));
    assert_eq!(one(&rows, four, "2026-03-14T05:00").outcome, Outcome::Kept);
}

#[test]
fn a_delivery_after_its_deadline_is_late_until_the_next_is_due() {
    let levels = by_half_past_seven();
    let runs = || vec![run("2026-03-12T06:00", 100), run("2026-03-13T08:30", 100)];
    let verdict = one(&levels, runs(), "2026-03-13T09:00");
    let (due_at, late_seconds) = ("2026-03-13T06:30:00Z".parse().unwrap(), 7_200);
    assert_eq!(
        reason(&verdict),
        Reason::CameLate {
            due_at,
            late_seconds
        }
    );
    // It was late for Friday, and Friday is not kept.
    let told = RunHistory::new("prod", runs());
    let days = &history(
        &levels,
        &told,
        &Holidays::builtin(),
        4,
        at("2026-03-15T12:00"),
    )[0]
    .days;
    let states: Vec<DayState> = days
        .iter()
        .map(freshness_core::slo::DayCompliance::state)
        .collect();
    let none = DayState::NotDue;
    assert_eq!(states, [DayState::Kept, DayState::Breached, none, none]);
}

#[test]
fn a_deadline_keeps_to_the_wall_clock_of_its_zone() {
    // Summer time begins on 29 March: 07:30 is 05:30 in UTC.
    let levels = by_half_past_seven();
    let runs = || vec![run("2026-03-27T06:00", 100), run("2026-03-30T05:45", 100)];
    let verdict = one(&levels, runs(), "2026-03-30T05:40");
    assert!(is_breach(&verdict), "{verdict:?}");
}

#[test]
fn an_age_counts_only_the_days_on_which_something_is_owed() {
    let mut levels = fresh(24.0);
    let freshness = levels.freshness.as_mut().unwrap();
    freshness.calendar = Some("Mon-Fri".parse().unwrap());
    // Friday 18:00 to Monday 10:00: six and ten hours.
    let runs = || vec![run("2026-03-13T18:00", 1)];
    let monday = one(&levels, runs(), "2026-03-16T10:00");
    assert_eq!(monday.evidence.age_seconds, Some(16 * 3_600));
    assert_eq!(monday.evidence.elapsed_seconds, Some(64 * 3_600));
    assert!(is_breach(&one(&levels, runs(), "2026-03-16T18:01")));
    // Of a calendar with hours, only these.
    let freshness = levels.freshness.as_mut().unwrap();
    freshness.calendar = Some("hourly Mon-Fri 09-17".parse().unwrap());
    let monday = one(&levels, runs(), "2026-03-16T10:00");
    assert_eq!(monday.evidence.age_seconds, Some(3_600));
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

#[test]
fn a_pipeline_that_falls_silent_breaches_without_a_run() {
    let levels = fresh(2.0);
    let runs = vec![run("2026-03-14T00:00", 1), run("2026-03-14T01:00", 1)];
    let told = RunHistory::new("prod", runs);
    let now = at("2026-03-15T00:00");
    let of = &history(&levels, &told, &Holidays::builtin(), 2, now)[0];
    let day = of.days[0];
    // From 03:00:01 on it is too old.
    assert_eq!((day.good, day.total), (3 * 3_600 + 1, 86_400));
    let budget = of.budget(99.0);
    assert_eq!(budget.used, 86_400 - 10_801);
    assert!(budget.left.unwrap() < 0.0 && budget.burn_rate.unwrap() > 1.0);
}

fn any_run() -> impl Strategy<Value = Run> {
    let when = (0i64..40 * 24).prop_map(|hour| at("2026-02-01T00:00") + hour * 3_600);
    let stage = prop_oneof![
        6 => Just(Stage::Normal),
        1 => Just(Stage::NoNewData),
        1 => (0i64..40).prop_map(|day| {
            let from = at("2026-02-01T00:00") + day * 86_400;
            Stage::Reprocess { from, to: from + 86_400 }
        }),
    ];
    (when, stage, proptest::option::of(0u64..1_000)).prop_map(|(when, stage, rows)| {
        let told = Timestamp::from_second(when).unwrap().to_string();
        let mut run = run(&told, 0);
        (run.stage, run.counts.source, run.counts.total) = (stage, rows, rows);
        run
    })
}

proptest! {
    #[test]
    fn the_order_of_runs_never_changes_a_verdict(
        runs in proptest::collection::vec(any_run(), 0..40),
        seed in any::<u64>(),
    ) {
        let mut unique = runs;
        unique.sort_by(|a, b| a.run_id.cmp(&b.run_id));
        unique.dedup_by(|a, b| a.run_id == b.run_id);
        let mut shuffled = unique.clone();
        let n = shuffled.len().max(1);
        for i in 0..shuffled.len() {
            let other = (seed.rotate_left(i as u32) as usize) % n;
            shuffled.swap(i, other);
        }
        let mut levels = by_half_past_seven();
        levels.freshness.as_mut().unwrap().threshold = Some(90_000.0);
        levels.row_count = usual(AnomalyMethod::SeasonalMedian).row_count;
        prop_assert_eq!(
            judged(&levels, unique.clone(), "2026-03-20T00:00"),
            judged(&levels, shuffled.clone(), "2026-03-20T00:00")
        );
        let days = |runs| {
            let told = RunHistory::new("prod", runs);
            history(&levels, &told, &Holidays::builtin(), 30, at("2026-03-10T12:00"))
        };
        prop_assert_eq!(days(unique), days(shuffled));
    }

    /// Whatever a run brings, what it is compared with stays the same; and so do
    /// runs that come after it, and those of another environment.
    #[test]
    fn a_run_its_followers_and_strangers_are_no_part_of_its_baseline(
        runs in proptest::collection::vec(any_run(), 1..40),
        rows in 1u64..100_000,
    ) {
        let now = "2026-03-20T00:00";
        let mut runs = runs;
        let mut last = run("2026-03-19T12:00", 500);
        runs.push(last.clone());
        let levels = usual(AnomalyMethod::SeasonalMedian);
        let usual_rows = |runs: &[Run]| {
            let verdict = one(&levels, runs.to_vec(), now);
            (verdict.evidence.run_id.clone(), verdict.evidence.samples)
        };
        let before = usual_rows(&runs);
        last.counts.source = Some(rows);
        *runs.last_mut().unwrap() = last;
        let mut stranger = run("2026-03-18T12:00", rows);
        (stranger.environment, stranger.run_id) = ("dev".to_owned(), "stranger".to_owned());
        runs.push(stranger);
        runs.push(run("2026-03-21T12:00", rows));
        prop_assert_eq!(usual_rows(&runs), before);
    }

    /// What is kept is never more than what is owed, and no day has two ends.
    #[test]
    fn compliance_never_exceeds_what_is_owed(runs in proptest::collection::vec(any_run(), 0..40)) {
        let mut levels = fresh(30.0);
        levels.freshness.as_mut().unwrap().calendar = Some("Mon-Fri".parse().unwrap());
        levels.row_count = usual(AnomalyMethod::Median).row_count;
        let told = RunHistory::new("prod", runs);
        for of in history(&levels, &told, &Holidays::builtin(), 45, at("2026-03-14T00:00")) {
            for day in &of.days {
                prop_assert!(day.good + day.doubtful <= day.total);
                let most = if of.objective == Objective::Freshness { 86_400 } else { 24 };
                prop_assert!(day.total <= most, "{:?}", day);
            }
        }
    }
}
