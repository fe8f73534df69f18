//! Are the published quantiles what they say?
//!
//! An ordinary cycle should pass its p90 one time in ten, and its threshold as
//! rarely as the model says. Counted on days that no model saw, with the band
//! in which such a count lies by chance.

use std::collections::BTreeMap;

use freshness_core::civil::DAY;
use freshness_core::state::CycleVerdict;
use serde::Serialize;

use super::report::as_map;
use super::score::{cycle_of, scored};
use super::tally::ratio;
use super::{Learned, Scope, Subject, Window, binomial_band};

/// Confidence of the bands.
const CONFIDENCE: f64 = 0.99;
/// What is published of a cycle.
const PUBLISHED: [&str; 4] = ["p10", "p50", "p90", "threshold"];
/// Days in a month of a model's age.
const MONTH: i64 = 30 * DAY;

/// How often something published was exceeded.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// `p10`, `p50`, `p90` or `threshold`.
    pub published: &'static str,
    /// Over all ordinary cycles.
    pub overall: Exceedance,
    /// By cell, over all datasets.
    #[serde(serialize_with = "as_map")]
    pub by_cell: Vec<(String, Exceedance)>,
    /// By month since the model was new, from 1.
    #[serde(serialize_with = "as_map")]
    pub by_month: Vec<(i64, Exceedance)>,
    /// Datasets that had an ordinary cycle.
    pub n_datasets: u64,
    /// Of them, with a count inside its band.
    pub n_datasets_within: u64,
    /// Their share, 0–1.
    pub datasets_within: Option<f64>,
}

/// A count beside what was to be expected.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Exceedance {
    /// Ordinary cycles.
    pub n: u64,
    /// Of them, came later.
    pub n_exceeded: u64,
    /// Their share, 0–1.
    pub share: Option<f64>,
    /// The share that was published, 0–1; a mean, where models differ.
    pub published_share: Option<f64>,
    /// The shares between which it lies by chance, 99 %.
    pub band: Option<(f64, f64)>,
    /// Does it?
    pub within: Option<bool>,
}

/// An ordinary cycle of the holdout.
struct Observation {
    cell: String,
    month: i64,
    exceeded: [bool; PUBLISHED.len()],
}

/// Counts, not yet shares.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    n: u64,
    n_exceeded: u64,
    published: f64,
}

/// Counts over datasets: what was learned of each, and what of it is scored.
pub fn calibrate<'a>(
    learned: impl IntoIterator<Item = (Subject<'a>, Window, Scope, &'a Learned)>,
    usual_rate: f64,
) -> Vec<Calibration> {
    let mut overall = [Count::default(); PUBLISHED.len()];
    let mut cells: BTreeMap<String, [Count; PUBLISHED.len()]> = BTreeMap::new();
    let mut months: BTreeMap<i64, [Count; PUBLISHED.len()]> = BTreeMap::new();
    let mut datasets = Vec::new();
    for (subject, window, scope, learned) in learned {
        let rate = learned.false_alarm_rate.unwrap_or(usual_rate);
        let shares = [0.9, 0.5, 0.1, rate];
        let mut own = [Count::default(); PUBLISHED.len()];
        for seen in observations(&subject, &window, scope, learned) {
            let of_cell = cells.entry(seen.cell).or_default();
            let of_month = months.entry(seen.month).or_default();
            for (i, exceeded) in seen.exceeded.into_iter().enumerate() {
                for counts in [&mut own, &mut overall, of_cell, of_month] {
                    counts[i].count(exceeded, shares[i]);
                }
            }
        }
        datasets.push(own);
    }
    let calibration = |i: usize| {
        let of_datasets = datasets.iter().map(|counts| counts[i].exceedance());
        let of_datasets: Vec<Exceedance> = of_datasets.filter(|found| found.n > 0).collect();
        let within = of_datasets
            .iter()
            .filter(|found| found.within == Some(true));
        let (n_datasets, n_datasets_within) = (of_datasets.len() as u64, within.count() as u64);
        Calibration {
            published: PUBLISHED[i],
            overall: overall[i].exceedance(),
            by_cell: cells
                .iter()
                .map(|(cell, counts)| (cell.clone(), counts[i].exceedance()))
                .collect(),
            by_month: months
                .iter()
                .map(|(month, counts)| (*month, counts[i].exceedance()))
                .collect(),
            n_datasets,
            n_datasets_within,
            datasets_within: ratio(n_datasets_within as f64, n_datasets as f64),
        }
    };
    (0..PUBLISHED.len()).map(calibration).collect()
}

impl Count {
    fn count(&mut self, exceeded: bool, published: f64) {
        self.n += 1;
        self.n_exceeded += u64::from(exceeded);
        self.published += published;
    }

    fn exceedance(&self) -> Exceedance {
        let n = self.n as f64;
        let published_share = ratio(self.published, n);
        let band = published_share.and_then(|share| binomial_band(self.n, share, CONFIDENCE));
        Exceedance {
            n: self.n,
            n_exceeded: self.n_exceeded,
            share: ratio(self.n_exceeded as f64, n),
            published_share,
            band: band.map(|(low, high)| (low as f64 / n, high as f64 / n)),
            within: band.map(|(low, high)| (low..=high).contains(&self.n_exceeded)),
        }
    }
}

/// The ordinary cycles of a dataset that a learned model judged.
fn observations(
    subject: &Subject<'_>,
    window: &Window,
    scope: Scope,
    learned: &Learned,
) -> Vec<Observation> {
    let is_scored = scored(subject.truth, scope);
    let refit = window.refit_seconds();
    let each = learned.replayed.iter().zip(&learned.awaited);
    each.filter_map(|(row, awaited)| {
        let verdict = &row.verdict;
        let because = verdict.because.as_ref()?;
        let start = verdict.cycle_start.as_second();
        let deadline = verdict.deadline?.as_second();
        if !(scope.from..scope.to).contains(&start) {
            return None;
        }
        let arrived = match subject.truth.schedule {
            Some(_) => {
                let cycle = cycle_of(subject.truth, awaited.as_ref()?)?;
                let truth = &subject.truth.cycles[cycle];
                let ordinary = is_scored[cycle] && truth.incident.is_none();
                truth.due_at.filter(|_| ordinary)?
            }
            None => untouched(subject, verdict)?,
        };
        // Minutes after the deadline, moved to each of what is published.
        let minutes = (arrived - deadline) as f64 / 60.0 + because.threshold;
        let published = [because.p10, because.p50, because.p90, because.threshold];
        Some(Observation {
            cell: cell(&because.cell),
            month: (start - window.from).rem_euclid(refit) / MONTH + 1,
            exceeded: published.map(|published| minutes > published),
        })
    })
    .collect()
}

/// When it came, if nobody tampered with it.
fn untouched(subject: &Subject<'_>, verdict: &CycleVerdict) -> Option<i64> {
    let arrived = verdict.arrived_at?.as_second();
    let truth = subject.truth;
    let tampered = truth
        .cycles
        .iter()
        .any(|cycle| cycle.arrived_at == Some(arrived));
    let in_outage = |(from, to): &(i64, i64)| *from < arrived && arrived <= *to;
    (!tampered && !truth.outages.iter().any(in_outage)).then_some(arrived)
}

/// A cell's name, as JSON has it: `all`, `hour 5`, `weekday mon`.
fn cell(key: &impl Serialize) -> String {
    match serde_json::to_value(key) {
        Ok(serde_json::Value::String(name)) => name,
        Ok(serde_json::Value::Object(pairs)) => {
            let words = pairs.iter().map(|(name, value)| match value {
                serde_json::Value::String(text) => format!("{name} {text}"),
                other => format!("{name} {other}"),
            });
            words.collect::<Vec<String>>().join(" ")
        }
        _ => "other".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshness_core::fit::CellKey;

    #[test]
    fn a_count_is_held_against_its_band() {
        let counted = |n: u64, n_exceeded: u64, share: f64| {
            let mut count = Count::default();
            (0..n).for_each(|i| count.count(i < n_exceeded, share));
            count.exceedance()
        };
        assert_eq!(counted(1_000, 100, 0.1).within, Some(true));
        assert_eq!(counted(1_000, 160, 0.1).within, Some(false));
        assert_eq!(counted(1_000, 60, 0.1).within, Some(false));
        let (low, high) = counted(1_000, 100, 0.1).band.unwrap();
        // ± 2.576 standard deviations of 0.0095.
        assert!((low - 0.076).abs() < 0.002 && (high - 0.125).abs() < 0.002);
        assert_eq!(counted(0, 0, 0.1), Exceedance::default());
    }

    #[test]
    fn a_cell_is_named_as_in_json() {
        assert_eq!(cell(&CellKey::All), "all");
        assert_eq!(cell(&CellKey::Hour(5)), "hour 5");
        assert_eq!(
            cell(&CellKey::Weekday(freshness_core::civil::Weekday::Mon)),
            "weekday mon"
        );
    }
}
