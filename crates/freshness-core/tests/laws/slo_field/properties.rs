//! Which laws do verdicts keep, whatever ran?

use std::sync::Arc;

use freshness_core::schedule::{When, Window};

use super::*;

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
            history(&levels, &told, TimeOff::holidays(&Holidays::builtin()), 30, at("2026-03-10T12:00"))
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
        for of in history(&levels, &told, TimeOff::holidays(&Holidays::builtin()), 45, at("2026-03-14T00:00")) {
            for day in &of.days {
                prop_assert!(day.good + day.doubtful <= day.total);
                let most = if of.objective == Objective::Freshness { 86_400 } else { 24 };
                prop_assert!(day.total <= most, "{:?}", day);
            }
        }
    }

    /// Whoever looks at any instant since then finds it broken, and a second before
    /// finds it not.
    #[test]
    fn a_promise_is_broken_at_every_instant_since_it_is(
        runs in proptest::collection::vec(any_run(), 0..40),
        looked in proptest::collection::vec(0.0f64..1.0, 8),
        windows in proptest::collection::vec((0i64..40 * 24, 1i64..60), 0..4),
    ) {
        let window = |(hour, hours): &(i64, i64)| {
            let from = at("2026-02-01T00:00") + hour * 3_600;
            let when = When::Once { from, to: from + hours * 3_600 };
            Arc::new(Window { when, reason: "no loads".to_owned() })
        };
        let maintenance = Maintenance::new(windows.iter().map(window).collect());
        let mut levels = by_half_past_seven();
        let freshness = levels.freshness.as_mut().unwrap();
        freshness.threshold = Some(90_000.0);
        freshness.field = Some("updated_at".to_owned());
        levels.row_count = least_rows(300).row_count;
        let told = RunHistory::new("prod", runs);
        let holidays = Holidays::builtin();
        let now = at("2026-03-04T12:00");
        let time = TimeOff { holidays: &holidays, maintenance: &maintenance };
        let judged = |at| judge(&levels, &told, time, at);
        for (i, verdict) in judged(now).iter().enumerate() {
            let objective = verdict.objective;
            let since = broken_since(&levels, &told, time, objective, now);
            prop_assert_eq!(since.is_some(), is_breach(verdict), "{:?}", verdict);
            let Some(since) = since else { continue };
            let age = i64::from(objective == Objective::Freshness);
            for share in &looked {
                let between = since + age + ((now - since - age) as f64 * share) as i64;
                prop_assert!(is_breach(&judged(between)[i]), "{objective:?} {since} {between}");
            }
            prop_assert!(!is_breach(&judged(since - 1)[i]), "{objective:?} {since}");
        }
    }
}
