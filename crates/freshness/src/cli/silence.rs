//! Which incidents does nobody want to hear of for a while?

use clap::{Args, Subcommand};
use freshness_core::dataset::Dataset;
use freshness_core::incidents::{Matchers, Silence};
use freshness_store::{Access, Store};
use globset::Glob;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::ack::{end, text};
use super::backtest::{duration, instant};
use super::{Answer, Context};
use crate::config::Format;
use crate::hint;
use crate::outputs::{Paint, Table, words, write_document, write_line};

/// Silence incidents for a while, before a migration or a holiday.
///
/// A silence always ends. It concerns whom to tell, not what is true: a
/// silenced incident stays in every list, as silenced, and `check` answers as
/// ever.
#[derive(Debug, Args)]
pub(super) struct SilenceArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Add(AddArgs),
    List(ListArgs),
    Remove(RemoveArgs),
}

/// Set a silence; its number is printed.
///
/// All that is asked for must hold of the root of an incident; for a suspect
/// feed of arrivals, of every dataset that turned late in it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness silence add --dataset 'raw_*' --by ana --why migration --for 4h
  freshness silence add --team finance --tag tier-2 --by ana --why 'year end' --until 2026-01-02T06:00:00Z

Exit codes: 0 set, 2 could not.")]
struct AddArgs {
    /// The whole name of the dataset matches (`*`, `?`, `[a-z]`, `{a,b}`)
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    dataset: Option<String>,

    /// It belongs to this team
    #[arg(long, value_name = "TEAM", value_parser = text)]
    team: Option<String>,

    /// It has this tag
    #[arg(long, value_name = "TAG", value_parser = text)]
    tag: Option<String>,

    /// It has this owner
    #[arg(long, value_name = "OWNER", value_parser = text)]
    owner: Option<String>,

    /// Who sets it
    #[arg(long, value_name = "NAME", value_parser = text)]
    by: String,

    /// Why
    #[arg(long, value_name = "TEXT", value_parser = text)]
    why: String,

    /// Until when: a date (UTC) or an instant
    #[arg(long, value_name = "TIME", value_parser = instant, required_unless_present = "lasting")]
    until: Option<Timestamp>,

    /// … or for how long
    #[arg(long = "for", value_name = "DURATION", allow_hyphen_values = true, value_parser = duration, conflicts_with = "until")]
    lasting: Option<SignedDuration>,
}

/// Show the silences that hold.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness silence list
  freshness silence list --format json | jq '.silences[].until'

Exit codes: 0 shown, 2 could not.")]
struct ListArgs {}

/// End a silence.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness silence remove 3

Exit codes: 0 ended, 2 there is no such silence.")]
struct RemoveArgs {
    /// Its number
    #[arg(value_name = "NUMBER")]
    no: u64,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    silences: &'a [Silence],
}

pub(super) fn run(args: &SilenceArgs, context: &mut Context) -> anyhow::Result<Answer> {
    match &args.command {
        Command::Add(args) => add(args, context),
        Command::List(ListArgs {}) => list(context),
        Command::Remove(args) => remove(args, context),
    }
}

fn add(args: &AddArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let matchers = Matchers {
        dataset: args.dataset.clone(),
        team: args.team.clone(),
        tag: args.tag.clone(),
        owner: args.owner.clone(),
    };
    if matchers.is_empty() {
        return Err(hint::failure(
            "a silence that asks for nothing would cover everything",
            "give --dataset, --team, --tag or --owner; --dataset '*' says that everything is meant",
        ));
    }
    let Some(until) = end(args.until, args.lasting, now)? else {
        unreachable!("one of --until and --for is required");
    };
    let mut store = context.open(Access::ReadWrite)?;
    let n_datasets = matched(&store, &matchers)?;
    let no = store.set_silence(&Silence {
        no: 0,
        matchers,
        by: args.by.clone(),
        why: args.why.clone(),
        from: now,
        until,
    })?;
    let held: Vec<Silence> = store.silences(now)?;
    let held: Vec<Silence> = held
        .into_iter()
        .filter(|silence| silence.no == no)
        .collect();
    // It may be meant for what is to come, or be misspelt.
    context.out.talk(match n_datasets {
        0 => "note: no dataset matches it now".to_owned(),
        n => format!("it matches {}", words::count(n, "dataset")),
    });
    show(&held, now, context)
}

/// How many datasets match now.
fn matched(store: &Store, matchers: &Matchers) -> anyhow::Result<u64> {
    let pattern = matchers.dataset.as_deref().map(Glob::new).transpose()?;
    let pattern = pattern.map(|glob| glob.compile_matcher());
    let matches = |dataset: &Dataset| {
        let is_named = pattern
            .as_ref()
            .is_none_or(|glob| glob.is_match(dataset.id.as_str()));
        is_named && matchers.hold_of(dataset)
    };
    let datasets = store.datasets()?;
    let declared = datasets
        .iter()
        .filter_map(|entry| entry.declared.as_ref().ok());
    Ok(declared.filter(|dataset| matches(dataset)).count() as u64)
}

fn list(context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let store = context.open(Access::ReadOnly)?;
    let silences = store.silences(now)?;
    show(&silences, now, context)
}

fn remove(args: &RemoveArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let mut store = context.open(Access::ReadWrite)?;
    if !store.end_silence(args.no, now)? {
        return Err(hint::failure(
            format_args!("no such silence: {}", args.no),
            "`freshness silence list` shows those that hold",
        ));
    }
    context
        .out
        .talk(format_args!("silence {} has ended", args.no));
    Ok(Answer::Healthy)
}

fn show(silences: &[Silence], now: Timestamp, context: &mut Context) -> anyhow::Result<Answer> {
    let out = &mut context.out;
    match out.format {
        Format::Table if silences.is_empty() => out.line("no silence holds")?,
        Format::Table => out.table(table(silences))?,
        Format::Json => write_document(
            out.data(),
            &Document {
                command: "silence",
                now,
                silences,
            },
        )?,
        Format::Ndjson => {
            for silence in silences {
                write_line(out.data(), silence)?;
            }
        }
    }
    Ok(Answer::Healthy)
}

fn table(silences: &[Silence]) -> Table {
    let mut table = Table::new(&["NO", "SILENCES", "UNTIL (UTC)", "BY", "WHY"]);
    table.align_right(0);
    for silence in silences {
        let cells = [
            silence.no.to_string(),
            asked(&silence.matchers),
            words::utc_minute(silence.until),
            silence.by.clone(),
            silence.why.clone(),
        ];
        table.row(cells.map(|cell| (cell, Paint::Plain)));
    }
    table
}

/// What it asks for: `dataset raw_*, team finance`.
fn asked(matchers: &Matchers) -> String {
    let Matchers {
        dataset,
        team,
        tag,
        owner,
    } = matchers;
    let asked = [
        ("dataset", dataset),
        ("team", team),
        ("tag", tag),
        ("owner", owner),
    ];
    let asked: Vec<String> = asked
        .into_iter()
        .filter_map(|(what, value)| Some(format!("{what} {}", value.as_ref()?)))
        .collect();
    asked.join(", ")
}

fn pattern(text: &str) -> Result<String, String> {
    match Glob::new(text) {
        Ok(_) if !text.is_empty() => Ok(text.to_owned()),
        Ok(_) => Err("expected a pattern, such as raw_*".to_owned()),
        Err(error) => Err(format!("unreadable pattern: {}", error.kind())),
    }
}
