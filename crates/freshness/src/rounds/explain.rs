//! What is known of one dataset, and on what does it rest?

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::fit::{Fitted, Model};
use freshness_core::schedule::Grain;
use freshness_core::state::{self, CycleVerdict};
use freshness_store::{DatasetEntry, Store};
use jiff::Timestamp;

use super::{Judged, RoundError, holidays};

/// All that is known of one dataset.
#[derive(Debug)]
pub struct Explained {
    /// The dataset and its state.
    pub judged: Judged,
    /// Its model; `None` before the first fit.
    pub model: Option<Model>,
    /// Everything it delivered.
    pub history: ArrivalHistory,
    /// The verdicts of the cycles of the present regime, oldest first.
    pub cycles: Vec<CycleVerdict>,
}

/// Reads and judges one dataset.
pub fn explain(
    store: &Store,
    entry: DatasetEntry,
    now: Timestamp,
) -> Result<Explained, RoundError> {
    let dataset = entry.declared?;
    let model = store.model(entry.no)?;
    let history = store.history(entry.no)?;
    let holidays = holidays();
    let second = now.as_second();
    let state = state::judge(&dataset, model.as_ref(), &history, &holidays, second);
    let cycles = model.as_ref().map_or_else(Vec::new, |model| {
        let from = regime_start(model, &history);
        // The present cycle has begun, the next has not.
        state::cycles_until(model, &history, &holidays, from, second + 1, second)
    });
    let judged = Judged {
        no: entry.no,
        dataset,
        state,
    };
    Ok(Explained {
        judged,
        model,
        history,
        cycles,
    })
}

/// The verdicts of the cycles that begin in `[from, to)`, which may lie before
/// the present regime: what the present model says of them.
pub fn cycles_between(
    explained: &Explained,
    from: i64,
    to: i64,
    now: Timestamp,
) -> Vec<CycleVerdict> {
    let Explained { model, history, .. } = explained;
    model.as_ref().map_or_else(Vec::new, |model| {
        let now = now.as_second();
        state::cycles_until(model, history, &holidays(), from, to, now)
    })
}

/// Where the present regime begins: UTC seconds.
fn regime_start(model: &Model, history: &ArrivalHistory) -> i64 {
    match &model.fitted {
        Fitted::Learned(learned) | Fitted::Provisional { model: learned, .. } => {
            learned.regime_since.as_second()
        }
        Fitted::Irregular(gaps) => gaps.regime_since.as_second(),
        Fitted::ColdStart(cold) => {
            // The first arrival belongs to a cycle that began before it.
            let length = cold.calendar.grain().map_or(0, Grain::seconds);
            let first = history
                .at()
                .first()
                .copied()
                .unwrap_or(model.as_of.as_second());
            first - length
        }
    }
}
