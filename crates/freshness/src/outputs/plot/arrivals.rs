//! When did deliveries come, and when were they expected?

use std::collections::BTreeSet;

use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axes::Axis;
use super::theme::Palette;
use super::{Drawn, LABEL, Page, axes, font, labels, letters};
use crate::rounds::{Height, PointKind, Slot};

type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<Axis, Axis>>;

/// One sign in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    Point(PointKind),
    Missing { awaited: bool },
}

/// Room for the labels of moves and outages, pixels.
pub(super) const LANE: u32 = 44;
/// Room for the labels of the axes, pixels.
pub(super) const BELOW: u32 = 46;
/// … for the name of the axis of heights, and between it and the labels.
const NAME: u32 = 34;
/// Room at the edge of the picture, for the name of the axis of heights.
const EDGE: u32 = 24;

pub(super) fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    area: &DrawingArea<DB, Shift>,
    page: &Page,
) -> Drawn<DB> {
    let (figure, palette, heights) = (page.figure, page.palette, page.heights);
    let local = |at: jiff::Timestamp| figure.zone.local(at.as_second());
    let (from, to) = (
        local(figure.from),
        local(figure.to).max(local(figure.from) + 1),
    );
    let (width, height) = area.dim_in_pixel();
    let dates = axes::date_marks(from, to, (width / 76) as usize);
    let marks = page
        .scale
        .marks(heights.from, heights.to, (height / 44) as usize);
    let widths = marks
        .iter()
        .map(|&height| font::width(&page.scale.label(height), LABEL));
    let labels_width = widths.fold(0.0, f64::max).ceil() as u32;
    let mut chart = ChartBuilder::on(area)
        .margin_top(LANE)
        .margin_left(EDGE)
        .margin_right(20)
        .x_label_area_size(BELOW)
        .y_label_area_size(labels_width + NAME)
        .build_cartesian_2d(
            Axis {
                range: from as f64..to as f64,
                marks: dates.iter().map(|mark| mark.local as f64).collect(),
            },
            Axis {
                range: heights.from..heights.to,
                marks,
            },
        )?;
    // Under the grid what is large, above it what is small.
    for outage in &figure.outages {
        let corners = [(outage.from, heights.from), (outage.to, heights.to)]
            .map(|(at, height)| ((at.clamp(from, to)) as f64, height));
        chart.draw_series([Rectangle::new(corners, palette.outage.filled())])?;
    }
    draw_windows(&mut chart, page)?;
    let date_label = |at: &f64| {
        let mark = dates.iter().find(|mark| mark.local as f64 == *at);
        // None that would run into the distribution.
        let room = (to as f64 - at) / (to - from) as f64 * f64::from(width) + 24.0;
        let fits = |label: &&str| font::width(label, LABEL) / 2.0 < room;
        let label = mark.map(|mark| mark.label.as_str()).filter(fits);
        label.unwrap_or_default().to_owned()
    };
    let heading = match figure.height {
        Height::Clock if heights.to - heights.from > 2.0 * 1_440.0 => {
            format!("time since midnight of the cycle ({})", figure.zone)
        }
        Height::Clock => format!("time of day ({})", figure.zone),
        Height::Delay => "time into the cycle".to_owned(),
        Height::Silence => "silence until the next arrival (log scale)".to_owned(),
    };
    chart
        .configure_mesh()
        .bold_line_style(palette.grid)
        .light_line_style(TRANSPARENT)
        .axis_style(palette.quiet)
        .x_label_formatter(&date_label)
        .y_label_formatter(&|height| page.scale.label(*height))
        .label_style(letters(LABEL, &palette.quiet, HPos::Left, VPos::Top))
        .axis_desc_style(letters(LABEL, &palette.quiet, HPos::Left, VPos::Top))
        .x_desc(format!("date ({})", figure.zone))
        .y_desc(heading)
        .draw()?;
    if let Some(rule) = figure.fixed_rule.map(|rule| page.scale.height(rule))
        && heights.contains(rule)
    {
        let line = [(from as f64, rule), (to as f64, rule)];
        let style = palette.rule.stroke_width(2);
        chart.draw_series([DashedPathElement::new(line, 4, 5, style)])?;
    }
    draw_deadlines(&mut chart, page)?;
    for moved in &figure.moves {
        let at = moved.local.clamp(from, to) as f64;
        let line = [(at, heights.from), (at, heights.to)];
        let style = palette.moved.stroke_width(2);
        chart.draw_series([DashedPathElement::new(line, 7, 5, style)])?;
    }
    draw_marks(root, &chart, page)?;
    labels::draw(root, &chart, page)
}

/// Cycles that follow each other without a break, of one series.
fn stretches(slots: &[Slot], holds: impl Fn(&Slot) -> bool) -> Vec<&[Slot]> {
    slots
        .chunk_by(|slot, next| {
            slot.series == next.series && slot.to == next.from && holds(slot) == holds(next)
        })
        .filter(|stretch| holds(&stretch[0]))
        .collect()
}

/// A line of steps; equal steps are one.
fn steps(slots: &[Slot], height: impl Fn(&Slot) -> f64) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::new();
    for slot in slots {
        let height = height(slot);
        match line.last_mut() {
            Some(last) if last.1 == height => last.0 = slot.to as f64,
            _ => line.extend([(slot.from as f64, height), (slot.to as f64, height)]),
        }
    }
    line
}

fn draw_windows<DB: DrawingBackend>(chart: &mut Chart<'_, DB>, page: &Page) -> Drawn<DB> {
    let height = |minutes: f64| page.heights.clamp(page.scale.height(minutes));
    for stretch in stretches(&page.figure.cycles, |slot| slot.window.is_some()) {
        let edge = |of: fn((f64, f64)) -> f64| {
            steps(stretch, |slot| slot.window.map_or(0.0, |it| height(of(it))))
        };
        let mut outline = edge(|window| window.0);
        outline.extend(edge(|window| window.1).into_iter().rev());
        chart.draw_series([Polygon::new(outline, page.palette.window.filled())])?;
    }
    Ok(())
}

fn draw_deadlines<DB: DrawingBackend>(chart: &mut Chart<'_, DB>, page: &Page) -> Drawn<DB> {
    let height = |slot: &Slot| slot.deadline.map(|minutes| page.scale.height(minutes));
    let is_seen = |slot: &Slot| height(slot).is_some_and(|it| page.heights.contains(it));
    for stretch in stretches(&page.figure.cycles, is_seen) {
        let line = steps(stretch, |slot| height(slot).unwrap_or(page.heights.to));
        let style = page.palette.bad.stroke_width(2);
        chart.draw_series([PathElement::new(line, style)])?;
    }
    Ok(())
}

fn draw_marks<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    chart: &Chart<'_, DB>,
    page: &Page,
) -> Drawn<DB> {
    let figure = page.figure;
    let area = chart.plotting_area();
    // What matters lies on top.
    let mut marks: Vec<(Mark, (i32, i32))> = figure
        .points
        .iter()
        .map(|point| {
            let height = page.heights.clamp(page.scale.height(point.minutes));
            let at = area.map_coordinate(&(point.local as f64, height));
            (Mark::Point(point.kind), at)
        })
        .collect();
    marks.extend(figure.missing.iter().map(|missing| {
        let (x, y) = area.map_coordinate(&(missing.local as f64, page.heights.to));
        let awaited = missing.awaited;
        (Mark::Missing { awaited }, (x, y + 12))
    }));
    let rank = |mark: Mark| match mark {
        Mark::Point(PointKind::Before) => 0,
        Mark::Point(PointKind::Again) => 1,
        Mark::Point(PointKind::InTime) => 2,
        Mark::Point(PointKind::Late) => 3,
        Mark::Missing { awaited: false } => 4,
        Mark::Missing { awaited: true } => 5,
    };
    marks.sort_by_key(|&(mark, _)| rank(mark));
    // Two of a kind on one pixel look like one.
    let mut drawn = BTreeSet::new();
    for (mark, at) in marks {
        if drawn.insert((mark, at)) {
            draw_mark(root, page.palette, mark, at)?;
        }
    }
    Ok(())
}

/// Draws one sign; its shape says what its colour does.
pub(super) fn draw_mark<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    palette: &Palette,
    mark: Mark,
    (x, y): (i32, i32),
) -> Drawn<DB> {
    let bad = palette.bad;
    match mark {
        Mark::Point(PointKind::InTime) => {
            root.draw(&Circle::new((x, y), 3, palette.in_time.filled()))
        }
        Mark::Point(PointKind::Again) => {
            root.draw(&Circle::new((x, y), 2, palette.unjudged.filled()))
        }
        Mark::Point(PointKind::Before) => {
            root.draw(&Circle::new((x, y), 3, palette.unjudged.stroke_width(1)))
        }
        Mark::Point(PointKind::Late) => {
            let corners = [(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)];
            root.draw(&Polygon::new(corners, bad.filled()))
        }
        Mark::Missing { awaited: false } => {
            let style = bad.stroke_width(2);
            root.draw(&PathElement::new([(x - 4, y - 4), (x + 4, y + 4)], style))?;
            root.draw(&PathElement::new([(x - 4, y + 4), (x + 4, y - 4)], style))
        }
        Mark::Missing { awaited: true } => {
            let corners = [(x, y - 7), (x + 7, y), (x, y + 7), (x - 7, y)];
            root.draw(&Polygon::new(corners, bad.filled()))
        }
    }
}
