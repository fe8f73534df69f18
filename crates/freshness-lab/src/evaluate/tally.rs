//! What do the counts amount to?
//!
//! A [`Tally`] only counts, so that tallies of datasets add up; [`Scores`] are
//! the rates a person reads. A rate of nothing is `None`, never a NaN.

use serde::Serialize;

use super::clopper_pearson;

/// Lateness below which an incident counts as small, middle, large (seconds);
/// what never came is a size of its own.
pub(super) const SIZES: [(&str, i64); 3] = [
    ("under_1h", 3_600),
    ("1_to_4h", 14_400),
    ("over_4h", i64::MAX),
];

/// What was counted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tally {
    /// Cycles on which a delivery was due. Of a real history: deadlines.
    pub n_cycles: u64,
    /// Of them, late or missed for a reason.
    pub n_incidents: u64,
    /// Incidents that were alerted before the delivery came.
    pub n_detected: u64,
    /// Cycles that were alerted though nothing was wrong.
    pub n_false_alarms: u64,
    /// Of a real history: false alarms about cycles that in hindsight were
    /// ordinary.
    pub n_ordinary_alarms: u64,
    /// Incidents and detected ones by size: under 1 h, 1–4 h, over 4 h, missed.
    pub by_size: [(u64, u64); 4],
    /// Days, summed over datasets.
    pub dataset_days: f64,
    /// Of each detected incident, minutes from when the delivery would have
    /// come to the alert.
    pub waits: Vec<f64>,
    /// Of each deadline, minutes from when a delivery usually comes.
    pub distances: Vec<f64>,
}

/// What the counts amount to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scores {
    /// Cycles on which a delivery was due. Of a real history: deadlines.
    pub n_cycles: u64,
    /// Incidents.
    pub n_incidents: u64,
    /// Incidents that were alerted before the delivery came.
    pub n_detected: u64,
    /// False alarms.
    pub n_false_alarms: u64,
    /// Of a real history: of them, about cycles that in hindsight were ordinary.
    pub n_ordinary_alarms: u64,
    /// A day, over all datasets.
    pub false_alarms_per_day: Option<f64>,
    /// In 1,000 days of a dataset.
    pub false_alarms_per_1000_dataset_days: Option<f64>,
    /// Of them, about cycles that in hindsight were ordinary.
    pub ordinary_alarms_per_1000_dataset_days: Option<f64>,
    /// A week, in the channel of a team.
    pub false_alarms_per_channel_week: Option<f64>,
    /// Share of cycles, 0–1.
    pub false_alarm_rate: Option<f64>,
    /// Share of incidents that were alerted, 0–1.
    pub detection: Option<f64>,
    /// Its Clopper–Pearson interval, 95 %.
    pub detection_interval: Option<(f64, f64)>,
    /// By how late it was.
    pub by_size: Vec<SizeScores>,
    /// Share of alerts that were right, 0–1.
    pub precision: Option<f64>,
    /// Harmonic mean of precision and detection.
    pub f1: Option<f64>,
    /// Minutes from when the delivery would have come to the alert: median.
    pub minutes_to_alert_p50: Option<f64>,
    /// … and 90 % quantile.
    pub minutes_to_alert_p90: Option<f64>,
    /// Minutes from when a delivery usually comes to the deadline: median.
    pub minutes_to_deadline_p50: Option<f64>,
}

/// Detection of incidents of one size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeScores {
    /// `under_1h`, `1_to_4h`, `over_4h` or `missed`.
    pub size: &'static str,
    /// Incidents.
    pub n_incidents: u64,
    /// Of them, alerted.
    pub n_detected: u64,
    /// Their share, 0–1.
    pub detection: Option<f64>,
}

impl Tally {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Tally) {
        let Tally {
            n_cycles,
            n_incidents,
            n_detected,
            n_false_alarms,
            n_ordinary_alarms,
            by_size,
            dataset_days,
            waits,
            distances,
        } = other;
        self.n_cycles += n_cycles;
        self.n_incidents += n_incidents;
        self.n_detected += n_detected;
        self.n_false_alarms += n_false_alarms;
        self.n_ordinary_alarms += n_ordinary_alarms;
        for (own, other) in self.by_size.iter_mut().zip(by_size) {
            own.0 += other.0;
            own.1 += other.1;
        }
        self.dataset_days += dataset_days;
        self.waits.extend(waits);
        self.distances.extend(distances);
    }

    /// Counts an incident that was so late (seconds; `None`: never came).
    pub(super) fn count_incident(&mut self, late_by: Option<i64>, detected: bool) {
        let size = match late_by {
            Some(late_by) => SIZES
                .iter()
                .position(|(_, below)| late_by < *below)
                .unwrap_or(SIZES.len() - 1),
            None => SIZES.len(),
        };
        self.n_incidents += 1;
        self.n_detected += u64::from(detected);
        self.by_size[size].0 += 1;
        self.by_size[size].1 += u64::from(detected);
    }

    /// Harmonic mean of precision and detection.
    pub fn f1(&self) -> Option<f64> {
        let n_missed = self.n_incidents - self.n_detected;
        ratio(
            2.0 * self.n_detected as f64,
            (2 * self.n_detected + self.n_false_alarms + n_missed) as f64,
        )
    }

    /// The rates, over so many days and with the alerts shared out over so
    /// many channels.
    pub fn scores(&self, days: f64, n_channels: u64) -> Scores {
        let n_false_alarms = self.n_false_alarms as f64;
        let mut waits = self.waits.clone();
        waits.sort_unstable_by(f64::total_cmp);
        let mut distances = self.distances.clone();
        distances.sort_unstable_by(f64::total_cmp);
        let names = SIZES.iter().map(|(name, _)| *name).chain(["missed"]);
        Scores {
            n_cycles: self.n_cycles,
            n_incidents: self.n_incidents,
            n_detected: self.n_detected,
            n_false_alarms: self.n_false_alarms,
            n_ordinary_alarms: self.n_ordinary_alarms,
            false_alarms_per_day: ratio(n_false_alarms, days),
            false_alarms_per_1000_dataset_days: ratio(1_000.0 * n_false_alarms, self.dataset_days),
            ordinary_alarms_per_1000_dataset_days: ratio(
                1_000.0 * self.n_ordinary_alarms as f64,
                self.dataset_days,
            ),
            false_alarms_per_channel_week: ratio(n_false_alarms, n_channels as f64 * days / 7.0),
            false_alarm_rate: ratio(n_false_alarms, self.n_cycles as f64),
            detection: ratio(self.n_detected as f64, self.n_incidents as f64),
            detection_interval: clopper_pearson(self.n_detected, self.n_incidents, 0.95),
            by_size: names
                .zip(self.by_size)
                .map(|(size, (n_incidents, n_detected))| SizeScores {
                    size,
                    n_incidents,
                    n_detected,
                    detection: ratio(n_detected as f64, n_incidents as f64),
                })
                .collect(),
            precision: ratio(
                self.n_detected as f64,
                (self.n_detected + self.n_false_alarms) as f64,
            ),
            f1: self.f1(),
            minutes_to_alert_p50: quantile(&waits, 0.5),
            minutes_to_alert_p90: quantile(&waits, 0.9),
            minutes_to_deadline_p50: quantile(&distances, 0.5),
        }
    }
}

/// A share; `None` of nothing.
pub(crate) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// The quantile of an ascending sample, linear between neighbours (Hyndman &
/// Fan 1996, type 7); `None` of nothing.
pub(crate) fn quantile(sorted: &[f64], level: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = level.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(last);
    Some(sorted[below] + (position - below as f64) * (sorted[above] - sorted[below]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_nothing_are_none() {
        let scores = Tally::default().scores(0.0, 0);
        assert_eq!(
            (scores.f1, scores.detection, scores.false_alarms_per_day),
            (None, None, None)
        );
        let json = serde_json::to_string(&scores).unwrap();
        assert!(!json.contains("NaN"), "{json}");
    }

    #[test]
    fn rates_follow_from_counts() {
        let mut tally = Tally {
            n_cycles: 1_000,
            n_false_alarms: 2,
            dataset_days: 500.0,
            waits: vec![30.0, 10.0, 20.0],
            ..Tally::default()
        };
        for (late_by, detected) in [
            (Some(600), true),
            (Some(7_200), true),
            (Some(90_000), false),
            (None, true),
        ] {
            tally.count_incident(late_by, detected);
        }
        let scores = tally.scores(10.0, 2);
        assert_eq!(scores.false_alarms_per_1000_dataset_days, Some(4.0));
        assert_eq!(scores.false_alarms_per_channel_week, Some(0.7));
        assert_eq!(scores.false_alarm_rate, Some(0.002));
        assert_eq!(scores.detection, Some(0.75));
        assert_eq!(scores.precision, Some(0.6));
        assert_eq!(scores.f1, Some(2.0 * 3.0 / 9.0));
        assert_eq!(scores.minutes_to_alert_p50, Some(20.0));
        let sizes: Vec<_> = scores.by_size.iter().map(|size| size.detection).collect();
        assert_eq!(sizes, [Some(1.0), Some(1.0), Some(0.0), Some(1.0)]);
    }
}
