//! How do a warehouse's own tables keep a ledger of coverage?
//!
//! Contracts and ledger as tables, the insert of a writer, and the check: the
//! same conditions in the same order as `freshness_core::coverage::check`, for
//! contracts without a calendar.

use askama::Template;
use freshness_core::coverage::{MINUTES_MAX, ScopeKey};
use freshness_core::dataset::DatasetId;
use jiff::Timestamp;

use super::Statement;
use super::dialect::{Dialect, Kind, UnsafeName};
use crate::sources::database::TableName;

/// Where coverage is kept, and how it is judged.
#[derive(Debug, Clone)]
pub struct CoverageSql {
    dialect: Dialect,
    contracts: String,
    ledger: String,
    pinned: Option<Timestamp>,
}

const NAME: &Kind = &Kind::Name;
const TEXT: &Kind = &Kind::Text;
const INTEGER: &Kind = &Kind::Integer;
const TIME: &Kind = &Kind::Time;

const NAME_BYTES: &usize = &ScopeKey::MAX_BYTES;
const DATASET_BYTES: &usize = &DatasetId::MAX_BYTES;

/// No release is older: 1990-01-01T00:00:00Z, as in the ledger of the store.
const EARLIEST: i64 = 631_152_000;

/// What a writer says, in this order.
const PARAMETERS: [(&str, &Kind); 9] = [
    ("source", NAME),
    ("scope", NAME),
    ("run_id", TEXT),
    ("source_complete_through", TIME),
    ("published_at", TIME),
    ("source_position", TEXT),
    ("row_count", INTEGER),
    ("regression_reason", TEXT),
    ("expect_seq", INTEGER),
];

#[derive(Template)]
#[template(path = "warehouse/ddl.sql", escape = "none")]
struct Ddl<'a> {
    d: Dialect,
    contracts: &'a str,
    ledger: &'a str,
}

#[derive(Template)]
#[template(path = "warehouse/publish.sql", escape = "none")]
struct Publish<'a> {
    d: Dialect,
    contracts: &'a str,
    ledger: &'a str,
    now: String,
    pinned: bool,
}

#[derive(Template)]
#[template(path = "warehouse/check.sql", escape = "none")]
struct Check<'a> {
    d: Dialect,
    contracts: &'a str,
    ledger: &'a str,
    now: String,
    pinned: Option<Timestamp>,
    only_unhealthy: bool,
}

impl CoverageSql {
    /// Statements over two tables. The clock is the database's own, unless it
    /// is pinned.
    pub fn new(
        dialect: Dialect,
        contracts: &TableName,
        ledger: &TableName,
        pinned: Option<Timestamp>,
    ) -> Result<CoverageSql, UnsafeName> {
        Ok(CoverageSql {
            dialect,
            contracts: dialect.table(contracts)?,
            ledger: dialect.table(ledger)?,
            pinned,
        })
    }

    /// Makes the two tables.
    pub fn ddl(&self) -> Statement {
        let template = Ddl {
            d: self.dialect,
            contracts: &self.contracts,
            ledger: &self.ledger,
        };
        Statement::of("ddl", &template)
    }

    /// Inserts a release that is accepted; says why one is not.
    pub fn publish(&self) -> Statement {
        let template = Publish {
            d: self.dialect,
            contracts: &self.contracts,
            ledger: &self.ledger,
            now: self.dialect.now(self.pinned),
            pinned: self.pinned.is_some(),
        };
        Statement::of("publish", &template)
    }

    /// Judges every contract.
    pub fn check(&self, only_unhealthy: bool) -> Statement {
        let template = Check {
            d: self.dialect,
            contracts: &self.contracts,
            ledger: &self.ledger,
            now: self.dialect.now(self.pinned),
            pinned: self.pinned,
            only_unhealthy,
        };
        Statement::of("check", &template)
    }
}
