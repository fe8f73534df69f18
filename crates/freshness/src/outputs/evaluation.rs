//! How is an evaluation told?
//!
//! Every method in a row, over the same cycles; then by lateness, by cadence
//! and class, and what the published quantiles came to.

mod calibration;
mod causes;

use std::io;

use freshness_lab::baselines::Method;
use freshness_lab::evaluate::{Evaluation, Group, MethodScores, Onset, Scores};

use super::{Output, Paint, Table, words};

pub use causes::root_causes;

/// What is compared class by class; the rest is in the JSON.
const BY_CLASS: [Method; 4] = [
    Method::Learned,
    Method::ReferenceBest,
    Method::Oracle,
    Method::Plain,
];

/// Writes all tables; `verbose` adds those by cell, month and dataset.
pub fn write(out: &mut Output, found: &Evaluation, verbose: bool) -> io::Result<()> {
    heading(out, found)?;
    out.table(methods(found))?;
    out.line("")?;
    out.line("Incidents alerted, by how late they were")?;
    out.table(sizes(found))?;
    for (title, of) in GROUPINGS {
        // Of a real history the class is all that is known of the cadence.
        if !found.every_cycle_known && title == BY_CADENCE {
            continue;
        }
        out.line("")?;
        out.line(title)?;
        out.table(groups(found, of))?;
    }
    if let Some(learned) = found.method(Method::Learned) {
        out.line("")?;
        out.line(cold_starts(learned))?;
    }
    for (what, onset) in [
        ("first 30 days of datasets", &found.first_days),
        ("14 days after moves", &found.after_moves),
    ] {
        if let Some(onset) = onset {
            out.line(told(what, onset))?;
        }
    }
    out.line("")?;
    out.line("How often ordinary cycles passed what was published")?;
    out.table(calibration::overall(&found.calibration))?;
    if verbose {
        for (title, of) in calibration::PARTS {
            out.line("")?;
            out.line(title)?;
            out.table(calibration::parts(&found.calibration, of))?;
        }
        out.line("")?;
        out.line("Datasets that were not judged as they should have been")?;
        out.table(datasets(found))?;
    }
    for dataset in &found.failed {
        out.warn(format_args!(
            "not evaluated: {dataset}: the evaluation itself failed; please report this as a defect"
        ));
    }
    Ok(())
}

fn heading(out: &mut Output, found: &Evaluation) -> io::Result<()> {
    let days: Vec<String> = found.refit_days.iter().map(f64::to_string).collect();
    let refit = match days.as_slice() {
        [] => "models learned once, before it".to_owned(),
        [one] if one == "1" => "models learned anew every day".to_owned(),
        some => format!("models learned anew every {} days", some.join(", ")),
    };
    out.line(format_args!(
        "{}, {}, holdout {} to {}; {refit}",
        words::count(found.n_datasets, "dataset"),
        words::count(found.n_arrivals, "arrival"),
        found.from,
        found.to,
    ))?;
    out.line("")
}

fn methods(found: &Evaluation) -> Table {
    let mut headings = vec![
        "METHOD",
        "F1",
        "ALERTED",
        "95 % INTERVAL",
        "PRECISION",
        "FALSE ALARMS",
        "A DAY",
        "/1,000 DATASET-DAYS",
        "/CHANNEL-WEEK",
        "OF CYCLES",
        "TO ALERT P50",
        "P90",
        "DEADLINE AFTER USUAL",
    ];
    if !found.every_cycle_known {
        headings.push("ORDINARY /1,000");
    }
    let mut table = Table::new(&headings);
    for method in &found.methods {
        let scores = &method.scores;
        let mut cells = vec![
            method.method.words().to_owned(),
            number(scores.f1, 3),
            percent(scores.detection, 1),
            interval(scores.detection_interval),
            percent(scores.precision, 1),
            words::thousands(scores.n_false_alarms),
            number(scores.false_alarms_per_day, 2),
            number(scores.false_alarms_per_1000_dataset_days, 1),
            number(scores.false_alarms_per_channel_week, 2),
            percent(scores.false_alarm_rate, 3),
            minutes(scores.minutes_to_alert_p50),
            minutes(scores.minutes_to_alert_p90),
            minutes(scores.minutes_to_deadline_p50),
        ];
        if !found.every_cycle_known {
            cells.push(number(scores.ordinary_alarms_per_1000_dataset_days, 1));
        }
        row(&mut table, cells);
    }
    numbers(&mut table, headings.len());
    table
}

fn sizes(found: &Evaluation) -> Table {
    let headings = ["METHOD", "UNDER 1 H", "1 TO 4 H", "OVER 4 H", "NEVER CAME"];
    let mut table = Table::new(&headings);
    for method in &found.methods {
        let sizes = method.scores.by_size.iter();
        let sizes = sizes.map(|size| match size.n_incidents {
            0 => "-".to_owned(),
            n => format!("{} of {n}", size.n_detected),
        });
        row(
            &mut table,
            std::iter::once(method.method.words().to_owned()).chain(sizes),
        );
    }
    numbers(&mut table, headings.len());
    table
}

type Grouping = fn(&MethodScores) -> &[Group];

const BY_CADENCE: &str = "By cadence";

const GROUPINGS: [(&str, Grouping); 2] = [
    (BY_CADENCE, |scores| &scores.by_cadence),
    ("By class", |scores| &scores.by_class),
];

fn groups(found: &Evaluation, of: Grouping) -> Table {
    let headings = [
        "",
        "DATASETS",
        "METHOD",
        "F1",
        "ALERTED",
        "FALSE ALARMS",
        "/1,000 DATASET-DAYS",
        "OF CYCLES",
        "DEADLINE AFTER USUAL",
    ];
    let mut table = Table::new(&headings);
    let names = found.methods.first().map_or(&[][..], of);
    for (i, group) in names.iter().enumerate() {
        let told = BY_CLASS.iter().filter_map(|method| found.method(*method));
        for (place, method) in told.enumerate() {
            let scores = &of(method)[i].scores;
            let first = |text: String| if place == 0 { text } else { String::new() };
            row(
                &mut table,
                [
                    first(group.name.clone()),
                    first(group.n_datasets.to_string()),
                    method.method.words().to_owned(),
                    number(scores.f1, 3),
                    caught(scores),
                    words::thousands(scores.n_false_alarms),
                    number(scores.false_alarms_per_1000_dataset_days, 1),
                    percent(scores.false_alarm_rate, 3),
                    minutes(scores.minutes_to_deadline_p50),
                ],
            );
        }
    }
    numbers(&mut table, headings.len());
    table
}

fn cold_starts(learned: &MethodScores) -> String {
    let cold = &learned.cold_starts;
    format!(
        "Not in these figures: {} of cold starts, which can only advise, with {}. With them the \
         learned deadlines alerted {} of incidents.",
        words::count(cold.n_cycles, "cycle"),
        words::count(cold.n_incidents, "incident"),
        percent(learned.with_cold_starts.detection, 1),
    )
}

fn told(what: &str, onset: &Onset) -> String {
    format!(
        "The {what} ({}), learned anew every day: {} in {}, {} per 1,000 dataset-days; {} of {} \
         alerted; wrong advice {}.",
        words::thousands(onset.n),
        words::count(onset.n_false_alarms, "false alarm"),
        words::count(onset.n_cycles, "cycle"),
        number(onset.false_alarms_per_1000_dataset_days, 1),
        onset.n_detected,
        words::count(onset.n_incidents, "incident"),
        words::thousands(onset.n_false_advice),
    )
}

/// Datasets with a false alarm or an incident that was not alerted.
fn datasets(found: &Evaluation) -> Table {
    let headings = [
        "DATASET",
        "CLASS",
        "MODEL",
        "CALENDAR",
        "REALLY",
        "FALSE ALARMS",
        "MISSED",
        "OF",
        "DEADLINE",
        "ORACLE'S",
    ];
    let mut table = Table::new(&headings);
    for line in &found.datasets {
        let of = |method| line.methods.iter().find(|figures| figures.method == method);
        let Some(learned) = of(Method::Learned) else {
            continue;
        };
        let n_missed = learned.n_incidents - learned.n_detected;
        if learned.n_false_alarms == 0 && n_missed == 0 {
            continue;
        }
        let oracle = of(Method::Oracle).and_then(|oracle| oracle.minutes_to_deadline_p50);
        row(
            &mut table,
            [
                line.dataset_id.clone(),
                line.class.clone(),
                line.model_status.to_owned(),
                line.learned_calendar.clone(),
                line.true_calendar.clone().unwrap_or_else(none),
                learned.n_false_alarms.to_string(),
                n_missed.to_string(),
                learned.n_incidents.to_string(),
                minutes(learned.minutes_to_deadline_p50),
                minutes(oracle),
            ],
        );
    }
    for column in 5..headings.len() {
        table.align_right(column);
    }
    table.names(0);
    table
}

fn row(table: &mut Table, cells: impl IntoIterator<Item = String>) {
    table.row(cells.into_iter().map(|cell| (cell, Paint::Plain)));
}

/// All columns but the first are numbers.
fn numbers(table: &mut Table, n_columns: usize) {
    (1..n_columns).for_each(|column| table.align_right(column));
}

fn none() -> String {
    "-".to_owned()
}

fn caught(scores: &Scores) -> String {
    format!("{} of {}", scores.n_detected, scores.n_incidents)
}

/// A number; `-` where there is none.
pub(super) fn number(number: Option<f64>, decimals: usize) -> String {
    match number.filter(|number| number.is_finite()) {
        Some(number) => {
            let text = format!("{number:.decimals$}");
            // What rounds to nothing has no sign.
            let is_zero = text.bytes().all(|byte| b"-0.".contains(&byte));
            match is_zero {
                true => text.trim_start_matches('-').to_owned(),
                false => text,
            }
        }
        None => none(),
    }
}

/// A share (0–1) in percent.
pub(super) fn percent(share: Option<f64>, decimals: usize) -> String {
    match share.filter(|share| share.is_finite()) {
        Some(share) => format!("{:.decimals$} %", 100.0 * share),
        None => none(),
    }
}

/// Minutes in words.
pub(super) fn minutes(minutes: Option<f64>) -> String {
    match minutes.filter(|minutes| minutes.is_finite()) {
        Some(minutes) if minutes.abs() < 60.0 => format!("{} min", number(Some(minutes), 1)),
        Some(minutes) if minutes < 0.0 => format!("-{}", words::minutes(-minutes)),
        Some(minutes) => words::minutes(minutes),
        None => none(),
    }
}

fn interval(interval: Option<(f64, f64)>) -> String {
    match interval {
        Some((low, high)) => format!("{:.2}–{:.2} %", 100.0 * low, 100.0 * high),
        None => none(),
    }
}
