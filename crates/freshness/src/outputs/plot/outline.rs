//! How does a figure become marks that a browser can draw?
//!
//! Everything is reckoned here, with the scale and the words of the pictures:
//! places are ten-thousandths of the width and thousandths of the height, so
//! that a page that draws hundreds of charts carries a few hundred bytes for
//! each and knows neither calendars nor zones. Numbers are distances from the
//! ones before, because distances repeat and places do not.

use freshness_core::civil::MINUTE;
use serde::Serialize;

use super::axes::{Scale, date_marks};
use super::frame;
use super::range::Heights;
use crate::outputs::words;
use crate::rounds::{Figure, Height, PointKind, Slot};

/// A figure in places and words. Names are short because there may be
/// thousands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outline {
    /// What is drawn, in a sentence.
    pub title: String,
    /// What the heights are.
    pub heights: &'static str,
    /// Marks of the heights: place and text.
    pub y: Vec<(i32, String)>,
    /// Marks of the dates: place and text.
    pub x: Vec<(i32, String)>,
    /// Arrivals, four numbers each: minutes since the one before (the first
    /// since 1970), places beyond it, height, and kind: 0 in time, 1 late, 2
    /// again, 3 before the regime.
    pub points: Vec<i64>,
    /// Expected windows, four numbers each: places beyond the one before, how
    /// wide it is, lower and upper edge.
    pub windows: Vec<i32>,
    /// Deadlines, three numbers each: places beyond the one before, how wide
    /// it is, height.
    pub deadlines: Vec<i32>,
    /// Cycles that nothing came for: place, and 1 if it is still awaited.
    pub missing: Vec<(i32, u8)>,
    /// Moves of the schedule: place and words.
    pub moves: Vec<(i32, String)>,
    /// Long times without a delivery: from and to.
    pub outages: Vec<(i32, i32)>,
    /// Where the present regime begins, if that is shown.
    pub regime: Option<i32>,
}

/// The whole width, and the whole height.
const WIDTH: f64 = 10_000.0;
const HEIGHT: f64 = 1_000.0;
/// Marks on each axis at most.
const DATES_MOST: usize = 6;
const HEIGHTS_MOST: usize = 5;

/// A figure's outline.
pub fn outline(figure: &Figure) -> Outline {
    let place = Place::of(figure);
    let dates = date_marks(place.from, place.to, DATES_MOST);
    let Heights { from, to } = place.heights;
    let marks = place.scale.marks(from, to, HEIGHTS_MOST);
    let (windows, deadlines) = slots(figure, &place);
    Outline {
        title: frame::title(figure),
        heights: match figure.height {
            Height::Clock => "time of day",
            Height::Delay => "after the cycle began",
            Height::Silence => "until the next arrival",
        },
        y: marks
            .into_iter()
            .map(|height| (place.share(height), place.scale.label(height)))
            .collect(),
        x: dates
            .into_iter()
            .map(|mark| (place.x(mark.local), mark.label))
            .collect(),
        points: points(figure, &place),
        windows,
        deadlines,
        missing: figure
            .missing
            .iter()
            .map(|missing| (place.x(missing.local), u8::from(missing.awaited)))
            .collect(),
        moves: figure
            .moves
            .iter()
            .map(|moved| (place.x(moved.local), words::change(&moved.change)))
            .collect(),
        outages: figure
            .outages
            .iter()
            .map(|outage| (place.x(outage.from), place.x(outage.to)))
            .collect(),
        regime: (figure.regime_since > figure.from)
            .then(|| place.x(figure.zone.local(figure.regime_since.as_second()))),
    }
}

struct Place {
    from: i64,
    to: i64,
    scale: Scale,
    heights: Heights,
}

impl Place {
    fn of(figure: &Figure) -> Place {
        let scale = Scale(figure.height);
        Place {
            from: figure.zone.local(figure.from.as_second()),
            to: figure.zone.local(figure.to.as_second()),
            scale,
            heights: Heights::of(figure, scale),
        }
    }

    fn x(&self, local: i64) -> i32 {
        let span = (self.to - self.from).max(MINUTE) as f64;
        let share = (local - self.from) as f64 / span;
        (share.clamp(0.0, 1.0) * WIDTH).round() as i32
    }

    fn y(&self, minutes: f64) -> i32 {
        self.share(self.scale.height(minutes))
    }

    fn share(&self, height: f64) -> i32 {
        let Heights { from, to } = self.heights;
        let share = (self.heights.clamp(height) - from) / (to - from).max(f64::EPSILON);
        (share * HEIGHT).round() as i32
    }
}

fn points(figure: &Figure, place: &Place) -> Vec<i64> {
    let mut before = (0, 0);
    let numbers = figure.points.iter().flat_map(|point| {
        let at = point.arrived_at.as_second().div_euclid(MINUTE);
        let x = i64::from(place.x(point.local));
        let (last_at, last_x) = std::mem::replace(&mut before, (at, x));
        let kind = match point.kind {
            PointKind::InTime => 0,
            PointKind::Late => 1,
            PointKind::Again => 2,
            PointKind::Before => 3,
        };
        let y = i64::from(place.y(point.minutes));
        [at - last_at, x - last_x, y, kind]
    });
    numbers.collect()
}

/// Windows and deadlines, alike ones that follow each other as one.
fn slots(figure: &Figure, place: &Place) -> (Vec<i32>, Vec<i32>) {
    let mut windows: Vec<[i32; 4]> = Vec::new();
    let mut deadlines: Vec<[i32; 3]> = Vec::new();
    for &Slot {
        series: _,
        from,
        to,
        window,
        deadline,
    } in &figure.cycles
    {
        let (from, to) = (place.x(from), place.x(to));
        if let Some((p10, p90)) = window {
            let edges = (place.y(p10), place.y(p90));
            match windows.last_mut() {
                Some(last) if last[1] == from && (last[2], last[3]) == edges => last[1] = to,
                _ => windows.push([from, to, edges.0, edges.1]),
            }
        }
        let Some(deadline) = deadline else { continue };
        // One beyond what is shown would seem to lie on the edge.
        if !place.heights.contains(place.scale.height(deadline)) {
            continue;
        }
        let height = place.y(deadline);
        match deadlines.last_mut() {
            Some(last) if last[1] == from && last[2] == height => last[1] = to,
            _ => deadlines.push([from, to, height]),
        }
    }
    (spans(windows), spans(deadlines))
}

/// From and to become the distance to the one before and a width: they are the
/// same again and again, and pack well.
fn spans<const N: usize>(mut all: Vec<[i32; N]>) -> Vec<i32> {
    let mut before = 0;
    for span in &mut all {
        let (from, to) = (span[0], span[1]);
        (span[0], span[1]) = (from - before, to - from);
        before = to;
    }
    all.concat()
}
