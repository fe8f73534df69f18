//! How is the measurement told?

use std::collections::BTreeMap;
use std::fmt::Write as _;

use freshness_core::state::duration;
use jiff::Timestamp;

use super::score::{Mishap, Score};
use super::trial::Trial;
use crate::baselines::Method;

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
    let mut out = HEAD.to_owned();
    let mut others: Vec<&str> = (trials.iter())
        .map(|trial| trial.class.as_str())
        .filter(|class| !CLASSES.contains(class))
        .collect();
    others.sort_unstable();
    others.dedup();
    for class in CLASSES.iter().copied().chain(others) {
        let some: Vec<&Trial> = trials.iter().filter(|trial| trial.class == class).collect();
        tell_group(&mut out, class, &some, n_seeds);
    }
    let all: Vec<&Trial> = (trials.iter())
        .filter(|trial| CLASSES.contains(&trial.class.as_str()))
        .collect();
    tell_group(&mut out, "all six", &all, n_seeds);
    out
}

const HEAD: &str = concat!(
    "                                         per 1,000 days                  caught %\n",
    "class          method   sets     days    alarms ordinary  mishaps     all  late never  once due",
    " | promise %  caught % there\n",
);

fn tell_group(out: &mut String, name: &str, some: &[&Trial], n_seeds: u64) {
    if some.is_empty() {
        return;
    }
    let percent = |share: Option<f64>| {
        share.map_or_else(|| "-".to_owned(), |share| format!("{:.1}", 100.0 * share))
    };
    for (method, word) in METHODS {
        let score = sum(some, method);
        let caught = |of: fn(&Mishap) -> bool| percent(score.share(of, Mishap::is_caught));
        let _ = writeln!(
            out,
            "{name:<14} {word:<8} {:>4} {:>8.0} {:>9.1} {:>8.1} {:>8.1}  {:>6} {:>5} {:>5}  {:>8} | {:>9.1}  {:>14}",
            some.len(),
            score.days / n_seeds as f64,
            score.per_thousand_days(score.unexplained.len()),
            score.per_thousand_days(score.n_ordinary()),
            score.mishaps.len() as f64 / n_seeds as f64,
            caught(|_| true),
            caught(|mishap| mishap.came.is_some()),
            caught(|mishap| mishap.came.is_none()),
            percent(score.share(|_| true, Mishap::is_caught_after_due)),
            100.0 * score.promised / score.days,
            caught(|mishap| mishap.promised),
        );
    }
}

/// A line for each dataset and method; under it, if asked for, its alarms that
/// nothing explains and the mishaps that were not caught.
pub fn pages_of_datasets(trials: &[Trial], n_seeds: u64, verbose: bool) -> String {
    let mut out = String::new();
    for trial in trials {
        for (method, word) in METHODS {
            let Some(score) = trial.scores.get(&method) else {
                continue;
            };
            let caught = score.mishaps.iter().filter(|mishap| mishap.is_caught());
            let _ = write!(
                out,
                "{:<22} {:<12} {word:<8} alarms {:>6.1} ordinary {:>6.1} caught {:>4}/{:<4} promise {:>3.0} %",
                trial.dataset_id,
                trial.class,
                score.unexplained.len() as f64 / n_seeds as f64,
                score.n_ordinary() as f64 / n_seeds as f64,
                caught.count(),
                score.mishaps.len(),
                100.0 * score.promised / score.days,
            );
            if method == Method::Learned {
                let _ = write!(out, " ({})", statuses(&trial.days_by_status));
            }
            out.push('\n');
            if verbose {
                tell_details(&mut out, score);
            }
        }
    }
    out
}

fn tell_details(out: &mut String, score: &Score) {
    let time =
        |at: i64| Timestamp::from_second(at).map_or_else(|_| at.to_string(), |at| at.to_string());
    for alarm in &score.unexplained {
        let came = (alarm.delivered_at).map_or_else(|| "with nothing".to_owned(), time);
        let _ = writeln!(
            out,
            "    alarm  {} of cycle {}, in a slot delivered {came}{}",
            time(alarm.alert.at),
            time(alarm.alert.cycle_start),
            if alarm.ordinary { ", ordinary" } else { "" },
        );
    }
    for mishap in score.mishaps.iter().filter(|mishap| !mishap.is_caught()) {
        let came = (mishap.came).map_or_else(
            || "never came".to_owned(),
            |came| format!("came {} late", duration(came - mishap.due)),
        );
        let promise = if mishap.promised {
            ""
        } else {
            ", nothing promised"
        };
        let _ = writeln!(out, "    missed {} {came}{promise}", time(mishap.due));
    }
}

fn statuses(days: &BTreeMap<&'static str, f64>) -> String {
    let all: f64 = days.values().sum();
    let part = |(status, days): (&&str, &f64)| format!("{status} {:.0} %", 100.0 * days / all);
    days.iter().map(part).collect::<Vec<_>>().join(", ")
}

fn sum(trials: &[&Trial], method: Method) -> Score {
    let mut all = Score::default();
    for score in trials.iter().filter_map(|trial| trial.scores.get(&method)) {
        all.add(score);
    }
    all
}
