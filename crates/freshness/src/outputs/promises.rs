//! How are promises said in words?

use freshness_core::civil::Zone;
use freshness_core::slo::{
    Anomaly, AnomalyMethod, Availability, Freshness, Objective, Origin, Quality, RowCount,
    ServiceLevels, duration_text,
};

/// All that is promised, in a line: `freshness 24h by 07:30 Mon–Fri, rows from
/// 100`; empty if nothing is.
pub fn promised(levels: &ServiceLevels) -> String {
    let ServiceLevels {
        freshness,
        availability,
        row_count,
        quality,
    } = levels;
    let mut parts = Vec::new();
    parts.extend(freshness.as_ref().map(freshness_words));
    parts.extend(availability.as_ref().map(filled));
    parts.extend(row_count.as_ref().map(rows));
    parts.extend(quality.as_ref().map(good));
    parts.join(", ")
}

/// What is promised of when it comes: `by 06:00 Europe/Berlin (Mon–Fri)`; empty
/// if nothing is.
pub fn promised_times(levels: &ServiceLevels) -> String {
    levels
        .freshness
        .as_ref()
        .map_or_else(String::new, freshness_words)
}

/// What one objective promises: `at most 24h old`, `by 06:00 Europe/Berlin
/// (Mon–Fri)`; empty if it is not promised.
pub fn promised_of(levels: &ServiceLevels, objective: Objective) -> String {
    let ServiceLevels {
        freshness,
        availability,
        row_count,
        quality,
    } = levels;
    let only = |of: Freshness| freshness_words(&of);
    let freshness = || freshness.clone().unwrap_or_default();
    let words = match objective {
        Objective::Freshness => Some(only(Freshness {
            source_threshold: None,
            by: None,
            ..freshness()
        })),
        Objective::SourceFreshness => Some(only(Freshness {
            threshold: None,
            by: None,
            ..freshness()
        })),
        Objective::Deadline => Some(only(Freshness {
            threshold: None,
            source_threshold: None,
            ..freshness()
        })),
        Objective::Availability => availability.as_ref().map(filled),
        Objective::RowCount => row_count.as_ref().and_then(bounds),
        Objective::RowCountAnomaly => row_count
            .as_ref()
            .and_then(|of| of.anomaly.as_ref())
            .map(as_usual),
        Objective::Quality => quality.as_ref().map(good),
    };
    words.unwrap_or_default()
}

/// A value as it was typed.
pub fn typed(origin: &Origin) -> String {
    match &origin.value {
        None => "(cleared)".to_owned(),
        Some(items) => items
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    }
}

/// Where a value was said: `finance/_domain.yaml:3`.
pub fn said_at(origin: &Origin) -> String {
    match origin.line {
        0 => origin.file.clone(),
        line => format!("{}:{line}", origin.file),
    }
}

/// A time of day: `07:30`.
pub fn time_of_day(minutes: u16) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

fn freshness_words(freshness: &Freshness) -> String {
    let mut words = Vec::new();
    words.extend(
        freshness
            .threshold
            .map(|seconds| format!("at most {} old", duration_text(seconds))),
    );
    words.extend(
        freshness
            .source_threshold
            .map(|seconds| format!("source at most {} old", duration_text(seconds))),
    );
    let zone = freshness.timezone.unwrap_or_else(Zone::universal);
    words.extend(
        freshness
            .by
            .map(|by| format!("by {} {zone}", time_of_day(by.minutes))),
    );
    let mut words = words.join(" and ");
    match (&freshness.calendar, freshness.by) {
        (Some(calendar), Some(_)) => words.push_str(&format!(" ({calendar})")),
        // Days are of a zone too.
        (Some(calendar), None) => words.push_str(&format!(" ({calendar}, {zone})")),
        (None, _) => {}
    }
    words
}

fn filled(availability: &Availability) -> String {
    format!("{} {} % filled", availability.field, availability.threshold)
}

fn rows(row_count: &RowCount) -> String {
    let usual = row_count.anomaly.as_ref().map(as_usual);
    let words: Vec<String> = [bounds(row_count), usual].into_iter().flatten().collect();
    words.join(", ")
}

fn bounds(row_count: &RowCount) -> Option<String> {
    match (row_count.min_rows, row_count.max_rows) {
        (Some(min), Some(max)) => Some(format!("{min} to {max} rows")),
        (Some(min), None) => Some(format!("at least {min} rows")),
        (None, Some(max)) => Some(format!("at most {max} rows")),
        (None, None) => None,
    }
}

fn as_usual(anomaly: &Anomaly) -> String {
    let method = match anomaly.method {
        AnomalyMethod::Median => "median",
        AnomalyMethod::RollingAverage => "mean",
        AnomalyMethod::SeasonalMedian => "weekday's median",
    };
    format!(
        "rows {} to {} times their {method}",
        anomaly.min_ratio, anomaly.max_ratio
    )
}

fn good(quality: &Quality) -> String {
    let good = quality
        .min_good_ratio
        .map(|ratio| format!("{ratio} of rows good"));
    let aside = quality
        .max_quarantine_ratio
        .map(|ratio| format!("at most {ratio} set aside"));
    let words: Vec<String> = [good, aside].into_iter().flatten().collect();
    words.join(", ")
}
