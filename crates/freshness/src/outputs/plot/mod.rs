//! How does a figure become a picture?
//!
//! Drawn once through plotters and written as SVG or, by a canvas of our own,
//! as PNG. On the left the arrivals over time, on the right how often each
//! height occurred, above a title in words, below a legend with counts.
//! Nothing is told by colour alone.

mod arrivals;
mod axes;
mod canvas;
mod distribution;
mod font;
mod frame;
mod inline;
mod labels;
mod legend;
mod range;
mod theme;

use std::fmt::Display;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::config::Protocol;
use crate::rounds::Figure;
use axes::Scale;
use canvas::Canvas;
use range::Heights;
use theme::Palette;

pub use theme::Theme;

/// How a picture looks.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The ground and the colours.
    pub theme: Theme,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

/// The picture could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw: {0}")]
pub struct DrawError(String);

type Drawn<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// What every part of the picture needs.
struct Page<'a> {
    figure: &'a Figure,
    look: Look,
    palette: &'static Palette,
    scale: Scale,
    heights: Heights,
}

/// Font sizes of plotters in one pixel of letter height, as its SVG has them.
const FONT_UNITS_PER_PIXEL: f64 = 1.24;
/// Letters of labels and of the legend, pixels.
const LABEL: f64 = 13.0;

/// The picture as an SVG document.
pub fn svg(figure: &Figure, look: Look) -> Result<String, DrawError> {
    let mut text = String::new();
    {
        let backend = SVGBackend::with_string(&mut text, (look.width, look.height));
        draw(&backend.into_drawing_area(), figure, look).map_err(failed)?;
    }
    // What it is, for those who cannot see it.
    let title = format!("{}. {}", frame::title(figure), frame::subtitle(figure));
    let title = format!("\n<title>{}</title>", escaped(&title));
    let end = text.find('>').map_or(0, |end| end + 1);
    text.insert_str(end, &title);
    Ok(text)
}

/// The picture as a PNG.
pub fn png(figure: &Figure, look: Look) -> Result<Vec<u8>, DrawError> {
    pixels(figure, look)?.png().map_err(DrawError)
}

/// The picture as a terminal of this kind shows it.
pub fn inline(figure: &Figure, look: Look, protocol: Protocol) -> Result<String, DrawError> {
    inline::encode(&pixels(figure, look)?, protocol).map_err(DrawError)
}

fn pixels(figure: &Figure, look: Look) -> Result<Canvas, DrawError> {
    let mut canvas = Canvas::new(look.width, look.height)
        .ok_or_else(|| DrawError("no room for a picture of that size".to_owned()))?;
    draw(&(&mut canvas).into_drawing_area(), figure, look).map_err(failed)?;
    Ok(canvas)
}

fn failed(error: impl Display) -> DrawError {
    DrawError(error.to_string())
}

fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    figure: &Figure,
    look: Look,
) -> Drawn<DB> {
    /// Of the width, for the distribution.
    const DISTRIBUTION_SHARE: f64 = 0.27;
    let scale = Scale(figure.height);
    let page = Page {
        figure,
        look,
        palette: look.theme.palette(),
        scale,
        heights: Heights::of(figure, scale),
    };
    root.fill(&page.palette.ground)?;
    let top = frame::draw(root, &page)?;
    let bottom = legend::draw(root, &page)?;
    let left = (f64::from(look.width) * (1.0 - DISTRIBUTION_SHARE)) as u32;
    let height = bottom.saturating_sub(top);
    let area = |x: u32, width: u32| root.clone().shrink((x, top), (width, height));
    arrivals::draw(root, &area(0, left), &page)?;
    distribution::draw(root, &area(left, look.width - left), &page)?;
    root.present()
}

/// A text of so many pixels' height.
fn letters(pixels: f64, color: &RGBColor, h_pos: HPos, v_pos: VPos) -> TextStyle<'_> {
    (font::FAMILY, pixels * FONT_UNITS_PER_PIXEL)
        .into_font()
        .color(color)
        .pos(Pos::new(h_pos, v_pos))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
