//! Is the right dataset blamed, and do the others come when it is said?
//!
//! The holdout is walked as it would be lived: models and lags learned anew
//! every week from the past alone, and every hour a look that groups what is
//! late into incidents and follows them. The truth says where each late cycle
//! began.

mod counted;

use std::collections::BTreeMap;
use std::convert::Infallible;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::{DAY, HOUR, Holidays};
use freshness_core::dataset::DatasetId;
use freshness_core::fit::{Model, Parameters, fit};
use freshness_core::incidents::{
    Attribution, EdgeLag, EdgeLags, Feed, Followed, IncidentKind, Incidents, LateDataset, Odds,
    REOPENS_WITHIN, Wait, What, advance, attribute, comparable_since, incidents, learn_edge,
    remember, served,
};
use freshness_core::lineage::Lineage;
use freshness_core::state::{DatasetState, Upstream, judge, parents_first};
use jiff::Timestamp;

pub use counted::{RootCause, RootCauseRates};

use super::{Subject, in_parallel};
use crate::truth::CycleTruth;

/// Seconds from one look to the next, and from one fit to the next.
const LOOK: i64 = HOUR;
const REFIT: i64 = 7 * DAY;
/// What a check reads of a history.
const TAIL: (i64, usize) = (2 * DAY, 48);

/// Walks the days `[from, to)` (UTC seconds). The subjects are sorted by name.
pub fn root_cause(
    subjects: &[Subject<'_>],
    lineage: &Lineage,
    (from, to): (i64, i64),
    holidays: &Holidays,
    parameters: &Parameters,
    n_threads: usize,
) -> RootCause {
    let mut walk = Walk {
        subjects,
        lineage,
        holidays,
        counted: RootCause::default(),
        seen: BTreeMap::new(),
        followed: Vec::new(),
        late_at: BTreeMap::new(),
    };
    let mut fitted_at = from;
    while fitted_at < to {
        let learned = Learned::new(
            subjects, lineage, holidays, parameters, fitted_at, n_threads,
        );
        let until = (fitted_at + REFIT).min(to);
        let mut now = fitted_at + LOOK;
        while now <= until {
            walk.look(&learned, now);
            now += LOOK;
        }
        fitted_at = until;
    }
    walk.end()
}

/// What is late at an instant, by models of the same instant.
pub fn incidents_at(
    subjects: &[Subject<'_>],
    lineage: &Lineage,
    now: i64,
    holidays: &Holidays,
    parameters: &Parameters,
    n_threads: usize,
) -> Incidents {
    let learned = Learned::new(subjects, lineage, holidays, parameters, now, n_threads);
    let seen = Seen::new(subjects, &learned, lineage, holidays, &[], now);
    incidents(lineage, &seen.late, &learned.lags, &seen.feeds, now)
}

/// What was learned by one fit.
struct Learned {
    models: Vec<Model>,
    lags: EdgeLags,
}

impl Learned {
    fn new(
        subjects: &[Subject<'_>],
        lineage: &Lineage,
        holidays: &Holidays,
        parameters: &Parameters,
        as_of: i64,
        n_threads: usize,
    ) -> Learned {
        let models = in_parallel(subjects, n_threads, |subject| {
            fit(
                subject.dataset,
                subject.history,
                holidays,
                as_of,
                parameters,
            )
        });
        let lags = lags(subjects, &models, lineage, holidays, as_of);
        let named = lags.iter().map(|&(parent, child, lag)| {
            let name = |i: usize| subjects[i].dataset.id.as_str();
            (name(parent), name(child), lag)
        });
        Learned {
            lags: EdgeLags::new(lineage, named),
            models,
        }
    }
}

fn lags(
    subjects: &[Subject<'_>],
    models: &[Model],
    lineage: &Lineage,
    holidays: &Holidays,
    as_of: i64,
) -> Vec<(usize, usize, EdgeLag)> {
    let mut lags = Vec::new();
    for (child, subject) in subjects.iter().enumerate() {
        let parents = lineage.parents(subject.dataset.id.as_str());
        let parents: Vec<usize> = parents.filter_map(|id| place(subjects, id)).collect();
        let since = |parent: &usize| comparable_since(&models[*parent], &models[child], as_of);
        let Some(since) = parents.iter().map(since).min() else {
            continue;
        };
        let of_child = served(&models[child], subject.history, holidays, since, as_of);
        for parent in parents {
            let lag = learn_edge(
                (&models[parent], subjects[parent].history),
                (&models[child], &of_child),
                as_of,
            );
            lags.extend(lag.map(|lag| (parent, child, lag)));
        }
    }
    lags
}

/// What one look sees.
struct Seen {
    /// What is late, by name.
    late: Vec<LateDataset>,
    feeds: Vec<Feed>,
    /// The start of the cycle that each subject is judged by.
    starts: Vec<i64>,
}

impl Seen {
    fn new(
        subjects: &[Subject<'_>],
        learned: &Learned,
        lineage: &Lineage,
        holidays: &Holidays,
        before: &[Followed],
        now: i64,
    ) -> Seen {
        let states = judge_all(subjects, learned, lineage, holidays, now);
        let last_arrival = |i: usize| states[i].last_arrival.map(Timestamp::as_second);
        let mut late: Vec<LateDataset> = states.iter().filter_map(LateDataset::of).collect();
        remember(&mut late, before, |id| last_arrival(place(subjects, id)?));
        let feeds = subjects.iter().enumerate().map(|(i, subject)| Feed {
            last_arrival: last_arrival(i),
            odds: Odds::of(&learned.models[i]),
            late: late
                .binary_search_by(|of| of.dataset_id.cmp(&subject.dataset.id))
                .ok(),
        });
        let starts = states.iter().map(|state| {
            let cycle = state.current.as_ref();
            cycle.map_or(0, |cycle| cycle.cycle_start.as_second())
        });
        Seen {
            feeds: feeds.collect(),
            starts: starts.collect(),
            late,
        }
    }
}

/// As a check does: parents first.
fn judge_all(
    subjects: &[Subject<'_>],
    learned: &Learned,
    lineage: &Lineage,
    holidays: &Holidays,
    now: i64,
) -> Vec<DatasetState> {
    let ids: Vec<&DatasetId> = subjects.iter().map(|subject| &subject.dataset.id).collect();
    let look = |place: usize, upstream: &[Upstream]| {
        let (subject, model) = (&subjects[place], &learned.models[place]);
        let at_least = model.n_arrivals_of(TAIL.1);
        let recent = subject.history.recent(now, now - TAIL.0, at_least);
        let dataset = subject.dataset;
        let state = judge(dataset, Some(model), &recent, holidays, upstream, now);
        let overdue = Upstream::now(&state, model);
        Ok::<_, Infallible>((state, overdue))
    };
    let Ok(judged) = parents_first(lineage, &ids, look, |(_, overdue)| overdue.clone());
    judged.into_iter().map(|(state, _)| state).collect()
}

/// The place of a dataset.
fn place(subjects: &[Subject<'_>], id: &DatasetId) -> Option<usize> {
    let found = subjects.binary_search_by(|subject| subject.dataset.id.cmp(id));
    found.ok()
}

/// What is known of a cycle that is or was late.
struct Late {
    root_was_seen: bool,
    is_named_at_once: bool,
    is_named: bool,
    /// What was told of its recovery last: when, the root, and how long after
    /// it.
    told: Option<(i64, usize, Wait)>,
}

struct Walk<'a> {
    subjects: &'a [Subject<'a>],
    lineage: &'a Lineage,
    holidays: &'a Holidays,
    counted: RootCause,
    /// By dataset and start of the cycle.
    seen: BTreeMap<(usize, i64), Option<Late>>,
    followed: Vec<Followed>,
    /// When a dataset was seen late last.
    late_at: BTreeMap<DatasetId, i64>,
}

impl Walk<'_> {
    fn look(&mut self, learned: &Learned, now: i64) {
        let seen = Seen::new(
            self.subjects,
            learned,
            self.lineage,
            self.holidays,
            &self.followed,
            now,
        );
        let datasets = &seen.late;
        let late: Vec<(usize, i64, LateDataset)> = datasets
            .iter()
            .filter_map(|of| {
                let i = place(self.subjects, &of.dataset_id)?;
                Some((i, seen.starts[i], of.clone()))
            })
            .collect();
        let attribution = attribute(self.lineage, datasets, &learned.lags, now);
        let found = incidents(self.lineage, datasets, &learned.lags, &seen.feeds, now);
        for (.., of) in late.iter().filter(|(.., of)| !of.is_past) {
            self.late_at.insert(of.dataset_id.clone(), now);
        }
        self.name(&late, &attribution, now);
        self.expect(&late, &found, now);
        self.page(&late, found, now);
    }

    /// Is each late cycle under the dataset it began with?
    fn name(&mut self, late: &[(usize, i64, LateDataset)], attribution: &Attribution, now: i64) {
        for (place, (i, start, of)) in late.iter().enumerate() {
            if !of.is_overdue() {
                continue;
            }
            let began = self.cycle(*i, of).and_then(|cycle| cycle.incident.clone());
            let root = began.map(|incident| incident.root);
            let entry = self.seen.entry((*i, *start));
            let Some(root) = root else {
                entry.or_insert(None);
                continue;
            };
            let mut claims = attribution.claims(place).iter();
            let is_named = claims.any(|claim| late[claim.root as usize].2.dataset_id == root);
            let seen = entry.or_insert(None).get_or_insert(Late {
                root_was_seen: false,
                is_named_at_once: is_named,
                is_named,
                told: None,
            });
            seen.is_named = is_named;
            let was_late = self.late_at.get(&root);
            seen.root_was_seen |= was_late.is_some_and(|at| now - at <= REOPENS_WITHIN.as_secs());
        }
    }

    /// Keeps what is told of recoveries while their roots are awaited.
    fn expect(&mut self, late: &[(usize, i64, LateDataset)], found: &Incidents, now: i64) {
        let place = |id| {
            let found = late.binary_search_by(|(.., of)| of.dataset_id.cmp(id));
            found.ok().map(|place| &late[place])
        };
        for incident in &found.incidents {
            let Some((root, ..)) = incident.root.as_ref().and_then(place) else {
                continue;
            };
            if incident.arrived_at.is_some() {
                continue;
            }
            for member in incident.members.iter().filter(|member| member.counted) {
                let of = place(&member.dataset_id).zip(member.wait);
                let Some(((i, start, _), wait)) = of else {
                    continue;
                };
                if let Some(Some(seen)) = self.seen.get_mut(&(*i, *start)) {
                    seen.told = Some((now, *root, wait));
                }
            }
        }
    }

    /// Follows the incidents and counts those that open.
    fn page(&mut self, late: &[(usize, i64, LateDataset)], found: Incidents, now: i64) {
        let now = Timestamp::from_second(now).unwrap_or_default();
        let before = std::mem::take(&mut self.followed);
        let advanced = advance(before, found, |_| None, |_| true, now);
        for event in &advanced.events {
            if !matches!(event.what, What::Opened { .. }) {
                continue;
            }
            let followed = advanced.followed.iter().find(|of| of.id == event.incident);
            let Some(Followed { incident, .. }) = followed else {
                continue;
            };
            self.counted.n_pages += 1;
            let is_feed = matches!(incident.kind, IncidentKind::Feed { .. });
            self.counted.n_feed_pages += u64::from(is_feed);
            let root = incident.root.as_ref().and_then(|root| {
                let place = late.binary_search_by(|(.., of)| of.dataset_id.cmp(root));
                place.ok().map(|place| &late[place])
            });
            let began_here = root.is_some_and(|(i, _, of)| {
                let cycle = self.cycle(*i, of);
                let began = cycle.and_then(|cycle| cycle.incident.as_ref());
                began.is_some_and(|began| began.root == of.dataset_id)
            });
            self.counted.n_right_pages += u64::from(began_here);
        }
        self.followed = advanced.followed;
    }

    /// The true cycle that a dataset is late with: the one that usually comes
    /// nearest to when the model thinks; zones may be learned differently.
    fn cycle(&self, i: usize, of: &LateDataset) -> Option<&CycleTruth> {
        let cycles = &self.subjects[i].truth.cycles;
        let after = cycles.partition_point(|cycle| cycle.usual_at < of.usual_by);
        let around = &cycles[after.saturating_sub(1)..(after + 1).min(cycles.len())];
        around
            .iter()
            .min_by_key(|cycle| cycle.usual_at.abs_diff(of.usual_by))
    }

    /// Counts what became of all that was late.
    fn end(mut self) -> RootCause {
        self.counted.n_alerts = self.seen.len() as u64;
        for ((i, _), late) in &self.seen {
            let Some(late) = late else { continue };
            self.counted.n_late += 1;
            let was_seen = late.root_was_seen || late.is_named;
            self.counted.n_root_seen += u64::from(was_seen);
            self.counted.n_named += u64::from(late.is_named);
            self.counted.n_named_at_once += u64::from(late.is_named_at_once && was_seen);
            let Some((told_at, root, wait)) = late.told else {
                continue;
            };
            let came = |i: usize| next(self.subjects[i].history, told_at);
            let (Some(root), Some(came)) = (came(root), came(*i)) else {
                continue;
            };
            self.counted.n_recoveries += 1;
            let after = came - root;
            let within = (wait.from_seconds..=wait.to_seconds).contains(&after);
            self.counted.n_within += u64::from(within);
        }
        self.counted
    }
}

/// The first arrival after an instant.
fn next(history: &ArrivalHistory, after: i64) -> Option<i64> {
    let at = history.at();
    at.get(at.partition_point(|&at| at <= after)).copied()
}
