//! How is a long list of Airflow read, page by page?
//!
//! A list that grows while it is read must not be counted through: a row that goes
//! away would make the next one unseen. So each page begins at the time at which the
//! one before ended, and rows that are met again are known by their names. Only
//! among rows of one instant is counted.

use std::collections::HashSet;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::api::{Asset, AssetEvent, DagRun, TaskInstance};
use crate::sources::collect::NotCollected;
use crate::sources::web::Web;

/// Rows on a page: as many as an Airflow gives unless it is told otherwise.
const PAGE_ROWS: &str = "100";

/// Rows of one list in one reading.
const ROWS_MAX: usize = 2_000_000;

/// A list.
pub(super) struct Listing {
    path: &'static str,
    /// The key of the rows in an answer.
    rows: &'static str,
    /// What it is in the order of.
    order: &'static str,
    /// The parameter for the time at which it begins; `None`: it has no times.
    since: Option<&'static str>,
    /// Other parameters.
    only: &'static [(&'static str, &'static str)],
}

impl Listing {
    pub(super) const EVENTS: Listing = Listing {
        path: "api/v2/assets/events",
        rows: "asset_events",
        order: "timestamp",
        since: Some("timestamp_gte"),
        only: &[],
    };
    pub(super) const OPEN_RUNS: Listing = Listing {
        path: "api/v2/dags/~/dagRuns",
        rows: "dag_runs",
        order: "id",
        since: None,
        only: &[("state", "running"), ("state", "queued")],
    };
    pub(super) const ENDED_RUNS: Listing = Listing {
        path: "api/v2/dags/~/dagRuns",
        rows: "dag_runs",
        order: "end_date",
        since: Some("end_date_gte"),
        only: &[("state", "success"), ("state", "failed")],
    };
    pub(super) const TASKS: Listing = Listing {
        path: "api/v2/dags/~/dagRuns/~/taskInstances",
        rows: "task_instances",
        order: "end_date",
        since: Some("end_date_gte"),
        only: &[("state", "success")],
    };
    pub(super) const ASSETS: Listing = Listing {
        path: "api/v2/assets",
        rows: "assets",
        order: "id",
        since: None,
        only: &[],
    };
}

/// A row of a list.
pub(super) trait Row: DeserializeOwned {
    /// What tells it from every other.
    fn key(&self) -> String;
    /// Its place in the order.
    fn at(&self) -> Option<Timestamp>;
}

/// An answer: a list under a name, and how long it is in all.
struct Page {
    rows: Vec<Value>,
    total: Option<usize>,
}

/// All rows of a list from a time on.
pub(super) fn each_page<T: Row>(
    web: &Web,
    listing: &Listing,
    since: Timestamp,
) -> Result<Vec<T>, NotCollected> {
    read(listing, since, |query| {
        let answer: Value = web.get(listing.path, query)?;
        page(listing, answer).ok_or_else(|| otherwise(listing))
    })
}

fn read<T: Row>(
    listing: &Listing,
    mut since: Timestamp,
    mut ask: impl FnMut(&[(&str, &str)]) -> Result<Page, NotCollected>,
) -> Result<Vec<T>, NotCollected> {
    let mut all: Vec<T> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut offset = 0;
    loop {
        let (from, skip) = (since.to_string(), offset.to_string());
        let mut query = vec![
            ("limit", PAGE_ROWS),
            ("offset", &skip),
            ("order_by", listing.order),
        ];
        query.extend(listing.since.map(|parameter| (parameter, &*from)));
        query.extend(listing.only);
        let Page { rows, total } = ask(&query)?;
        let n_rows = rows.len();
        let mut newest = since;
        for row in rows {
            let row = serde_json::from_value(row);
            let row: T = row.map_err(|_| otherwise(listing))?;
            newest = newest.max(row.at().unwrap_or(since));
            if known.insert(row.key()) {
                all.push(row);
            }
        }
        if all.len() > ROWS_MAX {
            return Err(NotCollected::with_hint(
                format_args!("more than {ROWS_MAX} rows of /{}", listing.path),
                Some("begin later: `since: 30d`"),
            ));
        }
        if n_rows == 0 || total.is_some_and(|total| offset + n_rows >= total) {
            return Ok(all);
        }
        if newest > since {
            (since, offset) = (newest, 0);
        } else {
            offset += n_rows;
        }
    }
}

fn page(listing: &Listing, mut answer: Value) -> Option<Page> {
    let answer = answer.as_object_mut()?;
    let Value::Array(rows) = answer.remove(listing.rows)? else {
        return None;
    };
    let total = answer.get("total_entries").and_then(Value::as_u64);
    Some(Page {
        rows,
        total: total.and_then(|total| total.try_into().ok()),
    })
}

/// The answer is JSON, and no list of such rows.
fn otherwise(listing: &Listing) -> NotCollected {
    NotCollected::with_hint(
        format_args!("/{} answers with other keys than Airflow's", listing.path),
        Some("the API v2 of Airflow 3 is read"),
    )
}

impl Row for AssetEvent {
    fn key(&self) -> String {
        self.id.to_string()
    }

    fn at(&self) -> Option<Timestamp> {
        Some(self.timestamp)
    }
}

impl Row for DagRun {
    fn key(&self) -> String {
        // A run that is run again ends again.
        format!("{}\n{}\n{:?}", self.dag_id, self.dag_run_id, self.end_date)
    }

    fn at(&self) -> Option<Timestamp> {
        self.end_date
    }
}

impl Row for TaskInstance {
    fn key(&self) -> String {
        format!("{}\n{:?}", self.id, self.end_date)
    }

    fn at(&self) -> Option<Timestamp> {
        self.end_date
    }
}

impl Row for Asset {
    fn key(&self) -> String {
        self.id.to_string()
    }

    fn at(&self) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A server with events at these seconds, which gives so many rows at most.
    fn served(
        seconds: &[i64],
        rows_max: usize,
        says_total: bool,
    ) -> impl FnMut(&[(&str, &str)]) -> Result<Page, NotCollected> {
        move |query| {
            let said = |name: &str| query.iter().find(|(key, _)| *key == name).unwrap().1;
            let since: Timestamp = said("timestamp_gte").parse().unwrap();
            let rows: Vec<Value> = (seconds.iter().enumerate())
                .filter(|(_, second)| **second >= since.as_second())
                .map(|(id, &second)| {
                    let at = Timestamp::from_second(second).unwrap().to_string();
                    json!({"id": id, "name": "a", "timestamp": at})
                })
                .collect();
            let skip: usize = said("offset").parse().unwrap();
            Ok(Page {
                total: says_total.then_some(rows.len()),
                rows: rows.into_iter().skip(skip).take(rows_max).collect(),
            })
        }
    }

    #[test]
    fn every_row_is_read_once_however_short_pages_are_and_however_many_end_at_once() {
        let seconds = [1, 2, 2, 2, 2, 2, 3, 4, 4, 9];
        for rows_max in 1..=11 {
            for says_total in [true, false] {
                let ask = served(&seconds, rows_max, says_total);
                let read: Vec<AssetEvent> =
                    read(&Listing::EVENTS, Timestamp::UNIX_EPOCH, ask).unwrap();
                let ids: Vec<i64> = read.iter().map(|event| event.id).collect();
                assert_eq!(ids, (0..10).collect::<Vec<i64>>(), "{rows_max}");
            }
        }
    }

    #[test]
    fn what_is_no_list_of_such_rows_is_said() {
        for answer in [
            json!([]),
            json!({"assets": []}),
            json!({"asset_events": {}}),
            json!({"detail": "no"}),
        ] {
            assert!(page(&Listing::EVENTS, answer).is_none());
        }
        let odd = page(&Listing::EVENTS, json!({"asset_events": [{"id": "hush"}]}));
        let mut odd = odd.into_iter();
        let read = read::<AssetEvent>(&Listing::EVENTS, Timestamp::UNIX_EPOCH, |_| {
            Ok(odd.next().unwrap())
        });
        assert_eq!(
            read.unwrap_err().what,
            "/api/v2/assets/events answers with other keys than Airflow's"
        );
    }
}
