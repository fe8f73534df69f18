//! Is the right dataset blamed, and do the others come when it is said?
//!
//! The holdout is walked as it would be lived: models and lags learned anew
//! every week from the past alone, and every hour a look that groups what is
//! late into incidents and follows them. The truth says where each late cycle
//! began.

use std::collections::BTreeMap;

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::{DAY, HOUR, Holidays};
use freshness_core::dataset::DatasetId;
use freshness_core::fit::{Model, Parameters, fit};
use freshness_core::incidents::{
    Attribution, EdgeLag, EdgeLags, Feed, Followed, IncidentKind, Incidents, LateDataset, Odds,
    Wait, What, advance, attribute, comparable_since, incidents, learn_edge, remember, served,
};
use freshness_core::lineage::Lineage;
use freshness_core::state::judge;
use jiff::Timestamp;
use serde::Serialize;

use super::{Subject, in_parallel};
use crate::truth::CycleTruth;

/// What was counted of incidents over a holdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RootCause {
    /// Late cycles for which something had gone wrong.
    pub n_late: u64,
    /// Of them, those under the dataset it began with when they were last seen.
    pub n_named: u64,
    /// Of them, those already so when they were first seen.
    pub n_named_at_once: u64,
    /// Incidents opened: each pages somebody once.
    pub n_pages: u64,
    /// Of them, those of a dataset with which something had begun.
    pub n_right_pages: u64,
    /// Of them, a suspect feed of arrivals.
    pub n_feed_pages: u64,
    /// Cycles that turned late: alerts without incidents.
    pub n_alerts: u64,
    /// Dependents of which a recovery was told, and that came.
    pub n_recoveries: u64,
    /// Of them, those that came when it was said.
    pub n_within: u64,
}

/// The rates of [`RootCause`]; `None` where nothing was counted.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct RootCauseRates {
    /// Share of late cycles under the dataset it began with.
    pub accuracy: Option<f64>,
    /// … when they were first seen.
    pub accuracy_at_once: Option<f64>,
    /// Share of pages of a dataset with which something had begun.
    pub precision_per_page: Option<f64>,
    /// Share of alerts that nobody has to get.
    pub suppressed: Option<f64>,
    /// Share of dependents that came when it was said.
    pub recovered_as_told: Option<f64>,
}

/// Seconds from one look to the next, and from one fit to the next.
const LOOK: i64 = HOUR;
const REFIT: i64 = 7 * DAY;
/// What a check reads of a history.
const TAIL: (i64, usize) = (2 * DAY, 48);

impl RootCause {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &RootCause) {
        let RootCause {
            n_late,
            n_named,
            n_named_at_once,
            n_pages,
            n_right_pages,
            n_feed_pages,
            n_alerts,
            n_recoveries,
            n_within,
        } = *other;
        self.n_late += n_late;
        self.n_named += n_named;
        self.n_named_at_once += n_named_at_once;
        self.n_pages += n_pages;
        self.n_right_pages += n_right_pages;
        self.n_feed_pages += n_feed_pages;
        self.n_alerts += n_alerts;
        self.n_recoveries += n_recoveries;
        self.n_within += n_within;
    }

    /// As rates.
    pub fn rates(&self) -> RootCauseRates {
        let share = |n: u64, of: u64| (of > 0).then(|| n as f64 / of as f64);
        RootCauseRates {
            accuracy: share(self.n_named, self.n_late),
            accuracy_at_once: share(self.n_named_at_once, self.n_late),
            precision_per_page: share(self.n_right_pages, self.n_pages),
            suppressed: share(self.n_alerts.saturating_sub(self.n_pages), self.n_alerts),
            recovered_as_told: share(self.n_within, self.n_recoveries),
        }
    }
}

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
    let place = |id: &str| {
        let found = subjects.binary_search_by(|subject| subject.dataset.id.as_str().cmp(id));
        found.ok()
    };
    let mut lags = Vec::new();
    for (child, subject) in subjects.iter().enumerate() {
        let parents = lineage.parents(subject.dataset.id.as_str());
        let parents: Vec<usize> = parents.filter_map(|id| place(id.as_str())).collect();
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

/// What is known of a cycle that is or was late.
struct Late {
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
}

impl Walk<'_> {
    fn look(&mut self, learned: &Learned, now: i64) {
        let mut datasets: Vec<LateDataset> = Vec::new();
        let mut states = Vec::with_capacity(self.subjects.len());
        for (subject, model) in self.subjects.iter().zip(&learned.models) {
            let recent = subject.history.recent(now, now - TAIL.0, TAIL.1);
            let state = judge(subject.dataset, Some(model), &recent, self.holidays, now);
            datasets.extend(LateDataset::of(&state));
            states.push(state);
        }
        let last_arrival = |i: usize| states[i].last_arrival.map(Timestamp::as_second);
        remember(&mut datasets, &self.followed, |id| {
            last_arrival(self.place(id)?)
        });
        let place_of = |i: usize| {
            let id = &self.subjects[i].dataset.id;
            datasets.binary_search_by(|of| of.dataset_id.cmp(id)).ok()
        };
        let feeds: Vec<Feed> = (0..states.len())
            .map(|i| Feed {
                last_arrival: last_arrival(i),
                odds: Odds::of(&learned.models[i]),
                late: place_of(i),
            })
            .collect();
        let late: Vec<(usize, i64, LateDataset)> = datasets
            .iter()
            .filter_map(|of| {
                let i = self.place(&of.dataset_id)?;
                let cycle = states[i].current.as_ref();
                let start = cycle.map_or(0, |cycle| cycle.cycle_start.as_second());
                Some((i, start, of.clone()))
            })
            .collect();
        let attribution = attribute(self.lineage, &datasets, &learned.lags, now);
        let found = incidents(self.lineage, &datasets, &learned.lags, &feeds, now);
        self.name(&late, &attribution);
        self.expect(&late, &found, now);
        self.page(&late, found, now);
    }

    /// Is each late cycle under the dataset it began with?
    fn name(&mut self, late: &[(usize, i64, LateDataset)], attribution: &Attribution) {
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
                is_named_at_once: is_named,
                is_named,
                told: None,
            });
            seen.is_named = is_named;
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

    /// The place of a dataset.
    fn place(&self, id: &DatasetId) -> Option<usize> {
        let found = self
            .subjects
            .binary_search_by(|subject| subject.dataset.id.cmp(id));
        found.ok()
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
            self.counted.n_named += u64::from(late.is_named);
            self.counted.n_named_at_once += u64::from(late.is_named_at_once);
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
