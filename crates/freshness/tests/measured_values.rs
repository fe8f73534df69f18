//! Is every kind of column read for what it says, in real databases?

mod house;

use std::time::Duration;

use freshness::sources::database::{Address, Limits, Reading, Session, Target};
use freshness_core::civil::Zone;
use freshness_core::dataset::DatasetId;
use house::{House, duckdb, postgres::postgres};

const LIMITS: Limits = Limits {
    connect: Duration::from_secs(10),
    query: Duration::from_secs(20),
};

/// 2026-09-01T12:00:00Z.
const NOON: i64 = 1_788_264_000;

/// What is asked of a table: `table field [filter]`.
fn target(table: &str, field: &str) -> Target {
    Target {
        dataset: DatasetId::try_from("orders").unwrap(),
        connection: "warehouse".to_owned(),
        table: Some(table.parse().unwrap()),
        filter: None,
        zone: None,
        field: Some(field.to_owned()),
        source_field: None,
        availability_field: None,
    }
}

fn berlin(target: Target) -> Target {
    Target {
        zone: Zone::named("Europe/Berlin").ok(),
        ..target
    }
}

fn unreadable(value: &str) -> Reading {
    Reading::Unreadable(value.to_owned())
}

/// Runs the same checks on each database: `look` opens a session for each.
#[track_caller]
fn check(session: &mut Session, target: &Target, expected: &Reading) {
    let look = session
        .look(target)
        .unwrap_or_else(|refusal| panic!("{refusal}\n{}", session.sql(target).unwrap()));
    assert_eq!(look.newest.as_ref(), Some(expected), "{target:?}");
}

/// A table of texts with one column `t`.
fn texts(values: &[&str]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|value| match *value {
            "NULL" => "(NULL)".to_owned(),
            value => format!("('{}')", value.replace('\'', "''")),
        })
        .collect();
    format!("VALUES {}", values.join(", "))
}

/// Values of a text column, and what they say; without and with a zone.
fn text_cases() -> Vec<(Vec<&'static str>, Reading, Reading)> {
    let at = |at: i64| (Reading::At(at), Reading::At(at));
    let case = |values: &[&'static str], (bare, zoned)| (values.to_vec(), bare, zoned);
    let no_zone = |wall: &str| Reading::NoZone(wall.to_owned());
    let bad = |value: &str| (unreadable(value), unreadable(value));
    vec![
        case(&["2026-09-01 12:00:00.000 UTC"], at(NOON)),
        case(&["2026-09-01T12:00:00Z"], at(NOON)),
        case(&["2026-09-01T14:00:00+02:00"], at(NOON)),
        case(&["2026-09-01 14:00:00.25+0200"], at(NOON)),
        case(&["2026-09-01 08:00 -04"], at(NOON)),
        case(&["2026-09-01 12:00:00,5 gmt"], at(NOON)),
        case(&[" 2026-09-01t12:00:00z ", "NULL", ""], at(NOON)),
        // A greatest text would be 2026-9-1.
        case(
            &["2026-9-1 12:00Z", "2026-10-01 12:00Z"],
            at(NOON + 30 * 86_400),
        ),
        // A later text is an earlier instant.
        case(
            &["2026-09-01T14:30:00+05:30", "2026-09-01T12:00:00Z"],
            at(NOON),
        ),
        case(&["1788264000", "1788263999000"], at(NOON)),
        case(&["1788264000.75"], at(NOON)),
        case(
            &["2026-09-01 14:00:00", "2026-08-31 23:00:00"],
            (no_zone("2026-09-01 14:00:00"), Reading::At(NOON)),
        ),
        case(
            &["2026-09-01"],
            (
                no_zone("2026-09-01 00:00:00"),
                Reading::At(NOON - 14 * 3_600),
            ),
        ),
        case(
            &["2026-09-01 14:00:00", "2026-09-01T13:00:00Z"],
            (no_zone("2026-09-01 14:00:00"), Reading::At(NOON + 3_600)),
        ),
        case(&["2024-02-29T00:00:00Z"], at(1_709_164_800)),
        case(&["2026-09-01T12:00:00Z", "n/a"], bad("n/a")),
        case(&["2026-02-29 12:00Z"], bad("2026-02-29 12:00Z")),
        case(&["2026-04-31"], bad("2026-04-31")),
        case(&["2026-13-01"], bad("2026-13-01")),
        case(&["2026-09-01 25:00:00"], bad("2026-09-01 25:00:00")),
        case(&["01.09.2026"], bad("01.09.2026")),
        case(&["20260901"], bad("20260901")),
        case(&["infinity"], bad("infinity")),
        case(&["", " "], (Reading::AllNull, Reading::AllNull)),
    ]
}

#[test]
fn a_text_is_parsed_before_the_greatest_is_taken_in_postgresql() {
    let server = postgres();
    let database = server.database("texts", "SELECT 1");
    let mut session = Session::open(&address(&server.url(database)), LIMITS).unwrap();
    for (values, bare, zoned) in text_cases() {
        let script = format!(
            "DROP TABLE IF EXISTS t; CREATE TABLE t AS SELECT column1::text AS t FROM ({}) v",
            texts(&values)
        );
        server.run(database, &script);
        check(&mut session, &target("t", "t"), &bare);
        check(&mut session, &berlin(target("t", "t")), &zoned);
    }
}

#[test]
fn a_text_is_parsed_before_the_greatest_is_taken_in_duckdb() {
    let house = House::empty();
    let file = house.path("texts.duckdb");
    for (n, (values, _, _)) in text_cases().into_iter().enumerate() {
        let script = format!(
            "CREATE TABLE t{n} AS SELECT col0::VARCHAR AS t FROM ({}) v",
            texts(&values)
        );
        duckdb::run(&file, &script);
    }
    let library = Some(duckdb::library());
    let mut session = Session::open(&Address::Duckdb { file, library }, LIMITS).unwrap();
    for (n, (_, bare, zoned)) in text_cases().into_iter().enumerate() {
        let table = format!("t{n}");
        check(&mut session, &target(&table, "t"), &bare);
        check(&mut session, &berlin(target(&table, "t")), &zoned);
    }
}

/// A table with a column of every type that tells time, in words that both
/// databases understand; `double` is their name for a double.
fn typed() -> String {
    "CREATE TABLE typed (id int, \"at\" timestamptz, local timestamp, day date, seconds bigint, millis bigint,
       micros bigint, nanos bigint, small int, mixed bigint, decimal_at numeric(20, 3), float_at double precision,
       ever timestamptz, never timestamptz, later timestamptz, ever_day date, flag boolean, \"select\" timestamptz,
       nothing timestamptz, odd double precision, zero bigint);
INSERT INTO typed VALUES
  (1, '2026-09-01 12:00:00+00', '2026-09-01 14:00:00', '2026-09-01', 1788264000, 1788264000000,
   1788264000000000, 1788264000000000000, 1788264000, 1788263999000, 1788264000.250, 1788264000.75,
   'infinity', '-infinity', '2031-01-01 00:00:00+00', 'infinity', true, '2026-09-01 12:00:00+00', NULL, 'NaN', 0),
  (2, '2026-08-01 12:00:00+00', '2026-08-01 14:00:00', '2026-08-01', 1786000000, 1786000000000,
   1786000000000000, NULL, NULL, 1788264000, NULL, NULL,
   '2026-09-01 12:00:00+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0);
CREATE TABLE empty (\"at\" timestamptz);
".to_owned()
}

fn typed_cases() -> Vec<(Target, Reading)> {
    let of = |field| target("typed", field);
    let at = Reading::At(NOON);
    vec![
        (of("at"), at.clone()),
        (of("AT"), at.clone()),
        (
            of("local"),
            Reading::NoZone("2026-09-01 14:00:00".to_owned()),
        ),
        (berlin(of("local")), at.clone()),
        (of("day"), Reading::NoZone("2026-09-01 00:00:00".to_owned())),
        (berlin(of("day")), Reading::At(NOON - 14 * 3_600)),
        (of("seconds"), at.clone()),
        (of("millis"), at.clone()),
        (of("micros"), at.clone()),
        (of("nanos"), at.clone()),
        (of("small"), at.clone()),
        (of("mixed"), at.clone()),
        (of("decimal_at"), at.clone()),
        (of("float_at"), at.clone()),
        (of("ever"), unreadable("infinity")),
        (of("never"), unreadable("-infinity")),
        (of("ever_day"), unreadable("infinity")),
        (of("later"), Reading::At(1_924_992_000)),
        (of("select"), at),
        (of("nothing"), Reading::AllNull),
        (of("zero"), unreadable("0")),
        (of("id"), unreadable("2")),
        (of("gone"), Reading::NoColumn),
        (target("empty", "at"), Reading::NoRows),
        (target("empty", "gone"), Reading::NoColumn),
    ]
}

#[test]
fn every_type_is_read_for_what_it_says_in_postgresql() {
    let server = postgres();
    let database = server.database("typed", &typed());
    let mut session = Session::open(&address(&server.url(database)), LIMITS).unwrap();
    for (target, expected) in typed_cases() {
        check(&mut session, &target, &expected);
    }
    check(
        &mut session,
        &target("typed", "flag"),
        &Reading::NotTimes("bool".to_owned()),
    );
    check(&mut session, &target("typed", "odd"), &unreadable("NaN"));
}

#[test]
fn every_type_is_read_for_what_it_says_in_duckdb() {
    let house = House::empty();
    let file = house.path("typed.duckdb");
    duckdb::run(&file, &typed());
    let library = Some(duckdb::library());
    let mut session = Session::open(&Address::Duckdb { file, library }, LIMITS).unwrap();
    for (target, expected) in typed_cases() {
        check(&mut session, &target, &expected);
    }
    check(
        &mut session,
        &target("typed", "flag"),
        &Reading::NotTimes("boolean".to_owned()),
    );
    check(&mut session, &target("typed", "odd"), &unreadable("nan"));
}

fn address(url: &str) -> Address {
    Address::Postgres {
        config: Box::new(url.parse().unwrap()),
        authority: None,
        secret_in: None,
    }
}
