//! What do the configured sources tell that is new?

pub(super) mod kinds;

use clap::Args;
use freshness_store::Access;
use jiff::Timestamp;
use serde::Serialize;

use super::{Answer, Context};
use crate::config::Format;
use crate::hint::{did_you_mean, failure};
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds::collect::{Outcome, Planned, collect};

/// Read what is new from the sources that freshness.yaml names.
///
/// Each source goes on where it stopped; where that is, is stored with what was
/// read, so nothing is lost or doubled if the command is killed. One that fails stops
/// no other. `freshness doctor` says how each went. docs/collect.md tells more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness collect
  freshness collect warehouse_loads
  freshness collect --format json | jq '.sources[] | select(.error)'

Exit codes: 0 all were read, 2 one was not (the others were), or nothing could be.")]
pub(super) struct CollectArgs {
    /// Only these sources [default: all of freshness.yaml]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

/// So many notes of a source are shown in a table; JSON has all.
const NOTES_SHOWN: usize = 5;

/// What helps where a source tells of what is to come.
const AHEAD_HINT: &str =
    "is a clock wrong? The rest was stored; the source is read again from where it stopped";

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    answer: &'static str,
    sources: Vec<Line<'a>>,
}

/// What it says of one source.
#[derive(Default, Serialize)]
struct Line<'a> {
    source: &'a str,
    kind: &'a str,
    error: Option<&'a str>,
    hint: Option<&'a str>,
    arrivals_new: u64,
    arrivals_duplicate: u64,
    runs_new: u64,
    datasets_new: u64,
    datasets_gone: u64,
    told_new: u64,
    remarks: Vec<String>,
}

pub(super) fn run(args: &CollectArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let planned = plan(args, context)?;
    let mut store = context.open(Access::Create)?;
    let bar = (context.out).progress(planned.len() as u64, "collecting (sources)");
    let threads = context.settings.threads;
    let renames = &context.settings.renames;
    let outcomes = collect(&mut store, &planned, renames, threads, now, &|| bar.inc(1));
    bar.finish_and_clear();
    let outcomes = outcomes?;
    let is_whole = |outcome: &Outcome| {
        (outcome.taken.as_ref())
            .is_ok_and(|taken| taken.counts.refused.is_empty() && taken.ahead.is_none())
    };
    let answer = match outcomes.iter().all(is_whole) {
        true => Answer::Healthy,
        false => Answer::CouldNotTell,
    };
    show(&outcomes, answer, now, context)?;
    Ok(answer)
}

fn plan(args: &CollectArgs, context: &Context) -> anyhow::Result<Vec<Planned>> {
    let configured = &context.settings.sources;
    if configured.is_empty() {
        return Err(failure(
            "no sources are configured",
            "name them under `sources` in freshness.yaml; `freshness init` writes a first one",
        ));
    }
    for name in &args.names {
        if !configured.contains_key(name) {
            let known = configured.keys().map(String::as_str);
            let hint = match did_you_mean(name, known) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => {
                    let known: Vec<&str> = configured.keys().map(String::as_str).collect();
                    format!("configured: {}", known.join(", "))
                }
            };
            return Err(failure(format_args!("no such source: {name}"), hint));
        }
    }
    let is_asked = |name: &String| args.names.is_empty() || args.names.contains(name);
    Ok(configured
        .iter()
        .filter(|(name, _)| is_asked(name))
        .map(|(name, source)| Planned {
            name: name.clone(),
            kind: source.typed.kind(),
            read: kinds::reader(name, &source.typed, &context.settings),
        })
        .collect())
}

fn show(
    outcomes: &[Outcome],
    answer: Answer,
    now: Timestamp,
    context: &mut Context,
) -> anyhow::Result<()> {
    let lines: Vec<Line<'_>> = outcomes.iter().map(line).collect();
    match context.out.format {
        Format::Json => {
            let document = Document {
                command: "collect",
                now,
                answer: answer.word(),
                sources: lines,
            };
            write_document(context.out.data(), &document)?;
        }
        Format::Ndjson => {
            for line in &lines {
                write_line(context.out.data(), line)?;
            }
        }
        Format::Table => {
            say(outcomes, context);
            context.out.table(table(&lines, outcomes))?;
        }
    }
    Ok(())
}

fn line(outcome: &Outcome) -> Line<'_> {
    let Outcome { name, kind, taken } = outcome;
    let taken = match taken {
        Err(reason) => {
            return Line {
                source: name,
                kind,
                error: Some(&reason.what),
                hint: reason.hint.as_deref(),
                ..Line::default()
            };
        }
        Ok(taken) => taken,
    };
    let refused = taken
        .counts
        .refused
        .iter()
        .map(|(_, error)| error.to_string());
    let remarks = taken.remarks.iter();
    let remarks = remarks.map(|remark| format!("{}: {}", remark.place, remark.what));
    Line {
        source: name,
        kind,
        error: taken.ahead.as_deref(),
        hint: taken.ahead.as_ref().map(|_| AHEAD_HINT),
        arrivals_new: taken.counts.arrivals_new,
        arrivals_duplicate: taken.counts.arrivals_duplicate,
        runs_new: taken.counts.runs.new,
        datasets_new: taken.counts.datasets_new,
        datasets_gone: taken.counts.datasets_gone,
        told_new: taken.counts.told_new,
        remarks: remarks.chain(refused).collect(),
    }
}

fn say(outcomes: &[Outcome], context: &Context) {
    for outcome in outcomes {
        let name = &outcome.name;
        let taken = match &outcome.taken {
            Ok(taken) => taken,
            Err(reason) => {
                let hint = reason.hint.iter();
                let hint: String = hint.map(|hint| format!("\nhint: {hint}")).collect();
                context.out.warn(format_args!("{name}: {reason}{hint}"));
                continue;
            }
        };
        if let Some(ahead) = &taken.ahead {
            let ahead = words::printable(ahead);
            let words = format_args!("{name}: {ahead}\nhint: {AHEAD_HINT}");
            context.out.warn(words);
        }
        for (_, error) in &taken.counts.refused {
            context.out.warn(format_args!("{name}: {error}"));
        }
        for remark in taken.remarks.iter().take(NOTES_SHOWN) {
            let (place, what) = (
                words::printable(&remark.place),
                words::printable(&remark.what),
            );
            context
                .out
                .talk(format_args!("note: {name}: {place}: {what}"));
        }
        let n_more = taken.remarks.len().saturating_sub(NOTES_SHOWN);
        if n_more > 0 {
            context.out.talk(format_args!(
                "note: {name}: … and {n_more} more: see --format json"
            ));
        }
    }
}

fn table(lines: &[Line<'_>], outcomes: &[Outcome]) -> Table {
    let mut table = Table::new(&[
        "SOURCE",
        "KIND",
        "RESULT",
        "NEW ARRIVALS",
        "DUPLICATE",
        "NEW DATASETS",
    ]);
    (3..6).for_each(|column| table.align_right(column));
    for (line, outcome) in lines.iter().zip(outcomes) {
        let (result, paint) = match (&outcome.taken, line.error) {
            (Err(_), _) => ("failed", Paint::Bad),
            (Ok(_), Some(_)) => ("in part", Paint::Bad),
            (Ok(_), None) => ("read", Paint::Good),
        };
        let count = |n: u64| match outcome.taken {
            Ok(_) => (words::thousands(n), Paint::Plain),
            Err(_) => (String::new(), Paint::Plain),
        };
        table.row([
            (line.source.to_owned(), Paint::Plain),
            (line.kind.to_owned(), Paint::Plain),
            (result.to_owned(), paint),
            count(line.arrivals_new),
            count(line.arrivals_duplicate),
            count(line.datasets_new),
        ]);
    }
    table
}
