//! How does what other tools tell get into the store?
//!
//! Whatever the tool, in this order: times that cannot be are left out and said;
//! then everything is stored at once. Edges that were told in passing may go in a
//! circle and are straightened; those that somebody vouches for may not.

use std::collections::BTreeMap;

use freshness_core::dataset::DatasetId;
use freshness_core::lineage::{LineageError, Straightened, straighten};
use freshness_core::slo::Run;
use freshness_store::{
    ArrivalBatch, Collected, LineageEdge, RunSoFar, RunsSoFar, Store, StoreError, StraightEdges,
    ToldBatch, ToldCounts, ToldHouse, WithdrawnArrival,
};

use super::namesakes;
use crate::config::Renames;
use crate::outputs::words;
use crate::sources::{
    EARLIEST, Events, Extent, FUTURE_TOLERANCE_SECONDS, House, RunWords, SourceError, Told,
    ToldArrival, ToldOfRuns, ToldRemark,
};

/// What taking over a telling did.
#[derive(Debug)]
pub struct Taken {
    /// What the store counted.
    pub counts: ToldCounts,
    /// What a person should know.
    pub remarks: Vec<ToldRemark>,
    /// What of a collected source is ahead of now: it was left out, and the source
    /// was not moved on, so that it is read again once it is past.
    pub ahead: Option<String>,
    /// Told circles that were straightened, the datasets of each by name.
    pub circles: Vec<Vec<DatasetId>>,
}

/// Why nothing was taken over.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    /// Edges that somebody vouches for go in a circle.
    #[error(transparent)]
    Lineage(#[from] LineageError),
    /// Events tell more than is taken at once.
    #[error(transparent)]
    Events(#[from] SourceError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores what was told, in one transaction; the same again changes nothing.
/// `now` is the present in UTC seconds; `renames` say under which names datasets are
/// kept; `collected` is the configured source that it is from, if it is of one. That
/// source goes on only if nothing was left out that will come true.
pub fn take(
    store: &mut Store,
    told: Told,
    renames: &Renames,
    collected: Option<Collected>,
    now: i64,
) -> Result<Taken, TakeError> {
    let told = ToldOfRuns {
        told,
        ..ToldOfRuns::default()
    };
    take_after(store, "", |_| Ok(told), renames, collected, now)
}

/// Likewise what follows from events, and from what was told before of their runs;
/// `remarks` are told besides.
pub fn take_events(
    store: &mut Store,
    events: Events,
    remarks: Vec<ToldRemark>,
    renames: &Renames,
    collected: Option<Collected>,
    now: i64,
) -> Result<Taken, TakeError> {
    let tell = |known: Vec<RunSoFar>| {
        let known = known.iter();
        let known = known.map(|run| (run.run_id.as_str(), run.told.as_str()));
        let mut told = events.told_after(known)?;
        told.told.remarks.extend(remarks);
        Ok(told)
    };
    take_after(store, OPENLINEAGE, tell, renames, collected, now)
}

/// Whose runs are remembered.
const OPENLINEAGE: &str = "openlineage";

fn take_after(
    store: &mut Store,
    tool: &'static str,
    tell: impl FnOnce(Vec<RunSoFar>) -> Result<ToldOfRuns, TakeError>,
    renames: &Renames,
    collected: Option<Collected>,
    now: i64,
) -> Result<Taken, TakeError> {
    let (mut remarks, mut ahead) = (Vec::new(), None);
    let mut circles = Vec::new();
    let counts = store.take_told_with(
        tool,
        |known| {
            let batch;
            (batch, remarks, ahead) = batch_of(tell(known)?, tool, renames, collected, now);
            Ok(batch)
        },
        |firm, loose| {
            let (straight, found) = straightened(firm, loose)?;
            circles = found;
            Ok::<_, TakeError>(straight)
        },
    )?;
    remarks.extend(namesakes::remarks(&counts.namesakes));
    Ok(Taken {
        counts,
        remarks,
        ahead,
        circles,
    })
}

/// What is to be stored, what a person should know, and what is ahead of now.
fn batch_of(
    told: ToldOfRuns,
    tool: &'static str,
    renames: &Renames,
    collected: Option<Collected>,
    now: i64,
) -> (ToldBatch, Vec<ToldRemark>, Option<String>) {
    let ToldOfRuns {
        told,
        so_far,
        arrivals_withdrawn,
        runs_withdrawn,
    } = told;
    let Told {
        arrivals,
        runs,
        houses,
        mut remarks,
    } = renames.apply(told);
    let mut left_out = LeftOut::new(now);
    let mut batch = ArrivalBatch::new();
    for arrival in arrivals {
        if left_out.takes("arrival", &arrival.dataset, arrival.at) {
            continue;
        }
        let dataset = batch.dataset_of(&arrival.dataset);
        batch.push_with(
            dataset,
            arrival.at,
            arrival.cycle,
            arrival.run_id.as_deref(),
            arrival.covers_through,
            arrival.rows,
        );
    }
    let runs: Vec<(DatasetId, Run)> = (runs.into_iter())
        .filter(|(dataset, run)| !left_out.takes("run", dataset, run.finished_at))
        .collect();
    remarks.extend(left_out.remarks(BEFORE));
    let mut ahead = left_out.remarks(AHEAD);
    let houses = (houses.into_iter()).filter(|house| {
        let is_possible = house.as_of <= now.saturating_add(FUTURE_TOLERANCE_SECONDS);
        if !is_possible {
            ahead.push(of_the_future(house));
        }
        is_possible
    });
    let houses = houses.map(house).collect();
    let (collected, ahead) = match collected {
        Some(_) if !ahead.is_empty() => {
            let words: Vec<String> = ahead.into_iter().map(|remark| remark.what).collect();
            (None, Some(words.join("; ")))
        }
        collected => {
            remarks.extend(ahead);
            (collected, None)
        }
    };
    if !arrivals_withdrawn.is_empty() {
        let n = words::count(arrivals_withdrawn.len() as u64, "arrival");
        remarks.push(ToldRemark {
            place: tool.to_owned(),
            what: format!(
                "{n} withdrawn that an earlier part of a run seemed to bring (what is known of \
                 the run now is told anew)"
            ),
        });
    }
    let withdrawn = Told {
        arrivals: arrivals_withdrawn,
        runs: runs_withdrawn,
        ..Told::default()
    };
    let batch = ToldBatch {
        arrivals: batch,
        runs,
        houses,
        collected,
        runs_so_far: runs_so_far(tool, so_far, renames.apply(withdrawn)),
    };
    (batch, remarks, ahead)
}

fn runs_so_far(tool: &'static str, so_far: Vec<RunWords>, withdrawn: Told) -> RunsSoFar {
    let run = |run: RunWords| RunSoFar {
        run_id: run.run_id,
        is_whole: run.is_whole,
        told: run.words,
    };
    let arrival = |arrival: ToldArrival| WithdrawnArrival {
        dataset: arrival.dataset,
        at: arrival.at,
        cycle: arrival.cycle,
        run_id: arrival.run_id.unwrap_or_default().into(),
    };
    let runs = withdrawn.runs.into_iter();
    RunsSoFar {
        tool,
        runs: so_far.into_iter().map(run).collect(),
        arrivals_withdrawn: withdrawn.arrivals.into_iter().map(arrival).collect(),
        runs_withdrawn: runs
            .map(|(dataset, run)| (dataset, run.environment, run.run_id))
            .collect(),
    }
}

const AHEAD: &str = "ahead of now";
const BEFORE: &str = "from before 1990";

/// What was left out for its time: of each kind and reason how many, and the first.
struct LeftOut {
    now: i64,
    found: BTreeMap<(&'static str, &'static str), (u64, DatasetId, i64)>,
}

impl LeftOut {
    fn new(now: i64) -> LeftOut {
        LeftOut {
            now,
            found: BTreeMap::new(),
        }
    }

    /// Can something of a kind not have been at this time? It is noted then.
    fn takes(&mut self, kind: &'static str, dataset: &DatasetId, at: i64) -> bool {
        let why = match at {
            _ if at < EARLIEST => BEFORE,
            _ if at > self.now.saturating_add(FUTURE_TOLERANCE_SECONDS) => AHEAD,
            _ => return false,
        };
        let found = self.found.entry((kind, why));
        found.or_insert_with(|| (0, dataset.clone(), at)).0 += 1;
        true
    }

    /// What was left out for a reason, in words.
    fn remarks(&self, why: &str) -> Vec<ToldRemark> {
        let of_it = self.found.iter().filter(|((_, of), _)| *of == why);
        of_it
            .map(|((kind, _), (n, dataset, at))| {
                let at = shown(*at);
                let (are, such_as) = match n {
                    1 => ("is", ":"),
                    _ => ("are", ", such as"),
                };
                ToldRemark {
                    place: dataset.to_string(),
                    what: format!(
                        "{} left out that {are} {why}{such_as} {dataset} at {at}",
                        words::count(*n, kind)
                    ),
                }
            })
            .collect()
    }
}

/// What exists later than now: since the latest telling of a source counts, no
/// other would until then.
fn of_the_future(house: &House) -> ToldRemark {
    let at = shown(house.as_of);
    ToldRemark {
        place: house.source.clone(),
        what: format!(
            "what exists left out, since it is told of a time in the future: {at} (is the clock of who told it right?)"
        ),
    }
}

fn shown(at: i64) -> String {
    jiff::Timestamp::from_second(at).map_or_else(|_| at.to_string(), |at| at.to_string())
}

/// How edges told in passing are straightened beside firm ones, and the circles
/// they went in.
pub(super) fn straightened(
    firm: &[LineageEdge],
    loose: &[LineageEdge],
) -> Result<(StraightEdges, Vec<Vec<DatasetId>>), LineageError> {
    let pairs = |edges: &[LineageEdge]| {
        let pair = |edge: &LineageEdge| (edge.upstream.clone(), edge.downstream.clone());
        edges.iter().map(pair).collect::<Vec<_>>()
    };
    let Straightened {
        left_out,
        added,
        circles,
    } = straighten(&pairs(firm), &pairs(loose))?;
    let edges = |pairs: Vec<_>| pairs.into_iter().map(edge).collect();
    let (left_out, added) = (edges(left_out), edges(added));
    Ok((StraightEdges { left_out, added }, circles))
}

fn edge((upstream, downstream): (DatasetId, DatasetId)) -> LineageEdge {
    LineageEdge {
        upstream,
        downstream,
    }
}

fn house(house: House) -> ToldHouse {
    ToldHouse {
        source: house.source,
        as_of: house.as_of,
        is_whole: house.extent == Extent::Whole,
        datasets: house.datasets,
        edges: house.edges.into_iter().map(edge).collect(),
        dashboards: house.dashboards,
        called: house.called,
    }
}

#[cfg(test)]
mod tests {
    use freshness_core::dataset::Dataset;
    use freshness_core::fit::Parameters;
    use freshness_store::Access;
    use jiff::SignedDuration;

    use super::*;
    use crate::clock::Clock;
    use crate::rounds::{AsOf, Learning, fit, look};

    const NOW: i64 = 1_788_000_000;

    #[test]
    fn what_exists_in_the_future_is_left_out_so_that_the_next_telling_counts() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path().join("f.db"), Access::Create).unwrap();
        let mut tell = |as_of: i64, name: &str| {
            let house = House {
                source: "tool:shop".to_owned(),
                as_of,
                extent: Extent::Whole,
                datasets: vec![Dataset::undeclared(DatasetId::try_from(name).unwrap())],
                edges: Vec::new(),
                dashboards: Vec::new(),
                called: BTreeMap::new(),
            };
            let told = Told {
                houses: vec![house],
                ..Told::default()
            };
            let taken = take(&mut store, told, &Renames::default(), None, NOW).unwrap();
            let remarks = taken.remarks.iter();
            let remarks: Vec<String> = remarks
                .map(|remark| format!("{}: {}", remark.place, remark.what))
                .collect();
            let entries = store.datasets().unwrap();
            let names = entries.iter().map(|entry| entry.id.to_string());
            (names.collect::<Vec<_>>().join(","), remarks.join("\n"))
        };
        let remark = "tool:shop: what exists left out, since it is told of a time in the future: \
                      AT (is the clock of who told it right?)";
        let future = NOW + FUTURE_TOLERANCE_SECONDS + 1;
        let at = jiff::Timestamp::from_second(future).unwrap().to_string();
        let remark = remark.replace("AT", &at);
        assert_eq!(tell(future, "never"), (String::new(), remark));
        assert_eq!(tell(NOW, "a"), ("a".to_owned(), String::new()));
        // Clocks differ by that much.
        assert_eq!(tell(future - 1, "a"), ("a".to_owned(), String::new()));
    }

    /// All that a tool knows, with a delivery of each on each of 20 days.
    fn tell_all(store: &mut Store, names: &[&str], as_of: i64) {
        let ids: Vec<DatasetId> = (names.iter())
            .map(|name| DatasetId::try_from(*name).unwrap())
            .collect();
        let arrivals = ids.iter().flat_map(|id| {
            (0..20).map(|day| ToldArrival {
                dataset: id.clone(),
                at: NOW - day * 86_400,
                cycle: None,
                run_id: None,
                covers_through: None,
                rows: None,
            })
        });
        let told = Told {
            arrivals: arrivals.collect(),
            houses: vec![House {
                source: "tool:shop".to_owned(),
                as_of,
                extent: Extent::Whole,
                datasets: ids.iter().cloned().map(Dataset::undeclared).collect(),
                edges: Vec::new(),
                dashboards: Vec::new(),
                called: BTreeMap::new(),
            }],
            ..Told::default()
        };
        take(store, told, &Renames::default(), None, NOW).unwrap();
    }

    #[test]
    fn models_of_datasets_that_are_gone_are_no_loss() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path().join("f.db"), Access::Create).unwrap();
        tell_all(&mut store, &["a", "b"], NOW - 2);
        let now = jiff::Timestamp::from_second(NOW + 60).unwrap();
        let (clock, parameters) = (Clock::new(Some(now)), Parameters::default());
        let learning = Learning::alike(&parameters);
        fit(&mut store, &clock, AsOf::Any, &learning, None, |_, _| {}).unwrap();
        tell_all(&mut store, &["a"], NOW - 1);
        let looked = look(&store, now, SignedDuration::from_hours(36), None).unwrap();
        assert_eq!(looked.datasets.len(), 1);
    }
}
