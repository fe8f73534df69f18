//! How often did each height occur?
//!
//! Beside the arrivals and as high as they, so that a bar stands where its
//! arrivals do, with the median, the 90 % quantile and the deadline of the
//! newest cycle.

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::arrivals::{BELOW, LANE};
use super::axes::Axis;
use super::{Drawn, LABEL, Page, font, letters};
use crate::outputs::words;
use crate::rounds::{Height, PointKind};

/// Room around the name of a line, pixels.
const NAME: u32 = 20;
/// At least so high is a bar, pixels.
const BAR: u32 = 9;

pub(super) fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    area: &DrawingArea<DB, Shift>,
    page: &Page,
) -> Drawn<DB> {
    let (figure, palette, heights) = (page.figure, page.palette, page.heights);
    let (width, height) = area.dim_in_pixel();
    let mut lines = lines(page);
    let widths = lines.iter().map(|line| font::width(&line.1, LABEL));
    let names = (widths.fold(0.0, f64::max) as u32 + NAME).min(width / 2);
    let bins = Bins::of(
        page,
        (height.saturating_sub(LANE + BELOW) / BAR).max(4) as usize,
    );
    let most = bins.counts.iter().map(|(n, late)| n + late).max();
    let most = most.unwrap_or(0).max(1);
    let step = round_step(most, 3);
    let marks = (0..=most / step).map(|i| (i * step) as f64).collect();
    let mut chart = ChartBuilder::on(area)
        .margin_top(LANE)
        .margin_right(names)
        .margin_left(6)
        .x_label_area_size(BELOW)
        .build_cartesian_2d(
            Axis {
                range: 0.0..most as f64 * 1.05,
                marks,
            },
            Axis {
                range: heights.from..heights.to,
                marks: page
                    .scale
                    .marks(heights.from, heights.to, (height / 44) as usize),
            },
        )?;
    let what = match figure.height {
        Height::Silence => "silences",
        Height::Clock | Height::Delay => "cycles",
    };
    let n: u64 = bins.counts.iter().map(|(n, late)| n + late).sum();
    chart
        .configure_mesh()
        .bold_line_style(palette.grid)
        .light_line_style(TRANSPARENT)
        .axis_style(palette.quiet)
        .x_label_formatter(&|n| words::thousands(*n as u64))
        .label_style(letters(LABEL, &palette.quiet, HPos::Left, VPos::Top))
        .axis_desc_style(letters(LABEL, &palette.quiet, HPos::Left, VPos::Top))
        .x_desc(format!("how many of {} {what}", words::thousands(n)))
        .draw()?;
    for (i, &(n, late)) in bins.counts.iter().enumerate() {
        let from = bins.first + i as f64 * bins.width;
        let edges = (heights.clamp(from), heights.clamp(from + bins.width));
        let color = match bins.are_judged {
            true => palette.in_time,
            false => palette.unjudged,
        };
        for (from, to, color) in [(0, n, color), (n, n + late, palette.bad)] {
            if to > from {
                let corners = [(from as f64, edges.0), (to as f64, edges.1)];
                let mut bar = Rectangle::new(corners, color.filled());
                bar.set_margin(1, 0, 0, 0);
                chart.draw_series([bar])?;
            }
        }
    }
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    // Names from the top down, none on another.
    let mut lowest = i32::MIN;
    for (height, name, color) in lines {
        let line = [(0.0, height), (most as f64 * 1.05, height)];
        let style = color.stroke_width(2);
        match name.starts_with("p50") {
            true => chart.draw_series([DashedPathElement::new(line, 6, 4, style)])?,
            false => chart.draw_series([PathElement::new(line.to_vec(), style)])?,
        };
        let (x, y) = chart.plotting_area().map_coordinate(&line[1]);
        let y = y.max(lowest);
        lowest = y + 16;
        let style = letters(LABEL, &color, HPos::Left, VPos::Center);
        root.draw_text(&name, &style, (x + 6, y))?;
    }
    Ok(())
}

/// The median, the 90 % quantile and the deadline, as far as they are known and
/// shown: where, by which name, in which colour.
fn lines(page: &Page) -> Vec<(f64, String, RGBColor)> {
    let Some(reference) = page.figure.reference else {
        return Vec::new();
    };
    [
        ("p50", reference.p50, page.palette.text),
        ("p90", reference.p90, page.palette.text),
        ("deadline", reference.deadline, page.palette.bad),
    ]
    .into_iter()
    .filter_map(|(name, minutes, color)| {
        let height = page.scale.height(minutes?);
        let text = format!("{name} {}", page.scale.label(height));
        Some((height, text, color)).filter(|_| page.heights.contains(height))
    })
    .collect()
}

/// Equal bins over the heights: how many were in time, and how many late.
struct Bins {
    first: f64,
    width: f64,
    counts: Vec<(u64, u64)>,
    are_judged: bool,
}

impl Bins {
    fn of(page: &Page, most: usize) -> Bins {
        let (from, to) = (page.heights.from, page.heights.to);
        let width = page.scale.step(from, to, most);
        let first = (from / width).floor() * width;
        let n = ((to - first) / width).ceil() as usize;
        let points = || page.figure.points.iter();
        let is_judged = |kind| matches!(kind, PointKind::InTime | PointKind::Late);
        let are_judged = points().any(|point| is_judged(point.kind));
        let mut counts = vec![(0, 0); n];
        for point in points().filter(|point| is_judged(point.kind) == are_judged) {
            let height = page.scale.height(point.minutes);
            if !page.heights.contains(height) {
                continue;
            }
            let bin = ((height - first) / width) as usize;
            if let Some(count) = counts.get_mut(bin) {
                match point.kind {
                    PointKind::Late => count.1 += 1,
                    _ => count.0 += 1,
                }
            }
        }
        Bins {
            first,
            width,
            counts,
            are_judged,
        }
    }
}

/// A round step, so that at most so many fit.
fn round_step(most: u64, n: u64) -> u64 {
    let least = most.div_ceil(n).max(1);
    let power = 10_u64.pow(least.ilog10());
    [1, 2, 5, 10]
        .map(|times| times * power)
        .into_iter()
        .find(|&step| step >= least)
        .unwrap_or(least)
}
