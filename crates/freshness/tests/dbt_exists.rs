//! What exists, by each word of a manifest?
//!
//! Small files, one rule each. What real ones hold is in `dbt.rs`, what arrived in
//! `dbt_words.rs`.

mod house;

use std::fs;

use freshness::sources::read_dbt_file;
use freshness_core::civil::Holidays;
use freshness_store::{Access, Store};
use house::House;
use house::dbt_files::{
    ORDERS, arrivals, datasets, edges, looks, manifest, remarks, result, results, source, told,
};
use serde_json::json;
use snapbox::{assert_data_eq, str};

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
        "manifest.json: unknown version of dbt's files: https://schemas.getdbt.com/dbt/catalog/v1.json (known: manifest, sources, freshness, run-results)",
    );
}

#[test]
fn every_version_of_the_last_years_is_read() {
    for version in [7, 8, 9, 10, 11, 12, 20] {
        let mut manifest = manifest(&json!({"nodes": {"model.shop.a": {}}}));
        manifest["metadata"]["dbt_schema_version"] = json!(format!(
            "https://schemas.getdbt.com/dbt/manifest/v{version}.json"
        ));
        assert_eq!(
            datasets(&told(&[("manifest.json", manifest)])),
            ["a"],
            "v{version}"
        );
    }
    for version in [4, 5, 6] {
        let one = result(
            "model.shop.a",
            "success",
            "2026-09-01T06:10:00Z",
            &json!({}),
        );
        let mut results = results("run", &json!([one]));
        results["metadata"]["dbt_schema_version"] = json!(format!(
            "https://schemas.getdbt.com/dbt/run-results/v{version}.json"
        ));
        let told = told(&[("run_results.json", results)]);
        assert_eq!(arrivals(&told), ["a 01 06:10"], "v{version}");
    }
}

#[test]
fn a_manifest_of_the_future_is_refused_since_no_other_would_count_until_then() {
    let house = House::empty();
    let write = |at: &str| {
        let mut manifest = manifest(&json!({"nodes": {"model.shop.a": {}}}));
        manifest["metadata"]["generated_at"] = json!(at);
        fs::create_dir_all(house.path("target")).unwrap();
        fs::write(house.path("target/manifest.json"), manifest.to_string()).unwrap();
    };
    let import = "import dbt target --now 2026-09-01T06:00:00Z";
    write("2062-09-01T06:00:00Z");
    assert_data_eq!(
        house.run(import).expect(2).stderr,
        str![[r#"
error: target/manifest.json: metadata.generated_at: in the future (more than 5 minutes from now): 2062-09-01T06:00:00Z

hint: nothing was imported
hint: is the clock of the machine that wrote it right? --now pins the clock of this command

"#]]
    );
    assert!(!house.path(".freshness").exists());
    write("2026-09-01T06:05:01Z");
    house.run(import).expect(2);
    write("2026-09-01T06:05:00Z");
    house.run(import).expect(0);
}

#[test]
fn a_file_that_does_not_say_readably_when_it_was_written_is_refused() {
    let orders = (ORDERS, "2026-09-01T05:00:00Z", "2026-09-01T06:00:00Z");
    let refused = |file: serde_json::Value| {
        let bytes = file.to_string().into_bytes();
        let read = read_dbt_file("f.json", bytes, &Holidays::default());
        read.unwrap_err().to_string()
    };
    let of = [
        manifest(&json!({})),
        looks(&[orders]),
        results("run", &json!([])),
    ];
    for mut file in of {
        file["metadata"]["generated_at"] = json!("yesterday");
        let message = "f.json: metadata.generated_at: not a time: yesterday";
        assert_eq!(refused(file), message);
    }
    // So is a time in it, with the result that it is of.
    let message = "f.json: results.source.shop.raw.orders.max_loaded_at: not a time: soon";
    assert_eq!(refused(looks(&[(orders.0, "soon", orders.2)])), message);
    let built = result("model.shop.a", "success", "soon", &json!({}));
    assert_eq!(
        refused(results("run", &json!([built]))),
        "f.json: results.model.shop.a.timing.completed_at: not a time: soon"
    );
}

#[test]
fn where_a_table_says_what_cannot_be_read_what_its_source_says_holds() {
    let told = told(&[
        (
            "manifest.json",
            source(&json!({
                "meta": {"freshness": {"critical": "maybe", "timezone": "Berlin", "settle": "soon", "team": "sales"}},
                "source_meta": {"freshness": {
                    "critical": true, "timezone": "Europe/Berlin", "settle": "15m", "team": "loading",
                }},
            })),
        ),
        (
            "sources.json",
            looks(&[(ORDERS, "2026-09-01T05:50:00Z", "2026-09-01T06:00:00Z")]),
        ),
    ]);
    let dataset = &told.houses[0].datasets[0];
    assert!(dataset.critical && dataset.timezone.is_some());
    assert_eq!(dataset.team.as_deref(), Some("sales"));
    assert_eq!(arrivals(&told), [""; 0], "settle of the source holds");
    let remarks = remarks(&told);
    for (key, value) in [
        ("critical", "maybe"),
        ("timezone", "Berlin"),
        ("settle", "soon"),
    ] {
        let place = format!("orders.meta.freshness.{key}: ");
        let said = |remark: &&String| remark.contains(&place) && remark.contains(value);
        assert_eq!(remarks.iter().filter(said).count(), 1, "{remarks:?}");
    }
}

#[test]
fn two_projects_that_call_different_things_alike_are_said_to() {
    let house = House::empty();
    let make = |project: &str, parts: serde_json::Value| {
        let mut manifest = manifest(&parts);
        manifest["metadata"]["project_name"] = json!(project);
        let folder = house.path(project);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("manifest.json"), manifest.to_string()).unwrap();
    };
    let raw =
        |relation: &str| json!({"source_name": "raw", "name": "orders", "relation_name": relation});
    make(
        "shop",
        json!({
            "nodes": {"model.shop.orders": {}, "model.shop.a": {}, "model.shop.b": {}, "model.shop.c": {}},
            "sources": {"source.shop.raw.orders": raw("db.raw.orders")},
        }),
    );
    // What it has of the other as a package is no namesake, nor is a table both read.
    let web = |orders: serde_json::Value| {
        json!({
            "nodes": {"model.web.orders": orders, "model.shop.visits": {}, "model.web.a": {}, "model.web.b": {}, "model.web.c": {}},
            "sources": {"source.web.raw.orders": raw("db.raw.orders")},
        })
    };
    make("web", web(json!({})));
    make(
        "blog",
        json!({"nodes": {"model.shop.c": {}, "model.blog.posts": {}}}),
    );
    let now = "--now 2026-09-02T00:00:00Z";
    let import = |what: &str| {
        house
            .run(&format!("import dbt {what} {now}"))
            .expect(0)
            .stderr
    };
    // One after the other, or all of them.
    assert_eq!(import("shop"), "");
    assert_eq!(import("shop"), "");
    let shop_and_web = "note: dbt:shop, dbt:web: both tell of datasets of these names, each taken \
                        for one: a, b, c and 1 more (if it is two, name one by \
                        `meta.freshness.dataset` in its project)\n";
    assert_eq!(import("web"), shop_and_web);
    let blog_and_web = "note: dbt:blog, dbt:web: both tell of datasets of these names, each taken \
                        for one: c (if it is two, name one by `meta.freshness.dataset` in its \
                        project)\n";
    assert_eq!(import("blog"), blog_and_web);
    assert_eq!(
        import("shop web blog"),
        format!("{blog_and_web}{shop_and_web}")
    );

    // What its owner names has that name, and a renaming means it.
    make(
        "web",
        web(json!({"config": {"meta": {"freshness": {"dataset": "web_orders"}}}})),
    );
    let renames = "rename:\n  - {from: '^(a|b|c)$', to: 'all.$1'}\n";
    fs::write(house.path("freshness.yaml"), renames).unwrap();
    fs::remove_dir_all(house.path(".freshness")).unwrap();
    assert_eq!(import("shop web blog"), "");
    let store = Store::open(house.path(".freshness/freshness.db"), Access::ReadOnly).unwrap();
    let entries = store.datasets().unwrap();
    let names: Vec<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(
        names.join(" "),
        "all.a all.b all.c orders posts raw.orders visits web_orders"
    );
}
