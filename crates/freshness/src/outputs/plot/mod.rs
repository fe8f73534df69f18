//! How does a figure become a picture?
//!
//! Drawn once through plotters and written as SVG or, by a canvas of our own,
//! as PNG. On the left the arrivals over time, on the right how often each
//! height occurred, above a title in words, below a legend with counts.
//! Nothing is told by colour alone.

mod arrivals;
mod axes;
mod calibration;
mod canvas;
mod distribution;
pub(super) mod font;
mod frame;
mod inline;
mod labels;
mod legend;
mod outline;
mod range;
mod theme;

use std::fmt::Display;
use std::path::Path;

use freshness_lab::evaluate::Calibration;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::config::Protocol;
use crate::rounds::Figure;
use axes::Scale;
use canvas::Canvas;
use range::Heights;
use theme::Palette;

pub use calibration::over as calibration_over;
pub use outline::{Outline, outline};
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

impl Look {
    /// If nothing else is asked for.
    pub const USUAL: Look = Look {
        theme: Theme::Light,
        width: 1_440,
        height: 600,
    };
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

/// What a picture is of.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    /// A dataset's arrivals.
    Arrivals(&'a Figure),
    /// Published quantiles beside how often they were exceeded; over what, in
    /// words.
    Calibration(&'a [Calibration], &'a str),
}

/// What a file holds, by the end of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// `.svg`
    Svg,
    /// `.png`
    Png,
}

/// The end of the file's name says neither.
#[derive(Debug, thiserror::Error)]
#[error("unknown kind of picture: {0}")]
pub struct UnknownFormat(String);

impl FileFormat {
    /// By the end of a file's name.
    pub fn of(path: &Path) -> Result<FileFormat, UnknownFormat> {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("svg") => Ok(FileFormat::Svg),
            Some("png") => Ok(FileFormat::Png),
            _ => Err(UnknownFormat(path.display().to_string())),
        }
    }
}

/// The bytes of a picture's file.
pub fn file(subject: Subject, look: Look, format: FileFormat) -> Result<Vec<u8>, DrawError> {
    match format {
        FileFormat::Svg => svg(subject, look).map(String::into_bytes),
        FileFormat::Png => pixels(subject, look)?.png().map_err(DrawError),
    }
}

/// The picture as an SVG document.
pub fn svg(subject: Subject, look: Look) -> Result<String, DrawError> {
    let mut text = String::new();
    {
        let backend = SVGBackend::with_string(&mut text, (look.width, look.height));
        draw(&backend.into_drawing_area(), subject, look).map_err(failed)?;
    }
    // What it is, for those who cannot see it.
    let title = match subject {
        Subject::Arrivals(figure) => {
            format!("{}. {}", frame::title(figure), frame::subtitle(figure))
        }
        Subject::Calibration(_, over) => format!("{}: {over}", calibration::TITLE),
    };
    let title = format!("\n<title>{}</title>", escaped(&title));
    let end = text.find('>').map_or(0, |end| end + 1);
    text.insert_str(end, &title);
    Ok(text)
}

/// The picture as a terminal of this kind shows it.
pub fn inline(subject: Subject, look: Look, protocol: Protocol) -> Result<String, DrawError> {
    inline::encode(&pixels(subject, look)?, protocol).map_err(DrawError)
}

fn pixels(subject: Subject, look: Look) -> Result<Canvas, DrawError> {
    let mut canvas = Canvas::new(look.width, look.height)
        .ok_or_else(|| DrawError("no room for a picture of that size".to_owned()))?;
    draw(&(&mut canvas).into_drawing_area(), subject, look).map_err(failed)?;
    Ok(canvas)
}

fn failed(error: impl Display) -> DrawError {
    DrawError(error.to_string())
}

fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    subject: Subject,
    look: Look,
) -> Drawn<DB> {
    root.fill(&look.theme.palette().ground)?;
    match subject {
        Subject::Arrivals(figure) => draw_arrivals(root, figure, look)?,
        Subject::Calibration(found, over) => calibration::draw(root, found, over, look)?,
    }
    root.present()
}

fn draw_arrivals<DB: DrawingBackend>(
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
    let top = frame::draw(root, &page)?;
    let bottom = legend::draw(root, &page)?;
    let left = (f64::from(look.width) * (1.0 - DISTRIBUTION_SHARE)) as u32;
    let height = bottom.saturating_sub(top);
    let area = |x: u32, width: u32| root.clone().shrink((x, top), (width, height));
    arrivals::draw(root, &area(0, left), &page)?;
    distribution::draw(root, &area(left, look.width - left), &page)
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
