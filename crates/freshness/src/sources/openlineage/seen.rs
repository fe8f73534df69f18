//! Which datasets does an event name?
//!
//! All names of an event are looked up before anything of it counts, so that an
//! event that is refused leaves nothing behind.

use super::event::{DatasetFacets, DatasetPart, Named, Text};
use super::names::Names;
use super::{Refused, Wrong};

/// Numbers of datasets, those of inputs and outputs in the order of the event.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) inputs: Vec<u32>,
    /// The inputs in order, each once.
    pub(super) input_set: Vec<u32>,
    pub(super) outputs: Vec<u32>,
    /// A name, another name of it, and whether that is a table's.
    pub(super) same: Vec<(u32, u32, bool)>,
    /// The old name, the new one.
    pub(super) renames: Vec<(u32, u32)>,
    /// An output, and a dataset that columns of it come from.
    pub(super) columns: Vec<(u32, u32)>,
}

impl Seen {
    /// Looks up everything that an event names.
    pub(super) fn look_up(
        &mut self,
        names: &mut Names,
        inputs: &[DatasetPart<'_>],
        outputs: &[DatasetPart<'_>],
    ) -> Result<(), Refused> {
        self.inputs.clear();
        self.outputs.clear();
        self.same.clear();
        self.renames.clear();
        self.columns.clear();
        for part in inputs {
            let number = number(names, &part.namespace, &part.name, "inputs")?;
            self.inputs.push(number);
            self.other_names(names, part, number)?;
        }
        for part in outputs {
            let number = number(names, &part.namespace, &part.name, "outputs")?;
            self.outputs.push(number);
            self.other_names(names, part, number)?;
            let facets = part.facets.iter();
            for from in facets.flat_map(DatasetFacets::columns_from) {
                let from = number_of(names, from, "columnLineage")?;
                if self.columns.last() != Some(&(number, from)) {
                    self.columns.push((number, from));
                }
            }
        }
        self.input_set.clear();
        self.input_set.extend(&self.inputs);
        self.input_set.sort_unstable();
        self.input_set.dedup();
        Ok(())
    }

    fn other_names(
        &mut self,
        names: &mut Names,
        part: &DatasetPart<'_>,
        number: u32,
    ) -> Result<(), Refused> {
        let Some(facets) = &part.facets else {
            return Ok(());
        };
        let symlinks = facets.symlinks.iter();
        for link in symlinks.flat_map(|symlinks| symlinks.identifiers.iter().flatten()) {
            // Spark writes empty ones where it does not know the catalogue.
            if link.name.as_str().trim().is_empty() {
                continue;
            }
            let other = self::number(names, &link.namespace, &link.name, "symlinks")?;
            let kind = link.kind.as_ref().map(Text::as_str);
            let is_table = kind.is_some_and(|kind| kind.eq_ignore_ascii_case("table"));
            self.same.push((number, other, is_table));
        }
        if let Some(lifecycle) = &facets.lifecycle_state_change
            && lifecycle.is_rename()
            && let Some(previous) = &lifecycle.previous_identifier
        {
            let old = number_of(names, previous, "lifecycleStateChange")?;
            self.renames.push((old, number));
        }
        Ok(())
    }
}

fn number_of(names: &mut Names, named: &Named<'_>, part: &'static str) -> Result<u32, Refused> {
    number(names, &named.namespace, &named.name, part)
}

fn number(
    names: &mut Names,
    namespace: &Text<'_>,
    name: &Text<'_>,
    part: &'static str,
) -> Result<u32, Refused> {
    names
        .number(namespace.as_str(), name.as_str())
        .map_err(|problem| Refused::Event(Wrong(Some(part), problem)))
}
