//! Which SQL shows in a warehouse what is learned from?
//!
//! The delay of each day, and how often a threshold was passed. Days are those
//! of UTC: zones, calendars and other cycles are for `fit`.

use askama::Template;

use super::Statement;
use super::dialect::{Dialect, Kind, UnsafeName};
use crate::sources::database::TableName;

/// Statements over a table of arrivals.
#[derive(Debug, Clone)]
pub struct LearnedSql {
    dialect: Dialect,
    arrivals: String,
    thresholds: String,
}

const INTEGER: &Kind = &Kind::Integer;

/// Seconds.
const DAY: &i64 = &86_400;
/// Seconds.
const WEEK: &i64 = &604_800;

#[derive(Template)]
#[template(path = "warehouse/features.sql", escape = "none")]
struct Features<'a> {
    d: Dialect,
    arrivals: &'a str,
}

#[derive(Template)]
#[template(path = "warehouse/rates.sql", escape = "none")]
struct Rates<'a> {
    d: Dialect,
    arrivals: &'a str,
    thresholds: &'a str,
}

impl LearnedSql {
    /// Statements over arrivals (`dataset_id`, `arrived_at`) and thresholds.
    pub fn new(
        dialect: Dialect,
        arrivals: &TableName,
        thresholds: &TableName,
    ) -> Result<LearnedSql, UnsafeName> {
        Ok(LearnedSql {
            dialect,
            arrivals: dialect.table(arrivals)?,
            thresholds: dialect.table(thresholds)?,
        })
    }

    /// The first arrival of each day: its delay and its weekday.
    pub fn features(&self) -> Statement {
        let template = Features {
            d: self.dialect,
            arrivals: &self.arrivals,
        };
        Statement::of("features", &template)
    }

    /// How often thresholds were passed.
    pub fn rates(&self) -> Statement {
        let template = Rates {
            d: self.dialect,
            arrivals: &self.arrivals,
            thresholds: &self.thresholds,
        };
        Statement::of("rates", &template)
    }
}
