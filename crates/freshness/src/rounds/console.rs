//! What does a person see who opens the console?
//!
//! The states of all datasets as a check sees them, and of each what a panel
//! shows. Of a history only its end is read, and only the cycles that are shown
//! are judged again, so that 20,000 datasets take a second or two.

use freshness_core::fit::Model;
use freshness_core::schedule::Grain;
use freshness_core::state;
use freshness_store::{Store, StoreError, Tail};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::figure::reaches_back_to;
use super::share::{n_threads, share};
use super::{Checked, Explained, Figure, Judged, RoundError, Window, figure, holidays, look};

/// Everything the console is made from.
#[derive(Debug)]
pub struct Console<P> {
    /// The states of all datasets, and what to doubt of them.
    pub checked: Checked,
    /// How much could be learned.
    pub models: ModelCounts,
    /// What the caller made of each dataset, in the order of `checked`.
    pub panels: Vec<P>,
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
/// With more datasets than this, each is shown for a shorter time.
const DATASETS_SHOWN_LONG: usize = 2_000;
/// … one in so many of what is usual.
const SHORTER: u32 = 4;

/// Judges every dataset, records nothing, and hands each with its recent past
/// to `panel`, which is called from several threads.
pub fn console<P: Send>(
    store: &Store,
    now: Timestamp,
    max_model_age: SignedDuration,
    threads: Option<u16>,
    panel: impl Fn(&Explained, Option<&Figure>) -> P + Sync,
) -> Result<Console<P>, RoundError> {
    let checked = look(store, now, max_model_age, threads)?;
    let window = match checked.datasets.len() {
        ..=DATASETS_SHOWN_LONG => Window::Usual,
        _ => Window::OneIn(SHORTER),
    };
    let n_threads = n_threads(threads, checked.datasets.len(), DATASETS_PER_THREAD);
    let panels = share(
        store,
        n_threads,
        &checked.datasets,
        |store, judged| {
            let seen = recent_past(store, judged, window, now)?;
            let figure = figure(&seen, window, now).ok();
            Ok(panel(&seen, figure.as_ref()))
        },
        |_| (),
    )?;
    let panels = panels.into_iter().collect::<Result<_, StoreError>>()?;
    Ok(Console {
        models: ModelCounts::of(&checked.datasets),
        checked,
        panels,
    })
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
        at_least: TAIL_ARRIVALS,
        since,
    };
    let Ok(history) = store.recent(judged.no, tail) else {
        return Ok(nothing());
    };
    let history = history.until(second);
    let cycles = cycles_shown(&model, &history, since, second);
    Ok(Explained {
        judged: judged.clone(),
        model: Some(model),
        history,
        cycles,
        last_credit: None,
    })
}

/// The verdicts of the present regime's cycles that are shown.
fn cycles_shown(
    model: &Model,
    history: &freshness_core::arrivals::ArrivalHistory,
    since: i64,
    now: i64,
) -> Vec<state::CycleVerdict> {
    let from = super::explain::regime_start(model, history).max(since);
    // What came early belongs to a cycle that has not begun.
    let reach = model.fitted.calendar().grain().map_or(0, Grain::seconds);
    let mut cycles = state::cycles_until(model, history, &holidays(), from, now + 1 + reach, now);
    let begun = |cycle: &state::CycleVerdict| cycle.cycle_start.as_second() <= now;
    cycles.truncate(cycles.partition_point(begun));
    cycles
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
