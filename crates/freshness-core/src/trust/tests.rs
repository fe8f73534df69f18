//! Does trust keep its rule?

use crate::civil::HOUR;
use crate::dashboard::DashboardId;
use crate::dataset::DatasetId;
use crate::fit::to_timestamp;
use crate::schedule::PutOff;
use crate::state::{CycleVerdict, Excused, Severity, State};

use super::*;

/// 2026-03-01 12:00 UTC.
const NOW: i64 = 1_772_366_400;

fn id(text: &str) -> DatasetId {
    DatasetId::try_from(text).unwrap()
}

/// `stg late 12 critical of raw`: name, state, hours late, severity, root. All
/// are daily. `fct ok broken 40 row_count` breaks a promise of that and loses so
/// many percent by it.
fn state(line: &str) -> (DatasetState, bool, Vec<Root>, Option<Breach>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let has = |word: &str| words.contains(&word);
    let hours = words
        .get(2)
        .and_then(|word| word.parse::<i64>().ok())
        .filter(|_| has("late"));
    let roots = words.iter().position(|&word| word == "of");
    let roots = roots.map_or(&[][..], |at| &words[at + 1..]);
    let state = match words[1] {
        "late" => State::Late,
        "came" => State::LateArrival,
        "unknown" => State::Unknown,
        "pending" => State::Pending,
        _ => State::Ok,
    };
    let deadline = NOW - hours.unwrap_or(0) * HOUR;
    let state = DatasetState {
        dataset_id: id(words[0]),
        state,
        severity: hours.map(|_| match (has("advisory"), has("critical")) {
            (true, _) => Severity::Advisory,
            (_, true) => Severity::Critical,
            _ => Severity::Warning,
        }),
        model_status: "learned",
        last_arrival: None,
        current: Some(CycleVerdict {
            usual_at: None,
            held_up_by: None,
            waits_for: None,
            learned_deadline: has("excused").then(|| to_timestamp(NOW - 8 * HOUR)),
            maintenance: has("excused").then(|| PutOff {
                until: to_timestamp(NOW + HOUR),
                reason: "an upgrade".to_owned(),
            }),
            cycle: String::new(),
            cycle_start: to_timestamp(deadline - HOUR),
            deadline: Some(to_timestamp(deadline)),
            arrived_at: has("came").then(|| to_timestamp(NOW - HOUR)),
            state,
            because: None,
        }),
        late_seconds: hours.map(|hours| hours * HOUR),
        excused: has("excused").then_some(Excused {
            seconds: 8 * HOUR,
            severity: Severity::Warning,
        }),
        n_overdue: 0,
        newest_overdue: None,
        reason: "nothing has arrived yet".to_owned(),
    };
    let root = |name: &&str| Root {
        dataset_id: id(name),
        wait_seconds: Some(2 * HOUR),
    };
    let broken = words.iter().position(|&word| word == "broken");
    let breach = broken.map(|at| Breach {
        since: NOW - 2 * HOUR,
        severity: Severity::Warning,
        broken: vec![serde_json::from_str(&format!("\"{}\"", words[at + 2])).unwrap()],
        lost: words[at + 1].parse::<f64>().unwrap() / 100.0,
    });
    let roots = roots.iter().take_while(|&&word| word != "broken");
    (state, has("critical"), roots.map(root).collect(), breach)
}

/// Lines of `a b -> c` (lineage), `part: a b` (the report) and states.
fn told(text: &str) -> Trust {
    let (mut edges, mut feeds, mut states) = (Vec::new(), Vec::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some((parents, child)) = line.split_once("->") {
            edges.extend(
                parents
                    .split_whitespace()
                    .map(|p| (id(p), id(child.trim()))),
            );
        } else if let Some((part, datasets)) = line.split_once(':') {
            let fed = |dataset| (part.to_owned(), id(dataset));
            feeds.extend(datasets.split_whitespace().map(fed));
        } else {
            states.push(state(line));
        }
    }
    let seen: Vec<Seen<'_>> = states
        .iter()
        .map(|(state, critical, roots, breach)| Seen {
            state,
            critical: *critical,
            period_seconds: Some(24 * HOUR),
            next_due: Some(to_timestamp(NOW + 20 * HOUR)),
            roots,
            breach: breach.as_ref(),
            is_promised: false,
        })
        .collect();
    let board = Dashboard::new(DashboardId::try_from("board").unwrap(), feeds);
    trust(&seen, &Lineage::new(edges).unwrap(), &[board]).remove(0)
}

/// The score and its bounds, what each cause costs, and the caveat.
#[track_caller]
fn check_trust(text: &str, expected: &str) {
    let trust = told(text);
    let mut said = match trust.score {
        Some(score) => format!("{score} {:?}", trust.standing),
        None => format!("{}–{} {:?}", trust.at_least, trust.at_most, trust.standing),
    };
    for cause in &trust.causes {
        let (points, parts) = (cause.points, cause.parts.join(" "));
        said += &format!("\n{} costs {points:.1} of {parts}", cause.dataset_id);
    }
    if let Some(caveat) = &trust.caveat {
        said += &format!("\n{caveat}");
    }
    let trimmed = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    assert_eq!(said, trimmed(expected.trim()));
}

#[test]
fn with_everything_in_time_a_dashboard_has_all_points() {
    check_trust(
        "raw -> fct
         all: fct
         raw ok
         fct pending",
        "100 Healthy",
    );
}

#[test]
fn the_example_of_the_rule_comes_out_as_it_says() {
    let example = "a b c d -> fct
         revenue: orders
         stores: fct
         orders late 12
         a late 24
         b ok
         c ok
         d ok
         fct ok";
    assert_eq!(told(example).score, Some(77));
    let critical = example.replace("a late 24", "a late 24 critical");
    assert_eq!(told(&critical).score, Some(58));
}

#[test]
fn a_table_that_waits_for_a_late_one_is_one_loss_and_the_root_is_named() {
    check_trust(
        "raw -> stg
         stg -> fct
         revenue: fct
         stores: ok
         raw late 24
         stg late 20 of raw
         fct late 16 of raw
         ok ok",
        "75 Late
         raw costs 25.0 of revenue
         raw has been late since 2026-02-28 12:00 UTC; revenue (1 of 2 parts) may be out of date. If raw comes by its next deadline, that should be over by 2026-03-02 10:00 UTC.",
    );
}

#[test]
fn a_root_that_came_late_is_named_as_long_as_what_is_made_from_it_is_late() {
    check_trust(
        "raw -> fct
         all: fct
         raw came
         fct late 8 of raw",
        "75 Late
         raw costs 25.0 of all
         raw came late, at 2026-03-01 11:00 UTC; all may be out of date. That should be over by 2026-03-01 13:00 UTC.",
    );
}

#[test]
fn two_causes_share_what_they_cost_and_a_table_in_time_passes_it_on() {
    check_trust(
        "a b -> fct
         all: fct
         a late 24
         b late 8
         fct ok",
        "62 Late
         a costs 25.0 of all
         b costs 12.5 of all
         a has been late since 2026-02-28 12:00 UTC, also late: b (since 2026-03-01 04:00 UTC); all may be out of date. If these come by their next deadlines, that should be over by 2026-03-02 08:00 UTC.",
    );
}

#[test]
fn what_cannot_be_judged_is_never_healthy_and_has_no_score() {
    check_trust(
        "a b -> fct
         all: fct
         a unknown
         b ok
         fct ok",
        "50–100 CouldNotTell
         Nobody can tell whether a is up to date; all may be out of date.",
    );
    check_trust(
        "all: nowhere",
        "0–100 CouldNotTell
         Nobody can tell whether nowhere is up to date; all may be out of date.",
    );
}

#[test]
fn what_a_model_can_only_advise_is_a_doubt_of_so_much() {
    check_trust(
        "all: a
         a late 24 advisory",
        "50–100 CouldNotTell
         Nobody can tell whether a is up to date; all may be out of date.",
    );
}

#[test]
fn a_late_table_and_a_doubt_are_both_said() {
    check_trust(
        "one: a
         two: b
         a late 24
         b unknown",
        "25–75 Late
         a costs 25.0 of one
         a has been late since 2026-02-28 12:00 UTC; one (1 of 2 parts) may be out of date. If a comes by its next deadline, that should be over by 2026-03-02 08:00 UTC. Nobody can tell whether b is up to date.",
    );
}

#[test]
fn late_by_a_second_behind_very_many_inputs_is_still_not_all_points() {
    let mut text = String::from("all: d40\nd0 late 1\n");
    for level in 1..=40 {
        let others: Vec<String> = (0..10).map(|i| format!("ok{level}_{i}")).collect();
        let below = level - 1;
        text += &format!("d{below} {} -> d{level}\nd{level} ok\n", others.join(" "));
        for other in others {
            text += &format!("{other} ok\n");
        }
    }
    let trust = told(&text);
    assert_eq!((trust.score, trust.causes.len()), (Some(99), 1));
    assert_eq!(trust.causes[0].hops, 40);
}

#[test]
fn of_a_feed_that_may_have_stopped_no_recovery_is_told() {
    check_trust(
        "raw -> fct
         all: fct
         fct ok
         raw late 800",
        "2 Late
         raw costs 97.1 of all
         raw has been late since 2026-01-27 04:00 UTC and may have stopped for good; all may be out of date.",
    );
}

#[test]
fn a_table_in_time_waits_for_its_own_delivery_after_that_of_the_late_one() {
    let trust = told(
        "raw -> stg
         stg -> fct
         all: fct
         raw late 8
         stg late 4 of raw
         fct ok",
    );
    // raw at 08:00, stg two hours later, fct comes at 08:00 of the day after.
    let at = trust.recovers.unwrap().to_string();
    assert_eq!(at, "2026-03-03T10:00:00Z");
}

#[test]
fn a_report_of_very_many_parts_counts_them_all() {
    let mut text = String::from("raw -> fct\nraw late 24\nfct ok\nother unknown\n");
    for part in 0..150 {
        let shows = if part % 3 == 0 { "fct" } else { "other" };
        text += &format!("part {part:03}: {shows}\n");
    }
    let trust = told(&text);
    let raw = &trust.causes[0];
    assert_eq!((raw.parts.len(), trust.n_datasets), (50, 3));
    assert_eq!(raw.parts[49], "part 147");
    assert!((raw.points - 100.0 / 6.0).abs() < 1e-9, "{}", raw.points);
    assert_eq!((trust.at_least, trust.at_most), (16, 83));
    assert_eq!(trust.doubts[0].parts.len(), 100);
}

#[test]
fn a_broken_promise_costs_its_share_and_is_said() {
    check_trust(
        "raw -> fct
         all: fct
         raw ok
         fct ok broken 40 row_count",
        "60 Late
         fct costs 40.0 of all
         fct has broken its promise of row_count since 2026-03-01 10:00 UTC; all may be wrong.",
    );
    check_trust(
        "raw -> fct
         all: fct
         raw late 24
         fct ok broken 10 freshness of raw",
        "50 Late
         raw costs 50.0 of all
         raw has been late since 2026-02-28 12:00 UTC; all may be out of date.",
    );
}

#[test]
fn a_dataset_loses_by_its_lateness_or_its_promise_whichever_is_more() {
    check_trust(
        "all: fct
         fct late 24 broken 20 quality",
        "50 Late
         fct costs 50.0 of all
         fct has been late since 2026-02-28 12:00 UTC; all may be out of date or wrong.",
    );
    check_trust(
        "all: a b
         a late 24
         b ok broken 80 availability",
        "35 Late
         b costs 40.0 of all
         a costs 25.0 of all
         b has broken its promise of availability since 2026-03-01 10:00 UTC, also late: a \
         (since 2026-02-28 12:00 UTC); all may be out of date or wrong.",
    );
}

#[test]
fn what_maintenance_excuses_is_as_old_as_it_is() {
    check_trust(
        "raw -> fct
         all: fct
         raw pending excused
         fct pending",
        "75 Late
         raw costs 25.0 of all
         raw is held up by maintenance until 2026-03-01 13:00 UTC (an upgrade), and would be late \
         since 2026-03-01 04:00 UTC; all may be out of date. If raw comes by its next deadline, \
         that should be over by 2026-03-02 08:00 UTC.",
    );
    check_trust(
        "all: raw
         raw pending",
        "100 Healthy",
    );
}
