//! Is what began it named, with what it explains?

use super::*;
use crate::civil::{DAY, HOUR, MINUTE};
use crate::dataset::DatasetId;
use crate::incidents::{Broken, EdgeLag, Odds};
use crate::slo::Objective;

const MIDNIGHT: i64 = 20_000 * DAY;

/// Lines of `a -> b -> c`; `late: a b`, usual at 05:00 and due by 06:00;
/// `at 15 late: x`, usual at that hour; `came at 8: y`, late too but there;
/// `breaks 8: z`, in time, and a promise broken since;
/// `lag a b: 10 40`, the wait for a late parent in minutes; `now: 9`.
struct Told {
    lineage: Lineage,
    late: Vec<LateDataset>,
    lags: EdgeLags,
    now: i64,
}

fn told(text: &str) -> Told {
    let id = |name: &str| DatasetId::try_from(name.trim()).unwrap();
    let (mut edges, mut late, mut lags, mut now) = (Vec::new(), Vec::new(), Vec::new(), 9);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some((what, rest)) = line.split_once(':') else {
            let names: Vec<&str> = line.split("->").collect();
            edges.extend(names.windows(2).map(|pair| (id(pair[0]), id(pair[1]))));
            continue;
        };
        let words: Vec<&str> = what.split_whitespace().collect();
        if let ["breaks", hour] = words[..] {
            late.extend(rest.split_whitespace().map(|name| {
                let since = MIDNIGHT + hour.parse::<i64>().unwrap() * HOUR;
                LateDataset {
                    severity: Some(Severity::Warning),
                    breaches: vec![Broken::Level(Objective::RowCount)],
                    ..LateDataset::new(id(name), State::Ok, since, since)
                }
            }));
            continue;
        }
        let mut add = |hour: i64, came: Option<i64>| {
            let state = came.map_or(State::Late, |_| State::LateArrival);
            let usual = MIDNIGHT + hour * HOUR;
            late.extend(rest.split_whitespace().map(|name| LateDataset {
                severity: Some(Severity::Warning),
                cycle: "today".to_owned(),
                arrived_at: came.map(|hour| MIDNIGHT + hour * HOUR),
                ..LateDataset::new(id(name), state, usual, usual + HOUR)
            }));
        };
        match words[..] {
            ["late"] => add(5, None),
            ["at", hour, "late"] => add(hour.parse().unwrap(), None),
            ["came", "at", hour] => add(5, Some(hour.parse().unwrap())),
            ["now"] => now = rest.trim().parse().unwrap(),
            ["lag", parent, child] => {
                let minutes: Vec<i64> = rest
                    .split_whitespace()
                    .map(|n| n.parse().unwrap())
                    .collect();
                let (wait_from, wait_to) = (minutes[0] * MINUTE, minutes[1] * MINUTE);
                let lag = EdgeLag {
                    n: 100,
                    p10: wait_from,
                    p50: (wait_from + wait_to) / 2,
                    p90: wait_to,
                    n_held: 20,
                    wait_from,
                    wait_to,
                    abnormal: wait_to + HOUR,
                    parent_period: Some(DAY),
                };
                lags.push((parent, child, lag));
            }
            _ => panic!("unknown line: {line}"),
        }
    }
    late.sort_by(|a, b| a.dataset_id.cmp(&b.dataset_id));
    let lineage = Lineage::new(edges).unwrap();
    Told {
        lags: EdgeLags::new(&lineage, lags),
        lineage,
        late,
        now: MIDNIGHT + now * HOUR,
    }
}

fn found(text: &str) -> Incidents {
    let told = told(text);
    incidents(&told.lineage, &told.late, &told.lags, &[], told.now)
}

#[track_caller]
fn check_incidents(text: &str, expected: &[&str]) {
    let found = found(text);
    let lines: Vec<String> = found
        .incidents
        .iter()
        .map(|incident| {
            let members: Vec<String> = incident
                .members
                .iter()
                .map(|member| {
                    let also: Vec<&str> = member.also.iter().map(DatasetId::as_str).collect();
                    let shared = match also.is_empty() {
                        true => String::new(),
                        false => format!(", also {}", also.join(" ")),
                    };
                    let brackets = match member.counted {
                        true => ("(", ")"),
                        false => ("[", "]"),
                    };
                    let (id, hops) = (&member.dataset_id, member.hops);
                    format!("{id} {}{hops}{shared}{}", brackets.0, brackets.1)
                })
                .collect();
            let root = incident.root.as_ref().map_or("the feed", DatasetId::as_str);
            let kind = match &incident.kind {
                IncidentKind::Secondary { below } => format!(" (on its own below {below})"),
                IncidentKind::Root | IncidentKind::Feed { .. } => String::new(),
            };
            let explains = if members.is_empty() { "" } else { " explains " };
            format!("{root}{kind}{explains}{}", members.join(", "))
        })
        .collect();
    assert_eq!(lines, expected);
    let counted: u64 = found.incidents.iter().map(|incident| incident.n_late).sum();
    assert_eq!(counted, found.n_late);
}

#[test]
fn a_late_parent_explains_its_late_children() {
    check_incidents(
        "raw -> stg -> fct -> mart
         late: raw stg fct",
        &["raw explains stg (1), fct (2)"],
    );
}

#[test]
fn an_ancestor_behind_a_dataset_that_is_on_time_explains_nothing() {
    check_incidents(
        "raw -> stg -> fct
         late: raw fct",
        &["fct", "raw"],
    );
}

#[test]
fn a_dataset_with_two_late_roots_names_both_and_is_counted_once() {
    check_incidents(
        "a -> x -> y
         b -> y
         late: a b x y",
        &[
            "a explains x (1), y [2, also b]",
            "b explains y (1, also a)",
        ],
    );
}

#[test]
fn hops_count_the_shortest_way_over_late_datasets() {
    check_incidents(
        "a -> b -> c -> d
         a -> d
         late: a b c d",
        &["a explains b (1), d (1), c (2)"],
    );
    check_incidents(
        "a -> b -> d
         a -> c -> x -> d
         late: a c x d",
        &["a explains c (1), x (2), d (3)"],
    );
}

#[test]
fn a_broken_promise_below_a_late_root_is_explained_by_it() {
    check_incidents(
        "raw -> stg -> fct
         late: raw
         breaks 8: stg fct",
        &["raw explains stg (1), fct (2)"],
    );
}

#[test]
fn a_broken_promise_that_nothing_late_explains_is_an_incident_of_its_own() {
    // … nor does one that was broken before its parent was late.
    check_incidents(
        "raw -> stg
         other -> fct
         breaks 4: stg
         breaks 8: fct
         late: raw",
        &["stg (on its own below raw)", "raw", "fct"],
    );
}

#[test]
fn a_broken_promise_holds_up_no_delivery() {
    check_incidents(
        "raw -> stg -> fct
         breaks 4: raw
         late: stg
         breaks 8: fct",
        &["stg explains fct (1)", "raw"],
    );
}

#[test]
fn what_was_due_later_does_not_explain_what_was_due_earlier() {
    check_incidents(
        "hourly -> daily
         at 15 late: hourly
         late: daily
         now: 17",
        &["daily (on its own below hourly)", "hourly"],
    );
}

#[test]
fn a_root_that_has_come_explains_its_children_until_they_take_too_long() {
    let text = "raw -> stg
                lag raw stg: 10 40
                came at 8: raw
                late: stg";
    check_incidents(&format!("{text}\nnow: 9"), &["raw explains stg (1)"]);
    check_incidents(&format!("{text}\nnow: 11"), &["stg (on its own below raw)"]);
}

#[test]
fn a_root_that_came_in_time_for_its_child_does_not_explain_it() {
    let text = "raw -> stg
                came at 7: raw
                at 7 late: stg";
    let lag = |minutes: u32| format!("{text}\nlag raw stg: 10 {minutes}");
    check_incidents(&lag(90), &["raw explains stg (1)"]);
    check_incidents(&lag(40), &["stg (on its own below raw)"]);
}

#[test]
fn what_came_late_and_holds_up_nobody_is_no_incident() {
    check_incidents("raw -> stg\ncame at 8: raw stg", &[]);
}

#[test]
fn the_recovery_adds_up_over_the_slowest_way() {
    let found = found(
        "raw -> a -> mart
         raw -> b -> mart
         lag raw a: 10 40
         lag a mart: 5 15
         lag raw b: 20 30
         lag b mart: 50 90
         late: raw a b mart",
    );
    let incident = &found.incidents[0];
    let wait = |name: &str| {
        let id = DatasetId::try_from(name).unwrap();
        let wait = incident.member(&id).unwrap().wait.unwrap();
        (wait.from_seconds / MINUTE, wait.to_seconds / MINUTE)
    };
    assert_eq!(
        (wait("a"), wait("b"), wait("mart")),
        ((10, 40), (20, 30), (70, 120))
    );
    let bottleneck = incident.bottleneck.as_ref().unwrap();
    assert_eq!(
        (bottleneck.upstream.as_str(), bottleneck.downstream.as_str()),
        ("b", "mart")
    );
}

#[test]
fn without_the_lag_of_an_edge_no_recovery_is_told() {
    let found = found("raw -> a -> b\nlag raw a: 10 40\nlate: raw a b");
    let waits = found.incidents[0]
        .members
        .iter()
        .map(|member| member.wait.is_some());
    assert_eq!(waits.collect::<Vec<_>>(), [true, false]);
    assert_eq!(found.incidents[0].recovery(), None);
}

#[test]
fn twelve_late_datasets_of_four_roots_are_four_incidents() {
    let found = found(
        "h2 -> g2
         r5 -> s5 -> f3 -> m2
         f3 -> m5
         r7 -> s7 -> f4 -> m3
         r12 -> weekly
         late: h2 g2 r5 s5 f3 m2 m5 r7 s7 f4 m3 r12",
    );
    assert_eq!((found.n_late, found.incidents.len()), (12, 4));
}

#[test]
fn when_all_turn_late_at_once_the_feed_is_suspect() {
    let Told {
        lineage,
        late,
        lags,
        now,
    } = told(
        "a -> b
         late: a b c d e f g h i j
         now: 8",
    );
    let feeds: Vec<Feed> = (0..late.len())
        .map(|i| Feed {
            last_arrival: Some(MIDNIGHT - 19 * HOUR),
            odds: Odds {
                chance: 0.02,
                period: DAY,
            },
            late: Some(i),
        })
        .collect();
    let found = incidents(&lineage, &late, &lags, &feeds, now);
    assert_eq!(found.incidents.len(), 1);
    let feed = &found.incidents[0];
    assert!(matches!(&feed.kind, IncidentKind::Feed { mass } if mass.n_late == 9));
    assert_eq!((feed.n_late, feed.by_hops()), (10, vec![(0, 9), (1, 1)]));
}
