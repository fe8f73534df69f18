//! Why does the program think so?

use clap::Args;
use freshness_core::arrivals::CycleName;
use freshness_core::civil::DAY;
use freshness_core::fit::Model;
use freshness_core::state::CycleVerdict;
use freshness_store::{Access, Store};
use jiff::Timestamp;
use serde::Serialize;

use super::status::dataset_named;
use super::{Answer, Context};
use crate::config::Format;
use crate::hint;
use crate::outputs::datasets::DatasetLine;
use crate::outputs::incidents::{IncidentLine, part_of};
use crate::outputs::slo::{VerdictLine, sentence};
use crate::outputs::{account, write_document, write_line};
use crate::rounds::{self, Causes, Explained, is_overdue};

/// Show what a dataset's deadline rests on.
///
/// Its calendar and how sure that is, its time zone, the moves of its
/// schedule, the cell and the count behind the deadline, what was left out,
/// the last cycles, and the delays with the deadline marked; of what is promised
/// of it, what is broken or cannot be told.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness explain raw_orders
  freshness explain raw_orders --cycle 2026-03-01
  freshness explain events --cycle 2026-03-01T05:00
  freshness explain raw_orders --format json | jq .model

Exit codes: 0 explained, 2 could not.")]
pub(super) struct ExplainArgs {
    /// The dataset
    dataset: String,

    /// The cycle to explain: any time in it, on the wall clock of the dataset's zone or with an offset [default: the present one]
    #[arg(long, value_name = "CYCLE")]
    cycle: Option<CycleName>,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    dataset: DatasetLine<'a>,
    n_arrivals: usize,
    cycle: Option<&'a CycleVerdict>,
    cycles: &'a [CycleVerdict],
    model: Option<&'a Model>,
    incidents: Vec<IncidentLine<'a>>,
    promises: Vec<VerdictLine<'a>>,
}

/// Cycles that the JSON and the strip show.
const LAST_CYCLES: usize = 60;

pub(super) fn run(args: &ExplainArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let now = context.clock.now();
    let entry = dataset_named(&store, &args.dataset)?;
    let explained = rounds::explain(&store, entry, now)?;
    let asked = match args.cycle {
        Some(name) => Some(find_cycle(&explained, name, now)?),
        None => None,
    };
    let cycle = asked.as_ref().or(explained.judged.state.current.as_ref());
    let cycles = &explained.cycles;
    let last = &cycles[cycles.len().saturating_sub(LAST_CYCLES)..];

    let causes = causes(&store, &explained, now, context);
    let incidents = causes.of(&explained.judged.state.dataset_id);
    let promised = rounds::promises_of(&store, &explained.judged.state.dataset_id, now)?;
    let promises: Vec<VerdictLine<'_>> = promised
        .iter()
        .flat_map(|checked| &checked.datasets)
        .flat_map(VerdictLine::all)
        .collect();
    let out = &mut context.out;
    for failure in promised.iter().flat_map(|checked| &checked.failures) {
        out.warn(format_args!("a promise cannot be read: {}", failure.error));
    }
    let document = Document {
        command: "explain",
        now,
        dataset: DatasetLine::new(&explained.judged),
        n_arrivals: explained.history.len(),
        cycle,
        cycles: last,
        model: explained.model.as_ref(),
        incidents: incidents
            .iter()
            .map(|followed| IncidentLine::new(followed, now))
            .collect(),
        promises,
    };
    match out.format {
        Format::Json => write_document(out.data(), &document)?,
        Format::Ndjson => write_line(out.data(), &document)?,
        Format::Table => {
            let id = &explained.judged.state.dataset_id;
            let parts = incidents.iter().map(|followed| part_of(followed, id));
            let broken = document.promises.iter().filter(|line| line.is_wrong());
            let said: Vec<String> = parts.chain(broken.map(sentence)).collect();
            let text = account::of(&explained, cycle, last, &said, out.unicode);
            out.line(text.trim_end())?;
        }
    }
    Ok(Answer::Healthy)
}

/// What is behind its lateness. Only what is late needs all the others judged;
/// if they cannot be, the rest of the explanation still holds.
fn causes(store: &Store, explained: &Explained, now: Timestamp, context: &Context) -> Causes {
    if !is_overdue(explained.judged.state.state) {
        return Causes::default();
    }
    let max_model_age = context.settings.check.max_model_age;
    match rounds::look(store, now, max_model_age, context.settings.threads) {
        Ok(seen) => seen.causes,
        Err(error) => {
            context
                .out
                .warn(format_args!("what is behind it cannot be told: {error}"));
            Causes::default()
        }
    }
}

/// The verdict of the cycle that the user named by any time in it.
fn find_cycle(
    explained: &Explained,
    name: CycleName,
    now: Timestamp,
) -> anyhow::Result<CycleVerdict> {
    let id = &explained.judged.state.dataset_id;
    let Some(model) = &explained.model else {
        return Err(hint::failure(
            format_args!("no model for dataset: {id}"),
            "run `freshness fit` first",
        ));
    };
    let (zone, _) = model.fitted.zone();
    let Some(grain) = model.fitted.calendar().grain() else {
        return Err(hint::failure(
            format_args!("dataset has no cycles, it is irregular: {id}"),
            "leave out --cycle",
        ));
    };
    let at = match name {
        CycleName::Instant(utc) => utc,
        CycleName::Civil(local) => zone.utc(local),
    };
    // Far enough for a weekend, a row of holidays, or the nights of a feed.
    let reach = grain.seconds() + 10 * DAY;
    let mut around = rounds::cycles_between(explained, at - reach, at + reach, now);
    let begun = around.partition_point(|cycle| cycle.cycle_start.as_second() <= at);
    let names = |verdict: &CycleVerdict| {
        let start = verdict.cycle_start.as_second();
        let same_day = zone.local(start).div_euclid(DAY) == zone.local(at).div_euclid(DAY);
        // Within a cycle's length; a day's cycle holds for the whole civil day.
        start <= at && (at - start < grain.seconds() || same_day)
    };
    match begun.checked_sub(1).filter(|&i| names(&around[i])) {
        Some(i) => Ok(around.swap_remove(i)),
        None => {
            let near: Vec<&str> = around[begun.saturating_sub(2)..around.len().min(begun + 2)]
                .iter()
                .map(|cycle| cycle.cycle.as_str())
                .collect();
            Err(hint::failure(
                format_args!(
                    "no delivery of {id} is expected in the cycle: {name} ({})",
                    model.fitted.calendar()
                ),
                format_args!("cycles near it: {}", near.join(", ")),
            ))
        }
    }
}
