//! Under which names are datasets kept that other tools name otherwise?
//!
//! ```yaml
//! rename:
//!   - {from: '^snowflake://acme/(.*)$', to: '$1'}
//!   - {from: '^shop\.(raw_.*)$', to: '$1'}
//! ```
//!
//! For each name the first pattern that is found in it counts, and no other. So
//! that one table is one dataset, whoever tells of it.

use std::collections::{BTreeMap, HashMap};

use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::{Dataset, DatasetId};
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};

use crate::sources::{House, Told, ToldRemark};

/// One renaming, as typed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameSection {
    /// A regular expression. `^` and `$` tie it to the ends of the name.
    #[serde(deserialize_with = "expression")]
    pub from: String,
    /// What stands in place of what it finds; `$1` is what its first group found,
    /// `${name}` a group with a name.
    pub to: String,
}

/// All renamings, ready to be used.
#[derive(Debug, Clone, Default)]
pub struct Renames(Vec<(Regex, RenameSection)>);

impl PartialEq for Renames {
    fn eq(&self, other: &Renames) -> bool {
        let typed = |of: &Renames| {
            of.0.iter()
                .map(|(_, typed)| typed.clone())
                .collect::<Vec<_>>()
        };
        typed(self) == typed(other)
    }
}

impl Renames {
    pub(super) fn new(typed: Vec<RenameSection>) -> Renames {
        // Each was compiled when it was read.
        let compiled = |typed: RenameSection| Some((Regex::new(&typed.from).ok()?, typed));
        Renames(typed.into_iter().filter_map(compiled).collect())
    }

    /// The name that a told name is kept under.
    fn name(&self, told: &str) -> Option<String> {
        let (regex, typed) = self.0.iter().find(|(regex, _)| regex.is_match(told))?;
        Some(regex.replace(told, typed.to.as_str()).into_owned())
    }

    /// The name under which one dataset is kept.
    pub fn kept(&self, told: &DatasetId) -> DatasetId {
        let name = self.name(told.as_str());
        let kept = name.and_then(|name| DatasetId::try_from(name.as_str()).ok());
        kept.unwrap_or_else(|| told.clone())
    }

    /// Renames everything that was told. A name that would become none stays.
    pub fn apply(&self, told: Told) -> Told {
        if self.0.is_empty() {
            return told;
        }
        let mut known = Known {
            renames: self,
            names: HashMap::new(),
            remarks: told.remarks,
        };
        let arrivals = told.arrivals.into_iter().map(|mut arrival| {
            arrival.dataset = known.id(&arrival.dataset);
            arrival
        });
        let arrivals = arrivals.collect();
        let runs = told.runs.into_iter();
        let runs = runs
            .map(|(dataset, run)| (known.id(&dataset), run))
            .collect();
        let houses = told.houses.into_iter();
        let houses = houses.map(|house| known.house(house)).collect();
        Told {
            arrivals,
            runs,
            houses,
            remarks: known.remarks,
        }
    }
}

/// Names that were looked up; the same come again and again.
struct Known<'a> {
    renames: &'a Renames,
    names: HashMap<DatasetId, DatasetId>,
    remarks: Vec<ToldRemark>,
}

impl Known<'_> {
    fn id(&mut self, told: &DatasetId) -> DatasetId {
        if let Some(known) = self.names.get(told) {
            return known.clone();
        }
        let kept = match self.renames.name(told.as_str()) {
            None => told.clone(),
            Some(name) => DatasetId::try_from(name.as_str()).unwrap_or_else(|error| {
                self.remarks.push(ToldRemark {
                    place: told.to_string(),
                    what: format!("not renamed: {error}"),
                });
                told.clone()
            }),
        };
        self.names.insert(told.clone(), kept.clone());
        kept
    }

    fn house(&mut self, house: House) -> House {
        // Two that become one are one, with what either says of it.
        let mut datasets: BTreeMap<DatasetId, Dataset> = BTreeMap::new();
        for mut dataset in house.datasets {
            dataset.id = self.id(&dataset.id);
            let both = match datasets.remove(&dataset.id) {
                Some(first) => first.or(dataset),
                None => dataset,
            };
            datasets.insert(both.id.clone(), both);
        }
        let edges = house.edges.into_iter();
        let edges = edges.map(|(upstream, downstream)| (self.id(&upstream), self.id(&downstream)));
        let mut edges: Vec<(DatasetId, DatasetId)> = edges
            .filter(|(upstream, downstream)| upstream != downstream)
            .collect();
        edges.sort();
        edges.dedup();
        let dashboards = house.dashboards.iter();
        let dashboards = dashboards
            .map(|dashboard| self.dashboard(dashboard))
            .collect();
        // Who names what is told means it: where names meet, they should.
        let called = house.called.into_iter();
        let called = called
            .filter(|(dataset, _)| self.id(dataset) == *dataset)
            .collect();
        House {
            datasets: datasets.into_values().collect(),
            edges,
            dashboards,
            called,
            ..house
        }
    }

    fn dashboard(&mut self, told: &Dashboard) -> Dashboard {
        let mut feeds = Vec::new();
        for part in told.parts() {
            for dataset in &part.datasets {
                feeds.push((part.name.clone(), self.id(dataset)));
            }
        }
        let mut kept = Dashboard::new(told.id.clone(), feeds);
        kept.title.clone_from(&told.title);
        kept.owner.clone_from(&told.owner);
        kept.url.clone_from(&told.url);
        kept.maturity.clone_from(&told.maturity);
        kept
    }
}

/// A renaming, checked where it stands in the file.
pub(super) fn checked<'de, D: Deserializer<'de>>(typed: D) -> Result<RenameSection, D::Error> {
    let rename = RenameSection::deserialize(typed)?;
    match rename.fault() {
        Some(fault) => Err(de::Error::custom(fault)),
        None => Ok(rename),
    }
}

impl RenameSection {
    /// What is wrong with it, if anything. A group that is not there would be replaced
    /// by nothing, and datasets would become one that are not.
    fn fault(&self) -> Option<String> {
        let from = Regex::new(&self.from).ok()?;
        let reference = Regex::new(r"\$\$|\$\{([^}]*)\}|\$([0-9A-Za-z_]+)").ok()?;
        let is_group = |name: &str| match name.parse::<usize>() {
            Ok(number) => number < from.captures_len(),
            Err(_) => from.capture_names().flatten().any(|known| known == name),
        };
        let mut named = reference.captures_iter(&self.to);
        let missing = named.find_map(|found| {
            let name = found.get(1).or(found.get(2))?.as_str();
            (!is_group(name)).then(|| name.to_owned())
        })?;
        let to = &self.to;
        Some(format!(
            "no such group in `from`: {missing}: {to}; `${{1}}` ends the name of a group"
        ))
    }
}

fn expression<'de, D: Deserializer<'de>>(typed: D) -> Result<String, D::Error> {
    let text = String::deserialize(typed)?;
    if text.is_empty() {
        return Err(de::Error::custom("expected a regular expression"));
    }
    match Regex::new(&text) {
        Ok(_) => Ok(text),
        Err(error) => {
            // The last line says what is wrong; those before draw where.
            let words = error.to_string();
            let reason = words.lines().last().unwrap_or_default();
            let reason = reason.trim_start_matches("error: ");
            Err(de::Error::custom(format_args!(
                "not a regular expression: {text}: {reason}"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sources::{Extent, ToldArrival};

    fn renamed(yaml: &str, names: &[&str]) -> (Vec<String>, Vec<ToldRemark>) {
        let renames = Renames::new(serde_saphyr::from_str(yaml).unwrap());
        let arrival = |name: &&str| ToldArrival {
            dataset: DatasetId::try_from(*name).unwrap(),
            at: 1_788_233_400,
            cycle: None,
            run_id: None,
            covers_through: None,
            rows: None,
        };
        let told = Told {
            arrivals: names.iter().map(arrival).collect(),
            ..Told::default()
        };
        let told = renames.apply(told);
        let names = told
            .arrivals
            .iter()
            .map(|arrival| arrival.dataset.to_string());
        (names.collect(), told.remarks)
    }

    #[test]
    fn the_first_pattern_that_is_found_renames_and_no_other() {
        let yaml = "- {from: '^snowflake://acme/(.*)$', to: '$1'}
- {from: '^shop[.](?<table>raw_.*)$', to: '${table}'}
- {from: '^raw_a$', to: never}";
        let names = [
            "snowflake://acme/db.orders",
            "shop.raw_a",
            "shop.fct",
            "raw_b",
        ];
        let (kept, remarks) = renamed(yaml, &names);
        assert_eq!(kept, ["db.orders", "raw_a", "shop.fct", "raw_b"]);
        assert_eq!(remarks, []);
    }

    #[test]
    fn a_name_that_would_become_none_stays_and_is_said_once() {
        let (kept, remarks) = renamed("- {from: '.*', to: ''}", &["a", "a"]);
        assert_eq!(kept, ["a", "a"]);
        assert_eq!(remarks.len(), 1);
        assert_eq!(remarks[0].what, "not renamed: dataset id is empty");
    }

    #[test]
    fn two_that_become_one_are_one_everywhere() {
        let renames =
            Renames::new(serde_saphyr::from_str("- {from: '_v[0-9]+$', to: ''}").unwrap());
        let id = |name: &str| DatasetId::try_from(name).unwrap();
        let mut second = Dataset::undeclared(id("a_v2"));
        second.owner = Some("ann".to_owned());
        let feeds = [("p".to_owned(), id("a_v1")), ("p".to_owned(), id("a_v2"))];
        let house = House {
            source: "dbt:shop".to_owned(),
            as_of: 1_788_233_400,
            extent: Extent::Whole,
            datasets: vec![Dataset::undeclared(id("a_v1")), second],
            edges: vec![
                (id("a_v1"), id("a_v2")),
                (id("a_v1"), id("b")),
                (id("a_v2"), id("b")),
            ],
            called: [id("a_v1"), id("b")]
                .map(|of| (of.clone(), of.to_string()))
                .into(),
            dashboards: vec![Dashboard::new("board".try_into().unwrap(), feeds)],
        };
        let told = Told {
            houses: vec![house],
            ..Told::default()
        };
        let told = renames.apply(told);
        let house = &told.houses[0];
        assert_eq!(house.datasets.len(), 1);
        assert_eq!(house.datasets[0].owner.as_deref(), Some("ann"));
        assert_eq!(house.edges, [(id("a"), id("b"))]);
        assert_eq!(house.dashboards[0].parts()[0].datasets, [id("a")]);
    }
}
