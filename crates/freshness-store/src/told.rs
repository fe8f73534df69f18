//! What did other tools tell, and what does it come to?
//!
//! Of each dataset, edge and dashboard the newest telling of each source is
//! kept; what a newer telling of all of a source no longer names is gone. So the
//! order of imports never shows, and the same again changes nothing. What the
//! user imported wins over what is told; of several sources the first by name.

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::dashboard::Dashboard;
use freshness_core::dataset::{Dataset, DatasetId};
use freshness_core::slo::Run;
use rusqlite::Transaction;

use crate::batch::ArrivalBatch;
use crate::collections::{Collected, record_success};
use crate::dashboards::told_json;
use crate::datasets::{dataset_id, json, number};
use crate::error::{Fault, StoreError};
use crate::import::join_arrivals;
use crate::lineage::{LineageEdge, StraightEdges, beside_told, keep_straight, own_edges};
use crate::runs::{RunCounts, join_runs};
use crate::store::Store;
use crate::told_runs::{self, RunSoFar, RunsSoFar};

/// What the files of other tools say, to be stored at once.
#[derive(Debug, Default)]
pub struct ToldBatch {
    /// Deliveries.
    pub arrivals: ArrivalBatch,
    /// What was measured.
    pub runs: Vec<(DatasetId, Run)>,
    /// What exists.
    pub houses: Vec<ToldHouse>,
    /// How far a configured source is read with this, if it is of one.
    pub collected: Option<Collected>,
    /// What is known of runs that may be told further.
    pub runs_so_far: RunsSoFar,
}

/// What exists, as of one instant.
#[derive(Debug, Clone)]
pub struct ToldHouse {
    /// Who says so.
    pub source: String,
    /// When that was true: UTC seconds.
    pub as_of: i64,
    /// Is that all there is, so that what is not named is gone? If not, it was
    /// told in passing, and its edges may go in a circle.
    pub is_whole: bool,
    /// Datasets, with what is declared of them.
    pub datasets: Vec<Dataset>,
    /// What is made from what.
    pub edges: Vec<LineageEdge>,
    /// Who reads it.
    pub dashboards: Vec<Dashboard>,
    /// What the source itself calls some of its datasets, which two sources that tell
    /// of one thing call alike.
    pub called: BTreeMap<DatasetId, String>,
}

/// A dataset that two sources tell of and call differently: it may be two.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Namesakes {
    /// Which source tells of it, the first by name.
    pub source: String,
    /// … and which other.
    pub other: String,
    /// What both tell of.
    pub dataset: DatasetId,
}

/// What an import of tellings did.
#[derive(Debug, Default)]
pub struct ToldCounts {
    /// Arrivals that the store did not have.
    pub arrivals_new: u64,
    /// Arrivals that it had, or that were told twice.
    pub arrivals_duplicate: u64,
    /// What became of the runs.
    pub runs: RunCounts,
    /// Datasets that nobody knew.
    pub datasets_new: u64,
    /// Datasets, edges and dashboards told for the first time, or differently.
    pub told_new: u64,
    /// Datasets that no source and no user knows any more.
    pub datasets_gone: u64,
    /// Datasets of which another source tells too, and calls them otherwise; sorted.
    pub namesakes: BTreeSet<Namesakes>,
    /// Datasets whose stored arrivals are damaged: nothing of theirs was stored.
    pub refused: Vec<(DatasetId, StoreError)>,
}

impl Store {
    /// Stores what was told in one transaction. If any edge is new, `straighten`
    /// sees the edges that somebody vouches for and those told in passing; if it
    /// refuses them, nothing is stored.
    pub fn take_told<E: From<StoreError>>(
        &mut self,
        told: ToldBatch,
        straighten: impl FnOnce(&[LineageEdge], &[LineageEdge]) -> Result<StraightEdges, E>,
    ) -> Result<ToldCounts, E> {
        self.take_told_with("", |_| Ok(told), straighten)
    }

    /// Likewise, where what is told depends on what is known already of the runs of a
    /// `tool`: `tell` is asked inside the transaction.
    pub fn take_told_with<E: From<StoreError>>(
        &mut self,
        tool: &str,
        tell: impl FnOnce(Vec<RunSoFar>) -> Result<ToldBatch, E>,
        straighten: impl FnOnce(&[LineageEdge], &[LineageEdge]) -> Result<StraightEdges, E>,
    ) -> Result<ToldCounts, E> {
        let mut refusal = None;
        let stored = self.write(|transaction| {
            let told = match tell(told_runs::known(transaction, tool)?) {
                Ok(told) => told,
                Err(refused) => {
                    refusal = Some(refused);
                    return Err(Fault::TakenBack);
                }
            };
            let n_arrivals = told.arrivals.len() as u64;
            let histories = told.arrivals.into_histories();
            crate::import::check_times(&histories)?;
            let mut counts = ToldCounts::default();
            let gone_before = n_gone(transaction)?;
            for house in &told.houses {
                take_house(transaction, house, &mut counts)?;
            }
            for house in &told.houses {
                find_namesakes(transaction, house, &mut counts.namesakes)?;
            }
            let has_edges = told
                .houses
                .iter()
                .any(|house| !house.edges.is_empty() || house.is_whole);
            if has_edges && counts.told_new > 0 {
                let own = own_edges(transaction)?;
                let (firm, loose) = beside_told(transaction, own)?;
                match straighten(&firm, &loose) {
                    Ok(straight) => keep_straight(transaction, &straight)?,
                    Err(refused) => {
                        refusal = Some(refused);
                        return Err(Fault::TakenBack);
                    }
                }
            }
            told_runs::keep(transaction, &told.runs_so_far)?;
            let joined = join_arrivals(transaction, &histories)?;
            counts.arrivals_new = joined.new;
            counts.arrivals_duplicate = n_arrivals.saturating_sub(joined.new + joined.n_refused);
            counts.datasets_new += joined.datasets_new;
            counts.refused = joined.refused;
            counts.runs = join_runs(transaction, &told.runs)?;
            counts.datasets_new += counts.runs.datasets_new;
            counts.datasets_gone = n_gone(transaction)?.saturating_sub(gone_before);
            if let Some(collected) = &told.collected {
                record_success(transaction, collected, counts.arrivals_new)?;
            }
            Ok(counts)
        });
        match refusal {
            Some(refused) => Err(refused),
            None => Ok(stored?),
        }
    }

    /// Datasets that a source told once, and that neither a source nor the user
    /// names any more; by name.
    pub fn gone_datasets(&self) -> Result<Vec<DatasetId>, StoreError> {
        self.explain(|| {
            let mut all = self.connection.prepare_cached(
                "SELECT id FROM datasets WHERE no IN (SELECT dataset_no FROM gone) ORDER BY id",
            )?;
            let rows = all.query_map([], |row| dataset_id(row, 0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}

fn n_gone(transaction: &Transaction<'_>) -> Result<u64, Fault> {
    Ok(transaction.query_row("SELECT count(*) FROM gone", [], |row| row.get(0))?)
}

fn take_house(
    transaction: &Transaction<'_>,
    house: &ToldHouse,
    counts: &mut ToldCounts,
) -> Result<(), Fault> {
    let source = source_no(transaction, house)?;
    let mut numbered = |id: &DatasetId| {
        let (no, is_new) = number(transaction, id)?;
        counts.datasets_new += u64::from(is_new);
        Ok::<_, Fault>(no.0)
    };
    // Of two tellings of one instant the greater text stays, so that their order
    // does not show.
    let mut tell_dataset = transaction.prepare_cached(
        "INSERT INTO told_datasets (dataset_no, source_no, as_of, told, called)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE
         SET as_of = excluded.as_of, told = excluded.told, called = excluded.called
         WHERE (excluded.as_of, excluded.told, coalesce(excluded.called, ''))
             > (as_of, told, coalesce(called, ''))",
    )?;
    let mut n_told = 0;
    for dataset in &house.datasets {
        let no = numbered(&dataset.id)?;
        let called = house.called.get(&dataset.id);
        n_told += tell_dataset.execute((no, source, house.as_of, json(dataset), called))?;
    }
    let mut tell_edge = transaction.prepare_cached(
        "INSERT INTO told_edges (upstream, downstream, source_no, as_of, is_firm)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET as_of = excluded.as_of, is_firm = excluded.is_firm
         WHERE (excluded.as_of, excluded.is_firm) > (as_of, is_firm)",
    )?;
    for edge in &house.edges {
        let ends = (numbered(&edge.upstream)?, numbered(&edge.downstream)?);
        n_told += tell_edge.execute((ends.0, ends.1, source, house.as_of, house.is_whole))?;
    }
    let mut tell_dashboard = transaction.prepare_cached(
        "INSERT INTO told_dashboards (id, source_no, as_of, told) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT DO UPDATE SET as_of = excluded.as_of, told = excluded.told
         WHERE (excluded.as_of, excluded.told) > (as_of, told)",
    )?;
    for dashboard in &house.dashboards {
        for part in dashboard.parts() {
            part.datasets
                .iter()
                .try_for_each(|id| numbered(id).map(drop))?;
        }
        let told = told_json(dashboard);
        n_told += tell_dashboard.execute((dashboard.id.as_str(), source, house.as_of, told))?;
    }
    counts.told_new += n_told as u64;
    Ok(())
}

/// Which datasets of a house another source calls otherwise, as far as both still
/// tell of them.
fn find_namesakes(
    transaction: &Transaction<'_>,
    house: &ToldHouse,
    namesakes: &mut BTreeSet<Namesakes>,
) -> Result<(), Fault> {
    let mut find = transaction.prepare_cached(
        "WITH now AS (
             SELECT dataset_no, name, called
             FROM told_datasets t JOIN sources s ON s.no = t.source_no
             WHERE t.dataset_no = (SELECT no FROM datasets WHERE id = ?1)
                 AND t.as_of >= coalesce(s.whole_as_of, t.as_of))
         SELECT other.name FROM now JOIN now AS other USING (dataset_no)
         WHERE now.name = ?2 AND other.name <> ?2 AND now.called <> other.called",
    )?;
    for dataset in house.called.keys() {
        let others = find.query_map((dataset.as_str(), &house.source), |row| row.get(0))?;
        for other in others {
            let mut of: [String; 2] = [house.source.clone(), other?];
            of.sort();
            let [source, other] = of;
            namesakes.insert(Namesakes {
                source,
                other,
                dataset: dataset.clone(),
            });
        }
    }
    Ok(())
}

/// The number of a source, which is told of as of now.
fn source_no(transaction: &Transaction<'_>, house: &ToldHouse) -> Result<i64, Fault> {
    let whole_as_of = house.is_whole.then_some(house.as_of);
    transaction
        .prepare_cached(
            "INSERT INTO sources (name, whole_as_of) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET whole_as_of = excluded.whole_as_of
             WHERE excluded.whole_as_of > coalesce(whole_as_of, excluded.whole_as_of - 1)",
        )?
        .execute((&house.source, whole_as_of))?;
    let mut find = transaction.prepare_cached("SELECT no FROM sources WHERE name = ?1")?;
    Ok(find.query_row([&house.source], |row| row.get(0))?)
}
