//! Is what dbt 2 (the Fusion engine) writes read as what was done?
//!
//! `dbt/kept/2.0` is what it wrote of the days of `dbt/days.json`. What it did not
//! write yet then is in small files of their published shape.

mod house;

use std::path::Path;

use freshness::sources::{Told, read_dbt, read_dbt_file};
use freshness_core::civil::Holidays;
use freshness_core::slo::Newest;
use house::dbt_files::{ORDERS, arrivals, looks, manifest, remarks, result, results, told};
use serde_json::{Value, json};

fn kept(version: &str) -> Told {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dbt/kept");
    let read = read_dbt(
        &[folder.join(version)],
        false,
        &Holidays::default(),
        i64::MAX,
    );
    read.unwrap().0
}

/// When a dataset arrived, one after the other.
fn of(told: &Told, dataset: &str) -> String {
    let all = arrivals(told);
    let own = all.iter().filter_map(|arrival| {
        let (name, when) = arrival.split_once(' ')?;
        (name == dataset).then_some(when)
    });
    own.collect::<Vec<_>>().join(", ")
}

#[test]
fn dbt_2_tells_of_the_same_house_as_dbt_1_12() {
    let (new, old) = (kept("2.0"), kept("1.12"));
    assert_eq!((new.houses.len(), old.houses.len()), (1, 1));
    let (new, old) = (&new.houses[0], &old.houses[0]);
    assert_eq!(new.source, old.source);
    assert_eq!(new.datasets, old.datasets);
    assert_eq!(new.edges, old.edges);
    assert_eq!(new.dashboards, old.dashboards);
    assert_eq!(new.called, old.called);
}

#[test]
fn what_was_built_with_dbt_2_arrived_and_what_failed_or_was_skipped_did_not() {
    let (new, old) = (kept("2.0"), kept("1.12"));
    for made in [
        "board",
        "countries",
        "customers_as_they_were",
        "daily_revenue",
        "stg_orders",
    ] {
        assert_eq!(of(&new, made), of(&old, made), "{made}");
    }
    let of_failure = of(&new, "daily_revenue");
    assert_eq!(
        of_failure, "01 06:10, 02 06:10, 03 06:10, 05 06:10",
        "it failed on the fourth"
    );
    // A command that looks, or compiles, names the same nodes and makes nothing.
    assert!(
        !arrivals(&new)
            .iter()
            .any(|arrival| arrival.contains("07:00"))
    );
    assert!(
        !arrivals(&new)
            .iter()
            .any(|arrival| arrival.contains("06:00"))
    );
}

#[test]
fn what_dbt_2_does_not_write_down_is_said_or_documented() {
    let told = kept("2.0");
    // Of `--empty` nothing is in its files: `docs/dbt.md`, "Limits".
    assert_eq!(
        of(&told, "fct_orders"),
        "01 06:10, 02 06:10, 03 06:10, 04 06:10, 05 06:10, 05 09:00"
    );
    // Nor which days a backfill made.
    assert_eq!(
        of(&told, "orders_by_day"),
        "01 06:10, 02 06:10, 03 06:10, 04 06:10, 05 06:10, 05 08:00"
    );
    assert_eq!(
        remarks(&told),
        [
            "model.shop.orders_by_day: orders_by_day: made in batches, and dbt did not write down of which days: each build counts for the time at which it was done, a backfill too (6 times)"
        ]
    );
}

#[test]
fn part_of_the_data_is_none_wherever_dbt_writes_that_it_was_asked_for() {
    let made = json!([result(
        "model.shop.a",
        "success",
        "2026-09-01T06:10:00Z",
        &json!({})
    )]);
    let mut file = results("run", &made);
    file["args"]["__other__"] = json!({"which": "run", "empty": false, "sample": null});
    let complete = told(&[("run_results.json", file.clone())]);
    assert_eq!(arrivals(&complete), ["a 01 06:10"]);
    for part in [json!({"empty": true}), json!({"sample": "3 days"})] {
        file["args"]["__other__"] = part;
        let told = told(&[("run_results.json", file.clone())]);
        assert_eq!(arrivals(&told), [""; 0]);
    }
    file["args"]["__other__"] = json!("odd");
    let told = told(&[("run_results.json", file)]);
    assert_eq!(arrivals(&told), ["a 01 06:10"]);
}

/// A `freshness.json` of looks.
fn freshness(of: &[(&str, &str, &str)]) -> Value {
    let mut file = looks(of);
    file["metadata"]["dbt_schema_version"] =
        json!("https://schemas.getdbt.com/dbt/freshness/v0.json");
    for look in file["results"].as_array_mut().unwrap() {
        let kind = look["unique_id"].as_str().unwrap().split('.').next();
        look["resource_type"] = json!(kind.unwrap());
        look["status"] = json!("Pass");
    }
    file
}

#[test]
fn a_look_at_a_source_is_an_arrival_and_one_at_a_model_measures_it() {
    const MODEL: &str = "model.shop.fct_orders";
    let (newest, at) = ("2026-09-01T05:00:00.5Z", "2026-09-01T06:00:00.833Z");
    let what_exists = |model: Value| {
        manifest(&json!({
            "sources": {ORDERS: {"name": "orders", "source_name": "raw", "config": {"loaded_at_query": "select max(done_at) from raw.loads"}}},
            "nodes": {MODEL: {"name": "fct_orders", "config": model}},
        }))
    };
    let read = |model: Value| {
        told(&[
            ("manifest.json", what_exists(model)),
            (
                "freshness.json",
                freshness(&[(ORDERS, newest, at), (MODEL, newest, at)]),
            ),
        ])
    };
    let runs = |told: &Told| -> Vec<String> {
        let seen = told.runs.iter().map(|(dataset, run)| {
            assert!(
                matches!(run.newest, Some(Newest::At(1_788_238_800))),
                "{run:?}"
            );
            dataset.to_string()
        });
        seen.collect()
    };
    let told = read(json!({"loaded_at_field": "loaded_at"}));
    assert_eq!(arrivals(&told), ["raw.orders 01 05:00"]);
    assert_eq!(runs(&told), ["raw.orders", "fct_orders"]);
    assert_eq!(remarks(&told), [""; 0]);
    // When its table was last changed says nothing of how old its rows are.
    let told = read(json!({}));
    assert_eq!(arrivals(&told), ["raw.orders 01 05:00"]);
    assert_eq!(runs(&told), ["raw.orders"]);
    assert_eq!(remarks(&told), [""; 0]);
}

#[test]
fn one_look_that_two_files_tell_of_is_one() {
    let of = [(ORDERS, "2026-09-01T05:00:00Z", "2026-09-01T06:00:00Z")];
    let exists = house::dbt_files::source(&json!({"loaded_at_field": "loaded_at"}));
    let told = told(&[
        ("manifest.json", exists),
        ("sources.json", looks(&of)),
        ("freshness.json", freshness(&of)),
    ]);
    assert_eq!(arrivals(&told), ["raw.orders 01 05:00"]);
    assert!(told.runs.iter().all(|run| run == &told.runs[0]));
}

#[test]
fn a_later_freshness_json_is_refused_by_its_version() {
    let mut file = freshness(&[(ORDERS, "2026-09-01T05:00:00Z", "2026-09-01T06:00:00Z")]);
    file["metadata"]["dbt_schema_version"] =
        json!("https://schemas.getdbt.com/dbt/freshness/v1.json");
    let bytes = file.to_string().into_bytes();
    let error = read_dbt_file("freshness.json", bytes, &Holidays::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "freshness.json: unknown version of freshness: https://schemas.getdbt.com/dbt/freshness/v1.json (known: v0)"
    );
}
