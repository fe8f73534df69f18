//! Is the monitor itself healthy?

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::collect::kinds;
use super::{Answer, Context};
use crate::config::{Format, SourceSection};
use crate::outputs::{Paint, Table, words, write_document, write_line};
use crate::rounds::{self, Finding, Health, MaxAges, Said, SourceHealth};
use crate::sources::without_match;

/// Say whether the monitor itself is healthy.
///
/// Looks at the store's integrity, at the age of arrivals, models and checks, also
/// those of promises and of coverage, at how each configured source was collected, at the clock and at the configuration: patterns that match no dataset, teams that there are not. Changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  freshness doctor
  freshness doctor --format json | jq '.findings[] | select(.health != \"ok\")'

Exit codes: 0 healthy (perhaps with warnings), 1 a problem, 2 could not tell.")]
pub(super) struct DoctorArgs {}

/// What the JSON says.
#[derive(Serialize)]
struct Document<'a> {
    command: &'static str,
    now: Timestamp,
    answer: &'static str,
    findings: &'a [Finding],
    sources: &'a [SourceHealth],
}

pub(super) fn run(_: &DoctorArgs, context: &mut Context) -> anyhow::Result<Answer> {
    let now = context.clock.now();
    let settings = &context.settings;
    let ages = MaxAges {
        models: settings.check.max_model_age,
        coverage: settings.coverage,
        slo: settings.slo.max_check_age,
        collected: settings.collect.max_age,
    };
    let said = Said {
        rules: &settings.rules,
        maintenance: &settings.maintenance,
        schedule: &settings.schedule,
    };
    let names: Vec<String> = settings.sources.keys().cloned().collect();
    let (mut findings, sources) = rounds::doctor(&settings.store, &names, said, now, ages);
    findings.extend(unmatched(context));
    findings.push(clock(context, now));
    findings.push(configuration(context));

    let answer = match findings.iter().map(|finding| finding.health).max() {
        Some(Health::Unknown) => Answer::CouldNotTell,
        Some(Health::Problem) => Answer::Late,
        Some(Health::Ok | Health::Warning) | None => Answer::Healthy,
    };
    let out = &mut context.out;
    match out.format {
        Format::Table => out.table(table(&findings))?,
        Format::Json => {
            let answer = match answer {
                Answer::Late => "problem",
                other => other.word(),
            };
            let document = Document {
                command: "doctor",
                now,
                answer,
                findings: &findings,
                sources: &sources,
            };
            write_document(out.data(), &document)?;
        }
        Format::Ndjson => {
            for finding in &findings {
                write_line(out.data(), finding)?;
            }
        }
    }
    Ok(answer)
}

fn clock(context: &Context, now: Timestamp) -> Finding {
    let now = words::utc(now);
    match context.settings.now {
        Some(_) => Finding::new("clock", Health::Ok, format!("pinned to {now}")),
        None => Finding::new("clock", Health::Ok, now),
    }
}

/// Patterns of sources that no file matches: nothing new can come by them.
fn unmatched(context: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, source) in &context.settings.sources {
        let unmatched = match &source.typed {
            SourceSection::Arrivals(section) => without_match(&section.files),
            SourceSection::Openlineage(section) => without_match(&section.files),
            SourceSection::Files(section) => kinds::unmatched(section).into_iter().collect(),
            SourceSection::Query(_)
            | SourceSection::Delta(_)
            | SourceSection::Iceberg(_)
            | SourceSection::Dbt(_)
            | SourceSection::Airflow(_)
            | SourceSection::Dagster(_) => continue,
        };
        for pattern in unmatched {
            let (name, pattern) = (words::printable(name), words::printable(&pattern));
            let finding = format!("{name}: no file matches: {pattern}");
            findings.push(Finding::new("source", Health::Warning, finding));
        }
    }
    findings
}

fn configuration(context: &Context) -> Finding {
    if !context.unknown_variables.is_empty() {
        let names = context.unknown_variables.join(", ");
        let finding = format!("these variables set nothing: {names}");
        return Finding::new("config", Health::Warning, finding);
    }
    let finding = match &context.settings.config_file {
        Some(file) => file.display().to_string(),
        None => "no freshness.yaml: all settings have their defaults".to_owned(),
    };
    Finding::new("config", Health::Ok, finding)
}

fn table(findings: &[Finding]) -> Table {
    let mut table = Table::new(&["HEALTH", "PART", "FINDING"]);
    for Finding {
        part,
        health,
        finding,
    } in findings
    {
        let (word, paint) = match health {
            Health::Ok => ("ok", Paint::Good),
            Health::Warning => ("warning", Paint::Doubtful),
            Health::Problem => ("problem", Paint::Bad),
            Health::Unknown => ("unknown", Paint::Bad),
        };
        table.row([
            (word.to_owned(), paint),
            ((*part).to_owned(), Paint::Plain),
            (finding.clone(), Paint::Plain),
        ]);
    }
    table
}
