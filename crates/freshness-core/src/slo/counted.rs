//! Do the rows of a run keep what is promised of them?

use super::baseline::{Baseline, NoBaseline, baseline, monthly};
use super::clocked::severity;
use super::run::{Counts, Filled, Run, Stage};
use super::runs::brought_rows;
use super::service_levels::{
    Anomaly, AnomalyMethod, Availability, CountField, Objective, RowCount, ServiceLevels,
};
use super::verdict::{BreachSeverity, Direction, Evidence, Outcome, Reason, Verdict, instant};
use crate::schedule::Maintenance;

/// Is enough of the column filled? `None` if the run did not look.
pub(super) fn availability(of: &Availability, run: &Run) -> Option<Verdict> {
    let filled = run.filled.as_ref()?;
    let mut evidence = of_run(run);
    evidence.field = Some(of.field.clone());
    evidence.floor = Some(of.threshold);
    let outcome = match *filled {
        Filled::NoColumn => doubt(Reason::NoColumn {
            column: of.field.clone(),
        }),
        Filled::Rows { total: 0, .. } => doubt(Reason::NoRows),
        Filled::Rows { non_null, total } => {
            let (non_null, n) = (non_null as f64, total as f64);
            let percent = non_null / n * 100.0;
            evidence.actual = Some(percent);
            evidence.n_rows = Some(total);
            // The second keeps a share that equals the threshold from failing by
            // what a division rounds off.
            match percent >= of.threshold || non_null * 100.0 >= of.threshold * n {
                true => Outcome::Kept,
                false => breach(severity(&of.about)),
            }
        }
    };
    Some(Verdict {
        objective: Objective::Availability,
        outcome,
        evidence,
    })
}

/// Are the rows of run `i` within their bounds, or as many as usual? `None` if
/// they were not counted, or are not judged.
pub(super) fn row_count(
    levels: &ServiceLevels,
    runs: &[Run],
    i: usize,
    objective: Objective,
    maintenance: &Maintenance,
) -> Option<Verdict> {
    let of = levels.row_count.as_ref()?;
    let rows = runs[i].counts.of(of.check_field)?;
    if !brought_rows(runs, i, levels) {
        return None;
    }
    let mut evidence = of_run(&runs[i]);
    evidence.counted = Some(of.check_field);
    evidence.actual = Some(rows as f64);
    let outcome = match objective {
        Objective::RowCountAnomaly => {
            let is_usual = |run: &Run| {
                let at = run.finished_at;
                run.stage == Stage::Normal && maintenance.counted(at, at) == at
            };
            // The run itself and what came after it are no part of what is usual.
            let earlier = || runs[..i].iter().rev().filter(|run| is_usual(run));
            anomaly(
                of,
                of.anomaly.as_ref()?,
                &runs[i],
                earlier,
                rows,
                &mut evidence,
            )
        }
        _ => bounds(of, rows, &mut evidence),
    };
    Some(Verdict {
        objective,
        outcome,
        evidence,
    })
}

fn bounds(of: &RowCount, rows: u64, evidence: &mut Evidence) -> Outcome {
    evidence.floor = of.min_rows.map(|least| least as f64);
    evidence.ceiling = of.max_rows.map(|most| most as f64);
    let direction = match (of.min_rows, of.max_rows) {
        (Some(least), _) if rows < least => Some(Direction::Drop),
        (_, Some(most)) if rows > most => Some(Direction::Spike),
        _ => None,
    };
    evidence.direction = direction;
    match direction {
        None => Outcome::Kept,
        Some(_) => breach(of_rows(of, rows == 0)),
    }
}

/// `usual` are the runs that it is compared with, newest first.
fn anomaly<'r, I: Iterator<Item = &'r Run>>(
    of: &RowCount,
    anomaly: &Anomaly,
    run: &Run,
    usual: impl Fn() -> I,
    rows: u64,
    evidence: &mut Evidence,
) -> Outcome {
    let at = run.finished_at;
    let earlier = || {
        let field: CountField = of.check_field;
        usual().filter_map(move |run| Some((run.finished_at, run.counts.of(field)? as f64)))
    };
    evidence.method = Some(anomaly.method);
    let usual = match baseline(at, earlier(), anomaly) {
        Ok(usual) => usual,
        Err(NoBaseline::TooFew { n, least }) => {
            evidence.samples = Some(n);
            return doubt(Reason::NotEnoughRuns { n, least });
        }
        Err(NoBaseline::Nothing) => return doubt(Reason::UsuallyNothing),
    };
    let rows = rows as f64;
    let holds = |usual: &Baseline| {
        let ratio = rows / usual.expected;
        anomaly.min_ratio <= ratio && ratio <= anomaly.max_ratio
    };
    // A burst on the 1st is usual if earlier months had it too.
    let monthly = (anomaly.method == AnomalyMethod::SeasonalMedian && !holds(&usual))
        .then(|| monthly(at, earlier()))
        .flatten()
        .filter(holds);
    let usual = monthly.unwrap_or(usual);
    let ratio = rows / usual.expected;
    evidence.expected = Some(usual.expected);
    evidence.floor = Some(usual.expected * anomaly.min_ratio);
    evidence.ceiling = Some(usual.expected * anomaly.max_ratio);
    evidence.ratio = Some(ratio);
    evidence.season = Some(usual.season);
    evidence.samples = Some(usual.samples);
    if holds(&usual) {
        return Outcome::Kept;
    }
    let is_drop = ratio < anomaly.min_ratio;
    evidence.direction = Some(match is_drop {
        true => Direction::Drop,
        false => Direction::Spike,
    });
    let is_grave = is_drop && (rows == 0.0 || ratio < anomaly.critical_ratio);
    breach(of_rows(of, is_grave))
}

/// Are enough rows good, and few quarantined? `None` if neither was counted, or
/// the run brought none.
pub(super) fn quality(levels: &ServiceLevels, runs: &[Run], i: usize) -> Option<Verdict> {
    let of = levels.quality.as_ref()?;
    let run = &runs[i];
    let Counts {
        source,
        total,
        good,
        quarantined,
    } = run.counts;
    if !brought_rows(runs, i, levels) || (good.is_none() && quarantined.is_none()) {
        return None;
    }
    let mut evidence = of_run(run);
    evidence.good_ratio_min = of.min_good_ratio;
    evidence.quarantine_ratio_max = of.max_quarantine_ratio;
    let n_rows = total.filter(|n| *n > 0).or(source).or(total);
    evidence.n_rows = n_rows;
    let outcome = match n_rows {
        None => doubt(Reason::NotCounted {
            count: "counts_total".to_owned(),
        }),
        Some(0) => doubt(Reason::NoRows),
        Some(n) => {
            let share = |rows: Option<u64>| rows.map(|rows| rows as f64 / n as f64);
            evidence.good_ratio = share(good);
            evidence.quarantine_ratio = share(quarantined);
            let good = of.min_good_ratio.map(|least| {
                let holds = |share: f64| share >= least;
                (evidence.good_ratio.map(holds), "counts_good")
            });
            let quarantined = of.max_quarantine_ratio.map(|most| {
                let holds = |share: f64| share <= most;
                (evidence.quarantine_ratio.map(holds), "counts_quarantined")
            });
            let parts: Vec<(Option<bool>, &str)> = good.into_iter().chain(quarantined).collect();
            // One that surely fails decides; else one that is unknown.
            let unknown = parts.iter().find(|(holds, _)| holds.is_none());
            match (
                parts.iter().any(|(holds, _)| *holds == Some(false)),
                unknown,
            ) {
                (true, _) => breach(severity(&of.about)),
                (false, Some((_, count))) => doubt(Reason::NotCounted {
                    count: (*count).to_owned(),
                }),
                (false, None) => Outcome::Kept,
            }
        }
    };
    Some(Verdict {
        objective: Objective::Quality,
        outcome,
        evidence,
    })
}

fn of_rows(of: &RowCount, is_grave: bool) -> BreachSeverity {
    match severity(&of.about) {
        _ if of.warn_only => BreachSeverity::Advisory,
        BreachSeverity::Warning if is_grave => BreachSeverity::Critical,
        severity => severity,
    }
}

fn breach(severity: BreachSeverity) -> Outcome {
    Outcome::Breached {
        severity,
        because: None,
    }
}

fn doubt(because: Reason) -> Outcome {
    Outcome::CouldNotTell { because }
}

fn of_run(run: &Run) -> Evidence {
    Evidence {
        environment: run.environment.clone(),
        run_id: Some(run.run_id.clone()),
        run_at: Some(instant(run.finished_at)),
        ..Evidence::default()
    }
}
