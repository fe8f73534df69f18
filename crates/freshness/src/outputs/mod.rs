//! How are values turned into bytes?
//!
//! Data goes to stdout, talk to stderr. Outputs never touch the store, and
//! tell nothing by colour alone.

pub mod account;
mod backtest;
pub mod badge;
pub mod chart;
pub mod config_page;
pub mod console;
pub mod contracts;
pub mod coverage;
pub mod comparison;
pub mod datasets;
pub mod dbt_sources;
pub mod evaluation;
pub mod evaluations;
pub mod incidents;
mod json;
pub mod measured;
pub mod plot;
pub mod promises;
pub mod raised;
pub mod slo_schema;
pub mod slo;
pub mod slo_history;
pub mod slo_words;
mod stdout;
pub mod suggestion;
pub mod recipes;
pub mod summary;
mod table;
pub mod trust;
pub mod warehouse;
mod whole_file;
pub mod words;

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub use backtest::{BacktestFormat, write_backtest};
pub use json::{SHAPE_VERSION, write_document, write_line};
pub use stdout::Stdout;
pub use table::{Paint, Table};
pub use whole_file::WholeFile;

use crate::config::{ColorChoice, Format, Settings};

/// Where a command's output goes, and in which form.
#[derive(Debug)]
pub struct Output {
    /// Form of the data.
    pub format: Format,
    /// May colour be used on stdout?
    pub color: bool,
    /// May more than ASCII be drawn?
    pub unicode: bool,
    /// Is stdout a terminal?
    pub terminal: bool,
    quiet: bool,
    stdout: Stdout,
}

impl Output {
    /// The process's own stdout and stderr.
    pub fn new(settings: &Settings) -> Output {
        let terminal = io::stdout().is_terminal();
        Output {
            format: settings.format,
            color: match settings.color {
                ColorChoice::Always => true,
                ColorChoice::Never => false,
                ColorChoice::Auto => terminal,
            },
            unicode: settings.unicode,
            terminal,
            quiet: settings.quiet,
            stdout: Stdout::new(),
        }
    }

    /// Data: where bytes go to. Nothing fails if the reader has gone.
    pub fn data(&mut self) -> &mut impl Write {
        &mut self.stdout
    }

    /// Data: one line of text.
    pub fn line(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.stdout, "{line}")
    }

    /// Writes a table as wide as its content, or as the terminal.
    pub fn table(&mut self, table: Table) -> io::Result<()> {
        let surface = table::Surface {
            width: self.terminal.then(terminal_width).flatten(),
            color: self.color,
            unicode: self.unicode,
        };
        let text = table.render(surface);
        self.stdout.write_all(text.as_bytes())
    }

    /// Talk: a line on stderr, unless told to be quiet.
    pub fn talk(&self, line: impl Display) {
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "{line}");
        }
    }

    /// A warning on stderr, unless told to be quiet.
    pub fn warn(&self, line: impl Display) {
        self.talk(format_args!("warning: {line}"));
    }

    /// A progress bar on stderr; it draws only on a terminal.
    pub fn progress(&self, n: u64, what: &str) -> ProgressBar {
        if self.quiet || !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {bar:30} {human_pos}/{human_len} {eta}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::with_draw_target(Some(n), ProgressDrawTarget::stderr_with_hz(8))
            .with_style(style)
            .with_message(what.to_owned())
    }

    /// Flushes stdout.
    pub fn finish(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}

/// Columns of the terminal, if it says so.
fn terminal_width() -> Option<usize> {
    comfy_table::Table::new().width().map(usize::from)
}
