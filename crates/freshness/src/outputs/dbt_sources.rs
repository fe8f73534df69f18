//! How are verdicts on sources said to dbt?
//!
//! As a `sources.json` (v3) such as `dbt source freshness` writes, which is what
//! `source_status:` selects by: the newest arrival is `max_loaded_at`. Where
//! nobody could tell the result is a runtime error, which dbt builds nothing for.

use std::collections::BTreeMap;
use std::io::Write;

use freshness_core::state::{Severity, State};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::rounds::Judged;
use crate::sources::{DbtSource, WRITTEN_BY};

/// The file.
#[derive(Debug, Serialize)]
pub struct SourcesJson<'a> {
    metadata: Metadata,
    results: Vec<Outcome<'a>>,
    elapsed_time: f64,
}

#[derive(Debug, Serialize)]
struct Metadata {
    dbt_schema_version: &'static str,
    dbt_version: String,
    generated_at: Timestamp,
    invocation_id: Option<String>,
    env: BTreeMap<&'static str, &'static str>,
}

/// What is said of a source.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Outcome<'a> {
    Told {
        unique_id: &'a str,
        max_loaded_at: Timestamp,
        snapshotted_at: Timestamp,
        max_loaded_at_time_ago_in_s: f64,
        status: Status,
        criteria: Value,
        adapter_response: BTreeMap<(), ()>,
        timing: [(); 0],
        thread_id: &'static str,
        execution_time: f64,
    },
    NotTold {
        unique_id: &'a str,
        error: String,
        status: &'static str,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Pass,
    Warn,
    Error,
}

/// How many sources were told to be what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the words of dbt")]
pub struct StatusCounts {
    pub pass: u64,
    pub warn: u64,
    pub error: u64,
    pub runtime_error: u64,
}

impl<'a> SourcesJson<'a> {
    /// What is to be said of `sources` as of `now`, and how often what. `judged` are
    /// all datasets, by name; `not_judged` says why one is not among them.
    pub fn new(
        sources: &'a [DbtSource],
        judged: &[Judged],
        not_judged: &dyn Fn(&str) -> Option<String>,
        now: Timestamp,
    ) -> (SourcesJson<'a>, StatusCounts) {
        let by_name: BTreeMap<&str, &Judged> = (judged.iter())
            .map(|judged| (judged.dataset.id.as_str(), judged))
            .collect();
        let mut counts = StatusCounts::default();
        let outcome = |source: &'a DbtSource| {
            let name = source.dataset.as_str();
            let verdict = match by_name.get(name) {
                Some(judged) => verdict(judged),
                None => Err(not_judged(name)
                    .unwrap_or_else(|| format!("nothing is known of a dataset {name}"))),
            };
            let unique_id = source.unique_id.as_str();
            match verdict {
                Ok((status, at)) => {
                    *match status {
                        Status::Pass => &mut counts.pass,
                        Status::Warn => &mut counts.warn,
                        Status::Error => &mut counts.error,
                    } += 1;
                    Outcome::Told {
                        unique_id,
                        max_loaded_at: at,
                        snapshotted_at: now,
                        max_loaded_at_time_ago_in_s: now.duration_since(at).as_secs_f64(),
                        status,
                        criteria: source.criteria.clone().unwrap_or_else(no_criteria),
                        adapter_response: BTreeMap::new(),
                        timing: [],
                        thread_id: WRITTEN_BY,
                        execution_time: 0.0,
                    }
                }
                Err(error) => {
                    counts.runtime_error += 1;
                    Outcome::NotTold {
                        unique_id,
                        error,
                        status: "runtime error",
                    }
                }
            }
        };
        let file = SourcesJson {
            metadata: Metadata {
                dbt_schema_version: "https://schemas.getdbt.com/dbt/sources/v3.json",
                dbt_version: format!("{WRITTEN_BY} {}", env!("CARGO_PKG_VERSION")),
                generated_at: now,
                invocation_id: None,
                env: BTreeMap::from([("WRITTEN_BY", WRITTEN_BY)]),
            },
            results: sources.iter().map(outcome).collect(),
            elapsed_time: 0.0,
        };
        (file, counts)
    }

    /// Writes it.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

/// What is said of a dataset, and its newest arrival; or why nobody can tell.
fn verdict(judged: &Judged) -> Result<(Status, Timestamp), String> {
    let state = &judged.state;
    // What maintenance excuses is no fresher for it.
    let severity = state
        .severity
        .or(state.excused.map(|excused| excused.severity));
    let of_state = match (state.state, severity) {
        (State::Pending, Some(Severity::Critical)) => Status::Error,
        (State::Pending, Some(_)) => Status::Warn,
        (State::Ok | State::Pending | State::LateArrival, _) => Status::Pass,
        (State::Late | State::Missed, Some(Severity::Critical)) => Status::Error,
        (State::Late | State::Missed, _) => Status::Warn,
        (State::Unknown | State::InsufficientHistory | State::NotEvaluated, _) => {
            return Err(state.reason.clone());
        }
    };
    let of_promises = judged.breach.as_ref().map(|breach| match breach.severity {
        Severity::Critical => Status::Error,
        Severity::Warning | Severity::Advisory => Status::Warn,
    });
    let status = match (of_state, of_promises) {
        (Status::Error, _) | (_, Some(Status::Error)) => Status::Error,
        (Status::Warn, _) | (_, Some(Status::Warn)) => Status::Warn,
        (Status::Pass, None | Some(Status::Pass)) => Status::Pass,
    };
    match state.last_arrival {
        Some(at) => Ok((status, at)),
        None => Err("nothing has arrived of it".to_owned()),
    }
}

fn no_criteria() -> Value {
    json!({ "warn_after": null, "error_after": null, "filter": null })
}
