//! How is a verdict on a promise said in a sentence?

use freshness_core::slo::{
    AnomalyMethod, BreachSeverity, CountField, Evidence, Objective, Outcome, Reason, Season,
    Verdict,
};

use super::words;

/// The word of a severity, the same in tables and JSON.
pub fn severity(severity: BreachSeverity) -> &'static str {
    match severity {
        BreachSeverity::Advisory => "advisory",
        BreachSeverity::Warning => "warning",
        BreachSeverity::Critical => "critical",
    }
}

/// An objective as people say it.
pub fn spoken(objective: Objective) -> &'static str {
    match objective {
        Objective::Freshness => "freshness",
        Objective::SourceFreshness => "freshness of the source",
        Objective::Deadline => "deadline",
        Objective::Availability => "values filled",
        Objective::RowCount => "row count",
        Objective::RowCountAnomaly => "usual row count",
        Objective::Quality => "quality",
    }
}

/// Why a verdict is what it is, in a sentence.
pub fn why(verdict: &Verdict) -> String {
    let evidence = &verdict.evidence;
    if let Some(because) = verdict.outcome.because() {
        return reason(because, evidence);
    }
    match verdict.objective {
        Objective::Freshness | Objective::SourceFreshness => age(evidence),
        Objective::Deadline => deadline(verdict),
        Objective::Availability => filled(evidence),
        Objective::RowCount => rows(evidence),
        Objective::RowCountAnomaly => usual(evidence),
        Objective::Quality => quality(evidence),
    }
}

fn reason(because: &Reason, evidence: &Evidence) -> String {
    let field = evidence.field.as_deref().unwrap_or("the column");
    match because {
        Reason::NeverRun => format!("no run is known in {}", evidence.environment),
        Reason::NotMeasured => "no run says anything of it".to_owned(),
        Reason::NoRows => "the table has no rows".to_owned(),
        Reason::AllNull => match evidence.n_rows {
            Some(n) => format!(
                "every value of {field} is null ({})",
                words::count(n, "row")
            ),
            None => format!("every value of {field} is null"),
        },
        Reason::NoColumn { column } => format!("the table has no such column: {column}"),
        Reason::Unreadable { value } => format!("a value of {field} is no time: {value}"),
        Reason::Future { ahead_seconds } => {
            let newest = evidence.newest.map(words::utc).unwrap_or_default();
            let ahead = words::duration(*ahead_seconds);
            format!("the newest {field} was {ahead} in the future when it was read: {newest}")
        }
        Reason::NotEnoughRuns { n, least } => {
            format!(
                "{} before it, and it takes {least}",
                words::count(u64::from(*n), "run")
            )
        }
        Reason::UsuallyNothing => "usually no rows come".to_owned(),
        Reason::NotCounted { count } => format!("the run does not say: {count}"),
        Reason::NotDueYet { due_at } => format!("owed by {}", words::utc(*due_at)),
        Reason::NothingOwed {
            next_due_at: Some(next),
        } => format!("nothing is owed before {}", words::utc(*next)),
        Reason::NothingOwed { next_due_at: None } => "nothing is owed".to_owned(),
        Reason::PutOff { until, why, due_at } => format!(
            "{}, to be kept by {}",
            words::put_off(*until, why),
            words::utc(*due_at)
        ),
        Reason::CameLate {
            due_at,
            late_seconds,
        } => format!(
            "owed by {}, came {} late",
            words::utc(*due_at),
            words::duration(*late_seconds)
        ),
    }
}

fn age(evidence: &Evidence) -> String {
    let what = match &evidence.field {
        Some(field) => format!("the newest {field}"),
        None => "the last delivery".to_owned(),
    };
    let age = evidence.age_seconds.unwrap_or_default();
    let age = match (evidence.elapsed_seconds, age) {
        (Some(all), age) => format!(
            "{} old on the days of its calendar ({} in all)",
            words::duration(age),
            words::duration(all)
        ),
        // Within what clocks may differ by.
        (None, age) if age < 0 => format!("{} ahead of now", words::duration(-age)),
        (None, age) => format!("{} old", words::duration(age)),
    };
    let most = limit(evidence.threshold_seconds.unwrap_or_default());
    let doubt = match (evidence.n_unreadable, &evidence.unreadable) {
        (Some(n), Some(value)) => {
            let times = if n == 1 {
                "value is no time"
            } else {
                "values are no times"
            };
            format!("; {} {times}, such as {value}", words::thousands(n))
        }
        _ => String::new(),
    };
    format!("{what} is {age}, promised at most {most}{doubt}")
}

/// Seconds as a duration; what is less than a second as seconds.
fn limit(seconds: f64) -> String {
    match seconds < 60.0 {
        true => format!("{} s", number(seconds)),
        false => words::duration(seconds.round() as i64),
    }
}

fn deadline(verdict: &Verdict) -> String {
    let evidence = &verdict.evidence;
    let due = evidence.due_at.map(words::utc).unwrap_or_default();
    match (&verdict.outcome, evidence.came_at) {
        (Outcome::Kept, Some(came)) => format!("owed by {due}, came {}", words::utc(came)),
        _ => {
            let ago = words::duration(evidence.age_seconds.unwrap_or_default());
            format!("owed by {due}, {ago} ago, and not there")
        }
    }
}

fn filled(evidence: &Evidence) -> String {
    let field = evidence.field.as_deref().unwrap_or("the column");
    let n = evidence.n_rows.unwrap_or_default();
    format!(
        "{} % of {field} filled ({}), promised at least {} %",
        number(evidence.actual.unwrap_or_default()),
        words::count(n, "row"),
        number(evidence.floor.unwrap_or_default())
    )
}

fn counted(evidence: &Evidence) -> String {
    let rows = words::count(evidence.actual.unwrap_or_default() as u64, "row");
    match evidence.counted {
        Some(CountField::CountsGood) => format!("{rows} good"),
        Some(CountField::CountsTotal) => format!("{rows} in all"),
        Some(CountField::CountsSource) | None => rows,
    }
}

fn rows(evidence: &Evidence) -> String {
    let whole = |rows: f64| words::thousands(rows as u64);
    let promised = match (evidence.floor, evidence.ceiling) {
        (Some(least), Some(most)) => format!("{} to {}", whole(least), whole(most)),
        (Some(least), None) => format!("at least {}", whole(least)),
        (None, Some(most)) => format!("at most {}", whole(most)),
        (None, None) => "any".to_owned(),
    };
    format!("{}, promised {promised}", counted(evidence))
}

fn usual(evidence: &Evidence) -> String {
    let method = match evidence.method {
        Some(AnomalyMethod::RollingAverage) => "mean",
        _ => "median",
    };
    let runs = words::count(u64::from(evidence.samples.unwrap_or_default()), "run");
    let season = match evidence.season {
        Some(Season::Weekday) => " on the same weekday",
        Some(Season::DayOfMonth) => " on the same day of earlier months",
        Some(Season::Window) | None => "",
    };
    format!(
        "{}, {} times the usual {} ({method} of {runs}{season}), allowed {} to {}",
        counted(evidence),
        number(evidence.ratio.unwrap_or_default()),
        number(evidence.expected.unwrap_or_default()),
        number(evidence.floor.unwrap_or_default()),
        number(evidence.ceiling.unwrap_or_default()),
    )
}

fn quality(evidence: &Evidence) -> String {
    let percent = |share: f64| number(share * 100.0);
    let good = evidence.good_ratio_min.zip(evidence.good_ratio);
    let quarantined = evidence.quarantine_ratio_max.zip(evidence.quarantine_ratio);
    let good = good.map(|(least, share)| {
        format!(
            "{} % good, promised at least {} %",
            percent(share),
            percent(least)
        )
    });
    let quarantined = quarantined.map(|(most, share)| {
        format!(
            "{} % quarantined, promised at most {} %",
            percent(share),
            percent(most)
        )
    });
    let parts: Vec<String> = good.into_iter().chain(quarantined).collect();
    parts.join("; ")
}

/// A number with at most three decimals that say something.
pub fn number(number: f64) -> String {
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    match text {
        "-0" => "0".to_owned(),
        text => text.to_owned(),
    }
}
