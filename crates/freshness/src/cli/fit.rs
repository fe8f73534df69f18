//! What was learned, and what of it is news?

use std::io::{self, Write};

use clap::Args;
use freshness_store::{Access, FitRun};
use jiff::Timestamp;
use serde::Serialize;

use super::{Answer, Context};
use crate::clock::Stopwatch;
use crate::config::{Format, values};
use crate::outputs::{Output, words, write_document, write_line};
use crate::rounds::{self, AsOf, DatasetFailure, FitChange, FitReport, Learning, News};

/// Learn what is normal for every dataset.
///
/// Reads all arrivals up to now, learns each dataset's calendar, time zone,
/// normal delays and deadline, and stores one model per dataset. Prints what
/// changed since the last fit. Run it once a day. A dataset that cannot be
/// fitted keeps its former model.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness fit
  freshness fit --now 2026-03-01T00:00:00Z --any-time   as if it were then
  freshness fit --false-alarm-rate 0.01                 tighter deadlines, more false alarms
  freshness fit --false-alarms-per-dataset-month 0.1    the same for hourly and weekly datasets
  freshness fit --format json | jq '.news[]'

Exit codes: 0 done, 2 a dataset could not be fitted, or none (those that could are stored all
the same).")]
pub(super) struct FitArgs {
    /// Share of ordinary cycles that may pass the deadline [default: 0.001] [env: FRESHNESS_FALSE_ALARM_RATE]
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    false_alarm_rate: Option<f64>,

    /// Instead: false alarms that a dataset may raise in a month, such as 0.1 [env: FRESHNESS_FALSE_ALARMS_PER_DATASET_MONTH]
    #[arg(long, value_name = "N", value_parser = values::alarms, conflicts_with = "false_alarm_rate")]
    false_alarms_per_dataset_month: Option<f64>,

    /// Fit although --now lies in the future, or before what newer models have seen
    #[arg(long)]
    any_time: bool,

    /// Seed of the bootstrap [default: 0] [env: FRESHNESS_SEED]
    #[arg(long, value_name = "N", value_parser = values::seed)]
    seed: Option<u64>,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    as_of: Timestamp,
    n_datasets: u64,
    n_arrivals: u64,
    n_learned: u64,
    n_provisional: u64,
    n_irregular: u64,
    n_cold_start: u64,
    n_failed: u64,
    news: &'a [FitChange],
    failed: &'a [DatasetFailure],
}

/// What NDJSON says of a dataset that could not be fitted.
#[derive(Serialize)]
struct FailedLine<'a> {
    change: &'static str,
    #[serde(flatten)]
    failure: &'a DatasetFailure,
}

/// News of one kind are listed up to here; JSON has all.
const LISTED: usize = 10;

pub(super) fn run(args: &FitArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let mut parameters = context.settings.fit.clone();
    if let Some(rate) = args.false_alarm_rate {
        parameters.false_alarm_rate = rate;
        parameters.false_alarms_per_month = None;
    }
    if args.false_alarms_per_dataset_month.is_some() {
        parameters.false_alarms_per_month = args.false_alarms_per_dataset_month;
    }
    if let Some(seed) = args.seed {
        parameters.seed = seed;
    }
    // A flag is meant for all datasets.
    let is_flag = args.false_alarm_rate.is_some() || args.false_alarms_per_dataset_month.is_some();
    let learning = Learning {
        general: &parameters,
        rules: (!is_flag).then_some(&context.settings.rules),
    };
    let mut store = context.open(Access::ReadWrite)?;
    let stopwatch = Stopwatch::start();
    let bar = context.out.progress(0, "fitting");
    let report = rounds::fit(
        &mut store,
        &context.clock,
        match args.any_time {
            true => AsOf::Any,
            false => AsOf::Present,
        },
        &learning,
        context.settings.threads,
        |n_more, n| {
            bar.set_length(n);
            bar.inc(n_more);
        },
    )?;
    bar.finish_and_clear();
    if let Some(first) = report.failed.first() {
        let n_datasets = n_fitted(&report.run) + report.run.n_failed;
        context.out.warn(format_args!(
            "{} of {} could not be fitted and keep what they had: {first}{}",
            words::thousands(report.run.n_failed),
            words::count(n_datasets, "dataset"),
            match report.failed.len() {
                1 => "",
                _ => ", …",
            }
        ));
    }
    show(&report, &mut context.out)?;
    let n_datasets = n_fitted(&report.run) + report.run.n_failed;
    context.out.talk(format_args!(
        "fitted {} from {} in {:.2} s",
        words::count(n_datasets, "dataset"),
        words::count(report.n_arrivals, "arrival"),
        stopwatch.elapsed().as_secs_f64()
    ));
    Ok(match report.failed.is_empty() {
        true => Answer::Healthy,
        false => Answer::CouldNotTell,
    })
}

fn n_fitted(run: &FitRun) -> u64 {
    run.n_learned + run.n_provisional + run.n_irregular + run.n_cold_start
}

fn show(report: &FitReport, out: &mut Output) -> io::Result<()> {
    let FitReport {
        run,
        n_arrivals,
        news,
        failed,
    } = report;
    match out.format {
        Format::Json => {
            let document = Document {
                command: "fit",
                as_of: run.as_of,
                n_datasets: n_fitted(run) + run.n_failed,
                n_arrivals: *n_arrivals,
                n_learned: run.n_learned,
                n_provisional: run.n_provisional,
                n_irregular: run.n_irregular,
                n_cold_start: run.n_cold_start,
                n_failed: run.n_failed,
                news,
                failed,
            };
            write_document(out.data(), &document)
        }
        Format::Ndjson => {
            for failure in failed {
                let line = FailedLine {
                    change: "failed",
                    failure,
                };
                write_line(out.data(), &line)?;
            }
            for change in news {
                write_line(out.data(), change)?;
            }
            Ok(())
        }
        Format::Table => show_news(report, out.data()),
    }
}

fn show_news(report: &FitReport, out: &mut impl Write) -> io::Result<()> {
    let FitReport {
        run,
        n_arrivals: _,
        news,
        failed,
    } = report;
    writeln!(
        out,
        "{} as of {}: {} learned, {} provisional, {} irregular, {} with too little history, {} failed",
        words::count(n_fitted(run) + run.n_failed, "dataset"),
        words::utc(run.as_of),
        words::thousands(run.n_learned),
        words::thousands(run.n_provisional),
        words::thousands(run.n_irregular),
        words::thousands(run.n_cold_start),
        words::thousands(run.n_failed),
    )?;
    if news.is_empty() && failed.is_empty() {
        return writeln!(out, "nothing new since the last fit");
    }
    write_section(out, "Could not be fitted", failed, |failure, out| {
        writeln!(out, "  {failure}")
    })?;
    if news.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nNew since the last fit:")?;
    for title in TITLES {
        let of_kind: Vec<&FitChange> = news
            .iter()
            .filter(|change| title_of(&change.news) == title)
            .collect();
        write_section(out, title, &of_kind, |change, out| {
            writeln!(out, "  {}{}", change.dataset_id, detail(&change.news))
        })?;
    }
    Ok(())
}

/// A title and the first few of what stands under it; nothing if there is none.
fn write_section<T, W: Write>(
    out: &mut W,
    title: &str,
    all: &[T],
    line: impl Fn(&T, &mut W) -> io::Result<()>,
) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title} ({})", words::thousands(all.len() as u64))?;
    for one in all.iter().take(LISTED) {
        line(one, out)?;
    }
    match all.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(out, "  … and {} more", words::thousands(more as u64)),
    }
}

/// In the order of what a reader must look at.
const TITLES: [&str; 6] = [
    "Schedule moved",
    "Calendar changed",
    "Provisional: moved too recently to be sure",
    "No calendar",
    "Too little history",
    "New models",
];

fn title_of(news: &News) -> &'static str {
    match news {
        News::Moved { .. } => TITLES[0],
        News::CalendarChanged { .. } => TITLES[1],
        News::Provisional { .. } => TITLES[2],
        News::Irregular => TITLES[3],
        News::ColdStart { .. } => TITLES[4],
        News::Learned { .. } => TITLES[5],
    }
}

fn detail(news: &News) -> String {
    match news {
        News::Moved { moved } => format!(
            ": {} since {}",
            words::change(&moved.change),
            words::utc(moved.at)
        ),
        News::CalendarChanged { from, to } => format!(": {to} (was {from})"),
        News::Provisional { shift } => format!(
            ": {} since {} ({} so far)",
            words::shift(shift.minutes),
            words::utc(shift.since),
            words::count(u64::from(shift.n), "cycle")
        ),
        News::Irregular => String::new(),
        News::ColdStart { n_cycles, n_needed } => {
            format!(": {n_cycles} of {n_needed} cycles needed")
        }
        News::Learned { calendar } => format!(": {calendar}"),
    }
}
