//! Does Snowflake's own driver of ADBC bring what the ready-made queries ask?
//!
//! The driver is the one that users install; what answers it is fakesnow, which
//! is not ours, with views of ACCOUNT_USAGE as Snowflake documents them.

mod house;

use std::fs;

use house::snowflake::Snowflake;
use house::{House, Ran, adbc};
use serde_json::Value;

const ACCOUNT_USAGE: &str = "
create database snowflake
create schema snowflake.account_usage
create table snowflake.account_usage.copy_history (file_name text, status text, row_count number(38,0), last_load_time timestamp_ltz(3), table_catalog_name text, table_schema_name text, table_name text)
insert into snowflake.account_usage.copy_history values ('a', 'Loaded', 10, '2026-02-26 06:10:20+00:00', 'SALES', 'RAW', 'ORDERS'), ('b', 'Loaded', 20, '2026-02-26 06:10:50+00:00', 'SALES', 'RAW', 'ORDERS'), ('c', 'Load failed', 5, '2026-02-27 05:00:00+00:00', 'SALES', 'RAW', 'ORDERS'), ('d', 'Partially loaded', 7, '2026-02-27 06:11:00+00:00', 'SALES', 'RAW', 'ORDERS'), ('e', 'Loaded', 0, '2026-02-27 07:00:00+00:00', 'SALES', 'RAW', 'USERS')
create table snowflake.account_usage.table_dml_history (start_time timestamp_ltz(3), end_time timestamp_ltz(3), table_id number(38,0), table_name text, schema_name text, database_name text, rows_added number(38,0), rows_removed number(38,0), rows_updated number(38,0))
insert into snowflake.account_usage.table_dml_history values ('2026-02-26 06:00:00+00:00', '2026-02-26 07:00:00+00:00', 1, 'ORDERS', 'RAW', 'SALES', 10, 0, 0), ('2026-02-26 07:00:00+00:00', '2026-02-26 08:00:00+00:00', 1, 'ORDERS', 'RAW', 'SALES', 0, 3, 4), ('2026-02-26 07:00:00+00:00', '2026-02-26 08:00:00+00:00', 2, 'USERS', 'RAW', 'SALES', 5, 0, 0)
";

const OF_ALL_TYPES: &str = "
create database sales
create schema sales.raw
create table sales.raw.loads (layer text, at_tz timestamp_tz, at_ntz timestamp_ntz, cycle date, n number(38,0), share number(20,2), run text, about variant)
insert into sales.raw.loads select 'raw_orders', '2026-02-28 08:10:00.75+02:00', '2026-02-28 06:10:00.75', '2026-02-28', 1300, 13.50, 'r2', parse_json('{\"a\": 1}')
";

fn connected(port: u16) -> House {
    let house = House::empty();
    let text = format!(
        "connections:
  snowflake:
    adbc:
      driver: {}
      options:
        adbc.snowflake.sql.account: acme
        adbc.snowflake.sql.uri.host: 127.0.0.1
        adbc.snowflake.sql.uri.port: '{port}'
        adbc.snowflake.sql.uri.protocol: http
        username: monitor
      options_env: {{password: FRESHNESS_TEST_PASSWORD}}
sources:
  loads: {{query: {{connection: snowflake, sql_file: loads.sql}}}}
",
        adbc::driver("snowflake").display()
    );
    fs::write(house.path("freshness.yaml"), text).unwrap();
    house
}

fn run(house: &House, line: &str) -> Ran {
    let mut command = house.command(line);
    command.env("FRESHNESS_TEST_PASSWORD", "hunter2pass");
    let ran = Ran::from(command.output().unwrap());
    assert!(!ran.stderr.contains("hunter2pass"), "{ran:?}");
    ran
}

fn ask(house: &House, sql: &str, more: &str) -> Ran {
    fs::write(house.path("q.sql"), sql).unwrap();
    let line = format!("import query --connection snowflake --sql-file q.sql --format json {more}");
    run(house, &line)
}

fn said(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

#[test]
fn the_recipes_tell_what_was_loaded_and_go_on_where_they_stopped() {
    let snowflake = Snowflake::start();
    snowflake.run(ACCOUNT_USAGE);
    for (recipe, datasets, n_first, later) in [
        (
            "snowflake_copy_history",
            1,
            2,
            "insert into snowflake.account_usage.copy_history values ('f', 'Loaded', 9, '2026-02-28 06:12:00+00:00', 'SALES', 'RAW', 'ORDERS')",
        ),
        (
            "snowflake_dml_history",
            2,
            2,
            "insert into snowflake.account_usage.table_dml_history values ('2026-02-28 06:00:00+00:00', '2026-02-28 07:00:00+00:00', 1, 'ORDERS', 'RAW', 'SALES', 9, 0, 0)",
        ),
    ] {
        let house = connected(snowflake.port);
        let page = house.run(&format!("sources recipes {recipe}")).expect(0);
        fs::write(house.path("loads.sql"), page.stdout).unwrap();
        let first = said(&run(&house, "collect --format json").expect(0));
        assert_eq!(first["sources"][0]["arrivals_new"], n_first, "{first}");
        assert_eq!(first["sources"][0]["datasets_new"], datasets, "{first}");
        snowflake.run(later);
        let next = said(&run(&house, "collect --format json").expect(0));
        assert_eq!(next["sources"][0]["arrivals_new"], 1, "{next}");
        let orders = said(&house.run("explain SALES.RAW.ORDERS --format json"));
        assert_eq!(
            orders["n_arrivals"],
            if datasets == 1 { 3 } else { 2 },
            "{orders}"
        );
    }
}

#[test]
fn the_types_of_snowflake_are_read_and_one_login_asks() {
    let snowflake = Snowflake::start();
    snowflake.run(OF_ALL_TYPES);
    let house = connected(snowflake.port);
    let n = |what: &str| snowflake.log().matches(what).count();
    let (logins, ends) = ("/session/v1/login-request?", "/session?delete=true");
    let before = (n(logins), n(ends));
    let sql = "select layer as dataset_id, at_tz as arrived_at, cycle, n as \"rows\", run as run_id, \
               at_tz as covers_through from sales.raw.loads";
    let ran = said(&ask(&house, sql, "").expect(0));
    assert_eq!(
        (&ran["arrivals_new"], &ran["runs_new"]),
        (&1.into(), &0.into()),
        "{ran}"
    );
    // Who logs in twice leaves one of them behind.
    assert_eq!((n(logins), n(ends)), (before.0 + 1, before.1 + 1));
    let of = |column: &str| {
        format!("select layer as dataset_id, {column} as arrived_at from sales.raw.loads")
    };
    ask(&house, &of("at_tz"), "").expect(0);
    // The same instant, told without a zone.
    let naive = ask(&house, &of("at_ntz"), "").expect(2);
    assert!(
        naive
            .stderr
            .contains("time without an offset or zone: 2026-02-28T06:10:00"),
        "{naive:?}"
    );
    let ran = said(&ask(&house, &of("at_ntz"), "--assume-zone UTC").expect(0));
    assert_eq!(ran["arrivals_duplicate"], 1, "{ran}");
    for (column, words) in [
        ("about", "unreadable time"),
        ("run", "unreadable time: \"r2\""),
    ] {
        let refused = ask(&house, &of(column), "").expect(2);
        assert!(refused.stderr.contains(words), "{column}: {refused:?}");
    }
    let sql =
        "select layer as dataset_id, at_tz as arrived_at, share as \"rows\" from sales.raw.loads";
    let refused = ask(&house, sql, "").expect(2);
    assert!(
        refused
            .stderr
            .contains("not a number of rows (expected a whole number from 0): \"13.50\""),
        "{refused:?}"
    );
}

#[test]
fn what_snowflake_does_not_answer_is_told_in_time_and_without_a_secret() {
    let snowflake = Snowflake::start();
    let house = connected(snowflake.port);
    let one = "select 'a' as dataset_id, '2026-02-28T06:00:00Z' as arrived_at";
    let missing = ask(&house, &format!("{one} from nowhere.raw.loads"), "").expect(2);
    assert!(
        missing
            .stderr
            .contains("connection snowflake: the query failed: [Snowflake] "),
        "{missing:?}"
    );
    let text = fs::read_to_string(house.path("freshness.yaml")).unwrap();
    let write = |text: &str| fs::write(house.path("freshness.yaml"), text).unwrap();
    write(&text.replace("        username: monitor\n", ""));
    let nobody = ask(&house, one, "").expect(2);
    assert!(
        nobody.stderr.contains("cannot connect: ") && nobody.stderr.contains("user is empty"),
        "{nobody:?}"
    );
    write(&text.replace(
        "{password:",
        "{adbc.snowflake.sql.client_option.jwt_private_key_pkcs8_value:",
    ));
    let key = ask(&house, one, "").expect(2);
    assert!(key.stderr.contains("cannot connect: "), "{key:?}");
    // The driver tries for minutes.
    write(&text.replace(&format!("'{}'", snowflake.port), "'9'"));
    let gone = ask(&house, one, "--timeout 2s").expect(2);
    assert!(
        gone.stderr
            .contains("libadbc_driver_snowflake.so: no answer within 2 s"),
        "{gone:?}"
    );
    assert!(!house.path(".freshness").exists());
}
