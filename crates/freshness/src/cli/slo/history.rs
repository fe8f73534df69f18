//! How well were the promises kept?

use clap::Args;
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::{Answer, Context};
use crate::cli::status::globs;
use crate::config::Format;
use crate::outputs::slo_history::{PastLine, USUAL_TARGET, strips, table};
use crate::outputs::{words, write_document, write_line};
use crate::rounds;

/// Show how well each promise was kept, day by day, and what is left of its budget.
///
/// Reckoned from the runs that are stored, each day by what was known then, so
/// there is a history before the first check. Records nothing.
///
/// Freshness is counted in seconds of the time that counts, a deadline in
/// deadlines, rows and quality in runs. Time before the first run is not counted;
/// what could not be told is, and not as kept. The budget is what may fail for the
/// target to be met; at a burn rate of 1 the last seven days used just that.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness slo history fct_orders
  freshness slo history --days 30 --target 99.9
  freshness slo history --format json | jq '.objectives[] | {dataset_id, objective, attained}'

Exit codes: 0 shown, 2 could not.")]
pub(in crate::cli) struct HistoryArgs {
    /// Only datasets whose name matches one of these (`*`, `?`, `[a-z]`, `{a,b}`) [default: all]
    #[arg(value_name = "DATASET")]
    datasets: Vec<String>,

    /// Only what is promised in this environment [default: all]
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,

    /// So many days, today the last of them
    #[arg(long, value_name = "N", default_value_t = rounds::USUAL_DAYS, value_parser = clap::value_parser!(u16).range(1..=3_660))]
    days: u16,

    /// Percent that is to be kept
    #[arg(long, value_name = "PERCENT", default_value_t = USUAL_TARGET, value_parser = percent)]
    target: f64,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    days: u16,
    target: f64,
    objectives: Vec<PastLine<'a>>,
}

pub(super) fn run(args: &HistoryArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let globs = globs(&args.datasets)?;
    let promises = rounds::promises(&store, args.environment.as_deref(), |id| {
        globs
            .as_ref()
            .is_none_or(|globs| globs.is_match(id.as_str()))
    })?;
    super::refuse_none(
        &store,
        &promises,
        &args.datasets,
        args.environment.as_deref(),
    )?;
    let mut answer = Answer::Healthy;
    for failure in &promises.failures {
        answer = Answer::CouldNotTell;
        context
            .out
            .warn(format_args!("not shown: {}", failure.error));
    }
    let now = context.clock.now();
    let threads = context.settings.threads;
    let past = rounds::slo_history(&store, promises.promises, args.days, now, threads)?;
    let lines: Vec<PastLine<'_>> = past
        .iter()
        .flat_map(|of| PastLine::all(of, args.target))
        .collect();
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            out.table(table(&lines))?;
            // A strip a line is for a few to look at, not for a warehouse.
            if past.len() == 1 {
                out.line("")?;
                for line in strips(&lines) {
                    out.line(line)?;
                }
            }
            out.line("")?;
            out.line(format_args!(
                "{} until {}, target {} %",
                words::count(u64::from(args.days), "day"),
                words::utc(now),
                args.target
            ))?;
        }
        Format::Json => {
            let document = Document {
                command: "slo history",
                now,
                days: args.days,
                target: args.target,
                objectives: lines,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for line in &lines {
                write_line(out.data(), line)?;
            }
        }
    }
    Ok(answer)
}

fn percent(text: &str) -> Result<f64, String> {
    match text.trim_end_matches('%').trim().parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent),
        _ => Err("expected percent above 0 and at most 100, such as 99.5".to_owned()),
    }
}
