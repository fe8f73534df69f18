//! What do the databases say of the datasets that are declared?

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use freshness_core::dataset::DatasetId;
use freshness_core::slo::{Declaration, Run};
use freshness_store::{Access, Store};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{Answer, Context};
use crate::config::{Connection, Format, values};
use crate::hint::{did_you_mean, failure};
use crate::outputs::measured::{MeasuredLine, MeasuredRow, table};
use crate::outputs::{words, write_document, write_line};
use crate::rounds::{Asking, measure, measuring_sql, run_of};
use crate::sources::database::{Address, Limits, Look, Refusal, TableName, Target};

/// Look at the tables that are declared, and remember what was seen as runs.
///
/// One query for each table, so one scan: how many rows there are, the greatest
/// time of the freshness field and of the source field, and how much of the
/// availability field is filled. `slo check` judges by it. The tables of
/// freshness.yaml's connections are only read; one that cannot be is said so
/// and stops no other. docs/measure.md tells more.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness slo measure
  freshness slo measure fct_orders --timeout 5m
  freshness slo measure --connection warehouse --threads 8
  freshness slo measure fct_orders --dry-run

Exit codes: 0 all that is asked was measured, 2 something was not: no such table or column, no
rows, only nulls, an unreadable time, a time without a zone where none is declared, no answer.")]
pub(in crate::cli) struct MeasureArgs {
    /// Only these datasets [default: all that are declared with a connection]
    datasets: Vec<String>,

    /// Only tables of this connection
    #[arg(long, value_name = "NAME")]
    connection: Option<String>,

    /// Only what is declared in this environment
    #[arg(long, value_name = "NAME")]
    environment: Option<String>,

    /// How long a query may take
    #[arg(long, value_name = "DURATION", default_value = "30s", allow_hyphen_values = true, value_parser = values::wait)]
    timeout: SignedDuration,

    /// Print the queries, and neither run nor remember anything
    #[arg(long)]
    dry_run: bool,
}

/// A server that takes longer to let us in will not answer either.
const CONNECT_MOST: SignedDuration = SignedDuration::from_secs(10);

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    answer: &'static str,
    measured: Vec<MeasuredLine<'a>>,
}

#[derive(Serialize)]
struct Queries<'a> {
    command: &'static str,
    queries: Vec<Query<'a>>,
}

#[derive(Serialize)]
struct Query<'a> {
    dataset_id: &'a DatasetId,
    environment: &'a str,
    connection: &'a str,
    sql: Option<&'a str>,
    reason: Option<String>,
}

/// What is to be measured: the targets, and where each runs.
#[derive(Default)]
struct Plan {
    targets: Vec<Target>,
    environments: Vec<String>,
    /// Targets that no database need be asked about, by their place.
    refused: BTreeMap<usize, Refusal>,
    /// Declarations that cannot be read.
    unreadable: bool,
}

pub(super) fn run(args: &MeasureArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let limit = |of: SignedDuration| {
        of.try_into()
            .map_err(|_| failure("the timeout is negative", "such as 30s"))
    };
    if args.timeout.is_zero() {
        return Err(failure(
            "no time to answer: --timeout 0s",
            "such as --timeout 30s",
        ));
    }
    let limits = Limits {
        connect: limit(args.timeout.min(CONNECT_MOST))?,
        query: limit(args.timeout)?,
    };
    let plan = plan(args, &context.open(Access::ReadOnly)?, context)?;
    let addresses = addresses(&plan.targets, context);
    let asking = Asking {
        addresses: &addresses,
        limits,
        threads: context.settings.threads,
    };
    if args.dry_run {
        let sql = plan.ask(|targets| measuring_sql(targets, &asking));
        return show_queries(&plan, &sql, context);
    }
    let bar = context.out.progress(plan.targets.len() as u64, "measuring");
    let looks = plan.ask(|targets| measure(targets, &asking, |n| bar.inc(n)));
    bar.finish_and_clear();
    let runs: Vec<(DatasetId, Run)> = plan
        .rows(&looks)
        .filter_map(|row| {
            let look = row.look.as_ref().ok()?;
            let run = run_of(look, row.environment, now);
            Some((row.target.dataset.clone(), run))
        })
        .collect();
    if !runs.is_empty() {
        context.open(Access::ReadWrite)?.import_runs(&runs)?;
    }
    show(&plan, &looks, now, context)
}

impl Plan {
    fn rows<'a>(
        &'a self,
        looks: &'a [Result<Look, Refusal>],
    ) -> impl Iterator<Item = MeasuredRow<'a>> {
        let of = self.environments.iter().zip(&self.targets).zip(looks);
        of.map(|((environment, target), look)| MeasuredRow {
            environment,
            target,
            look,
        })
    }

    /// The answers to all targets, in their order; `ask` is given those that can
    /// be asked about.
    fn ask<R>(
        &self,
        ask: impl FnOnce(&[Target]) -> Vec<Result<R, Refusal>>,
    ) -> Vec<Result<R, Refusal>> {
        let all = self.targets.iter().enumerate();
        let readable: Vec<Target> = all
            .filter(|(place, _)| !self.refused.contains_key(place))
            .map(|(_, target)| target.clone())
            .collect();
        let mut answers = ask(&readable).into_iter();
        (0..self.targets.len())
            .filter_map(|place| match self.refused.get(&place) {
                Some(refusal) => Some(Err(refusal.clone())),
                None => answers.next(),
            })
            .collect()
    }

    fn answer(&self, is_whole: bool) -> Answer {
        match is_whole && !self.unreadable {
            true => Answer::Healthy,
            false => Answer::CouldNotTell,
        }
    }
}

/// What is declared, asked for, and has a connection.
fn plan(args: &MeasureArgs, store: &Store, context: &Context) -> anyhow::Result<Plan> {
    let entries = store.declarations()?;
    let mut plan = Plan::default();
    let mut known = BTreeSet::new();
    let mut unconnected = Vec::new();
    for entry in &entries {
        known.insert(entry.dataset.as_str());
        let named = args
            .datasets
            .iter()
            .any(|asked| asked == entry.dataset.as_str());
        let here = (args.environment.as_ref()).is_none_or(|asked| *asked == entry.environment);
        if !here || !(named || args.datasets.is_empty()) {
            continue;
        }
        let declaration = match &entry.declaration {
            Ok(declaration) => declaration,
            Err(error) => {
                context.out.warn(error);
                plan.unreadable = true;
                continue;
            }
        };
        match target(declaration, context) {
            None => unconnected.push((entry.dataset.as_str(), named)),
            Some((target, refusal))
                if (args.connection.as_ref()).is_none_or(|asked| *asked == target.connection) =>
            {
                let refusal = refusal.map(|refusal| (plan.targets.len(), refusal));
                plan.refused.extend(refusal);
                plan.targets.push(target);
                plan.environments.push(entry.environment.clone());
            }
            Some(_) => {}
        }
    }
    if let Some(asked) = args
        .datasets
        .iter()
        .find(|asked| !known.contains(asked.as_str()))
    {
        let hint = match did_you_mean(asked, known.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`freshness slo show` lists what is declared".to_owned(),
        };
        let message = format_args!("no service levels are declared of the dataset: {asked}");
        return Err(failure(message, hint));
    }
    if let Some((dataset, _)) = unconnected.iter().find(|(_, named)| *named) {
        return Err(failure(
            format_args!("no connection is declared of the dataset: {dataset}"),
            "say `connection: NAME` in its contract, or in the _system.yaml above it",
        ));
    }
    if plan.targets.is_empty() && !plan.unreadable {
        return Err(failure(
            format_args!(
                "nothing to measure in the store: {}",
                store.path().display()
            ),
            "declare service levels with `connection: NAME`, and import them: `freshness import slo DIR`",
        ));
    }
    if !unconnected.is_empty() && args.connection.is_none() {
        context.out.talk(format_args!(
            "note: {} declared without a connection, not measured",
            words::count(unconnected.len() as u64, "dataset")
        ));
    }
    Ok(plan)
}

/// What to ask of the table of a declaration, and why it cannot be asked, if it
/// cannot; `None` if it has no connection.
fn target(of: &Declaration, context: &Context) -> Option<(Target, Option<Refusal>)> {
    let connection = of.measured.connection.as_ref()?;
    let configured = context.settings.connections.get(connection);
    let named = of.measured.table.as_ref().map(|table| table.parse());
    let (table, refusal) = match named {
        Some(Ok(table)) => (Some(table), None),
        Some(Err(error)) => (None, Some(Refusal::BadName(error))),
        None if configured.is_some_and(Connection::is_one_table) => (None, None),
        None => (Some(TableName::of_dataset(&of.dataset)), None),
    };
    let freshness = of.levels.freshness.as_ref();
    let availability = of.levels.availability.as_ref();
    let target = Target {
        dataset: of.dataset.clone(),
        connection: connection.clone(),
        table,
        filter: of.measured.partition_filter.clone(),
        zone: of.measured.timezone,
        field: freshness.and_then(|freshness| freshness.field.clone()),
        source_field: freshness.and_then(|freshness| freshness.source_field.clone()),
        availability_field: availability.map(|availability| availability.field.clone()),
    };
    Some((target, refusal))
}

/// Where the connections of the targets lead, or why that is unknown.
fn addresses(targets: &[Target], context: &Context) -> BTreeMap<String, Result<Address, Refusal>> {
    let configured = &context.settings.connections;
    let names: BTreeSet<&String> = targets.iter().map(|target| &target.connection).collect();
    let address = |name: &String| {
        let refused = |why| Refusal::NoConnection {
            server: name.clone(),
            why,
        };
        match configured.get(name) {
            Some(connection) => connection.address().map_err(refused),
            None => Err(refused(
                match did_you_mean(name, configured.keys().map(String::as_str)) {
                    Some(meant) => format!(
                        "not among the connections of freshness.yaml (did you mean `{meant}`?)"
                    ),
                    None => "not among the connections of freshness.yaml".to_owned(),
                },
            )),
        }
    };
    names
        .into_iter()
        .map(|name| (name.clone(), address(name)))
        .collect()
}

fn show(
    plan: &Plan,
    looks: &[Result<Look, Refusal>],
    now: Timestamp,
    context: &mut Context,
) -> anyhow::Result<Answer> {
    let rows: Vec<MeasuredRow<'_>> = plan.rows(looks).collect();
    let n_whole = rows.iter().filter(|row| row.is_whole()).count();
    let answer = plan.answer(n_whole == rows.len());
    let hints: BTreeSet<&str> = looks
        .iter()
        .filter_map(|look| look.as_ref().err()?.hint())
        .collect();
    let out = &mut context.out;
    match out.format {
        Format::Table => {
            out.table(table(&rows))?;
            out.line("")?;
            out.line(format_args!(
                "{} of {} measured as of {}",
                words::thousands(n_whole as u64),
                words::count(rows.len() as u64, "dataset"),
                words::utc(now)
            ))?;
        }
        Format::Json => {
            let document = Document {
                command: "slo measure",
                now,
                answer: answer.word(),
                measured: rows.iter().map(MeasuredLine::new).collect(),
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for row in &rows {
                write_line(out.data(), &MeasuredLine::new(row))?;
            }
        }
    }
    for hint in hints {
        out.talk(format_args!("hint: {hint}"));
    }
    Ok(answer)
}

/// Every query, ready to be pasted.
fn show_queries(
    plan: &Plan,
    sql: &[Result<String, Refusal>],
    context: &mut Context,
) -> anyhow::Result<Answer> {
    let out = &mut context.out;
    let asked = plan.targets.iter().zip(&plan.environments);
    let queries: Vec<Query<'_>> = asked
        .zip(sql)
        .map(|((target, environment), sql)| Query {
            dataset_id: &target.dataset,
            environment,
            connection: &target.connection,
            sql: sql.as_deref().ok(),
            reason: sql.as_ref().err().map(ToString::to_string),
        })
        .collect();
    match out.format {
        Format::Table => {
            for query in &queries {
                out.line(format_args!(
                    "-- {} ({}) by {}",
                    query.dataset_id, query.environment, query.connection
                ))?;
                match (query.sql, &query.reason) {
                    (Some(sql), _) => out.line(format_args!("{sql};\n"))?,
                    (None, reason) => {
                        let reason = reason.as_deref().unwrap_or_default();
                        out.line(format_args!("-- {reason}\n"))?;
                    }
                }
            }
        }
        Format::Json => {
            let command = "slo measure";
            write_document(out.data(), &Queries { command, queries })?;
        }
        Format::Ndjson => {
            for query in &queries {
                write_line(out.data(), query)?;
            }
        }
    }
    Ok(plan.answer(sql.iter().all(Result::is_ok)))
}
