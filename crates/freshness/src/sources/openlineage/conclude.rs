//! What follows from the events?
//!
//! Names are settled first, then each run gives its arrivals, each job its edges,
//! each namespace of jobs its opinion of what exists. Everything is sorted, so that
//! the order in which events were read shows nowhere.

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::dataset::{Dataset, DatasetId};

use super::names::Facts;
use super::runs::{Runs, State};
use super::{Events, LINKS_MAX};
use crate::sources::problem::SourceError;
use crate::sources::{EARLIEST, Extent, House, Told, ToldArrival, ToldRemark};

/// Remarks of one kind that are told one by one.
const SHOWN_MAX: usize = 20;

/// What one namespace of jobs says; numbers of datasets.
#[derive(Default)]
struct Opinion {
    datasets: BTreeSet<u32>,
    edges: BTreeSet<(u32, u32)>,
}

/// Turns all that was read into what a source tells.
pub(super) fn told(events: Events) -> Result<Told, SourceError> {
    let settled = events.names.settled();
    let of = &settled.of[..];
    let ids = &events.names.ids;
    let mut remarks = renamed(&settled.renamed, ids);
    for (version, place) in &events.strange {
        remarks.push(ToldRemark {
            place: place.clone(),
            what: format!("unknown version of OpenLineage, read as 2-0-2: {version}"),
        });
    }
    for (strange, (n, place)) in &events.strange_types {
        remarks.push(ToldRemark {
            place: place.clone(),
            what: format!("unknown eventType, no end of a run: {strange} (events: {n})"),
        });
    }
    let opinions = opinions(&events, of)?;
    let facts = facts(&events, of);
    let mut houses = Vec::new();
    for (namespace, opinion) in opinions {
        let source = format!("openlineage:{}", events.jobs.namespaces[namespace as usize]);
        houses.extend(houses_of(&source, &opinion, ids, &facts));
    }
    houses.sort_by(|a, b| (&a.source, a.as_of).cmp(&(&b.source, b.as_of)));
    let mut runs = Vec::new();
    let mut failed: BTreeMap<&DatasetId, u32> = BTreeMap::new();
    for (run, dataset) in events.measured.of() {
        let id = &ids[of[dataset as usize] as usize];
        let (found, n_failed) = events.measured.run(&events.runs, (run, dataset));
        runs.extend(found.map(|run| (id.clone(), run)));
        if n_failed > 0 {
            *failed.entry(id).or_default() += n_failed;
        }
    }
    runs.sort_by(|(a, run_a), (b, run_b)| (a, &run_a.run_id).cmp(&(b, &run_b.run_id)));
    remarks.extend(failed.iter().take(SHOWN_MAX).map(|(id, n)| ToldRemark {
        place: id.to_string(),
        what: format!("assertions of data quality failed: {n}"),
    }));
    remarks.extend(more(failed.len(), "datasets with failed assertions"));
    let mut arrivals = Vec::new();
    for state in &events.runs.states {
        arrivals_of(&events.runs, state, of, ids, &mut arrivals);
    }
    drop(events.runs);
    arrivals.sort_unstable_by(|a, b| {
        (&a.dataset, a.at, &a.run_id, a.cycle).cmp(&(&b.dataset, b.at, &b.run_id, b.cycle))
    });
    Ok(Told {
        arrivals,
        runs,
        houses,
        remarks,
    })
}

/// The arrivals that a run brought. Two outputs that are one dataset, such as two
/// partitions of a table, are one arrival, which is there when the last of them is.
fn arrivals_of(
    runs: &Runs,
    state: &State,
    of: &[u32],
    ids: &[DatasetId],
    arrivals: &mut Vec<ToldArrival>,
) {
    let mut found: Vec<(u32, bool, i64, Option<u64>)> = runs
        .outputs(state)
        .filter_map(|output| {
            let dataset = of[output.dataset as usize];
            let at = output.arrived(state)?;
            // What is told of the table itself goes before the sum of its parts.
            Some((dataset, dataset != output.dataset, at, output.rows()))
        })
        .collect();
    found.sort_unstable();
    for same in found.chunk_by(|a, b| a.0 == b.0) {
        let whole = same
            .iter()
            .find(|(_, is_part, _, rows)| !is_part && rows.is_some());
        let rows = match whole {
            Some((_, _, _, rows)) => *rows,
            None => same
                .iter()
                .map(|(_, _, _, rows)| *rows)
                .try_fold(0_u64, |sum, rows| sum.checked_add(rows?)),
        };
        let at = same.iter().map(|(_, _, at, _)| *at).max();
        arrivals.extend(at.map(|at| ToldArrival {
            dataset: ids[same[0].0 as usize].clone(),
            at,
            cycle: state.cycle(),
            run_id: Some(runs.name(state.key)),
            covers_through: None,
            rows,
        }));
    }
}

/// What each namespace says, by its number.
fn opinions(events: &Events, of: &[u32]) -> Result<BTreeMap<u32, Opinion>, SourceError> {
    // The inputs of each output of each job, over all of its runs.
    let mut read: BTreeSet<(u32, u32, u32)> = events.declared.clone();
    let mut opinions: BTreeMap<u32, Opinion> = BTreeMap::new();
    let mut named: BTreeSet<(u32, u32)> = BTreeSet::new();
    for state in &events.runs.states {
        named.insert((state.job, state.inputs));
        for output in events.runs.outputs(state) {
            read.insert((state.job, output.dataset, state.inputs));
        }
    }
    let mut say = |namespace: u32, dataset: u32| {
        let dataset = of[dataset as usize];
        opinions
            .entry(namespace)
            .or_default()
            .datasets
            .insert(dataset);
    };
    for (job, set) in named {
        for &dataset in events.runs.sets.members(set) {
            say(events.jobs.job(job).namespace, dataset);
        }
    }
    for &(namespace, dataset) in &events.alone {
        say(namespace, dataset);
    }
    // Where columns are told, the datasets they come from are the parents, and not
    // everything that the job read.
    let by_columns: BTreeSet<(u32, u32)> = (events.columns.iter())
        .map(|&(job, output, _)| (job, output))
        .collect();
    let mut edges: BTreeSet<(u32, u32, u32)> = (events.columns.iter())
        .map(|&(job, output, input)| (job, input, output))
        .collect();
    for (job, output, set) in read {
        say(events.jobs.job(job).namespace, output);
        if by_columns.contains(&(job, output)) {
            continue;
        }
        for &input in events.runs.sets.members(set) {
            edges.insert((job, input, output));
        }
        if edges.len() > LINKS_MAX {
            return Err(SourceError::TooMany {
                what: "edges",
                max: LINKS_MAX,
            });
        }
    }
    let of_job = edges
        .into_iter()
        .map(|(job, input, output)| (events.jobs.job(job).namespace, input, output));
    let own = events
        .own_columns
        .iter()
        .map(|&(namespace, output, input)| (namespace, input, output));
    for (namespace, input, output) in of_job.chain(own) {
        let (input, output) = (of[input as usize], of[output as usize]);
        let opinion = opinions.entry(namespace).or_default();
        opinion.datasets.extend([input, output]);
        if input != output {
            opinion.edges.insert((input, output));
        }
    }
    Ok(opinions)
}

/// What a namespace says, by when it was true. That a dataset or an edge exists is
/// told in passing and never outdated; an owner or a tag is as old as its facet. So
/// an event that leaves a facet out takes nothing back, however late it is read.
fn houses_of(
    source: &str,
    opinion: &Opinion,
    ids: &[DatasetId],
    facts: &[Facts],
) -> impl Iterator<Item = House> {
    let id = |i: u32| ids[i as usize].clone();
    let mut by_age: BTreeMap<i64, Vec<Dataset>> = BTreeMap::new();
    for &i in &opinion.datasets {
        let facts = &facts[i as usize];
        by_age
            .entry(facts.newest().unwrap_or(EARLIEST))
            .or_default()
            .push(dataset(id(i), facts));
    }
    let mut edges: Vec<(DatasetId, DatasetId)> = (opinion.edges.iter())
        .map(|&(upstream, downstream)| (id(upstream), id(downstream)))
        .collect();
    edges.sort_unstable();
    if !edges.is_empty() {
        by_age.entry(EARLIEST).or_default();
    }
    by_age.into_iter().map(move |(as_of, mut datasets)| {
        datasets.sort_unstable_by(|a, b| a.id.cmp(&b.id));
        House {
            source: source.to_owned(),
            as_of,
            extent: Extent::Part,
            datasets,
            edges: match as_of {
                EARLIEST => std::mem::take(&mut edges),
                _ => Vec::new(),
            },
            dashboards: Vec::new(),
            called: BTreeMap::new(),
        }
    })
}

/// What is declared of each dataset, under the name that it has in the end. The
/// owner of a job owns what it writes, if nobody else is said to.
fn facts(events: &Events, of: &[u32]) -> Vec<Facts> {
    let mut facts = vec![Facts::default(); events.names.ids.len()];
    for (told, &of) in events.names.facts.iter().zip(of) {
        let facts = &mut facts[of as usize];
        if let Some((at, owner)) = &told.owner {
            Facts::say(&mut facts.owner, *at, owner.clone());
        }
        if let Some((at, tags)) = &told.tags {
            Facts::say(&mut facts.tags, *at, tags.clone());
        }
    }
    let is_owned: Vec<bool> = facts.iter().map(|facts| facts.owner.is_some()).collect();
    let mut owned: BTreeSet<(u32, u32)> = BTreeSet::new();
    for state in &events.runs.states {
        if events.jobs.job(state.job).owner.is_some() {
            let outputs = events.runs.outputs(state);
            owned.extend(outputs.map(|output| (state.job, of[output.dataset as usize])));
        }
    }
    for (job, of) in owned {
        if let Some((at, owner)) = &events.jobs.job(job).owner
            && !is_owned[of as usize]
        {
            Facts::say(&mut facts[of as usize].owner, *at, owner.clone());
        }
    }
    facts
}

fn dataset(id: DatasetId, facts: &Facts) -> Dataset {
    let owner = facts.owner.as_ref().map(|(_, owner)| owner.clone());
    let tags = facts.tags.as_ref().map(|(_, tags)| tags.clone());
    Dataset {
        owner,
        tags: tags.unwrap_or_default(),
        ..Dataset::undeclared(id)
    }
}

fn renamed(renamed: &[(u32, u32)], ids: &[DatasetId]) -> Vec<ToldRemark> {
    let remark = |&(old, new): &(u32, u32)| ToldRemark {
        place: ids[new as usize].to_string(),
        what: format!(
            "renamed from {}: all of it is told under the new name",
            ids[old as usize]
        ),
    };
    let mut remarks: Vec<ToldRemark> = renamed.iter().take(SHOWN_MAX).map(remark).collect();
    remarks.extend(more(renamed.len(), "renamed datasets"));
    remarks
}

/// What is not told one by one.
fn more(n: usize, what: &str) -> Option<ToldRemark> {
    (n > SHOWN_MAX).then(|| ToldRemark {
        place: "all files".to_owned(),
        what: format!("{} more {what}", n - SHOWN_MAX),
    })
}
