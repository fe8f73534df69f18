//! What do a dataset's arrivals look like?

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use freshness_core::arrivals::CycleName;
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::status::dataset_named;
use super::{Answer, Context};
use crate::config::{Format, Protocol};
use crate::hint::{WithHint, failure};
use crate::outputs::plot::{self, FileFormat, Look, Subject, Theme};
use crate::outputs::{write_document, write_line};
use crate::rounds::{self, Figure, Window};

/// Draw a dataset's arrivals, its expected window and its deadline.
///
/// Over time, on the wall clock of the dataset's zone: arrivals, late ones,
/// missed cycles, the expected window (p10 to p90) and the deadline of the
/// present schedule, moves of the schedule, long outages, and the fixed rule
/// "loaded by 07:00" to compare with. Beside it, how often each delay occurred.
///
/// Without --out, a terminal that can show pictures shows it (kitty, Ghostty,
/// iTerm2, WezTerm, VS Code, Konsole, mintty, foot, mlterm), and a pipe or a
/// file gets the SVG.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness plot raw_orders                               in the terminal, if it can
  freshness plot raw_orders --out raw_orders.svg
  freshness plot raw_orders --out raw_orders.png --days 90 --theme dark
  freshness plot raw_orders --from 2026-01-01 --to 2026-03-01 > raw_orders.svg
  freshness plot raw_orders --format json | jq .points    the numbers behind it

Exit codes: 0 drawn, 2 could not.")]
pub(super) struct PlotArgs {
    /// The dataset
    dataset: String,

    /// Write the picture here: .svg or .png
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// From here on: a date or time on the wall clock of the dataset's zone, or with an offset [default: about 300 cycles before the end]
    #[arg(long, value_name = "TIME")]
    from: Option<CycleName>,

    /// … to here [default: now]
    #[arg(long, value_name = "TIME")]
    to: Option<CycleName>,

    /// Only the last days
    #[arg(long, value_name = "N", conflicts_with_all = ["from", "to"], value_parser = clap::value_parser!(u32).range(1..=36_500))]
    days: Option<u32>,

    /// The ground it is drawn on
    #[arg(long, value_enum, default_value_t = Look::USUAL.theme)]
    theme: Theme,

    /// Pixels across
    #[arg(long, value_name = "PIXELS", default_value_t = Look::USUAL.width, value_parser = clap::value_parser!(u32).range(640..=8_000))]
    width: u32,

    /// Pixels from top to bottom
    #[arg(long, value_name = "PIXELS", default_value_t = Look::USUAL.height, value_parser = clap::value_parser!(u32).range(360..=8_000))]
    height: u32,

    /// Show it in the terminal by this protocol, whatever the terminal says it is
    #[arg(long, value_enum, value_name = "PROTOCOL", conflicts_with = "out")]
    inline: Option<Protocol>,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    #[serde(flatten)]
    figure: &'a Figure,
}

pub(super) fn run(args: &PlotArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let out = match &args.out {
        Some(path) => Some((path, picture_format(path)?)),
        None => None,
    };
    let figure = figure_of(args, context)?;
    let look = Look {
        theme: args.theme,
        width: args.width,
        height: args.height,
    };
    let subject = Subject::Arrivals(&figure);
    if let Some((path, format)) = out {
        let bytes = plot::file(subject, look, format)?;
        fs::write(path, bytes).with_context(|| format!("cannot write: {}", path.display()))?;
        context
            .out
            .talk(format_args!("picture written to {}", path.display()));
        return Ok(Answer::Healthy);
    }
    let document = Document {
        command: "plot",
        now: context.clock.now(),
        figure: &figure,
    };
    let picture = match (context.out.format, args.inline) {
        (Format::Json, _) => {
            write_document(context.out.data(), &document)?;
            return Ok(Answer::Healthy);
        }
        (Format::Ndjson, _) => {
            write_line(context.out.data(), &document)?;
            return Ok(Answer::Healthy);
        }
        (Format::Table, Some(protocol)) => plot::inline(subject, look, protocol)?,
        (Format::Table, None) if !context.out.terminal => plot::svg(subject, look)?,
        (Format::Table, None) => match context.settings.pictures {
            Some(protocol) => plot::inline(subject, look, protocol)?,
            None => {
                return Err(failure(
                    "this terminal is not known to show pictures",
                    format_args!(
                        "write it to a file: `freshness plot {} --out plot.svg`, or name what it understands: --inline kitty|iterm2|sixel",
                        args.dataset
                    ),
                ));
            }
        },
    };
    context.out.line(picture.trim_end())?;
    Ok(Answer::Healthy)
}

fn figure_of(args: &PlotArgs, context: &Context) -> anyhow::Result<Figure> {
    let store = context.open(Access::ReadOnly)?;
    let now = context.clock.now();
    let entry = dataset_named(&store, &args.dataset)?;
    let explained = rounds::explain(&store, entry, now)?;
    let window = match (args.days, args.from, args.to) {
        (Some(days), ..) => Window::Days(days),
        (None, None, None) => Window::Usual,
        (None, from, to) => Window::Between(from, to),
    };
    rounds::figure(&explained, window, now).map_err(|refusal| {
        let remedy = refusal.hint();
        failure(refusal, remedy)
    })
}

/// What a file of this name is to hold.
pub(super) fn picture_format(path: &Path) -> anyhow::Result<FileFormat> {
    FileFormat::of(path).hint("the name ends in .svg or .png")
}
