//! What exists, by a manifest?
//!
//! Tables of sources, models, seeds and snapshots are datasets, and the parent
//! map is their lineage; exposures are dashboards, whose parts are what they
//! show. Models that are never stored (ephemeral) are none.

use std::collections::{BTreeMap, HashMap};

use freshness_core::civil::Holidays;
use freshness_core::dashboard::{Dashboard, DashboardId};
use freshness_core::dataset::DatasetId;
use md5::{Digest, Md5};
use serde_json::Value;

use super::fault::Fault;
use super::graph::{Graph, Through};
use super::json::{Artefact, Exposure, Group, Id, Meta, Node, Text};
use super::names::{Kind as NodeKind, UniqueId, named};
use super::settings::{Around, Settings, settings};
use crate::sources::{Extent, House};

/// What a manifest says.
#[derive(Debug)]
pub(super) struct Manifest {
    pub(super) house: House,
    /// Its datasets, by unique id.
    pub(super) known: HashMap<String, Known>,
}

/// What is known of a node that is a dataset.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) id: DatasetId,
    pub(super) clock: Clock,
    /// The newest row must have been there so long for a load to be over: seconds.
    pub(super) settle: i64,
    /// Nothing is stored: it has no rows of its own.
    pub(super) is_view: bool,
    /// Each build makes some of its days.
    pub(super) in_batches: bool,
    /// The limits of a source, as dbt knows them.
    pub(super) criteria: Option<Value>,
}

/// What dbt asks when it looks how new a source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clock {
    /// A column, or a query that was written for it.
    Data,
    /// The database, when the table was last changed; which maintenance does too.
    Metadata,
    /// What time it is.
    Now,
}

/// Reads what a manifest says. `remark` hears a key and what is to be said of it.
pub(super) fn read(
    artefact: &Artefact<'_>,
    as_of: i64,
    holidays: &Holidays,
    remark: &mut dyn FnMut(&str, String),
) -> Result<Manifest, Fault> {
    let project = project(artefact);
    let through = graph(artefact).through()?;
    let groups: HashMap<String, &Group<'_>> = (artefact.groups.0.iter())
        .filter_map(|(id, group)| {
            let name = group.name.as_deref()?.to_owned();
            let package = UniqueId::of(id)?.package.to_owned();
            Some((format!("{package}.{name}"), group))
        })
        .collect();

    // By unique id, so that the order in the file never shows.
    let all: BTreeMap<&str, &Node<'_>> = (artefact.nodes.0.iter().chain(&artefact.sources.0))
        .map(|(id, node)| (&**id, node))
        .filter(|(id, node)| is_dataset(id, node))
        .collect();
    let shorts = all.iter().map(|(&id, node)| (id, short_name(id, node)));
    let names = named(&shorts.collect());
    let mut known: HashMap<String, Known> = HashMap::with_capacity(all.len());
    let mut datasets = Vec::with_capacity(all.len());
    let mut called = BTreeMap::new();
    for (&unique_id, &node) in &all {
        let collection = match UniqueId::of(unique_id).map(|id| id.kind) {
            Some(NodeKind::Source) => "sources",
            _ => "nodes",
        };
        let name = names[unique_id].as_str();
        let id = match DatasetId::try_from(name) {
            Ok(id) if !name.starts_with("coverage:") => id,
            Ok(_) => {
                let why = "left out: names that begin with coverage: are those of releases";
                remark(&format!("{collection}.{unique_id}"), why.to_owned());
                continue;
            }
            Err(error) => {
                remark(
                    &format!("{collection}.{unique_id}"),
                    format!("left out: {error}"),
                );
                continue;
            }
        };
        let of_group = group_of(unique_id, node, &groups);
        let around = Around {
            owner: of_group.and_then(|group| group.owner.0.said()),
            team: of_group
                .and_then(|group| group.name.as_deref())
                .map(str::to_owned),
            tags: node.tags.clone(),
        };
        let metas = metas(node);
        let mut say = |key: &str, what| remark(&format!("{collection}.{unique_id}.{key}"), what);
        let Settings { dataset, settle } = settings(&id, &metas, around, holidays, &mut say);
        datasets.push(dataset);
        called.insert(id.clone(), table(unique_id, node));
        let view = |materialized: &str| matches!(materialized, "view");
        let is_view = node.config.0.materialized.as_deref().is_some_and(view);
        let one = Known {
            id,
            clock: clock(node),
            settle,
            is_view,
            in_batches: node.config.0.incremental_strategy.as_deref() == Some("microbatch"),
            criteria: node.freshness.clone(),
        };
        known.insert(unique_id.to_string(), one);
    }
    datasets.sort_unstable_by(|a, b| a.id.cmp(&b.id));

    let mut edges = Vec::new();
    for (unique_id, child) in all.keys().filter_map(|&id| Some((id, known.get(id)?))) {
        for parent in through.of(unique_id).filter_map(|id| known.get(id)) {
            edges.push((parent.id.clone(), child.id.clone()));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    let exposures = artefact.exposures.0.iter();
    let exposures: BTreeMap<&str, &Exposure<'_>> = exposures.map(|(id, of)| (&**id, of)).collect();
    let dashboards = dashboards(&exposures, &through, &known, remark);
    Ok(Manifest {
        house: House {
            source: format!("dbt:{project}"),
            as_of,
            extent: Extent::Whole,
            datasets,
            edges,
            dashboards,
            called,
        },
        known,
    })
}

fn is_dataset(unique_id: &str, node: &Node<'_>) -> bool {
    UniqueId::of(unique_id).is_some_and(|id| id.is_dataset())
        && node.config.0.materialized.as_deref() != Some("ephemeral")
}

/// Where settings stand, the first that says something of one holds.
fn metas<'n>(node: &'n Node<'_>) -> [&'n Meta; 3] {
    [&node.config.0.meta.0, &node.meta.0, &node.source_meta.0]
}

/// What it is, whichever project tells of it: two that read one table mean that
/// table, and what is a package of both has one unique id.
fn table(unique_id: &str, node: &Node<'_>) -> String {
    let is_read = UniqueId::of(unique_id).is_some_and(|id| id.kind == NodeKind::Source);
    match &node.relation_name {
        Some(relation) if is_read => relation.to_string(),
        _ => unique_id.to_owned(),
    }
}

/// The name that `meta.freshness.dataset` gives it, or what dbt calls it.
fn short_name(unique_id: &str, node: &Node<'_>) -> String {
    let own = metas(node)[..2].iter().find_map(|meta| meta.dataset());
    match (own, &node.source_name, &node.name) {
        (Some(own), _, _) => own.to_owned(),
        (None, Some(source), Some(table)) => format!("{source}.{table}"),
        // With its version, which a name is without.
        _ => UniqueId::of(unique_id)
            .map_or(unique_id, |id| id.rest)
            .to_owned(),
    }
}

fn graph<'a>(artefact: &'a Artefact<'_>) -> Graph<'a> {
    let mut graph = Graph::default();
    let made = artefact.nodes.0.iter().chain(&artefact.sources.0);
    for (id, node) in made.clone() {
        let counts = UniqueId::of(id).is_some_and(|id| id.is_dataset());
        if counts {
            graph.node(id, is_dataset(id, node));
        }
    }
    let between = [
        &artefact.metrics,
        &artefact.semantic_models,
        &artefact.saved_queries,
    ];
    let between = || between.into_iter().flat_map(|keyed| &keyed.0);
    for (id, _) in between() {
        graph.node(id, false);
    }
    for (id, _) in &artefact.exposures.0 {
        graph.node(id, false);
    }
    let text = |id: &'a Id<'_>| -> &'a str { &id.0 };
    for (id, node) in made {
        graph.made_from(id, node.depends_on.0.nodes.iter().map(text));
    }
    for (id, between) in between() {
        graph.made_from(id, between.depends_on.0.nodes.iter().map(text));
    }
    for (id, exposure) in &artefact.exposures.0 {
        graph.made_from(id, exposure.depends_on.0.nodes.iter().map(text));
    }
    for (id, parents) in &artefact.parent_map.0 {
        graph.made_from(id, parents.iter().flatten().map(text));
    }
    graph
}

fn group_of<'g, 'a>(
    unique_id: &str,
    node: &Node<'_>,
    groups: &HashMap<String, &'g Group<'a>>,
) -> Option<&'g Group<'a>> {
    let package = UniqueId::of(unique_id)?.package;
    groups
        .get(&format!("{package}.{}", node.group.as_deref()?))
        .copied()
}

fn clock(node: &Node<'_>) -> Clock {
    let said =
        |text: &Option<Text<'_>>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let config = &node.config.0;
    let fields = [&node.loaded_at_field, &config.loaded_at_field];
    let queries = [&node.loaded_at_query, &config.loaded_at_query];
    match fields.into_iter().find(|field| said(field)) {
        _ if queries.into_iter().any(said) => Clock::Data,
        None => Clock::Metadata,
        Some(field) if field.as_deref().is_some_and(is_now) => Clock::Now,
        Some(_) => Clock::Data,
    }
}

/// Is it what time it is, rather than a column? Then it is always fresh.
fn is_now(expression: &str) -> bool {
    let plain: String = expression.to_lowercase();
    let plain: String = plain.chars().filter(|c| !c.is_whitespace()).collect();
    let plain = plain.split("::").next().unwrap_or_default();
    let plain = plain.trim_end_matches("()");
    [
        "now",
        "current_timestamp",
        "current_date",
        "getdate",
        "sysdate",
        "sysdatetime",
        "systimestamp",
        "localtimestamp",
    ]
    .contains(&plain)
}

/// Exposures that show a dataset.
fn dashboards(
    exposures: &BTreeMap<&str, &Exposure<'_>>,
    through: &Through<'_>,
    known: &HashMap<String, Known>,
    remark: &mut dyn FnMut(&str, String),
) -> Vec<Dashboard> {
    let short = |id: &str, exposure: &Exposure<'_>| match &exposure.name {
        Some(name) => name.to_string(),
        None => UniqueId::of(id).map_or(id, |id| id.rest).to_owned(),
    };
    let shorts = exposures
        .iter()
        .map(|(&id, exposure)| (id, short(id, exposure)));
    let names = named(&shorts.collect());
    let mut dashboards = Vec::new();
    for (&unique_id, exposure) in exposures {
        let mut say = |what: String| remark(&format!("exposures.{unique_id}"), what);
        let id = match DashboardId::try_from(names[unique_id].as_str()) {
            Ok(id) => id,
            Err(error) => {
                say(format!("left out: {error}"));
                continue;
            }
        };
        let shown = through.of(unique_id).filter_map(|id| known.get(id));
        let mut feeds = shown
            .map(|dataset| (dataset.id.to_string(), dataset.id.clone()))
            .peekable();
        if feeds.peek().is_none() {
            say("left out: it shows no dataset".to_owned());
            continue;
        }
        let mut dashboard = Dashboard::new(id, feeds);
        let text = |text: Option<String>| text.filter(|text| is_text(text));
        dashboard.title = text(exposure.label.as_deref().map(str::to_owned));
        dashboard.owner = text(exposure.owner.0.said());
        dashboard.maturity = text(exposure.maturity.as_deref().map(str::to_owned));
        match exposure.url.as_deref().map(str::trim) {
            None | Some("") => {}
            Some(url) if is_address(url) => dashboard.url = Some(url.to_owned()),
            Some(_) => say("url: not a web address, so it has none".to_owned()),
        }
        dashboards.push(dashboard);
    }
    dashboards.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    dashboards
}

/// The longest text that is kept of a report: bytes.
const TEXT_BYTES_MAX: usize = 4_096;

fn is_text(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.len() <= TEXT_BYTES_MAX && !text.chars().any(char::is_control)
}

fn is_address(url: &str) -> bool {
    let url_lower = url.to_ascii_lowercase();
    let is_web = url_lower.starts_with("http://") || url_lower.starts_with("https://");
    is_web && is_text(url) && !url.contains(char::is_whitespace)
}

/// The name of the project. Before 1.6 dbt wrote its MD5 only, which is that of
/// one of the packages.
fn project(artefact: &Artefact<'_>) -> String {
    let metadata = &artefact.metadata;
    if let Some(name) = &metadata.project_name {
        return name.to_string();
    }
    let mut packages: BTreeMap<&str, usize> = BTreeMap::new();
    let made = artefact.nodes.0.iter().chain(&artefact.sources.0);
    let made = made.map(|(id, node)| (id, node.package_name.as_deref()));
    let shown = artefact.exposures.0.iter();
    let shown = shown.map(|(id, exposure)| (id, exposure.package_name.as_deref()));
    for (id, package) in made.chain(shown) {
        let package = package.or_else(|| UniqueId::of(id).map(|id| id.package));
        *packages.entry(package.unwrap_or_default()).or_default() += 1;
    }
    if let Some(of_name) = &metadata.project_id {
        let is_it = |package: &&str| hex(&Md5::digest(package.as_bytes())) == **of_name;
        let found = packages.keys().copied().find(is_it);
        return found.unwrap_or(of_name).to_owned();
    }
    let most = packages
        .iter()
        .max_by_key(|&(name, &n)| (n, std::cmp::Reverse(*name)));
    most.map_or_else(String::new, |(&name, _)| name.to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
