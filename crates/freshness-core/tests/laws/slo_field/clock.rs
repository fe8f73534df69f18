//! Are ages and deadlines told by the time that counts?

use super::*;

/// Whoever looks late finds it no later.
#[test]
fn a_promise_is_broken_since_its_limit_was_passed() {
    let since = |levels: &ServiceLevels, ran: Run, now: &str| {
        let told = RunHistory::new("prod", [ran]);
        let objective = objectives(levels)[0];
        let since = broken_since(
            levels,
            &told,
            TimeOff::holidays(&Holidays::builtin()),
            objective,
            at(now),
        );
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
    assert_eq!(
        since(&least_rows(100), ran(), "2026-03-02T12:00"),
        some("2026-02-27T06:00:00Z")
    );
}

/// Three nights with few rows are one trouble, and not a new one each night.
#[test]
fn what_each_run_brings_too_few_rows_of_is_broken_since_the_first() {
    let levels = least_rows(100);
    let mut runs: Vec<Run> = (10..14)
        .map(|day| run(&format!("2026-03-{day}T06:00"), 40))
        .collect();
    let since = |runs: &[Run]| {
        let told = RunHistory::new("prod", runs.to_vec());
        let now = at("2026-03-14T05:00");
        broken_since(
            &levels,
            &told,
            TimeOff::holidays(&Holidays::builtin()),
            Objective::RowCount,
            now,
        )
    };
    assert_eq!(since(&runs), Some(at("2026-03-10T06:00")));
    // A run that says nothing of rows is no break, one that had enough is.
    runs[1].counts = Counts::default();
    assert_eq!(since(&runs), Some(at("2026-03-10T06:00")));
    runs[1].counts.source = Some(100);
    assert_eq!(since(&runs), Some(at("2026-03-12T06:00")));
    runs[3].counts.source = Some(100);
    assert_eq!(since(&runs), None);
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
    let states = days(&levels, runs(), 4, "2026-03-15T12:00");
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
fn a_pipeline_that_falls_silent_breaches_without_a_run() {
    let levels = fresh(2.0);
    let runs = vec![run("2026-03-14T00:00", 1), run("2026-03-14T01:00", 1)];
    let told = RunHistory::new("prod", runs);
    let now = at("2026-03-15T00:00");
    let of = &history(
        &levels,
        &told,
        TimeOff::holidays(&Holidays::builtin()),
        2,
        now,
    )[0];
    let day = of.days[0];
    // From 03:00:01 on it is too old.
    assert_eq!((day.good, day.total), (3 * 3_600 + 1, 86_400));
    let budget = of.budget(99.0);
    assert_eq!(budget.used, 86_400 - 10_801);
    assert!(budget.left.unwrap() < 0.0 && budget.burn_rate.unwrap() > 1.0);
}
