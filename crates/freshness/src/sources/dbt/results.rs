//! What did dbt see and do?
//!
//! A `sources.json` is one look at each source: how new its newest row was; a
//! `freshness.json` one at models too. A `run_results.json` says what one command made. Both are kept as they were
//! told, by unique id; what they mean for datasets is said once all manifests are
//! known (`arrivals`).

use std::collections::HashMap;

use serde_json::Value;

use super::fault::Fault;
use super::json::{Artefact, Outcome, Response};
use super::names::{Kind, UniqueId};
use crate::sources::TimeRules;
use crate::sources::instant::instant;
use crate::sources::table::Cell;

/// What the files said, each text once.
#[derive(Debug, Default)]
pub(super) struct Facts {
    texts: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    pub(super) looks: Vec<Look>,
    pub(super) builds: Vec<Build>,
}

/// A text of [`Facts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number(u32);

/// One look at one source or model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Look {
    pub(super) unique_id: Number,
    /// When dbt looked: UTC seconds.
    pub(super) at: i64,
    /// The newest row: UTC seconds. dbt says that of the year 1 if there is none.
    pub(super) newest: i64,
    /// The command that looked.
    pub(super) invocation: Option<Number>,
    pub(super) file: Number,
}

/// One node that was made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Build {
    pub(super) unique_id: Number,
    /// When it was done: UTC seconds.
    pub(super) at: i64,
    pub(super) rows: Option<u64>,
    /// The spans that were made of it: begin and end, UTC seconds. Empty where the
    /// whole was.
    pub(super) batches: Vec<(i64, i64)>,
    pub(super) invocation: Option<Number>,
}

impl Facts {
    pub(super) fn number(&mut self, text: &str) -> Number {
        if let Some(&number) = self.numbers.get(text) {
            return Number(number);
        }
        // A number for each text of files of at most half a GiB each.
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(text.into());
        self.numbers.insert(text.into(), number);
        Number(number)
    }

    pub(super) fn text(&self, number: Number) -> &str {
        &self.texts[number.0 as usize]
    }

    /// Takes in a `sources.json` or `freshness.json`.
    pub(super) fn looks(&mut self, artefact: &Artefact<'_>, file: &str) -> Result<(), Fault> {
        let file = self.number(file);
        let invocation = artefact.metadata.invocation_id.as_deref();
        let invocation = invocation.map(|id| self.number(id));
        for result in &artefact.results {
            // One that failed saw nothing.
            let Some(newest) = result.max_loaded_at.as_deref() else {
                continue;
            };
            let seen = result.snapshotted_at.as_deref();
            let seen = seen.ok_or(Fault::Lacks("results.snapshotted_at"))?;
            let key = |key| format!("results.{}.{key}", result.unique_id);
            let look = Look {
                unique_id: self.number(&result.unique_id),
                at: time(|| key("snapshotted_at"), seen)?,
                newest: time(|| key("max_loaded_at"), newest)?,
                invocation,
                file,
            };
            self.looks.push(look);
        }
        Ok(())
    }

    /// Takes in a `run_results.json`. `remark` hears what is to be said of it.
    pub(super) fn builds(
        &mut self,
        artefact: &Artefact<'_>,
        remark: &mut dyn FnMut(&str, String),
    ) -> Result<(), Fault> {
        let args = &artefact.args.0;
        // Others, such as compile and docs, say of each node that it succeeded.
        let builds = ["run", "build", "seed", "snapshot", "retry"];
        let which = args.which.as_deref();
        let made_data = which.is_none_or(|which| builds.contains(&which));
        let invocation = artefact.metadata.invocation_id.as_deref();
        let invocation = invocation.map(|id| self.number(id));
        let other = &args.other.0;
        let parts = [&args.empty, &args.sample, &other.empty, &other.sample];
        if made_data && parts.into_iter().any(is_set) {
            let why = "made with --empty or --sample: a part of the data, so nothing arrived";
            remark("args", why.to_owned());
            return Ok(());
        }
        let mut failed_tests = Vec::new();
        for result in &artefact.results {
            let Some(id) = UniqueId::of(&result.unique_id) else {
                continue;
            };
            // dbt Fusion writes some of them with capitals.
            let status = result.status.to_lowercase();
            match (id.kind, status.as_str()) {
                (Kind::Made, "success") if made_data => {
                    if let Some(build) = self.build(result, invocation)? {
                        self.builds.push(build);
                    } else {
                        let place = format!("results.{}", result.unique_id);
                        remark(
                            &place,
                            "it does not say when it was done: left out".to_owned(),
                        );
                    }
                }
                (Kind::Test, "fail" | "error") => failed_tests.push(id.rest),
                (_, status) if STATUSES.contains(&status) => {}
                (_, status) => {
                    let place = format!("results.{}.status", result.unique_id);
                    remark(&place, format!("unknown status, so no arrival: {status}"));
                }
            }
        }
        if !failed_tests.is_empty() {
            let n = failed_tests.len();
            let shown = failed_tests[..n.min(3)].join(", ");
            let more = if n > 3 { ", …" } else { "" };
            let tests = if n == 1 { "test" } else { "tests" };
            remark("results", format!("{n} {tests} failed: {shown}{more}"));
        }
        Ok(())
    }

    fn build(
        &mut self,
        result: &Outcome<'_>,
        invocation: Option<Number>,
    ) -> Result<Option<Build>, Fault> {
        let steps = || result.timing.iter();
        let executed = steps().find(|step| step.name == "execute");
        let done = executed.or_else(|| steps().next_back());
        let Some(done) = done.and_then(|step| step.completed_at.as_deref()) else {
            return Ok(None);
        };
        let key = |key| format!("results.{}.{key}", result.unique_id);
        let mut batches = Vec::new();
        for (begin, end) in &result.batch_results.0.successful {
            let key = || key("batch_results");
            batches.push((time(key, begin)?, time(key, end)?));
        }
        Ok(Some(Build {
            unique_id: self.number(&result.unique_id),
            at: time(|| key("timing.completed_at"), done)?,
            rows: rows(&result.adapter_response.0),
            batches,
            invocation,
        }))
    }
}

/// All that dbt says of a node.
const STATUSES: [&str; 11] = [
    "success",
    "error",
    "fail",
    "warn",
    "skipped",
    "partial success",
    "pass",
    "runtime error",
    "no-op",
    "reused",
    "cancelled",
];

/// Rows that the last statement wrote, if the answer of the database tells.
/// PostgreSQL's client says -1 where it does not know.
fn rows(response: &Response) -> Option<u64> {
    let rows = response.rows_affected.as_u64()?;
    // Snowflake answers `SUCCESS 1` to a statement that made a whole table: one
    // row of result. dbt Fusion passes on 0 or 1 of the same kind, and no code.
    let is_of_result = match response.code.as_str() {
        Some("SUCCESS") => rows == 1,
        Some(_) => false,
        None => rows <= 1,
    };
    (!is_of_result).then_some(rows)
}

fn is_set(flag: &Value) -> bool {
    !matches!(flag, Value::Null | Value::Bool(false))
}

/// UTC seconds of a time that says its zone; `key` is where it stands.
pub(super) fn time(key: impl FnOnce() -> String, text: &str) -> Result<i64, Fault> {
    let rules = TimeRules {
        now: 0,
        assume_zone: None,
    };
    instant(&Cell::Text(text), &rules).map_err(|_| Fault::Time {
        key: key(),
        value: text.chars().take(60).collect(),
    })
}
