//! What is known of one dataset, and on what does it rest?

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::MINUTE;
use freshness_core::fit::{Fitted, Model};
use freshness_core::incidents::Odds;
use freshness_core::schedule::{Cycle, Grain, Maintenance};
use freshness_core::state::{self, CycleVerdict, State, Upstream};
use freshness_core::trust::period_seconds;
use freshness_store::{DatasetEntry, Store};
use jiff::Timestamp;

use super::check::emptied;
use super::{Judged, RoundError, holidays, upstream};

/// All that is known of one dataset.
#[derive(Debug)]
pub struct Explained {
    /// The dataset and its state.
    pub judged: Judged,
    /// Its model; `None` before the first fit.
    pub model: Option<Model>,
    /// Everything it delivered until now.
    pub history: ArrivalHistory,
    /// The verdicts of the cycles of the present regime, oldest first.
    pub cycles: Vec<CycleVerdict>,
    /// Where the last arrival belongs; `None` if nothing arrived, or there are
    /// no cycles.
    pub last_credit: Option<Credit>,
}

/// Where an arrival belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credit {
    /// To the newest cycle that has begun and is not pending.
    Newest,
    /// To another one, by its name.
    Other(String),
    /// To none: its cycle had been served already.
    Again,
    /// To none yet: it is of a burst that may go on.
    GoesOn,
}

/// Reads and judges one dataset.
pub fn explain(
    store: &Store,
    entry: DatasetEntry,
    now: Timestamp,
) -> Result<Explained, RoundError> {
    let dataset = entry.declared?;
    let model = store.model(entry.no)?;
    let second = now.as_second();
    // What came later was not known then.
    let history = store.history(entry.no)?;
    let is_emptied = history.is_empty() && store.is_emptied(entry.no)?;
    let history = history.until(second);
    let holidays = holidays();
    let upstream = upstream::upstream_of(store, &entry.id, &holidays, now)?;
    let known = model.as_ref();
    let state = state::judge(&dataset, known, &history, &holidays, &upstream, second);
    let state = if is_emptied { emptied(state) } else { state };
    let mut cycles = model.as_ref().map_or_else(Vec::new, |model| {
        let from = regime_start(model, &history);
        let seen = (&history, &upstream[..]);
        cycles_since(model, &dataset.maintenance, seen, from, second)
    });
    let n_begun = cycles.partition_point(|cycle| cycle.cycle_start <= now);
    let has_cycles = model
        .as_ref()
        .is_some_and(|model| model.fitted.calendar().grain().is_some());
    let goes_on = known.and_then(|model| model.burst_going_on(&history, second));
    let last_credit = match history.at().last() {
        Some(_) if goes_on.is_some() => Some(Credit::GoesOn),
        Some(&last) if has_cycles => Some(credit(&cycles, n_begun, last)),
        _ => None,
    };
    cycles.truncate(n_begun);
    let judged = Judged {
        no: entry.no,
        dataset,
        upstream,
        as_upstream: known.and_then(|model| Upstream::now(&state, model)),
        state,
        odds: model.as_ref().map(Odds::of),
        period_seconds: model.as_ref().and_then(period_seconds),
        breach: None,
        is_promised: false,
    };
    Ok(Explained {
        judged,
        model,
        history,
        cycles,
        last_credit,
    })
}

/// The verdicts of the cycles that begin from then on, also of the one that may
/// begin next: what came early belongs to it.
pub(super) fn cycles_since(
    model: &Model,
    maintenance: &Maintenance,
    (history, upstream): (&ArrivalHistory, &[Upstream]),
    from: i64,
    now: i64,
) -> Vec<CycleVerdict> {
    let reach = model.fitted.calendar().grain().map_or(0, Grain::seconds);
    let window = (from, now + 1 + reach);
    let holidays = holidays();
    state::cycles_until(
        model,
        history,
        &holidays,
        upstream,
        maintenance,
        window,
        now,
    )
}

/// To which cycle the arrival of an instant was credited.
fn credit(cycles: &[CycleVerdict], n_begun: usize, at: i64) -> Credit {
    let serves = |cycle: &CycleVerdict| cycle.arrived_at.is_some_and(|of| of.as_second() == at);
    let is_pending = |cycle: &CycleVerdict| cycle.state == State::Pending;
    let newest = cycles[..n_begun]
        .iter()
        .rposition(|cycle| !is_pending(cycle));
    match cycles.iter().rposition(serves) {
        at if at == newest => Credit::Newest,
        Some(i) => Credit::Other(cycles[i].cycle.clone()),
        None => Credit::Again,
    }
}

impl Explained {
    /// The cycle of a verdict; `None` if the feed has no cycles.
    pub fn cycle(&self, verdict: &CycleVerdict) -> Option<Cycle> {
        let fitted = &self.model.as_ref()?.fitted;
        let start = verdict.cycle_start.as_second();
        let (zone, _) = fitted.zone();
        let calendar = fitted.calendar();
        let cycles = calendar.cycles(zone, &holidays(), start, start + 1);
        cycles.into_iter().next()
    }

    /// The instant so many minutes into a cycle, read as its deadline is: on
    /// the wall clock, so that a clock change moves it.
    pub fn instant(&self, verdict: &CycleVerdict, minutes: f64) -> i64 {
        let delay = (minutes * MINUTE as f64).round() as i64;
        match (&self.model, self.cycle(verdict)) {
            (Some(Model { fitted, .. }), Some(cycle)) => {
                fitted.calendar().instant(fitted.zone().0, &cycle, delay)
            }
            _ => verdict.cycle_start.as_second() + delay,
        }
    }

    /// The delay of a delivered cycle, minutes, as the fit measures it.
    pub fn delay_minutes(&self, verdict: &CycleVerdict) -> Option<f64> {
        let at = verdict.arrived_at?.as_second();
        let seconds = match (&self.model, self.cycle(verdict)) {
            (Some(Model { fitted, .. }), Some(cycle)) => {
                fitted.calendar().delay(fitted.zone().0, &cycle, at)
            }
            _ => at - verdict.cycle_start.as_second(),
        };
        Some(seconds as f64 / MINUTE as f64)
    }
}

/// The verdicts of the cycles that begin in `[from, to)`, which may lie before
/// the present regime: what the present model says of them.
pub fn cycles_between(
    explained: &Explained,
    from: i64,
    to: i64,
    now: Timestamp,
) -> Vec<CycleVerdict> {
    let Explained {
        judged,
        model,
        history,
        ..
    } = explained;
    model.as_ref().map_or_else(Vec::new, |model| {
        let now = now.as_second();
        state::cycles_until(
            model,
            history,
            &holidays(),
            &judged.upstream,
            &judged.dataset.maintenance,
            (from, to),
            now,
        )
    })
}

/// Where the present regime begins: UTC seconds.
pub(super) fn regime_start(model: &Model, history: &ArrivalHistory) -> i64 {
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
