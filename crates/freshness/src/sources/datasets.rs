//! What does a row declare of a dataset?

use freshness_core::civil::{Holidays, Zone};
use freshness_core::dataset::Dataset;
use freshness_core::schedule::{Calendar, Grain, Maintenance};

use super::arrivals::dataset_id;
use super::input::Source;
use super::problem::{BadRows, Problem, SourceError};
use super::table::{self, Cell, Columns, Fault, TableRead};

/// One declaration and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadDataset {
    /// Line, or row of a Parquet file.
    pub line: u64,
    /// What is declared.
    pub dataset: Dataset,
}

const COLUMNS: Columns = Columns {
    required: &["dataset_id"],
    optional: &[
        "grain", "timezone", "calendar", "critical", "owner", "team", "tags",
    ],
    meant: &[(
        "dataset_id",
        &["dataset", "table", "tablename", "name", "id", "datasetname"],
    )],
};

/// The longest owner, team or list of tags.
const TEXT_BYTES_MAX: usize = 4_096;

/// Reads declarations. A country is checked against `holidays`. Several
/// different declarations of one dataset are a bad row each but the first.
pub fn read_datasets(
    source: &Source,
    holidays: &Holidays,
    on_bytes: &dyn Fn(&[u8]),
    bad: &mut BadRows,
) -> Result<(Vec<ReadDataset>, TableRead), SourceError> {
    let mut found: Vec<ReadDataset> = Vec::new();
    let mut first_of = std::collections::HashMap::new();
    let read = table::read(source, &COLUMNS, on_bytes, bad, &mut |line, cells| {
        let dataset = declared(cells, holidays)?;
        match first_of.get(&dataset.id) {
            None => {
                first_of.insert(dataset.id.clone(), found.len());
                found.push(ReadDataset { line, dataset });
            }
            Some(&first) if found[first].dataset == dataset => {}
            Some(&first) => return Err(Fault(Some(0), Problem::Twice(found[first].line))),
        }
        Ok(())
    })?;
    Ok((found, read))
}

pub(super) fn declared(cells: &table::Cells<'_>, holidays: &Holidays) -> Result<Dataset, Fault> {
    let [
        id,
        grain,
        timezone,
        calendar,
        critical,
        owner,
        team,
        tags,
        ..,
    ] = cells;
    let at = |column: usize| move |problem: Problem| Fault(Some(column), problem);
    let dataset = Dataset {
        id: dataset_id(id).map_err(at(0))?,
        grain: word(grain, Problem::Grain, |text| text.parse::<Grain>().ok()).map_err(at(1))?,
        timezone: word(timezone, Problem::Zone, |text| Zone::named(text).ok()).map_err(at(2))?,
        calendar: word(calendar, Problem::Calendar, |text| {
            text.parse::<Calendar>().ok()
        })
        .map_err(at(3))?,
        critical: flag(critical).map_err(at(4))?,
        owner: free_text(owner).map_err(at(5))?,
        team: free_text(team).map_err(at(6))?,
        tags: tag_list(tags).map_err(at(7))?,
        maintenance: Maintenance::NONE,
    };
    if let Some(country) = dataset.calendar.as_ref().and_then(Calendar::country)
        && holidays.get(country).is_none()
    {
        return Err(Fault(Some(3), Problem::Country(country.to_owned())));
    }
    // A grain that the calendar contradicts would be silently ignored.
    if let (Some(grain), Some(calendar)) = (dataset.grain, &dataset.calendar)
        && let Some(of_calendar) = calendar.grain()
        && of_calendar != grain
    {
        return Err(Fault(
            Some(1),
            Problem::GrainAgainstCalendar {
                grain: grain.to_string(),
                calendar: of_calendar.to_string(),
            },
        ));
    }
    Ok(dataset)
}

fn word<T>(
    cell: &Cell<'_>,
    refusal: Problem,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, Problem> {
    match cell.text()?.map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => parse(text).map(Some).ok_or(refusal),
    }
}

fn flag(cell: &Cell<'_>) -> Result<bool, Problem> {
    match cell {
        Cell::Missing => Ok(false),
        Cell::Flag(flag) => Ok(*flag),
        Cell::Integer(0) => Ok(false),
        Cell::Integer(1) => Ok(true),
        Cell::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "y" | "t" | "1" => Ok(true),
            "false" | "no" | "n" | "f" | "0" | "" => Ok(false),
            _ => Err(Problem::Flag),
        },
        _ => Err(Problem::Flag),
    }
}

pub(super) fn free_text(cell: &Cell<'_>) -> Result<Option<String>, Problem> {
    let Some(text) = cell.text()?.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    checked(text).map(|text| Some(text.to_owned()))
}

fn checked(text: &str) -> Result<&str, Problem> {
    match text {
        _ if text.len() > TEXT_BYTES_MAX => Err(Problem::LongText(text.len())),
        _ if text.chars().any(char::is_control) => Err(Problem::Control),
        _ => Ok(text),
    }
}

/// A JSON list, or text with `,`, `;` or `|` between the tags. Sorted, each
/// once.
fn tag_list(cell: &Cell<'_>) -> Result<Vec<String>, Problem> {
    let mut tags: Vec<String> = match cell {
        Cell::List(values) => values
            .iter()
            .map(|value| {
                value.as_str().map(str::to_owned).ok_or(Problem::Type {
                    expected: "a list of texts",
                    found: "another list",
                })
            })
            .collect::<Result<_, _>>()?,
        cell => match cell.text()? {
            None => Vec::new(),
            Some(text) => text.split([',', ';', '|']).map(str::to_owned).collect(),
        },
    };
    for tag in &mut tags {
        *tag = checked(tag.trim())?.to_owned();
    }
    tags.retain(|tag| !tag.is_empty());
    tags.sort_unstable();
    tags.dedup();
    Ok(tags)
}
