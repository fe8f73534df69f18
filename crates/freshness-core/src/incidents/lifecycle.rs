//! What becomes of an incident from check to check?
//!
//! It opens, grows, is acknowledged or silenced, is resolved, and perhaps opens
//! again. Its id comes from its root and the deadline that passed first, so that
//! every check of the same trouble says the same id. If what it began with turns
//! out to be late because of something further up, the incident moves there and
//! keeps its id; of several that turn out to be one, the oldest stays.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::followed::{Event, Followed, What};
use super::incident::{Incident, Incidents};
use crate::dataset::DatasetId;

/// What a check made of the incidents before it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Advanced {
    /// Those that stand, in the order in which they were found, and then those
    /// that have just ended.
    pub followed: Vec<Followed>,
    /// What happened, in that order.
    pub events: Vec<Event>,
}

/// An incident whose root is late again so soon after it was resolved is the
/// same one. Long enough for an hourly feed that comes and goes, and shorter
/// than a day, so that tomorrow's failure is a new one.
pub const REOPENS_WITHIN: SignedDuration = SignedDuration::from_hours(6);

/// So many datasets are named in an event.
const NAMED: usize = 20;

/// One check on. `before` are the incidents that stood, and those resolved
/// within [`REOPENS_WITHIN`]; `silenced` gives the number of the silence that
/// covers an incident; of a dataset of which `is_judged` is false nobody knows
/// whether it is late, so its incident stands.
pub fn advance(
    before: Vec<Followed>,
    found: Incidents,
    silenced: impl Fn(&Incident) -> Option<u64>,
    is_judged: impl Fn(&DatasetId) -> bool,
    now: Timestamp,
) -> Advanced {
    let mut advanced = Advanced::default();
    let mut standing = Before::new(before, now);
    let mut taken: Vec<Option<Followed>> = found
        .incidents
        .iter()
        .map(|incident| standing.take(incident.root.as_ref()))
        .collect();
    // What stood on its own may be below one of today's roots.
    let mut merged: Vec<Vec<Followed>> = Vec::with_capacity(taken.len());
    for (incident, taken) in found.incidents.iter().zip(&mut taken) {
        let mut below = standing.take_below(incident);
        if taken.is_none() && !below.is_empty() {
            *taken = Some(below.remove(0));
        }
        merged.push(below);
    }
    let mut ended: Vec<Followed> = Vec::new();
    for ((incident, was), merged) in found.incidents.into_iter().zip(taken).zip(merged) {
        let silence = silenced(&incident);
        let followed = one_on(was, incident, silence, now, &mut advanced.events);
        for mut other in merged {
            advanced.events.push(Event {
                incident: other.id.clone(),
                at: now,
                what: What::Merged {
                    into: followed.id.clone(),
                },
            });
            other.resolved_at = Some(now);
            ended.push(other);
        }
        advanced.followed.push(followed);
    }
    for mut gone in standing.open() {
        let root = gone.incident.root.as_ref();
        if root.is_some_and(|root| !is_judged(root)) {
            advanced.followed.push(gone);
            continue;
        }
        gone.resolved_at = Some(now);
        advanced.events.push(Event {
            incident: gone.id.clone(),
            at: now,
            what: What::Resolved {
                n_late_most: gone.n_late_most,
            },
        });
        ended.push(gone);
    }
    advanced.followed.extend(ended);
    advanced
}

/// The incidents of the check before, by root.
struct Before {
    /// Not resolved, the oldest first.
    open: BTreeMap<Option<DatasetId>, Followed>,
    /// Resolved so recently that they may open again.
    recent: BTreeMap<Option<DatasetId>, Followed>,
}

impl Before {
    fn new(before: Vec<Followed>, now: Timestamp) -> Before {
        let (mut open, mut recent) = (BTreeMap::new(), BTreeMap::new());
        for followed in before {
            let root = followed.incident.root.clone();
            match followed.resolved_at {
                None => drop(open.insert(root, followed)),
                Some(at) if now.duration_since(at) <= REOPENS_WITHIN => {
                    // Of several the one resolved last.
                    let slot = recent.entry(root).or_insert_with(|| followed.clone());
                    if slot.resolved_at < followed.resolved_at {
                        *slot = followed;
                    }
                }
                Some(_) => {}
            }
        }
        Before { open, recent }
    }

    /// The one with this root.
    fn take(&mut self, root: Option<&DatasetId>) -> Option<Followed> {
        let root = root.cloned();
        let found = self.open.remove(&root);
        found.or_else(|| self.recent.remove(&root))
    }

    /// Those whose root an incident explains now, the oldest first.
    fn take_below(&mut self, incident: &Incident) -> Vec<Followed> {
        let mut below: Vec<Followed> = match self.open.is_empty() {
            true => Vec::new(),
            false => incident
                .members
                .iter()
                .filter(|member| member.counted)
                .filter_map(|member| self.open.remove(&Some(member.dataset_id.clone())))
                .collect(),
        };
        below.sort_by(|a, b| (a.opened_at, &a.id).cmp(&(b.opened_at, &b.id)));
        below
    }

    fn open(self) -> impl Iterator<Item = Followed> {
        self.open.into_values()
    }
}

/// An incident that was found, with what it was before.
fn one_on(
    was: Option<Followed>,
    incident: Incident,
    silence: Option<u64>,
    now: Timestamp,
    events: &mut Vec<Event>,
) -> Followed {
    let n_late = incident.n_late;
    let id = match &was {
        Some(was) => was.id.clone(),
        None => id_of(&incident),
    };
    let mut tell = |what: What| {
        events.push(Event {
            incident: id.clone(),
            at: now,
            what,
        });
    };
    let mut ack = None;
    let mut was_silence = None;
    let (mut opened_at, mut n_late_most) = (now, n_late);
    match was {
        None => tell(What::Opened { n_late }),
        Some(was) => {
            opened_at = was.opened_at;
            n_late_most = n_late_most.max(was.n_late_most);
            if was.resolved_at.is_some() {
                // Whoever looked after it was done.
                tell(What::Reopened { n_late });
            } else {
                if was.incident.root != incident.root {
                    tell(What::Moved {
                        from: was.incident.root.clone(),
                        to: incident.root.clone(),
                    });
                }
                if let Some(grew) = growth(&was.incident, &incident) {
                    tell(grew);
                }
                was_silence = was.silence;
                ack = was.ack;
            }
        }
    }
    if let Some(over) = ack.take_if(|ack| !ack.holds(now)) {
        tell(What::AckEnded { by: over.by });
    }
    match (was_silence, silence) {
        (before, Some(silence)) if before != Some(silence) => tell(What::Silenced { silence }),
        (Some(_), None) => tell(What::Unsilenced),
        _ => {}
    }
    Followed {
        id,
        incident,
        opened_at,
        resolved_at: None,
        n_late_most,
        ack,
        silence,
    }
}

/// What it explains now and did not before.
fn growth(was: &Incident, is: &Incident) -> Option<What> {
    let known: BTreeSet<&DatasetId> = was
        .members
        .iter()
        .map(|member| &member.dataset_id)
        .chain(&was.root)
        .collect();
    let new: Vec<&DatasetId> = is
        .members
        .iter()
        .map(|member| &member.dataset_id)
        .filter(|id| !known.contains(id))
        .collect();
    (!new.is_empty()).then(|| What::Grew {
        n_more: new.len() as u64,
        datasets: new.into_iter().take(NAMED).cloned().collect(),
        n_late: is.n_late,
    })
}

/// Ten digits that follow from the root and the deadline that passed first:
/// the hash of Fowler, Noll and Vo (FNV-1a, 64 bits, folded to 40).
fn id_of(incident: &Incident) -> String {
    // No dataset has white space at its end.
    let name = incident.root.as_ref().map_or("feed ", DatasetId::as_str);
    let since = incident.since.as_second().to_be_bytes();
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in name.bytes().chain(since) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{:010x}", (hash >> 40 ^ hash) & 0xff_ffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::{DAY, HOUR};
    use crate::fit::to_timestamp;
    use crate::incidents::{Ack, IncidentKind, Member, OtherRoots};
    use crate::state::{Severity, State};

    const MIDNIGHT: i64 = 20_000 * DAY;

    fn id(name: &str) -> DatasetId {
        DatasetId::try_from(name).unwrap()
    }

    fn hour(hour: i64) -> Timestamp {
        to_timestamp(MIDNIGHT + hour * HOUR)
    }

    /// `raw: stg fct` is a root and what it explains.
    fn incident(text: &str) -> Incident {
        let (root, members) = text.split_once(':').unwrap_or((text, ""));
        let members: Vec<Member> = members
            .split_whitespace()
            .map(|name| Member {
                dataset_id: id(name),
                hops: 1,
                state: State::Late,
                since: hour(6),
                n_overdue: 1,
                breaches: Vec::new(),
                counted: true,
                also: OtherRoots::new(),
                more: false,
                wait: None,
            })
            .collect();
        Incident {
            kind: IncidentKind::Root,
            root: Some(id(root)),
            state: State::Late,
            severity: Some(Severity::Warning),
            cycle: None,
            breaches: Vec::new(),
            since: hour(6),
            arrived_at: None,
            n_late: members.len() as u64 + 1,
            members,
            bottleneck: None,
        }
    }

    /// Checks at these hours found these; an ack at an hour begins with `ack`,
    /// `silenced` begins one that is silenced, `unjudged` what cannot be judged.
    #[track_caller]
    fn check_story(checks: &[(i64, &[&str])], expected: &[&str]) {
        let mut before: Vec<Followed> = Vec::new();
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut story: Vec<String> = Vec::new();
        for &(at, found) in checks {
            let (mut incidents, mut silenced, mut unjudged) = (Vec::new(), Vec::new(), Vec::new());
            for words in found {
                match words.split_once(' ') {
                    Some(("ack", root)) => {
                        let of = before
                            .iter_mut()
                            .find(|of| of.incident.root == Some(id(root)));
                        of.unwrap().ack = Some(Ack {
                            by: "ana".to_owned(),
                            why: "known".to_owned(),
                            at: hour(at),
                            until: Some(hour(at + 2)),
                        });
                    }
                    Some(("unjudged", root)) => unjudged.push(id(root)),
                    Some(("silenced", rest)) => {
                        let quiet = incident(rest);
                        silenced.extend(quiet.root.clone());
                        incidents.push(quiet);
                    }
                    _ => incidents.push(incident(words)),
                }
            }
            let found = Incidents {
                n_late: incidents.iter().map(|incident| incident.n_late).sum(),
                incidents,
            };
            let advanced = advance(
                before,
                found,
                |incident| silenced.contains(incident.root.as_ref()?).then_some(7),
                |id| !unjudged.contains(id),
                hour(at),
            );
            for Event { incident, what, .. } in &advanced.events {
                let of = advanced
                    .followed
                    .iter()
                    .find(|of| of.id == *incident)
                    .unwrap();
                let name = names
                    .entry(incident.clone())
                    .or_insert_with(|| of.incident.root.as_ref().unwrap().to_string());
                let what = match what {
                    What::Opened { n_late } => format!("opened with {n_late}"),
                    What::Grew { datasets, .. } => format!("grew by {}", datasets[0]),
                    What::Moved { to, .. } => format!("moved to {}", to.as_ref().unwrap()),
                    What::Merged { .. } => "merged".to_owned(),
                    What::Acknowledged { by, .. } => format!("acknowledged by {by}"),
                    What::AckEnded { by } => format!("ack of {by} ended"),
                    What::Silenced { silence } => format!("silenced by {silence}"),
                    What::Unsilenced => "heard again".to_owned(),
                    What::Resolved { n_late_most } => format!("resolved, {n_late_most} at most"),
                    What::Reopened { n_late } => format!("reopened with {n_late}"),
                };
                story.push(format!("{at}: {name} {what}"));
            }
            before = advanced.followed;
        }
        assert_eq!(story, expected);
    }

    #[test]
    fn an_incident_opens_grows_and_is_resolved_under_one_id() {
        check_story(
            &[
                (7, &["raw: stg"]),
                (8, &["raw: stg fct"]),
                (9, &["raw: fct"]),
                (10, &[]),
            ],
            &[
                "7: raw opened with 2",
                "8: raw grew by fct",
                "10: raw resolved, 3 at most",
            ],
        );
    }

    #[test]
    fn what_turns_out_to_have_begun_further_up_keeps_its_id() {
        check_story(
            &[(7, &["stg: fct"]), (8, &["raw: stg fct"]), (9, &[])],
            &[
                "7: stg opened with 2",
                "8: stg moved to raw",
                "9: stg resolved, 3 at most",
            ],
        );
    }

    #[test]
    fn two_that_turn_out_to_be_one_are_merged_into_the_older() {
        check_story(
            &[(6, &["a"]), (7, &["a", "b"]), (8, &["raw: a b"])],
            &[
                "6: a opened with 1",
                "7: b opened with 1",
                "8: a moved to raw",
                "8: a grew by b",
                "8: b merged",
            ],
        );
    }

    #[test]
    fn it_opens_again_within_six_hours_and_not_after() {
        check_story(
            &[(7, &["raw"]), (8, &[]), (14, &["raw"])],
            &[
                "7: raw opened with 1",
                "8: raw resolved, 1 at most",
                "14: raw reopened with 1",
            ],
        );
        check_story(
            &[(7, &["raw"]), (8, &[]), (15, &["raw"])],
            &[
                "7: raw opened with 1",
                "8: raw resolved, 1 at most",
                "15: raw opened with 1",
            ],
        );
    }

    #[test]
    fn an_ack_ends_with_its_time() {
        check_story(
            &[
                (7, &["raw"]),
                (8, &["ack raw", "raw"]),
                (9, &["raw"]),
                (10, &["raw"]),
            ],
            &["7: raw opened with 1", "10: raw ack of ana ended"],
        );
    }

    #[test]
    fn a_silence_is_told_when_it_begins_and_ends() {
        check_story(
            &[
                (7, &["silenced raw"]),
                (8, &["silenced raw"]),
                (9, &["raw"]),
            ],
            &[
                "7: raw opened with 1",
                "7: raw silenced by 7",
                "9: raw heard again",
            ],
        );
    }

    #[test]
    fn what_cannot_be_judged_is_not_resolved() {
        check_story(
            &[(7, &["raw"]), (8, &["unjudged raw"]), (9, &[])],
            &["7: raw opened with 1", "9: raw resolved, 1 at most"],
        );
    }
}
