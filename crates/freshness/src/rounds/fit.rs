//! What is normal for each dataset, and what of it is news?

use std::panic::{self, AssertUnwindSafe};

use freshness_core::fit::{self, Change, Fitted, Model, Move, ShiftNote};
use freshness_core::schedule::Calendar;
use freshness_core::{civil::Holidays, dataset::DatasetId};
use freshness_store::{DatasetEntry, FitRun, Store};
use jiff::Timestamp;
use serde::Serialize;

use super::edge_lags::edge_lags;
use super::share::share;
use super::{DatasetFailure, Learning, RoundError, holidays};
use crate::clock::{CLOCK_SLACK, Clock};
use crate::threads::n_threads;

/// What a fit learned that the one before did not know.
#[derive(Debug, Clone, PartialEq)]
pub struct FitReport {
    /// The run as it was recorded.
    pub run: FitRun,
    /// Arrivals read.
    pub n_arrivals: u64,
    /// News, by dataset.
    pub news: Vec<FitChange>,
    /// Datasets that could not be fitted; their former models stay.
    pub failed: Vec<DatasetFailure>,
}

/// News of one dataset.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FitChange {
    /// Which.
    pub dataset_id: DatasetId,
    /// What.
    #[serde(flatten)]
    pub news: News,
}

/// What is new of a dataset since the last fit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum News {
    /// Its schedule moved.
    Moved {
        /// When and how.
        #[serde(flatten)]
        moved: Move,
    },
    /// Its calendar reads differently.
    CalendarChanged {
        /// The former calendar.
        from: Calendar,
        /// The present one.
        to: Calendar,
    },
    /// It moved too recently to be sure: its threshold is wider for now.
    Provisional {
        /// What moved.
        #[serde(flatten)]
        shift: ShiftNote,
    },
    /// It has a learned model, and had none.
    Learned {
        /// Its calendar.
        calendar: Calendar,
    },
    /// It has no calendar, and had one or was not known.
    Irregular,
    /// It has too little history.
    ColdStart {
        /// Cycles seen.
        n_cycles: u32,
        /// Cycles needed.
        n_needed: u32,
    },
}

/// May a fit be as of any time?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AsOf {
    /// Only as of now, or of a past that no model has seen yet: a clock that is
    /// wrong must not cost the models.
    Present,
    /// As of any time: the user means it.
    Any,
}

/// Below so many datasets a second thread costs more than it saves.
const DATASETS_PER_THREAD: usize = 8;

/// Learns every dataset from its whole history and stores the models in one
/// transaction. `progress` hears how many more datasets are finished, of how
/// many. What could not be learned replaces nothing.
pub fn fit(
    store: &mut Store,
    clock: &Clock,
    allowed: AsOf,
    parameters: &Learning<'_>,
    threads: Option<u16>,
    progress: impl Fn(u64, u64) + Sync,
) -> Result<FitReport, RoundError> {
    let (started, as_of) = (clock.now(), clock.now());
    let entries = store.datasets()?;
    if entries.is_empty() {
        return Err(RoundError::EmptyInventory(
            store.path().display().to_string(),
        ));
    }
    if allowed == AsOf::Present {
        must_be_present(store, clock, as_of)?;
    }
    let holidays = holidays();
    let n_threads = n_threads(threads, entries.len(), DATASETS_PER_THREAD);
    let fitted = share(
        store,
        n_threads,
        &entries,
        |store, entry| fit_one(store, entry, &holidays, as_of, parameters),
        |n_more| progress(n_more, entries.len() as u64),
    )?;

    let mut models = Vec::with_capacity(entries.len());
    let mut news = Vec::new();
    let mut failed = Vec::new();
    for (entry, fitted) in entries.iter().zip(fitted) {
        match fitted {
            Ok((model, its_news)) => {
                news.extend(its_news.into_iter().map(|news| FitChange {
                    dataset_id: entry.id.clone(),
                    news,
                }));
                models.push((entry.no, model));
            }
            Err(error) => failed.push(DatasetFailure {
                dataset_id: entry.id.clone(),
                error,
            }),
        }
    }
    let n_arrivals = models.iter().map(|(_, model)| model.n_arrivals).sum();
    if n_arrivals == 0 && failed.is_empty() {
        return Err(RoundError::NothingArrived { as_of });
    }
    let fitted = models.iter().map(|(_, model)| model);
    let run = FitRun::new(started, clock.now(), as_of, fitted, failed.len() as u64);
    // A fit that learned nothing must not look like a recent one.
    if !models.is_empty() {
        let lags = edge_lags(store, &models, &holidays, as_of, threads)?;
        store.record_fit(&run, &models, &lags)?;
    }
    Ok(FitReport {
        run,
        n_arrivals,
        news,
        failed,
    })
}

fn must_be_present(store: &Store, clock: &Clock, as_of: Timestamp) -> Result<(), RoundError> {
    if clock.ahead().is_some_and(|ahead| ahead > CLOCK_SLACK) {
        return Err(RoundError::FitAhead { as_of });
    }
    match store.newest_model()? {
        Some(newest) if newest.duration_since(as_of) > CLOCK_SLACK => {
            Err(RoundError::Backdated { as_of, newest })
        }
        _ => Ok(()),
    }
}

fn fit_one(
    store: &Store,
    entry: &DatasetEntry,
    holidays: &Holidays,
    as_of: Timestamp,
    parameters: &Learning<'_>,
) -> Result<(Model, Vec<News>), String> {
    let dataset = entry.declared.as_ref().map_err(ToString::to_string)?;
    let history = store.history(entry.no).map_err(|error| error.to_string())?;
    // A defect that one history brings to light must not stop the others.
    let model = panic::catch_unwind(AssertUnwindSafe(|| {
        let parameters = parameters.of(dataset);
        fit::fit(dataset, &history, holidays, as_of.as_second(), &parameters)
    }))
    .map_err(|_| "the fit itself failed; please report this as a defect".to_owned())?;
    // A model that cannot be read is no model: what replaces it is news.
    let before = store.model(entry.no).ok().flatten();
    if let Some(before) = before.as_ref().filter(|before| before.n_arrivals > 0)
        && model.n_arrivals == 0
        && !(history.is_empty()
            && store
                .is_emptied(entry.no)
                .is_ok_and(|is_emptied| is_emptied))
    {
        return Err(format!(
            "nothing had arrived by {as_of}; its model as of {} stays",
            before.as_of
        ));
    }
    let news = news_of(before.as_ref(), &model);
    Ok((model, news))
}

/// What the new model says that the old one did not, most telling first.
fn news_of(before: Option<&Model>, model: &Model) -> Vec<News> {
    let was = before.map(|before| &before.fitted);
    let was_status = was.map(Fitted::status);
    let mut news = Vec::new();
    // The first model tells a whole history of moves; that is no news.
    if let Some(was) = was {
        let known = |moved: &Move| was.moves().iter().any(|old| same_move(old, moved));
        news.extend(
            model
                .fitted
                .moves()
                .iter()
                .filter(|moved| !known(moved))
                .map(|moved| News::Moved {
                    moved: moved.clone(),
                }),
        );
        let (from, to) = (was.calendar(), model.fitted.calendar());
        let both = [from, to];
        if from != to && !both.contains(&&Calendar::Irregular) && was_status != Some("cold_start") {
            news.push(News::CalendarChanged {
                from: from.clone(),
                to: to.clone(),
            });
        }
    }
    match &model.fitted {
        Fitted::Provisional { shift, .. } if was_status != Some("provisional") => {
            news.push(News::Provisional {
                shift: shift.clone(),
            });
        }
        Fitted::Learned(learned) if !matches!(was_status, Some("learned" | "provisional")) => {
            news.push(News::Learned {
                calendar: learned.calendar.clone(),
            });
        }
        Fitted::Irregular(_) if was_status != Some("irregular") => news.push(News::Irregular),
        Fitted::ColdStart(cold) if was_status != Some("cold_start") => news.push(News::ColdStart {
            n_cycles: cold.n_cycles,
            n_needed: cold.n_needed,
        }),
        Fitted::Provisional { .. }
        | Fitted::Learned(_)
        | Fitted::Irregular(_)
        | Fitted::ColdStart(_) => {}
    }
    news
}

/// More data moves the date of a change a little, which is no new change.
fn same_move(old: &Move, new: &Move) -> bool {
    const SLACK_DAYS: f64 = 7.0;
    let days = (new.at.as_second() - old.at.as_second()) as f64 / 86_400.0;
    let same_kind = matches!(
        (&old.change, &new.change),
        (Change::Shift { .. }, Change::Shift { .. })
            | (Change::LaterLoad { .. }, Change::LaterLoad { .. })
            | (Change::Cadence { .. }, Change::Cadence { .. })
    );
    same_kind && days.abs() <= SLACK_DAYS
}

#[cfg(test)]
mod tests {
    use freshness_core::fit::ColdStart;

    use super::*;

    fn cold(n_cycles: u32, calendar: &str) -> Model {
        Model {
            version: Model::VERSION,
            dataset_id: DatasetId::try_from("raw_orders").unwrap(),
            as_of: Timestamp::UNIX_EPOCH,
            first_arrival: None,
            n_arrivals: u64::from(n_cycles),
            burst: None,
            fitted: Fitted::ColdStart(ColdStart {
                calendar: calendar.parse().unwrap(),
                calendar_source: fit::Source::Default,
                zone: freshness_core::civil::Zone::universal(),
                zone_source: fit::Source::Default,
                n_cycles,
                n_needed: 10,
                p50: None,
                threshold: 480.0,
            }),
        }
    }

    #[test]
    fn a_cold_start_is_news_once() {
        let first = cold(3, "daily");
        let news = news_of(None, &first);
        assert_eq!(
            news,
            [News::ColdStart {
                n_cycles: 3,
                n_needed: 10
            }]
        );
        assert_eq!(news_of(Some(&first), &cold(4, "weekly Mon")), []);
    }

    #[test]
    fn a_move_whose_date_was_refined_is_no_news() {
        let moved = |day: i64, minutes| Move {
            at: Timestamp::from_second(day * 86_400).unwrap(),
            change: Change::Shift { minutes },
        };
        assert!(same_move(&moved(100, 40.0), &moved(103, 42.0)));
        assert!(!same_move(&moved(100, 40.0), &moved(130, 42.0)));
    }
}
