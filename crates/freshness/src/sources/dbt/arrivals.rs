//! What arrived, by what dbt saw and did?
//!
//! A source's newest row is an arrival of it, so that one seen again is the same
//! one. What dbt made arrived when it was done. A batch arrived for its own
//! cycle, so yesterday's made anew is not today's.

use std::collections::{BTreeMap, HashMap};

use freshness_core::arrivals::CycleName;
use freshness_core::civil::DAY;
use freshness_core::dataset::DatasetId;
use freshness_core::slo::{Counts, Newest, Run, Stage, USUAL_ENVIRONMENT};

use super::house::{Clock, Known};
use super::names::{Kind, UniqueId};
use super::results::{Build, Facts, Look};
use crate::sources::{EARLIEST, FUTURE_TOLERANCE_SECONDS, Told, ToldArrival, ToldRemark};

/// Batches of one build that are told; a first build has one for each cycle since
/// the beginning.
const BATCHES_MAX: usize = 1_000;

/// Turns facts into arrivals and runs.
pub(super) fn tell(facts: &Facts, known: &HashMap<String, Known>, told: &mut Told) {
    let mut odd: BTreeMap<(String, &'static str), (String, u64)> = BTreeMap::new();
    for look in &facts.looks {
        let unique_id = facts.text(look.unique_id);
        let Some((dataset, node)) = dataset(unique_id, known) else {
            continue;
        };
        if is_made(unique_id) {
            // It arrived when it was made. Its newest row is as old as what it was
            // made from, which is worth knowing where a column says it.
            if node.is_some_and(|node| node.clock == Clock::Data) {
                told.runs.push((dataset, run(look, facts)));
            }
            continue;
        }
        let why = match arrived(look, node) {
            Ok(why) => {
                told.arrivals.push(ToldArrival {
                    dataset: dataset.clone(),
                    at: look.newest,
                    cycle: None,
                    run_id: None,
                    covers_through: None,
                    rows: None,
                });
                why
            }
            Err(why) => Some(why),
        };
        if let Some(why) = why {
            let place = format!("{}: {unique_id}", facts.text(look.file));
            let of = odd.entry((dataset.to_string(), why));
            of.or_insert((place, 0)).1 += 1;
        }
        if node.is_none_or(|node| node.clock == Clock::Data) {
            told.runs.push((dataset, run(look, facts)));
        }
    }
    for (look, n) in written_to(facts, known) {
        let unique_id = facts.text(look.unique_id);
        if let Some((dataset, _)) = dataset(unique_id, known) {
            let place = format!("{}: {unique_id}", facts.text(look.file));
            odd.insert((dataset.to_string(), WRITTEN_TO), (place, n));
        }
    }
    for build in &facts.builds {
        let unique_id = facts.text(build.unique_id);
        if let Some((dataset, node)) = dataset(unique_id, known) {
            made(build, &dataset, node, facts, &mut told.arrivals);
            if build.batches.is_empty() && node.is_some_and(|node| node.in_batches) {
                let of = odd.entry((dataset.to_string(), BATCHES_UNTOLD));
                of.or_insert((unique_id.to_owned(), 0)).1 += 1;
            }
        }
    }
    let order = |a: &ToldArrival| (a.dataset.clone(), a.at, a.cycle, a.run_id.clone(), a.rows);
    told.arrivals.sort_by_cached_key(order);
    told.arrivals.dedup();
    for ((dataset, why), (place, n)) in odd {
        let times = if n > 1 {
            format!(" ({n} times)")
        } else {
            String::new()
        };
        told.remarks.push(ToldRemark {
            place,
            what: format!("{dataset}: {why}{times}"),
        });
    }
}

/// The dataset of a unique id, and what a manifest says of it.
fn dataset<'k>(
    unique_id: &str,
    known: &'k HashMap<String, Known>,
) -> Option<(DatasetId, Option<&'k Known>)> {
    if let Some(node) = known.get(unique_id) {
        return Some((node.id.clone(), Some(node)));
    }
    let id = UniqueId::of(unique_id).filter(UniqueId::is_dataset)?;
    let dataset = DatasetId::try_from(id.rest).ok()?;
    let is_of_releases = id.rest.starts_with("coverage:");
    (!is_of_releases).then_some((dataset, None))
}

const BATCHES_UNTOLD: &str = "made in batches, and dbt did not write down of which days: each build counts for the time at which it was done, a backfill too";

const WRITTEN_TO: &str = "rows were being written when dbt looked, and more came within the hour: if that is one load, `meta.freshness.settle` says when it is over";

/// Is it something that dbt makes, and not a source?
fn is_made(unique_id: &str) -> bool {
    UniqueId::of(unique_id).is_some_and(|id| id.kind == Kind::Made)
}

/// Sources that were seen while they were written to, with the first such look and
/// how many there are. A load that takes long looks like that; a stream does too.
fn written_to<'f>(facts: &'f Facts, known: &HashMap<String, Known>) -> Vec<(&'f Look, u64)> {
    /// A loader that writes every few seconds has written within a minute.
    const YOUNG_SECONDS: i64 = 60;
    const AGAIN_SECONDS: i64 = 3_600;
    let mut looks: Vec<&Look> = facts.looks.iter().collect();
    looks.sort_by_key(|look| (look.unique_id, look.at));
    let mut found: Vec<(&Look, u64)> = Vec::new();
    for pair in looks.windows(2) {
        let (look, next) = (pair[0], pair[1]);
        let node = known.get(facts.text(look.unique_id));
        let is_open = node.is_none_or(|node| node.clock == Clock::Data && node.settle == 0);
        let is_young = (0..YOUNG_SECONDS).contains(&(look.at - look.newest));
        let went_on = !is_made(facts.text(look.unique_id))
            && look.unique_id == next.unique_id
            && next.newest > look.newest
            && next.at - look.at <= AGAIN_SECONDS;
        if is_open && is_young && went_on {
            match found
                .last_mut()
                .filter(|last| last.0.unique_id == look.unique_id)
            {
                Some(last) => last.1 += 1,
                None => found.push((look, 1)),
            }
        }
    }
    found
}

/// Is the newest row an arrival? Says what is odd about it, or why it is none.
fn arrived(look: &Look, node: Option<&Known>) -> Result<Option<&'static str>, &'static str> {
    if look.newest < EARLIEST {
        return Err("it has no rows");
    }
    if look.newest > look.at + FUTURE_TOLERANCE_SECONDS {
        return Err("its newest row was in the future when dbt looked, so nothing arrived");
    }
    let Some(node) = node else {
        return Ok(Some(
            "no manifest is among the files, so nobody knows whether dbt asked a column or when the table was last changed, which maintenance does too",
        ));
    };
    match node.clock {
        Clock::Metadata => Err(
            "without a loaded_at_field dbt asks when the table was last changed, which maintenance does too: nothing arrived",
        ),
        Clock::Now => Err("its loaded_at_field is what time it is: nothing arrived"),
        Clock::Data if look.at - look.newest < node.settle => {
            Err("it was still being loaded when dbt looked (settle), so it had not arrived")
        }
        Clock::Data => Ok(None),
    }
}

/// A look measures how new a source is.
fn run(look: &Look, facts: &Facts) -> Run {
    let newest = match look.newest < EARLIEST {
        true => Newest::NoRows,
        false => Newest::At(look.newest),
    };
    let run_id = match look.invocation {
        Some(invocation) => facts.text(invocation).to_owned(),
        None => format!("dbt:{}", look.at),
    };
    Run {
        run_id,
        environment: USUAL_ENVIRONMENT.to_owned(),
        started_at: None,
        finished_at: look.at,
        stage: Stage::Normal,
        counts: Counts::default(),
        newest: Some(newest),
        source_newest: None,
        filled: None,
    }
}

fn made(
    build: &Build,
    dataset: &DatasetId,
    node: Option<&Known>,
    facts: &Facts,
    arrivals: &mut Vec<ToldArrival>,
) {
    let is_view = node.is_some_and(|node| node.is_view);
    let arrival = |cycle, rows| ToldArrival {
        dataset: dataset.clone(),
        at: build.at,
        cycle,
        run_id: build.invocation.map(|id| facts.text(id).into()),
        covers_through: None,
        rows,
    };
    let rows = build.rows.filter(|_| !is_view);
    if build.batches.is_empty() {
        arrivals.push(arrival(None, rows));
        return;
    }
    // The rows are those of the last statement, which was of one batch.
    let rows = rows.filter(|_| build.batches.len() == 1);
    let newest = build.batches.len().saturating_sub(BATCHES_MAX);
    for &(begin, end) in &build.batches[newest..] {
        // dbt's days are those of UTC, and their names are days; an hour is an instant.
        let cycle = match end - begin < DAY {
            true => CycleName::Instant(begin),
            false => CycleName::Civil(begin),
        };
        arrivals.push(arrival(Some(cycle), rows));
    }
}
