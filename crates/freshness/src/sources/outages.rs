//! Which silence does a row say was known?

use freshness_core::dataset::DatasetId;

use super::arrivals::dataset_id;
use super::input::Source;
use super::instant::{TimeRules, instant, supported};
use super::problem::{BadRows, Problem, SourceError};
use super::table::{self, Columns, Fault, TableRead};

/// A silence of a dataset that somebody noted. UTC seconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOutage {
    /// Whose.
    pub dataset: DatasetId,
    /// The last arrival before it.
    pub from: i64,
    /// The first arrival after it.
    pub to: i64,
}

const COLUMNS: Columns = Columns {
    required: &["dataset_id", "from", "to"],
    optional: &[],
    meant: &[
        ("dataset_id", &["dataset", "table", "name", "id"]),
        ("from", &["begin", "begins", "start", "since", "last"]),
        ("to", &["end", "ends", "until", "first"]),
    ],
};

/// Reads outages.
pub fn read_outages(
    source: &Source,
    rules: &TimeRules,
    bad: &mut BadRows,
) -> Result<(Vec<ReadOutage>, TableRead), SourceError> {
    let mut outages = Vec::new();
    let read = table::read(source, &COLUMNS, &|_| {}, bad, &mut |_, cells| {
        let [dataset, from, to, ..] = cells;
        let at = |column: usize| move |problem: Problem| Fault(Some(column), problem);
        let dataset = dataset_id(dataset).map_err(at(0))?;
        let from = instant(from, rules).and_then(supported).map_err(at(1))?;
        let to = instant(to, rules).and_then(supported).map_err(at(2))?;
        match from < to {
            true => outages.push(ReadOutage { dataset, from, to }),
            false => return Err(Fault(Some(2), Problem::EndsBefore)),
        }
        Ok(())
    })?;
    Ok((outages, read))
}
