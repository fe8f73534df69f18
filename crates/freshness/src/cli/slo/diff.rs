//! What is promised, and what does each dataset really do?

use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_core::slo::ServiceLevels;
use freshness_core::state::{Kept, PromiseRemark};
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::{Answer, Context};
use crate::config::Format;
use crate::hint::{self, did_you_mean};
use crate::outputs::comparison::{Usual, remark, sentence, share, usual};
use crate::outputs::promises::promised_times;
use crate::outputs::{Paint, Table, write_document, write_line};
use crate::rounds::{Compared, DatasetFailure, compare_promises};

/// Hold what is promised against what is learned.
///
/// For each dataset: when it is expected, its learned deadline, what is
/// promised, and on how many of the last days that was kept, reckoned from runs
/// where they measured it and else from arrivals. Promises far looser than what
/// happens, datasets without a promise, promises without a history, and what a
/// calendar would change for a fixed age are named. The worst kept come first.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness slo diff
  freshness slo diff fct_orders
  freshness slo diff --days 30 --format json | jq -r '.datasets[].words'

Exit codes: 0 compared, 2 could not, or not all of it.")]
pub(in crate::cli) struct DiffArgs {
    /// The dataset [default: all]
    dataset: Option<String>,

    /// Days to look back on
    #[arg(long, value_name = "N", default_value = "90", value_parser = clap::value_parser!(u16).range(1..=730))]
    days: u16,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    days: u16,
    datasets: Vec<Line<'a>>,
    failed: &'a [DatasetFailure],
}

#[derive(Serialize)]
struct Line<'a> {
    dataset_id: &'a DatasetId,
    environment: &'a str,
    words: String,
    model_status: Option<&'static str>,
    usual: Option<Usual>,
    promised: String,
    service_levels: Option<&'a ServiceLevels>,
    kept: &'a [Kept],
    remarks: Vec<Said<'a>>,
}

#[derive(Serialize)]
struct Said<'a> {
    #[serde(flatten)]
    remark: &'a PromiseRemark,
    words: String,
}

pub(super) fn run(args: &DiffArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let now = context.clock.now();
    let is_asked = |id: &DatasetId| {
        args.dataset
            .as_deref()
            .is_none_or(|asked| id.as_str() == asked)
    };
    let mut all = compare_promises(&store, now, args.days, is_asked)?;
    if all.datasets.is_empty() && all.failed.is_empty() {
        return Err(nothing(args, &store.datasets()?));
    }
    all.datasets.sort_by_key(rank);
    for failure in &all.failed {
        context.out.warn(failure);
    }
    let out = &mut context.out;
    match out.format {
        Format::Table if args.dataset.is_some() => {
            for compared in &all.datasets {
                let Compared {
                    dataset,
                    environment,
                    ..
                } = compared;
                let words = sentence(compared, args.days);
                out.line(format_args!("{dataset} ({environment}): {words}"))?;
                for said in &compared.comparison.remarks {
                    out.line(format_args!("  {}", remark(said)))?;
                }
            }
        }
        Format::Table => out.table(table(&all.datasets))?,
        Format::Json => {
            let datasets = all.datasets.iter().map(|of| line(of, args.days)).collect();
            let document = Document {
                command: "slo diff",
                now,
                days: args.days,
                datasets,
                failed: &all.failed,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for compared in &all.datasets {
                write_line(out.data(), &line(compared, args.days))?;
            }
        }
    }
    Ok(match all.failed.is_empty() {
        true => Answer::Healthy,
        false => Answer::CouldNotTell,
    })
}

fn nothing(args: &DiffArgs, known: &[freshness_store::DatasetEntry]) -> anyhow::Error {
    let Some(asked) = &args.dataset else {
        return hint::failure(
            "nothing is promised, and nothing is learned",
            "import promises: `freshness import slo DIR`; learn: `freshness fit`",
        );
    };
    let meant = did_you_mean(asked, known.iter().map(|entry| entry.id.as_str()));
    match meant.filter(|meant| meant != asked) {
        Some(meant) => hint::failure(
            format_args!("unknown dataset: {asked}"),
            format_args!("did you mean `{meant}`?"),
        ),
        None => hint::failure(
            format_args!("nothing is promised or learned of the dataset: {asked}"),
            "`freshness slo diff` lists what there is",
        ),
    }
}

/// The worst kept first, then promises that nothing can be held against, then
/// datasets without one.
fn rank(compared: &Compared) -> (u8, u32) {
    let worst = compared
        .comparison
        .kept
        .iter()
        .filter(|kept| kept.n_owed > 0)
        .map(|kept| (kept.percent * 1_000.0) as u32)
        .min();
    match (worst, compared.is_declared) {
        (Some(share), _) => (0, share),
        (None, true) => (1, 0),
        (None, false) => (2, 0),
    }
}

fn line(compared: &Compared, n_days: u16) -> Line<'_> {
    let remarks = compared.comparison.remarks.iter();
    Line {
        dataset_id: &compared.dataset,
        environment: &compared.environment,
        words: sentence(compared, n_days),
        model_status: compared.model.as_ref().map(|model| model.fitted.status()),
        usual: usual(compared),
        promised: promised_times(&compared.levels),
        service_levels: compared.is_declared.then_some(&compared.levels),
        kept: &compared.comparison.kept,
        remarks: remarks
            .map(|of| Said {
                remark: of,
                words: remark(of),
            })
            .collect(),
    }
}

fn table(all: &[Compared]) -> Table {
    let mut table = Table::new(&[
        "DATASET",
        "ENVIRONMENT",
        "EXPECTED",
        "DEADLINE",
        "PROMISED",
        "KEPT",
        "REMARK",
    ]);
    table.names(0);
    table.tells_apart(1);
    // The learned deadline, when it is expected; the remark is the finding.
    table.dispensable(&[3, 2]);
    for compared in all {
        let (expected, deadline) = match usual(compared) {
            Some(usual) => (format!("{}–{}", usual.from, usual.to), usual.deadline),
            None => ("not learned".to_owned(), String::new()),
        };
        let kept: Vec<String> = compared.comparison.kept.iter().map(share).collect();
        let remarks: Vec<String> = compared.comparison.remarks.iter().map(remark).collect();
        let promised = promised_times(&compared.levels);
        let cells = [
            compared.dataset.to_string(),
            compared.environment.clone(),
            expected,
            deadline,
            match promised.is_empty() {
                true => "nothing".to_owned(),
                false => promised,
            },
            kept.join(", "),
            remarks.join("; "),
        ];
        table.row(cells.map(|cell| (cell, Paint::Plain)));
    }
    table
}
