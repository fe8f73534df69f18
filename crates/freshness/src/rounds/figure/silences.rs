//! How long was a feed without a calendar silent?

use freshness_core::civil::{DAY, Day, HOUR, MINUTE};
use freshness_core::fit::{Fitted, GapCell, GapModel};
use freshness_core::state::State;
use jiff::Timestamp;

use super::{Figure, Missing, Point, PointKind, Reference, Slot};
use crate::rounds::Explained;

/// A point for each silence that is over, and the window and deadline of the
/// part of the week in which it began.
pub(super) fn fill(figure: &mut Figure, explained: &Explained, fitted: &Fitted) {
    let zone = figure.zone;
    let gaps = match fitted {
        Fitted::Irregular(gaps) => Some(gaps),
        Fitted::Learned(_) | Fitted::Provisional { .. } | Fitted::ColdStart(_) => None,
    };
    let (from, to) = (figure.from.as_second(), figure.to.as_second());
    let minutes = |seconds: i64| seconds as f64 / MINUTE as f64;
    let cell = |at: i64| gaps.and_then(|gaps| cell_of(gaps, zone.local(at)));

    // Silences before the regime are shown and not judged.
    let since = figure.regime_since.as_second();
    let at = explained.history.at();
    for pair in at.windows(2).filter(|pair| (from..to).contains(&pair[0])) {
        if pair[0] < since {
            figure.points.push(Point {
                arrived_at: super::instant(pair[0]),
                local: zone.local(pair[0]),
                minutes: minutes(pair[1] - pair[0]),
                kind: PointKind::Before,
            });
        }
    }
    let judged = explained
        .cycles
        .iter()
        .filter(|verdict| (from..to).contains(&verdict.cycle_start.as_second()));
    for verdict in judged {
        let start = verdict.cycle_start.as_second();
        let next = verdict.arrived_at.map_or(to, Timestamp::as_second);
        match verdict.arrived_at {
            Some(next) => figure.points.push(Point {
                arrived_at: verdict.cycle_start,
                local: zone.local(start),
                minutes: minutes(next.as_second() - start),
                kind: match verdict.state {
                    State::LateArrival => PointKind::Late,
                    _ => PointKind::InTime,
                },
            }),
            None if verdict.state == State::Late => figure.missing.push(Missing {
                local: zone.local(start),
                awaited: true,
            }),
            None => {}
        }
        figure.cycles.push(Slot {
            series: 0,
            from: zone.local(start),
            to: zone.local(next.min(to)),
            window: cell(start).map(|cell| (cell.p10, cell.p90)),
            deadline: verdict
                .deadline
                .map(|deadline| minutes(deadline.as_second() - start)),
        });
    }
    let last = explained.cycles.last();
    figure.reference = last.map(|verdict| {
        let start = verdict.cycle_start.as_second();
        let cell = cell(start);
        Reference {
            p50: cell.map(|cell| cell.p50),
            p90: cell.map(|cell| cell.p90),
            deadline: verdict
                .deadline
                .map(|deadline| minutes(deadline.as_second() - start)),
        }
    });
}

/// The cell of silences that begin when the wall clock shows `local`.
fn cell_of(gaps: &GapModel, local: i64) -> Option<&GapCell> {
    let hour =
        Day::of_local(local).weekday().index() * 24 + (local.rem_euclid(DAY) / HOUR) as usize;
    gaps.cells
        .iter()
        .filter(|cell| usize::from(cell.from_hour) <= hour)
        .max_by_key(|cell| cell.from_hour)
        .or(gaps.cells.last())
}
