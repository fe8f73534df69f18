//! What would have been raised, had the program been there?

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use freshness_core::state::{Replayed, State, Walk};
use freshness_store::{Access, LineageMode, Store};
use jiff::civil::Date;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::import::in_words_to_stop;
use super::{Answer, Context};
use crate::hint::failure;
use crate::outputs::{BacktestFormat, Paint, Table, words, write_backtest};
use crate::rounds::ingest::{self, OnError};
use crate::rounds::{self, Backtested};
use crate::sources::{Source, TimeRules};

/// Replay history: what would have been raised, and when.
///
/// Walks from --from to --to as it was lived: models are learned anew every
/// --refit from what had arrived by then, and each cycle is judged at its
/// deadline with what had arrived by its deadline. Writes one row for each
/// expected cycle. Nothing is stored.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness backtest --from 2026-01-01 --to 2026-03-01 --out backtest.csv --summary
  freshness backtest --from 2026-01-01 --to 2026-03-01 --refit 7d --out backtest.parquet
  freshness backtest --arrivals arrivals.csv --from 2026-01-01 --to 2026-03-01 --summary   without a store

Columns: dataset_id, cycle, cycle_start, deadline, arrived_at, state, alerted, severity, model_status.
`state` is what became of the cycle; `alerted` says whether it was late at its deadline by a model
that may alert, `severity` how much it mattered then.

Exit codes: 0 replayed, 2 it could not be.")]
pub(super) struct BacktestArgs {
    /// Cycles that begin from here on: a date (UTC) or an instant
    #[arg(long, value_name = "TIME", value_parser = instant)]
    from: Timestamp,

    /// … and before here
    #[arg(long, value_name = "TIME", value_parser = instant)]
    to: Timestamp,

    /// Time from one fit to the next
    #[arg(long, value_name = "DURATION", default_value = "1d", value_parser = duration)]
    refit: SignedDuration,

    /// Write the rows here: .csv, .ndjson or .parquet
    #[arg(long, value_name = "FILE", required_unless_present = "summary")]
    out: Option<PathBuf>,

    /// Print what would have been raised, by dataset
    #[arg(long)]
    summary: bool,

    /// Replay these arrivals rather than the store's
    #[arg(long, value_name = "FILE", num_args = 1..)]
    arrivals: Vec<PathBuf>,

    /// With --arrivals: what is declared of the datasets
    #[arg(long, value_name = "FILE", requires = "arrivals", num_args = 1..)]
    datasets: Vec<PathBuf>,

    /// With --arrivals: what is made from what
    #[arg(long, value_name = "FILE", requires = "arrivals", num_args = 1..)]
    lineage: Vec<PathBuf>,
}

pub(super) fn run(args: &BacktestArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    if args.from >= args.to {
        return Err(failure(
            format_args!(
                "the window is empty: it begins {} and ends {}",
                args.from, args.to
            ),
            "--from must be before --to",
        ));
    }
    if args.from >= now {
        return Err(failure(
            format_args!(
                "the window lies ahead: it begins {}, now is {now}",
                args.from
            ),
            "a backtest replays the past",
        ));
    }
    if let Some(out) = &args.out
        && let Some(input) = inputs(args).find(|input| is_same_file(input, out))
    {
        return Err(failure(
            format_args!("--out would overwrite an input: {}", input.display()),
            "name another file",
        ));
    }
    let format = args.out.as_deref().map(BacktestFormat::of).transpose()?;
    if args.to > now {
        context.out.talk(format_args!(
            "note: --to lies ahead: replayed up to now, {now}"
        ));
    }
    let walk = Walk {
        from: args.from.as_second(),
        to: args.to.min(now).as_second(),
        refit: args.refit.as_secs(),
        known_until: now.as_second(),
    };
    // Without a store there is one for as long as the command runs.
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let store = match args.arrivals.is_empty() {
        true => context.open(Access::ReadOnly)?,
        false => imported(args, &folder.path().join("freshness.db"), now)?,
    };
    let bar = context.out.progress(0, "replaying");
    let threads = context.settings.threads;
    let found = rounds::backtest(
        &store,
        &walk,
        &context.settings.fit,
        threads,
        |n_more, n| {
            bar.set_length(n);
            bar.inc(n_more);
        },
    )?;
    bar.finish_and_clear();
    for failure in &found.failed {
        context.out.warn(format_args!("not replayed: {failure}"));
    }
    let n_cycles: usize = found.datasets.iter().map(|(_, cycles)| cycles.len()).sum();
    if n_cycles == 0 {
        return Err(failure(
            "nothing to replay: no dataset has an expected cycle in the window",
            "choose a window inside the history; `freshness status` shows the last arrivals",
        ));
    }
    if let (Some(path), Some(format)) = (&args.out, format) {
        write_backtest(&found.datasets, path, format)?;
        context.out.talk(format_args!(
            "{} of {} written to {}",
            words::count(n_cycles as u64, "cycle"),
            words::count(found.datasets.len() as u64, "dataset"),
            path.display()
        ));
    }
    if args.summary {
        summarise(&found, &walk, context)?;
    }
    Ok(Answer::Healthy)
}

fn inputs(args: &BacktestArgs) -> impl Iterator<Item = &PathBuf> {
    args.arrivals
        .iter()
        .chain(&args.datasets)
        .chain(&args.lineage)
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn imported(args: &BacktestArgs, path: &Path, now: Timestamp) -> anyhow::Result<Store> {
    let sources = |files: &[PathBuf]| -> Vec<Source> {
        files
            .iter()
            .map(|file| Source::named(file.clone(), None))
            .collect()
    };
    let times = TimeRules {
        now: now.as_second(),
        assume_zone: None,
    };
    let open = || Store::open(path, Access::Create);
    let silent: &dyn Fn(u64) = &|_| {};
    ingest::arrivals(
        &sources(&args.arrivals),
        &times,
        OnError::Stop,
        silent,
        open,
    )
    .map_err(in_words_to_stop)?;
    if !args.datasets.is_empty() {
        let holidays = rounds::holidays();
        ingest::datasets(
            &sources(&args.datasets),
            &holidays,
            OnError::Stop,
            silent,
            open,
        )
        .map_err(in_words_to_stop)?;
    }
    if !args.lineage.is_empty() {
        let mode = LineageMode::Add;
        ingest::lineage(&sources(&args.lineage), mode, OnError::Stop, silent, open)
            .map_err(in_words_to_stop)?;
    }
    Ok(Store::open(path, Access::ReadOnly)?)
}

/// One row for each dataset: cycles, alerts, and alerts a week.
fn summarise(found: &Backtested, walk: &Walk, context: &mut Context) -> std::io::Result<()> {
    let weeks = (walk.to - walk.from) as f64 / (7.0 * 86_400.0);
    let headings = [
        "DATASET",
        "CYCLES",
        "ALERTS",
        "A WEEK",
        "ARRIVED LATE",
        "MISSED",
        "NOT ALERTED: ADVISORY",
    ];
    let mut table = Table::new(&headings);
    let mut n_alerts = 0;
    for (id, cycles) in &found.datasets {
        let count = |of: fn(&Replayed) -> bool| cycles.iter().filter(|cycle| of(cycle)).count();
        let alerts = alerts(cycles);
        n_alerts += alerts;
        let cells = [
            cycles.len().to_string(),
            alerts.to_string(),
            format!("{:.2}", alerts as f64 / weeks),
            count(|cycle| cycle.verdict.state == State::LateArrival).to_string(),
            count(|cycle| cycle.verdict.state == State::Missed).to_string(),
            count(|cycle| cycle.severity.is_some() && !cycle.alerted).to_string(),
        ];
        let cells = cells.map(|cell| (cell, Paint::Plain));
        table.row(std::iter::once((id.to_string(), Paint::Plain)).chain(cells));
    }
    (1..headings.len()).for_each(|column| table.align_right(column));
    table.names(0);
    context.out.table(table)?;
    context.out.line("")?;
    context.out.line(format_args!(
        "{} in {weeks:.1} weeks: {:.2} a week over all datasets",
        words::count(n_alerts as u64, "alert"),
        n_alerts as f64 / weeks
    ))
}

/// Cycles in a row that are late are one alert.
fn alerts(cycles: &[Replayed]) -> usize {
    let mut was_missed = false;
    cycles
        .iter()
        .filter(|cycle| {
            let is_new = cycle.alerted && !was_missed;
            was_missed = cycle.alerted && cycle.verdict.state == State::Missed;
            is_new
        })
        .count()
}

pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    let midnight = || {
        let date = text.parse::<Date>().ok()?;
        Offset::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()
    };
    text.parse::<Timestamp>()
        .ok()
        .or_else(midnight)
        .ok_or_else(|| {
            "expected a date such as 2026-03-01 or an instant such as 2026-03-01T07:00:00Z"
                .to_owned()
        })
}

pub(super) fn duration(text: &str) -> Result<SignedDuration, String> {
    let refusal = || "expected a number of days or hours, such as 1d or 12h".to_owned();
    let (digits, seconds) = match (text.strip_suffix('d'), text.strip_suffix('h')) {
        (Some(digits), _) => (digits, 86_400),
        (_, Some(digits)) => (digits, 3_600),
        _ => return Err(refusal()),
    };
    let n: i64 = digits.parse().map_err(|_| refusal())?;
    match (1..=3_650).contains(&n) {
        true => Ok(SignedDuration::from_secs(n * seconds)),
        false => Err(refusal()),
    }
}
