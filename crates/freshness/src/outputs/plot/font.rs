//! How wide is a text, and what do its letters look like?
//!
//! One font is part of the program, so that a picture is the same on a machine
//! without fonts. Letters it has no form for show as a box; in an SVG the
//! viewer's own font has them.

use std::sync::LazyLock;

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Verdana has the same widths as DejaVu Sans, which may not be installed.
pub(in crate::outputs) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

static FACE: LazyLock<Face<'static>> = LazyLock::new(|| {
    let bytes = include_bytes!("../../../fonts/DejaVuSans-subset.ttf");
    Face::parse(bytes, 0).expect("the font is part of the program, and tested")
});

/// Width of a text in pixels, in letters so many pixels high.
pub(in crate::outputs) fn width(text: &str, pixels: f64) -> f64 {
    let units: u32 = text.chars().map(|letter| advance(glyph(letter))).sum();
    f64::from(units) * scale(pixels)
}

/// The text, or as much of its start as fits, with an ellipsis.
pub(in crate::outputs) fn fit(text: &str, pixels: f64, most: f64) -> String {
    if width(text, pixels) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = width("…", pixels);
    for letter in text.chars() {
        used += f64::from(advance(glyph(letter))) * scale(pixels);
        if used > most {
            break;
        }
        kept.push(letter);
    }
    kept.trim_end().to_owned() + "…"
}

/// The outlines of a text whose baseline begins at a point; `None` if there is
/// nothing to see.
pub(super) fn outlines(text: &str, pixels: f64, x: f64, baseline: f64) -> Option<Path> {
    let mut pen = Pen {
        path: PathBuilder::new(),
        scale: scale(pixels) as f32,
        x: x as f32,
        baseline: baseline as f32,
    };
    for letter in text.chars() {
        let glyph = glyph(letter);
        FACE.outline_glyph(glyph, &mut pen);
        pen.x += advance(glyph) as f32 * pen.scale;
    }
    pen.path.finish()
}

fn glyph(letter: char) -> GlyphId {
    // Glyph 0 is the box.
    FACE.glyph_index(letter).unwrap_or(GlyphId(0))
}

fn advance(glyph: GlyphId) -> u32 {
    FACE.glyph_hor_advance(glyph).unwrap_or(0).into()
}

fn scale(pixels: f64) -> f64 {
    pixels / f64::from(FACE.units_per_em())
}

/// Draws font units on a page whose heights count downwards.
struct Pen {
    path: PathBuilder,
    scale: f32,
    x: f32,
    baseline: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.scale, self.baseline - y * self.scale)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_wide_ends_in_an_ellipsis() {
        assert_eq!(fit("raw_orders", 14.0, 200.0), "raw_orders");
        let short = fit("raw_orders_of_all_the_shops", 14.0, 80.0);
        assert!(
            short.starts_with("raw_o") && short.ends_with('…'),
            "{short}"
        );
        assert!(width(&short, 14.0) <= 80.0);
    }

    #[test]
    fn the_letters_of_the_picture_are_in_the_font() {
        let letters = "aZ09 .,:;–—−…%·→‹›äßéñŁžčαΩЖя()[]/_<>&\"'";
        let missing = letters.chars().find(|&letter| glyph(letter) == GlyphId(0));
        assert_eq!(missing, None);
        assert!(outlines("07:00", 14.0, 0.0, 14.0).is_some());
        assert!(outlines("", 14.0, 0.0, 14.0).is_none());
    }
}
