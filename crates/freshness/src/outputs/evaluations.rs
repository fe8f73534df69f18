//! How are evaluations of many warehouses told?
//!
//! Means, with the lowest and the highest beside them, and what matters most:
//! how far from the oracle, how much better than the reference, and on which
//! seed it was worse.

use std::io;

use freshness_lab::baselines::Method;
use freshness_lab::evaluate::{Evaluation, Spread, Spreads, over_seeds};

use super::evaluation::{minutes, number, percent};
use super::{Output, Paint, Table, words};

/// Writes the means of evaluations, each with its seed.
pub fn write(out: &mut Output, found: &[(u64, Evaluation)], verbose: bool) -> io::Result<()> {
    let evaluations: Vec<Evaluation> = found.iter().map(|(_, one)| one.clone()).collect();
    let spreads = over_seeds(&evaluations);
    let headings = [
        "METHOD",
        "F1",
        "LOWEST",
        "HIGHEST",
        "ALERTED",
        "LOWEST",
        "FALSE ALARMS",
        "MOST",
        "OF CYCLES",
        "/1,000 DATASET-DAYS",
        "TO ALERT P50",
        "DEADLINE AFTER USUAL",
    ];
    let mut table = Table::new(&headings);
    for one in &spreads {
        let mean = |name| one.figure(name).map(|spread| spread.mean);
        let of = |name, part: fn(Spread) -> f64| one.figure(name).map(part);
        let cells = [
            one.method.words().to_owned(),
            number(mean("f1"), 3),
            number(of("f1", |spread| spread.min), 3),
            number(of("f1", |spread| spread.max), 3),
            percent(mean("detection"), 2),
            percent(of("detection", |spread| spread.min), 1),
            number(mean("n_false_alarms"), 1),
            number(of("n_false_alarms", |spread| spread.max), 0),
            percent(mean("false_alarm_rate"), 3),
            number(mean("false_alarms_per_1000_dataset_days"), 1),
            minutes(mean("minutes_to_alert_p50")),
            minutes(mean("minutes_to_deadline_p50")),
        ];
        table.row(cells.map(|cell| (cell, Paint::Plain)));
    }
    (1..headings.len()).for_each(|column| table.align_right(column));
    out.line(format_args!(
        "Means over {}",
        words::count(found.len() as u64, "warehouse")
    ))?;
    out.line("")?;
    out.table(table)?;
    out.line("")?;
    for line in compared(found) {
        out.line(line)?;
    }
    for published in ["p90", "threshold"] {
        let within = evaluations.iter().filter_map(|one| {
            let of = one.calibration.iter();
            of.filter(|of| of.published == published)
                .map(|of| of.datasets_within)
                .next()
        });
        out.line(format_args!(
            "Datasets on which {published} was passed as often as it should be (99 % band): {}",
            percent(Spread::of(within).map(|spread| spread.mean), 1)
        ))?;
    }
    out.line("")?;
    out.line("By class, all warehouses together")?;
    out.table(by_class(&spreads))?;
    if verbose {
        out.line("")?;
        out.table(by_seed(found))?;
    }
    Ok(())
}

/// The learned deadlines beside the oracle and the reference.
fn compared(found: &[(u64, Evaluation)]) -> Vec<String> {
    let mean = |method, of: fn(&freshness_lab::evaluate::Scores) -> Option<f64>| {
        let each = found
            .iter()
            .map(|(_, one)| one.method(method).and_then(|method| of(&method.scores)));
        Spread::of(each).map(|spread| spread.mean)
    };
    let mut lines = Vec::new();
    let f1 = |method| mean(method, |scores| scores.f1);
    if let (Some(learned), Some(oracle)) = (f1(Method::Learned), f1(Method::Oracle)) {
        lines.push(format!(
            "Mean F1 is {:.3} below the oracle's.",
            oracle - learned
        ));
    }
    let alarms = |method| mean(method, |scores| Some(scores.n_false_alarms as f64));
    if let (Some(learned), Some(reference)) = (alarms(Method::Learned), alarms(Method::Reference)) {
        let times = (learned > 0.0).then(|| reference / learned);
        lines.push(format!(
            "The reference learned method raises {} times as many false alarms.",
            number(times, 1)
        ));
    }
    let worse: Vec<String> = found
        .iter()
        .filter(|(_, one)| {
            let f1 = |method| one.method(method).and_then(|method| method.scores.f1);
            f1(Method::Learned) < f1(Method::Reference)
        })
        .map(|(seed, _)| seed.to_string())
        .collect();
    lines.push(match worse.is_empty() {
        true => "On no seed is its F1 below the reference's.".to_owned(),
        false => format!(
            "Its F1 is below the reference's on seeds {}.",
            worse.join(", ")
        ),
    });
    lines
}

/// What is compared class by class; the rest is in the JSON.
const BY_CLASS: [Method; 4] = [
    Method::Learned,
    Method::ReferenceBest,
    Method::Oracle,
    Method::Plain,
];

fn by_class(spreads: &[Spreads]) -> Table {
    let headings = [
        "",
        "METHOD",
        "F1",
        "ALERTED",
        "FALSE ALARMS",
        "CYCLES",
        "OF CYCLES",
    ];
    let mut table = Table::new(&headings);
    let told: Vec<&Spreads> = BY_CLASS
        .iter()
        .filter_map(|method| spreads.iter().find(|one| one.method == *method))
        .collect();
    let n_classes = told.first().map_or(0, |one| one.by_class.len());
    for class in 0..n_classes {
        for (place, one) in told.iter().enumerate() {
            let counts = &one.by_class[class];
            let rate = counts.n_false_alarms as f64 / counts.n_cycles as f64;
            let cells = [
                if place == 0 {
                    counts.name.clone()
                } else {
                    String::new()
                },
                one.method.words().to_owned(),
                number(counts.f1, 3),
                format!("{} of {}", counts.n_detected, counts.n_incidents),
                words::thousands(counts.n_false_alarms),
                words::thousands(counts.n_cycles),
                percent(Some(rate), 3),
            ];
            table.row(cells.map(|cell| (cell, Paint::Plain)));
        }
    }
    (2..headings.len()).for_each(|column| table.align_right(column));
    table
}

fn by_seed(found: &[(u64, Evaluation)]) -> Table {
    let headings = [
        "SEED",
        "METHOD",
        "F1",
        "ALERTED",
        "FALSE ALARMS",
        "OF CYCLES",
    ];
    let mut table = Table::new(&headings);
    for (seed, one) in found {
        let told = [Method::Learned, Method::Reference, Method::Oracle];
        for method in told.iter().filter_map(|method| one.method(*method)) {
            let scores = &method.scores;
            let cells = [
                seed.to_string(),
                method.method.words().to_owned(),
                number(scores.f1, 3),
                format!("{} of {}", scores.n_detected, scores.n_incidents),
                scores.n_false_alarms.to_string(),
                percent(scores.false_alarm_rate, 3),
            ];
            table.row(cells.map(|cell| (cell, Paint::Plain)));
        }
    }
    (2..headings.len()).for_each(|column| table.align_right(column));
    table
}
