//! How are verdicts on promises shown?

use freshness_core::dataset::DatasetId;
use freshness_core::slo::{
    BreachSeverity, Evidence, Objective, Outcome, Reason, USUAL_ENVIRONMENT, Verdict,
};
use jiff::Timestamp;
use serde::Serialize;

use super::slo_words::{severity, spoken, why};
use super::{Paint, Table, words};
use crate::rounds::SloDataset;

/// One verdict as JSON; the fields are described by [`FIELDS`].
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "FIELDS describes them")]
pub struct VerdictLine<'a> {
    pub dataset_id: &'a DatasetId,
    pub environment: &'a str,
    pub objective: Objective,
    pub outcome: &'static str,
    pub severity: Option<BreachSeverity>,
    pub because: Option<&'a Reason>,
    pub fails: bool,
    pub why: String,
    pub evidence: &'a Evidence,
    #[serde(skip)]
    of: &'a Outcome,
}

/// The fields of [`VerdictLine`], for the documentation; a test compares them
/// with what is written.
pub const FIELDS: [(&str, &str); 9] = [
    ("dataset_id", "its name"),
    ("environment", "where it runs"),
    (
        "objective",
        "`freshness`, `source_freshness`, `deadline`, `availability`, `row_count`, `row_count_anomaly` or `quality`",
    ),
    (
        "outcome",
        "`kept`, `breached`, `could_not_tell` or `not_due`",
    ),
    (
        "severity",
        "of a breach: `advisory` (the objective only warns), `warning`, or `critical` (all rows are gone, or nearly all)",
    ),
    (
        "because",
        "why it is no plain comparison: `reason` (`never_run`, `not_measured`, `no_rows`, `all_null`, `no_column`, `unreadable`, `future`, `not_enough_runs`, `usually_nothing`, `not_counted`, `not_due_yet`, `nothing_owed`, `put_off`, `came_late`) and what belongs to it; else null",
    ),
    (
        "fails",
        "may a check fail by it? false if the objective only warns",
    ),
    ("why", "one sentence that says why"),
    (
        "evidence",
        "what it was judged against; what does not apply is absent: `environment`, `run_id`, `run_at`, `field`, `newest`, `age_seconds` (on the days of the calendar), `elapsed_seconds` (by the clock, where that is another), `threshold_seconds`, `n_unreadable`, `unreadable`, `due_at`, `came_at`, `counted`, `actual`, `expected`, `floor`, `ceiling`, `ratio`, `method`, `season` (`window`, `weekday`, `day_of_month`), `samples`, `direction`, `n_rows`, `good_ratio`, `good_ratio_min`, `quarantine_ratio`, `quarantine_ratio_max`",
    ),
];

/// Objectives by what was said of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct SloSummary {
    pub n_datasets: u64,
    pub n_objectives: u64,
    pub kept: u64,
    pub breached: u64,
    pub could_not_tell: u64,
    pub not_due: u64,
}

impl<'a> VerdictLine<'a> {
    /// The verdicts of a dataset.
    pub fn all(of: &'a SloDataset) -> impl Iterator<Item = VerdictLine<'a>> {
        of.weighed().map(|(verdict, fails)| {
            let Verdict {
                objective,
                outcome,
                evidence,
            } = verdict;
            VerdictLine {
                dataset_id: &of.promise.dataset,
                environment: &of.promise.environment,
                objective: *objective,
                outcome: outcome.word(),
                severity: outcome.severity(),
                because: outcome.because(),
                fails,
                why: why(verdict),
                evidence,
                of: outcome,
            }
        })
    }

    /// Is it worth a line? What is not kept, was not until it came late, is put off by
    /// maintenance, or cannot be told.
    pub fn is_wrong(&self) -> bool {
        match self.of {
            Outcome::Breached { .. } | Outcome::CouldNotTell { .. } => true,
            Outcome::NotDue { .. } => self.came_late() || self.is_put_off(),
            Outcome::Kept => false,
        }
    }

    /// Was the last that was owed late, and nothing is due until the next?
    fn came_late(&self) -> bool {
        matches!(self.because, Some(Reason::CameLate { .. }))
    }

    /// Would it be broken, were it not for maintenance?
    fn is_put_off(&self) -> bool {
        matches!(self.because, Some(Reason::PutOff { .. }))
    }

    /// The worst first.
    pub fn rank(&self) -> u8 {
        match self.of {
            Outcome::CouldNotTell { .. } if !self.of.is_doubt() => 5,
            Outcome::Breached { severity, .. } => match severity {
                BreachSeverity::Critical => 0,
                BreachSeverity::Warning => 1,
                BreachSeverity::Advisory => 4,
            },
            Outcome::CouldNotTell { .. } => 2,
            Outcome::NotDue { .. } if self.came_late() || self.is_put_off() => 3,
            Outcome::Kept | Outcome::NotDue { .. } => 6,
        }
    }
}

impl SloSummary {
    /// Counts what was said.
    pub fn of<'a>(datasets: impl IntoIterator<Item = &'a SloDataset>) -> SloSummary {
        let mut summary = SloSummary::default();
        for dataset in datasets {
            summary.n_datasets += 1;
            for verdict in &dataset.verdicts {
                summary.n_objectives += 1;
                *match verdict.outcome {
                    Outcome::Kept => &mut summary.kept,
                    Outcome::Breached { .. } => &mut summary.breached,
                    Outcome::CouldNotTell { .. } => &mut summary.could_not_tell,
                    Outcome::NotDue { .. } => &mut summary.not_due,
                } += 1;
            }
        }
        summary
    }

    /// `12 objectives of 4 datasets: 9 kept, 1 breached, 1 could not be told, 1
    /// not due as of …`.
    pub fn line(&self, now: Timestamp) -> String {
        let SloSummary {
            n_datasets,
            n_objectives,
            kept,
            breached,
            could_not_tell,
            not_due,
        } = *self;
        let parts = [
            (kept, "kept"),
            (breached, "breached"),
            (could_not_tell, "could not be told"),
            (not_due, "not due"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(n, _)| *n > 0)
            .map(|(n, what)| format!("{} {what}", words::thousands(n)))
            .collect();
        format!(
            "{} of {}: {} as of {}",
            words::count(n_objectives, "objective"),
            words::count(n_datasets, "dataset"),
            parts.join(", "),
            words::utc(now)
        )
    }
}

/// What is wrong with a promise, in a sentence: `breaks its promise of freshness:
/// the newest updated_at is …`.
pub fn sentence(line: &VerdictLine<'_>) -> String {
    let said = match line.of {
        Outcome::Breached { .. } => "breaks its promise of",
        Outcome::CouldNotTell { .. } => "nobody can tell whether it keeps its promise of",
        Outcome::Kept => "keeps its promise of",
        Outcome::NotDue { .. } => "owes nothing yet by its promise of",
    };
    let place = match line.environment {
        USUAL_ENVIRONMENT => String::new(),
        other => format!(" in {other}"),
    };
    format!("{said} {}{place}: {}", spoken(line.objective), line.why)
}

/// Verdicts as a table.
pub fn table(lines: &[VerdictLine<'_>]) -> Table {
    let mut table = Table::new(&[
        "OUTCOME",
        "SEVERITY",
        "DATASET",
        "ENVIRONMENT",
        "OBJECTIVE",
        "WHY",
    ]);
    const DATASET: usize = 2;
    table.names(DATASET);
    table.tells_apart(3);
    // The severity: what was found is why one looks.
    table.dispensable(&[1]);
    for line in lines {
        let plain = |text: &str| (text.to_owned(), Paint::Plain);
        let paint = match line.of {
            Outcome::Breached { severity, .. } if *severity > BreachSeverity::Advisory => {
                Paint::Bad
            }
            Outcome::Breached { .. } => Paint::Doubtful,
            Outcome::CouldNotTell { .. } => Paint::Doubtful,
            Outcome::Kept => Paint::Good,
            Outcome::NotDue { .. } if line.came_late() || line.is_put_off() => Paint::Doubtful,
            Outcome::NotDue { .. } => Paint::Faint,
        };
        let outcome = match line.because {
            Some(Reason::CameLate { .. }) => "came late",
            Some(Reason::PutOff { .. }) => "put off",
            _ => line.outcome,
        };
        table.row([
            (outcome.to_owned(), paint),
            plain(line.severity.map_or("-", severity)),
            plain(line.dataset_id.as_str()),
            plain(line.environment),
            plain(line.objective.word()),
            plain(&line.why),
        ]);
    }
    table
}
