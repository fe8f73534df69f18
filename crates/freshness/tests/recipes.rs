//! Are the ready-made queries what their warehouses understand?
//!
//! All of them are parsed as their dialects; those for the databases that are
//! here are run.

mod house;

use std::fs;

use house::postgres::postgres;
use house::sqlglot::structures;
use house::{House, Ran, duckdb, sqlite};
use serde_json::{Value, json};

/// Recipe and dialect.
const DIALECTS: [(&str, &str); 6] = [
    ("snowflake", "snowflake"),
    ("bigquery", "bigquery"),
    ("databricks", "databricks"),
    ("redshift", "redshift"),
    ("postgres", "postgres"),
    ("duckdb", "duckdb"),
];

fn recipes() -> Vec<Value> {
    let ran = House::empty()
        .run("sources recipes --format json")
        .expect(0);
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    said["recipes"].as_array().unwrap().clone()
}

#[test]
fn every_recipe_is_one_query_of_its_dialect_with_our_columns() {
    let mut asked = Vec::new();
    for recipe in recipes() {
        let name = recipe["name"].as_str().unwrap();
        let start = name.split('_').next().unwrap();
        let dialect = (DIALECTS.iter().find(|(of, _)| *of == start)).map_or("sqlite", |of| of.1);
        let sql = recipe["sql"].as_str().unwrap();
        assert!(sql.contains("{since"), "{name}");
        let sql = (sql.replace("{since_epoch}", "1788233400"))
            .replace("{since}", "'2026-09-01 03:30:00+00:00'");
        asked.push(json!({"dialect": dialect, "what": name, "sql": sql}));
        // What a warehouse does not say is said.
        assert!(
            !recipe["cannot_see"].as_array().unwrap().is_empty(),
            "{name}"
        );
    }
    assert_eq!(asked.len(), 11);
    for answer in structures(&json!(asked)) {
        assert_eq!(answer.get("error"), None, "{answer}");
        let statements = answer["statements"].as_array().unwrap();
        assert_eq!(statements.len(), 1, "{answer}");
        let columns = statements[0]["columns"].to_string().to_lowercase();
        assert!(
            columns.starts_with("[\"dataset_id\",\"arrived_at\""),
            "{answer}"
        );
    }
}

#[test]
fn the_recipes_of_databases_that_are_here_tell_what_was_loaded() {
    let server = postgres();
    let tables = "CREATE TABLE orders (id int, loaded_at timestamptz);
        INSERT INTO orders SELECT i, '2026-02-28 06:00:00+00'::timestamptz + i * interval '1 second' FROM generate_series(1, 90) i;
        INSERT INTO orders VALUES (0, '2020-01-01 00:00:00+00'), (0, NULL);
        CREATE TABLE users (id int, loaded_at timestamptz);
        INSERT INTO users VALUES (1, '2026-02-28 07:00:30+00');\n";
    let database = server.database("recipes", tables);
    let house = House::empty();
    duckdb::run(
        &house.path("lake.duckdb"),
        &tables.replace(
            "generate_series(1, 90) i",
            "(SELECT unnest(range(1, 91)) AS i) AS n",
        ),
    );
    let epochs = "CREATE TABLE orders (id, loaded_at); CREATE TABLE users (id, loaded_at);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
        INSERT INTO orders SELECT i, 1772258400 + i FROM n;
        INSERT INTO orders VALUES (0, 1577836800), (0, NULL);
        INSERT INTO users VALUES (1, 1772262030);";
    sqlite::run(&house.path("app.db"), epochs);
    fs::write(
        house.path("freshness.yaml"),
        "connections:
  warehouse: {postgres: {url_env: FRESHNESS_TEST_URL}}
  lake: {duckdb: {path: lake.duckdb}}
  app: {sqlite: {path: app.db}}
",
    )
    .unwrap();
    for (connection, recipe) in [
        ("warehouse", "postgres_column"),
        ("lake", "duckdb_column"),
        ("app", "sqlite_column"),
    ] {
        let page = house
            .run(&format!("sources recipes {recipe}"))
            .expect(0)
            .stdout;
        assert!(page.contains("-- Cannot see: "), "{page}");
        fs::write(house.path("loads.sql"), page).unwrap();
        let line = format!(
            "import query --connection {connection} --sql-file loads.sql --store {recipe}.store --format json"
        );
        let mut command = house.command(&line);
        command
            .env("FRESHNESS_TEST_URL", server.url(database))
            .env("FRESHNESS_DUCKDB_LIBRARY", duckdb::library());
        let ran = Ran::from(command.output().unwrap()).expect(0);
        let said: Value = serde_json::from_str(&ran.stdout).unwrap();
        // Two minutes of orders, one of users; what is older than the history stays out.
        assert_eq!(
            (&said["arrivals_new"], &said["datasets_new"]),
            (&3.into(), &2.into()),
            "{recipe}"
        );
    }
}

#[test]
fn a_recipe_that_is_not_there_is_said() {
    let ran = House::empty()
        .run("sources recipes snowflake_copy")
        .expect(2);
    assert!(
        ran.stderr.contains("no such recipe: snowflake_copy"),
        "{ran:?}"
    );
    let list = House::empty().run("sources recipes").expect(0).stdout;
    assert!(
        list.contains("snowflake_dml_history") && list.contains("CANNOT SEE"),
        "{list}"
    );
}
