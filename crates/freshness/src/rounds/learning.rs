//! How is each dataset learned?

use std::borrow::Cow;

use freshness_core::dataset::Dataset;
use freshness_core::fit::Parameters;

use crate::config::DatasetRules;

/// What is set about learning: for all datasets, and for some of them.
#[derive(Debug, Clone, Copy)]
pub struct Learning<'a> {
    /// For all.
    pub general: &'a Parameters,
    /// By pattern and by team; `None`: the command line says it of all.
    pub rules: Option<&'a DatasetRules>,
}

impl<'a> Learning<'a> {
    /// The same for all.
    pub fn alike(general: &'a Parameters) -> Learning<'a> {
        Learning {
            general,
            rules: None,
        }
    }

    /// What is set for one dataset.
    pub fn of(&self, dataset: &Dataset) -> Cow<'a, Parameters> {
        match self.rules.filter(|rules| !rules.is_empty()) {
            None => Cow::Borrowed(self.general),
            Some(rules) => Cow::Owned(rules.parameters(dataset, self.general)),
        }
    }
}
