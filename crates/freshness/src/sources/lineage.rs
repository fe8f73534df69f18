//! Which edge does a row say?

use freshness_core::dataset::DatasetId;

use super::arrivals::dataset_id;
use super::input::Source;
use super::problem::{BadRows, SourceError};
use super::table::{self, Columns, Fault, TableRead};

/// One dataset is made from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadEdge {
    /// What it is made from.
    pub upstream: DatasetId,
    /// What is made.
    pub downstream: DatasetId,
}

const COLUMNS: Columns = Columns {
    required: &["upstream_id", "downstream_id"],
    optional: &[],
    meant: &[
        (
            "upstream_id",
            &["upstream", "parent", "parentid", "source", "from"],
        ),
        (
            "downstream_id",
            &["downstream", "child", "childid", "target", "to"],
        ),
    ],
};

/// Reads edges; whether they make a lineage is for core to say.
pub fn read_lineage(
    source: &Source,
    on_bytes: &dyn Fn(&[u8]),
    bad: &mut BadRows,
) -> Result<(Vec<ReadEdge>, TableRead), SourceError> {
    let mut edges = Vec::new();
    let read = table::read(source, &COLUMNS, on_bytes, bad, &mut |_, cells| {
        let [upstream, downstream, ..] = cells;
        edges.push(ReadEdge {
            upstream: dataset_id(upstream).map_err(|problem| Fault(Some(0), problem))?,
            downstream: dataset_id(downstream).map_err(|problem| Fault(Some(1), problem))?,
        });
        Ok(())
    })?;
    Ok((edges, read))
}
