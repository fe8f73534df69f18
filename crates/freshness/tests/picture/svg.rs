//! How does terminal output become a picture?
//!
//! An SVG of text, light or dark as its reader's page is. Each run of text is
//! placed by its column, so that columns stay columns in whatever monospaced
//! font the reader has. Knows the few escape sequences that the tables use.

use std::fmt::Write;

/// Columns before a line is wrapped at a space, as a terminal would have it.
const COLUMNS: usize = 128;

/// Pixels of a column, of a line, and around the text.
const COLUMN: f64 = 7.85;
const LINE: usize = 19;
const MARGIN: usize = 22;

/// Colours with a contrast of at least 4.5 on their grounds (WCAG 2.1, AA).
const STYLE: &str = "\
.ground { fill: #ffffff; stroke: #d0d7de; }
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; white-space: pre; }
.bold { font-weight: 600; }
.faint { fill: #59636e; }
.red { fill: #cf222e; }
.yellow { fill: #9a6700; }
.green { fill: #1a7f37; }
.typed { fill: #0969da; font-weight: 600; }
@media (prefers-color-scheme: dark) {
.ground { fill: #0d1117; stroke: #3d444d; }
text { fill: #f0f6fc; }
.faint { fill: #9198a1; }
.red { fill: #ff7b72; }
.yellow { fill: #d29922; }
.green { fill: #3fb950; }
.typed { fill: #58a6ff; }
}
";

/// Text of one style at its column.
struct Run {
    column: usize,
    classes: String,
    text: String,
}

/// Draws lines of terminal output.
pub(crate) fn draw<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let rows: Vec<Vec<Run>> = lines.into_iter().flat_map(rows).collect();
    let width = (COLUMNS as f64 * COLUMN).ceil() as usize + 2 * MARGIN;
    let height = rows.len() * LINE + 2 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\" \
         aria-label=\"freshness check and freshness explain in a terminal\">\n\
         <style>\n{STYLE}</style>\n\
         <rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n",
        width - 1,
        height - 1
    );
    for (n, row) in rows.iter().enumerate() {
        let y = MARGIN + n * LINE + LINE * 3 / 4;
        for Run {
            column,
            classes,
            text,
        } in row
        {
            let x = MARGIN as f64 + *column as f64 * COLUMN;
            let class = match classes.is_empty() {
                true => String::new(),
                false => format!(" class=\"{classes}\""),
            };
            writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y}\"{class}>{}</text>",
                escaped(text)
            )
            .unwrap();
        }
    }
    svg + "</svg>\n"
}

/// The rows of a line, each with its runs.
fn rows(line: &str) -> Vec<Vec<Run>> {
    if let Some(typed) = line.strip_prefix("$ ") {
        let run = |column, classes: &str, text: &str| Run {
            column,
            classes: classes.to_owned(),
            text: text.to_owned(),
        };
        return vec![vec![run(0, "faint", "$"), run(2, "typed", typed)]];
    }
    if !line.contains('\u{1b}') {
        return wrapped(line)
            .into_iter()
            .map(|row| runs(row, "", 0))
            .collect();
    }
    let mut row = Vec::new();
    let (mut column, mut color, mut weight) = (0, "", "");
    for (n, part) in line.split("\u{1b}[").enumerate() {
        let text = match n {
            0 => part,
            _ => {
                let (code, text) = part.split_once('m').unwrap();
                match code {
                    "0" => (color, weight) = ("", ""),
                    "1" => weight = "bold",
                    "2" => weight = "faint",
                    "39" => color = "",
                    "38;5;9" => color = "red",
                    "38;5;10" => color = "green",
                    "38;5;11" => color = "yellow",
                    _ => panic!("unknown escape sequence: {code}"),
                }
                text
            }
        };
        let classes = format!("{color} {weight}");
        row.extend(runs(text, classes.trim(), column));
        column += text.chars().count();
    }
    vec![row]
}

/// Splits a text where columns are: at two or more spaces.
fn runs(text: &str, classes: &str, from: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let (mut n_spaces, mut column) = (2, from);
    for letter in text.chars() {
        if letter == ' ' {
            n_spaces += 1;
        } else {
            match runs.last_mut().filter(|_| n_spaces < 2) {
                Some(run) => run.text.extend([" "].iter().take(n_spaces).copied()),
                None => runs.push(Run {
                    column,
                    classes: classes.to_owned(),
                    text: String::new(),
                }),
            }
            runs.last_mut().unwrap().text.push(letter);
            n_spaces = 0;
        }
        column += 1;
    }
    runs
}

fn wrapped(mut line: &str) -> Vec<&str> {
    let mut rows = Vec::new();
    while let Some((end, _)) = line.char_indices().nth(COLUMNS) {
        let at = line[..end].rfind(' ').unwrap_or(end);
        rows.push(&line[..at]);
        line = line[at..].trim_start();
    }
    rows.push(line);
    rows
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
