//! What do the marks mean, and how many are there of each?

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::arrivals::{Mark, draw_mark};
use super::{Drawn, LABEL, Page, font, letters};
use crate::outputs::words;
use crate::rounds::{Height, PointKind};

/// What stands before a text.
#[derive(Debug, Clone, Copy)]
enum Swatch {
    Mark(Mark),
    Area(RGBColor),
    Line(RGBColor),
    Dashed(RGBColor),
    Nothing,
}

struct Item {
    swatch: Swatch,
    text: String,
}

const ROW: i32 = 21;
const MARGIN: i32 = 16;
const SWATCH: i32 = 26;
const BETWEEN: i32 = 22;

/// Draws the legend at the bottom; gives back where it begins.
pub(super) fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    page: &Page,
) -> Result<u32, DrawingAreaErrorKind<DB::ErrorType>> {
    let right = page.look.width as i32 - MARGIN;
    // In rows, like words.
    let mut placed: Vec<(i32, i32, Item)> = Vec::new();
    let (mut x, mut row) = (MARGIN, 0);
    for item in items(page) {
        let swatch = match item.swatch {
            Swatch::Nothing => 0,
            _ => SWATCH,
        };
        let width = swatch + font::width(&item.text, LABEL).ceil() as i32;
        if x > MARGIN && x + width > right {
            (x, row) = (MARGIN, row + 1);
        }
        placed.push((x, row, item));
        x += width + BETWEEN;
    }
    let top = page.look.height as i32 - (row + 1) * ROW - 8;
    for (x, row, item) in placed {
        draw_item(root, page, &item, x, top + row * ROW + ROW / 2)?;
    }
    Ok((top - 6).max(0) as u32)
}

fn draw_item<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    page: &Page,
    item: &Item,
    x: i32,
    y: i32,
) -> Drawn<DB> {
    let line = |color: RGBColor| color.stroke_width(2);
    let mut text_x = x + SWATCH;
    match item.swatch {
        Swatch::Mark(mark) => draw_mark(root, page.palette, mark, (x + 10, y))?,
        Swatch::Area(color) => {
            root.draw(&Rectangle::new(
                [(x, y - 6), (x + 20, y + 6)],
                color.filled(),
            ))?;
        }
        Swatch::Line(color) => {
            root.draw(&PathElement::new([(x, y), (x + 20, y)], line(color)))?;
        }
        Swatch::Dashed(color) => {
            for from in [x, x + 8, x + 16] {
                root.draw(&PathElement::new([(from, y), (from + 4, y)], line(color)))?;
            }
        }
        Swatch::Nothing => text_x = x,
    }
    let style = letters(LABEL, &page.palette.text, HPos::Left, VPos::Center);
    root.draw_text(&item.text, &style, (text_x, y))
}

/// What occurs in the picture, in the order of importance.
fn items(page: &Page) -> Vec<Item> {
    let (figure, palette) = (page.figure, page.palette);
    let mut items = Vec::new();
    let mut add = |swatch: Swatch, text: String| items.push(Item { swatch, text });
    let is_silence = figure.height == Height::Silence;
    for (kind, name) in [
        (PointKind::InTime, "in time"),
        (PointKind::Late, "late"),
        (PointKind::Again, "redelivery, or of no cycle"),
        (PointKind::Before, "before the present schedule, not judged"),
    ] {
        let n = figure.points.iter().filter(|it| it.kind == kind).count() as u64;
        let name = match kind {
            PointKind::InTime if is_silence => "silence over in time",
            PointKind::Late if is_silence => "silence past its deadline",
            _ => name,
        };
        if n > 0 {
            let text = format!("{name} ({})", words::thousands(n));
            add(Swatch::Mark(Mark::Point(kind)), text);
        }
    }
    for (awaited, name) in [(false, "missed"), (true, "late, still awaited")] {
        let missing = figure.missing.iter();
        let n = missing.filter(|it| it.awaited == awaited).count() as u64;
        if n > 0 {
            let text = format!("{name} ({})", words::thousands(n));
            add(Swatch::Mark(Mark::Missing { awaited }), text);
        }
    }
    if figure.cycles.iter().any(|slot| slot.window.is_some()) {
        let text = "expected window, p10 to p90".to_owned();
        add(Swatch::Area(palette.window), text);
    }
    let deadlines: Vec<f64> = figure.cycles.iter().filter_map(|it| it.deadline).collect();
    let n_seen = deadlines
        .iter()
        .filter(|&&minutes| page.heights.contains(page.scale.height(minutes)))
        .count();
    if !deadlines.is_empty() {
        let name = match figure.cold_start {
            Some(_) => "loose deadline that only advises",
            None => "deadline",
        };
        let text = match deadlines.len() - n_seen {
            0 if deadlines.len() < figure.cycles.len() && !is_silence => {
                format!("{name}; none for a cycle that it may skip")
            }
            0 => name.to_owned(),
            _ if n_seen == 0 => format!("{name}: beyond the edge"),
            _ => format!("{name}, in part beyond the edge"),
        };
        add(Swatch::Line(palette.bad), text);
    } else if is_silence {
        let text = "no deadline: too unsteady for a promise".to_owned();
        add(Swatch::Nothing, text);
    }
    if let Some(rule) = figure.fixed_rule {
        let height = page.scale.height(rule);
        let place = match height {
            height if height < page.heights.from => ", below the picture",
            height if height > page.heights.to => ", above the picture",
            _ => "",
        };
        let text = format!("fixed rule: loaded by 07:00 {}{place}", figure.zone);
        add(Swatch::Dashed(palette.rule), text);
    }
    if !figure.moves.is_empty() {
        add(Swatch::Dashed(palette.moved), "schedule moved".to_owned());
    }
    if !figure.outages.is_empty() {
        let text = "long without a delivery".to_owned();
        add(Swatch::Area(palette.outage), text);
    }
    let beyond = figure
        .points
        .iter()
        .filter(|point| !page.heights.contains(page.scale.height(point.minutes)))
        .count() as u64;
    if beyond > 0 {
        let text = format!("{} beyond the edge, drawn on it", words::thousands(beyond));
        add(Swatch::Nothing, text);
    }
    items
}
