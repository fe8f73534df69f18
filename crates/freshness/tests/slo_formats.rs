//! Are promises in the formats of others mapped, and is what is not said?

use std::fs;

use house::House;
use serde_json::Value;

mod house;

const ODCS: &str = "\
apiVersion: v3.0.2
kind: DataContract
id: orders
name: Orders
version: 1.1.0
status: active
schema:
  - name: orders
    physicalName: erp.orders_v1
    logicalType: object
    properties:
      - name: order_ts
        logicalType: date
  - name: items
slaDefaultElement: orders.order_ts
slaProperties:
  - property: latency
    value: 4
    unit: d
    element: orders.order_ts
  - property: generalAvailability
    value: 2026-05-12T09:30:10-08:00
  - property: retention
    value: 3
    unit: y
    element: orders.order_ts
  - property: frequency
    value: 1
    unit: d
    element: orders.order_ts
  - property: timeOfAvailability
    value: 09:00-08:00
    element: orders.order_ts
    driver: regulatory
  - property: availability
    value: 99.9
    unit: '%'
    element: items.item_id
  - property: latency
    value: 3
    unit: y
    element: items.item_ts
  - property: freshness
    value: 90
    unit: m
    element: orders.loaded_at
";

const DBT: &str = "\
version: 2
sources:
  - name: shop
    database: raw
    schema: erp
    loaded_at_field: _loaded_at
    config:
      freshness:
        warn_after: { count: 12, period: hour }
        error_after: { count: 1, period: day }
        filter: _loaded_at > current_date - 3
    tables:
      - name: orders
        identifier: orders_v2
      - name: customers
        freshness:
          error_after: null
      - name: quiet
        freshness: null
      - name: stamped
        loaded_at_field: \"convert_timezone('UTC', at)\"
      - name: asked
        loaded_at_query: select max(at) from erp.log
      - name: dotted
        identifier: v2.orders
models:
  - name: fct
    config: { freshness: { build_after: { count: 4, period: hour } } }
";

const MANIFEST: &str = r#"{
  "metadata": { "dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json", "dbt_version": "1.9.0" },
  "nodes": { "model.shop.fct": { "name": "fct" } },
  "sources": {
    "source.shop.web.events": {
      "source_name": "web", "name": "events", "database": "raw", "schema": "web", "identifier": "events",
      "loaded_at_field": "\"loadedAt\"", "original_file_path": "models/_sources.yml",
      "freshness": { "warn_after": { "count": 15, "period": "minute" }, "error_after": { "count": null, "period": null }, "filter": null }
    },
    "source.shop.web.pages": {
      "source_name": "web", "name": "pages", "database": null, "schema": "web", "identifier": "pages",
      "loaded_at_field": null, "original_file_path": "models/_sources.yml",
      "freshness": { "warn_after": null, "error_after": { "count": 6, "period": "hour" }, "filter": null }
    },
    "source.shop.web.plain": { "source_name": "web", "name": "plain", "freshness": null }
  }
}"#;

/// Imports a file and shows what became of it.
fn imported(name: &str, text: &str) -> (Value, String) {
    let house = House::imported();
    let path = house.path(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    let ran = house.run("import slo promises").expect(0);
    let shown = house.run("slo show --format json").expect(0);
    (serde_json::from_str(&shown.stdout).unwrap(), ran.stderr)
}

fn of<'a>(shown: &'a Value, dataset: &str) -> &'a Value {
    let all = shown["declarations"].as_array().unwrap();
    let found = all.iter().find(|of| of["dataset_id"] == dataset);
    found.unwrap_or_else(|| panic!("{dataset}: {shown}"))
}

#[test]
fn a_data_contract_of_the_open_standard_is_mapped() {
    let (shown, told) = imported("promises/orders.odcs.yaml", ODCS);
    let orders = of(&shown, "orders");
    assert_eq!(orders["table"], "erp.orders_v1");
    let freshness = &orders["service_levels"]["freshness"];
    // Of the latency and the freshness of a table the stricter one.
    assert_eq!(freshness["threshold"], 5_400.0);
    assert_eq!(freshness["field"], "loaded_at");
    assert_eq!(freshness["by"]["minutes"], 540);
    assert_eq!(freshness["timezone"], "Etc/GMT+8");
    assert_eq!(freshness["calendar"], "daily");
    let threshold = orders["values"].as_array().unwrap().iter();
    let mut threshold = threshold.filter(|of| of["key"] == "service_levels.freshness.threshold");
    assert_eq!(threshold.next().unwrap()["line"], 44);
    let items = &of(&shown, "items")["service_levels"]["availability"];
    assert_eq!(
        (&items["threshold"], &items["field"]),
        (&99.9.into(), &"item_id".into())
    );
    for what in [
        "orders.odcs.yaml:21:5: not mapped: generalAvailability: 2026-05-12T09:30:10-08:00: there is no such promise here",
        "not mapped: retention: 3 y: there is no such promise here",
        "orders.odcs.yaml:18:12: not mapped: orders: 4d of order_ts; an age of 90m of loaded_at is promised too, and the stricter one holds",
        "not mapped: latency: 3 y: a month or year is not a fixed length: 3y",
    ] {
        assert!(told.contains(what), "{what}\n{told}");
    }
}

#[test]
fn sources_of_dbt_are_mapped_from_yaml() {
    let (shown, told) = imported("promises/models/_sources.yml", DBT);
    let orders = of(&shown, "shop.orders");
    assert_eq!(orders["table"], "raw.erp.orders_v2");
    assert_eq!(orders["timezone"], "UTC");
    assert_eq!(orders["partition_filter"], "_loaded_at > current_date - 3");
    let freshness = &orders["service_levels"]["freshness"];
    assert_eq!(freshness["threshold"], 86_400.0);
    assert_eq!(freshness["field"], "_loaded_at");
    assert_eq!(freshness["critical"], true);
    let customers = &of(&shown, "shop.customers")["service_levels"]["freshness"];
    assert_eq!(
        (&customers["threshold"], &customers["critical"]),
        (&43_200.0.into(), &false.into())
    );
    assert_eq!(of(&shown, "shop.dotted")["table"], "raw.erp.\"v2.orders\"");
    assert_eq!(shown["declarations"].as_array().unwrap().len(), 3);
    for what in [
        "not mapped: freshness of shop.asked: loaded_at_query is no column",
        "not mapped: warn_after of shop.orders: 12 hour; the limit is error_after, 1 day",
        "not mapped: freshness of shop.stamped: loaded_at_field is no column: convert_timezone('UTC', at)",
        "not mapped: freshness of the model fct: it says when to build, not a limit",
    ] {
        assert!(told.contains(what), "{what}\n{told}");
    }
}

#[test]
fn sources_of_dbt_are_mapped_from_a_manifest() {
    let (shown, told) = imported("promises/target/manifest.json", MANIFEST);
    let events = of(&shown, "web.events");
    assert_eq!(events["table"], "raw.web.events");
    let freshness = &events["service_levels"]["freshness"];
    assert_eq!(freshness["threshold"], 900.0);
    assert_eq!(freshness["field"], "loadedAt");
    assert_eq!(freshness["critical"], false);
    let value = &events["values"].as_array().unwrap()[0];
    assert_eq!(value["file"], "target/manifest.json (models/_sources.yml)");
    assert_eq!(shown["declarations"].as_array().unwrap().len(), 1);
    assert!(
        told.contains(
            "not mapped: freshness of web.pages: without loaded_at_field dbt asks the database"
        ),
        "{told}"
    );
}

#[test]
fn a_manifest_that_is_none_is_refused() {
    let house = House::imported();
    fs::create_dir(house.path("p")).unwrap();
    for text in [
        "{",
        "[]",
        "{\"metadata\": {\"dbt_schema_version\": \"catalog/v1\"}}",
    ] {
        fs::write(house.path("p/manifest.json"), text).unwrap();
        let ran = house.run("import slo p").expect(2);
        assert!(
            ran.stderr
                .contains("p/manifest.json: not a manifest of dbt"),
            "{}",
            ran.stderr
        );
    }
}
