//! Which colours does a picture have?
//!
//! Chosen so that they also differ in lightness and for people who confuse red
//! and green; what matters differs in shape too. A test holds them to the
//! contrasts that WCAG 2.2 asks for: 4.5 for text, 3 for marks.

use clap::ValueEnum;
use plotters::style::RGBColor;

/// The ground that a picture is drawn on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark on white.
    Light,
    /// Light on nearly black.
    Dark,
}

/// A colour for each thing that is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Palette {
    pub(super) ground: RGBColor,
    pub(super) text: RGBColor,
    /// Axis labels and remarks.
    pub(super) quiet: RGBColor,
    pub(super) grid: RGBColor,
    pub(super) in_time: RGBColor,
    /// What is late or missing, and the deadline.
    pub(super) bad: RGBColor,
    /// Arrivals that are not judged.
    pub(super) unjudged: RGBColor,
    /// The expected window.
    pub(super) window: RGBColor,
    pub(super) moved: RGBColor,
    pub(super) outage: RGBColor,
    pub(super) rule: RGBColor,
}

const LIGHT: Palette = Palette {
    ground: RGBColor(0xFF, 0xFF, 0xFF),
    text: RGBColor(0x1F, 0x23, 0x28),
    quiet: RGBColor(0x57, 0x60, 0x6A),
    grid: RGBColor(0xE6, 0xE9, 0xED),
    in_time: RGBColor(0x0B, 0x5C, 0xAD),
    bad: RGBColor(0xC2, 0x25, 0x12),
    unjudged: RGBColor(0x6B, 0x73, 0x7C),
    window: RGBColor(0xB4, 0xDC, 0xF4),
    moved: RGBColor(0x7A, 0x3F, 0xC8),
    outage: RGBColor(0xE9, 0xE5, 0xDC),
    rule: RGBColor(0x8F, 0x5E, 0x00),
};

const DARK: Palette = Palette {
    ground: RGBColor(0x0F, 0x13, 0x19),
    text: RGBColor(0xE8, 0xED, 0xF2),
    quiet: RGBColor(0xA4, 0xAE, 0xB9),
    grid: RGBColor(0x24, 0x2B, 0x34),
    in_time: RGBColor(0x6C, 0xB4, 0xFF),
    bad: RGBColor(0xFF, 0x8A, 0x75),
    unjudged: RGBColor(0x93, 0x9D, 0xA8),
    window: RGBColor(0x17, 0x40, 0x66),
    moved: RGBColor(0xC3, 0x9B, 0xFF),
    outage: RGBColor(0x30, 0x2C, 0x24),
    rule: RGBColor(0xE0, 0xAC, 0x3C),
};

impl Theme {
    pub(super) fn palette(self) -> &'static Palette {
        match self {
            Theme::Light => &LIGHT,
            Theme::Dark => &DARK,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance (WCAG 2.2).
    fn luminance(color: RGBColor) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            match part <= 0.040_45 {
                true => part / 12.92,
                false => ((part + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * linear(color.0) + 0.7152 * linear(color.1) + 0.0722 * linear(color.2)
    }

    fn contrast(one: RGBColor, other: RGBColor) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn texts_and_marks_stand_out_on_both_grounds() {
        for theme in Theme::value_variants() {
            let palette = theme.palette();
            for text in [palette.text, palette.quiet] {
                assert!(contrast(text, palette.ground) >= 4.5, "{theme:?} {text:?}");
            }
            for mark in [
                palette.in_time,
                palette.bad,
                palette.unjudged,
                palette.moved,
                palette.rule,
            ] {
                for ground in [palette.ground, palette.window, palette.outage] {
                    let contrast = contrast(mark, ground);
                    assert!(
                        contrast >= 3.0,
                        "{theme:?} {mark:?} on {ground:?}: {contrast}"
                    );
                }
            }
        }
    }
}
