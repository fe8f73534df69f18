//! What is one release of a scope?

use serde::{Deserialize, Serialize};

use super::claim::Claim;

/// What a sender says it has published; any of it may be missing or wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The feed.
    pub source: String,
    /// The part of it.
    pub scope: String,
    /// The run that published; the same run again changes nothing.
    pub run_id: String,
    /// Up to when everything of the source is in what was published: UTC
    /// seconds.
    pub complete_through: Option<i64>,
    /// When it was published: UTC seconds.
    pub published_at: Option<i64>,
    /// Where the source was read to: an offset, an LSN, the hash of a manifest.
    pub position: Option<String>,
    /// Rows published; nothing is a valid number of rows.
    pub rows: Option<u64>,
    /// What it shows for it.
    #[serde(default)]
    pub claim: Claim,
    /// The sequence that the sender expects to be given.
    pub expect_seq: Option<u64>,
    /// Why coverage may go back.
    pub allow_regression: Option<String>,
    /// Was data that is covered already made anew? Coverage stays.
    #[serde(default)]
    pub correction: bool,
}

/// One accepted release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Publication {
    /// Its place in the ledger of its scope: 1, 2, 3, …
    pub seq: u64,
    /// The run that published.
    pub run_id: String,
    /// Up to when the scope is covered with it: UTC seconds.
    pub complete_through: i64,
    /// When it was published: UTC seconds.
    pub published_at: i64,
    /// Where the source was read to.
    pub position: Option<String>,
    /// Rows published.
    pub rows: Option<u64>,
    /// What was shown for it.
    pub claim: Claim,
    /// Why coverage went back with it.
    pub regression: Option<String>,
    /// Was data that was covered already made anew?
    pub correction: bool,
}

/// The release with the highest sequence, as a ledger holds it. Ours accepts
/// none with anything missing; one that was kept elsewhere may.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Newest {
    /// Its sequence.
    pub seq: Option<i64>,
    /// How many releases of the scope have that sequence: 1.
    pub n_of_seq: u64,
    /// The run that published.
    pub run_id: Option<String>,
    /// Up to when the scope is covered: UTC seconds.
    pub complete_through: Option<i64>,
    /// When it was published: UTC seconds.
    pub published_at: Option<i64>,
    /// When the scope was first covered so far: the earliest `published_at` of
    /// a release of the scope in good clock order that reaches as far. UTC
    /// seconds. Publishing the same data again does not change it.
    pub reached_at: Option<i64>,
    /// Rows published.
    pub rows: Option<i64>,
}
