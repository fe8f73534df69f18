//! What is there to see in a dataset's arrivals?
//!
//! Turns what is known of a dataset into the figures of a picture: a point for
//! each arrival of a window, what was missing, and the expected window and
//! deadline of each cycle of the present regime. Of older regimes there is no
//! model any more, so their arrivals are shown and not judged. Heights are
//! minutes: on the wall clock from midnight of the cycle's day, from the start
//! of the cycle, or of a silence.

mod silences;
mod timeline;

use freshness_core::arrivals::CycleName;
use freshness_core::civil::{DAY, Day, Zone};
use freshness_core::fit::{Change, Fitted, Model, Source};
use freshness_core::schedule::{Calendar, Grain};
use freshness_core::state::State;
use jiff::Timestamp;
use serde::Serialize;

use super::Explained;

/// All that a picture of one dataset shows.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// Whose.
    pub dataset_id: String,
    /// On which cycles a delivery is expected.
    pub calendar: Calendar,
    /// The zone whose wall clock is shown.
    pub zone: Zone,
    /// Who says so.
    pub zone_source: Source,
    /// `learned`, `provisional`, `irregular` or `cold_start`.
    pub model_status: &'static str,
    /// The state now.
    pub state: State,
    /// The first instant shown.
    pub from: Timestamp,
    /// The end of what is shown.
    pub to: Timestamp,
    /// Since when the present model holds.
    pub regime_since: Timestamp,
    /// What the heights mean.
    pub height: Height,
    /// The arrivals, oldest first.
    pub points: Vec<Point>,
    /// Cycles that nothing arrived for.
    pub missing: Vec<Missing>,
    /// The expected window and the deadline of each cycle of the present
    /// regime.
    pub cycles: Vec<Slot>,
    /// Changes of the schedule.
    pub moves: Vec<Moved>,
    /// Long times without a delivery.
    pub outages: Vec<Outage>,
    /// The fixed rule to compare with: minutes after local midnight; `None` if
    /// it would mean nothing.
    pub fixed_rule: Option<f64>,
    /// What the distribution is held against.
    pub reference: Option<Reference>,
    /// Of a cold start: cycles seen and cycles needed; its deadline can only
    /// advise.
    pub cold_start: Option<(u32, u32)>,
    /// Of a provisional model: what moved of late, in minutes.
    pub provisional_shift: Option<f64>,
}

/// What the heights mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Height {
    /// Minutes after local midnight of the cycle's day: the time of day.
    Clock,
    /// Minutes after the start of the cycle.
    Delay,
    /// Minutes until the next arrival.
    Silence,
}

/// One arrival, or the silence that it began.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// When it arrived.
    pub arrived_at: Timestamp,
    /// Where it stands on the axis of dates: local seconds.
    pub local: i64,
    /// How high it stands.
    pub minutes: f64,
    /// What became of it.
    pub kind: PointKind,
}

/// What became of an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PointKind {
    /// It served its cycle in time.
    InTime,
    /// It served its cycle past the deadline.
    Late,
    /// Of the present regime, but it served no cycle: a redelivery.
    Again,
    /// Of an older regime: not judged.
    Before,
}

/// A cycle that nothing arrived for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Missing {
    /// Where it stands: local seconds.
    pub local: i64,
    /// Is it still awaited, past its deadline?
    pub awaited: bool,
}

/// What the model says of one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Slot {
    /// Of feeds with several set times a day: which of them.
    pub series: u16,
    /// From here …
    pub from: i64,
    /// … to here: local seconds.
    pub to: i64,
    /// The expected window, p10 to p90: minutes.
    pub window: Option<(f64, f64)>,
    /// The deadline, minutes.
    pub deadline: Option<f64>,
}

/// A change of the schedule.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moved {
    /// Where it stands: local seconds.
    pub local: i64,
    /// What changed.
    pub change: Change,
}

/// A long time without a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outage {
    /// From here …
    pub from: i64,
    /// … to here: local seconds.
    pub to: i64,
}

/// What the distribution is held against: minutes, as high as the points.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Reference {
    /// The median.
    pub p50: Option<f64>,
    /// The 90 % quantile.
    pub p90: Option<f64>,
    /// The deadline.
    pub deadline: Option<f64>,
}

/// Which part of a history is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// As much as is usual for the grain, up to now.
    Usual,
    /// A part of that: one in so many.
    OneIn(u32),
    /// The last days.
    Days(u32),
    /// Between two times; the start as usual and the end now, if not given.
    Between(Option<CycleName>, Option<CycleName>),
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NoFigure {
    #[error("no model for dataset: {0}")]
    NoModel(String),
    #[error("nothing has arrived yet: {0}")]
    NothingArrived(String),
    #[error("the window is empty: it begins {from} and ends {to}")]
    EmptyWindow { from: Timestamp, to: Timestamp },
    #[error("the window lies ahead: it begins {from}, now is {now}")]
    Ahead { from: Timestamp, now: Timestamp },
    #[error(
        "the window ends before the history begins: it ends {to}, the first arrival was {first}"
    )]
    BeforeHistory { to: Timestamp, first: Timestamp },
    #[error("nothing to draw: no arrival and no expected cycle from {from} to {to}")]
    NothingInWindow { from: Timestamp, to: Timestamp },
}

impl NoFigure {
    /// What helps.
    pub fn hint(&self) -> &'static str {
        match self {
            NoFigure::NoModel(_) => "run `freshness fit` first",
            NoFigure::NothingArrived(_) => {
                "import what has arrived: `freshness import arrivals FILE`"
            }
            NoFigure::EmptyWindow { .. } => "--from must be before --to",
            NoFigure::Ahead { .. } => "a picture shows the past; choose an earlier --from",
            NoFigure::BeforeHistory { .. } => "choose a later --to, or leave it out for now",
            NoFigure::NothingInWindow { .. } => {
                "choose a longer window; `freshness explain` says when the last arrival was"
            }
        }
    }
}

/// The fixed rule that most teams begin with: loaded by 07:00.
const FIXED_RULE_MINUTES: f64 = 7.0 * 60.0;

/// What a picture of the window shows, as of `now`.
pub fn figure(explained: &Explained, window: Window, now: Timestamp) -> Result<Figure, NoFigure> {
    let id = explained.judged.dataset.id.as_str();
    let Some(model) = &explained.model else {
        return Err(NoFigure::NoModel(id.to_owned()));
    };
    let (Some(&first), Some(&last)) = (
        explained.history.at().first(),
        explained.history.at().last(),
    ) else {
        return Err(NoFigure::NothingArrived(id.to_owned()));
    };
    let (from, to) = bounds(model, window, first, last, now)?;
    let fitted = &model.fitted;
    let (zone, zone_source) = fitted.zone();
    let calendar = fitted.calendar().clone();
    let height = match &calendar {
        Calendar::Days(_) | Calendar::Months(_) | Calendar::Times { .. } => Height::Clock,
        Calendar::Grid { .. } => Height::Delay,
        Calendar::Irregular => Height::Silence,
    };
    let mut figure = Figure {
        dataset_id: id.to_owned(),
        zone,
        zone_source,
        model_status: fitted.status(),
        state: explained.judged.state.state,
        from: instant(from),
        to: instant(to),
        regime_since: instant(super::explain::regime_start(model, &explained.history)),
        height,
        points: Vec::new(),
        missing: Vec::new(),
        cycles: Vec::new(),
        moves: fitted
            .moves()
            .iter()
            .filter(|moved| (from..to).contains(&moved.at.as_second()))
            .map(|moved| Moved {
                local: zone.local(moved.at.as_second()),
                change: moved.change.clone(),
            })
            .collect(),
        outages: Vec::new(),
        fixed_rule: (height == Height::Clock).then_some(FIXED_RULE_MINUTES),
        reference: None,
        cold_start: match fitted {
            Fitted::ColdStart(cold) => Some((cold.n_cycles, cold.n_needed)),
            Fitted::Learned(_) | Fitted::Provisional { .. } | Fitted::Irregular(_) => None,
        },
        provisional_shift: match fitted {
            Fitted::Provisional { shift, .. } => Some(shift.minutes),
            Fitted::Learned(_) | Fitted::Irregular(_) | Fitted::ColdStart(_) => None,
        },
        calendar,
    };
    match height {
        Height::Silence => silences::fill(&mut figure, explained, fitted),
        Height::Clock | Height::Delay => timeline::fill(&mut figure, explained, fitted),
    }
    if figure.points.is_empty() && figure.missing.is_empty() && figure.cycles.is_empty() {
        return Err(NoFigure::NothingInWindow {
            from: figure.from,
            to: figure.to,
        });
    }
    Ok(figure)
}

/// The window in UTC seconds, cut to the history.
fn bounds(
    model: &Model,
    window: Window,
    first: i64,
    last: i64,
    now: Timestamp,
) -> Result<(i64, i64), NoFigure> {
    let zone = model.fitted.zone().0;
    let mut usual = usual_seconds(model.fitted.calendar(), window);
    // A move that is not much longer ago is what people look for.
    if let Some(moved) = model.fitted.moves().last() {
        let ago = now.as_second() - moved.at.as_second();
        if (usual..usual * 3 / 2).contains(&ago) {
            usual = ago + usual / 10;
        }
    }
    let utc = |name: CycleName| match name {
        CycleName::Instant(utc) => utc,
        CycleName::Civil(local) => zone.utc(local),
    };
    let end = now.as_second();
    let (from, to) = match window {
        // Of a feed that stopped long ago, the time before that too.
        Window::Usual | Window::OneIn(_) => ((end - usual).min(last - usual / 2), end),
        Window::Days(days) => (end - i64::from(days) * DAY, end),
        Window::Between(from, to) => {
            let to = to.map_or(end, utc);
            (from.map_or(to.min(end) - usual, utc), to)
        }
    };
    if from >= to {
        let (from, to) = (instant(from), instant(to));
        return Err(NoFigure::EmptyWindow { from, to });
    }
    if from >= end {
        let from = instant(from);
        return Err(NoFigure::Ahead { from, now });
    }
    if to <= first {
        let (to, first) = (instant(to), instant(first));
        return Err(NoFigure::BeforeHistory { to, first });
    }
    // The whole day, or the whole cycle, of the first arrival.
    let grain = model.fitted.calendar().grain().map_or(DAY, Grain::seconds);
    let begins = zone.utc(Day::of_local(zone.local(first)).start());
    let begins = begins.max(first - grain.min(DAY));
    Ok((from.max(begins), to.min(end)))
}

/// As much as a picture shows well.
fn usual_seconds(calendar: &Calendar, window: Window) -> i64 {
    /// Cycles of less than a day.
    const CYCLES: i64 = 336;
    let usual = match calendar.grain() {
        None => 90 * DAY,
        Some(Grain::Minutes(minutes)) => {
            (CYCLES * Grain::Minutes(minutes).seconds()).clamp(2 * DAY, 120 * DAY)
        }
        Some(Grain::Day) => 240 * DAY,
        Some(Grain::Week) => 2 * 365 * DAY,
        Some(Grain::Month) => 5 * 365 * DAY,
    };
    match window {
        Window::OneIn(parts) => (usual / i64::from(parts.max(1))).max(2 * DAY),
        Window::Usual | Window::Days(_) | Window::Between(..) => usual,
    }
}

/// The earliest arrival that a picture up to `end` may look at: UTC seconds.
pub(super) fn reaches_back_to(model: &Model, window: Window, end: i64, last: i64) -> i64 {
    let usual = usual_seconds(model.fitted.calendar(), window);
    // A move that is shown lengthens the window by as much as half of it.
    (end - usual * 2).min(last - usual)
}

fn instant(utc: i64) -> Timestamp {
    let limits = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
    let utc = utc.clamp(*limits.start(), *limits.end());
    Timestamp::from_second(utc).unwrap_or(Timestamp::UNIX_EPOCH)
}
