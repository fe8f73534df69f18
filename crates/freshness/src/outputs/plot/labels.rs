//! What is written above the arrivals: when did the schedule move, and how long
//! did nothing come?

use freshness_core::civil::{DAY, Day};
use freshness_core::fit::Change;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::Ranged;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::{Drawn, LABEL, Page, axes, font, letters};
use crate::outputs::words;

/// Rows for labels, so that two near each other are both read.
const ROWS: usize = 2;
const ROW: i32 = 18;

struct Label {
    /// Local seconds.
    at: i64,
    text: String,
    color: RGBColor,
}

/// Writes a label over each move and outage, as far as there is room; the
/// newest first, since the present is what people look for.
pub(super) fn draw<DB, X, Y>(
    root: &DrawingArea<DB, Shift>,
    chart: &ChartContext<'_, DB, Cartesian2d<X, Y>>,
    page: &Page,
) -> Drawn<DB>
where
    DB: DrawingBackend,
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let area = chart.plotting_area();
    let (columns, _) = area.get_pixel_range();
    let mut taken: [Vec<(i32, i32)>; ROWS] = Default::default();
    for label in labels(page) {
        let (x, top) = area.map_coordinate(&(label.at as f64, page.heights.to));
        let x = x.clamp(columns.start, columns.end);
        let width = font::width(&label.text, LABEL).ceil() as i32;
        // Beside its line, or left of it where the picture ends.
        let from = match x + width > columns.end {
            true => (x - width).max(columns.start),
            false => x,
        };
        let span = (from - 6, from + width + 6);
        let is_free = |row: &Vec<(i32, i32)>| {
            row.iter()
                .all(|&(begins, ends)| span.1 <= begins || ends <= span.0)
        };
        let Some(row) = taken.iter().position(is_free) else {
            continue;
        };
        taken[row].push(span);
        let style = letters(LABEL, &label.color, HPos::Left, VPos::Bottom);
        let y = top - 4 - ROW * row as i32;
        root.draw_text(&label.text, &style, (from, y))?;
    }
    Ok(())
}

fn labels(page: &Page) -> Vec<Label> {
    let figure = page.figure;
    let from = figure.zone.local(figure.from.as_second());
    let moves = figure.moves.iter().rev().map(|moved| {
        let with_year = figure.to.as_second() - figure.from.as_second() > 300 * DAY;
        let day = axes::day_label(Day::of_local(moved.local), with_year);
        Label {
            at: moved.local,
            text: format!("{}, {day}", change(&moved.change)),
            color: page.palette.moved,
        }
    });
    let outages = figure.outages.iter().rev().map(|outage| Label {
        at: outage.from.max(from),
        text: format!("nothing for {}", length(outage.to - outage.from)),
        color: page.palette.quiet,
    });
    moves.chain(outages).collect()
}

/// What moved, as short as can be.
fn change(change: &Change) -> String {
    /// Up to here minutes are easily read.
    const MINUTES: f64 = 180.0;
    let signed = |minutes: f64| {
        let sign = if minutes < 0.0 { '−' } else { '+' };
        match minutes.abs() {
            size if size <= MINUTES => format!("{sign}{size:.0} min"),
            size => format!("{sign}{}", words::to_the_minute(size)),
        }
    };
    match change {
        Change::Shift { minutes } => signed(*minutes),
        Change::LaterLoad { minutes } => format!("second load {}", signed(*minutes)),
        Change::Cadence {
            per_week_before,
            per_week_after,
        } => format!("{per_week_before:.1} → {per_week_after:.1} a week"),
    }
}

fn length(seconds: i64) -> String {
    match seconds as f64 / DAY as f64 {
        days if days >= 730.0 => format!("{:.1} years", days / 365.25),
        days if days >= 2.0 => format!("{days:.0} days"),
        _ => words::duration(seconds),
    }
}
