//! What do the assets of Airflow say of what is made from what?
//!
//! A task that consumes one asset and produces another makes the second from the
//! first. A DAG that waits for an asset makes from it whatever its tasks produce and
//! do not say to make from something else.

use std::collections::{BTreeMap, BTreeSet};

use freshness_core::dataset::DatasetId;

use super::api::Asset;

/// What exists, and what is made from what.
pub(super) fn of(assets: &[Asset]) -> (Vec<DatasetId>, Vec<(DatasetId, DatasetId)>) {
    let mut datasets: BTreeSet<DatasetId> = BTreeSet::new();
    // What each task consumes, and each DAG waits for.
    let mut consumed: BTreeMap<(&str, &str), BTreeSet<DatasetId>> = BTreeMap::new();
    let mut awaited: BTreeMap<&str, BTreeSet<DatasetId>> = BTreeMap::new();
    let mut produced: Vec<(DatasetId, &str, &str)> = Vec::new();
    for asset in assets {
        let Ok(id) = DatasetId::try_from(asset.dataset().trim()) else {
            continue;
        };
        for task in &asset.consuming_tasks {
            let by = consumed.entry((&task.dag_id, &task.task_id)).or_default();
            by.insert(id.clone());
        }
        for dag in &asset.scheduled_dags {
            awaited.entry(&dag.dag_id).or_default().insert(id.clone());
        }
        for task in &asset.producing_tasks {
            produced.push((id.clone(), &task.dag_id, &task.task_id));
        }
        datasets.insert(id);
    }
    let mut edges: BTreeSet<(DatasetId, DatasetId)> = BTreeSet::new();
    for (made, dag, task) in produced {
        let of_task = consumed.get(&(dag, task));
        let parents = of_task.or_else(|| awaited.get(dag));
        for parent in parents.into_iter().flatten() {
            if *parent != made {
                edges.insert((parent.clone(), made.clone()));
            }
        }
    }
    (datasets.into_iter().collect(), edges.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_makes_what_it_produces_from_what_it_consumes_or_what_its_dag_waits_for() {
        let assets: Vec<Asset> = serde_json::from_str(
            r#"[
            {"id": 1, "uri": "s3://lake/raw", "producing_tasks": [{"dag_id": "load", "task_id": "raw"}],
             "consuming_tasks": [{"dag_id": "load", "task_id": "clean"}]},
            {"id": 2, "uri": "s3://lake/clean", "name": "clean", "scheduled_dags": [{"dag_id": "board"}],
             "producing_tasks": [{"dag_id": "load", "task_id": "clean"}],
             "consuming_tasks": [{"dag_id": "load", "task_id": "clean"}]},
            {"id": 3, "uri": "", "name": "board", "producing_tasks": [{"dag_id": "board", "task_id": "draw"}]},
            {"id": 4, "name": " "}
        ]"#,
        )
        .unwrap();
        let (datasets, edges) = of(&assets);
        let names: Vec<&str> = datasets.iter().map(DatasetId::as_str).collect();
        assert_eq!(names, ["board", "s3://lake/clean", "s3://lake/raw"]);
        let shown: Vec<String> = edges.iter().map(|(a, b)| format!("{a} -> {b}")).collect();
        assert_eq!(
            shown,
            [
                "s3://lake/clean -> board",
                "s3://lake/raw -> s3://lake/clean"
            ]
        );
    }
}
