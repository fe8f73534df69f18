//! Does `slo measure` say and remember what the databases say?

mod house;

use std::fs;

use freshness_core::slo::{Newest, Reach};
use freshness_store::{Access, DeclarationEntry, Declared, Store};
use house::postgres::postgres;
use house::{House, Ran, duckdb};
use serde_json::{Value, json};
use snapbox::assert_data_eq;
use snapbox::str;

/// 2026-02-28, as [`house::NOW`].
const TABLES: &str = "
CREATE SCHEMA sales;
CREATE TABLE sales.fct_orders (updated_at timestamptz, event_at text, customer_id int);
INSERT INTO sales.fct_orders VALUES
  ('2026-02-28 06:00Z', '2026-2-28 05:00:00 UTC', 1), ('2026-02-28 11:00Z', '2026-02-27 23:00:00 UTC', NULL);
CREATE TABLE sales.\"select\" (day date, \"from\" int);
INSERT INTO sales.\"select\" VALUES ('2026-02-28', 1), ('2026-02-27', 2), ('2026-02-27', 3);
CREATE TABLE sales.empty (updated_at timestamptz);
";

/// A warehouse in PostgreSQL, a lake in a file of DuckDB, and contracts.
fn declared(database: &str) -> House {
    let house = House::empty();
    postgres().database(database, TABLES);
    duckdb::run(
        &house.path("lake.duckdb"),
        "CREATE TABLE clicks (seen_at timestamp);
INSERT INTO clicks VALUES ('2026-02-28 12:30:00');
",
    );
    let write = |name: &str, text: &str| {
        let path = house.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "freshness.yaml",
        "connections:
  warehouse: {postgres: {url_env: FRESHNESS_TEST_URL}}
  lake: {duckdb: {path: lake.duckdb}}
",
    );
    write(
        "promises/orders.yaml",
        "dataset: fct_orders
connection: warehouse
table: sales.fct_orders
service_levels:
  freshness: {threshold: 24h, field: updated_at, source_field: event_at, source_threshold: 24h}
  availability: {threshold: 99, field: customer_id}
",
    );
    write(
        "promises/select.yaml",
        "dataset: sales.select
connection: warehouse
partition_filter: day < '2026-02-28' -- whole days
timezone: Europe/Berlin
service_levels:
  freshness: {threshold: 2d, field: day}
  row_count: {min_rows: 1}
",
    );
    write(
        "promises/clicks.yaml",
        "dataset: clicks
connection: lake
timezone: Europe/Berlin
service_levels:
  freshness: {threshold: 1h, field: seen_at}
",
    );
    write(
        "promises/elsewhere.yaml",
        "dataset: elsewhere
service_levels:
  row_count: {min_rows: 1}
",
    );
    house.run("import slo promises").expect(0);
    house
}

fn run(house: &House, database: &str, line: &str) -> Ran {
    let mut command = house.command(line);
    command
        .env("FRESHNESS_TEST_URL", postgres().url(database))
        .env("FRESHNESS_DUCKDB_LIBRARY", duckdb::library());
    Ran::from(command.output().unwrap())
}

/// One contract more.
fn declare(house: &House, name: &str, connection: &str, field: &str) {
    let text = format!(
        "dataset: {name}
connection: {connection}
service_levels: {{freshness: {{threshold: 1h, field: {field}}}}}
"
    );
    fs::write(house.path(&format!("promises/{name}.yaml")), text).unwrap();
    house.run("import slo promises").expect(0);
}

#[test]
fn what_is_declared_is_measured_and_shown() {
    let house = declared("shown_to_people");
    let ran = run(&house, "shown_to_people", "slo measure").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
DATASET       ENVIRONMENT  STATE     ROWS  NEWEST (UTC)      SOURCE (UTC)       FILLED  WHY NOT
clicks        prod         measured     1  2026-02-28 11:30  -                       -  -
fct_orders    prod         measured     2  2026-02-28 11:00  2026-02-28 05:00  50.00 %  -
sales.select  prod         measured     2  2026-02-26 23:00  -                       -  -

3 of 3 datasets measured as of 2026-02-28 12:00 UTC

"#]]
    );
    assert_eq!(
        ran.stderr,
        "note: 1 dataset declared without a connection, not measured\n"
    );
}

#[test]
fn json_says_what_was_seen_of_each_field() {
    let house = declared("shown_to_programs");
    let line = "slo measure fct_orders --format json";
    let ran = run(&house, "shown_to_programs", line).expect(0);
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        said,
        json!({
            "version": 1, "command": "slo measure", "now": "2026-02-28T12:00:00Z", "answer": "healthy",
            "measured": [{
                "dataset_id": "fct_orders", "environment": "prod", "connection": "warehouse",
                "table": "sales.fct_orders", "state": "measured", "reason": null, "rows": 2,
                "newest": {"field": "updated_at", "state": "at", "at": "2026-02-28T11:00:00Z", "value": null},
                "source_newest": {"field": "event_at", "state": "at", "at": "2026-02-28T05:00:00Z", "value": null},
                "filled": {"field": "customer_id", "state": "counted", "non_null": 1, "rows": 2},
            }],
        })
    );
}

#[test]
fn the_fields_of_the_json_are_those_that_the_page_tells() {
    let house = declared("told");
    let ran = run(&house, "told", "slo measure clicks --format ndjson").expect(0);
    let line: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut written: Vec<&str> = line
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    written.retain(|field| *field != "version");
    written.sort_unstable();
    let mut told: Vec<&str> = freshness::outputs::measured::FIELDS
        .iter()
        .map(|(field, _)| *field)
        .collect();
    told.sort_unstable();
    assert_eq!(written, told);
}

#[test]
fn what_was_seen_is_remembered_as_a_run_and_once_for_an_instant() {
    let house = declared("remembered");
    for _ in 0..2 {
        run(&house, "remembered", "slo measure").expect(0);
    }
    let path = house.path(".freshness/freshness.db");
    let store = Store::open(&path, Access::ReadOnly).unwrap();
    let prod = store.environment_no("prod").unwrap().unwrap();
    let declarations = store.declarations().unwrap();
    let runs = |name: &str| {
        let of = |entry: &&DeclarationEntry| entry.dataset.as_str() == name;
        let no = declarations.iter().find(of).unwrap().no;
        let all = Reach {
            runs: 10,
            seconds: 0,
            since: 0,
        };
        let tail = store.recent_runs(no, (prod, "prod"), i64::MAX, all);
        tail.unwrap().runs
    };
    let [orders] = runs("fct_orders").try_into().unwrap();
    assert_eq!(orders.run_id, "measured 2026-02-28T12:00:00Z");
    assert_eq!(orders.counts.total, Some(2));
    assert_eq!(orders.newest, Some(Newest::At(1_772_276_400)));
    assert!(runs("elsewhere").is_empty());
}

#[test]
fn what_gives_no_time_is_told_and_stops_no_other() {
    let house = declared("troubled");
    for (name, connection, field) in [
        ("sales.empty", "warehouse", "updated_at"),
        ("sales.gone", "warehouse", "updated_at"),
        ("lost", "wharehouse", "updated_at"),
        ("sales.fct_orders", "warehouse", "update_at"),
    ] {
        declare(&house, name, connection, field);
    }
    let ran = run(&house, "troubled", "slo measure --format ndjson").expect(2);
    let said: Vec<(String, String, Value)> = ran
        .stdout
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| line[key].as_str().unwrap().to_owned();
            (text("dataset_id"), text("state"), line["reason"].clone())
        })
        .collect();
    let said: Vec<(&str, &str, Option<&str>)> = said
        .iter()
        .map(|(dataset, state, reason)| (dataset.as_str(), state.as_str(), reason.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            ("clicks", "measured", None),
            ("fct_orders", "measured", None),
            (
                "lost",
                "no_connection",
                Some(
                    "cannot connect: wharehouse: not among the connections of freshness.yaml (did you mean `warehouse`?)"
                )
            ),
            (
                "sales.empty",
                "partly",
                Some("updated_at: the table has no rows")
            ),
            (
                "sales.fct_orders",
                "partly",
                Some("update_at: no such column")
            ),
            ("sales.gone", "no_table", Some("no table: sales.gone")),
            ("sales.select", "measured", None),
        ]
    );
}

#[test]
fn a_table_whose_name_is_none_is_refused_on_import_and_fails_alone_where_it_is_kept() {
    let house = declared("misnamed");
    let contract = "dataset: lake_orders\nconnection: lake\ntable: ../lake/ord\nservice_levels: {row_count: {min_rows: 1}}\n";
    fs::write(house.path("promises/misnamed.yaml"), contract).unwrap();
    let ran = house.run("import slo promises").expect(2);
    assert!(
        ran.stderr.contains("promises/misnamed.yaml:3:8: table: not the name of a table: ../lake/ord (catalog.schema.table;"),
        "{ran:?}"
    );
    // An older version took it.
    let path = house.path(".freshness/freshness.db");
    let mut store = Store::open(&path, Access::ReadWrite).unwrap();
    let mut kept: Vec<Declared> = Vec::new();
    for entry in store.declarations().unwrap() {
        kept.push(Declared {
            origins: store.origins(&entry).unwrap(),
            folder: entry.folder.clone(),
            declaration: entry.declaration.unwrap(),
        });
    }
    let clicks = kept
        .iter_mut()
        .find(|of| of.declaration.dataset.as_str() == "clicks");
    clicks.unwrap().declaration.measured.table = Some("../lake/ord".to_owned());
    let folders = [kept[0].folder.clone()];
    store.declare(&folders, &kept).unwrap();
    drop(store);
    let ran = run(&house, "misnamed", "slo measure --format ndjson").expect(2);
    let said: Vec<Value> = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(said[0]["state"], "no_table");
    assert_eq!(said[0]["reason"], "not the name of a table: ../lake/ord");
    assert_eq!(
        (&said[1]["state"], &said[2]["state"]),
        (&json!("measured"), &json!("measured"))
    );
    assert!(
        ran.stderr
            .contains("hint: a table is catalog.schema.table;"),
        "{ran:?}"
    );
    run(&house, "misnamed", "slo measure --dry-run").expect(2);
}

#[test]
fn a_file_that_a_loader_holds_is_said_to_be_held() {
    let house = declared("held");
    let loader = duckdb::hold(&house.path("lake.duckdb"));
    let ran = run(&house, "held", "slo measure clicks --format ndjson").expect(2);
    assert!(
        ran.stdout.contains("\"state\":\"no_connection\""),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("Could not set lock on file"), "{ran:?}");
    drop(loader);
    run(&house, "held", "slo measure clicks").expect(0);
}

#[test]
fn a_secret_is_named_where_it_should_be_and_never_shown() {
    let house = declared("secrets");
    let bare = house
        .run("slo measure fct_orders --format ndjson")
        .expect(2);
    assert!(
        bare.stdout
            .contains("the variable FRESHNESS_TEST_URL is not set"),
        "{bare:?}"
    );
    let mut command = house.command("slo measure fct_orders");
    command.env("FRESHNESS_TEST_URL", "postgresql://ann:hunter2@[bad");
    let ran = Ran::from(command.output().unwrap()).expect(2);
    assert!(
        ran.stdout
            .contains("FRESHNESS_TEST_URL holds no URL of PostgreSQL"),
        "{ran:?}"
    );
    let all = ran.stdout + &ran.stderr;
    assert!(!all.contains("hunter2") && !all.contains("ann:"), "{all}");
    let refused = postgres().url_of("hunter2", "postgres");
    // What stands before a second `@` could be the password or not.
    for (url, why) in [
        (
            "postgresql://monitor:hun@ter2@127.0.0.1:5432/sales",
            "holds a URL with more than one `@`",
        ),
        (
            "postgresql://hunter2.invalid/sales?user=hunter2",
            "cannot connect: the variable FRESHNESS_TEST_URL: ",
        ),
        (&refused, "the user or the password is refused (SQLSTATE 28"),
    ] {
        let mut command = house.command("slo measure fct_orders");
        command.env("FRESHNESS_TEST_URL", url);
        let ran = Ran::from(command.output().unwrap()).expect(2);
        let all = ran.stdout + &ran.stderr;
        assert!(all.contains(why), "{all}");
        assert!(!all.contains("hun") && !all.contains("ter2"), "{all}");
    }
    // A variable that the file names is not one that sets nothing.
    let doctor = run(&house, "secrets", "doctor");
    assert!(!(doctor.stdout + &doctor.stderr).contains("FRESHNESS_TEST_URL"));
}

#[test]
fn a_dry_run_prints_the_queries_and_remembers_nothing() {
    let house = declared("dry");
    let ran = run(&house, "dry", "slo measure sales.select --dry-run").expect(0);
    assert_data_eq!(
        ran.stdout,
        str![[r#"
-- sales.select (prod) by warehouse
SELECT (count(*))::text,
  (count("day"))::text,
  NULL,
  (floor(extract(epoch FROM max("day"))))::text,
  NULL
FROM "sales"."select"
WHERE (day < '2026-02-28' -- whole days
);


"#]]
    );
    let ran = run(&house, "dry", "slo measure nothing --dry-run").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: no service levels are declared of the dataset: nothing

hint: `freshness slo show` lists what is declared

"#]]
    );
    let ran = run(&house, "dry", "slo measure elsewhere").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: no connection is declared of the dataset: elsewhere

hint: say `connection: NAME` in its contract, or in the _system.yaml above it

"#]]
    );
    let ran = house.run("slo measure --timeout 0s").expect(2);
    assert_data_eq!(
        ran.stderr,
        str![[r#"
error: no time to answer: --timeout 0s

hint: such as --timeout 30s

"#]]
    );
    let ran = House::imported().run("slo measure").expect(2);
    assert!(
        ran.stderr.contains("nothing to measure in the store"),
        "{ran:?}"
    );
}
