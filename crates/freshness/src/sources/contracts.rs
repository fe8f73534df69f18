//! Which contracts, and which inventory, does a reviewed file declare?
//!
//! A table has a row for each contract; YAML has a list under `contracts`, and
//! may have one under `inventory`. Every contract must mean something, and no
//! scope may have two.

use std::collections::HashMap;

use freshness_core::civil::Holidays;
use freshness_core::coverage::{Contract, ContractRow, ScopeKey};

use crate::hint::did_you_mean;

use super::contracts_yaml::{self, YamlRow};
use super::input::{Origin, Source};
use super::problem::{BadRow, BadRows, Problem, SourceError};
use super::table::{self, Cell, Cells, Columns, Fault, TableRead};

/// What a file declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadContracts {
    /// Contracts, in the order of the file.
    pub contracts: Vec<ContractRow>,
    /// The inventory; `None` if the file has none.
    pub inventory: Option<Vec<ScopeKey>>,
}

/// The fields of a contract, in the order of its columns.
pub(super) const FIELDS: [&str; 9] = [
    "source",
    "scope",
    "max_source_lag_minutes",
    "max_publication_gap_minutes",
    "dataset",
    "calendar",
    "timezone",
    "skew_tolerance_minutes",
    "owner",
];

const COLUMNS: Columns = Columns {
    required: &[
        "source",
        "scope",
        "max_source_lag_minutes",
        "max_publication_gap_minutes",
    ],
    optional: &[
        "dataset",
        "calendar",
        "timezone",
        "skew_tolerance_minutes",
        "owner",
    ],
    meant: &[
        ("source", &["feed", "sourceid", "sourcename"]),
        ("scope", &["scopeid", "scopename", "partition", "region"]),
    ],
};

const INVENTORY: Columns = Columns {
    required: &["source", "scope"],
    optional: &[],
    meant: COLUMNS.meant,
};

/// Reads a file of contracts.
pub fn read_contracts(
    source: &Source,
    holidays: &Holidays,
    bad: &mut BadRows,
) -> Result<(ReadContracts, TableRead), SourceError> {
    let mut first_of = HashMap::new();
    let mut contracts: Vec<ContractRow> = Vec::new();
    let mut add = |line: u64, row: ContractRow| -> Result<(), (Option<&'static str>, Problem)> {
        Contract::read(&row, holidays)
            .map_err(|fault| (fault.field(), Problem::Contract(fault)))?;
        let key = (row.source.clone(), row.scope.clone());
        if let Some(&first) = first_of.get(&key) {
            return Err((Some("scope"), Problem::ContractTwice(first)));
        }
        first_of.insert(key, line);
        contracts.push(row);
        Ok(())
    };
    if !is_yaml(source) {
        let read = table::read(source, &COLUMNS, &|_| {}, bad, &mut |line, cells| {
            let row = of_cells(cells)?;
            add(line, row).map_err(|(field, problem)| Fault(field.and_then(column), problem))
        })?;
        must_not_be_misspelt(&read.ignored)?;
        let found = ReadContracts {
            contracts,
            inventory: None,
        };
        return Ok((found, read));
    }
    let file = contracts_yaml::read(source)?;
    let mut read = TableRead::default();
    for YamlRow { line, row, lines } in file.contracts {
        read.rows += 1;
        if let Err((field, problem)) = add(line, row) {
            let at = field.and_then(|field| lines.get(field).copied());
            add_bad(bad, source, at.unwrap_or(line), field, problem);
        }
    }
    let inventory = match file.inventory {
        Some(rows) => {
            read.rows += rows.len() as u64;
            Some(keys(source, rows, bad))
        }
        None => None,
    };
    let found = ReadContracts {
        contracts,
        inventory,
    };
    Ok((found, read))
}

/// Reads a file of an inventory.
pub fn read_inventory(
    source: &Source,
    bad: &mut BadRows,
) -> Result<(Vec<ScopeKey>, TableRead), SourceError> {
    if is_yaml(source) {
        let rows = contracts_yaml::read(source)?.inventory.unwrap_or_default();
        let mut read = TableRead::default();
        read.rows += rows.len() as u64;
        return Ok((keys(source, rows, bad), read));
    }
    let mut found = Vec::new();
    let read = table::read(source, &INVENTORY, &|_| {}, bad, &mut |_, cells| {
        let [source, scope, ..] = cells;
        let at = |column: usize| move |problem: Problem| Fault(Some(column), problem);
        let source = source.text().map_err(at(0))?.unwrap_or_default();
        let scope = scope.text().map_err(at(1))?.unwrap_or_default();
        let key = ScopeKey::new(source, scope)
            .map_err(|error| Fault(None, Problem::Contract(error.into())))?;
        found.push(key);
        Ok(())
    })?;
    Ok((found, read))
}

/// A column that is nearly one of ours would be a limit or a calendar that
/// nobody keeps; others are somebody's notes.
fn must_not_be_misspelt(ignored: &[String]) -> Result<(), SourceError> {
    for found in ignored {
        if let Some(meant) = did_you_mean(found, FIELDS) {
            let given = found.clone();
            return Err(SourceError::Misspelt { given, meant });
        }
    }
    Ok(())
}

/// YAML is told by its name: its first bytes may be those of a CSV header.
fn is_yaml(source: &Source) -> bool {
    let path = match &source.origin {
        Origin::File(path) => path.as_path(),
        Origin::Bytes(label, _) => std::path::Path::new(label),
        Origin::Stdin => return false,
    };
    let extension = path.extension().and_then(|extension| extension.to_str());
    source.format.is_none()
        && extension.is_some_and(|extension| ["yaml", "yml"].contains(&extension))
}

fn keys(source: &Source, rows: Vec<YamlRow>, bad: &mut BadRows) -> Vec<ScopeKey> {
    let mut keys = Vec::with_capacity(rows.len());
    for YamlRow { line, row, .. } in rows {
        match ScopeKey::new(&row.source, &row.scope) {
            Ok(key) => keys.push(key),
            Err(error) => add_bad(bad, source, line, None, Problem::Contract(error.into())),
        }
    }
    keys
}

fn add_bad(
    bad: &mut BadRows,
    source: &Source,
    line: u64,
    column: Option<&'static str>,
    problem: Problem,
) {
    bad.add(problem, |problem| BadRow {
        file: source.label(),
        place: format!("line {line}"),
        column,
        problem,
        value: None,
    });
}

fn column(field: &'static str) -> Option<usize> {
    FIELDS.iter().position(|known| *known == field)
}

fn of_cells(cells: &Cells<'_>) -> Result<ContractRow, Fault> {
    let [
        source,
        scope,
        lag,
        gap,
        dataset,
        calendar,
        timezone,
        skew,
        owner,
        ..,
    ] = cells;
    let at = |column: usize| move |problem: Problem| Fault(Some(column), problem);
    let text = |cell: &Cell<'_>, column: usize| {
        let text = cell.text().map_err(at(column))?;
        Ok::<_, Fault>(text.filter(|text| !text.is_empty()).map(str::to_owned))
    };
    Ok(ContractRow {
        source: text(source, 0)?.unwrap_or_default(),
        scope: text(scope, 1)?.unwrap_or_default(),
        max_source_lag_minutes: minutes(lag).map_err(at(2))?,
        max_publication_gap_minutes: minutes(gap).map_err(at(3))?,
        dataset: text(dataset, 4)?,
        calendar: text(calendar, 5)?,
        timezone: text(timezone, 6)?,
        skew_tolerance_minutes: minutes(skew).map_err(at(7))?,
        owner: text(owner, 8)?,
    })
}

fn minutes(cell: &Cell<'_>) -> Result<Option<i64>, Problem> {
    match cell {
        Cell::Missing => Ok(None),
        Cell::Integer(n) => i64::try_from(*n).map(Some).map_err(|_| Problem::Minutes),
        Cell::Text(text) if text.trim().is_empty() => Ok(None),
        Cell::Text(text) => text.trim().parse().map(Some).map_err(|_| Problem::Minutes),
        _ => Err(Problem::Minutes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<ReadContracts, String> {
        let source = Source {
            origin: Origin::Bytes(name.to_owned(), text.as_bytes().to_vec()),
            format: None,
        };
        let mut bad = BadRows::default();
        let (found, _) = read_contracts(&source, &Holidays::builtin(), &mut bad)
            .map_err(|error| format!("{name}: {error}"))?;
        match bad.first() {
            [] => Ok(found),
            rows => Err(rows.iter().map(|row| format!("{row}\n")).collect()),
        }
    }

    #[test]
    fn yaml_and_csv_declare_the_same() {
        let yaml = "\
contracts:
  - source: orders
    scope: FR
    max_source_lag_minutes: 120
    max_publication_gap_minutes: 60
    dataset: raw_orders
    calendar: Mon-Fri
    timezone: Europe/Paris
    owner: ana
  - {source: orders, scope: \"12\", max_source_lag_minutes: 120, max_publication_gap_minutes: 60}
inventory:
  - {source: orders, scope: FR}
";
        let csv = "\
source,scope,max_source_lag_minutes,max_publication_gap_minutes,dataset,calendar,timezone,owner
orders,FR,120,60,raw_orders,Mon-Fri,Europe/Paris,ana
orders,12,120,60,,,,
";
        let yaml = read("contracts.yaml", yaml).unwrap();
        assert_eq!(
            yaml.contracts,
            read("contracts.csv", csv).unwrap().contracts
        );
        assert_eq!(yaml.contracts[0].calendar.as_deref(), Some("Mon-Fri"));
        assert_eq!(yaml.inventory.unwrap().len(), 1);
    }

    #[test]
    fn a_misspelt_column_is_refused_and_others_are_not() {
        let csv = |column: &str| {
            let header = "source,scope,max_source_lag_minutes,max_publication_gap_minutes";
            read("c.csv", &format!("{header},{column}\norders,FR,120,60,\n")).map(|_| ())
        };
        let refused = Err("c.csv: unknown column: calender".to_owned());
        assert_eq!(csv("calender"), refused);
        assert_eq!(csv("notes"), Ok(()));
        let line = r#"{"source":"a","scope":"b","max_source_lag_minutes":1,"max_publication_gap_minutes":1,"calender":"Mon-Fri"}"#;
        let refused = "c.ndjson: unknown column: calender".to_owned();
        assert_eq!(read("c.ndjson", line).err(), Some(refused));
    }

    #[test]
    fn a_fault_is_named_with_file_line_and_key() {
        let yaml = "\
contracts:
  - source: orders
    scope: FR
    max_source_lag_minutes: 0
    max_publication_gap_minutes: 60
  - source: orders
    scope: DE
    max_source_lag_minutes: 120
    max_publication_gap_minutes: 60
  - source: orders
    scope: DE
    max_source_lag_minutes: 90
    max_publication_gap_minutes: 60
";
        assert_eq!(
            read("c.yaml", yaml).unwrap_err(),
            "c.yaml line 4, max_source_lag_minutes: max_source_lag_minutes is not a whole number of minutes from 1: 0\n\
             c.yaml line 11, scope: a second contract of this scope (the first is in line 6)\n"
        );
        let csv = "source,scope,max_source_lag_minutes,max_publication_gap_minutes\norders,,x,60\n";
        assert_eq!(
            read("c.csv", csv).unwrap_err(),
            "c.csv line 2, max_source_lag_minutes: not a whole number of minutes: \"x\"\n"
        );
        for (yaml, message) in [
            (
                "contracts:\n  - sourse: orders\n",
                "c.yaml: line 2: unknown key: sourse",
            ),
            ("contract: []\n", "c.yaml: line 1: unknown key: contract"),
            (
                "contracts:\n  - source: [a]\n",
                "c.yaml: line 2: expected one value",
            ),
            ("contracts: [\n", "c.yaml: line 1: unclosed bracket '['"),
        ] {
            let found = read("c.yaml", yaml).unwrap_err();
            assert!(found.starts_with(message), "{found}");
        }
    }
}
