//! What if a database refuses, stalls or dies, and what does a look cost it?

mod house;

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use arrow::array::{ArrayRef, TimestampMicrosecondArray};
use arrow::record_batch::RecordBatch;
use freshness::rounds::{Asking, measure, measuring_sql};
use freshness::sources::database::{Address, Limits, Look, Reading, Refusal, Target};
use freshness_core::dataset::DatasetId;
use freshness_core::slo::Filled;
use house::postgres::{Postgres, postgres};
use house::{House, duckdb};
use parquet::arrow::ArrowWriter;

/// 2026-09-01T12:00:00Z.
const NOON: i64 = 1_788_264_000;

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(300);

/// A table of `warehouse` whose field is `at`.
fn target(table: &str) -> Target {
    Target {
        dataset: DatasetId::try_from("orders").unwrap(),
        connection: "warehouse".to_owned(),
        table: Some(table.parse().unwrap()),
        filter: None,
        zone: None,
        field: Some("at".to_owned()),
        source_field: None,
        availability_field: None,
    }
}

fn filtered(table: &str, filter: &str) -> Target {
    Target {
        filter: Some(filter.to_owned()),
        ..target(table)
    }
}

/// Looks at tables behind one address.
fn look_at(address: &Address, query: Duration, targets: &[Target]) -> Vec<Result<Look, Refusal>> {
    let addresses = BTreeMap::from([("warehouse".to_owned(), Ok(address.clone()))]);
    let connect = query;
    let asking = Asking {
        addresses: &addresses,
        limits: Limits { connect, query },
        threads: None,
    };
    measure(targets, &asking, |_| {})
}

fn at(url: &str) -> Address {
    Address::Postgres {
        config: Box::new(url.parse().unwrap()),
        authority: None,
        secret_in: None,
    }
}

/// What was seen of each table, in a word or two.
fn told(looks: &[Result<Look, Refusal>]) -> Vec<String> {
    looks
        .iter()
        .map(|look| match look {
            Ok(look) => format!("{} {}", look.rows, look.newest.as_ref().unwrap().state()),
            Err(refusal) => refusal.to_string(),
        })
        .collect()
}

const TABLES: &str = "
CREATE TABLE orders (at timestamptz, source_at timestamptz, customer_id int);
INSERT INTO orders VALUES ('2026-09-01 12:00Z', '2026-09-01 11:00Z', 1), ('2026-08-01 12:00Z', NULL, NULL);
CREATE SCHEMA \"we\"\"ird.schema\";
CREATE TABLE \"we\"\"ird.schema\".\"select\" AS TABLE orders;
CREATE TABLE secret AS TABLE orders;
CREATE VIEW guarded AS SELECT day, 1 / (day - 19) AS broken, at FROM
  (VALUES (19, '2026-08-19 12:00Z'::timestamptz), (20, '2026-09-01 12:00Z')) v (day, at)
  WHERE CASE WHEN day = 19 THEN 1 / (day - 19) END IS NULL;
";

#[test]
fn one_look_answers_all_that_is_asked_and_scans_the_table_once() {
    let server = postgres();
    let database = server.database("scans", TABLES);
    let asked = Target {
        source_field: Some("source_at".to_owned()),
        availability_field: Some("customer_id".to_owned()),
        ..target("orders")
    };
    let scans = || {
        // A session reports what it did when it ends at the latest.
        let here = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'freshness' AND datname = 'scans'";
        while server.run(database, here)[0][0].as_deref() != Some("0") {
            thread::yield_now();
        }
        let scans = "SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'orders'";
        server.run(database, scans)[0][0]
            .as_ref()
            .unwrap()
            .parse::<u64>()
            .unwrap()
    };
    let before = scans();
    let looks = look_at(&at(&server.url(database)), LONG, &[asked]);
    assert_eq!(
        looks,
        [Ok(Look {
            rows: 2,
            newest: Some(Reading::At(NOON)),
            source_newest: Some(Reading::At(NOON - 3_600)),
            filled: Some(Filled::Rows {
                non_null: 1,
                total: 2
            }),
        })]
    );
    assert_eq!(scans() - before, 1);
}

#[test]
fn a_table_that_cannot_be_read_stops_no_other() {
    let server = postgres();
    let database = server.database("apart", TABLES);
    server.run(
        database,
        "CREATE ROLE apart_reader LOGIN; GRANT USAGE ON SCHEMA \"we\"\"ird.schema\" TO apart_reader;
         GRANT SELECT ON orders, guarded, \"we\"\"ird.schema\".\"select\" TO apart_reader",
    );
    let targets = [
        target("gone"),
        target("secret"),
        target("orders"),
        target("ORDERS"),
        target(r#""we""ird.schema"."select""#),
        target("guarded"),
        filtered("guarded", "day = 20 -- one partition"),
        filtered("orders", "at < '2026-08-15'"),
        filtered("orders", "false"),
        filtered("orders", "nonsense = 1"),
        filtered("orders", "true); DELETE FROM orders; SELECT (1"),
        filtered("orders", "'x' = 'caf\u{e9}' OR true"),
        target("scans.public.orders"),
    ];
    let looks = look_at(
        &at(&server.url_of("apart_reader", database)),
        LONG,
        &targets,
    );
    assert_eq!(
        told(&looks),
        [
            "no table: gone",
            "not allowed to read: permission denied for table secret",
            "2 at",
            "2 at",
            "2 at",
            "the query failed: a value of the table cannot be used (SQLSTATE 22012)",
            "1 at",
            "1 at",
            "0 no_rows",
            "the query failed: column \"nonsense\" does not exist (SQLSTATE 42703)",
            "the query failed: cannot insert multiple commands into a prepared statement (SQLSTATE 42601)",
            "2 at",
            "no table: scans.public.orders",
        ]
    );
}

#[test]
fn a_session_cannot_write() {
    let server = postgres();
    let database = server.database(
        "readonly",
        "CREATE TABLE orders (at timestamptz); CREATE FUNCTION spoil() RETURNS bool LANGUAGE sql VOLATILE AS
         $$ INSERT INTO orders VALUES (now()) RETURNING true $$",
    );
    let spoilt = filtered("orders", "(SELECT spoil())");
    let looks = look_at(&at(&server.url(database)), LONG, &[spoilt]);
    assert_eq!(
        told(&looks),
        ["the query failed: cannot execute INSERT in a read-only transaction (SQLSTATE 25006)"]
    );
}

#[test]
fn a_table_that_is_locked_is_given_up_in_time() {
    let server = postgres();
    let database = server.database(
        "locked",
        "CREATE TABLE orders (at timestamptz); CREATE TABLE others (at timestamptz)",
    );
    let mut holder = server.connect(database);
    holder.run("BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE");
    let looks = look_at(
        &at(&server.url(database)),
        SHORT,
        &[target("orders"), target("others")],
    );
    assert_eq!(told(&looks), ["not answered within 0.3 s", "0 no_rows"]);
    holder.run("COMMIT");
}

#[test]
fn a_server_that_is_not_there_is_said_once_for_every_table() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = closed.local_addr().unwrap().port();
    drop(closed);
    let url = format!("postgresql://monitor:hunter2@127.0.0.1:{port}/sales");
    let looks = look_at(&at(&url), LONG, &[target("orders"), target("others")]);
    for said in told(&looks) {
        assert!(
            said.starts_with(&format!("cannot connect: 127.0.0.1:{port}/sales: ")),
            "{said}"
        );
        assert!(
            said.contains("refused") && !said.contains("hunter2"),
            "{said}"
        );
    }
    let server = postgres();
    let looks = look_at(
        &at(&server.url_of("nobody", "postgres")),
        LONG,
        &[target("orders")],
    );
    assert!(
        told(&looks)[0].ends_with("role \"nobody\" does not exist"),
        "{looks:?}"
    );
    let looks = look_at(&at(&server.url("nowhere")), LONG, &[target("orders")]);
    assert!(
        told(&looks)[0].ends_with("database \"nowhere\" does not exist"),
        "{looks:?}"
    );
}

#[test]
fn a_server_is_known_by_its_certificate_where_that_is_required() {
    let server = Postgres::start_with_tls();
    let one_row = "CREATE TABLE orders AS SELECT now() AS at";
    server.run("postgres", one_row);
    let authority = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/house/tls/authority.pem");
    // The row is seen only through TLS.
    let look = |mode: &str, authority: Option<&Path>| {
        let url = format!("{}?sslmode={mode}", server.url("postgres"));
        let address = Address::Postgres {
            config: Box::new(url.parse().unwrap()),
            authority: authority.map(Path::to_owned),
            secret_in: None,
        };
        let by_tls = "(SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid())";
        told(&look_at(&address, LONG, &[filtered("orders", by_tls)])).remove(0)
    };
    assert_eq!(look("require", Some(&authority)), "1 at");
    assert_eq!(look("prefer", Some(&authority)), "1 at");
    // Nobody vouches for it here.
    assert_eq!(look("prefer", None), "0 no_rows");
    assert_eq!(look("disable", Some(&authority)), "0 no_rows");
    let refused = look("require", None);
    assert!(refused.starts_with("cannot connect: "), "{refused}");
    assert!(refused.contains("certificate"), "{refused}");
    let refused = look("require", Some(Path::new("Cargo.toml")));
    assert!(
        refused.ends_with("Cargo.toml holds no certificates: the file names none"),
        "{refused}"
    );
    // A server without it cannot be required to have it.
    let url = format!("{}?sslmode=require", postgres().url("postgres"));
    let refused = told(&look_at(&at(&url), LONG, &[target("orders")])).remove(0);
    assert!(refused.contains("TLS"), "{refused}");
}

#[test]
fn a_server_that_never_answers_is_given_up_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let url = format!("postgresql://monitor@127.0.0.1:{port}/sales");
    let looks = look_at(&at(&url), SHORT, &[target("orders"), target("others")]);
    let said = format!("cannot connect: 127.0.0.1:{port}/sales: no answer within 0.3 s");
    assert_eq!(told(&looks), [said.clone(), said]);
}

#[test]
fn a_server_that_dies_in_a_query_is_told_from_one_that_is_slow() {
    let server = Postgres::start();
    server.run(
        "postgres",
        "CREATE TABLE orders (at timestamptz); INSERT INTO orders VALUES (now())",
    );
    let address = at(&server.url("postgres"));
    let waiting = filtered("orders", "pg_sleep(60) IS NOT NULL");
    let looking = thread::spawn(move || look_at(&address, Duration::from_secs(60), &[waiting]));
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'freshness' AND wait_event = 'PgSleep'";
    let mut killer = server.connect("postgres");
    while killer.run(waits)[0][0].as_deref() != Some("1") {
        thread::yield_now();
    }
    // The whole server, at once and without a word to anybody.
    server.kill();
    let looks = looking.join().unwrap();
    assert!(
        told(&looks)[0].starts_with("the server went away: 127.0.0.1:"),
        "{looks:?}"
    );
}

#[test]
fn a_server_that_falls_silent_in_a_query_is_given_up_in_time() {
    let server = Postgres::start();
    server.run("postgres", "CREATE TABLE orders AS SELECT now() AS at");
    let address = at(&server.url("postgres"));
    let waiting = filtered("orders", "pg_sleep(60) IS NOT NULL");
    let limit = Duration::from_secs(2);
    let looking = thread::spawn(move || look_at(&address, limit, &[waiting]));
    let asleep = "SELECT pid FROM pg_stat_activity WHERE application_name = 'freshness' AND wait_event = 'PgSleep'";
    let mut watcher = server.connect("postgres");
    let pid = loop {
        if let [row] = watcher.run(asleep).as_slice() {
            break row[0].clone().unwrap();
        }
        thread::yield_now();
    };
    // It was told to stop after two seconds, and cannot say that it did.
    server.freeze(&pid);
    assert_eq!(told(&looking.join().unwrap()), ["not answered within 2 s"]);
    server.kill();
}

#[test]
fn parquet_files_are_as_fresh_as_their_rows_and_not_as_their_names() {
    let house = House::empty();
    // The file of the last day was written last and holds old rows.
    for (name, hours) in [("orders_20260901", [0, 1]), ("orders_20260930", [-48, -47])] {
        let times: TimestampMicrosecondArray = hours
            .iter()
            .map(|hour| Some((NOON + hour * 3_600) * 1_000_000))
            .collect();
        let column: ArrayRef = Arc::new(times.with_timezone("UTC"));
        let batch = RecordBatch::try_from_iter([("at", column)]).unwrap();
        let file = std::fs::File::create(house.path(&format!("{name}.parquet"))).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }
    let files = |glob: &str| Address::Parquet {
        files: house.path(glob).display().to_string(),
        library: Some(duckdb::library()),
    };
    let all = look_at(
        &files("{table}_*.parquet"),
        LONG,
        &[target("orders"), target("gone")],
    );
    let look = all[0].as_ref().unwrap();
    assert_eq!(
        (look.rows, &look.newest),
        (4, &Some(Reading::At(NOON + 3_600)))
    );
    assert_eq!(all[1].as_ref().unwrap_err().state(), "no_table");
    // What the database says of a broken file is said: it quotes no row.
    std::fs::write(
        house.path("broken_1.parquet"),
        "PAR1 and then no more of it",
    )
    .unwrap();
    let broken = look_at(&files("{table}_*.parquet"), LONG, &[target("broken")]);
    let said = told(&broken).remove(0);
    assert!(
        said.starts_with("the query failed: Invalid Input Error: ")
            && said.contains("broken_1.parquet"),
        "{said}"
    );
    let whole = Target {
        table: None,
        ..filtered("orders", "filename LIKE '%20260930%'")
    };
    let last = look_at(&files("orders_*.parquet"), LONG, &[whole]);
    assert_eq!(
        last[0].as_ref().unwrap().newest,
        Some(Reading::At(NOON - 47 * 3_600))
    );
}

#[test]
fn a_file_of_duckdb_is_only_read_and_each_table_stands_alone() {
    let house = House::empty();
    let file = house.path("lake.duckdb");
    duckdb::run(
        &file,
        "CREATE TABLE orders (\"at\" timestamptz, \"select\" int);
INSERT INTO orders VALUES ('2026-09-01 12:00:00+00', 1);
CREATE SCHEMA \"we\"\"ird\";
CREATE TABLE \"we\"\"ird\".orders AS FROM orders;
",
    );
    let library = Some(duckdb::library());
    let address = Address::Duckdb {
        file: file.clone(),
        library: library.clone(),
    };
    let slow = "(SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b) > 0";
    let targets = [
        target("orders"),
        target(r#""we""ird".Orders"#),
        target("gone"),
        filtered("orders", "nonsense = 1"),
        filtered("orders", "\"select\" = 2"),
    ];
    let looks = look_at(&address, LONG, &targets);
    let said = told(&looks);
    assert_eq!(said[..2], ["1 at", "1 at"]);
    assert!(said[2].starts_with("no table: "), "{said:?}");
    assert!(
        said[3].starts_with("the query failed: Binder Error"),
        "{said:?}"
    );
    assert_eq!(said[4], "0 no_rows");
    let looks = look_at(&address, SHORT, &[filtered("orders", slow)]);
    assert_eq!(told(&looks), ["not answered within 0.3 s"]);
    let gone = Address::Duckdb {
        file: house.path("gone.duckdb"),
        library,
    };
    let said = told(&look_at(&gone, LONG, &[target("orders")]));
    assert!(said[0].ends_with("gone.duckdb: no such file"), "{said:?}");
    assert!(!house.path("gone.duckdb").exists());
}

#[test]
fn without_the_library_of_duckdb_it_is_said_where_to_get_it() {
    let address = Address::Parquet {
        files: "*.parquet".to_owned(),
        library: Some(PathBuf::from("/nowhere/libduckdb.so")),
    };
    let looks = look_at(&address, LONG, &[target("orders")]);
    let refusal = looks[0].as_ref().unwrap_err();
    assert_eq!(refusal.state(), "no_library");
    assert!(refusal.to_string().contains("/nowhere/libduckdb.so"));
    assert!(refusal.hint().unwrap().contains("FRESHNESS_DUCKDB_LIBRARY"));
}

#[test]
fn the_query_is_shown_as_it_would_run() {
    let server = postgres();
    let database = server.database("shown", TABLES);
    let addresses = BTreeMap::from([("warehouse".to_owned(), Ok(at(&server.url(database))))]);
    let asking = Asking {
        addresses: &addresses,
        limits: Limits {
            connect: LONG,
            query: LONG,
        },
        threads: Some(1),
    };
    let sql = measuring_sql(&[filtered("orders", "customer_id > 0")], &asking);
    assert_eq!(
        sql[0].as_deref().unwrap(),
        "SELECT (count(*))::text,
  (count(\"at\"))::text,
  (floor(extract(epoch FROM max(\"at\"))))::text,
  NULL,
  NULL
FROM \"public\".\"orders\"
WHERE (customer_id > 0
)"
    );
}
