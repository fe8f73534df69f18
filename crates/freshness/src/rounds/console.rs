//! What does a person see who opens the console?
//!
//! The states of all datasets as a check sees them, and of each what a panel
//! shows. Of a history only its end is read, and only the cycles that are shown
//! are judged again, so that 20,000 datasets take a second or two.

use std::collections::{BTreeSet, HashMap};

use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::DatasetId;
use freshness_core::trust::Trust;
use freshness_store::{DatasetNo, Store, StoreError, Tail};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::explain::{cycles_since, regime_start};
use super::figure::reaches_back_to;
use super::share::share;
use super::{
    AllOwed, Checked, Explained, Figure, Judged, Owed, RoundError, Window, figure, look, owed,
    trust_of,
};
use crate::threads::n_threads;

/// Everything the console is made from.
#[derive(Debug)]
pub struct Console<P> {
    /// The states of all datasets, and what to doubt of them.
    pub checked: Checked,
    /// How much could be learned.
    pub models: ModelCounts,
    /// Every dashboard and how far it can be believed, by name.
    pub dashboards: Vec<(Dashboard, Trust)>,
    /// The edges of the lineage between the datasets of each incident, parent
    /// first.
    pub edges: Vec<(DatasetId, DatasetId)>,
    /// What is promised of the datasets, and of what feeds them.
    pub owed: AllOwed,
    /// What the caller made of each dataset, in the order of `checked`.
    pub panels: Vec<P>,
}

/// What is shown of one dataset.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The instant that is looked at.
    pub now: Timestamp,
    /// Its state, its model and the end of its history.
    pub explained: &'a Explained,
    /// What can be drawn of it.
    pub figure: Option<&'a Figure>,
    /// What was declared of it.
    pub owed: &'a Owed,
}

/// How many datasets have which kind of model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names are those of the models")]
pub struct ModelCounts {
    pub learned: u64,
    pub provisional: u64,
    pub cold_start: u64,
    pub irregular: u64,
    /// Never fitted, or unreadable.
    pub none: u64,
}

/// Arrivals read at least, so that the last few cycles are matched as ever.
const TAIL_ARRIVALS: usize = 64;
/// Below so many datasets a second thread costs more than it saves.
const DATASETS_PER_THREAD: usize = 50;
/// With more datasets than these, each is shown for a part of the usual time,
/// so that a page of 20,000 has less than 15 MB.
const DATASETS_SHOWN_LONG: usize = 2_000;
const DATASETS_SHOWN_SHORTER: usize = 10_000;

/// Judges every dataset, records nothing, and hands each with its recent past
/// to `panel`, which is called from several threads.
pub fn console<P: Send>(
    store: &Store,
    now: Timestamp,
    max_model_age: SignedDuration,
    threads: Option<u16>,
    panel: impl Fn(Shown<'_>) -> P + Sync,
) -> Result<Console<P>, RoundError> {
    let checked = look(store, now, max_model_age, threads)?;
    let owed = owed(store, &checked, threads)?;
    let nothing = Owed::default();
    let window = match checked.datasets.len() {
        n if n <= DATASETS_SHOWN_LONG => Window::Usual,
        n if n <= DATASETS_SHOWN_SHORTER => Window::OneIn(4),
        _ => Window::OneIn(12),
    };
    let n_threads = n_threads(threads, checked.datasets.len(), DATASETS_PER_THREAD);
    let panels = share(
        store,
        n_threads,
        &checked.datasets,
        |store, judged| {
            let seen = recent_past(store, judged, window, now)?;
            let mut figure = figure(&seen, window, now).ok();
            // A console shows what is so; `plot` shows what a rule would say.
            if let Some(figure) = &mut figure {
                figure.fixed_rule = None;
            }
            Ok(panel(Shown {
                now,
                explained: &seen,
                figure: figure.as_ref(),
                owed: owed.datasets.get(&judged.no).unwrap_or(&nothing),
            }))
        },
        |_| (),
    )?;
    let panels = panels.into_iter().collect::<Result<_, StoreError>>()?;
    let dashboards = match store.dashboards()? {
        none if none.is_empty() => Vec::new(),
        dashboards => trust_of(store, &checked, dashboards)?,
    };
    Ok(Console {
        models: ModelCounts::of(&checked.datasets),
        edges: edges_of_incidents(store, &checked)?,
        dashboards,
        checked,
        owed,
        panels,
    })
}

fn edges_of_incidents(
    store: &Store,
    checked: &Checked,
) -> Result<Vec<(DatasetId, DatasetId)>, StoreError> {
    let incidents = checked.causes.standing.iter().map(|it| &it.incident);
    // One without members is a dot.
    let drawn = incidents.filter(|incident| !incident.members.is_empty());
    let named: BTreeSet<&DatasetId> = drawn
        .flat_map(|incident| {
            let members = incident.members.iter().map(|member| &member.dataset_id);
            incident.root.iter().chain(members)
        })
        .collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let by_number: HashMap<DatasetNo, &DatasetId> = checked
        .datasets
        .iter()
        .filter(|judged| named.contains(&judged.dataset.id))
        .map(|judged| (judged.no, &judged.dataset.id))
        .collect();
    let find = |no: DatasetNo| by_number.get(&no).map(|&id| id.clone());
    let edges = store.numbered_lineage()?.into_iter();
    let mut edges: Vec<(DatasetId, DatasetId)> = edges
        .filter_map(|edge| Some((find(edge.upstream)?, find(edge.downstream)?)))
        .collect();
    edges.sort();
    Ok(edges)
}

/// What [`super::explain`] knows, of the end of the history only.
fn recent_past(
    store: &Store,
    judged: &Judged,
    window: Window,
    now: Timestamp,
) -> Result<Explained, StoreError> {
    let nothing = || Explained {
        judged: judged.clone(),
        model: None,
        history: Default::default(),
        cycles: Vec::new(),
        last_credit: None,
    };
    // That it is unreadable is said by its state.
    let Ok(Some(model)) = store.model(judged.no) else {
        return Ok(nothing());
    };
    let second = now.as_second();
    let last = judged
        .state
        .last_arrival
        .map_or(second, Timestamp::as_second);
    let since = reaches_back_to(&model, window, second, last);
    let tail = Tail {
        at_least: model.n_arrivals_of(TAIL_ARRIVALS),
        since,
    };
    let Ok(history) = store.recent(judged.no, tail) else {
        return Ok(nothing());
    };
    let history = history.until(second);
    let from = regime_start(&model, &history).max(since);
    let mut cycles = cycles_since(
        &model,
        &judged.dataset.maintenance,
        (&history, &judged.upstream),
        from,
        second,
    );
    cycles.truncate(cycles.partition_point(|cycle| cycle.cycle_start <= now));
    Ok(Explained {
        judged: judged.clone(),
        model: Some(model),
        history,
        cycles,
        last_credit: None,
    })
}

impl ModelCounts {
    fn of(datasets: &[Judged]) -> ModelCounts {
        let mut counts = ModelCounts::default();
        for judged in datasets {
            *match judged.state.model_status {
                "learned" => &mut counts.learned,
                "provisional" => &mut counts.provisional,
                "cold_start" => &mut counts.cold_start,
                "irregular" => &mut counts.irregular,
                _ => &mut counts.none,
            } += 1;
        }
        counts
    }
}
