//! What is normal?
//!
//! [`fit`] learns one dataset from its own history and nothing else, so that a
//! warehouse is fitted on all cores, or by a cluster, without a second
//! implementation. The steps, in order: calendar and zone, moves of the
//! schedule, matching to cycles, cells and their tails, recent shift; too
//! little of it is a cold start.

mod bootstrap;
mod burst;
mod cells;
mod cold_start;
mod delays;
mod effects;
mod expect;
mod fitted;
mod gaps;
mod groups;
mod lately;
mod learn;
mod location;
mod model;
mod quantile;
mod regimes;
mod shift;
mod spreads;
mod tail;
mod trim;
mod window;

pub use crate::calendar::Source;
pub use burst::Burst;
pub use expect::Expectation;
pub(crate) use gaps::{LEAST_GAP, part_of};
pub use model::{
    ArrivalModel, Cell, CellKey, Change, ColdStart, Effect, EffectKey, Fitted, GapCell, GapModel,
    Model, Move, ShiftNote,
};
pub(crate) use model::{to_seconds, to_timestamp};

use crate::arrivals::ArrivalHistory;
use crate::calendar::{self, Inference};
use crate::civil::{DAY, Holidays};
use crate::dataset::Dataset;
use crate::schedule::{Calendar, Grain};

/// Scales the median absolute deviation to a normal standard deviation
/// (Iglewicz & Hoaglin 1993).
const MAD_TO_SIGMA: f64 = 1.4826;

/// What the user can set about learning.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The share of ordinary daily cycles that may pass the deadline; of other
    /// grains times the square root of their period in days.
    pub false_alarm_rate: f64,
    /// Instead: false alarms that a dataset may raise in a month, whatever its
    /// grain; positive.
    pub false_alarms_per_month: Option<f64>,
    /// Seed of the bootstrap.
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            false_alarm_rate: 0.001,
            false_alarms_per_month: None,
            seed: 0,
        }
    }
}

impl Parameters {
    /// The share of a grain's ordinary cycles that may pass the deadline.
    pub fn rate(&self, grain: Grain) -> f64 {
        /// Rates outside are no thresholds.
        const RATES: (f64, f64) = (1e-5, 0.05);
        let days = grain.seconds() as f64 / DAY as f64;
        let rate = match self.false_alarms_per_month {
            Some(per_month) => per_month * grain.seconds() as f64 / Grain::Month.seconds() as f64,
            None => self.false_alarm_rate * days.sqrt(),
        };
        rate.clamp(RATES.0, RATES.1)
    }
}

/// Learns what is normal for a dataset from the arrivals up to `as_of` (UTC
/// seconds); later ones are not looked at.
pub fn fit(
    dataset: &Dataset,
    history: &ArrivalHistory,
    holidays: &Holidays,
    as_of: i64,
    parameters: &Parameters,
) -> Model {
    let n_arrivals = history.at().partition_point(|&at| at <= as_of);
    let at = &history.at()[..n_arrivals];
    let inference = calendar::infer(dataset, at, holidays);
    let period = |of: &Inference| of.calendar.grain().map(Grain::seconds);
    let burst = (inference.as_ref().and_then(period))
        .and_then(|period| burst::learn(history, n_arrivals, period));
    let mut fitted = match burst {
        None => learned(
            dataset, inference, history, n_arrivals, holidays, parameters,
        ),
        Some(burst) => {
            let deliveries = burst.deliveries(history, as_of);
            let inference = calendar::infer(dataset, deliveries.at(), holidays);
            let n = deliveries.len();
            learned(dataset, inference, &deliveries, n, holidays, parameters)
        }
    };
    if let Some(burst) = &burst {
        burst.allow(&mut fitted);
    }
    Model {
        version: Model::VERSION,
        dataset_id: dataset.id.clone(),
        as_of: to_timestamp(as_of),
        first_arrival: at.first().copied().map(to_timestamp),
        n_arrivals: n_arrivals as u64,
        burst,
        fitted,
    }
}

/// Learns from the first `n_arrivals`, by what was inferred of them.
fn learned(
    dataset: &Dataset,
    inference: Option<Inference>,
    history: &ArrivalHistory,
    n_arrivals: usize,
    holidays: &Holidays,
    parameters: &Parameters,
) -> Fitted {
    let at = &history.at()[..n_arrivals];
    // What comes again every week is a habit, which the history shows.
    let maintenance = dataset.maintenance.single();
    match inference {
        None => Fitted::ColdStart(cold_start::before_the_first_arrival(dataset)),
        Some(inference) => match inference.calendar {
            Calendar::Irregular => learn::irregular(&inference, at, &maintenance, parameters),
            _ => learn::scheduled(
                &inference,
                history,
                n_arrivals,
                holidays,
                &maintenance,
                parameters,
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrivals::{Arrival, ArrivalDetail};
    use crate::civil::{HOUR, MINUTE};
    use crate::dataset::DatasetId;

    /// Minutes past 06:00 at which a daily feed with an exponential tail is late,
    /// if a month may raise so many false alarms.
    fn deadline(false_alarms_per_month: f64) -> f64 {
        let delay = |i: i64| {
            let share = ((i * 7_919 % 400) as f64 + 0.5) / 400.0;
            (-10.0 * (1.0 - share).ln() * MINUTE as f64) as i64
        };
        let arrivals = (0..400).map(|i| Arrival {
            at: (20_000 + i) * DAY + 6 * HOUR + delay(i),
            detail: ArrivalDetail::default(),
        });
        let model = fit(
            &Dataset::undeclared(DatasetId::try_from("raw_orders").unwrap()),
            &ArrivalHistory::new(arrivals.collect()),
            &Holidays::builtin(),
            20_400 * DAY,
            &Parameters {
                false_alarms_per_month: Some(false_alarms_per_month),
                ..Parameters::default()
            },
        );
        let Fitted::Learned(model) = model.fitted else {
            panic!("{:?}", model.fitted);
        };
        let cells = model.cells.iter().map(|cell| cell.threshold);
        cells.fold(0.0, f64::max) - 6.0 * 60.0
    }

    #[test]
    fn who_bears_more_false_alarms_gets_an_earlier_deadline() {
        let [seldom, now_and_then, often] = [0.03, 0.3, 1.5].map(deadline);
        // Of an exponential tail one in n is later than 10 ln n minutes.
        assert!((often - 10.0 * 20_f64.ln()).abs() < 8.0, "{often}");
        assert!(
            (now_and_then - 10.0 * 100_f64.ln()).abs() < 8.0,
            "{now_and_then}"
        );
        assert!(seldom > now_and_then + 10.0, "{seldom}");
    }

    #[test]
    fn a_month_of_any_grain_may_raise_what_the_user_bears() {
        let stated = Parameters {
            false_alarms_per_month: Some(0.1),
            ..Parameters::default()
        };
        for grain in [Grain::HOUR, Grain::Day, Grain::Week] {
            let cycles = Grain::Month.seconds() as f64 / grain.seconds() as f64;
            assert!(
                (stated.rate(grain) * cycles - 0.1).abs() < 1e-9,
                "{grain:?}"
            );
        }
        let usual = Parameters::default();
        assert_eq!(usual.rate(Grain::Day), 0.001);
        assert!(usual.rate(Grain::HOUR) < 0.001 && usual.rate(Grain::Week) > 0.001);
    }
}
