//! When does somebody work on what delivers which datasets?
//!
//! As for [`Store::datasets`] it is said from outside and stored nowhere. Of promises
//! and contracts the dataset may never have been declared, or not be there at all.

use std::collections::HashMap;

use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::schedule::Maintenance;

use crate::error::StoreError;
use crate::store::{Overrides, Store};

/// The windows of all datasets.
pub(crate) struct Windows<'a> {
    known: HashMap<DatasetId, Maintenance>,
    overrides: Option<&'a Overrides>,
}

impl Store {
    /// The windows of all datasets; reads nothing where there are none.
    pub(crate) fn windows(&self) -> Result<Windows<'_>, StoreError> {
        let overrides = self.overrides.as_ref().filter(|told| told.has_windows);
        let mut known = HashMap::new();
        if overrides.is_some() {
            // One whose declaration cannot be read fails elsewhere.
            let declared = self.datasets()?.into_iter();
            let declared = declared.filter_map(|entry| Some((entry.id, entry.declared.ok()?)));
            known.extend(declared.map(|(id, declared)| (id, declared.maintenance)));
        }
        Ok(Windows { known, overrides })
    }
}

impl Windows<'_> {
    /// Those of a dataset.
    pub(crate) fn of(&self, id: &DatasetId) -> Maintenance {
        let Some(overrides) = self.overrides else {
            return Maintenance::NONE;
        };
        let unknown = || {
            let dataset = (overrides.over)(Dataset::undeclared(id.clone()));
            (overrides.under)(dataset).maintenance
        };
        self.known.get(id).cloned().unwrap_or_else(unknown)
    }
}
