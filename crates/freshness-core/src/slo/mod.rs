//! What does an owner promise of a dataset, and is it kept?
//!
//! An [`Objective`] is one promise: freshness, freshness of the source,
//! availability, row count, quality. [`ServiceLevels`] holds those of a
//! dataset; a [`Run`] says what was measured of it. This floor stands below
//! the learned ones, so a promise is never judged by what is usual in arrivals.

mod run;
mod service_levels;

pub use run::{Counts, Filled, Newest, Run, Stage, USUAL_ENVIRONMENT};
pub use service_levels::{
    About, Anomaly, AnomalyMethod, Availability, CountField, DayPromise, Freshness, Objective,
    Quality, RowCount, ServiceLevels,
};
