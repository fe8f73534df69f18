//! What do the files tell that dbt writes?
//!
//! `manifest.json` says what exists, `sources.json` how new each source was when
//! dbt looked, `run_results.json` what a command made. Files of many days are
//! read together: what exists is what the newest manifest of each project says,
//! and what was seen and done is called by its names.

mod archive;
mod arrivals;
mod collect;
mod fault;
mod find;
mod graph;
mod house;
mod json;
mod names;
mod results;
mod settings;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use freshness_core::civil::Holidays;
use freshness_core::dataset::DatasetId;
use serde_json::Value;

pub use collect::{DbtTargets, collect_dbt};
pub use fault::{DbtError, Fault};

use self::find::Found;
use self::house::Known;
use self::json::{Artefact, Head};
use self::names::UniqueId;
use self::results::{Facts, time};
use super::{FUTURE_TOLERANCE_SECONDS, House, Told, ToldRemark};

/// What was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DbtFiles {
    /// `manifest.json`.
    pub manifests: u64,
    /// `sources.json`, and `freshness.json`.
    pub sources: u64,
    /// `run_results.json`.
    pub run_results: u64,
    /// Files that cannot be read and were left out.
    pub skipped: u64,
}

impl DbtFiles {
    /// Files that were read.
    pub fn n(&self) -> u64 {
        let DbtFiles {
            manifests,
            sources,
            run_results,
            skipped: _,
        } = self;
        manifests + sources + run_results
    }
}

/// How a zip begins.
const ZIP: &[u8] = b"PK\x03\x04";

/// What editors of Windows put before UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// When dbt wrote a file.
const GENERATED_AT: &str = "metadata.generated_at";

/// What `metadata.env.WRITTEN_BY` says of files that are ours.
pub const WRITTEN_BY: &str = "freshness";

/// A source, as a manifest has it.
#[derive(Debug, Clone, PartialEq)]
pub struct DbtSource {
    /// What dbt calls it: `source.shop.raw.orders`.
    pub unique_id: String,
    /// What it is called here.
    pub dataset: DatasetId,
    /// Its limits: an object with `warn_after`, `error_after` and `filter`.
    pub criteria: Option<Value>,
}

/// The sources in a manifest, by unique id.
pub fn read_dbt_sources(manifest: &Path, holidays: &Holidays) -> Result<Vec<DbtSource>, DbtError> {
    let mut reader = Reader::new(false, holidays, ANY_TIME);
    find::look_into(&[manifest.to_owned()], &mut reader)?;
    let sources = reader
        .known
        .into_iter()
        .filter_map(|(unique_id, (_, node))| {
            let is_source = UniqueId::of(&unique_id)?.kind == names::Kind::Source;
            is_source.then_some(DbtSource {
                unique_id,
                dataset: node.id,
                criteria: node.criteria.filter(Value::is_object),
            })
        });
    let mut sources: Vec<DbtSource> = sources.collect();
    sources.sort_unstable_by(|a, b| a.unique_id.cmp(&b.unique_id));
    match sources.is_empty() {
        true => Err(DbtError::new(
            &manifest.display().to_string(),
            Fault::NoSources,
        )),
        false => Ok(sources),
    }
}

/// Reads what dbt wrote: target folders, folders of archived ones, tars of them,
/// or single files. With `skip` a file that cannot be read is remarked and left
/// out; else it is an error, and so is it if there is none at all. `now` is the
/// present in UTC seconds: a manifest that was made later would hold for good.
pub fn read_dbt(
    roots: &[PathBuf],
    skip: bool,
    holidays: &Holidays,
    now: i64,
) -> Result<(Told, DbtFiles), DbtError> {
    let mut reader = Reader::new(skip, holidays, now);
    find::look_into(roots, &mut reader)?;
    reader.refuse_foreign()?;
    if reader.files.n() == 0 {
        let names: Vec<String> = roots
            .iter()
            .map(|root| root.display().to_string())
            .collect();
        let noted = reader.remarks.first();
        let noted = noted.map(|remark| format!("; {}: {}", remark.place, remark.what));
        let noted = noted.unwrap_or_default();
        return Err(DbtError::new(&names.join(", "), Fault::Nothing { noted }));
    }
    Ok(reader.finish())
}

/// Reads one file of dbt, by the name that messages give it.
pub fn read_dbt_file(
    name: &str,
    bytes: Vec<u8>,
    holidays: &Holidays,
) -> Result<(Told, DbtFiles), DbtError> {
    let mut reader = Reader::new(false, holidays, ANY_TIME);
    reader.file(name, bytes)?;
    Ok(reader.finish())
}

/// Reads a tar of what dbt wrote, plain or gzip, by the name that messages give
/// it.
pub fn read_dbt_tar(
    name: &str,
    mut bytes: &[u8],
    skip: bool,
    holidays: &Holidays,
) -> Result<(Told, DbtFiles), DbtError> {
    let mut reader = Reader::new(skip, holidays, ANY_TIME);
    archive::read(&mut bytes, name, &mut reader)?;
    Ok(reader.finish())
}

/// Why a file is left out.
const NOT_OF_DBT: &str = "not of dbt";

/// The folder of a file, by the name that messages give it; in a tar that of the tar.
fn folder_of(name: &str) -> &str {
    name.rfind(['/', '\\', ':']).map_or("", |end| &name[..end])
}

/// For who asks of no time: no manifest is of the future.
const ANY_TIME: i64 = i64::MAX;

struct Reader<'a> {
    skip: bool,
    now: i64,
    holidays: &'a Holidays,
    files: DbtFiles,
    facts: Facts,
    /// The newest of each project.
    houses: BTreeMap<String, Newest>,
    known: HashMap<String, (Age, Known)>,
    remarks: Vec<ToldRemark>,
    /// Files by a name of dbt's that are of another shape.
    foreign: Vec<String>,
    /// Where dbt wrote.
    folders: BTreeSet<String>,
}

/// Which of two manifests is newer: when it was made, and by which command.
type Age = (i64, String, String);

struct Newest {
    age: Age,
    house: House,
    remarks: Vec<ToldRemark>,
}

impl Found for Reader<'_> {
    fn file(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), DbtError> {
        let failed = |fault| DbtError::new(name, fault);
        if bytes.starts_with(ZIP) {
            return Err(failed(Fault::Zip));
        }
        let bytes = bytes.strip_prefix(BOM).unwrap_or(&bytes);
        let artefact: Artefact<'_> = match serde_json::from_slice(bytes) {
            Ok(artefact) => artefact,
            Err(error) => {
                return match serde_json::from_slice::<Head<'_>>(bytes) {
                    // A version that is not known may be of another shape.
                    Ok(head) => Err(failed(match kind(&head.metadata.dbt_schema_version) {
                        Err(unknown) => unknown,
                        Ok(_) => Fault::Json(error.to_string()),
                    })),
                    Err(head) if head.is_data() => {
                        self.foreign.push(name.to_owned());
                        self.left_out(name, NOT_OF_DBT);
                        Ok(())
                    }
                    Err(_) => Err(failed(Fault::Json(error.to_string()))),
                };
            }
        };
        self.folders.insert(folder_of(name).to_owned());
        let mut remarks = Vec::new();
        let mut remark = |key: &str, what: String| {
            let place = format!("{name}: {key}");
            remarks.push(ToldRemark { place, what });
        };
        let kind = kind(&artefact.metadata.dbt_schema_version).map_err(failed)?;
        let metadata = &artefact.metadata;
        let made = metadata.generated_at.as_deref();
        let made_at = made.map(|made| time(|| GENERATED_AT.to_owned(), made));
        let made_at = made_at.transpose().map_err(failed)?;
        match kind {
            Kind::Manifest => {
                let (Some(made), Some(as_of)) = (made, made_at) else {
                    return Err(failed(Fault::Lacks(GENERATED_AT)));
                };
                if as_of > self.now.saturating_add(FUTURE_TOLERANCE_SECONDS) {
                    let (key, value) = (GENERATED_AT, made.to_owned());
                    return Err(failed(Fault::Future { key, value }));
                }
                let by = metadata.invocation_id.as_deref().unwrap_or_default();
                let age = (as_of, made.to_owned(), by.to_owned());
                let read = house::read(&artefact, as_of, self.holidays, &mut remark);
                let manifest = read.map_err(failed)?;
                self.files.manifests += 1;
                self.keep(age, manifest, remarks);
            }
            Kind::Sources if artefact.metadata.env.0.written_by == WRITTEN_BY => {
                self.left_out(name, "what `freshness export` wrote is no look of dbt");
            }
            Kind::Sources => {
                self.facts.looks(&artefact, name).map_err(failed)?;
                self.files.sources += 1;
            }
            Kind::RunResults => {
                let read = self.facts.builds(&artefact, &mut remark);
                read.map_err(failed)?;
                self.files.run_results += 1;
                self.remarks.extend(remarks);
            }
        }
        Ok(())
    }

    fn left_out(&mut self, name: &str, why: &str) {
        self.remarks.push(ToldRemark {
            place: name.to_owned(),
            what: format!("left out: {why}"),
        });
    }

    fn unreadable(&mut self, error: DbtError) -> Result<(), DbtError> {
        if !self.skip {
            return Err(error);
        }
        self.files.skipped += 1;
        let DbtError { place, fault } = error;
        let what = format!("left out: {fault}");
        self.remarks.push(ToldRemark { place, what });
        Ok(())
    }
}

impl Reader<'_> {
    fn new(skip: bool, holidays: &Holidays, now: i64) -> Reader<'_> {
        Reader {
            skip,
            now,
            holidays,
            files: DbtFiles::default(),
            facts: Facts::default(),
            houses: BTreeMap::new(),
            known: HashMap::new(),
            remarks: Vec::new(),
            foreign: Vec::new(),
            folders: BTreeSet::new(),
        }
    }

    /// Where dbt wrote, a file by a name of dbt's is dbt's: of another shape, it is as
    /// wrong as a truncated one. Elsewhere it is somebody else's.
    fn refuse_foreign(&mut self) -> Result<(), DbtError> {
        for name in std::mem::take(&mut self.foreign) {
            if self.folders.contains(folder_of(&name)) {
                self.remarks
                    .retain(|remark| remark.place != name || !remark.what.ends_with(NOT_OF_DBT));
                let fault = Fault::Json("it is of another shape".to_owned());
                self.unreadable(DbtError::new(&name, fault))?;
            }
        }
        Ok(())
    }

    /// Keeps what a manifest says, as far as no newer one says otherwise.
    fn keep(&mut self, age: Age, manifest: house::Manifest, remarks: Vec<ToldRemark>) {
        let house::Manifest { house, known } = manifest;
        self.known.reserve(known.len());
        // Each goes to its own place, so the order does not show.
        known
            .into_iter()
            .for_each(|(unique_id, node)| match self.known.get(&unique_id) {
                Some((of, _)) if *of >= age => {}
                _ => {
                    self.known.insert(unique_id, (age.clone(), node));
                }
            });
        match self.houses.get(&house.source) {
            Some(newest) if newest.age >= age => {}
            _ => {
                let source = house.source.clone();
                let newest = Newest {
                    age,
                    house,
                    remarks,
                };
                self.houses.insert(source, newest);
            }
        }
    }

    fn finish(self) -> (Told, DbtFiles) {
        let mut told = Told {
            remarks: self.remarks,
            ..Told::default()
        };
        let known: HashMap<String, Known> = (self.known.into_iter())
            .map(|(unique_id, (_, node))| (unique_id, node))
            .collect();
        arrivals::tell(&self.facts, &known, &mut told);
        for newest in self.houses.into_values() {
            told.houses.push(newest.house);
            told.remarks.extend(newest.remarks);
        }
        (told, self.files)
    }
}

enum Kind {
    Manifest,
    Sources,
    RunResults,
}

/// What a file is, from its schema: `…/dbt/manifest/v12.json`.
fn kind(schema: &str) -> Result<Kind, Fault> {
    let mut parts = schema.rsplit('/');
    let version = parts.next().unwrap_or_default();
    let number = version
        .strip_prefix('v')
        .and_then(|rest| rest.strip_suffix(".json"));
    let number: Option<u32> = number.and_then(|number| number.parse().ok());
    let unknown = |kind, known| Fault::Version {
        kind,
        version: schema.chars().take(100).collect(),
        known,
    };
    match (parts.next(), number) {
        // dbt Fusion wrote v20 for a while, of the same shape.
        (Some("manifest"), Some(7..=12 | 20)) => Ok(Kind::Manifest),
        (Some("manifest"), _) => Err(unknown("manifest", "v7 to v12")),
        (Some("sources"), Some(3)) => Ok(Kind::Sources),
        (Some("sources"), _) => Err(unknown("sources", "v3")),
        // What dbt 2 writes of sources and models.
        (Some("freshness"), Some(0)) => Ok(Kind::Sources),
        (Some("freshness"), _) => Err(unknown("freshness", "v0")),
        (Some("run-results"), Some(4..=6 | 20)) => Ok(Kind::RunResults),
        (Some("run-results"), _) => Err(unknown("run-results", "v4 to v6")),
        _ => Err(unknown(
            "dbt's files",
            "manifest, sources, freshness, run-results",
        )),
    }
}
