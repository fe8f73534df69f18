//! What do incidents before today's look still explain?
//!
//! A root that misses a whole cycle and delivers the next one is on time again,
//! while what is made from it stays late until its own next turn. Nothing went
//! wrong with it since: it stays in its incident, and with all roots that explain
//! it, until it comes, or misses a cycle that was not overdue when the root came
//! back. That one needs a reason of its own; if there is one, both are named.
//! And what was late an hour ago may have held up what turns late only now.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::followed::Followed;
use super::incident::Incident;
use super::late::{Held, LateDataset, is_overdue};
use crate::dataset::DatasetId;
use crate::state::State;

/// Marks late datasets that an incident of before still holds, and adds what was
/// late and is so no more as far as it may explain something. `late` is sorted
/// by name, and stays so; `last_arrival` says when a dataset came last (UTC
/// seconds).
pub fn remember(
    late: &mut Vec<LateDataset>,
    before: &[Followed],
    last_arrival: impl Fn(&DatasetId) -> Option<i64>,
) {
    let mut past: BTreeMap<DatasetId, LateDataset> = BTreeMap::new();
    for Followed {
        incident,
        resolved_at,
        ..
    } in before
    {
        let Some(root) = &incident.root else {
            continue;
        };
        let over = resolved_at.map(Timestamp::as_second);
        if over.is_none() {
            let root_came = incident.arrived_at.map(Timestamp::as_second);
            let root_came = root_came.or(last_arrival(root));
            if hold(late, incident, root, root_came) && !was_overdue(incident) {
                // It is held by name, not by a delivery.
                let since = incident.since.as_second();
                let mut of = gone(root, since, root_came);
                of.usual_from = i64::MAX;
                past.entry(root.clone()).or_insert(of);
            }
        }
        was_late(incident, root, |id| over.or(last_arrival(id)), &mut past);
    }
    let is_late = |id: &DatasetId| late.binary_search_by(|of| of.dataset_id.cmp(id)).is_ok();
    past.retain(|id, _| !is_late(id));
    if !past.is_empty() {
        late.extend(past.into_values());
        late.sort_unstable_by(|a, b| a.dataset_id.cmp(&b.dataset_id));
    }
}

/// What an incident was about and is late no more; `came` says when it came.
fn was_late(
    incident: &Incident,
    root: &DatasetId,
    came: impl Fn(&DatasetId) -> Option<i64>,
    past: &mut BTreeMap<DatasetId, LateDataset>,
) {
    // What only broke a promise held up nothing.
    if was_overdue(incident) {
        let since = incident.since.as_second();
        let root_came = incident.arrived_at.map(Timestamp::as_second);
        past.entry(root.clone())
            .or_insert_with(|| gone(root, since, root_came.or(came(root))));
    }
    let members = incident.members.iter();
    for member in members.filter(|of| is_overdue(of.state) || of.breaches.is_empty()) {
        let id = &member.dataset_id;
        let since = member.since.as_second();
        let of = past.entry(id.clone());
        let of = of.or_insert_with(|| gone(id, since, came(id)));
        of.held_by.push(Held {
            root: root.clone(),
            hops: member.hops,
            has_missed_more: false,
        });
    }
}

/// Was the root awaited, and not only without what was promised of it?
fn was_overdue(incident: &Incident) -> bool {
    let was_awaited = incident.state == State::LateArrival || is_overdue(incident.state);
    was_awaited || incident.breaches.is_empty()
}

/// Marks what an incident still holds; tells whether any of it must be looked at.
fn hold(
    late: &mut [LateDataset],
    incident: &Incident,
    root: &DatasetId,
    root_came: Option<i64>,
) -> bool {
    let mut holds = false;
    let find = |late: &[LateDataset], id| late.binary_search_by(|of| of.dataset_id.cmp(id)).ok();
    let is_awaited = find(late, root).is_some_and(|place| late[place].is_overdue());
    let came_before = |since: i64| !is_awaited && root_came.is_none_or(|came| since > came);
    for member in &incident.members {
        let Some(place) = find(late, &member.dataset_id) else {
            continue;
        };
        let of = &mut late[place];
        // A feed that catches up is late with a newer cycle from look to look.
        if of.since == member.since.as_second() || !came_before(of.since) {
            of.held_by.push(Held {
                root: root.clone(),
                hops: member.hops,
                has_missed_more: of.n_overdue > member.n_overdue && came_before(of.newest.1),
            });
            holds |= of.needs_a_look();
        }
    }
    holds
}

/// A dataset that was late since an instant, and came.
fn gone(id: &DatasetId, since: i64, came: Option<i64>) -> LateDataset {
    LateDataset {
        arrived_at: came,
        is_past: true,
        ..LateDataset::new(id.clone(), State::LateArrival, since, since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::{DAY, HOUR};
    use crate::fit::to_timestamp;
    use crate::incidents::{EdgeLags, Incidents, advance, incidents};
    use crate::lineage::Lineage;

    const MIDNIGHT: i64 = 20_000 * DAY;

    fn id(name: &str) -> DatasetId {
        DatasetId::try_from(name).unwrap()
    }

    /// `fct`, late with a cycle that usually comes at 05:00; `stg*2`, with that of
    /// the next day too; `other@29`, with one of 05:00 on the next day; `stg+`, late
    /// until it came an hour ago.
    fn late(word: &str, now: i64) -> LateDataset {
        let (word, has_come) = match word.strip_suffix('+') {
            Some(word) => (word, true),
            None => (word, false),
        };
        let (word, n_overdue) = match word.split_once('*') {
            Some((word, n)) => (word, n.parse().unwrap()),
            None => (word, u32::from(!has_come)),
        };
        let (name, hour) = word.split_once('@').unwrap_or((word, "5"));
        let usual = MIDNIGHT + hour.parse::<i64>().unwrap() * HOUR;
        let newest = usual + i64::from(n_overdue.saturating_sub(1)) * DAY;
        let state = match has_come {
            true => State::LateArrival,
            false => State::Late,
        };
        LateDataset {
            cycle: "then".to_owned(),
            n_overdue,
            newest: (newest, newest + HOUR),
            arrived_at: has_come.then_some(now - HOUR),
            ..LateDataset::new(id(name), state, usual, usual + HOUR)
        }
    }

    /// Looks at `raw -> stg -> fct` and `other -> fct` at these hours, each with
    /// what was late; what is not came last an hour before the first look without it.
    #[track_caller]
    fn check_roots(looks: &[(i64, &str)], expected: &[&str]) {
        let edges = [("raw", "stg"), ("stg", "fct"), ("other", "fct")];
        let lineage = Lineage::new(edges.map(|(from, to)| (id(from), id(to)))).unwrap();
        let mut before: Vec<Followed> = Vec::new();
        let mut came: BTreeMap<DatasetId, i64> = BTreeMap::new();
        let mut told = Vec::new();
        for &(hour, words) in looks {
            let now = MIDNIGHT + hour * HOUR;
            let words = words.split_whitespace();
            let mut these: Vec<LateDataset> = words.map(|word| late(word, now)).collect();
            these.sort_by(|a, b| a.dataset_id.cmp(&b.dataset_id));
            for of in &these {
                came.remove(&of.dataset_id);
            }
            let last = |id: &DatasetId| Some(*came.get(id).unwrap_or(&(now - HOUR)));
            remember(&mut these, &before, last);
            let found: Incidents = incidents(&lineage, &these, &EdgeLags::default(), &[], now);
            for of in these.iter().filter(|of| of.is_past) {
                came.entry(of.dataset_id.clone()).or_insert(now - HOUR);
            }
            let roots: Vec<String> = found
                .incidents
                .iter()
                .map(|of| format!("{} {}", of.root.as_ref().unwrap(), of.n_late))
                .collect();
            told.push(format!("{hour}: {}", roots.join(", ")));
            before = advance(before, found, |_| None, |_| true, to_timestamp(now)).followed;
        }
        assert_eq!(told, expected);
    }

    #[test]
    fn what_waits_for_its_own_next_turn_stays_with_its_root() {
        check_roots(
            &[(12, "raw stg fct"), (28, "stg fct"), (29, "fct"), (30, "")],
            &["12: raw 3", "28: raw 2", "29: raw 1", "30: "],
        );
    }

    #[test]
    fn who_misses_a_further_cycle_is_late_on_its_own() {
        check_roots(
            &[(12, "raw stg"), (28, "stg"), (34, "stg*2")],
            &["12: raw 2", "28: raw 1", "34: stg 1"],
        );
    }

    #[test]
    fn what_was_missed_before_the_root_came_stays_with_it() {
        check_roots(
            &[(12, "raw stg"), (34, "stg*2"), (40, "stg*2")],
            &["12: raw 2", "34: raw 1", "40: raw 1"],
        );
    }

    #[test]
    fn a_further_cycle_that_something_else_holds_up_is_named_under_both() {
        check_roots(
            &[(12, "raw stg fct"), (28, "fct"), (35, "fct*2 other@28")],
            &["12: raw 3", "28: raw 1", "35: other 2, raw 0"],
        );
    }

    #[test]
    fn what_came_on_the_way_begins_nothing_new() {
        check_roots(
            &[(12, "raw stg fct"), (28, "stg+ fct"), (29, "stg+ fct")],
            &["12: raw 3", "28: raw 1", "29: raw 1"],
        );
    }

    #[test]
    fn what_was_late_an_hour_ago_explains_what_turns_late_now() {
        check_roots(
            &[(6, "raw"), (7, ""), (8, "stg")],
            &["6: raw 1", "7: ", "8: raw 1"],
        );
        // … also when it came between two looks, and over what came with it.
        check_roots(&[(6, "raw"), (7, "stg")], &["6: raw 1", "7: raw 1"]);
        check_roots(&[(6, "raw stg"), (7, "fct@6")], &["6: raw 2", "7: raw 1"]);
        // Hours later its child should have come.
        check_roots(
            &[(6, "raw"), (7, ""), (10, "stg")],
            &["6: raw 1", "7: ", "10: stg 1"],
        );
    }
}
