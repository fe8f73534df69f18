//! Which incidents stand, and what happened to them?
//!
//! A check reads them, says what became of them, and writes that with its
//! verdicts, all in one transaction; between two checks a person may
//! acknowledge one.

use std::collections::HashMap;

use freshness_core::incidents::{
    Ack, Advanced, Event, Followed, Incident, Member, OtherRoots, REOPENS_WITHIN, Wait, What,
};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::checks::{from_word, word};
use crate::datasets::{dataset_id, number};
use crate::error::{Fault, StoreError};
use crate::store::{Store, instant};

impl Store {
    /// The incidents that stand, and those that were resolved so recently
    /// before `now` that they may open again.
    pub fn followed(&self, now: Timestamp) -> Result<Vec<Followed>, StoreError> {
        self.explain(|| read_followed(&self.connection, reopens_since(now)))
    }

    /// All incidents there ever were, the oldest first.
    pub fn incidents(&self) -> Result<Vec<Followed>, StoreError> {
        self.explain(|| read_followed(&self.connection, i64::MIN))
    }

    /// What happened to incidents, in that order; to all, or to one.
    pub fn incident_events(&self, incident: Option<&str>) -> Result<Vec<Event>, StoreError> {
        self.explain(|| {
            let mut events = self.connection.prepare_cached(
                "SELECT incident, at, told FROM incident_events
                 WHERE ?1 IS NULL OR incident = ?1 ORDER BY no",
            )?;
            let events = events.query_map([incident], |row| {
                let told: String = row.get(2)?;
                let (incident, at) = (row.get(0)?, instant(row, 1)?);
                let what = serde_json::from_str(&told).ok();
                Ok(what.map(|what| Event { incident, at, what }))
            })?;
            // What a later version told is of no use to this one.
            let events = events.collect::<Result<Vec<_>, _>>()?;
            Ok(events.into_iter().flatten().collect())
        })
    }

    /// Records that somebody looks after an incident that stands; `false` if
    /// there is none of that id.
    pub fn acknowledge(&mut self, incident: &str, ack: &Ack) -> Result<bool, StoreError> {
        self.write(|transaction| {
            let stands = "SELECT 1 FROM incidents WHERE id = ?1 AND resolved_at IS NULL";
            let stands = transaction
                .query_row(stands, [incident], |_| Ok(()))
                .optional()?;
            if stands.is_none() {
                return Ok(false);
            }
            write_ack(transaction, incident, Some(ack))?;
            let event = Event {
                incident: incident.to_owned(),
                at: ack.at,
                what: What::Acknowledged {
                    by: ack.by.clone(),
                    why: ack.why.clone(),
                    until: ack.until,
                },
            };
            write_events(transaction, &[event])?;
            Ok(true)
        })
    }
}

/// Writes what a check made of the incidents `before` it.
pub(crate) fn write_advanced(
    transaction: &Transaction<'_>,
    before: &[Followed],
    advanced: &Advanced,
) -> Result<(), Fault> {
    let before: HashMap<&str, &Followed> = before.iter().map(|of| (of.id.as_str(), of)).collect();
    let mut replace = transaction.prepare_cached(
        "INSERT INTO incidents VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET root = excluded.root, opened_at = excluded.opened_at,
             resolved_at = excluded.resolved_at, n_late_most = excluded.n_late_most,
             silence = excluded.silence, told = excluded.told",
    )?;
    for followed in &advanced.followed {
        let Followed {
            id,
            incident,
            opened_at,
            resolved_at,
            n_late_most,
            ack,
            silence,
        } = followed;
        let was = before.get(id.as_str());
        if was.is_some_and(|was| *was == followed) {
            continue;
        }
        let root = match &incident.root {
            Some(root) => Some(number(transaction, root)?.0.0),
            None => None,
        };
        replace.execute((
            id,
            root,
            opened_at.as_second(),
            resolved_at.map(Timestamp::as_second),
            n_late_most,
            silence,
            without_members(incident),
        ))?;
        // A resolved incident is looked after no more.
        let ack = ack.as_ref().filter(|_| resolved_at.is_none());
        if was.is_none_or(|was| was.ack.as_ref() != ack) {
            write_ack(transaction, id, ack)?;
        }
        if was.is_none_or(|was| was.incident.members != incident.members) {
            write_members(transaction, id, &incident.members)?;
        }
    }
    write_events(transaction, &advanced.events)
}

/// Incidents that stand, or were resolved since an instant.
pub(crate) fn read_followed(
    connection: &Connection,
    resolved_since: i64,
) -> Result<Vec<Followed>, Fault> {
    let mut members = read_members(connection, resolved_since)?;
    let mut select = connection.prepare_cached(
        "SELECT id, opened_at, resolved_at, n_late_most, silence, told,
             who, why, at, until
         FROM incidents LEFT JOIN acks ON incident = id
         WHERE resolved_at IS NULL OR resolved_at >= ?1 ORDER BY opened_at, id",
    )?;
    let followed = select.query_map([resolved_since], |row| {
        let told: String = row.get(5)?;
        // One that cannot be read is found anew by the next check, with the
        // same id.
        let Ok(incident) = serde_json::from_str::<Incident>(&told) else {
            return Ok(None);
        };
        let id: String = row.get(0)?;
        let ack = match row.get::<_, Option<String>>(6)? {
            None => None,
            Some(by) => Some(Ack {
                by,
                why: row.get(7)?,
                at: instant(row, 8)?,
                until: maybe_instant(row, 9)?,
            }),
        };
        Ok(Some(Followed {
            incident: Incident {
                members: members.remove(&id).unwrap_or_default(),
                ..incident
            },
            id,
            opened_at: instant(row, 1)?,
            resolved_at: maybe_instant(row, 2)?,
            n_late_most: row.get(3)?,
            ack,
            silence: row.get(4)?,
        }))
    })?;
    let followed = followed.collect::<Result<Vec<_>, _>>()?;
    Ok(followed.into_iter().flatten().collect())
}

/// An incident that was resolved since then may open again.
pub(crate) fn reopens_since(now: Timestamp) -> i64 {
    now.as_second() - REOPENS_WITHIN.as_secs()
}

fn read_members(
    connection: &Connection,
    resolved_since: i64,
) -> Result<HashMap<String, Vec<Member>>, Fault> {
    let mut select = connection.prepare_cached(
        "SELECT incident, d.id, hops, state, since, counted, also, more, wait_from, wait_to,
             n_overdue, breaches
         FROM incidents i JOIN incident_members ON incident = i.id
         JOIN datasets d ON d.no = dataset_no
         WHERE resolved_at IS NULL OR resolved_at >= ?1
         ORDER BY incident, hops, d.id",
    )?;
    let mut rows = select.query([resolved_since])?;
    let mut members: HashMap<String, Vec<Member>> = HashMap::new();
    while let Some(row) = rows.next()? {
        let also: Option<String> = row.get(6)?;
        let also: Option<OtherRoots> = also.and_then(|also| serde_json::from_str(&also).ok());
        let breaches: Option<String> = row.get(11)?;
        let breaches = breaches.and_then(|breaches| serde_json::from_str(&breaches).ok());
        let wait: (Option<i64>, Option<i64>) = (row.get(8)?, row.get(9)?);
        let member = Member {
            dataset_id: dataset_id(row, 1)?,
            hops: row.get(2)?,
            state: from_word(row, 3)?,
            since: instant(row, 4)?,
            n_overdue: row.get(10)?,
            breaches: breaches.unwrap_or_default(),
            counted: row.get(5)?,
            also: also.unwrap_or_default(),
            more: row.get(7)?,
            wait: wait.0.zip(wait.1).map(|(from_seconds, to_seconds)| Wait {
                from_seconds,
                to_seconds,
            }),
        };
        members.entry(row.get(0)?).or_default().push(member);
    }
    Ok(members)
}

fn write_members(
    transaction: &Transaction<'_>,
    incident: &str,
    members: &[Member],
) -> Result<(), Fault> {
    transaction
        .prepare_cached("DELETE FROM incident_members WHERE incident = ?1")?
        .execute([incident])?;
    let mut insert = transaction.prepare_cached(
        "INSERT INTO incident_members VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    for member in members {
        let Member {
            dataset_id,
            hops,
            state,
            since,
            n_overdue,
            breaches,
            counted,
            also,
            more,
            wait,
        } = member;
        let also = (!also.is_empty()).then(|| json(also));
        let breaches = (!breaches.is_empty()).then(|| json(breaches));
        insert.execute((
            incident,
            number(transaction, dataset_id)?.0.0,
            hops,
            word(state),
            since.as_second(),
            counted,
            also,
            more,
            wait.map(|wait| wait.from_seconds),
            wait.map(|wait| wait.to_seconds),
            n_overdue,
            breaches,
        ))?;
    }
    Ok(())
}

fn write_events(transaction: &Transaction<'_>, events: &[Event]) -> Result<(), Fault> {
    let mut insert = transaction
        .prepare_cached("INSERT INTO incident_events (incident, at, told) VALUES (?1, ?2, ?3)")?;
    for Event { incident, at, what } in events {
        insert.execute((incident, at.as_second(), json(what)))?;
    }
    Ok(())
}

fn write_ack(
    transaction: &Transaction<'_>,
    incident: &str,
    ack: Option<&Ack>,
) -> Result<(), Fault> {
    let Some(Ack { by, why, at, until }) = ack else {
        transaction
            .prepare_cached("DELETE FROM acks WHERE incident = ?1")?
            .execute([incident])?;
        return Ok(());
    };
    let until = until.map(Timestamp::as_second);
    transaction
        .prepare_cached("INSERT OR REPLACE INTO acks VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute((incident, by, why, at.as_second(), until))?;
    Ok(())
}

fn without_members(incident: &Incident) -> String {
    json(&Incident {
        members: Vec::new(),
        ..incident.clone()
    })
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("it has only text keys")
}

fn maybe_instant(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    match row.get_ref(column)? {
        rusqlite::types::ValueRef::Null => Ok(None),
        _ => instant(row, column).map(Some),
    }
}
