//! Which dataset feeds which part of which report?
//!
//! A row is a feed. What is said of the report itself may stand in one of its
//! rows or in all of them, as long as they agree.

use std::collections::BTreeMap;

use freshness_core::dashboard::{Dashboard, DashboardId};
use freshness_core::dataset::DatasetId;

use super::arrivals::dataset_id;
use super::datasets::free_text;
use super::input::Source;
use super::problem::{BadRows, Problem, SourceError};
use super::table::{self, Cell, Cells, Columns, Fault, TableRead};

/// The reports of one source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadDashboards {
    by_id: BTreeMap<DashboardId, ReadDashboard>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ReadDashboard {
    title: Said,
    owner: Said,
    url: Said,
    feeds: Vec<(String, DatasetId)>,
}

/// What is said of a report, and in which line first.
type Said = Option<(String, u64)>;

const COLUMNS: Columns = Columns {
    required: &["dashboard_id", "dataset_id"],
    optional: &["part", "title", "name", "owner", "url"],
    meant: &[
        (
            "dashboard_id",
            &["dashboard", "report", "reportid", "exposure", "workbook"],
        ),
        ("dataset_id", &["dataset", "table", "tablename", "model"]),
    ],
};
const NAME: usize = 4;

/// Reads feeds. `is_known` says what is wrong with a dataset that nobody knows.
pub fn read_dashboards(
    source: &Source,
    is_known: &mut dyn FnMut(&DatasetId) -> Result<(), Problem>,
    on_bytes: &dyn Fn(&[u8]),
    bad: &mut BadRows,
) -> Result<(ReadDashboards, TableRead), SourceError> {
    let mut found = ReadDashboards::default();
    let read = table::read(source, &COLUMNS, on_bytes, bad, &mut |line, cells| {
        found.add(line, cells, is_known)
    })?;
    Ok((found, read))
}

impl ReadDashboards {
    /// The reports of several sources; what a later one says of a report wins,
    /// and all feeds count.
    pub fn together(all: impl IntoIterator<Item = ReadDashboards>) -> Vec<Dashboard> {
        let mut together = ReadDashboards::default();
        for (id, said) in all.into_iter().flat_map(|read| read.by_id) {
            let of = together.by_id.entry(id).or_default();
            of.title = said.title.or(of.title.take());
            of.owner = said.owner.or(of.owner.take());
            of.url = said.url.or(of.url.take());
            of.feeds.extend(said.feeds);
        }
        let text = |said: Said| said.map(|(text, _)| text);
        let dashboard = |(id, said): (DashboardId, ReadDashboard)| {
            let mut dashboard = Dashboard::new(id, said.feeds);
            dashboard.title = text(said.title);
            dashboard.owner = text(said.owner);
            dashboard.url = text(said.url);
            dashboard
        };
        together.by_id.into_iter().map(dashboard).collect()
    }

    fn add(
        &mut self,
        line: u64,
        cells: &Cells<'_>,
        is_known: &mut dyn FnMut(&DatasetId) -> Result<(), Problem>,
    ) -> Result<(), Fault> {
        let at = |column: usize| move |problem: Problem| Fault(Some(column), problem);
        let [id, dataset, part, title, name, owner, url, ..] = cells;
        let id = DashboardId::from(dataset_id(id).map_err(at(0))?);
        let dataset = dataset_id(dataset).map_err(at(1))?;
        is_known(&dataset).map_err(at(1))?;
        // What a nameless part shows is what it is called after.
        let part = free_text(part).map_err(at(2))?;
        let part = part.unwrap_or_else(|| dataset.as_str().to_owned());
        let (title, titled) = match free_text(title).map_err(at(3))? {
            Some(title) => (Some(title), 3),
            None => (free_text(name).map_err(at(NAME))?, NAME),
        };
        let owner = free_text(owner).map_err(at(5))?;
        let url = address(url).map_err(at(6))?;

        let known = self.by_id.get(&id);
        let agrees = |of: fn(&ReadDashboard) -> &Said, said: &Option<String>| match (
            known.and_then(|known| of(known).as_ref()),
            said,
        ) {
            (Some((before, first)), Some(said)) if before != said => Err(Problem::Twice(*first)),
            _ => Ok(()),
        };
        agrees(|of| &of.title, &title).map_err(at(titled))?;
        agrees(|of| &of.owner, &owner).map_err(at(5))?;
        agrees(|of| &of.url, &url).map_err(at(6))?;

        let of = self.by_id.entry(id).or_default();
        let keep = |of: &mut Said, said: Option<String>| {
            if of.is_none() {
                *of = said.map(|text| (text, line));
            }
        };
        keep(&mut of.title, title);
        keep(&mut of.owner, owner);
        keep(&mut of.url, url);
        of.feeds.push((part, dataset));
        Ok(())
    }
}

/// An address that a page may link to.
fn address(cell: &Cell<'_>) -> Result<Option<String>, Problem> {
    let Some(url) = free_text(cell)? else {
        return Ok(None);
    };
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let is_web = scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
    });
    match is_web && !url.contains(char::is_whitespace) {
        true => Ok(Some(url)),
        false => Err(Problem::Address),
    }
}
