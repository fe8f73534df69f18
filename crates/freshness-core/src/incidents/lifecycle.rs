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
mod tests;
