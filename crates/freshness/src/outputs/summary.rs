//! What do the counts of many datasets come to?
//!
//! A sentence that says "late" or "not late" of what was asked for, and of
//! nothing else; what could not be judged is said beside it.

use freshness_core::slo::USUAL_ENVIRONMENT;
use jiff::Timestamp;

use super::words;
use crate::rounds::{Judged, PromisesCounted, Summary, is_unjudged_critical};

/// What the counts are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every dataset.
    All,
    /// Those that a filter selects.
    Filtered {
        /// Critical datasets that are late and not among them.
        n_critical_late_outside: u64,
    },
}

/// Names in a sentence; more are counted.
const NAMED: usize = 5;

/// The counts in a line: `150 datasets as of …: 2 late, 148 ok; 1 critical
/// dataset is late`, and a line about critical ones that could not be judged.
pub fn lines(datasets: &[Judged], now: Timestamp, scope: Scope) -> Vec<String> {
    let unjudged: Vec<&str> = datasets
        .iter()
        .filter(|judged| is_unjudged_critical(judged))
        .map(|judged| judged.state.dataset_id.as_str())
        .collect();
    said(&Summary::of(datasets), &unjudged, now, scope)
}

/// Which promises count for a check, and where: `service levels in prod: 1 of 4
/// datasets breaks one; …`.
pub fn promises(counted: PromisesCounted) -> String {
    let PromisesCounted {
        only_usual,
        n_datasets,
        n_broken,
    } = counted;
    let place = match only_usual {
        true => format!("in {USUAL_ENVIRONMENT}"),
        false => "in any environment".to_owned(),
    };
    let breaks = if n_broken == 1 { "breaks" } else { "break" };
    format!(
        "service levels {place}: {} of {} {breaks} one; that fails `slo check`, and this only where nothing ever arrived",
        words::thousands(n_broken),
        words::count(n_datasets, "dataset"),
    )
}

fn said(summary: &Summary, unjudged: &[&str], now: Timestamp, scope: Scope) -> Vec<String> {
    let critical = critical(summary, scope);
    let as_of = words::utc(now);
    if summary.n_datasets == 0 {
        return vec![format!("no dataset is shown, as of {as_of}; {critical}")];
    }
    let broken = match summary.n_critical_broken {
        0 => String::new(),
        1 => "; 1 critical dataset breaks a promise".to_owned(),
        n => format!(
            "; {} critical datasets break a promise",
            words::thousands(n)
        ),
    };
    let mut lines = vec![format!(
        "{} as of {as_of}: {}; {critical}{broken}",
        words::count(summary.n_datasets, "dataset"),
        states(summary),
    )];
    if !unjudged.is_empty() {
        lines.push(could_not_be_judged(unjudged));
    }
    lines
}

fn states(summary: &Summary) -> String {
    let Summary {
        n_datasets: _,
        n_critical: _,
        n_critical_late: _,
        n_critical_broken: _,
        n_critical_unjudged: _,
        n_excused,
        ok,
        pending,
        late,
        late_arrival,
        missed,
        unknown,
        insufficient_history,
        not_evaluated,
    } = *summary;
    let awaited = match n_excused {
        0 => "pending".to_owned(),
        n => format!("pending ({} held up by maintenance)", words::thousands(n)),
    };
    let parts: Vec<String> = [
        (late, "late"),
        (missed, "missed"),
        (late_arrival, "arrived late"),
        (not_evaluated, "not evaluated"),
        (insufficient_history, "with too little history"),
        (unknown, "unknown"),
        (pending, &awaited),
        (ok, "ok"),
    ]
    .into_iter()
    .filter(|&(n, _)| n > 0)
    .map(|(n, word)| format!("{} {word}", words::thousands(n)))
    .collect();
    parts.join(", ")
}

fn critical(summary: &Summary, scope: Scope) -> String {
    let late = match summary.n_critical_late {
        0 if summary.n_critical_unjudged > 0 => {
            "no critical dataset is known to be late".to_owned()
        }
        0 => "no critical dataset is late".to_owned(),
        1 => "1 critical dataset is late".to_owned(),
        n => format!("{} critical datasets are late", words::thousands(n)),
    };
    match scope {
        Scope::All if summary.n_critical == 0 => {
            "no dataset is declared critical: nothing can fail a check".to_owned()
        }
        Scope::All => late,
        Scope::Filtered {
            n_critical_late_outside,
        } => {
            let among = match summary.n_critical {
                0 => "none of these is critical".to_owned(),
                _ => format!("among these, {late}"),
            };
            match n_critical_late_outside {
                0 => among,
                1 => format!("{among}; outside the filter, 1 critical dataset is late"),
                n => format!(
                    "{among}; outside the filter, {} critical datasets are late",
                    words::thousands(n)
                ),
            }
        }
    }
}

fn could_not_be_judged(names: &[&str]) -> String {
    let n = names.len();
    let more = match n.saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", words::thousands(more as u64)),
    };
    let they = if n == 1 { "it" } else { "they" };
    format!(
        "{} could not be judged: {}{more}: {they} cannot fail a check yet",
        words::count(n as u64, "critical dataset"),
        names[..n.min(NAMED)].join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_LATE: Summary = Summary {
        n_datasets: 1_150,
        n_critical: 3,
        n_critical_late: 1,
        n_critical_broken: 0,
        n_critical_unjudged: 0,
        n_excused: 0,
        ok: 1_148,
        pending: 0,
        late: 2,
        late_arrival: 0,
        missed: 0,
        unknown: 0,
        insufficient_history: 0,
        not_evaluated: 0,
    };

    #[track_caller]
    fn check_said(summary: &Summary, unjudged: &[&str], scope: Scope, expected: &str) {
        let now = "2026-03-01T07:00:00Z".parse().unwrap();
        assert_eq!(said(summary, unjudged, now, scope).join("\n"), expected);
    }

    #[test]
    fn only_states_that_occur_are_named() {
        check_said(
            &ONE_LATE,
            &[],
            Scope::All,
            "1,150 datasets as of 2026-03-01 07:00 UTC: 2 late, 1,148 ok; 1 critical dataset is late",
        );
    }

    #[test]
    fn what_could_not_be_judged_is_never_called_on_time() {
        let summary = Summary {
            n_critical_late: 0,
            n_critical_unjudged: 2,
            ..ONE_LATE
        };
        check_said(
            &summary,
            &["a", "b"],
            Scope::All,
            "1,150 datasets as of 2026-03-01 07:00 UTC: 2 late, 1,148 ok; \
             no critical dataset is known to be late\n\
             2 critical datasets could not be judged: a, b: they cannot fail a check yet",
        );
    }

    #[test]
    fn without_critical_datasets_nothing_can_fail_a_check() {
        let summary = Summary {
            n_critical: 0,
            n_critical_late: 0,
            ..ONE_LATE
        };
        check_said(
            &summary,
            &[],
            Scope::All,
            "1,150 datasets as of 2026-03-01 07:00 UTC: 2 late, 1,148 ok; \
             no dataset is declared critical: nothing can fail a check",
        );
    }

    #[test]
    fn a_filter_speaks_only_of_what_it_selects() {
        let scope = Scope::Filtered {
            n_critical_late_outside: 2,
        };
        let summary = Summary {
            n_critical_late: 0,
            ..ONE_LATE
        };
        check_said(
            &summary,
            &[],
            scope,
            "1,150 datasets as of 2026-03-01 07:00 UTC: 2 late, 1,148 ok; \
             among these, no critical dataset is late; \
             outside the filter, 2 critical datasets are late",
        );
    }
}
