//! What must a person look at, of all that is late?

use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_core::incidents::{Event, Followed, IncidentKind, Status};
use freshness_store::{Access, Store};
use jiff::Timestamp;
use serde::Serialize;

use super::status::say_doubts;
use super::{Answer, Context};
use crate::config::Format;
use crate::hint;
use crate::outputs::incidents::{self, Addressed, Recipients};
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds::{self, Causes};

/// Show what is behind all that is late: one line for each root cause.
///
/// Each late dataset is put under the topmost late datasets that it is made
/// from. What the lineage usually takes says when it should recover after its
/// root does. Records nothing: `check` does.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness incidents
  freshness incidents raw_orders              what it explains, and when that should recover
  freshness incidents --history               what happened to incidents, also to those that are over
  freshness incidents --format json | jq '.incidents[] | {root, n_late}'

Late ancestors behind a dataset that is on time explain nothing, nor does one
that was due later. A dataset that has waited longer since its parent came than it
ever does is late on its own: an incident of its own below that parent. If so many
datasets turn late at once that chance cannot explain it, the feed of arrivals
itself is suspect, and that is one incident.

Exit codes: 0 shown, 2 could not tell, or no such incident.")]
pub(super) struct IncidentsArgs {
    /// Show one: its id, the start of it, or the name of a dataset in it
    #[arg(value_name = "INCIDENT")]
    incident: Option<String>,

    /// Show what happened to incidents, also to those that are over
    #[arg(long)]
    history: bool,
}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    fitted_at: Option<Timestamp>,
    #[serde(flatten)]
    counts: Counts,
    incidents: Vec<Addressed<'a>>,
}

/// How much of what is late must be looked at.
#[derive(Debug, Clone, Copy, Serialize)]
#[allow(missing_docs, reason = "docs/json.md says it")]
pub(super) struct Counts {
    pub(super) n_late: u64,
    pub(super) n_incidents: u64,
    pub(super) n_suppressed: u64,
    pub(super) suppressed_share: Option<f64>,
}

/// What the JSON says of the past.
#[derive(Serialize)]
struct History<'a> {
    command: &'static str,
    now: Timestamp,
    incidents: Vec<Addressed<'a>>,
    events: &'a [Event],
}

pub(super) fn run(args: &IncidentsArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let store = context.open(Access::ReadOnly)?;
    let now = context.clock.now();
    if args.history {
        return history(&store, args.incident.as_deref(), now, context);
    }
    let max_model_age = context.settings.check.max_model_age;
    let seen = rounds::look(&store, now, max_model_age, context.settings.threads)?;
    say_doubts(&seen.doubts, context);
    let causes = &seen.causes;
    let shown: Vec<&Followed> = match &args.incident {
        Some(asked) => named(&causes.standing, asked, ARE_LISTED)?,
        None => causes.standing.iter().collect(),
    };
    let dashboards = store.dashboards()?;
    let datasets = seen.datasets.iter().map(|judged| &judged.dataset);
    let recipients = Recipients::new(datasets, &dashboards, &context.settings.rules);
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            if !shown.is_empty() {
                out.table(incidents::table(shown.iter().copied(), now))?;
                out.line("")?;
            }
            match &args.incident {
                None => out.line(
                    incidents::summary(causes, now)
                        .unwrap_or_else(|| format!("nothing is late as of {}", words::utc(now))),
                )?,
                Some(_) => {
                    for followed in shown {
                        tell(followed, now, context)?;
                    }
                }
            }
        }
        Format::Json => {
            let document = Document {
                command: "incidents",
                now,
                fitted_at: seen.fitted_at,
                counts: Counts::of(causes),
                incidents: shown
                    .iter()
                    .map(|one| recipients.address(one, now))
                    .collect(),
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for followed in shown {
                write_line(out.data(), &recipients.address(followed, now))?;
            }
        }
    }
    Ok(Answer::Healthy)
}

impl Counts {
    pub(super) fn of(causes: &Causes) -> Counts {
        Counts {
            n_late: causes.n_late,
            n_incidents: causes.standing.len() as u64,
            n_suppressed: causes.n_suppressed(),
            suppressed_share: causes.suppressed_share(),
        }
    }
}

/// Fewer characters name an incident by accident.
const ID_START: usize = 4;

/// Where incidents are looked up.
const ARE_LISTED: &str = "`freshness incidents` lists those that stand, --history also the others";

/// The incidents of an id, of the start of one, or of a dataset. The hint is for
/// whoever asked for none of these, nor nearly.
pub(super) fn named<'a>(
    incidents: &'a [Followed],
    asked: &str,
    else_hint: &str,
) -> anyhow::Result<Vec<&'a Followed>> {
    let is_dataset = |followed: &&Followed| {
        let id = DatasetId::try_from(asked);
        id.is_ok_and(|id| followed.incident.counts(&id).is_some())
    };
    let mut found: Vec<&Followed> = incidents.iter().filter(is_dataset).collect();
    if found.is_empty() && asked.len() >= ID_START {
        let begins = |followed: &&Followed| followed.id.starts_with(asked);
        found = incidents.iter().filter(begins).collect();
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let known = incidents.iter().flat_map(|followed| {
        let root = followed.incident.root.as_ref().map(DatasetId::as_str);
        std::iter::once(followed.id.as_str()).chain(root)
    });
    let hint = match hint::did_you_mean(asked, known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => else_hint.to_owned(),
    };
    Err(hint::failure(
        format_args!("no such incident: {asked}"),
        hint,
    ))
}

/// What there is to say of one, and what it explains.
fn tell(followed: &Followed, now: Timestamp, context: &mut Context) -> anyhow::Result<()> {
    let Followed {
        incident,
        ack,
        silence,
        ..
    } = followed;
    let out = &mut context.out;
    if let IncidentKind::Feed { mass } = &incident.kind {
        out.line(format_args!(
            "Of {} that had to show from {} on whether they come, {} did not, and nothing they are\n\
             made from explains it; {:.1} were to be expected. Is the feed of arrivals itself broken?\n",
            words::count(mass.n_due, "dataset"),
            words::utc(Timestamp::from_second(mass.from)?),
            words::thousands(mass.n_late),
            mass.expected,
        ))?;
    }
    if let (Some(ack), Status::Acknowledged) = (ack, followed.status(now)) {
        let until = ack
            .until
            .map(|until| format!(" until {}", words::utc(until)));
        out.line(format_args!(
            "{} looks after it{}: {}\n",
            ack.by,
            until.unwrap_or_default(),
            ack.why
        ))?;
    }
    if let Some(silence) = silence {
        out.line(format_args!("silenced by silence {silence}\n"))?;
    }
    if !incident.members.is_empty() {
        out.table(incidents::members(incident))?;
        out.line("")?;
    }
    Ok(())
}

fn history(
    store: &Store,
    asked: Option<&str>,
    now: Timestamp,
    context: &mut Context,
) -> anyhow::Result<Answer> {
    let all = store.incidents()?;
    let shown = match asked {
        Some(asked) => named(&all, asked, ARE_LISTED)?,
        None => all.iter().collect(),
    };
    let mut events = store.incident_events(None)?;
    events.retain(|event| shown.iter().any(|followed| followed.id == event.incident));
    let (entries, dashboards) = (store.datasets()?, store.dashboards()?);
    let datasets = entries
        .iter()
        .filter_map(|entry| entry.declared.as_ref().ok());
    let recipients = Recipients::new(datasets, &dashboards, &context.settings.rules);
    let out = &mut context.out;
    match out.format {
        Format::Table if events.is_empty() => {
            out.line("no check has found an incident yet")?;
        }
        Format::Table => out.table(events_table(&events, &shown))?,
        Format::Json => {
            let document = History {
                command: "incidents",
                now,
                incidents: shown
                    .iter()
                    .map(|one| recipients.address(one, now))
                    .collect(),
                events: &events,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for event in &events {
                write_line(out.data(), event)?;
            }
        }
    }
    Ok(Answer::Healthy)
}

fn events_table(events: &[Event], incidents: &[&Followed]) -> Table {
    let mut table = Table::new(&["WHEN (UTC)", "INCIDENT", "ROOT", "WHAT HAPPENED"]);
    const ROOT: usize = 2;
    table.names(ROOT);
    for event in events {
        let of = incidents
            .iter()
            .find(|followed| followed.id == event.incident);
        let cells = [
            words::utc_minute(event.at),
            event.incident.clone(),
            of.map_or_else(String::new, |of| incidents::title(&of.incident)),
            incidents::what(event),
        ];
        table.row(cells.map(|cell| (cell, Paint::Plain)));
    }
    table
}
