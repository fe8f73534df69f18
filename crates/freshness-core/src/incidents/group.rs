//! Which late datasets are one incident?
//!
//! Those under one root. A late dataset is counted in one incident, that of its
//! nearest root, and named in those of its others too.

use jiff::Timestamp;

use super::attribute::{Attribution, attribute};
use super::incident::{Bottleneck, Incident, IncidentKind, Incidents, Member, Wait};
use super::lag::EdgeLags;
use super::late::LateDataset;
use super::mass::{Feed, Mass, mass};
use crate::fit::to_timestamp;
use crate::lineage::Lineage;
use crate::state::{Severity, State};

/// Groups late datasets into incidents. `late` is sorted by name; `feeds` are
/// all datasets that have a model, late or not; `now` is UTC seconds.
pub fn incidents(
    lineage: &Lineage,
    late: &[LateDataset],
    lags: &EdgeLags,
    feeds: &[Feed],
    now: i64,
) -> Incidents {
    let attribution = attribute(lineage, late, lags, now);
    let mass = suspect_feed(late, &attribution, feeds, now);
    let in_mass = |root: u32| {
        let root = &late[root as usize];
        mass.is_some_and(|mass| root.is_overdue() && (mass.from..=mass.to).contains(&root.since))
    };
    let mut groups = groups_for(late, &attribution);
    let mut suspect = Group::default();
    for (i, dataset) in late
        .iter()
        .enumerate()
        .filter(|(_, late)| late.needs_a_look())
    {
        let claims = attribution.claims(i);
        for (nth, claim) in claims.iter().enumerate() {
            // One place among the many, whichever of them explain it.
            if in_mass(claim.root) {
                if !claims[..nth].iter().any(|before| in_mass(before.root)) {
                    suspect.add(late, &attribution, i, nth);
                }
                continue;
            }
            if claim.hops > 0 {
                groups[claim.root as usize].add(late, &attribution, i, nth);
            } else {
                let group = &mut groups[i];
                group.n_late += 1;
                group.severity = group.severity.max(dataset.severity);
            }
        }
    }
    let mut told: Vec<Incident> = Vec::new();
    for (i, group) in groups.into_iter().enumerate() {
        if attribution.is_root(i) && !in_mass(i as u32) && !group.is_empty() {
            told.push(group.about(late, &attribution, i));
        }
    }
    told.extend(mass.map(|mass| suspect.about_feed(late, &attribution, mass)));
    told.sort_by(|a, b| {
        let key = |of: &Incident| (of.severity, of.n_late);
        let age = |of: &Incident| (of.since, of.root.clone());
        key(b).cmp(&key(a)).then_with(|| age(a).cmp(&age(b)))
    });
    Incidents {
        incidents: told,
        n_late: late.iter().filter(|late| late.needs_a_look()).count() as u64,
    }
}

/// An empty group for each late dataset, with room for what it explains.
fn groups_for(late: &[LateDataset], attribution: &Attribution) -> Vec<Group> {
    let mut n_members = vec![0; late.len()];
    for i in (0..late.len()).filter(|&i| late[i].is_overdue()) {
        for claim in attribution.claims(i).iter().filter(|claim| claim.hops > 0) {
            n_members[claim.root as usize] += 1;
        }
    }
    let group = |n_members| Group {
        members: Vec::with_capacity(n_members),
        ..Group::default()
    };
    n_members.into_iter().map(group).collect()
}

fn suspect_feed(
    late: &[LateDataset],
    attribution: &Attribution,
    feeds: &[Feed],
    now: i64,
) -> Option<Mass> {
    // What another explains says nothing of its own.
    let on_their_own = feeds
        .iter()
        .filter(|feed| feed.late.is_none_or(|i| attribution.is_root(i)));
    let feeds: Vec<(Feed, Option<i64>)> = on_their_own
        .map(|feed| {
            let late = feed.late.map(|i| &late[i]).filter(|late| late.is_overdue());
            (*feed, late.map(|late| late.since))
        })
        .collect();
    mass(&feeds, now)
}

/// What belongs to a root.
#[derive(Debug, Default)]
struct Group {
    n_late: u64,
    severity: Option<Severity>,
    members: Vec<Entry>,
    /// How long the slowest member takes, and over which edge.
    slowest: Option<(i32, (u32, u32, i32))>,
}

/// A member before it is told: sorted, members are nearest first and by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    hops: u32,
    /// Which late dataset.
    late: u32,
    /// For which of its claims.
    nth: u32,
}

impl Entry {
    fn told(self, late: &[LateDataset], attribution: &Attribution) -> Member {
        let i = self.late as usize;
        let claims = attribution.claims(i);
        let claim = claims[self.nth as usize];
        // Elsewhere it is enough to say where it is counted.
        let others = match self.nth {
            0 => &claims[1..],
            _ => &claims[..1],
        };
        Member {
            dataset_id: late[i].dataset_id.clone(),
            hops: claim.hops,
            state: late[i].state,
            since: to_timestamp(late[i].since),
            n_overdue: late[i].n_overdue,
            breaches: late[i].breaches.clone(),
            counted: self.nth == 0,
            also: others
                .iter()
                .map(|other| late[other.root as usize].dataset_id.clone())
                .collect(),
            more: attribution.has_more(i),
            wait: claim.wait.map(|(from_seconds, to_seconds)| Wait {
                from_seconds: i64::from(from_seconds),
                to_seconds: i64::from(to_seconds),
            }),
        }
    }
}

impl Group {
    fn is_empty(&self) -> bool {
        self.n_late == 0 && self.members.is_empty()
    }

    /// Adds late dataset `i` for its `nth` claim.
    fn add(&mut self, late: &[LateDataset], attribution: &Attribution, i: usize, nth: usize) {
        let claim = attribution.claims(i)[nth];
        if nth == 0 {
            self.n_late += 1;
            self.severity = self.severity.max(late[i].severity);
        }
        if let (Some((_, to)), Some(edge)) = (claim.wait, claim.slowest)
            && self.slowest.is_none_or(|(longest, _)| to > longest)
        {
            self.slowest = Some((to, edge));
        }
        self.members.push(Entry {
            hops: claim.hops,
            late: i as u32,
            nth: nth as u32,
        });
    }

    fn about(self, late: &[LateDataset], attribution: &Attribution, root: usize) -> Incident {
        let of = &late[root];
        let below = attribution.below(root);
        let kind = match below {
            Some(below) => IncidentKind::Secondary {
                below: late[below].dataset_id.clone(),
            },
            None => IncidentKind::Root,
        };
        Incident {
            kind,
            root: Some(of.dataset_id.clone()),
            state: of.state,
            severity: self.severity.max(of.severity),
            cycle: (!of.is_past && !of.is_only_broken()).then(|| of.cycle.clone()),
            breaches: of.breaches.clone(),
            since: to_timestamp(of.since),
            arrived_at: of.arrived_at.map(to_timestamp),
            ..self.told(late, attribution)
        }
    }

    fn about_feed(self, late: &[LateDataset], attribution: &Attribution, mass: Mass) -> Incident {
        let since = |entry: &Entry| late[entry.late as usize].since;
        let began = self.members.iter().filter(|entry| entry.hops == 0);
        let first = began.map(since).min();
        Incident {
            kind: IncidentKind::Feed { mass },
            since: to_timestamp(first.unwrap_or(mass.from)),
            severity: self.severity,
            ..self.told(late, attribution)
        }
    }

    fn told(mut self, late: &[LateDataset], attribution: &Attribution) -> Incident {
        self.members.sort_unstable();
        let members = self.members.iter();
        let members = members.map(|entry| entry.told(late, attribution)).collect();
        let named = |i: u32| late[i as usize].dataset_id.clone();
        Incident {
            kind: IncidentKind::Root,
            root: None,
            state: State::Late,
            severity: None,
            cycle: None,
            breaches: Vec::new(),
            since: Timestamp::UNIX_EPOCH,
            arrived_at: None,
            n_late: self.n_late,
            members,
            bottleneck: self
                .slowest
                .map(|(_, (upstream, downstream, lag))| Bottleneck {
                    upstream: named(upstream),
                    downstream: named(downstream),
                    lag_seconds: i64::from(lag),
                }),
        }
    }
}

#[cfg(test)]
mod tests;
