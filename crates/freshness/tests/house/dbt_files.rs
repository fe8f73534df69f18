//! Small files as dbt writes them, and what is read of them.

use freshness::sources::{Told, ToldRemark, read_dbt};
use freshness_core::civil::Holidays;
use jiff::Timestamp;
use serde_json::{Value, json};

/// A manifest of a project `shop` with these nodes, sources and exposures.
pub(crate) fn manifest(parts: &Value) -> Value {
    let mut manifest = json!({
        "metadata": {
            "dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json",
            "generated_at": "2026-09-01T06:00:00.123456Z",
            "invocation_id": "m",
            "project_name": "shop",
        },
    });
    for (key, value) in parts.as_object().unwrap() {
        manifest[key] = value.clone();
    }
    manifest
}

/// A `sources.json` of looks: unique id, newest row, when dbt looked.
pub(crate) fn looks(looks: &[(&str, &str, &str)]) -> Value {
    let look = |&(id, newest, at): &(&str, &str, &str)| json!({"unique_id": id, "max_loaded_at": newest, "snapshotted_at": at, "status": "pass"});
    json!({
        "metadata": {
            "dbt_schema_version": "https://schemas.getdbt.com/dbt/sources/v3.json",
            "generated_at": "2026-09-01T06:00:00Z",
            "invocation_id": looks[0].2,
        },
        "results": looks.iter().map(look).collect::<Vec<_>>(),
    })
}

/// A `run_results.json` of a command with these results.
pub(crate) fn results(which: &str, results: &Value) -> Value {
    json!({
        "metadata": {
            "dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json",
            "generated_at": "2026-09-01T06:20:00Z",
            "invocation_id": "run",
        },
        "args": {"which": which},
        "results": results,
    })
}

/// A result that ended at a time.
pub(crate) fn result(id: &str, status: &str, at: &str, more: &Value) -> Value {
    let mut result = json!({
        "unique_id": id,
        "status": status,
        "timing": [
            {"name": "compile", "started_at": "2026-09-01T06:00:00Z", "completed_at": "2026-09-01T06:00:01Z"},
            {"name": "execute", "started_at": "2026-09-01T06:00:01Z", "completed_at": at},
        ],
    });
    for (key, value) in more.as_object().unwrap() {
        result[key] = value.clone();
    }
    result
}

/// Reads files that lie in one folder.
pub(crate) fn told(files: &[(&str, Value)]) -> Told {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content.to_string()).unwrap();
    }
    let roots = [folder.path().to_owned()];
    let mut told = read_dbt(&roots, false, &Holidays::default(), i64::MAX)
        .unwrap()
        .0;
    for remark in &mut told.remarks {
        let folder = format!("{}/", folder.path().display());
        remark.place = remark.place.replace(&folder, "");
    }
    told
}

pub(crate) fn arrivals(told: &Told) -> Vec<String> {
    let arrival = told.arrivals.iter().map(|arrival| {
        let at = Timestamp::from_second(arrival.at).unwrap();
        let cycle = arrival.cycle.map(|cycle| format!(" ={cycle}"));
        let rows = arrival.rows.map(|rows| format!(" ({rows})"));
        format!(
            "{} {}{}{}",
            arrival.dataset,
            at.strftime("%d %H:%M"),
            cycle.unwrap_or_default(),
            rows.unwrap_or_default()
        )
    });
    arrival.collect()
}

pub(crate) fn remarks(told: &Told) -> Vec<String> {
    let remark = |remark: &ToldRemark| format!("{}: {}", remark.place, remark.what);
    told.remarks.iter().map(remark).collect()
}

pub(crate) fn datasets(told: &Told) -> Vec<&str> {
    let datasets = told.houses[0].datasets.iter();
    datasets.map(|dataset| dataset.id.as_str()).collect()
}

pub(crate) fn edges(told: &Told) -> Vec<String> {
    let edges = told.houses[0].edges.iter();
    edges.map(|(up, down)| format!("{up}>{down}")).collect()
}

/// A source that dbt looks at in some way.
pub(crate) fn source(how: &Value) -> Value {
    let mut source = json!({"name": "orders", "source_name": "raw", "package_name": "shop"});
    for (key, value) in how.as_object().unwrap() {
        source[key] = value.clone();
    }
    manifest(&json!({"sources": {"source.shop.raw.orders": source}}))
}

pub(crate) const ORDERS: &str = "source.shop.raw.orders";
