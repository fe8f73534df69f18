//! What share of the data cannot be believed while a promise is broken?
//!
//! The share that goes past the limit, of what is there: of an age the part that
//! it should not have, of rows those that are missing or too many, of a column
//! what is null, of a run what is not good. No number in it is chosen.

use super::service_levels::Objective;
use super::verdict::{Direction, Evidence, Outcome, Verdict};
use crate::civil::DAY;

/// The share, 0–1; above 0 for every breach, and 0 for anything else.
pub fn lost(verdict: &Verdict) -> f64 {
    let Outcome::Breached { because, .. } = &verdict.outcome else {
        return 0.0;
    };
    // All of it is null, or of a time that has not come.
    if because.is_some() {
        return 1.0;
    }
    let evidence = &verdict.evidence;
    let share = match verdict.objective {
        Objective::Freshness | Objective::SourceFreshness => {
            let age = evidence.age_seconds.unwrap_or_default() as f64;
            let most = evidence.threshold_seconds.unwrap_or_default();
            over(age - most, age)
        }
        Objective::Deadline => {
            let late = evidence.age_seconds.unwrap_or_default() as f64;
            over(late, DAY as f64 + late)
        }
        Objective::Availability => 1.0 - evidence.actual.unwrap_or_default() / 100.0,
        Objective::RowCount | Objective::RowCountAnomaly => rows(evidence),
        Objective::Quality => quality(evidence),
    };
    share.clamp(f64::MIN_POSITIVE, 1.0)
}

fn rows(evidence: &Evidence) -> f64 {
    let actual = evidence.actual.unwrap_or_default();
    match (evidence.direction, evidence.floor, evidence.ceiling) {
        (Some(Direction::Drop), Some(least), _) => over(least - actual, least),
        (Some(Direction::Spike), _, Some(most)) => over(actual - most, actual),
        _ => 0.0,
    }
}

fn quality(evidence: &Evidence) -> f64 {
    let good = evidence.good_ratio.zip(evidence.good_ratio_min);
    let bad = good.map_or(0.0, |(good, least)| match good < least {
        true => 1.0 - good,
        false => 0.0,
    });
    let quarantined = evidence.quarantine_ratio.zip(evidence.quarantine_ratio_max);
    let quarantined = quarantined.map_or(0.0, |(share, most)| match share > most {
        true => share,
        false => 0.0,
    });
    bad.max(quarantined)
}

fn over(part: f64, whole: f64) -> f64 {
    match whole > 0.0 {
        true => part / whole,
        false => 1.0,
    }
}
