//! How is every dataset?

use std::collections::BTreeSet;
use std::io;

use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_core::state::State;
use freshness_store::{Access, DatasetEntry, Store};
use globset::{Glob, GlobSet, GlobSetBuilder};
use jiff::Timestamp;
use serde::Serialize;

use super::{Answer, Context};
use crate::config::Format;
use crate::hint::{self, WithHint};
use crate::outputs::datasets::{DatasetLine, sort_late_first, table};
use crate::outputs::summary::{self, Scope};
use crate::outputs::{words, write_document, write_line};
use crate::rounds::{self, Checked, Doubt, Judged, Summary};

/// Show the state of every dataset, late ones first.
///
/// Records nothing, so it may look back with --now and works on a store that
/// is read-only. The exit code says only whether it could tell: use `check`
/// to fail a job.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness status
  freshness status 'raw_*' --state late,missed
  freshness status --team finance --tag tier-1
  freshness status --now 2026-03-01T07:00:00Z       as it was then
  freshness status --format ndjson | jq 'select(.late_seconds > 3600).dataset_id'

A deadline is `early` while something that the dataset waits for is overdue.

Exit codes: 0 shown, 2 could not tell, or a name, pattern, team or tag that no dataset has.")]
pub(super) struct StatusArgs {
    /// Show only datasets whose name matches one of these (`*`, `?`, `[a-z]`, `{a,b}`)
    #[arg(value_name = "DATASET")]
    globs: Vec<String>,

    /// Show only these states
    #[arg(long, value_name = "STATE", value_delimiter = ',', value_parser = state_named)]
    state: Vec<State>,

    /// Show only datasets of these teams
    #[arg(long, value_name = "TEAM", value_delimiter = ',')]
    team: Vec<String>,

    /// Show only datasets with all of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    fitted_at: Option<Timestamp>,
    summary: Summary,
    datasets: Vec<DatasetLine<'a>>,
}

pub(super) fn run(args: &StatusArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let globs = globs(&args.globs)?;
    let store = context.open(Access::ReadOnly)?;
    let now = context.clock.now();
    let max_model_age = context.settings.check.max_model_age;
    let seen = rounds::look(&store, now, max_model_age, context.settings.threads)?;
    say_doubts(&seen.doubts, context);
    say_if_old(&seen, context);

    args.refuse_unknown(&seen.datasets)?;
    let (mut shown, others): (Vec<Judged>, Vec<Judged>) = seen
        .datasets
        .into_iter()
        .partition(|judged| args.selects(judged, globs.as_ref()));
    sort_late_first(&mut shown);
    let summary = Summary::of(&shown);
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            if !shown.is_empty() {
                out.table(table(&shown))?;
                out.line("")?;
            }
            let scope = match args.is_filter() {
                true => Scope::Filtered {
                    n_critical_late_outside: Summary::of(&others).n_critical_late,
                },
                false => Scope::All,
            };
            for line in summary::lines(&shown, now, scope) {
                out.line(line)?;
            }
        }
        Format::Json => {
            let document = Document {
                command: "status",
                now,
                fitted_at: seen.fitted_at,
                summary,
                datasets: shown.iter().map(DatasetLine::new).collect(),
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => write_lines(&shown, out.data())?,
    }
    Ok(Answer::Healthy)
}

/// One line of NDJSON for each dataset.
pub(super) fn write_lines<'a>(
    datasets: impl IntoIterator<Item = &'a Judged>,
    out: &mut impl io::Write,
) -> io::Result<()> {
    for judged in datasets {
        write_line(out, &DatasetLine::new(judged))?;
    }
    Ok(())
}

/// Says since when nothing arrived of anything, if that is long ago: whoever looks at an
/// old store may mean to look back.
pub(super) fn say_if_old(checked: &Checked, context: &Context) {
    let arrived = checked.datasets.iter();
    let newest = arrived.filter_map(|judged| judged.state.last_arrival).max();
    let old = newest.map(|newest| (newest, checked.now.duration_since(newest).as_secs()));
    if let Some((newest, seconds)) = old.filter(|(_, seconds)| *seconds > words::STOPPED_SECONDS) {
        context.out.talk(format_args!(
            "note: nothing has arrived of anything since {} ({}); --now looks back, such as --now {newest:.0}",
            words::utc(newest),
            words::duration(seconds)
        ));
    }
}

/// Says what may not be believed.
pub(super) fn say_doubts(doubts: &[Doubt], context: &Context) {
    for doubt in doubts {
        match doubt {
            Doubt::OldModels { age } => context.out.warn(format_args!(
                "the models are {} old: run `freshness fit`",
                words::duration(age.as_secs())
            )),
            Doubt::NoModels { n_datasets } => context.out.warn(format_args!(
                "no models: {} with arrivals not judged by them: run `freshness fit`",
                words::count(*n_datasets, "dataset")
            )),
            Doubt::Unreadable { failure, .. } => {
                context
                    .out
                    .warn(format_args!("not evaluated: {}", failure.error));
            }
        }
    }
}

/// The dataset of this name, or what its user may have meant.
pub(super) fn dataset_named(store: &Store, asked: &str) -> anyhow::Result<DatasetEntry> {
    let mut entries = store.datasets()?;
    match entries.iter().position(|entry| entry.id.as_str() == asked) {
        Some(at) => Ok(entries.swap_remove(at)),
        None => Err(unknown_dataset(
            asked,
            entries.iter().map(|entry| &entry.id),
        )),
    }
}

/// What a user who asks for a dataset that is not there may have meant.
fn unknown_dataset<'a>(
    asked: &str,
    known: impl IntoIterator<Item = &'a DatasetId>,
) -> anyhow::Error {
    let known = known.into_iter().map(DatasetId::as_str);
    let hint = match hint::did_you_mean(asked, known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`freshness status` lists all datasets".to_owned(),
    };
    hint::failure(format_args!("unknown dataset: {asked}"), hint)
}

impl StatusArgs {
    fn is_filter(&self) -> bool {
        let StatusArgs {
            globs,
            state,
            team,
            tag,
        } = self;
        !(globs.is_empty() && state.is_empty() && team.is_empty() && tag.is_empty())
    }

    /// A name that matches nothing known is a slip of the pen; that no dataset
    /// is in a state, or none has a team and a tag, is an answer.
    fn refuse_unknown(&self, datasets: &[Judged]) -> anyhow::Result<()> {
        let StatusArgs {
            globs,
            state: _,
            team,
            tag,
        } = self;
        for pattern in globs {
            let glob = glob(pattern)?.compile_matcher();
            let mut ids = datasets.iter().map(|judged| &judged.dataset.id);
            if ids.clone().any(|id| glob.is_match(id.as_str())) {
                continue;
            }
            let is_name = !pattern.contains(['*', '?', '[', '{']);
            if is_name {
                return Err(unknown_dataset(pattern, ids));
            }
            let example = ids.next().map_or("", DatasetId::as_str);
            return Err(hint::failure(
                format_args!("no dataset matches the pattern: {pattern}"),
                format_args!("a pattern is held against the whole name, such as {example}"),
            ));
        }
        let teams = || {
            datasets
                .iter()
                .filter_map(|judged| judged.dataset.team.as_deref())
        };
        for asked in team {
            refuse_unknown_label("team", asked, teams())?;
        }
        let tags = || datasets.iter().flat_map(|judged| &judged.dataset.tags);
        for asked in tag {
            refuse_unknown_label("tag", asked, tags().map(String::as_str))?;
        }
        Ok(())
    }

    fn selects(&self, judged: &Judged, globs: Option<&GlobSet>) -> bool {
        let StatusArgs {
            globs: _,
            state,
            team,
            tag,
        } = self;
        let dataset = &judged.dataset;
        globs.is_none_or(|globs| globs.is_match(judged.state.dataset_id.as_str()))
            && (state.is_empty() || state.contains(&judged.state.state))
            && (team.is_empty() || dataset.team.as_ref().is_some_and(|of| team.contains(of)))
            && tag.iter().all(|tag| dataset.tags.contains(tag))
    }
}

fn refuse_unknown_label<'a>(
    what: &str,
    asked: &str,
    known: impl Iterator<Item = &'a str>,
) -> anyhow::Result<()> {
    const LISTED: usize = 8;
    let known: BTreeSet<&str> = known.collect();
    if known.contains(asked) {
        return Ok(());
    }
    let hint = match hint::did_you_mean(asked, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => {
            format!("no dataset has a {what}; declare it with `freshness import datasets`")
        }
        None => {
            let more = if known.len() > LISTED { ", …" } else { "" };
            let listed: Vec<&str> = known.into_iter().take(LISTED).collect();
            format!("{what}s that are declared: {}{more}", listed.join(", "))
        }
    };
    Err(hint::failure(
        format_args!("no dataset has the {what}: {asked}"),
        hint,
    ))
}

/// The patterns for names; `None` if there are none.
pub(super) fn globs(patterns: &[String]) -> anyhow::Result<Option<GlobSet>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(glob(pattern)?);
    }
    Ok(Some(set.build()?))
}

fn glob(pattern: &str) -> anyhow::Result<Glob> {
    Glob::new(pattern)
        .map_err(|error| anyhow::anyhow!("unreadable pattern: {pattern}: {}", error.kind()))
        .hint("quote the pattern; `*` stands for any text, `?` for one character")
}

fn state_named(text: &str) -> Result<State, String> {
    const STATES: [State; 8] = [
        State::Ok,
        State::Pending,
        State::Late,
        State::LateArrival,
        State::Missed,
        State::Unknown,
        State::InsufficientHistory,
        State::NotEvaluated,
    ];
    STATES
        .into_iter()
        .find(|&state| words::state(state) == text)
        .ok_or_else(|| {
            let known: Vec<&str> = STATES.into_iter().map(words::state).collect();
            format!("expected one of {}", known.join(", "))
        })
}
