//! What an evaluation counts, on warehouses written by hand.

mod small;

use freshness_core::civil::{DAY, Holidays, MINUTE};
use freshness_lab::baselines::Method;
use freshness_lab::evaluate::{EvaluateError, Evaluation, Plan, Refit, Subject, evaluate};
use small::{BEGINS, Made, history, made, plan};

const DAYS: i64 = 200;

/// Cycles, detected of incidents, false alarms of a method.
#[track_caller]
fn check_counts(evaluation: &Evaluation, method: Method, expected: (u64, u64, u64, u64)) {
    let scores = &evaluation.method(method).unwrap().scores;
    assert_eq!(
        (
            scores.n_cycles,
            scores.n_detected,
            scores.n_incidents,
            scores.n_false_alarms
        ),
        expected,
        "{}",
        method.name()
    );
}

fn evaluated(made: &[Made], plan: &Plan<'_>) -> Result<Evaluation, EvaluateError> {
    let subjects: Vec<Subject<'_>> = made.iter().map(Made::subject).collect();
    evaluate(&subjects, BEGINS + DAYS * DAY, plan)
}

/// No NaN can be written as JSON, so a null must be where there is none.
#[track_caller]
fn check_json(evaluation: &Evaluation) {
    let text = serde_json::to_string(evaluation).unwrap();
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn a_warehouse_with_two_late_loads_and_a_missed_one_has_exactly_those() {
    let holidays = Holidays::builtin();
    // The holdout is days 154 to 198.
    let incidents = [
        (100, Some(300)),
        (160, Some(30)),
        (170, Some(600)),
        (180, None),
    ];
    let warehouse = [
        made("raw_orders", "daily", DAYS, 360, &incidents),
        made("raw_items", "daily", DAYS, 480, &[]),
    ];
    let evaluation = evaluated(&warehouse, &plan(&holidays)).unwrap();
    for method in [Method::Learned, Method::Oracle, Method::ReferenceBest] {
        check_counts(&evaluation, method, (90, 3, 3, 0));
    }
    // Drawn toward each other, quantiles of cells lie below the latest of some.
    check_counts(&evaluation, Method::Reference, (90, 3, 3, 2));
    // What comes at 08:00 is not there at 07:00: then the last that was due is
    // yesterday's, of which the first lies before the holdout. Half an hour late
    // is still there by 07:00.
    check_counts(&evaluation, Method::SevenOClock, (90, 2, 3, 44));
    let learned = &evaluation.method(Method::Learned).unwrap().scores;
    let sizes: Vec<_> = learned
        .by_size
        .iter()
        .map(|size| (size.n_detected, size.n_incidents))
        .collect();
    assert_eq!(sizes, [(1, 1), (0, 0), (1, 1), (1, 1)]);
    assert_eq!(learned.f1, Some(1.0));
    assert_eq!(learned.false_alarms_per_1000_dataset_days, Some(0.0));
    assert_eq!(evaluation.first_days.as_ref().unwrap().n_false_alarms, 0);
    check_json(&evaluation);
}

#[test]
fn a_weekend_is_no_alarm_but_for_rules_that_know_no_calendar() {
    let holidays = Holidays::builtin();
    let warehouse = [made("raw_orders", "Mon–Fri", DAYS, 360, &[(115, None)])];
    let evaluation = evaluated(&warehouse, &plan(&holidays)).unwrap();
    check_counts(&evaluation, Method::Learned, (33, 1, 1, 0));
    check_counts(&evaluation, Method::Plain, (33, 1, 1, 0));
    // Nothing comes for three days, every week: six weekends and two halves.
    let age = &evaluation.method(Method::MaximumAge).unwrap().scores;
    assert!(age.n_false_alarms >= 6, "{age:?}");
}

#[test]
fn every_cycle_has_a_day_to_come_and_none_is_counted_before_the_holdout() {
    let holidays = Holidays::builtin();
    let warehouse = [made("raw", "hourly", DAYS, 10, &[])];
    let plan = Plan {
        holdout_days: Some(7),
        ..plan(&holidays)
    };
    let evaluation = evaluated(&warehouse, &plan).unwrap();
    check_counts(&evaluation, Method::Learned, (7 * 24, 0, 0, 0));
    assert_eq!(evaluation.from, "2025-07-17T00:00:00Z");
    assert_eq!(evaluation.to, "2025-07-24T00:00:00Z");
}

#[test]
fn incidents_of_a_cold_start_stand_on_a_line_of_their_own() {
    let holidays = Holidays::builtin();
    // Six loads before the holdout.
    let mut young = made("young", "daily", DAYS, 360, &[(170, None)]);
    young
        .truth
        .cycles
        .retain(|cycle| cycle.start >= BEGINS + 148 * DAY);
    young.history = history(
        young
            .truth
            .cycles
            .iter()
            .filter_map(|cycle| cycle.arrived_at),
    );
    let old = made("old", "daily", DAYS, 360, &[]);
    let evaluation = evaluated(&[young, old], &plan(&holidays)).unwrap();
    let learned = evaluation.method(Method::Learned).unwrap();
    assert_eq!(
        (learned.scores.n_cycles, learned.scores.n_incidents),
        (45, 0)
    );
    assert_eq!(
        (
            learned.cold_starts.n_cycles,
            learned.cold_starts.n_incidents
        ),
        (45, 1)
    );
    assert_eq!(learned.cold_starts.n_detected, 0);
    assert_eq!(learned.with_cold_starts.n_cycles, 90);
    let young = evaluation
        .datasets
        .iter()
        .find(|line| line.dataset_id == "young")
        .unwrap();
    assert_eq!(young.model_status, "cold_start");
}

#[test]
fn what_cannot_be_evaluated_is_said() {
    let holidays = Holidays::builtin();
    let warehouse = [made("raw", "daily", DAYS, 360, &[])];
    let with = |holdout_days| {
        let plan = Plan {
            holdout_days: Some(holdout_days),
            ..plan(&holidays)
        };
        evaluated(&warehouse, &plan).unwrap_err().to_string()
    };
    assert_eq!(with(0), "the holdout is empty: 0 days");
    assert_eq!(
        with(400),
        "the holdout begins before history: 2024-06-19, the first arrival is of 2025-01-06"
    );
    assert_eq!(
        evaluated(&[], &plan(&holidays)).unwrap_err().to_string(),
        "the warehouse is empty: it has no datasets with a known truth"
    );
}

#[test]
fn strange_histories_give_counts_or_say_that_there_is_too_little() {
    let holidays = Holidays::builtin();
    let steady = made("steady", "daily", DAYS, 360, &[]);
    let mut three = made("three", "daily", DAYS, 360, &[]);
    three.history = history([BEGINS, BEGINS + 170 * DAY, BEGINS + 171 * DAY]);
    let mut alike = made("alike", "daily", DAYS, 360, &[]);
    alike.history = history(vec![BEGINS + 3 * DAY; 50]);
    let mut gap = made("gap", "daily", DAYS, 360, &[]);
    let years = 3 * 365 * DAY;
    gap.history = history(
        (0..DAYS)
            .map(|day| BEGINS + day * DAY + 360 * MINUTE)
            .chain((0..60).map(|day| BEGINS - years - day * DAY)),
    );
    let mut none = made("none", "daily", DAYS, 360, &[]);
    none.history = history([]);
    let mut edge = made("edge", "daily", DAYS, 360, &[]);
    edge.history = history([0, 1, i64::from(u32::MAX), 253_402_207_200]);
    let plan = Plan {
        refit: Refit::Every(7 * DAY),
        ..plan(&holidays)
    };
    let warehouse = [steady, three, alike, gap, none, edge];
    let evaluation = evaluated(&warehouse, &plan).unwrap();
    check_json(&evaluation);
    assert_eq!(evaluation.failed, [""; 0]);
    let status = |id: &str| {
        let line = evaluation
            .datasets
            .iter()
            .find(|line| line.dataset_id == id);
        line.unwrap().model_status
    };
    assert_eq!(status("steady"), "learned");
    for id in ["three", "alike", "none", "edge"] {
        assert_eq!(status(id), "insufficient_history", "{id}");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let holidays = Holidays::builtin();
    let made = |i: i64| {
        made(
            &format!("d{i}"),
            "daily",
            DAYS,
            300 + i,
            &[(160 + i as usize, None)],
        )
    };
    let warehouse: Vec<Made> = (0..6).map(made).collect();
    let with = |n_threads| {
        let plan = Plan {
            n_threads,
            ..plan(&holidays)
        };
        evaluated(&warehouse, &plan).unwrap()
    };
    assert_eq!(with(1), with(4));
}

/// Counts of the learned deadlines on a daily feed with these exceptions.
#[track_caller]
fn check_field(exceptions: &[(usize, Option<i64>)], refit: Refit, expected: (u64, u64, u64, u64)) {
    let holidays = Holidays::builtin();
    let plan = Plan {
        refit,
        onset: false,
        ..plan(&holidays)
    };
    let warehouse = [made("orders", "daily", DAYS, 360, exceptions)];
    check_counts(
        &evaluated(&warehouse, &plan).unwrap(),
        Method::Learned,
        expected,
    );
}

// https://github.com/elementary-data/elementary/issues/980: an incident enters
// the training data, and the same five days later isn't flagged.
#[test]
fn an_incident_just_before_the_holdout_does_not_hide_the_next() {
    let exceptions = [
        (148, Some(240)),
        (153, Some(240)),
        (158, Some(240)),
        (163, Some(240)),
    ];
    check_field(&exceptions, Refit::Never, (45, 2, 2, 0));
    check_field(&exceptions, Refit::Every(DAY), (45, 2, 2, 0));
}

// https://github.com/elementary-data/elementary/issues/1560: the tested point is
// inside its own baseline; a quarter more passes.
#[test]
fn a_load_a_quarter_later_than_ever_is_caught_whenever_it_is_fitted() {
    check_field(&[(170, Some(90))], Refit::Never, (45, 1, 1, 0));
    check_field(&[(170, Some(90))], Refit::Every(DAY), (45, 1, 1, 0));
}

// https://github.com/elementary-data/elementary/issues/1523: a detection period
// of one day alerts for two.
#[test]
fn one_incident_is_one_detection_and_no_false_alarm_on_the_day_after() {
    for exception in [Some(600), Some(1_100), None] {
        check_field(&[(170, exception)], Refit::Every(DAY), (45, 1, 1, 0));
    }
}

// https://github.com/elementary-data/elementary/issues/911: the check runs before
// today's load.
#[test]
fn what_is_not_due_when_the_history_ends_is_no_false_alarm() {
    let holidays = Holidays::builtin();
    let orders = made("orders", "daily", DAYS, 1_080, &[]);
    // Noon of the last day: its load comes at 18:00.
    let ends_at = BEGINS + (DAYS - 1) * DAY + DAY / 2;
    let arrivals = orders.history.at().iter().copied();
    let orders = Made {
        history: history(arrivals.filter(|at| *at <= ends_at)),
        ..orders
    };
    let evaluation = evaluate(&[orders.subject()], ends_at, &plan(&holidays)).unwrap();
    check_counts(&evaluation, Method::Learned, (45, 0, 0, 0));
}
