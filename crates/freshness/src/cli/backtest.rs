//! What would have been raised, had the program been there?

use std::path::{Path, PathBuf};

use clap::Args;
use freshness_core::arrivals::ArrivalHistory;
use freshness_core::dataset::Dataset;
use freshness_core::lineage::Lineage;
use freshness_core::state::Walk;
use freshness_store::Access;
use jiff::civil::Date;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use super::import::in_words_to_stop;
use super::{Answer, Context};
use crate::hint::failure;
use crate::outputs::raised::{self, Window};
use crate::outputs::{BacktestFormat, WholeFile, words, write_backtest};
use crate::rounds::{self, Backtested, Learning, ingest};
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

Columns: dataset_id, cycle, cycle_start, deadline, arrived_at, state, alerted, severity, model_status,
held_up_by: the dataset whose overdue delivery brought the deadline forward, empty if none did.
`state` is what became of the cycle; `alerted` says whether it was late at its deadline by a model
that may alert, `severity` how much it mattered then. A cycle can arrive late without having been
alerted: its kind is skipped too often for a promise, or at its deadline another delivery was taken
for it. Until three arrivals had come by its deadline the state is `insufficient_history`, before
the first one `unknown`.

A row is a cycle, an alert a person told once: it stands until the next delivery, and cycles that are
late meanwhile are alerted=true rows of the same alert. The summary counts both, by dataset and by the
week (from Monday, UTC) of the deadline; rates count days from a dataset's first arrival on.

Each cycle is judged by the model of its time. Where two models disagree, on either side of a refit,
about which cycle an arrival served (after an outage, or when a calendar is recognised), the arrival
is in two rows: count deliveries in the arrivals, not here.

A window that begins long before the first arrival of all is replayed from a month before it.
--out is replaced when all rows are written, and not before.

Exit codes: 0 replayed, 2 it could not be.")]
pub(super) struct BacktestArgs {
    /// Cycles that begin from here on: a date (UTC) or an instant
    #[arg(long, value_name = "TIME", value_parser = instant)]
    from: Timestamp,

    /// … and before here
    #[arg(long, value_name = "TIME", value_parser = instant)]
    to: Timestamp,

    /// Time from one fit to the next; never: one fit, of what had arrived before --from
    #[arg(long, value_name = "DURATION", default_value = "1d", value_parser = every)]
    refit: Every,

    /// Write the rows here, replacing a file: .csv, .ndjson or .parquet
    #[arg(long, value_name = "FILE", required_unless_present = "summary")]
    out: Option<PathBuf>,

    /// Print what would have been raised, by dataset and by week; --format json or ndjson too
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

/// Time between fits; `None`: there is only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Every(Option<SignedDuration>);

fn every(text: &str) -> Result<Every, String> {
    match text {
        "never" => Ok(Every(None)),
        text => duration(text)
            .map(|duration| Every(Some(duration)))
            .map_err(|refusal| format!("{refusal}, or never")),
    }
}

pub(super) fn run(args: &BacktestArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let mut window = window(args, now, context)?;
    // Whatever can be refused is refused before minutes of work.
    let out = match &args.out {
        Some(path) => Some((path, BacktestFormat::of(path)?, place(path, args)?)),
        None => None,
    };
    let walk = Walk {
        from: window.from.as_second(),
        to: window.to.as_second(),
        refit: window.refit_seconds,
        known_until: now.as_second(),
    };
    let found = walked(args, &walk, now, context)?;
    for failure in &found.failed {
        context.out.warn(format_args!("not replayed: {failure}"));
    }
    let n_cycles: usize = found.datasets.iter().map(|one| one.cycles.len()).sum();
    refuse_nothing(&found, &walk, n_cycles)?;
    if found.walk.from > walk.from {
        window.from = Timestamp::from_second(found.walk.from)?;
        context.out.talk(format_args!(
            "note: --from lies long before the history: replayed from {}",
            window.from
        ));
    }
    if let Some((path, format, place)) = out {
        place.write(|out| write_backtest(&found.datasets, out, format))?;
        context.out.talk(format_args!(
            "{} of {} written to {}",
            words::count(n_cycles as u64, "cycle"),
            words::count(found.datasets.len() as u64, "dataset"),
            path.display()
        ));
    }
    if args.summary {
        let raised = rounds::raised(&found);
        raised::show(&raised, window, &found.failed, &mut context.out)?;
    }
    Ok(Answer::Healthy)
}

/// The part of the window that lies in the past.
fn window(args: &BacktestArgs, now: Timestamp, context: &Context) -> anyhow::Result<Window> {
    let (from, to) = (args.from, args.to);
    if from >= to {
        return Err(failure(
            format_args!("the window is empty: it begins {from} and ends {to}"),
            "--from must be before --to",
        ));
    }
    if from >= now {
        return Err(failure(
            format_args!("the window lies ahead: it begins {from}, now is {now}"),
            "a backtest replays the past",
        ));
    }
    if to > now {
        context.out.talk(format_args!(
            "note: --to lies ahead: replayed up to now, {now}"
        ));
    }
    Ok(Window {
        from,
        to: to.min(now),
        refit_seconds: match args.refit {
            Every(Some(duration)) => duration.as_secs(),
            // No second fit falls into the window.
            Every(None) => to.min(now).duration_since(from).as_secs().max(1),
        },
    })
}

/// Where the rows go: never over what they are made from.
fn place(out: &Path, args: &BacktestArgs) -> anyhow::Result<WholeFile> {
    let inputs = args
        .arrivals
        .iter()
        .chain(&args.datasets)
        .chain(&args.lineage);
    if let Some(input) = inputs.into_iter().find(|input| is_same_file(input, out)) {
        return Err(failure(
            format_args!("--out would overwrite an input: {}", input.display()),
            "name another file",
        ));
    }
    WholeFile::at(out)
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

/// Replays the store, or the files that were named instead: these in memory,
/// so that nothing is left behind however this ends.
fn walked(
    args: &BacktestArgs,
    walk: &Walk,
    now: Timestamp,
    context: &Context,
) -> anyhow::Result<Backtested> {
    let threads = context.settings.threads;
    let learning = &Learning {
        general: &context.settings.fit,
        rules: Some(&context.settings.rules),
    };
    let bar = context.out.progress(0, "replaying");
    let progress = |n_more, n| {
        bar.set_length(n);
        bar.inc(n_more);
    };
    let found = match args.arrivals.is_empty() {
        true => {
            let store = context.open(Access::ReadOnly)?;
            rounds::backtest(&store, walk, learning, threads, progress)?
        }
        false => {
            let (mut datasets, lineage) = read(args, now)?;
            for (dataset, _) in &mut datasets {
                let known = dataset.clone();
                *dataset = context.settings.maintenance.over(known);
            }
            rounds::backtest_of(&datasets, &lineage, walk, learning, threads, progress)
        }
    };
    bar.finish_and_clear();
    Ok(found)
}

/// What is declared and what arrived of each dataset, and what is made from what.
type Files = (Vec<(Dataset, ArrivalHistory)>, Lineage);

fn read(args: &BacktestArgs, now: Timestamp) -> anyhow::Result<Files> {
    let sources = |files: &[PathBuf]| -> Vec<Source> {
        let each = files.iter().cloned();
        each.map(|file| Source::named(file, None)).collect()
    };
    let times = TimeRules {
        now: now.as_second(),
        assume_zone: None,
    };
    let (arrivals, declared) = (sources(&args.arrivals), sources(&args.datasets));
    let lineage = ingest::edges(&sources(&args.lineage)).map_err(in_words_to_stop)?;
    let datasets = ingest::histories(&arrivals, &declared, &times, &|_| {});
    Ok((datasets.map_err(in_words_to_stop)?, lineage))
}

/// Nothing to say is not the same as nothing raised.
fn refuse_nothing(found: &Backtested, walk: &Walk, n_cycles: usize) -> anyhow::Result<()> {
    if found.datasets.is_empty() && !found.failed.is_empty() {
        return Err(failure(
            "no dataset could be replayed",
            "`freshness doctor` looks for what is wrong with the store",
        ));
    }
    let first = found.datasets.iter().filter_map(|one| one.first_arrival);
    let Some(first) = first.min() else {
        return Err(failure(
            "nothing to replay: nothing has arrived of any dataset",
            "import arrivals, or name a file of them with --arrivals",
        ));
    };
    if first >= walk.to {
        let (to, first) = (
            Timestamp::from_second(walk.to)?,
            Timestamp::from_second(first)?,
        );
        return Err(failure(
            format_args!(
                "the window lies before the history: it ends {to}, the first arrival was {first}"
            ),
            "choose a window inside the history",
        ));
    }
    match n_cycles {
        0 => Err(failure(
            "nothing to replay: no dataset has an expected cycle in the window",
            "choose a window inside the history; `freshness status` shows the last arrivals",
        )),
        _ => Ok(()),
    }
}

pub(super) fn instant(text: &str) -> Result<Timestamp, String> {
    let midnight = || {
        let date = text.parse::<Date>().ok()?;
        // The first and the last supported day have no midnight, and who names
        // one means for ever.
        let at = Offset::UTC.to_timestamp(date.at(0, 0, 0, 0));
        Some(at.unwrap_or(match date.year() < 0 {
            true => Timestamp::MIN,
            false => Timestamp::MAX,
        }))
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
