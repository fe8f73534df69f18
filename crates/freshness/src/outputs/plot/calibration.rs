//! Does what is published hold?
//!
//! On the left each published share of deliveries that come later, against the
//! share that really came later, over everything and by cell; on the right by
//! month since the model was new. Bars are where a count lies by chance, 99
//! times in 100. The scale is that of log odds, so that one in two and one in
//! a thousand are both seen.

use freshness_lab::evaluate::{Calibration, Exceedance};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axes::Axis;
use super::{Drawn, LABEL, Look, font, frame, letters};
use crate::outputs::words;

pub(super) const TITLE: &str = "Is a delivery as often late as the model says?";

/// Shares that are marked.
const MARKS: [f64; 8] = [0.000_1, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9];
/// Shares below and above are drawn on the edge.
const LEAST: f64 = 0.000_05;
const MOST: f64 = 0.97;
/// Cells with fewer cycles say nothing.
const LEAST_CYCLES: u64 = 30;

const TOP: u32 = 66;
const LEGEND: u32 = 40;

type Chart<'a, DB> = ChartContext<'a, DB, Cartesian2d<Axis, Axis>>;

pub(super) fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    found: &[Calibration],
    over: &str,
    look: Look,
) -> Drawn<DB> {
    frame::heading(root, look, TITLE, over)?;
    let height = look.height.saturating_sub(TOP + LEGEND);
    let half = look.width / 2;
    let area = |x: u32, width: u32| root.clone().shrink((x, TOP), (width, height));
    draw_overall(root, &area(0, half), found, look)?;
    draw_months(root, &area(half, look.width - half), found, look)?;
    draw_legend(root, look)
}

fn draw_overall<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    area: &DrawingArea<DB, Shift>,
    found: &[Calibration],
    look: Look,
) -> Drawn<DB> {
    let palette = look.theme.palette();
    let axis = || Axis {
        range: odds(LEAST)..odds(MOST),
        marks: MARKS.map(odds).to_vec(),
    };
    let names = ("published share of later deliveries", "realised share");
    let mut chart = chart(area, axis(), look, names, &|at| percent(*at))?;
    let diagonal = [(odds(LEAST), odds(LEAST)), (odds(MOST), odds(MOST))];
    let style = palette.quiet.stroke_width(1);
    chart.draw_series([DashedPathElement::new(diagonal, 4, 4, style)])?;
    for published in found {
        for (_, cell) in &published.by_cell {
            if cell.n >= LEAST_CYCLES {
                draw_point(root, &chart, at(cell), cell, look, false)?;
            }
        }
        let overall = &published.overall;
        draw_band(&mut chart, at(overall), overall, 0.06, look)?;
        draw_point(root, &chart, at(overall), overall, look, true)?;
        let (x, _) = position(&chart, at(overall), overall);
        let (_, bottom) = chart
            .plotting_area()
            .map_coordinate(&(odds(LEAST), odds(LEAST)));
        let style = letters(LABEL, &palette.text, HPos::Center, VPos::Bottom);
        root.draw_text(published.published, &style, (x, bottom - 8))?;
    }
    Ok(())
}

fn draw_months<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    area: &DrawingArea<DB, Shift>,
    found: &[Calibration],
    look: Look,
) -> Drawn<DB> {
    let palette = look.theme.palette();
    let months = found.iter().flat_map(|of| &of.by_month);
    let last = months.map(|(month, _)| *month).max().unwrap_or(1);
    // As many names as can be read.
    let step = (last / 12).max(1);
    let axis = Axis {
        range: 0.5..last as f64 + 0.5,
        marks: (1..=last)
            .step_by(step as usize)
            .map(|it| it as f64)
            .collect(),
    };
    let names = ("month since the model was new", "realised share");
    let mut chart = chart(area, axis, look, names, &|month| format!("{month:.0}"))?;
    for published in found {
        if let Some(share) = published.overall.published_share {
            let height = odds(share);
            let line = [(0.5, height), (last as f64 + 0.5, height)];
            let style = palette.quiet.stroke_width(1);
            chart.draw_series([DashedPathElement::new(line, 4, 4, style)])?;
            let (x, y) = chart.plotting_area().map_coordinate(&line[0]);
            let style = letters(LABEL, &palette.text, HPos::Left, VPos::Bottom);
            root.draw_text(published.published, &style, (x + 6, y - 2))?;
        }
        for (month, seen) in &published.by_month {
            draw_band(&mut chart, *month as f64, seen, 0.12, look)?;
            draw_point(root, &chart, *month as f64, seen, look, true)?;
        }
    }
    Ok(())
}

/// An empty chart of realised shares.
fn chart<'a, DB: DrawingBackend>(
    area: &'a DrawingArea<DB, Shift>,
    across: Axis,
    look: Look,
    (x_name, y_name): (&str, &str),
    x_label: &dyn Fn(&f64) -> String,
) -> Result<Chart<'a, DB>, DrawingAreaErrorKind<DB::ErrorType>> {
    let palette = look.theme.palette();
    let mut chart = ChartBuilder::on(area)
        .margin_left(20)
        .margin_right(20)
        .margin_top(8)
        .x_label_area_size(46)
        .y_label_area_size(84)
        .build_cartesian_2d(
            across,
            Axis {
                range: odds(LEAST)..odds(MOST),
                marks: MARKS.map(odds).to_vec(),
            },
        )?;
    chart
        .configure_mesh()
        .bold_line_style(palette.grid)
        .light_line_style(TRANSPARENT)
        .axis_style(palette.quiet)
        .x_label_formatter(&|at| x_label(at))
        .y_label_formatter(&|height| percent(*height))
        .label_style(letters(LABEL, &palette.quiet, HPos::Left, VPos::Top))
        .axis_desc_style(letters(LABEL, &palette.quiet, HPos::Left, VPos::Top))
        .x_desc(x_name)
        .y_desc(y_name)
        .draw()?;
    Ok(chart)
}

fn draw_band<DB: DrawingBackend>(
    chart: &mut Chart<'_, DB>,
    at: f64,
    seen: &Exceedance,
    half_width: f64,
    look: Look,
) -> Drawn<DB> {
    if let Some((low, high)) = seen.band {
        let corners = [(at - half_width, odds(low)), (at + half_width, odds(high))];
        let color = look.theme.palette().window.filled();
        chart.draw_series([Rectangle::new(corners, color)])?;
    }
    Ok(())
}

/// A circle within the band, a triangle outside.
fn draw_point<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    chart: &Chart<'_, DB>,
    at: f64,
    seen: &Exceedance,
    look: Look,
    is_large: bool,
) -> Drawn<DB> {
    if seen.share.is_none() {
        return Ok(());
    }
    let point = position(chart, at, seen);
    draw_sign(root, point, seen.within != Some(false), is_large, look)
}

fn draw_sign<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    (x, y): (i32, i32),
    is_within: bool,
    is_large: bool,
    look: Look,
) -> Drawn<DB> {
    let palette = look.theme.palette();
    let size = if is_large { 6 } else { 4 };
    match (is_within, is_large) {
        (true, true) => root.draw(&Circle::new((x, y), 5, palette.in_time.filled())),
        (true, false) => root.draw(&Circle::new((x, y), 3, palette.unjudged.stroke_width(1))),
        (false, _) => {
            let corners = [(x, y - size), (x + size, y + size), (x - size, y + size)];
            match is_large {
                true => root.draw(&Polygon::new(corners, palette.bad.filled())),
                false => {
                    let outline = [corners[0], corners[1], corners[2], corners[0]];
                    root.draw(&PathElement::new(outline, palette.bad.stroke_width(1)))
                }
            }
        }
    }
}

fn draw_legend<DB: DrawingBackend>(root: &DrawingArea<DB, Shift>, look: Look) -> Drawn<DB> {
    let palette = look.theme.palette();
    let y = look.height as i32 - 20;
    let mut x = 20;
    let style = letters(LABEL, &palette.text, HPos::Left, VPos::Center);
    for (is_within, is_large, text) in [
        (true, true, "within its band"),
        (false, true, "outside"),
        (true, false, "a cell within its band"),
        (false, false, "a cell outside"),
    ] {
        draw_sign(root, (x + 6, y), is_within, is_large, look)?;
        root.draw_text(text, &style, (x + 20, y))?;
        x += 44 + font::width(text, LABEL) as i32;
    }
    let corners = [(x, y - 6), (x + 14, y + 6)];
    root.draw(&Rectangle::new(corners, palette.window.filled()))?;
    let text = "where a count lies by chance, 99 %";
    root.draw_text(text, &style, (x + 22, y))?;
    x += 46 + font::width(text, LABEL) as i32;
    for from in [x, x + 8, x + 16] {
        let line = [(from, y), (from + 4, y)];
        root.draw(&PathElement::new(line, palette.quiet.stroke_width(1)))?;
    }
    root.draw_text("as published", &style, (x + 28, y))
}

fn at(seen: &Exceedance) -> f64 {
    odds(seen.published_share.unwrap_or(0.0))
}

fn position<DB: DrawingBackend>(chart: &Chart<'_, DB>, at: f64, seen: &Exceedance) -> (i32, i32) {
    let height = odds(seen.share.unwrap_or(0.0));
    chart.plotting_area().map_coordinate(&(at, height))
}

/// Log odds of a share, on the edge if they lie beyond.
fn odds(share: f64) -> f64 {
    let share = share.clamp(LEAST, MOST);
    (share / (1.0 - share)).ln()
}

fn percent(odds: f64) -> String {
    let share = 100.0 / (1.0 + (-odds).exp());
    match share {
        share if share < 0.05 => format!("{share:.2} %"),
        share if share < 0.5 => format!("{share:.1} %"),
        share => format!("{share:.0} %"),
    }
}

/// What a calibration is over, in words.
pub fn over(found: &[Calibration]) -> String {
    let datasets = found.iter().map(|of| of.n_datasets).max().unwrap_or(0);
    let cycles = found.iter().map(|of| of.overall.n).max().unwrap_or(0);
    let within = found.iter().map(|of| {
        let share = of.datasets_within.unwrap_or(0.0) * 100.0;
        format!("{} of {share:.0} %", of.published)
    });
    let within: Vec<String> = within.collect();
    format!(
        "{} of {} on days that no model saw; within the band for: {} of the datasets",
        words::count(cycles, "ordinary cycle"),
        words::count(datasets, "dataset"),
        within.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::plot::{Subject, Theme, svg};

    fn seen(n: u64, n_exceeded: u64, published: f64, band: (f64, f64)) -> Exceedance {
        let share = n_exceeded as f64 / n as f64;
        Exceedance {
            n,
            n_exceeded,
            share: Some(share),
            published_share: Some(published),
            band: Some(band),
            within: Some((band.0..=band.1).contains(&share)),
        }
    }

    #[test]
    fn a_share_outside_its_band_has_another_shape() {
        let good = seen(1_000, 101, 0.1, (0.076, 0.125));
        let bad = seen(1_000, 160, 0.1, (0.076, 0.125));
        let found = [Calibration {
            published: "p90",
            overall: good,
            by_cell: vec![
                ("hour 5".to_owned(), bad),
                ("few".to_owned(), seen(5, 1, 0.1, (0.0, 0.6))),
            ],
            by_month: vec![(1, good), (2, bad)],
            n_datasets: 40,
            n_datasets_within: 39,
            datasets_within: Some(0.975),
        }];
        let look = Look {
            theme: Theme::Light,
            width: 1_200,
            height: 600,
        };
        let picture = svg(Subject::Calibration(&found, &over(&found)), look).unwrap();
        let n = |part: &str| picture.matches(part).count();
        // Overall, month 1, and the legend; month 2 and the legend.
        assert_eq!(n("r=\"5\""), 3, "{picture}");
        assert_eq!(n("<polygon opacity=\"1\" fill=\"#C22512\""), 2);
        assert!(picture.contains("1,000 ordinary cycles of 40 datasets"));
    }

    #[test]
    fn nothing_seen_is_an_empty_picture_and_no_error() {
        let look = Look {
            theme: Theme::Dark,
            width: 900,
            height: 400,
        };
        let found = [Calibration {
            published: "threshold",
            overall: Exceedance::default(),
            by_cell: Vec::new(),
            by_month: Vec::new(),
            n_datasets: 0,
            n_datasets_within: 0,
            datasets_within: None,
        }];
        for found in [&found[..], &[]] {
            let picture = svg(Subject::Calibration(found, &over(found)), look).unwrap();
            assert!(!picture.contains("NaN"));
        }
    }
}
