//! Does a query tell the same of arrivals, whichever database answers it?
//!
//! Real databases: PostgreSQL, DuckDB, SQLite, and ADBC drivers as their users
//! install them.

mod house;

use std::fs;

use house::postgres::postgres;
use house::{House, Ran, adbc, duckdb, sqlite};
use serde_json::Value;

/// Every connection there is, `database` in PostgreSQL.
fn connected(database: &str) -> House {
    let house = House::empty();
    let text = format!(
        "connections:
  warehouse: {{postgres: {{url_env: FRESHNESS_TEST_URL}}}}
  lake: {{duckdb: {{path: lake.duckdb}}}}
  app: {{sqlite: {{path: app.db}}}}
  adbc_sqlite: {{adbc: {{driver: {}, options: {{uri: '{}'}}}}}}
  adbc_postgres: {{adbc: {{driver: {}, options_env: {{uri: FRESHNESS_TEST_URL}}}}}}
",
        adbc::driver("sqlite").display(),
        house.path("app.db").display(),
        adbc::driver("postgresql").display(),
    );
    fs::write(house.path("freshness.yaml"), text).unwrap();
    fs::write(house.path("database"), database).unwrap();
    house
}

fn command(house: &House, line: &str) -> std::process::Command {
    let database = fs::read_to_string(house.path("database")).unwrap();
    let mut command = house.command("");
    command
        .env("FRESHNESS_TEST_URL", postgres().url(&database))
        .env("FRESHNESS_DUCKDB_LIBRARY", duckdb::library());
    // An argument in quotes may hold spaces.
    for (i, part) in line.split('\'').enumerate() {
        match i % 2 {
            0 => command.args(part.split_whitespace()),
            _ => command.arg(part.replace('`', "'")),
        };
    }
    command
}

fn run(house: &House, line: &str) -> Ran {
    Ran::from(command(house, line).output().unwrap())
}

/// What the store holds of a dataset.
fn stored(house: &House, store: &str, dataset: &str) -> Value {
    let ran = run(
        house,
        &format!("explain {dataset} --format json --store {store}"),
    );
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

const POSTGRES: &str = "
CREATE TYPE layer AS ENUM ('raw_orders', 'raw_users');
CREATE DOMAIN whole AS int8;
CREATE TABLE loads (layer layer, loaded timestamptz, cycle date, n whole, run uuid, through timestamp);
INSERT INTO loads VALUES
  ('raw_orders', '2026-02-27 06:10:00.75+00', '2026-02-27', 1200, '6f1c9e0a-0000-4000-8000-000000000001', '2026-02-27 00:00'),
  ('raw_orders', '2026-02-28 08:10:00+02', '2026-02-28', 1300, '6f1c9e0a-0000-4000-8000-000000000002', '2026-02-28 00:00'),
  ('raw_users', '2026-02-28 05:00:00+00', NULL, NULL, NULL, NULL);
";

const DUCKDB: &str = "
CREATE TABLE loads (layer varchar, loaded timestamptz, cycle date, n hugeint, run uuid, through timestamp);
INSERT INTO loads VALUES
  ('raw_orders', '2026-02-27 06:10:00.75+00', '2026-02-27', 1200, '6f1c9e0a-0000-4000-8000-000000000001', '2026-02-27 00:00'),
  ('raw_orders', '2026-02-28 08:10:00+02', '2026-02-28', 1300, '6f1c9e0a-0000-4000-8000-000000000002', '2026-02-28 00:00'),
  ('raw_users', '2026-02-28 05:00:00+00', NULL, NULL, NULL, NULL);
";

const SQLITE: &str = "
CREATE TABLE loads (layer, loaded, cycle, n, run, through);
INSERT INTO loads VALUES
  ('raw_orders', '2026-02-27T06:10:00.75Z', '2026-02-27', 1200, '6f1c9e0a-0000-4000-8000-000000000001', '2026-02-27 00:00'),
  ('raw_orders', 1772259000, '2026-02-28', '1300', '6f1c9e0a-0000-4000-8000-000000000002', '2026-02-28 00:00'),
  ('raw_users', '2026-02-28 05:00:00+00', NULL, NULL, NULL, NULL);
";

const SQL: &str = "select layer as dataset_id, loaded as arrived_at, cycle, n as rows, \
                   run as run_id, through as covers_through, 1 as other from loads";

/// … where a column holds one type: each time as a text.
const SQL_TEXT: &str = "select layer as dataset_id, cast(loaded as text) as arrived_at, cycle, \
                        cast(n as integer) as rows, run as run_id, through as covers_through from loads";

/// … where the driver has no cells for a uuid.
const SQL_PLAIN: &str = "select layer::text as dataset_id, loaded as arrived_at, cycle, n::int8 as rows, \
                         run::text as run_id, through as covers_through from loads";

#[test]
fn one_query_tells_the_same_on_every_database() {
    let database = postgres().database("query_same", POSTGRES);
    let house = connected(database);
    duckdb::run(&house.path("lake.duckdb"), DUCKDB);
    sqlite::run(&house.path("app.db"), SQLITE);
    let mut all = Vec::new();
    for (connection, sql) in [
        ("warehouse", SQL),
        ("lake", SQL),
        ("app", SQL),
        ("adbc_sqlite", SQL_TEXT),
        ("adbc_postgres", SQL_PLAIN),
    ] {
        let line = format!(
            "import query --connection {connection} --sql '{sql}' --assume-zone UTC \
             --store {connection}-store.db --format json"
        );
        let first = run(&house, &line).expect(0);
        let said: Value = serde_json::from_str(&first.stdout).unwrap();
        assert_eq!(said["arrivals_new"], 3, "{connection}");
        // The same again is nothing new.
        let again = run(&house, &line).expect(0);
        let said: Value = serde_json::from_str(&again.stdout).unwrap();
        assert_eq!(
            (&said["arrivals_new"], &said["arrivals_duplicate"]),
            (&0.into(), &3.into())
        );
        let store = format!("{connection}-store.db");
        let orders = stored(&house, &store, "raw_orders");
        assert_eq!(orders["n_arrivals"], 2, "{connection}");
        all.push((
            connection,
            orders["cycles"].to_string(),
            stored(&house, &store, "raw_users")["n_arrivals"].clone(),
        ));
    }
    for (connection, cycles, n) in &all {
        assert_eq!((cycles, n), (&all[0].1, &all[0].2), "{connection}");
    }
}
