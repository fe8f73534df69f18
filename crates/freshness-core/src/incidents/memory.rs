//! What do incidents before today's look still explain?
//!
//! A root that misses a whole cycle and delivers the next one is on time again,
//! while what is made from it stays late until its own next turn. Nothing went
//! wrong with it since: it stays in its incident until a further cycle passes.
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
        if let Some(over) = resolved_at {
            was_late(incident, root, *over, &mut past);
        } else if hold(late, incident, root, last_arrival(root)) {
            let since = incident.since.as_second();
            let mut of = gone(root, since, last_arrival(root));
            // It is held by name, not by the cycle it was late with.
            of.usual_from = i64::MAX;
            past.insert(root.clone(), of);
        }
    }
    let is_late = |id: &DatasetId| late.binary_search_by(|of| of.dataset_id.cmp(id)).is_ok();
    past.retain(|id, _| !is_late(id));
    if !past.is_empty() {
        late.extend(past.into_values());
        late.sort_unstable_by(|a, b| a.dataset_id.cmp(&b.dataset_id));
    }
}

/// Everything of an incident that is over.
fn was_late(
    incident: &Incident,
    root: &DatasetId,
    over: Timestamp,
    past: &mut BTreeMap<DatasetId, LateDataset>,
) {
    let over = Some(over.as_second());
    // What only broke a promise held up nothing.
    let members = incident.members.iter();
    let members = members.filter(|of| is_overdue(of.state) || of.breaches.is_empty());
    let members = members.map(|member| (&member.dataset_id, member.since));
    let was_overdue = incident.state == State::LateArrival || is_overdue(incident.state);
    let began = (was_overdue || incident.breaches.is_empty()).then_some((root, incident.since));
    for (id, since) in members.chain(began) {
        past.entry(id.clone())
            .or_insert_with(|| gone(id, since.as_second(), over));
    }
}

/// Marks what an incident still holds; tells whether there is any.
fn hold(
    late: &mut [LateDataset],
    incident: &Incident,
    root: &DatasetId,
    root_came: Option<i64>,
) -> bool {
    let mut holds = false;
    for member in incident.members.iter().filter(|member| member.counted) {
        let place = late.binary_search_by(|of| of.dataset_id.cmp(&member.dataset_id));
        let Ok(place) = place else { continue };
        let of = &mut late[place];
        // A feed that catches up is late with a newer cycle from look to look.
        let is_of_then =
            of.since == member.since.as_second() || root_came.is_some_and(|came| of.since <= came);
        if of.needs_a_look() && is_of_then && of.n_overdue <= member.n_overdue {
            of.held_by = Some(Held {
                root: root.clone(),
                hops: member.hops,
            });
            holds = true;
        }
    }
    holds
}

/// A dataset that was late since an instant, and came.
fn gone(id: &DatasetId, since: i64, came: Option<i64>) -> LateDataset {
    LateDataset {
        dataset_id: id.clone(),
        state: State::LateArrival,
        severity: None,
        cycle: String::new(),
        since,
        usual_from: since,
        usual_by: since,
        n_overdue: 0,
        arrived_at: came,
        is_past: true,
        held_by: None,
        breaches: Vec::new(),
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

    /// Late with the cycle of a day that usually comes at 05:00.
    fn late(name: &str, n_overdue: u32) -> LateDataset {
        let usual = MIDNIGHT + 5 * HOUR;
        LateDataset {
            dataset_id: id(name),
            state: State::Late,
            severity: None,
            cycle: "then".to_owned(),
            since: usual + HOUR,
            usual_from: usual,
            usual_by: usual,
            n_overdue,
            arrived_at: None,
            is_past: false,
            held_by: None,
            breaches: Vec::new(),
        }
    }

    /// Looks at `raw -> stg -> fct` at these hours, each with what was late; a
    /// dataset came last an hour before the first look without it.
    #[track_caller]
    fn check_roots(looks: &[(i64, &[(&str, u32)])], expected: &[&str]) {
        let edges = [("raw", "stg"), ("stg", "fct")];
        let lineage = Lineage::new(edges.map(|(from, to)| (id(from), id(to)))).unwrap();
        let mut before: Vec<Followed> = Vec::new();
        let mut told = Vec::new();
        for &(hour, names) in looks {
            let now = MIDNIGHT + hour * HOUR;
            let mut these: Vec<LateDataset> = names
                .iter()
                .map(|&(name, n_overdue)| late(name, n_overdue))
                .collect();
            these.sort_by(|a, b| a.dataset_id.cmp(&b.dataset_id));
            remember(&mut these, &before, |_| Some(now - HOUR));
            let found: Incidents = incidents(&lineage, &these, &EdgeLags::default(), &[], now);
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
            &[
                (12, &[("raw", 1), ("stg", 1), ("fct", 1)]),
                (28, &[("stg", 1), ("fct", 1)]),
                (29, &[("fct", 1)]),
                (30, &[]),
            ],
            &["12: raw 3", "28: raw 2", "29: raw 1", "30: "],
        );
    }

    #[test]
    fn who_misses_a_further_cycle_is_late_on_its_own() {
        check_roots(
            &[(12, &[("raw", 1), ("stg", 1)]), (34, &[("stg", 2)])],
            &["12: raw 2", "34: stg 1"],
        );
    }

    #[test]
    fn what_was_late_an_hour_ago_explains_what_turns_late_now() {
        check_roots(
            &[(6, &[("raw", 1)]), (7, &[]), (8, &[("stg", 1)])],
            &["6: raw 1", "7: ", "8: raw 1"],
        );
        // Hours later its child should have come.
        check_roots(
            &[(6, &[("raw", 1)]), (7, &[]), (10, &[("stg", 1)])],
            &["6: raw 1", "7: ", "10: stg 1"],
        );
    }
}
