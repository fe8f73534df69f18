//! What is the picture of, in words?

use freshness_core::civil::Day;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::{Drawn, Look, Page, axes, font, letters};
use crate::outputs::words;
use crate::rounds::{Figure, Height};

const TITLE: f64 = 19.0;
const SUBTITLE: f64 = 14.0;
const MARGIN: i32 = 16;

/// Draws title and subtitle; gives back where they end.
pub(super) fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    page: &Page,
) -> Result<u32, DrawingAreaErrorKind<DB::ErrorType>> {
    heading(root, page.look, &title(page.figure), &subtitle(page.figure))?;
    Ok(58)
}

/// A title and a line below it.
pub(super) fn heading<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    look: Look,
    title: &str,
    subtitle: &str,
) -> Drawn<DB> {
    let palette = look.theme.palette();
    let most = f64::from(look.width) - 2.0 * f64::from(MARGIN);
    for (text, pixels, color, y) in [
        (title, TITLE, &palette.text, 14),
        (subtitle, SUBTITLE, &palette.quiet, 40),
    ] {
        let text = font::fit(text, pixels, most);
        let style = letters(pixels, color, HPos::Left, VPos::Top);
        root.draw_text(&text, &style, (MARGIN, y))?;
    }
    Ok(())
}

/// Whose arrivals, and of when.
pub(super) fn title(figure: &Figure) -> String {
    let day = |at: jiff::Timestamp| {
        let local = figure.zone.local(at.as_second());
        axes::day_label(Day::of_local(local), true)
    };
    let (from, to) = (day(figure.from), day(figure.to));
    match from == to {
        true => format!("{}: arrivals of {to}", figure.dataset_id),
        false => format!("{}: arrivals from {from} to {to}", figure.dataset_id),
    }
}

/// Its calendar, its zone, what is known of it, and its state.
pub(super) fn subtitle(figure: &Figure) -> String {
    let since = || words::day(figure.regime_since, figure.zone);
    let model = match (figure.cold_start, figure.provisional_shift) {
        (Some((n, needed)), _) => format!("cold start: {n} of {needed} cycles needed to learn"),
        (None, Some(minutes)) => format!(
            "provisional model: {} of late, the deadline is wider",
            words::shift(minutes)
        ),
        (None, None) if figure.height == Height::Silence => {
            format!("model of its silences, since {}", since())
        }
        (None, None) => format!("{} model, since {}", figure.model_status, since()),
    };
    format!(
        "{} · {} ({}) · {model} · state: {}",
        figure.calendar,
        figure.zone,
        words::source(figure.zone_source),
        words::state(figure.state),
    )
}
