//! Which alerts were right, where every cycle is known?
//!
//! An alert is about the cycle that its method awaits, or for a rule that knows
//! no cycles about the last one that was due by then. It is right if that cycle
//! has an incident and had not come. A cycle counts at most one detection and
//! one false alarm, however often it is alerted. A feed that has stopped is
//! told of once, so of its cycles only the first few are scored.

use freshness_core::civil::{DAY, MINUTE};

use super::{Deadline, Tally, Window};
use crate::truth::{CycleTruth, DatasetTruth, IncidentKind};

/// Cycles of a stopped feed that are scored. Who was told three times knows.
const STOPPED_CYCLES: usize = 3;

/// Which cycles of a dataset are scored. UTC seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Cycles that begin from here on …
    pub from: i64,
    /// … and before here.
    pub to: i64,
}

impl Scope {
    /// All of a window.
    pub fn all(window: &Window) -> Scope {
        Scope {
            from: window.from,
            to: window.to,
        }
    }
}

/// Scores deadlines against what was true, on the cycles in scope.
pub fn score(truth: &DatasetTruth, deadlines: &[Deadline], scope: Scope) -> Tally {
    let cycles = &truth.cycles;
    let is_scored = scored(truth, scope);
    let mut alerted: Vec<Option<i64>> = vec![None; cycles.len()];
    let mut false_alarm = vec![false; cycles.len()];
    let mut tally = Tally::default();
    for deadline in deadlines {
        let Some(cycle) = cycle_of(truth, deadline).filter(|&cycle| is_scored[cycle]) else {
            continue;
        };
        if deadline.awaited.is_some() {
            let distance = deadline.at - cycles[cycle].usual_at;
            tally.distances.push(distance as f64 / MINUTE as f64);
        }
        if !deadline.raised {
            continue;
        }
        let CycleTruth {
            incident,
            arrived_at,
            ..
        } = &cycles[cycle];
        match incident.is_some() && arrived_at.is_none_or(|arrived| arrived > deadline.at) {
            true => {
                let first = alerted[cycle].get_or_insert(deadline.at);
                *first = deadline.at.min(*first);
            }
            false => false_alarm[cycle] = true,
        }
    }
    let counted = cycles.iter().enumerate().filter(|(i, _)| is_scored[*i]);
    for (i, cycle) in counted {
        tally.n_false_alarms += u64::from(false_alarm[i]);
        let Some(due_at) = cycle.due_at else { continue };
        tally.n_cycles += 1;
        if cycle.incident.is_none() {
            continue;
        }
        let late_by = cycle.arrived_at.map(|arrived| arrived - due_at);
        tally.count_incident(late_by, alerted[i].is_some());
        if let Some(alerted) = alerted[i] {
            tally.waits.push((alerted - due_at) as f64 / MINUTE as f64);
        }
    }
    let begins = cycles.first().map_or(scope.to, |first| first.start);
    let days = scope.to.saturating_sub(scope.from.max(begins)).max(0);
    tally.dataset_days = days as f64 / DAY as f64;
    tally
}

/// Which cycles count: those in scope but for what a stopped feed still owes.
pub(crate) fn scored(truth: &DatasetTruth, scope: Scope) -> Vec<bool> {
    let mut n_stopped = 0;
    let cycles = truth.cycles.iter();
    cycles
        .map(|cycle| {
            let stopped = cycle
                .incident
                .as_ref()
                .is_some_and(|incident| incident.kind == IncidentKind::Stopped);
            n_stopped = if stopped { n_stopped + 1 } else { 0 };
            (scope.from..scope.to).contains(&cycle.start) && n_stopped <= STOPPED_CYCLES
        })
        .collect()
}

/// The cycle that a deadline is about: the one that begins when it says, else
/// the one whose usual time is nearest to what it says; for a rule without
/// cycles the last that was due by then.
pub(crate) fn cycle_of(truth: &DatasetTruth, deadline: &Deadline) -> Option<usize> {
    let cycles = &truth.cycles;
    let Some(awaited) = deadline.awaited else {
        let n = cycles.partition_point(|cycle| cycle.usual_at <= deadline.at);
        return cycles[..n].iter().rposition(|cycle| cycle.due_at.is_some());
    };
    if let Ok(cycle) = cycles.binary_search_by_key(&awaited.start, |cycle| cycle.start) {
        return Some(cycle);
    }
    let after = cycles.partition_point(|cycle| cycle.usual_at < awaited.usual_at);
    let near = [
        after.checked_sub(1),
        (after < cycles.len()).then_some(after),
    ];
    near.into_iter()
        .flatten()
        .min_by_key(|&cycle| (cycles[cycle].usual_at - awaited.usual_at).abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Awaited;
    use crate::truth::Incident;
    use freshness_core::civil::HOUR;
    use freshness_core::dataset::DatasetId;

    /// Daily cycles 0, 1, 2, … usually delivered at 06:00. Each is `ok`, `skip`,
    /// `late H` (comes at hour H), `never` or `stop`. Alerts as `day hour` (no
    /// cycle named) or `day hour =cycle`. Says cycles, detected/incidents, false
    /// alarms.
    #[track_caller]
    fn check_score(cycles: &[&str], alerts: &[&str], expected: &str) {
        let id = DatasetId::try_from("raw").unwrap();
        let cycle = |(day, text): (usize, &&str)| {
            let start = day as i64 * DAY;
            let (word, hour) = text.split_once(' ').unwrap_or((text, "6"));
            let kind = match word {
                "late" => Some(IncidentKind::Late),
                "never" => Some(IncidentKind::Missed),
                "stop" => Some(IncidentKind::Stopped),
                _ => None,
            };
            let hour: i64 = hour.parse().unwrap();
            CycleTruth {
                start,
                usual_at: start + 6 * HOUR,
                due_at: (word != "skip").then_some(start + 6 * HOUR),
                arrived_at: ["ok", "late"]
                    .contains(&word)
                    .then_some(start + hour * HOUR),
                incident: kind.map(|kind| Incident {
                    root: id.clone(),
                    kind,
                }),
            }
        };
        let truth = DatasetTruth {
            class: "daily".to_owned(),
            schedule: None,
            moves: Vec::new(),
            cycles: cycles.iter().enumerate().map(cycle).collect(),
            outages: Vec::new(),
        };
        let deadline = |text: &&str| {
            let words: Vec<&str> = text.split(' ').collect();
            let (day, hour): (i64, i64) = (words[0].parse().unwrap(), words[1].parse().unwrap());
            let awaited = words.get(2).map(|word| {
                let start = word[1..].parse::<i64>().unwrap() * DAY;
                Awaited {
                    start,
                    usual_at: start + 6 * HOUR,
                }
            });
            Deadline {
                at: day * DAY + hour * HOUR,
                awaited,
                arrived_at: None,
                raised: true,
            }
        };
        let deadlines: Vec<Deadline> = alerts.iter().map(deadline).collect();
        let scope = Scope {
            from: 0,
            to: cycles.len() as i64 * DAY,
        };
        let tally = score(&truth, &deadlines, scope);
        let told = format!(
            "{} cycles, {}/{}, {}",
            tally.n_cycles, tally.n_detected, tally.n_incidents, tally.n_false_alarms
        );
        assert_eq!(told, expected);
    }

    #[test]
    fn an_alert_is_right_until_the_delivery_comes() {
        check_score(&["ok", "late 9"], &["1 8"], "2 cycles, 1/1, 0");
        check_score(&["ok", "late 9"], &["1 10"], "2 cycles, 0/1, 1");
        check_score(&["ok", "ok"], &["1 5", "1 7"], "2 cycles, 0/0, 2");
    }

    #[test]
    fn alerts_again_about_one_cycle_count_once() {
        check_score(
            &["never", "ok"],
            &["0 8", "0 12", "1 3"],
            "2 cycles, 1/1, 0",
        );
        check_score(&["ok", "ok"], &["0 8", "0 12"], "2 cycles, 0/0, 1");
    }

    #[test]
    fn a_cycle_that_is_named_is_what_the_alert_is_about() {
        // Told of Monday's on Tuesday, when Tuesday's had come.
        check_score(&["never", "ok"], &["1 8 =0"], "2 cycles, 1/1, 0");
        check_score(&["never", "ok"], &["1 8"], "2 cycles, 0/1, 1");
    }

    #[test]
    fn a_skipped_cycle_is_not_due_and_an_alert_about_it_is_false() {
        check_score(&["ok", "skip"], &["1 8 =1"], "1 cycles, 0/0, 1");
    }

    #[test]
    fn a_feed_that_stopped_is_scored_for_three_cycles() {
        let cycles = ["ok", "stop", "stop", "stop", "stop", "stop"];
        check_score(
            &cycles,
            &["1 8 =1", "2 8 =2", "3 8 =3", "4 8 =4"],
            "4 cycles, 3/3, 0",
        );
    }

    #[test]
    fn of_no_cycles_there_is_nothing_to_count() {
        let none = score(
            &DatasetTruth {
                class: String::new(),
                schedule: None,
                moves: Vec::new(),
                cycles: Vec::new(),
                outages: Vec::new(),
            },
            &[],
            Scope { from: 0, to: DAY },
        );
        assert_eq!(none, Tally::default());
    }
}
