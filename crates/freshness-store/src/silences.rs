//! Which silences are there?

use freshness_core::incidents::{Matchers, Silence};
use jiff::Timestamp;
use rusqlite::Connection;

use crate::error::{Fault, StoreError};
use crate::store::{Store, instant};

impl Store {
    /// Every silence that holds at an instant or will, by number.
    pub fn silences(&self, now: Timestamp) -> Result<Vec<Silence>, StoreError> {
        self.explain(|| read_silences(&self.connection, now))
    }

    /// Sets a silence and gives its number; what `silence.no` says is not
    /// looked at.
    pub fn set_silence(&mut self, silence: &Silence) -> Result<u64, StoreError> {
        let Silence {
            no: _,
            matchers,
            by,
            why,
            from,
            until,
        } = silence;
        let matchers = serde_json::to_string(matchers).expect("matchers are texts");
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO silences (matchers, who, why, set_at, until)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
                (matchers, by, why, from.as_second(), until.as_second()),
            )?;
            Ok(transaction.last_insert_rowid().unsigned_abs())
        })
    }

    /// Ends a silence; `false` if none of that number holds at the instant.
    pub fn end_silence(&mut self, no: u64, now: Timestamp) -> Result<bool, StoreError> {
        self.write(|transaction| {
            let ended = transaction.execute(
                "UPDATE silences SET until = ?2 WHERE no = ?1 AND until > ?2",
                (no, now.as_second()),
            )?;
            Ok(ended > 0)
        })
    }
}

/// Those that end after an instant, by number.
pub(crate) fn read_silences(
    connection: &Connection,
    now: Timestamp,
) -> Result<Vec<Silence>, Fault> {
    let mut select = connection.prepare_cached(
        "SELECT no, matchers, who, why, set_at, until
         FROM silences WHERE until > ?1 ORDER BY no",
    )?;
    let silences = select.query_map([now.as_second()], |row| {
        let matchers: String = row.get(1)?;
        Ok(Silence {
            no: row.get(0)?,
            // One that cannot be read must not silence everything.
            matchers: serde_json::from_str(&matchers).unwrap_or_default(),
            by: row.get(2)?,
            why: row.get(3)?,
            from: instant(row, 4)?,
            until: instant(row, 5)?,
        })
    })?;
    let mut silences: Vec<Silence> = silences.collect::<Result<_, _>>()?;
    silences.retain(|silence| silence.matchers != Matchers::default());
    Ok(silences)
}
