//! Are the configured sources collected?

use freshness_store::{Collection, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{Finding, Health};
use crate::outputs::words;

/// How it goes with one configured source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceHealth {
    /// Its name in freshness.yaml.
    pub source: String,
    /// How it is.
    pub health: Health,
    /// When it was last tried; null: never.
    pub tried_at: Option<Timestamp>,
    /// When it was last read; null: never.
    pub succeeded_at: Option<Timestamp>,
    /// Why the last try failed; null: it did not.
    pub error: Option<String>,
    /// New arrivals of the last success; null: there was none.
    pub arrivals_new: Option<u64>,
}

/// How it goes with the configured sources, in the order of `names`; `max_age` is
/// how old the last success may be.
pub(super) fn sources(
    store: &Store,
    names: &[String],
    now: Timestamp,
    max_age: SignedDuration,
) -> Result<Vec<SourceHealth>, StoreError> {
    let collections = store.collections()?;
    let of = |name: &String| {
        let found = collections.binary_search_by(|of| of.name.as_str().cmp(name));
        found.ok().map(|i| &collections[i])
    };
    Ok(names
        .iter()
        .map(|name| health(name, of(name), now, max_age))
        .collect())
}

fn health(
    name: &str,
    collection: Option<&Collection>,
    now: Timestamp,
    max_age: SignedDuration,
) -> SourceHealth {
    let Some(collection) = collection else {
        return SourceHealth {
            source: name.to_owned(),
            health: Health::Problem,
            tried_at: None,
            succeeded_at: None,
            error: None,
            arrivals_new: None,
        };
    };
    let is_old = |at: Timestamp| now.duration_since(at) > max_age;
    let is_ok = collection.error.is_none() && !collection.succeeded_at.is_none_or(is_old);
    SourceHealth {
        source: name.to_owned(),
        health: if is_ok { Health::Ok } else { Health::Problem },
        tried_at: Some(collection.tried_at),
        succeeded_at: collection.succeeded_at,
        error: collection.error.clone(),
        arrivals_new: collection.succeeded_at.map(|_| collection.n_arrivals),
    }
}

impl SourceHealth {
    /// … in words.
    pub(super) fn finding(&self, now: Timestamp) -> Finding {
        let name = words::printable(&self.source);
        let ago = |at: Timestamp| words::duration(now.duration_since(at).as_secs().max(0));
        let read = match self.succeeded_at {
            None => "never read".to_owned(),
            Some(at) => format!("last read {} ago", ago(at)),
        };
        let words = match (&self.error, self.tried_at, self.arrivals_new) {
            (_, None, _) => format!("{name}: never collected; run `freshness collect`"),
            (Some(error), Some(tried), _) => {
                let error = words::printable(error);
                format!("{name}: failed {} ago: {error}; {read}", ago(tried))
            }
            (None, Some(_), n) if self.health == Health::Ok => {
                let n = words::count(n.unwrap_or(0), "new arrival");
                format!("{name}: {read}, {n}")
            }
            (None, Some(_), _) => format!("{name}: {read}; is `freshness collect` still run?"),
        };
        Finding::new("source", self.health, words)
    }
}
