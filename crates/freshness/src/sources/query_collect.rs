//! How is a configured query collected?
//!
//! Its cursor is the newest arrival that was read, and a mark of the query: one
//! that was changed may tell of datasets that the old one never named, so it is
//! asked from the beginning.

use twox_hash::XxHash3_64;

use super::collect::{Asked, Collected, NotCollected};
use super::problem::BadRows;
use super::query::{QuerySource, read_query};

/// Reads what a query tells that it did not tell before. A row that means
/// nothing stops it, so that nothing is half read.
pub fn collect_query(source: &QuerySource, asked: &Asked<'_>) -> Result<Collected, NotCollected> {
    let mark = format!("{:016x}", XxHash3_64::oneshot(source.sql.as_bytes()));
    let newest = asked.cursor.and_then(|cursor| {
        let (newest, of) = cursor.split_once(' ')?;
        (of == mark).then(|| newest.parse().ok())?
    });
    let mut bad = BadRows::default();
    let read = read_query(source, newest, &mut bad)
        .map_err(|error| NotCollected::with_hint(&error, error.hint()))?;
    if !bad.is_empty() {
        return Err(NotCollected::of_rows(&bad));
    }
    Ok(Collected {
        events: None,
        told: read.told,
        cursor: read.newest.map(|newest| format!("{newest} {mark}")),
    })
}
