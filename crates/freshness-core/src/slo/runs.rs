//! What ran, in order?

use super::run::{Counts, Run, Stage};
use super::service_levels::{CountField, ServiceLevels};
use super::verdict::instant;
use crate::arrivals::{ArrivalHistory, CycleName};
use crate::civil::DAY;

/// The runs of one dataset in one environment, oldest first. Whatever the order
/// in which they were told, they are in this one; of two with one name the later
/// stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunHistory {
    environment: String,
    runs: Vec<Run>,
}

impl RunHistory {
    /// The runs of an environment; those of others are left out.
    pub fn new(environment: &str, runs: impl IntoIterator<Item = Run>) -> RunHistory {
        let mut runs: Vec<Run> = runs
            .into_iter()
            .filter(|run| run.environment == environment)
            .collect();
        let in_order = |a: &Run, b: &Run| {
            let key = |run: &Run| run.finished_at;
            key(a).cmp(&key(b)).then_with(|| a.run_id.cmp(&b.run_id))
        };
        if !runs.is_sorted_by(|a, b| in_order(a, b).is_le()) {
            runs.sort_by(in_order);
        }
        let mut names: Vec<(&str, usize)> = runs
            .iter()
            .enumerate()
            .map(|(i, run)| (run.run_id.as_str(), i))
            .collect();
        names.sort_unstable();
        let earlier: Vec<usize> = names
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| pair[0].1)
            .collect();
        if !earlier.is_empty() {
            let mut at = 0;
            runs.retain(|_| {
                at += 1;
                !earlier.contains(&(at - 1))
            });
        }
        RunHistory {
            environment: environment.to_owned(),
            runs,
        }
    }

    /// Arrivals as runs, for a dataset that was never measured: an arrival was
    /// a delivery, and counts what it says of its rows. One that says which
    /// cycle it is for, and not a newer one than those before it, brought that
    /// cycle anew.
    pub fn of_arrivals(environment: &str, arrivals: &ArrivalHistory) -> RunHistory {
        let mut newest: Option<i64> = None;
        let runs = arrivals.at().iter().enumerate().map(|(i, &at)| {
            let cycle = arrivals.named_cycle(i).map(CycleName::seconds);
            let stage = match (cycle, newest) {
                (Some(cycle), Some(newest)) if cycle <= newest => Stage::Reprocess {
                    from: cycle,
                    to: cycle,
                },
                _ => Stage::Normal,
            };
            newest = newest.max(cycle);
            let rows = arrivals.detail(i).and_then(|detail| detail.rows);
            Run {
                // Not the sender's: what came twice under one name came first.
                run_id: instant(at).to_string(),
                environment: environment.to_owned(),
                started_at: None,
                finished_at: at,
                stage,
                counts: Counts {
                    source: rows,
                    total: rows,
                    ..Counts::default()
                },
                newest: None,
                source_newest: None,
                filled: None,
            }
        });
        RunHistory::new(environment, runs)
    }

    /// Where they were.
    pub fn environment(&self) -> &str {
        &self.environment
    }

    /// All of them.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Those that were over by an instant.
    pub(super) fn until(&self, now: i64) -> &[Run] {
        &self.runs[..self.runs.partition_point(|run| run.finished_at <= now)]
    }
}

impl Counts {
    /// The count that an objective looks at.
    pub fn of(&self, field: CountField) -> Option<u64> {
        match field {
            CountField::CountsSource => self.source,
            CountField::CountsGood => self.good,
            CountField::CountsTotal => self.total,
        }
    }
}

/// Are the rows of run `i` judged? A run that found nothing new brought none. A
/// reprocessed span is judged if it is not longer than was declared, and reaches
/// the day (in UTC) of the normal run before it: what made an older day anew says
/// nothing of today's.
pub(super) fn brought_rows(runs: &[Run], i: usize, levels: &ServiceLevels) -> bool {
    match runs[i].stage {
        Stage::Normal => true,
        Stage::NoNewData => false,
        Stage::Reprocess { from, to } => {
            let skipped = levels
                .row_count
                .as_ref()
                .and_then(|of| of.skip_reprocess_days);
            let is_short = skipped.is_none_or(|days| to - from <= i64::from(days) * DAY);
            let normal = runs[..i]
                .iter()
                .rev()
                .find(|run| run.stage == Stage::Normal);
            let day = |run: &Run| run.finished_at.div_euclid(DAY) * DAY;
            is_short && normal.is_none_or(|normal| to >= day(normal))
        }
    }
}

/// Did the run bring what was awaited: a normal run, not known to be empty, and
/// not known to have fewer rows than promised?
pub(super) fn is_delivery(run: &Run, levels: &ServiceLevels) -> bool {
    let Counts {
        source,
        total,
        good,
        quarantined: _,
    } = run.counts;
    let is_empty = total.or(source).or(good) == Some(0);
    let is_partial = levels.row_count.as_ref().is_some_and(|of| {
        let rows = run.counts.of(of.check_field);
        of.min_rows
            .is_some_and(|least| rows.is_some_and(|rows| rows < least))
    });
    run.stage == Stage::Normal && !is_empty && !is_partial
}
