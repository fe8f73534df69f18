//! How is the measurement told?

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::Timestamp;

use super::score::Score;
use super::trial::{Method, Trial};

/// The classes that a target is set for; others are told apart.
const CLASSES: [&str; 6] = [
    "hourly",
    "daily_utc",
    "daily_local",
    "business_day",
    "weekly",
    "monthly",
];

const METHODS: [(Method, &str); 2] = [(Method::Learned, "learned"), (Method::Plain, "plain")];

/// A table by class, of means over seeds.
pub fn page(trials: &[Trial], n_seeds: u64) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<14} {:<8} {:>5} {:>8} {:>12} {:>12} {:>8} {:>9} {:>9} {:>12}",
        "class",
        "method",
        "sets",
        "days",
        "alarms/1000",
        "ordinary",
        "mishaps",
        "caught %",
        "promise %",
        "caught there"
    );
    let apart = |trial: &&Trial| !CLASSES.contains(&trial.class.as_str());
    let mut others: Vec<&str> = trials
        .iter()
        .filter(apart)
        .map(|trial| trial.class.as_str())
        .collect();
    others.sort_unstable();
    others.dedup();
    let mut tell = |name: &str, some: &[&Trial]| {
        for (method, word) in METHODS {
            let score = sum(some, method);
            let share = |n: usize, of: usize| 100.0 * n as f64 / (of.max(1)) as f64;
            let _ = writeln!(
                out,
                "{name:<14} {word:<8} {:>5} {:>8.0} {:>12.1} {:>12.1} {:>8.1} {:>9.1} {:>9.1} {:>12.1}",
                some.len(),
                score.days / n_seeds as f64,
                score.per_thousand_days(score.unexplained.len()),
                score.per_thousand_days(score.n_ordinary()),
                score.n_mishaps as f64 / n_seeds as f64,
                share(score.n_caught, score.n_mishaps),
                100.0 * score.promised / score.days,
                share(score.n_caught_promised, score.n_mishaps_promised),
            );
        }
    };
    for class in CLASSES.iter().copied().chain(others) {
        let some: Vec<&Trial> = trials.iter().filter(|trial| trial.class == class).collect();
        if !some.is_empty() {
            tell(class, &some);
        }
    }
    let all: Vec<&Trial> = trials.iter().filter(|trial| !apart(trial)).collect();
    tell("all six", &all);
    out
}

/// A line for each dataset and method, and under it its alarms if asked for.
pub fn pages_of_datasets(trials: &[Trial], n_seeds: u64, verbose: bool) -> String {
    let mut out = String::new();
    for trial in trials {
        for (method, word) in METHODS {
            let Some(score) = trial.scores.get(&method) else {
                continue;
            };
            let _ = write!(
                out,
                "{:<24} {:<13} {word:<8} alarms {:>6.1} ordinary {:>6.1} caught {:>4}/{:<4} promise {:>3.0} %",
                trial.dataset_id,
                trial.class,
                score.unexplained.len() as f64 / n_seeds as f64,
                score.n_ordinary() as f64 / n_seeds as f64,
                score.n_caught,
                score.n_mishaps,
                100.0 * score.promised / score.days,
            );
            if method == Method::Learned {
                let _ = write!(out, " ({})", statuses(&trial.days_by_status));
            }
            out.push('\n');
            if verbose {
                tell_alarms(&mut out, score);
            }
        }
    }
    out
}

fn tell_alarms(out: &mut String, score: &Score) {
    for alarm in &score.unexplained {
        let time = |at: i64| {
            Timestamp::from_second(at).map_or_else(|_| at.to_string(), |at| at.to_string())
        };
        let came = alarm
            .delivered_at
            .map_or_else(|| "nothing".to_owned(), time);
        let _ = writeln!(
            out,
            "    cycle {} alarm {} delivery of the slot {came}{}",
            time(alarm.alert.cycle_start),
            time(alarm.alert.at),
            if alarm.ordinary { " ordinary" } else { "" },
        );
    }
}

fn statuses(days: &BTreeMap<&'static str, f64>) -> String {
    let all: f64 = days.values().sum();
    let parts = days
        .iter()
        .map(|(status, days)| format!("{status} {:.0} %", 100.0 * days / all));
    parts.collect::<Vec<_>>().join(", ")
}

fn sum(trials: &[&Trial], method: Method) -> Score {
    let mut all = Score::default();
    for score in trials.iter().filter_map(|trial| trial.scores.get(&method)) {
        all.add(score);
    }
    all
}
