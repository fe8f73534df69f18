//! What has been read of a file, before it is stored?
//!
//! Columns, and a column only once a row has a value for it: twelve bytes an
//! arrival when nothing but times is given. A batch is filled and sorted
//! outside any transaction.

use std::collections::HashMap;

use freshness_core::arrivals::{Arrival, ArrivalDetail, ArrivalHistory, CycleName};
use freshness_core::dataset::{DatasetId, DatasetIdError};

/// Arrivals of many datasets, in any order, waiting to be stored.
#[derive(Debug, Default)]
pub struct ArrivalBatch {
    ids: Vec<DatasetId>,
    index_of: HashMap<DatasetId, u32>,
    dataset: Vec<u32>,
    at: Vec<i64>,
    cycle: Vec<Option<CycleName>>,
    covers_through: Vec<Option<i64>>,
    rows: Vec<Option<u64>>,
    /// Where the run id of each arrival ends in `run_ids`.
    run_id_end: Vec<u64>,
    run_ids: String,
}

impl ArrivalBatch {
    /// An empty batch.
    pub fn new() -> ArrivalBatch {
        ArrivalBatch::default()
    }

    /// The index of a dataset in this batch, for [`ArrivalBatch::push`].
    pub fn dataset(&mut self, id: &str) -> Result<u32, DatasetIdError> {
        if let Some(&index) = self.index_of.get(id) {
            return Ok(index);
        }
        let id = DatasetId::try_from(id)?;
        Ok(self.dataset_of(&id))
    }

    /// [`ArrivalBatch::dataset`] for a name that is known to be one.
    pub fn dataset_of(&mut self, id: &DatasetId) -> u32 {
        if let Some(&index) = self.index_of.get(id) {
            return index;
        }
        let index = self.ids.len() as u32;
        self.ids.push(id.clone());
        self.index_of.insert(id.clone(), index);
        index
    }

    /// Adds an arrival that says nothing but when: UTC seconds. `dataset` is
    /// an index that [`ArrivalBatch::dataset`] of this batch gave.
    pub fn push(&mut self, dataset: u32, at: i64) {
        self.push_with(dataset, at, None, None, None, None);
    }

    /// Adds an arrival with what its sender said of it.
    pub fn push_with(
        &mut self,
        dataset: u32,
        at: i64,
        cycle: Option<CycleName>,
        run_id: Option<&str>,
        covers_through: Option<i64>,
        rows: Option<u64>,
    ) {
        assert!(
            (dataset as usize) < self.ids.len(),
            "an index of this batch"
        );
        let n_before = self.at.len();
        put(&mut self.cycle, n_before, cycle);
        put(&mut self.covers_through, n_before, covers_through);
        put(&mut self.rows, n_before, rows);
        // An empty run id says nothing.
        if let Some(run_id) = run_id.filter(|run_id| !run_id.is_empty()) {
            self.run_id_end.resize(n_before, self.run_ids.len() as u64);
            self.run_ids.push_str(run_id);
        }
        if !self.run_ids.is_empty() {
            self.run_id_end.push(self.run_ids.len() as u64);
        }
        self.dataset.push(dataset);
        self.at.push(at);
    }

    /// The number of arrivals.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Is nothing in it?
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// The datasets of the batch, by index.
    pub fn ids(&self) -> &[DatasetId] {
        &self.ids
    }

    /// Each dataset's arrivals, sorted, each once; empty for a dataset that
    /// was named but has none.
    pub fn into_histories(self) -> Vec<(DatasetId, ArrivalHistory)> {
        let mut rows_of = self.rows_by_dataset().into_iter();
        let mut histories = Vec::with_capacity(self.ids.len());
        for id in &self.ids {
            let rows = rows_of.next().unwrap_or_default();
            histories.push((id.clone(), self.history(&rows)));
        }
        histories
    }

    fn rows_by_dataset(&self) -> Vec<Vec<u32>> {
        let mut n_of = vec![0usize; self.ids.len()];
        for &dataset in &self.dataset {
            n_of[dataset as usize] += 1;
        }
        let mut rows_of: Vec<Vec<u32>> = n_of.into_iter().map(Vec::with_capacity).collect();
        for (row, &dataset) in (0u32..).zip(&self.dataset) {
            rows_of[dataset as usize].push(row);
        }
        rows_of
    }

    fn history(&self, rows: &[u32]) -> ArrivalHistory {
        let has_details = !(self.cycle.is_empty()
            && self.covers_through.is_empty()
            && self.rows.is_empty()
            && self.run_ids.is_empty());
        if !has_details {
            let mut at: Vec<i64> = rows.iter().map(|&row| self.at[row as usize]).collect();
            at.sort_unstable();
            at.dedup();
            return ArrivalHistory::from_columns(at, Vec::new());
        }
        let arrival = |&row: &u32| Arrival {
            at: self.at[row as usize],
            detail: self.detail(row as usize),
        };
        ArrivalHistory::new(rows.iter().map(arrival).collect())
    }

    fn detail(&self, row: usize) -> ArrivalDetail {
        ArrivalDetail {
            cycle: self.cycle.get(row).copied().flatten(),
            run_id: self.run_id(row).map(Into::into),
            covers_through: self.covers_through.get(row).copied().flatten(),
            rows: self.rows.get(row).copied().flatten(),
        }
    }

    fn run_id(&self, row: usize) -> Option<&str> {
        let end = *self.run_id_end.get(row)? as usize;
        let start = match row {
            0 => 0,
            _ => self.run_id_end[row - 1] as usize,
        };
        Some(&self.run_ids[start..end]).filter(|run_id| !run_id.is_empty())
    }
}

/// A column begins with the first value; the rows before it have none.
fn put<T: Copy>(column: &mut Vec<Option<T>>, n_before: usize, value: Option<T>) {
    if value.is_some() {
        column.resize(n_before, None);
    }
    if value.is_some() || !column.is_empty() {
        column.push(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_with_its_row_whatever_came_before() {
        let mut batch = ArrivalBatch::new();
        let a = batch.dataset("a").unwrap();
        let b = batch.dataset("b").unwrap();
        batch.push(b, 30);
        batch.push(a, 20);
        batch.push_with(b, 10, None, Some("run 1"), None, Some(7));
        batch.push_with(b, 40, None, None, Some(39), None);
        batch.push_with(b, 50, None, Some("run 2"), None, None);
        let histories = batch.into_histories();
        assert_eq!(histories[0].1.at(), [20]);
        let (at, details) = histories[1].1.columns();
        assert_eq!(at, [10, 30, 40, 50]);
        let said: Vec<_> = details
            .iter()
            .map(|detail| (detail.run_id.as_deref(), detail.covers_through, detail.rows))
            .collect();
        assert_eq!(
            said,
            [
                (Some("run 1"), None, Some(7)),
                (None, None, None),
                (None, Some(39), None),
                (Some("run 2"), None, None)
            ]
        );
    }
}
