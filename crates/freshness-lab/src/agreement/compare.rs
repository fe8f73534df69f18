//! Where does what was learned differ from what is known?

use freshness_core::arrivals::ArrivalHistory;
use freshness_core::civil::{DAY, Holidays, Zone};
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::fit::{self, Change, Model, Move, Parameters};

use super::truth::{Confidence, Known, KnownMove, MoveKind, ZoneFamily};
use super::{AgreementError, Folder};

/// All histories of a folder, compared.
#[derive(Debug, Clone)]
pub struct Agreement {
    /// In the order of the folder.
    pub datasets: Vec<Compared>,
}

/// What was learned of one dataset beside what is known.
#[derive(Debug, Clone)]
pub struct Compared {
    /// What is known.
    pub known: Known,
    /// What was learned.
    pub model: Model,
    /// Grain and calendar are as known.
    pub calendar_agrees: bool,
    /// With whose clocks the learned zone changes.
    pub zone: ZoneFamily,
    /// … which may be so.
    pub zone_agrees: bool,
    /// The known moves.
    pub moves: Vec<ComparedMove>,
    /// Learned moves that nobody knows of.
    pub strays: Vec<Stray>,
}

/// A known move and whether it was found.
#[derive(Debug, Clone)]
pub struct ComparedMove {
    /// What is known.
    pub known: KnownMove,
    /// Weeks with an arrival since the move before, and until the next one.
    pub weeks: (usize, usize),
    /// The learned move nearest to it, within a week.
    pub found: Option<Move>,
}

/// A learned move that nobody knows of.
#[derive(Debug, Clone)]
pub struct Stray {
    /// The move.
    pub learned: Move,
    /// Days to the nearest change of European, American or its own clocks.
    pub days_to_clock_change: Option<f64>,
}

/// Weeks of data that a move must have on each side to be asked for.
const MIN_WEEKS: usize = 4;
/// Minutes that it must move deliveries by.
const MIN_MINUTES: f64 = 30.0;
/// Days that its date may be off.
const MAX_DAYS_OFF: i64 = 7;
/// Days around a clock change in which a move is suspect, …
const NEAR_CLOCK_CHANGE_DAYS: f64 = 3.0;
/// … and those around which one of about an hour is.
const NEARBY_CLOCK_CHANGE_DAYS: f64 = 10.0;

/// Fits every history and compares.
pub fn compare(folder: &Folder, truth: &[Known]) -> Result<Agreement, AgreementError> {
    let holidays = Holidays::builtin();
    let datasets = folder
        .histories
        .iter()
        .map(|(dataset_id, history)| {
            let known = truth
                .iter()
                .find(|known| known.dataset_id == *dataset_id)
                .ok_or_else(|| AgreementError::Unknown(dataset_id.clone()))?;
            let id = DatasetId::try_from(dataset_id.as_str())
                .map_err(|_| AgreementError::Unknown(dataset_id.clone()))?;
            Ok(compare_one(known, id, history, &holidays))
        })
        .collect::<Result<_, AgreementError>>()?;
    Ok(Agreement { datasets })
}

fn compare_one(
    known: &Known,
    id: DatasetId,
    history: &ArrivalHistory,
    holidays: &Holidays,
) -> Compared {
    let (first, last) = match history.at() {
        [] => (0, 0),
        [only] => (*only, *only),
        [first, .., last] => (*first, *last),
    };
    let model = fit::fit(
        &Dataset::undeclared(id),
        history,
        holidays,
        last,
        &Parameters::default(),
    );
    let calendar = model.fitted.calendar();
    let calendar_agrees = known.admits_grain(calendar.grain()) && known.admits_calendar(calendar);
    let (zone, _) = model.fitted.zone();
    let family = ZoneFamily::of(zone, first, last);
    let learned = model.fitted.moves();
    let dates: Vec<i64> = known.moves.iter().map(start_of).collect();
    let moves = known
        .moves
        .iter()
        .enumerate()
        .map(|(i, moved)| {
            let since = i.checked_sub(1).map_or(first, |before| dates[before]);
            let until = dates.get(i + 1).copied().unwrap_or(last + 1);
            ComparedMove {
                known: moved.clone(),
                weeks: weeks_around(history.at(), since, dates[i], until),
                found: nearest(learned, dates[i]),
            }
        })
        .collect();
    let strays = learned
        .iter()
        .filter(|learned| {
            dates
                .iter()
                .all(|&date| !is_near(learned.at.as_second(), date))
        })
        .map(|learned| Stray {
            learned: learned.clone(),
            days_to_clock_change: days_to_clock_change(zone, learned.at.as_second()),
        })
        .collect();
    Compared {
        zone_agrees: known.admits_zone(family),
        known: known.clone(),
        calendar_agrees,
        zone: family,
        moves,
        strays,
        model,
    }
}

fn start_of(moved: &KnownMove) -> i64 {
    let midnight = moved.date.at(0, 0, 0, 0);
    jiff::tz::Offset::UTC
        .to_timestamp(midnight)
        .map_or(0, jiff::Timestamp::as_second)
}

/// Is the instant within a week of the day?
fn is_near(at: i64, day: i64) -> bool {
    (-MAX_DAYS_OFF * DAY..(MAX_DAYS_OFF + 1) * DAY).contains(&(at - day))
}

fn nearest(learned: &[Move], day: i64) -> Option<Move> {
    learned
        .iter()
        .filter(|learned| is_near(learned.at.as_second(), day))
        .min_by_key(|learned| (learned.at.as_second() - day).abs())
        .cloned()
}

/// Weeks with an arrival, counted away from the move.
fn weeks_around(at: &[i64], since: i64, moved: i64, until: i64) -> (usize, usize) {
    let count = |from: i64, to: i64| {
        let mut weeks: Vec<i64> = at
            .iter()
            .filter(|&&at| at >= from && at < to)
            .map(|&at| (at - moved).div_euclid(7 * DAY))
            .collect();
        weeks.dedup();
        weeks.len()
    };
    (count(since, moved), count(moved, until))
}

fn days_to_clock_change(own: Zone, at: i64) -> Option<f64> {
    const FAR: i64 = 400 * DAY;
    let zones = ["Europe/Berlin", "America/New_York"].map(|name| Zone::named(name).ok());
    zones
        .into_iter()
        .flatten()
        .chain([own])
        .flat_map(|zone| zone.changes(at - FAR, at + FAR))
        .map(|(change, _)| (change - at).abs())
        .min()
        .map(|seconds| seconds as f64 / DAY as f64)
}

impl ComparedMove {
    /// Is it a move that must be found: large enough, with enough data around?
    pub fn counts(&self) -> bool {
        let large = self
            .known
            .minutes
            .is_some_and(|minutes| minutes.abs() >= MIN_MINUTES);
        let kind = match self.known.kind {
            MoveKind::Shift | MoveKind::Cadence => true,
            MoveKind::Drift | MoveKind::Restart => false,
        };
        kind && large && self.has_data()
    }

    /// Is it a change of cadence with enough data around?
    pub fn counts_as_cadence(&self) -> bool {
        self.known.kind == MoveKind::Cadence && self.has_data()
    }

    fn has_data(&self) -> bool {
        self.weeks.0 >= MIN_WEEKS && self.weeks.1 >= MIN_WEEKS
    }
}

impl Stray {
    /// Is it so close to a clock change that it may be one?
    pub fn is_near_clock_change(&self) -> bool {
        self.days_to_clock_change
            .is_some_and(|days| days <= NEAR_CLOCK_CHANGE_DAYS)
    }

    /// Does it look like a clock change that was dated a few days off?
    pub fn looks_like_clock_change(&self) -> bool {
        let nearby = self
            .days_to_clock_change
            .is_some_and(|days| days <= NEARBY_CLOCK_CHANGE_DAYS);
        let hour = match self.learned.change {
            Change::Shift { minutes } | Change::LaterLoad { minutes } => {
                (minutes.abs() - 60.0).abs() <= 15.0
            }
            Change::Cadence { .. } => false,
        };
        nearby && hour
    }
}

impl Agreement {
    /// Datasets whose calendar is as known, and all, of those known so surely.
    pub fn calendars(&self, confidence: Confidence) -> (usize, usize) {
        let of = self.of(confidence);
        (of.clone().filter(|c| c.calendar_agrees).count(), of.count())
    }

    /// Likewise for zones.
    pub fn zones(&self, confidence: Confidence) -> (usize, usize) {
        let of = self.of(confidence);
        (of.clone().filter(|c| c.zone_agrees).count(), of.count())
    }

    /// Known moves that were found, and all that `counts` admits.
    pub fn moves(
        &self,
        confidence: Confidence,
        counts: impl Fn(&ComparedMove) -> bool,
    ) -> (usize, usize) {
        let moves = || {
            self.of(confidence)
                .flat_map(|compared| &compared.moves)
                .filter(|moved| counts(moved))
        };
        (
            moves().filter(|moved| moved.found.is_some()).count(),
            moves().count(),
        )
    }

    fn of(&self, confidence: Confidence) -> impl Iterator<Item = &Compared> + Clone {
        self.datasets
            .iter()
            .filter(move |compared| compared.known.confidence == confidence)
    }
}
