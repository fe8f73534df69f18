//! How is a dashboard's trust shown where the dashboard is read?
//!
//! As an SVG picture for a README or a wiki, as a piece of HTML for a tool that
//! shows some, and as the JSON that the badge service of shields.io asks an
//! endpoint for. Each stands alone: no script, no style sheet, no font, nothing
//! fetched; it has a ground of its own, so that it reads on a light page and on
//! a dark one, and what its colour says its words say.

use std::fmt::Write as _;

use freshness_core::dashboard::Dashboard;
use freshness_core::state::Severity;
use freshness_core::trust::{Standing, Trust};
use jiff::Timestamp;
use serde::Serialize;
use unicode_width::UnicodeWidthChar;

use super::plot::font::{FAMILY, fit, width};
use super::words;

/// What a badge says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// What the dashboard is called.
    pub label: String,
    /// Its score and how it stands: `57 · late`.
    pub message: String,
    /// The caveat, or that there is none.
    pub caveat: String,
    /// When that was so.
    pub as_of: Timestamp,
    tone: Tone,
}

/// How a badge stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Good,
    Doubtful,
    Bad,
    Unknown,
}

/// What shields.io asks an endpoint for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Endpoint<'a> {
    schema_version: u8,
    label: &'a str,
    message: &'a str,
    color: &'a str,
}

const LABEL_GROUND: &str = "#444c56";
/// Of the picture, in pixels.
const HEIGHT: f64 = 20.0;
const LETTERS: f64 = 11.0;
const PADDING: f64 = 6.0;
/// A longer name ends in an ellipsis; the title has all of it.
const LABEL_MAX: f64 = 280.0;

impl Badge {
    /// The badge of a dashboard.
    pub fn of(dashboard: &Dashboard, trust: &Trust, as_of: Timestamp) -> Badge {
        let is_critical = |severity| severity == Some(Severity::Critical);
        Badge {
            label: dashboard.name().to_owned(),
            message: format!(
                "{} · {}",
                words::score(trust),
                words::standing(trust.standing)
            ),
            caveat: trust
                .caveat
                .clone()
                .unwrap_or_else(|| "Everything behind it is on time.".to_owned()),
            as_of,
            tone: match trust.standing {
                Standing::Healthy => Tone::Good,
                Standing::CouldNotTell => Tone::Unknown,
                Standing::Late => match trust.causes.iter().any(|of| is_critical(of.severity)) {
                    true => Tone::Bad,
                    false => Tone::Doubtful,
                },
            },
        }
    }

    /// A picture.
    pub fn svg(&self) -> String {
        let label = fit(&clean(&self.label), LETTERS, LABEL_MAX);
        let (label_width, message_width) = (measured(&label), measured(&self.message));
        let left = (label_width + 2.0 * PADDING).round();
        let right = (message_width + 2.0 * PADDING).round();
        let all = left + right;
        let said = self.said();
        let mut svg = String::new();
        // Writing to a String cannot fail.
        let _ = write!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="{HEIGHT}" viewBox="0 0 {all} {HEIGHT}" role="img" aria-label="{said}">
<title>{said}</title>
<rect width="{all}" height="{HEIGHT}" rx="3" fill="{LABEL_GROUND}"/>
<path d="M{left} 0h{inner}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{inner}z" fill="{ground}"/>
<rect x=".5" y=".5" width="{edge}" height="19" rx="3" fill="none" stroke="#fff" stroke-opacity=".25"/>
<g fill="#fff" font-family="{FAMILY}" font-size="{LETTERS}">
<text x="{PADDING}" y="14" textLength="{label_width:.1}" lengthAdjust="spacingAndGlyphs">{label}</text>
<text x="{x}" y="14" textLength="{message_width:.1}" lengthAdjust="spacingAndGlyphs" font-weight="bold">{message}</text>
</g>
</svg>
"##,
            inner = right - 3.0,
            edge = all - 1.0,
            ground = self.tone.ground(),
            x = left + PADDING,
            label = xml(&label),
            message = xml(&self.message),
        );
        svg
    }

    /// A piece of HTML, in ASCII, so that no page can take it for another
    /// encoding.
    pub fn html(&self) -> String {
        let html = |text: &str| ascii(&xml(&clean(text)));
        format!(
            r#"<div lang="en" style="display:inline-block;max-width:36em;padding:10px 14px;border:1px solid #8c959f;border-left:6px solid {ground};border-radius:6px;background:#fff;color:#1f2328;font:14px/1.45 system-ui,'Segoe UI',sans-serif;text-align:left;overflow-wrap:anywhere">
<strong>{label}</strong> <span style="display:inline-block;margin-left:6px;padding:0 8px;border-radius:10px;background:{ground};color:#fff;font-weight:600;white-space:nowrap">{message}</span>
<div style="margin-top:4px">{caveat}</div>
<div style="margin-top:4px;font-size:12px;color:#57606a">as of {as_of}</div>
</div>
"#,
            ground = self.tone.ground(),
            label = html(&self.label),
            message = html(&self.message),
            caveat = html(&self.caveat),
            as_of = words::utc(self.as_of),
        )
    }

    /// The answer of an endpoint for shields.io.
    pub fn shields(&self) -> String {
        let endpoint = Endpoint {
            schema_version: 1,
            label: &self.label,
            message: &self.message,
            color: self.tone.ground(),
        };
        serde_json::to_string(&endpoint).expect("four plain fields") + "\n"
    }

    /// All of it, for those who do not see it, and for the pointer.
    fn said(&self) -> String {
        let Badge {
            label,
            message,
            caveat,
            as_of,
            tone: _,
        } = self;
        let at = words::utc(*as_of);
        xml(&clean(&format!("{label}: {message}. {caveat} As of {at}.")))
    }
}

impl Tone {
    /// White letters have a contrast of 4.5 to 1 and more on each.
    fn ground(self) -> &'static str {
        match self {
            Tone::Good => "#1a7f37",
            Tone::Doubtful => "#9a6700",
            Tone::Bad => "#c62828",
            Tone::Unknown => "#57606a",
        }
    }
}

/// Width of a text; letters that are not in our font are as wide as they
/// usually are.
fn measured(text: &str) -> f64 {
    let (wide, plain): (String, String) = text.chars().partition(|c| c.width() == Some(2));
    width(&plain, LETTERS) + LETTERS * wide.chars().count() as f64
}

/// Without the characters that XML does not have.
fn clean(text: &str) -> String {
    text.replace(
        |c: char| c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}'),
        "\u{FFFD}",
    )
}

/// Escaped for text and for attributes, of XML and of HTML.
pub fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_ascii() {
            true => plain.push(c),
            false => {
                let _ = write!(plain, "&#{};", u32::from(c));
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn badge(label: &str, tone: Tone) -> Badge {
        Badge {
            label: label.to_owned(),
            message: "57 · late".to_owned(),
            caveat: format!("{label} has been late."),
            as_of: "2026-03-01T07:00:00Z".parse().unwrap(),
            tone,
        }
    }

    #[test]
    fn a_hostile_name_is_only_a_name() {
        let name = "<script>alert('1')</script>\" onload=\"x\u{FFFF}&";
        let badge = badge(name, Tone::Bad);
        let svg = badge.svg();
        let parsed = roxmltree::Document::parse(&svg).unwrap();
        let title = parsed.descendants().find(|of| of.has_tag_name("title"));
        let shown = name.replace('\u{FFFF}', "\u{FFFD}");
        assert!(title.unwrap().text().unwrap().starts_with(&shown));
        assert!(
            !svg.contains("<script") && !svg.contains(" onload=\"x"),
            "{svg}"
        );
        let html = badge.html();
        assert!(html.is_ascii() && !html.contains("<script"), "{html}");
        roxmltree::Document::parse(&html).unwrap();
        let shields: serde_json::Value = serde_json::from_str(&badge.shields()).unwrap();
        assert_eq!(shields["label"], name);
    }

    #[test]
    fn what_shields_asks_for_is_answered() {
        assert_eq!(
            badge("Board report", Tone::Good).shields(),
            "{\"schemaVersion\":1,\"label\":\"Board report\",\"message\":\"57 · late\",\"color\":\"#1a7f37\"}\n"
        );
    }

    #[test]
    fn the_picture_is_as_wide_as_its_text() {
        let width_of = |label: &str| -> f64 {
            let svg = badge(label, Tone::Bad).svg();
            let parsed = roxmltree::Document::parse(&svg).unwrap();
            parsed
                .root_element()
                .attribute("width")
                .unwrap()
                .parse()
                .unwrap()
        };
        assert!(width_of("Board report") > width_of("Board"));
        assert!(width_of("売上") >= width_of("") + 20.0);
        assert!(width_of(&"very long ".repeat(90)) < 400.0);
    }

    #[test]
    fn letters_stand_out_from_their_ground() {
        // Relative luminance and contrast as of WCAG 2.2.
        let luminance = |ground: &str| {
            let part = |i: usize| u8::from_str_radix(&ground[i..i + 2], 16).unwrap();
            let linear = |c: u8| {
                let c = f64::from(c) / 255.0;
                if c <= 0.04045 {
                    c / 12.92
                } else {
                    ((c + 0.055) / 1.055).powf(2.4)
                }
            };
            0.2126 * linear(part(1)) + 0.7152 * linear(part(3)) + 0.0722 * linear(part(5))
        };
        for ground in [Tone::Good, Tone::Doubtful, Tone::Bad, Tone::Unknown]
            .map(Tone::ground)
            .into_iter()
            .chain([LABEL_GROUND])
        {
            let contrast = 1.05 / (luminance(ground) + 0.05);
            assert!(contrast >= 4.5, "{ground}: {contrast}");
        }
    }
}
