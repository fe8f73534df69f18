//! How does a table look?
//!
//! No rules and no frames: columns that a person scans and `awk` reads. Where
//! nobody looks (a file, a pipe) widths depend on the content alone.

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, presets};

/// Rows under a heading.
#[derive(Debug, Clone)]
pub struct Table {
    inner: comfy_table::Table,
}

/// How a cell stands out. Its text says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// As the rest.
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

impl Table {
    /// A table with its headings.
    pub fn new(headings: &[&str]) -> Table {
        let mut inner = comfy_table::Table::new();
        inner.load_style(presets::NOTHING);
        inner.set_header(
            headings
                .iter()
                .map(|heading| Cell::new(heading).add_attribute(Attribute::Bold)),
        );
        Table { inner }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = (String, Paint)>) {
        self.inner
            .add_row(cells.into_iter().map(|(text, paint)| cell(text, paint)));
    }

    /// Aligns a column of numbers.
    pub fn align_right(&mut self, column: usize) {
        if let Some(column) = self.inner.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }

    pub(super) fn render(mut self, terminal: bool, color: bool) -> String {
        if terminal {
            self.inner
                .set_content_arrangement(ContentArrangement::Dynamic);
        } else {
            self.inner.force_no_tty();
        }
        if color {
            self.inner.enforce_styling();
        } else {
            self.inner.force_no_tty();
        }
        for column in self.inner.column_iter_mut() {
            column.set_padding((0, 2));
        }
        let mut text = String::new();
        for line in self.inner.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
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
