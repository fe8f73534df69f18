//! What arrived, by each word of what dbt saw and did?
//!
//! Small files, one rule each. What real ones hold is in `dbt.rs`, what exists in
//! `dbt_exists.rs`.

mod house;

use house::dbt_files::{ORDERS, arrivals, looks, remarks, result, results, source, told};
use serde_json::{Value, json};

#[test]
fn a_newest_row_that_moves_is_an_arrival_and_the_same_again_is_not() {
    let told = told(&[
        (
            "manifest.json",
            source(&json!({"loaded_at_field": "loaded_at"})),
        ),
        (
            "sources-1.json",
            looks(&[(ORDERS, "2026-09-01T05:00:00Z", "2026-09-01T06:00:00Z")]),
        ),
        (
            "sources-2.json",
            looks(&[(ORDERS, "2026-09-01T05:00:00Z", "2026-09-01T09:00:00Z")]),
        ),
        (
            "sources-3.json",
            looks(&[(ORDERS, "2026-09-02T05:07:00Z", "2026-09-02T06:00:00Z")]),
        ),
    ]);
    assert_eq!(
        arrivals(&told),
        ["raw.orders 01 05:00", "raw.orders 02 05:07"]
    );
    // Each look measured how new it is, though.
    assert_eq!(told.runs.len(), 3);
}

#[test]
fn a_time_that_maintenance_moves_is_no_arrival() {
    let look = looks(&[(ORDERS, "2026-09-01T05:59:59.43Z", "2026-09-01T06:00:00Z")]);
    let told = told(&[
        ("manifest.json", source(&json!({}))),
        ("sources.json", look),
    ]);
    assert_eq!(arrivals(&told), [""; 0]);
    assert_eq!(told.runs.len(), 0);
    assert_eq!(
        remarks(&told),
        [
            "sources.json: source.shop.raw.orders: raw.orders: without a loaded_at_field dbt asks when the table was last changed, which maintenance does too: nothing arrived"
        ]
    );
}

#[test]
fn a_column_that_is_what_time_it_is_is_no_arrival() {
    for now in [
        "now()",
        "current_timestamp",
        "CURRENT_TIMESTAMP()::timestamp",
        "getdate()",
    ] {
        let look = looks(&[(ORDERS, "2026-09-01T05:59:59Z", "2026-09-01T06:00:00Z")]);
        let manifest = source(&json!({"loaded_at_field": now}));
        let told = told(&[("manifest.json", manifest), ("sources.json", look)]);
        assert_eq!(arrivals(&told), [""; 0], "{now}");
        assert!(remarks(&told)[0].contains("what time it is"), "{now}");
    }
}

#[test]
fn a_query_of_its_own_tells_when_a_load_was_over() {
    let look = looks(&[(ORDERS, "2026-09-01T05:00:00Z", "2026-09-01T06:00:00Z")]);
    let manifest = source(&json!({"loaded_at_query": "select max(done_at) from loads"}));
    let told = told(&[("manifest.json", manifest), ("sources.json", look)]);
    assert_eq!(arrivals(&told), ["raw.orders 01 05:00"]);
}

#[test]
fn a_load_that_goes_on_while_dbt_looks_has_not_arrived_where_the_owner_says_how_long_it_rests() {
    let manifest = source(&json!({
        "loaded_at_field": "loaded_at",
        "config": {"meta": {"freshness": {"settle": "10m"}}},
    }));
    let told = told(&[
        ("manifest.json", manifest),
        (
            "sources-1.json",
            looks(&[(ORDERS, "2026-09-01T05:00:04Z", "2026-09-01T05:00:07Z")]),
        ),
        (
            "sources-2.json",
            looks(&[(ORDERS, "2026-09-01T05:30:01Z", "2026-09-01T05:30:02Z")]),
        ),
        (
            "sources-3.json",
            looks(&[(ORDERS, "2026-09-01T05:41:00Z", "2026-09-01T06:00:00Z")]),
        ),
    ]);
    assert_eq!(arrivals(&told), ["raw.orders 01 05:41"]);
    assert!(remarks(&told)[0].ends_with("so it had not arrived (2 times)"));
}

#[test]
fn who_is_seen_writing_for_an_hour_is_told_of_the_setting_for_that() {
    let looks = |at: &[(&str, &str)]| {
        let look = |&(newest, at): &(&str, &str)| {
            let time = |clock: &str| format!("2026-09-01T{clock}Z");
            (time(newest), time(at))
        };
        let all: Vec<(String, String)> = at.iter().map(look).collect();
        let all: Vec<(&str, &str, &str)> = (all.iter())
            .map(|(newest, at)| (ORDERS, newest.as_str(), at.as_str()))
            .collect();
        looks(&all)
    };
    let manifest = || source(&json!({"loaded_at_field": "loaded_at"}));
    let during = looks(&[
        ("05:00:04", "05:00:07"),
        ("05:30:01", "05:30:02"),
        ("05:41:00", "06:00:00"),
    ]);
    let told_of = told(&[("manifest.json", manifest()), ("sources.json", during)]);
    assert_eq!(told_of.arrivals.len(), 3);
    assert!(
        remarks(&told_of)[0].contains("`meta.freshness.settle` says when it is over (2 times)")
    );
    // Not who is looked at when a load is just over.
    let after = looks(&[
        ("05:00:04", "05:00:07"),
        ("05:00:04", "05:30:00"),
        ("09:00:00", "09:00:02"),
    ]);
    let told_of = told(&[("manifest.json", manifest()), ("sources.json", after)]);
    assert_eq!(remarks(&told_of), [""; 0]);
}

#[test]
fn a_row_of_the_future_and_a_table_without_rows_are_no_arrivals() {
    let told = told(&[
        (
            "manifest.json",
            source(&json!({"loaded_at_field": "loaded_at"})),
        ),
        (
            "sources-1.json",
            looks(&[(ORDERS, "2026-09-01T15:00:00Z", "2026-09-01T06:00:00Z")]),
        ),
        (
            "sources-2.json",
            looks(&[(ORDERS, "0001-01-01T00:00:00+00:00", "2026-09-01T06:00:00Z")]),
        ),
    ]);
    assert_eq!(arrivals(&told), [""; 0]);
    assert_eq!(remarks(&told).len(), 2);
}

#[test]
fn without_a_manifest_a_source_is_called_by_its_unique_id_and_the_doubt_is_said() {
    let look = looks(&[(ORDERS, "2026-09-01T05:00:00Z", "2026-09-01T06:00:00Z")]);
    let told = told(&[("sources.json", look)]);
    assert_eq!(arrivals(&told), ["raw.orders 01 05:00"]);
    assert!(remarks(&told)[0].contains("no manifest is among the files"));
}

#[test]
fn only_what_succeeded_and_was_really_made_arrived() {
    let at = "2026-09-01T06:10:00Z";
    let all = |names: &[(&str, &str)]| {
        let one = |&(id, status): &(&str, &str)| result(id, status, at, &json!({}));
        json!(names.iter().map(one).collect::<Vec<_>>())
    };
    let of_build = all(&[
        ("model.shop.a", "success"),
        ("model.shop.b", "error"),
        ("model.shop.c", "skipped"),
        ("model.shop.d", "no-op"),
        ("model.shop.e", "partial success"),
        ("model.shop.f", "reused"),
        ("model.shop.g", "perhaps"),
        ("operation.shop.hook", "success"),
        ("test.shop.unique_a.1", "fail"),
        ("test.shop.unique_b.1", "error"),
        ("unit_test.shop.a.1", "pass"),
        ("snapshot.shop.s", "success"),
    ]);
    let told = told(&[
        ("run_results.json", results("build", &of_build)),
        (
            "compile_run_results.json",
            results("compile", &all(&[("model.shop.b", "success")])),
        ),
        (
            "docs_run_results.json",
            results("generate", &all(&[("model.shop.b", "success")])),
        ),
        (
            "clone_run_results.json",
            results("clone", &all(&[("model.shop.b", "success")])),
        ),
    ]);
    assert_eq!(arrivals(&told), ["a 01 06:10", "s 01 06:10"]);
    assert_eq!(
        remarks(&told),
        [
            "run_results.json: results.model.shop.g.status: unknown status, so no arrival: perhaps",
            "run_results.json: results: 2 tests failed: unique_a.1, unique_b.1",
        ]
    );
}

#[test]
fn rows_are_those_that_the_database_counted() {
    let rows = |response: Value| {
        let more = json!({"adapter_response": response});
        let one = result("model.shop.a", "success", "2026-09-01T06:10:00Z", &more);
        arrivals(&told(&[(
            "run_results.json",
            results("run", &json!([one])),
        )]))
        .remove(0)
    };
    let counted = json!({"_message": "SELECT 12", "code": "SELECT", "rows_affected": 12});
    assert_eq!(rows(counted), "a 01 06:10 (12)");
    let unknown = json!({"_message": "CREATE VIEW", "code": "CREATE VIEW", "rows_affected": -1});
    assert_eq!(rows(unknown), "a 01 06:10");
    // Snowflake's answer to a statement that made a table, which is one row.
    let of_result = json!({"_message": "SUCCESS 1", "code": "SUCCESS", "rows_affected": 1});
    assert_eq!(rows(of_result), "a 01 06:10");
    // dbt Fusion passes the same on without the code.
    assert_eq!(rows(json!({"rows_affected": 0})), "a 01 06:10");
    assert_eq!(rows(json!({"rows_affected": 7})), "a 01 06:10 (7)");
    assert_eq!(rows(json!({"_message": "OK"})), "a 01 06:10");
    assert_eq!(rows(json!({"rows_affected": "many"})), "a 01 06:10");
    assert_eq!(rows(json!(["odd"])), "a 01 06:10");
}

#[test]
fn capitals_and_missing_keys_of_dbt_fusion_make_no_difference() {
    let mut made = results(
        "build",
        &json!([{
            "unique_id": "model.shop.a",
            "status": "Success",
            "timing": [{"name": "execute", "started_at": "2026-09-01T06:00:00.450783827Z", "completed_at": "2026-09-01T06:10:00.450783827Z"}],
            "thread_id": "1",
        }]),
    );
    made["metadata"]["dbt_schema_version"] =
        json!("https://schemas.getdbt.com/dbt/run-results/v20.json");
    let mut look = looks(&[(
        ORDERS,
        "2026-09-01T05:00:00.85592Z",
        "2026-09-01T06:00:00.833Z",
    )]);
    look["results"][0]["status"] = json!("Pass");
    let broken =
        json!({"unique_id": "source.shop.raw.gone", "status": "Runtime Error", "error": "gone"});
    look["results"].as_array_mut().unwrap().push(broken);
    let mut what_exists = source(&json!({"loaded_at_field": "loaded_at"}));
    what_exists["metadata"]["generated_at"] = json!("2026-09-01T05:59:00.450783827Z");
    let files = [
        ("manifest.json", what_exists),
        ("sources.json", look),
        ("run_results.json", made),
    ];
    let told = told(&files);
    assert_eq!(arrivals(&told), ["a 01 06:10", "raw.orders 01 05:00"]);
    assert_eq!(remarks(&told), [""; 0]);
}

#[test]
fn a_batch_arrives_for_its_own_day_so_yesterdays_made_anew_is_not_todays() {
    let batches = json!({"batch_results": {
        "successful": [["2026-08-30T00:00:00+00:00", "2026-08-31T00:00:00+00:00"]],
        "failed": [["2026-08-31T00:00:00+00:00", "2026-09-01T00:00:00+00:00"]],
    }});
    let hours = json!({"batch_results": {
        "successful": [["2026-09-01T04:00:00Z", "2026-09-01T05:00:00Z"]],
    }, "adapter_response": {"rows_affected": 9}});
    let all = json!([
        result(
            "model.shop.by_day",
            "success",
            "2026-09-01T06:10:00Z",
            &batches
        ),
        result(
            "model.shop.by_hour",
            "success",
            "2026-09-01T06:11:00Z",
            &hours
        ),
    ]);
    assert_eq!(
        arrivals(&told(&[("run_results.json", results("run", &all))])),
        [
            "by_day 01 06:10 =2026-08-30T00:00:00",
            "by_hour 01 06:11 =2026-09-01T04:00:00Z (9)",
        ]
    );
}
