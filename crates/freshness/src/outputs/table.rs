//! How does a table look?
//!
//! No rules and no frames: columns that a person scans and `awk` reads. Where
//! nobody looks (a file, a pipe) widths depend on the content alone; on a
//! terminal a row is a line, if need be with fewer columns and shorter names.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, presets};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Rows under a heading.
#[derive(Debug, Clone)]
pub struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<(String, Paint)>>,
    right: Vec<usize>,
    names: Option<usize>,
    dispensable: Vec<usize>,
    tells_apart: Option<usize>,
}

/// How a cell stands out. Its text says the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Paint {
    /// As the rest.
    #[default]
    Plain,
    /// Something is wrong.
    Bad,
    /// Something may be wrong.
    Doubtful,
    /// All is well.
    Good,
    /// Of little weight.
    Faint,
}

/// Where a table is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surface {
    /// Columns of the terminal, if it is one.
    pub(super) width: Option<usize>,
    pub(super) color: bool,
    pub(super) unicode: bool,
}

/// Spaces between two columns.
const GAP: usize = 2;
/// Names longer than this are shortened before a column is left out.
const ENOUGH_OF_A_NAME: usize = 32;
/// A name is never shortened below this.
const LEAST_OF_A_NAME: usize = 8;
/// Names longer than this are shortened wherever the table goes.
const MOST_OF_A_NAME: usize = 80;

impl Table {
    /// A table with its headings.
    pub fn new(headings: &[&str]) -> Table {
        Table {
            headings: headings.iter().map(|&heading| heading.to_owned()).collect(),
            rows: Vec::new(),
            right: Vec::new(),
            names: None,
            dispensable: Vec::new(),
            tells_apart: None,
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = (String, Paint)>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Aligns a column of numbers.
    pub fn align_right(&mut self, column: usize) {
        self.right.push(column);
    }

    /// The column whose cells may be shortened in the middle.
    pub fn names(&mut self, column: usize) {
        self.names = Some(column);
    }

    /// Columns that may be left out on a narrow terminal, the first one first.
    pub fn dispensable(&mut self, columns: &[usize]) {
        self.dispensable = columns.to_vec();
    }

    /// A column that tells rows apart: on a narrow terminal it is left out before
    /// all others where it says the same in every row, and never where it does not.
    pub fn tells_apart(&mut self, column: usize) {
        self.tells_apart = Some(column);
    }

    pub(super) fn render(mut self, surface: Surface) -> String {
        let shown = self.fit(surface);
        let mut inner = comfy_table::Table::new();
        inner.load_style(presets::NOTHING);
        inner.set_header(
            shown
                .iter()
                .map(|&column| Cell::new(&self.headings[column]).add_attribute(Attribute::Bold)),
        );
        for row in &mut self.rows {
            inner.add_row(shown.iter().map(|&column| {
                let (text, paint) = std::mem::take(&mut row[column]);
                cell(text, paint)
            }));
        }
        inner.force_no_tty();
        if let Some(width) = surface.width {
            // What is still too wide is prose, and broken between words.
            inner.set_width(u16::try_from(width).unwrap_or(u16::MAX));
            inner.set_content_arrangement(ContentArrangement::Dynamic);
        }
        if surface.color {
            inner.enforce_styling();
        }
        for (column, of) in inner.column_iter_mut().zip(&shown) {
            column.set_padding((0, GAP as u16));
            if self.right.contains(of) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let mut text = String::new();
        for line in inner.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// Shortens names, and chooses the columns that fit.
    fn fit(&mut self, surface: Surface) -> Vec<usize> {
        let mut shown: Vec<usize> = (0..self.headings.len()).collect();
        let Some(names) = self.names else {
            return shown;
        };
        let widths: Vec<usize> = shown.iter().map(|&column| self.width(column)).collect();
        let mut most = MOST_OF_A_NAME;
        if let Some(width) = surface.width {
            let rest = |shown: &[usize]| -> usize {
                let others = shown.iter().filter(|&&column| column != names);
                // Each column is padded, the last one too.
                others.map(|&column| widths[column] + GAP).sum::<usize>() + GAP
            };
            let wanted = widths[names].min(ENOUGH_OF_A_NAME);
            let alike = self.tells_apart.filter(|&column| {
                let mut cells = self.rows.iter().map(|row| &row[column].0);
                let first = cells.next();
                cells.all(|cell| Some(cell) == first)
            });
            for column in alike.iter().chain(&self.dispensable) {
                if rest(&shown) + wanted <= width {
                    break;
                }
                shown.retain(|shown| shown != column);
            }
            let left = width.saturating_sub(rest(&shown));
            most = left.clamp(LEAST_OF_A_NAME, MOST_OF_A_NAME);
        }
        for row in &mut self.rows {
            let (name, _) = &mut row[names];
            if name.width() > most {
                *name = shorten(name, most, surface.unicode);
            }
        }
        shown
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| row[column].0.width());
        cells.max().unwrap_or(0).max(self.headings[column].width())
    }
}

/// The beginning and the end of a text that is too wide, where names differ.
fn shorten(text: &str, most: usize, unicode: bool) -> String {
    let ellipsis = if unicode { "…" } else { "..." };
    let left = most.saturating_sub(ellipsis.width());
    let begin = within(text.chars(), left.div_ceil(2));
    let end: String = within(text.chars().rev(), left / 2);
    let end: String = end.chars().rev().collect();
    format!("{begin}{ellipsis}{end}")
}

/// As many characters as fit.
fn within(text: impl Iterator<Item = char>, most: usize) -> String {
    let mut width = 0;
    text.take_while(|char| {
        width += char.width().unwrap_or(0);
        width <= most
    })
    .collect()
}

fn cell(text: String, paint: Paint) -> Cell {
    let cell = Cell::new_owned(text);
    match paint {
        Paint::Plain => cell,
        Paint::Bad => cell.fg(Color::Red).add_attribute(Attribute::Bold),
        Paint::Doubtful => cell.fg(Color::Yellow),
        Paint::Good => cell.fg(Color::Green),
        Paint::Faint => cell.add_attribute(Attribute::Dim),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(name: &str) -> Table {
        let mut table = Table::new(&["STATE", "DATASET", "CYCLE", "MODEL"]);
        table.names(1);
        table.dispensable(&[3, 2]);
        let row = [
            "insufficient_history",
            name,
            "2026-02-28T00:00",
            "cold_start",
        ];
        table.row(row.map(|text| (text.to_owned(), Paint::Plain)));
        table
    }

    #[track_caller]
    fn check_last_line(name: &str, width: Option<usize>, unicode: bool, expected: &str) {
        let text = sample(name).render(Surface {
            width,
            color: false,
            unicode,
        });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert_eq!(lines[1], expected);
        let widest = lines.iter().map(|line| line.width()).max();
        assert!(width.is_none_or(|width| widest.is_some_and(|widest| widest <= width)));
    }

    const LONG: &str = "analytics-prod.finance_reporting.fct_revenue_by_country_daily";

    #[test]
    fn what_is_piped_has_all_columns_and_names() {
        let expected = format!("insufficient_history  {LONG}  2026-02-28T00:00  cold_start");
        check_last_line(LONG, None, true, &expected);
    }

    #[test]
    fn a_long_name_is_shortened_in_the_middle_before_a_column_is_left_out() {
        check_last_line(
            LONG,
            Some(100),
            true,
            "insufficient_history  analytics-prod.finance_…venue_by_country_daily  2026-02-28T00:00  cold_start",
        );
        check_last_line(
            LONG,
            Some(90),
            false,
            "insufficient_history  analytics-prod.fi...by_country_daily  2026-02-28T00:00  cold_start",
        );
    }

    #[test]
    fn on_a_narrow_terminal_the_least_important_columns_are_left_out() {
        check_last_line(
            "raw_orders",
            Some(60),
            true,
            "insufficient_history  raw_orders  2026-02-28T00:00",
        );
        check_last_line(
            LONG,
            Some(60),
            true,
            "insufficient_history  analytics-prod.fin…_by_country_daily",
        );
        check_last_line(
            "raw_orders",
            Some(40),
            true,
            "insufficient_history  raw_orders",
        );
    }

    #[test]
    fn a_column_that_tells_rows_apart_stays_where_it_does() {
        let shown = |environments: [&str; 2]| {
            let mut table = Table::new(&["DATASET", "ENVIRONMENT", "DAYS"]);
            table.names(0);
            table.tells_apart(1);
            table.dispensable(&[2]);
            for environment in environments {
                let row = ["raw_orders_of_the_month", environment, "1"];
                table.row(row.map(|text| (text.to_owned(), Paint::Plain)));
            }
            let text = table.render(Surface {
                width: Some(38),
                color: false,
                unicode: true,
            });
            text.lines().next().unwrap_or_default().to_owned()
        };
        assert_eq!(shown(["prod", "prod"]), "DATASET                  DAYS");
        assert_eq!(
            shown(["prod", "dev"]),
            "DATASET                  ENVIRONMENT"
        );
    }

    #[test]
    fn a_wide_character_takes_two_columns() {
        assert_eq!(shorten("注文データ日次集計", 9, true), "注文…集計");
    }
}
