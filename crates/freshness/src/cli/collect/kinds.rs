//! How does a source of freshness.yaml become a reader?
//!
//! An arm for each kind: what was typed becomes what the kind's own function
//! takes, at the time it is read, so that a secret or a file that is missing
//! fails this source and no other.

use std::fs;
use std::time::Duration;

use freshness_core::dataset::DatasetId;

use crate::config::{
    ArrivalsSection, Connection, DbtSection, FilesSection, LakeSection, OpenlineageSection,
    QuerySection, SINCE, Settings, SourceSection, TIMEOUT, object_store_variables, values,
};
use crate::hint::did_you_mean;
use crate::outputs::words;
use crate::rounds::collect::Reader;
use crate::sources::database::Address;
use crate::sources::files::{FilePattern, FileRules, read_files};
use crate::sources::place::Place;
use crate::sources::{
    ArrivalFiles, Asked, Collected, DbtTargets, Lake, LakeTables, NotCollected, QuerySource,
    TimeRules, collect_airflow, collect_arrival_files, collect_dagster, collect_dbt,
    collect_events, collect_query, collect_tables,
};

/// How far a log of loads may be behind its own newest entry.
const OVERLAP: Duration = Duration::from_secs(2 * 86_400);

/// How a source is read.
pub(in crate::cli) fn reader(name: &str, section: &SourceSection, settings: &Settings) -> Reader {
    match section.clone() {
        SourceSection::Query(section) => {
            let connection = connection(&section.connection, settings);
            let label = name.to_owned();
            Box::new(move |asked| {
                let address = address(&section.connection, &connection)?;
                let source = query(label.clone(), &section, address, asked.now)?;
                collect_query(&source, asked)
            })
        }
        SourceSection::Arrivals(section) => Box::new(move |asked| {
            let ArrivalsSection { files, assume_zone } = section.clone();
            let times = TimeRules {
                now: asked.now,
                assume_zone,
            };
            collect_arrival_files(&ArrivalFiles { files, times }, asked)
        }),
        SourceSection::Files(section) => Box::new(move |asked| files(&section, asked)),
        SourceSection::Delta(section) => tables(Lake::Delta, section),
        SourceSection::Iceberg(section) => tables(Lake::Iceberg, section),
        SourceSection::Dbt(section) => Box::new(move |asked| {
            let DbtSection {
                targets,
                skip_unreadable: skip,
            } = section.clone();
            collect_dbt(&DbtTargets { targets, skip }, asked)
        }),
        SourceSection::Openlineage(OpenlineageSection { files }) => {
            Box::new(move |asked| collect_events(&files, asked))
        }
        SourceSection::Airflow(section) => Box::new(move |asked| {
            let source = section.source().map_err(NotCollected::new)?;
            collect_airflow(&source, asked)
        }),
        SourceSection::Dagster(section) => Box::new(move |asked| {
            let source = section.source().map_err(NotCollected::new)?;
            collect_dagster(&source, asked)
        }),
    }
}

fn tables(lake: Lake, section: LakeSection) -> Reader {
    let LakeSection {
        tables,
        dataset,
        cycle,
        settle,
    } = section;
    Box::new(move |asked| {
        let source = LakeTables {
            lake,
            tables: tables.clone(),
            dataset: dataset.clone(),
            cycle: cycle.clone(),
            settle: settle.map(|settle| settle.as_secs()),
            variables: object_store_variables(),
        };
        collect_tables(&source, asked)
    })
}

/// Files that are themselves the deliveries. They are listed each time: what was
/// written anew has another time.
fn files(section: &FilesSection, asked: &Asked<'_>) -> Result<Collected, NotCollected> {
    let FilesSection {
        glob,
        dataset,
        date,
        unchanged_for,
        allow_empty,
    } = section;
    let dataset = DatasetId::try_from(dataset.as_str()).map_err(NotCollected::new)?;
    let pattern = FilePattern::parse(glob, date.as_deref())
        .map_err(|error| NotCollected::with_hint(&error, error.hint()))?;
    let folder = Place::named(pattern.folder(), &object_store_variables())
        .map_err(|error| NotCollected::with_hint(&error, error.hint()))?;
    let rules = FileRules {
        now: asked.now,
        quiet_seconds: unchanged_for.map(|quiet| quiet.as_secs()),
        allow_empty: *allow_empty,
    };
    let found = read_files(&folder, &pattern, &rules)
        .map_err(|error| NotCollected::with_hint(&error, error.hint()))?;
    if found.n_unreadable > 0 {
        let n = words::count(found.n_unreadable, "folder or file");
        let first = found.remarks.first();
        let first = first.map_or_else(String::new, |remark| {
            format!(": {}: {}", remark.place, remark.what)
        });
        return Err(NotCollected::new(format_args!(
            "{n} could not be looked at{first}"
        )));
    }
    if found.is_undatable() {
        let first = found.remarks.first();
        let first = first.map_or_else(String::new, |remark| format!(": {}", remark.what));
        return Err(NotCollected::with_hint(
            format_args!("no file is dated as {glob} says{first}"),
            Some("a date in a path is {date:%Y-%m-%d}"),
        ));
    }
    if found.n_meant == 0 && pattern.is_literal() {
        return Err(NotCollected::new(format_args!("no such file: {glob}")));
    }
    Ok(Collected {
        events: None,
        told: found.told(&dataset),
        cursor: None,
    })
}

/// The pattern of files that are themselves the deliveries, if it is on a disk, can be
/// looked for, and none matches it.
pub(in crate::cli) fn unmatched(section: &FilesSection) -> Option<String> {
    let pattern = FilePattern::parse(&section.glob, section.date.as_deref()).ok()?;
    let folder = Place::named(pattern.folder(), &[]).ok()?;
    if folder.is_remote() {
        return None;
    }
    let rules = FileRules {
        now: i64::MAX / 2,
        quiet_seconds: Some(0),
        allow_empty: true,
    };
    let found = read_files(&folder, &pattern, &rules).ok()?;
    let is_none = found.n_meant == 0 && found.n_unreadable == 0;
    is_none.then(|| section.glob.clone())
}

/// A connection by its name.
pub(in crate::cli) fn connection(
    name: &str,
    settings: &Settings,
) -> Result<Connection, NotCollected> {
    let configured = &settings.connections;
    configured.get(name).cloned().ok_or_else(|| {
        let known = configured.keys().map(String::as_str);
        let hint = match did_you_mean(name, known) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "name it under `connections` in freshness.yaml".to_owned(),
        };
        NotCollected::with_hint(format_args!("no such connection: {name}"), Some(hint))
    })
}

/// Where a connection leads, with its secrets.
pub(in crate::cli) fn address(
    name: &str,
    connection: &Result<Connection, NotCollected>,
) -> Result<Address, NotCollected> {
    let connection = connection.as_ref().map_err(Clone::clone)?;
    (connection.address())
        .map_err(|why| NotCollected::new(format_args!("cannot connect: {name}: {why}")))
}

/// A query, as it is asked.
pub(in crate::cli) fn query(
    label: String,
    section: &QuerySection,
    address: Address,
    now: i64,
) -> Result<QuerySource, NotCollected> {
    let QuerySection {
        connection,
        sql,
        sql_file,
        since,
        overlap,
        timeout,
        assume_zone,
    } = section;
    let sql = match (sql, sql_file) {
        (Some(sql), _) => sql.clone(),
        // Of a pipe the read may never end.
        (None, Some(file)) if fs::metadata(file).is_ok_and(|found| !found.is_file()) => {
            return Err(NotCollected::new(format_args!(
                "cannot read {}: not a file",
                file.display()
            )));
        }
        (None, Some(file)) => fs::read_to_string(file).map_err(|error| {
            NotCollected::new(format_args!("cannot read {}: {error}", file.display()))
        })?,
        (None, None) => return Err(NotCollected::new("no query")),
    };
    Ok(QuerySource {
        label,
        connection: connection.clone(),
        address,
        sql,
        since: values::or(*since, SINCE),
        overlap: values::or(*overlap, OVERLAP),
        timeout: values::or(*timeout, TIMEOUT),
        times: TimeRules {
            now,
            assume_zone: *assume_zone,
        },
    })
}
