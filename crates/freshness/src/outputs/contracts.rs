//! How are contracts written down again?

use std::io::{self, Write};

use freshness_core::coverage::{ContractRow, ScopeKey};
use serde::Serialize;

use super::{Paint, Table};

/// One difference between two contracts of a scope, or a scope that only one
/// side has.
#[derive(Debug, Serialize)]
pub struct FieldChange {
    source: String,
    scope: String,
    change: &'static str,
    field: Option<&'static str>,
    stored: Option<String>,
    file: Option<String>,
}

/// The fields of a contract, in order, with their values as text.
fn fields(contract: &ContractRow) -> [(&'static str, Option<String>); 9] {
    let ContractRow {
        source,
        scope,
        max_source_lag_minutes,
        max_publication_gap_minutes,
        dataset,
        calendar,
        timezone,
        skew_tolerance_minutes,
        owner,
    } = contract;
    let number = |n: &Option<i64>| n.map(|n| n.to_string());
    [
        ("source", Some(source.clone())),
        ("scope", Some(scope.clone())),
        ("max_source_lag_minutes", number(max_source_lag_minutes)),
        (
            "max_publication_gap_minutes",
            number(max_publication_gap_minutes),
        ),
        ("dataset", dataset.clone()),
        ("calendar", calendar.clone()),
        ("timezone", timezone.clone()),
        ("skew_tolerance_minutes", number(skew_tolerance_minutes)),
        ("owner", owner.clone()),
    ]
}

/// The fields that are numbers.
const NUMBERS: [&str; 3] = [
    "max_source_lag_minutes",
    "max_publication_gap_minutes",
    "skew_tolerance_minutes",
];

/// Writes contracts and inventory as YAML that can be imported.
pub fn as_yaml(
    out: &mut impl Write,
    contracts: &[ContractRow],
    inventory: &[ScopeKey],
) -> io::Result<()> {
    writeln!(out, "contracts:")?;
    for contract in contracts {
        let mut lead = "-";
        for (field, value) in fields(contract) {
            let Some(value) = value else { continue };
            let value = match NUMBERS.contains(&field) {
                true => value,
                false => quoted(&value),
            };
            writeln!(out, "  {lead} {field}: {value}")?;
            lead = " ";
        }
    }
    if !inventory.is_empty() {
        writeln!(out, "inventory:")?;
        for key in inventory {
            let (source, scope) = (quoted(key.source()), quoted(key.scope()));
            writeln!(out, "  - {{source: {source}, scope: {scope}}}")?;
        }
    }
    Ok(())
}

/// Writes contracts as CSV that can be imported.
pub fn as_csv(out: &mut impl Write, contracts: &[ContractRow]) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(fields(&ContractRow::default()).map(|(field, _)| field))?;
    for contract in contracts {
        csv.write_record(fields(contract).map(|(_, value)| value.unwrap_or_default()))?;
    }
    csv.flush()
}

/// A text in YAML: JSON's quotes are YAML's too.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text")
}

/// A table of contracts.
pub fn table(contracts: &[ContractRow]) -> Table {
    let mut table = Table::new(&[
        "SOURCE", "SCOPE", "LAG MIN", "GAP MIN", "DATASET", "CALENDAR", "ZONE", "SKEW MIN", "OWNER",
    ]);
    [2, 3, 7]
        .into_iter()
        .for_each(|column| table.align_right(column));
    for contract in contracts {
        table.row(fields(contract).map(|(_, value)| (value.unwrap_or_default(), Paint::Plain)));
    }
    table
}

/// What differs, scope by scope.
pub fn changes(
    added: &[ContractRow],
    removed: &[ContractRow],
    changed: &[(ContractRow, ContractRow)],
) -> Vec<FieldChange> {
    let whole = |row: &ContractRow, change| FieldChange {
        source: row.source.clone(),
        scope: row.scope.clone(),
        change,
        field: None,
        stored: None,
        file: None,
    };
    let mut all: Vec<FieldChange> = Vec::new();
    all.extend(added.iter().map(|row| whole(row, "added")));
    all.extend(removed.iter().map(|row| whole(row, "removed")));
    for (stored, file) in changed {
        let differing = fields(stored).into_iter().zip(fields(file));
        for ((field, stored_value), (_, file_value)) in differing {
            if stored_value != file_value {
                all.push(FieldChange {
                    field: Some(field),
                    stored: stored_value,
                    file: file_value,
                    ..whole(stored, "changed")
                });
            }
        }
    }
    all.sort_by(|a, b| (&a.source, &a.scope).cmp(&(&b.source, &b.scope)));
    all
}

impl FieldChange {
    /// `~ orders / FR: max_source_lag_minutes 120 -> 90`.
    pub fn sentence(&self) -> String {
        let name = format!("{} / {}", self.source, self.scope);
        let shown = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".to_owned());
        match (self.change, self.field) {
            ("added", _) => format!("+ {name}: in the files only"),
            ("removed", _) => format!("- {name}: in the store only"),
            (_, field) => format!(
                "~ {name}: {} {} -> {}",
                field.unwrap_or_default(),
                shown(&self.stored),
                shown(&self.file)
            ),
        }
    }
}
