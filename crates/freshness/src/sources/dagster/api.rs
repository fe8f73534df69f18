//! What do the answers of Dagster say?

use freshness_core::arrivals::CycleName;
use freshness_core::dataset::DatasetId;
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Answer {
    pub(super) data: Option<Data>,
}

#[derive(Deserialize)]
pub(super) struct Data {
    #[serde(rename = "assetsOrError")]
    pub(super) assets: Option<Assets>,
}

#[derive(Deserialize)]
pub(super) struct Assets {
    pub(super) cursor: Option<String>,
    pub(super) nodes: Vec<Asset>,
}

/// The answer to the question for older materialisations of one asset.
#[derive(Deserialize)]
pub(super) struct Older {
    pub(super) data: Option<OlderData>,
}

#[derive(Deserialize)]
pub(super) struct OlderData {
    #[serde(rename = "assetOrError")]
    pub(super) asset: Option<OlderAsset>,
}

#[derive(Deserialize)]
pub(super) struct OlderAsset {
    #[serde(rename = "assetMaterializations")]
    pub(super) materialisations: Option<Vec<Materialisation>>,
}

#[derive(Deserialize)]
pub(super) struct Asset {
    pub(super) key: Key,
    pub(super) definition: Option<Definition>,
    #[serde(rename = "assetMaterializations")]
    pub(super) materialisations: Vec<Materialisation>,
}

/// The name of an asset, part by part.
#[derive(Deserialize)]
pub(super) struct Key {
    pub(super) path: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Definition {
    #[serde(default)]
    pub(super) dependency_keys: Vec<Key>,
    #[serde(default)]
    owners: Vec<Owner>,
}

#[derive(Deserialize)]
struct Owner {
    email: Option<String>,
    team: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Materialisation {
    /// Milliseconds since 1970, as text.
    timestamp: String,
    run_id: Option<String>,
    partition: Option<String>,
    #[serde(default)]
    metadata_entries: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    label: String,
    int_value: Option<i64>,
}

impl Key {
    /// Its parts with `/` between them.
    pub(super) fn dataset(&self) -> Option<DatasetId> {
        DatasetId::try_from(self.path.join("/").trim()).ok()
    }
}

impl Definition {
    /// Who owns it, in the order that they are told in.
    pub(super) fn owner(&self) -> Option<String> {
        let name = |owner: &Owner| owner.email.clone().or_else(|| owner.team.clone());
        let owners: Vec<String> = self.owners.iter().filter_map(name).collect();
        (!owners.is_empty()).then(|| owners.join(", "))
    }
}

impl Materialisation {
    /// When it was: milliseconds since 1970.
    pub(super) fn millis(&self) -> Option<i64> {
        let millis: f64 = self.timestamp.parse().ok()?;
        // Until the year 2100.
        (0.0..4.2e12).contains(&millis).then_some(millis as i64)
    }

    /// The day, hour or time that its partition is for; of one in several dimensions
    /// the first that is one.
    pub(super) fn cycle(&self) -> Option<CycleName> {
        self.partition.as_deref()?.split('|').find_map(cycle)
    }

    /// The run, and the partition, of which a run may materialise many in a second.
    pub(super) fn run_id(&self) -> Option<String> {
        let run_id = self.run_id.as_deref()?;
        let text = match &self.partition {
            Some(partition) => format!("{run_id}/{partition}"),
            None => run_id.to_owned(),
        };
        (!text.is_empty() && text.len() <= 1_024).then_some(text)
    }

    /// Rows that came: those of the partition before those of the table.
    pub(super) fn rows(&self) -> Option<u64> {
        let of = |label: &str| {
            let entry = self
                .metadata_entries
                .iter()
                .find(|entry| entry.label == label);
            entry?.int_value?.try_into().ok()
        };
        of("dagster/partition_row_count").or_else(|| of("dagster/row_count"))
    }
}

/// `2026-03-02`, or as Dagster writes an hour, `2026-03-02-05:00`.
fn cycle(partition: &str) -> Option<CycleName> {
    let text = partition.trim();
    let hour = match (text.get(..10), text.get(10..11), text.get(11..)) {
        (Some(day), Some("-"), Some(time)) => Some(format!("{day}T{time}")),
        _ => None,
    };
    hour.as_deref().unwrap_or(text).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_that_are_times_are_cycles() {
        let shown = |partition: &str| {
            let partition = Some(partition.to_owned());
            let materialisation = Materialisation {
                timestamp: "1796071416445.5".to_owned(),
                run_id: Some("r".to_owned()),
                partition,
                metadata_entries: Vec::new(),
            };
            assert_eq!(materialisation.millis(), Some(1_796_071_416_445));
            materialisation.cycle().map(|cycle| cycle.to_string())
        };
        let day = Some("2026-03-02T00:00:00".to_owned());
        assert_eq!(shown("2026-03-02"), day);
        assert_eq!(shown("de|2026-03-02"), day);
        assert_eq!(
            shown("2026-03-02-05:00").as_deref(),
            Some("2026-03-02T05:00:00")
        );
        assert_eq!(shown("de"), None);
        assert_eq!(shown("2026-03-02-é"), None);
    }
}
