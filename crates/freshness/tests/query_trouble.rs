//! What if a query is wrong, slow, or would change something?

mod house;

use std::fs;

use house::postgres::postgres;
use house::{House, Ran, adbc, duckdb, sqlite};

const ENDLESS: &str = "with recursive n(i) as (select 1 union all select i + 1 from n) \
                       select count(*) as dataset_id, 1 as arrived_at from n";

fn connected() -> House {
    let house = House::empty();
    let text = format!(
        "connections:
  warehouse: {{postgres: {{url_env: FRESHNESS_TEST_URL}}}}
  lake: {{duckdb: {{path: lake.duckdb}}}}
  app: {{sqlite: {{path: app.db}}}}
  nothing: {{sqlite: {{path: none.db}}}}
  no_database: {{sqlite: {{path: freshness.yaml}}}}
  adbc_sqlite: {{adbc: {{driver: {}, options: {{uri: '{}'}}}}}}
  adbc_postgres: {{adbc: {{driver: {}, options_env: {{uri: FRESHNESS_TEST_URL}}}}}}
  no_driver: {{adbc: {{driver: ./libadbc_driver_none.so}}}}
",
        adbc::driver("sqlite").display(),
        house.path("app.db").display(),
        adbc::driver("postgresql").display(),
    );
    fs::write(house.path("freshness.yaml"), text).unwrap();
    sqlite::run(
        &house.path("app.db"),
        "CREATE TABLE loads (a, b); INSERT INTO loads VALUES (1, 2);",
    );
    duckdb::run(&house.path("lake.duckdb"), "CREATE TABLE loads (a int);\n");
    house
}

fn ask(house: &House, url: &str, connection: &str, sql: &str, more: &str) -> Ran {
    fs::write(house.path("q.sql"), sql).unwrap();
    let line = format!("import query --connection {connection} --sql-file q.sql {more}");
    let mut command = house.command(&line);
    command
        .env("FRESHNESS_TEST_URL", url)
        .env("FRESHNESS_DUCKDB_LIBRARY", duckdb::library());
    Ran::from(command.output().unwrap())
}

#[test]
fn nothing_is_changed_by_a_query_that_tries() {
    let server = postgres();
    let database = server.database(
        "query_changes",
        "CREATE TABLE loads (a int); CREATE SEQUENCE s;",
    );
    let url = server.url(database);
    let house = connected();
    for (connection, sql, said) in [
        (
            "warehouse",
            "delete from loads",
            "not a query: it must begin with SELECT",
        ),
        (
            "warehouse",
            "select 1; drop table loads",
            "more than one statement",
        ),
        (
            "adbc_sqlite",
            "select 1; drop table loads",
            "more than one statement",
        ),
        (
            "warehouse",
            "select nextval('s') as dataset_id, now() as arrived_at",
            "read-only transaction",
        ),
        (
            "warehouse",
            "with x as (insert into loads values (1) returning a) select a as dataset_id from x",
            "the query failed: ",
        ),
        (
            "app",
            "with x as (select 1) insert into loads select 1, 2 from x returning 1 as dataset_id",
            "answers no rows, or would change something",
        ),
        (
            "adbc_sqlite",
            "with x as (select 1) insert into loads select 1, 2 from x returning 'd' as dataset_id, 1772000000 as arrived_at",
            "",
        ),
        (
            "adbc_postgres",
            "with x as (insert into loads values (1) returning a) select 'd' as dataset_id, now() as arrived_at from x",
            "",
        ),
        (
            "lake",
            "with x as (select 1) insert into loads select 1 from x returning 'd' as dataset_id, now() as arrived_at",
            "",
        ),
    ] {
        let ran = ask(&house, &url, connection, sql, "");
        assert!(ran.stderr.contains(said), "{connection} {sql}: {ran:?}");
        if !said.is_empty() {
            assert_eq!(ran.code, Some(2), "{connection} {sql}: {ran:?}");
        }
    }
    let n = |sql: &str| server.run(database, sql)[0][0].clone().unwrap();
    assert_eq!(n("SELECT count(*) FROM loads"), "0");
    assert_eq!(n("SELECT is_called FROM s"), "f");
    assert_eq!(
        duckdb::run(&house.path("lake.duckdb"), "SELECT count(*) FROM loads;\n")[0][0].as_deref(),
        Some("0")
    );
    let counted = "select count(*) as dataset_id, 1772000000 as arrived_at from loads";
    ask(&house, &url, "app", counted, "--store n.store").expect(0);
    house.run("explain 1 --store n.store").expect(0);
}

#[test]
fn a_query_that_does_not_end_is_given_up() {
    let server = postgres();
    let database = server.database("query_slow", "CREATE TABLE loads (a int)");
    let url = server.url(database);
    let house = connected();
    let sleep = "select pg_sleep(60)::text as dataset_id, now() as arrived_at";
    for (connection, sql) in [
        ("warehouse", sleep),
        ("adbc_postgres", sleep),
        ("app", ENDLESS),
        ("lake", ENDLESS),
        ("adbc_sqlite", ENDLESS),
    ] {
        let ran = ask(&house, &url, connection, sql, "--timeout 1s").expect(2);
        assert!(
            ran.stderr.contains("not answered within 1 s"),
            "{connection}: {ran:?}"
        );
        assert!(ran.stderr.contains("{since}"), "{connection}: {ran:?}");
    }
    assert!(!house.path(".freshness").exists());
}

#[test]
fn what_cannot_be_asked_is_said_without_a_secret() {
    let house = connected();
    let url = "postgresql://ann:hunter2pass@no-such-host.invalid/sales";
    let good = "select 'd' as dataset_id, 1772000000 as arrived_at";
    for (connection, said) in [
        (
            "nothing",
            "connection nothing: cannot connect: none.db: no such file",
        ),
        ("no_database", "not a SQLite database, or a damaged one"),
        (
            "no_driver",
            "cannot load the ADBC driver: ./libadbc_driver_none.so",
        ),
        ("adbc_postgres", "cannot connect"),
        ("warehouse", "cannot connect"),
        ("nowhere", "no such connection: nowhere"),
    ] {
        let ran = ask(&house, url, connection, good, "").expect(2);
        assert!(ran.stderr.contains(said), "{connection}: {ran:?}");
        assert!(!ran.stderr.contains("hunter2pass"), "{connection}: {ran:?}");
    }
    let mut command = house.command("import query --connection warehouse --sql select");
    let ran = Ran::from(command.output().unwrap()).expect(2);
    assert!(
        ran.stderr
            .contains("the variable FRESHNESS_TEST_URL is not set"),
        "{ran:?}"
    );
}

#[test]
fn columns_and_rows_are_refused_in_the_words_of_the_importer() {
    let house = connected();
    let refused = |sql: &str| ask(&house, "", "app", sql, "").expect(2).stderr;
    let missing = refused("select a as dataset_id, b as loaded_at from loads");
    assert!(
        missing.contains("missing column: arrived_at (found: dataset_id, loaded_at)"),
        "{missing}"
    );
    assert!(
        missing.contains("rename loaded_at to arrived_at"),
        "{missing}"
    );
    let slip = refused("select a as dataset_id, b as arrived_at, 1 as row from loads");
    assert!(
        slip.contains("unknown column: row") && slip.contains("did you mean `rows`?"),
        "{slip}"
    );
    let twice = refused("select a as dataset_id, b as arrived_at, b as arrived_at from loads");
    assert!(twice.contains("column named twice: arrived_at"), "{twice}");
    let wrong = refused("select absent from loads");
    assert!(
        wrong.contains("connection app: the query failed: no such column: absent"),
        "{wrong}"
    );
    let quoted = refused("select a as dataset_id, b as arrived_at from loads where b > '{since}'");
    assert!(
        quoted.contains("error: {since} stands in quotes, and brings its own: write {since} alone"),
        "{quoted}"
    );

    let rows = "select 'd' as dataset_id, column1 as arrived_at from (values \
                ('2026-02-28T06:00:00Z'), (null), ('2026-02-28 06:00'), ('2027-01-01T00:00:00Z'), (0), (x'00'))";
    let bad = refused(rows);
    for said in [
        "5 bad rows",
        "app row 2, arrived_at: no value",
        "app row 3, arrived_at: time without an offset or zone: \"2026-02-28 06:00\"",
        "app row 4, arrived_at: in the future",
        "app row 5, arrived_at: year 1970 looks like a missing timestamp",
        "app row 6, arrived_at: wrong type (expected a time, found bytes)",
        "`--on-error skip` imports the other rows",
    ] {
        assert!(bad.contains(said), "{said}: {bad}");
    }
    assert!(!house.path(".freshness").exists());
    let skipped = ask(&house, "", "app", rows, "--on-error skip --format json").expect(0);
    assert!(
        skipped.stdout.contains("\"arrivals_new\": 1"),
        "{skipped:?}"
    );
    assert!(
        skipped.stderr.contains("left out 5 bad rows"),
        "{skipped:?}"
    );
}
