//! What does each word of dbt's files mean?
//!
//! Small files, one rule each. What real ones hold is in `dbt.rs`.

use freshness::sources::{Told, read_dbt, read_dbt_file};
use freshness_core::civil::Holidays;
use jiff::Timestamp;
use serde_json::{Value, json};

/// A manifest of a project `shop` with these nodes, sources and exposures.
fn manifest(parts: &Value) -> Value {
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
fn looks(looks: &[(&str, &str, &str)]) -> Value {
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
fn results(which: &str, results: &Value) -> Value {
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
fn result(id: &str, status: &str, at: &str, more: &Value) -> Value {
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
fn told(files: &[(&str, Value)]) -> Told {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content.to_string()).unwrap();
    }
    let roots = [folder.path().to_owned()];
    let mut told = read_dbt(&roots, false, &Holidays::default()).unwrap().0;
    for remark in &mut told.remarks {
        let folder = format!("{}/", folder.path().display());
        remark.place = remark.place.replace(&folder, "");
    }
    told
}

fn arrivals(told: &Told) -> Vec<String> {
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

fn remarks(told: &Told) -> Vec<String> {
    let remark =
        |remark: &freshness::sources::ToldRemark| format!("{}: {}", remark.place, remark.what);
    told.remarks.iter().map(remark).collect()
}

fn datasets(told: &Told) -> Vec<&str> {
    let datasets = told.houses[0].datasets.iter();
    datasets.map(|dataset| dataset.id.as_str()).collect()
}

fn edges(told: &Told) -> Vec<String> {
    let edges = told.houses[0].edges.iter();
    edges.map(|(up, down)| format!("{up}>{down}")).collect()
}

/// A source that dbt looks at in some way.
fn source(how: &Value) -> Value {
    let mut source = json!({"name": "orders", "source_name": "raw", "package_name": "shop"});
    for (key, value) in how.as_object().unwrap() {
        source[key] = value.clone();
    }
    manifest(&json!({"sources": {"source.shop.raw.orders": source}}))
}

const ORDERS: &str = "source.shop.raw.orders";

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

#[test]
fn an_edge_goes_through_what_is_never_stored_and_not_through_tests() {
    let model = |parents: &[&str], materialized: &str| json!({"depends_on": {"nodes": parents}, "config": {"materialized": materialized}});
    let told = told(&[(
        "manifest.json",
        manifest(&json!({
            "nodes": {
                "model.shop.a": model(&[], "table"),
                "model.shop.e1": model(&["model.shop.a"], "ephemeral"),
                "model.shop.e2": model(&["model.shop.e1", "seed.shop.s"], "ephemeral"),
                "model.shop.b": model(&["model.shop.e2", "model.shop.nowhere"], "view"),
                "seed.shop.s": {},
                "test.shop.t": model(&["model.shop.b"], "test"),
                "analysis.shop.x": model(&["model.shop.b"], "view"),
                "operation.shop.o": {},
            },
            "metrics": {"metric.shop.m": {"depends_on": {"nodes": ["semantic_model.shop.sm"]}}},
            "semantic_models": {"semantic_model.shop.sm": {"depends_on": {"nodes": ["model.shop.b"]}}},
            "exposures": {
                "exposure.shop.board": {"name": "board", "depends_on": {"nodes": ["metric.shop.m", "model.shop.e1"]}},
                "exposure.shop.nothing": {"name": "nothing", "url": "x", "depends_on": {"nodes": []}},
            },
            "parent_map": {"model.shop.b": ["model.shop.e2"], "model.shop.a": null},
        })),
    )]);
    assert_eq!(datasets(&told), ["a", "b", "s"]);
    assert_eq!(edges(&told), ["a>b", "s>b"]);
    let board = &told.houses[0].dashboards[0];
    let parts: Vec<&str> = board
        .parts()
        .iter()
        .map(|part| part.name.as_str())
        .collect();
    assert_eq!((board.id.as_str(), parts), ("board", vec!["a", "b"]));
    assert_eq!(
        remarks(&told),
        ["manifest.json: exposures.exposure.shop.nothing: left out: it shows no dataset"]
    );
}

#[test]
fn what_two_packages_call_alike_is_called_after_its_package_everywhere() {
    let manifest = manifest(&json!({"nodes": {
        "model.shop.orders": {},
        "model.web.orders": {"depends_on": {"nodes": ["model.shop.orders"]}},
        "model.web.visits.v1": {"name": "visits", "version": 1},
        "model.web.visits.v2": {"name": "visits", "version": 2},
    }}));
    let one = result(
        "model.web.orders",
        "success",
        "2026-09-01T06:10:00Z",
        &json!({}),
    );
    let told = told(&[
        ("manifest.json", manifest),
        ("run_results.json", results("run", &json!([one]))),
    ]);
    assert_eq!(
        datasets(&told),
        ["shop.orders", "visits.v1", "visits.v2", "web.orders"]
    );
    assert_eq!(edges(&told), ["shop.orders>web.orders"]);
    assert_eq!(arrivals(&told), ["web.orders 01 06:10"]);
}

#[test]
fn a_setting_that_cannot_be_read_is_told_and_the_others_hold() {
    let told = told(&[(
        "manifest.json",
        source(&json!({
            "meta": {"freshness": {
                "critical": true, "calendar": "business days XX", "timezone": "Berlin",
                "grian": "daily", "team": "sales", "settle": "soon",
            }},
            "source_meta": {"owner": "ann", "freshness": {"team": "loading", "tags": ["raw"]}},
        })),
    )]);
    let dataset = &told.houses[0].datasets[0];
    assert!(dataset.critical && dataset.calendar.is_none() && dataset.timezone.is_none());
    assert_eq!(dataset.team.as_deref(), Some("sales"));
    assert_eq!(dataset.owner.as_deref(), Some("ann"));
    assert_eq!(dataset.tags, ["raw"]);
    assert_eq!(
        remarks(&told),
        [
            "manifest.json: sources.source.shop.raw.orders.meta.freshness.grian: unknown setting (did you mean grain?)",
            "manifest.json: sources.source.shop.raw.orders.meta.freshness.settle: not a duration: \"soon\" (as in 15m or 2h)",
            "manifest.json: sources.source.shop.raw.orders.meta.freshness.timezone: unknown time zone (expected a name such as Europe/Berlin or UTC): \"Berlin\"",
            "manifest.json: sources.source.shop.raw.orders.meta.freshness.calendar: no holidays are known for the country XX of the calendar: \"business days XX\"",
        ]
    );
}

#[test]
fn of_several_manifests_the_newest_of_each_project_says_what_exists() {
    let of = |project: &str, at: &str, model: &str| {
        let mut manifest = manifest(&json!({"nodes": {model: {}}}));
        manifest["metadata"]["project_name"] = json!(project);
        manifest["metadata"]["generated_at"] = json!(at);
        manifest
    };
    let told = told(&[
        (
            "manifest-a.json",
            of("shop", "2026-09-02T00:00:00Z", "model.shop.new"),
        ),
        (
            "manifest-b.json",
            of("shop", "2026-09-01T00:00:00Z", "model.shop.old"),
        ),
        (
            "manifest-c.json",
            of("web", "2026-08-01T00:00:00Z", "model.web.visits"),
        ),
    ]);
    let houses = told.houses.iter().map(|house| {
        let names = house.datasets.iter().map(|dataset| dataset.id.to_string());
        (house.source.as_str(), names.collect::<Vec<_>>().join(","))
    });
    assert_eq!(
        houses.collect::<Vec<_>>(),
        [
            ("dbt:shop", "new".to_owned()),
            ("dbt:web", "visits".to_owned())
        ]
    );
}

#[test]
fn a_project_without_a_name_is_known_by_the_hash_that_old_versions_wrote() {
    let mut old =
        manifest(&json!({"nodes": {"model.shop.a": {}, "model.web.b": {}, "model.web.c": {}}}));
    let metadata = old["metadata"].as_object_mut().unwrap();
    metadata.remove("project_name");
    // md5 of `shop`
    metadata.insert(
        "project_id".to_owned(),
        json!("fb54f3c5992b96d001bb16e8e92d968d"),
    );
    let told = told(&[("manifest.json", old)]);
    assert_eq!(told.houses[0].source, "dbt:shop");
}

#[test]
fn a_version_of_dbt_that_is_not_known_is_refused_with_its_name() {
    let check = |schema: &str, expected: &str| {
        let mut file = manifest(&json!({}));
        file["metadata"]["dbt_schema_version"] = json!(schema);
        let bytes = file.to_string().into_bytes();
        let error = read_dbt_file("manifest.json", bytes, &Holidays::default()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(
        "https://schemas.getdbt.com/dbt/manifest/v13.json",
        "manifest.json: unknown version of manifest: https://schemas.getdbt.com/dbt/manifest/v13.json (known: v7 to v12)",
    );
    check(
        "https://schemas.getdbt.com/dbt/sources/v2.json",
        "manifest.json: unknown version of sources: https://schemas.getdbt.com/dbt/sources/v2.json (known: v3)",
    );
    check(
        "https://schemas.getdbt.com/dbt/run-results/v3.json",
        "manifest.json: unknown version of run-results: https://schemas.getdbt.com/dbt/run-results/v3.json (known: v4 to v6)",
    );
    check(
        "https://schemas.getdbt.com/dbt/catalog/v1.json",
        "manifest.json: unknown version of dbt's files: https://schemas.getdbt.com/dbt/catalog/v1.json (known: manifest, sources, run-results)",
    );
}
