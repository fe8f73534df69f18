//! Does `freshness run` do what it is to do?
//!
//! Whoever lets cron or Airflow call the commands has no step on record, and hears
//! nothing of it here.

use freshness_core::civil::HOUR;
use freshness_store::{Store, StoreError};
use jiff::Timestamp;

use super::{Finding, Health};
use crate::config::{ScheduleSettings, Timing};
use crate::outputs::words;

/// So long after it was due a step has surely begun, if anything does it: the step
/// before may take its time. Seconds.
const GRACE: i64 = HOUR;

/// How each step went that was ever done, and which is in hand.
pub(super) fn steps(
    store: &Store,
    schedule: &ScheduleSettings,
    now: Timestamp,
) -> Result<Vec<Finding>, StoreError> {
    let finding = |step: freshness_store::StepRecord| {
        let name = step.name.as_str();
        let timing: Option<&Timing> = match name {
            "collect" => Some(&schedule.collect),
            "fit" => Some(&schedule.fit),
            "check" => Some(&schedule.check),
            "report" => Some(&schedule.report),
            _ => None,
        };
        let due = timing.and_then(|timing| timing.after(step.begun_at.as_second(), schedule.zone));
        let ago = words::duration(now.duration_since(step.begun_at).as_secs().max(0));
        let (health, said) = match (&step.error, due) {
            (Some(error), _) => {
                let error = words::printable(error);
                (
                    Health::Problem,
                    format!("{name}: failed {ago} ago: {error}"),
                )
            }
            (None, Some(due)) if now.as_second() > due.saturating_add(GRACE) => (
                Health::Problem,
                format!("{name}: last done {ago} ago; is `freshness run` still running?"),
            ),
            // That nothing is late is for the check to say, and not of other steps.
            (None, _) => match step.answer.as_str() {
                "healthy" => (Health::Ok, format!("{name}: done {ago} ago")),
                "late" => (Health::Ok, format!("{name}: done {ago} ago, late")),
                _ => (
                    Health::Warning,
                    format!("{name}: done {ago} ago, could not tell"),
                ),
            },
        };
        Finding::new("run", health, said)
    };
    let mut findings: Vec<Finding> = store.steps()?.into_iter().map(finding).collect();
    findings.extend(store.step_in_hand()?.map(|(name, begun_at)| {
        let seconds = now.duration_since(begun_at).as_secs().max(0);
        let ago = words::duration(seconds);
        match seconds > GRACE {
            true => Finding::new(
                "run",
                Health::Problem,
                format!("{name}: begun {ago} ago and not ended: it is stuck, or was cut short"),
            ),
            false => Finding::new("run", Health::Ok, format!("{name}: begun {ago} ago")),
        }
    }));
    Ok(findings)
}
