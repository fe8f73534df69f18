//! How is what became of a step told?

use freshness_core::coverage::{Decision, Refusal};
use freshness_store::Asked;
use jiff::Timestamp;
use serde::Serialize;

use super::super::{Answer, Context};
use crate::config::Format;
use crate::outputs::{words, write_document, write_line};

/// What became of a step, as JSON says it.
#[derive(Debug, Serialize)]
pub(super) struct Said<'a> {
    command: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    source: &'a str,
    scope: &'a str,
    run_id: &'a str,
    outcome: &'static str,
    seq: Option<u64>,
    complete_through: Option<Timestamp>,
    reason: Option<&'static str>,
    detail: Option<String>,
}

impl<'a> Said<'a> {
    pub(super) fn new(
        command: &'static str,
        line: Option<u64>,
        asked: &'a Asked,
        decision: &Decision,
    ) -> Said<'a> {
        let (outcome, seq) = match decision {
            Decision::Accept(release) => ("accepted", Some(release.seq)),
            Decision::Repeat(seq) => ("repeated", *seq),
            Decision::Begin => ("begun", None),
            Decision::Abort => ("aborted", None),
            Decision::Refuse(_) => ("refused", None),
        };
        let refusal = refusal(decision);
        Said {
            command,
            line,
            source: &asked.proposal.source,
            scope: &asked.proposal.scope,
            run_id: &asked.proposal.run_id,
            outcome,
            seq,
            complete_through: match decision {
                Decision::Accept(release) => Timestamp::from_second(release.complete_through).ok(),
                _ => None,
            },
            reason: refusal.map(Refusal::word),
            detail: refusal.map(ToString::to_string),
        }
    }

    /// `accepted: orders / FR is complete through … (sequence 12)`.
    pub(super) fn sentence(&self) -> String {
        let Said {
            source,
            scope,
            run_id,
            outcome,
            seq,
            complete_through,
            detail,
            ..
        } = self;
        // They come from the sender, and go to a terminal.
        let name = format!("{} / {}", words::printable(source), words::printable(scope));
        let run_id = words::printable(run_id);
        match (seq, complete_through, detail) {
            (Some(seq), Some(through), _) => format!(
                "{outcome}: {name} is complete through {} (sequence {seq})",
                words::utc(*through)
            ),
            (Some(seq), None, _) => {
                format!("{outcome}: {name}, run {run_id} has published as {seq} already")
            }
            (None, _, Some(detail)) => {
                let detail = words::printable(detail);
                format!("{outcome}: {name}, run {run_id}: {detail}")
            }
            (None, ..) => format!("{outcome}: {name}, run {run_id}"),
        }
    }
}

/// Tells what became of one step.
pub(super) fn say(
    command: &'static str,
    asked: &Asked,
    decision: &Decision,
    context: &mut Context,
) -> anyhow::Result<Answer> {
    let said = Said::new(command, None, asked, decision);
    let out = &mut context.out;
    match out.format {
        Format::Table => out.line(said.sentence())?,
        Format::Json => write_document(out.data(), &said)?,
        Format::Ndjson => write_line(out.data(), &said)?,
    }
    Ok(match refusal(decision) {
        Some(refusal) => {
            if let Some(hint) = refusal.hint() {
                out.talk(format_args!("hint: {hint}"));
            }
            Answer::Late
        }
        None => Answer::Healthy,
    })
}

pub(super) fn refusal(decision: &Decision) -> Option<&Refusal> {
    match decision {
        Decision::Refuse(refusal) => Some(refusal),
        _ => None,
    }
}
