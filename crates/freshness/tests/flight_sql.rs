//! Does the driver of Flight SQL bring what a query asks of a server?
//!
//! The driver is the one that users install; the server is roapi, which is not
//! ours either.

mod house;

use std::fs;

use house::flight::FlightServer;
use house::{House, Ran, adbc};
use serde_json::Value;

/// A house with a table of loads, and the server that has it.
fn connected() -> (House, FlightServer) {
    let house = House::empty();
    let table = house.path("loads.csv");
    fs::write(
        &table,
        "layer,loaded,cycle,n\n\
         raw_orders,2026-02-27T06:10:00Z,2026-02-27,1200\n\
         raw_orders,2026-02-28T06:10:00Z,2026-02-28,1300\n\
         raw_users,2026-02-28T05:00:00Z,,\n",
    )
    .unwrap();
    let server = FlightServer::start(&table);
    write(&house, server.port, "");
    (house, server)
}

fn write(house: &House, port: u16, more: &str) {
    let text = format!(
        "connections:
  flight:
    adbc:
      driver: {}
      options: {{uri: 'grpc://127.0.0.1:{port}'{more}}}
      options_env: {{password: FRESHNESS_TEST_PASSWORD}}
",
        adbc::driver("flightsql").display()
    );
    let text = match more {
        "" => text.replace(
            "      options_env: {password: FRESHNESS_TEST_PASSWORD}\n",
            "",
        ),
        _ => text,
    };
    fs::write(house.path("freshness.yaml"), text).unwrap();
}

fn ask(house: &House, sql: &str, more: &str) -> Ran {
    fs::write(house.path("q.sql"), sql).unwrap();
    let line = format!("import query --connection flight --sql-file q.sql --format json {more}");
    let mut command = house.command(&line);
    command.env("FRESHNESS_TEST_PASSWORD", "hunter2pass");
    let ran = Ran::from(command.output().unwrap());
    assert!(!ran.stderr.contains("hunter2pass"), "{ran:?}");
    ran
}

/// New arrivals, and those that were known.
fn came(ran: &Ran) -> (u64, u64) {
    let said: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let n = |key: &str| said[key].as_u64().unwrap();
    (n("arrivals_new"), n("arrivals_duplicate"))
}

#[test]
fn a_server_of_flight_sql_tells_arrivals() {
    let (house, _server) = connected();
    // Of a column of times this server drops the zone, and the importer asks for it.
    let sql = "select layer as dataset_id, loaded as arrived_at, cycle, n as rows from loads";
    let naive = ask(&house, sql, "").expect(2);
    assert!(
        naive.stderr.contains(
            "flight row 1, arrived_at: time without an offset or zone: 2026-02-27T06:10:00"
        ),
        "{naive:?}"
    );
    assert_eq!(
        came(&ask(&house, sql, "--assume-zone UTC").expect(0)),
        (3, 0)
    );
    let zoned = "select layer as dataset_id, cast(loaded as timestamp) at time zone 'UTC' as arrived_at, \
                 arrow_cast(cycle, 'Date32') as cycle, n as rows from loads where loaded > {since}";
    assert_eq!(came(&ask(&house, zoned, "").expect(0)), (0, 3));
    let explained = house.run("explain raw_orders --format json");
    assert!(
        explained.stdout.contains("\"n_arrivals\": 2"),
        "{explained:?}"
    );
}

#[test]
fn what_a_server_of_flight_sql_does_not_answer_is_told_in_time() {
    let (house, server) = connected();
    let missing = ask(&house, "select a from nothing", "").expect(2);
    let words = "connection flight: the query failed: [FlightSQL] ";
    assert!(
        missing.stderr.contains(words) && missing.stderr.contains("nothing"),
        "{missing:?}"
    );
    // It works on this for half a minute, whoever has gone away meanwhile, and
    // answers nobody else.
    let slow = "select 'a' as dataset_id, '2026-02-27T06:10:00Z' as arrived_at from \
                (select max(a.value * b.value) as m from generate_series(1, 100000) a \
                cross join generate_series(1, 1000000) b) where m > 0";
    let given_up = ask(&house, slow, "--timeout 1s").expect(2);
    assert!(
        given_up.stderr.contains("not answered within 1 s"),
        "{given_up:?}"
    );
    let port = server.port;
    drop(server);
    let gone = ask(&house, "select 1", "--timeout 5s").expect(2);
    assert!(gone.stderr.contains("connection refused"), "{gone:?}");
    // A server without users lets none in.
    let other = FlightServer::start(&house.path("loads.csv"));
    assert_ne!(other.port, port);
    write(&house, other.port, ", username: somebody");
    let refused = ask(&house, "select 1", "").expect(2);
    assert!(
        refused.stderr.contains("cannot connect: ") && refused.stderr.contains("Unauthenticated"),
        "{refused:?}"
    );
    assert!(!house.path(".freshness").exists());
}
