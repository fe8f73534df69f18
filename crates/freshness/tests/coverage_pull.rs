//! Does a store that pulls say what the printed SQL says where it pulls from?
//!
//! The differential test makes a thousand contracts and random ledgers with
//! every kind of fault. Times lie at limits, a second before and a second
//! after, and have fractions.

mod house;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use house::postgres::{Row, postgres};
use house::{House, Ran, duckdb};
use jiff::Timestamp;
use serde_json::Value;

/// 2026-02-28T12:00:00Z, [`house::NOW`].
const NOW: i64 = 1_772_280_000;

const N_CONTRACTS: u64 = 1_000;

/// A house with a connection to each database.
fn connected() -> House {
    let house = House::empty();
    fs::write(
        house.path("freshness.yaml"),
        "connections:
  warehouse: {postgres: {url_env: FRESHNESS_TEST_URL}}
  lake: {duckdb: {path: lake.duckdb}}
",
    )
    .unwrap();
    house
}

fn run(house: &House, database: &str, line: &str) -> Ran {
    let mut command = house.command(line);
    command
        .env("FRESHNESS_TEST_URL", postgres().url(database))
        .env("FRESHNESS_DUCKDB_LIBRARY", duckdb::library());
    Ran::from(command.output().unwrap())
}

/// The printed tables, with nothing that would refuse a row.
fn loose_tables(house: &House, dialect: &str) -> String {
    let line = format!("coverage sql --dialect {dialect} --what ddl");
    let ddl = house.run(&line).expect(0).stdout.replace(" NOT NULL", "");
    let lines = ddl.lines().filter(|line| !line.contains("PRIMARY KEY"));
    let mut script = String::new();
    for line in lines.map(str::trim_end) {
        // What was the last column but for the key ends with a comma.
        if line == ");" && script.trim_end().ends_with(',') {
            script.truncate(script.trim_end().len() - 1);
            script.push('\n');
        }
        writeln!(script, "{line}").unwrap();
    }
    script
}

/// `source|scope|status` of each row that the printed check answers.
fn checked(house: &House, dialect: &str, run: impl Fn(&str) -> Vec<Row>) -> Vec<String> {
    let line = format!("coverage sql --dialect {dialect} --what check");
    let check = house.run(&line).expect(0).stdout;
    let rows = run(&format!(
        "SELECT coalesce(source, ''), coalesce(scope, ''), status FROM (\n{check}\n) checked"
    ));
    let text = |row: Row| {
        row.into_iter()
            .map(Option::unwrap)
            .collect::<Vec<_>>()
            .join("|")
    };
    let mut lines: Vec<String> = rows.into_iter().map(text).collect();
    lines.sort();
    lines
}

/// The same of `coverage check`.
fn checked_by_program(house: &House, store: &str) -> Vec<String> {
    let ran = house.run(&format!("coverage check --format json --store {store}"));
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut lines: Vec<String> = said["scopes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|scope| {
            ["source", "scope", "condition"]
                .map(|key| scope[key].as_str().unwrap())
                .join("|")
        })
        .collect();
    lines.sort();
    lines
}

/// SplitMix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Rows of both tables, as values of an `INSERT`.
#[derive(Default)]
struct Tables {
    contracts: Vec<String>,
    ledger: Vec<String>,
}

fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn number(n: Option<i64>) -> String {
    n.map_or_else(|| "NULL".to_owned(), |n| n.to_string())
}

impl Tables {
    fn generated(seed: u64) -> Tables {
        let mut random = Random(seed);
        let mut tables = Tables::default();
        while (tables.contracts.len() as u64) < N_CONTRACTS {
            tables.add(&mut random);
        }
        tables.contracts.truncate(N_CONTRACTS as usize);
        tables
    }

    /// A scope, its contract or contracts, its ledger.
    fn add(&mut self, random: &mut Random) {
        let n = self.contracts.len();
        let source = format!("source {}", n % 7);
        let mut scope = format!("é{n}");
        let mut lag = Some(random.of(&[1, 60, 120, 1_440]));
        let mut gap = Some(random.of(&[1, 60, 120, 1_440]));
        let mut skew = random.of(&[None, None, Some(0), Some(1), Some(120)]);
        let (lag_minutes, gap_minutes) = (lag.unwrap(), gap.unwrap());
        let skew_minutes = skew.unwrap_or(0);
        let (mut dataset, mut calendar) = ("NULL".to_owned(), "NULL".to_owned());
        let mut copies = 1;
        if random.one_in(7) {
            match random.below(9) {
                0 => lag = random.of(&[None, Some(0), Some(-3), Some(i64::MAX), Some(52_704_001)]),
                1 => gap = random.of(&[None, Some(0), Some(i64::MIN), Some(52_704_001)]),
                2 => skew = random.of(&[Some(-1), Some(52_704_001), Some(i64::MAX)]),
                3 => {
                    scope = random
                        .of(&["", " ", "\t", "a\nb", " padded", "padded "])
                        .to_owned();
                }
                4 => scope = format!("{n}{}", "é".repeat(119)),
                5 => dataset = text(random.of(&["", " padded", "a\u{7f}b"])),
                6 => calendar = text(random.of(&["", " "])),
                _ => copies = 2,
            }
        } else if random.one_in(3) {
            dataset = text("raw_orders");
        }
        for copy in 0..copies {
            // Two that say the same are two all the same.
            let gap = gap.map(|gap| gap.saturating_add(copy * i64::from(n.is_multiple_of(2))));
            self.contracts.push(format!(
                "({}, {}, {}, {}, {dataset}, {calendar}, {})",
                text(&source),
                text(&scope),
                number(lag),
                number(gap),
                number(skew),
            ));
        }
        let limits = [lag_minutes * 60, gap_minutes * 60, -skew_minutes * 60];
        let n_releases = match random.one_in(7) {
            true => 0,
            false => 1 + random.below(6),
        };
        let mut through = NOW - 4 * 86_400;
        let mut seq = 0;
        for release in 0..n_releases {
            through = match random.below(6) {
                // The same again, or what was covered before.
                0 => through,
                1 => through - 3_600,
                // At a limit.
                2 | 3 => NOW - limits[0] + random.below(3) as i64 - 1,
                _ => through + random.below((NOW - through).max(1) as u64) as i64,
            };
            let published = match random.below(8) {
                0 => through - 1,
                1 => NOW - limits[1] + random.below(3) as i64 - 1,
                2 => NOW - limits[2] + random.below(3) as i64 - 1,
                _ => through + random.below(600) as i64,
            };
            seq += 1;
            self.release(
                random,
                [&source, &scope],
                (seq, release),
                (through, published),
            );
        }
    }

    fn release(
        &mut self,
        random: &mut Random,
        [source, scope]: [&str; 2],
        (seq, release): (i64, u64),
        (through, published): (i64, i64),
    ) {
        let time = |random: &mut Random, at: i64| {
            let micros = at * 1_000_000 + random.of(&[0, 0, 1, 500_000, 999_999]);
            text(&Timestamp::from_microsecond(micros).unwrap().to_string())
        };
        let mut cells = [
            text(source),
            text(scope),
            seq.to_string(),
            text(&format!("run {release}")),
            time(random, through),
            time(random, published),
            number(random.of(&[None, Some(0), Some(12)])),
        ];
        if random.one_in(12) {
            let (place, value) = random.of(&[
                (2, "NULL"),
                (2, "0"),
                (2, "-4"),
                (2, "1"),
                (3, "NULL"),
                (3, "''"),
                (3, "'  '"),
                (4, "NULL"),
                (4, "'infinity'"),
                (4, "'1970-01-02T00:00:00Z'"),
                (5, "NULL"),
                (5, "'-infinity'"),
                (5, "'9999-12-31T00:00:00Z'"),
                (6, "-1"),
            ]);
            value.clone_into(&mut cells[place]);
        }
        self.ledger.push(format!("({})", cells.join(", ")));
    }

    fn script(&self) -> String {
        format!(
            "INSERT INTO coverage_contracts (source, scope, max_source_lag_minutes,
               max_publication_gap_minutes, dataset, calendar, skew_tolerance_minutes) VALUES\n{};\n\
             INSERT INTO coverage_ledger (source, scope, publication_seq, run_id,
               source_complete_through, published_at, row_count) VALUES\n{};\n",
            self.contracts.join(",\n"),
            self.ledger.join(",\n"),
        )
    }
}

#[test]
fn a_thousand_contracts_have_one_status_in_the_program_and_in_both_databases() {
    for seed in [1, 2] {
        let house = connected();
        let tables = Tables::generated(seed);
        let name = format!("thousand_{seed}");
        let database = postgres().database(&name, &loose_tables(&house, "postgres"));
        let lake = house.path("lake.duckdb");
        duckdb::run(&lake, &loose_tables(&house, "duckdb"));
        postgres().run(database, &tables.script());
        duckdb::run(&lake, &tables.script());

        let in_postgres = checked(&house, "postgres", |sql| postgres().run(database, sql));
        let in_duckdb = checked(&house, "duckdb", |sql| duckdb::run(&lake, sql));
        run(
            &house,
            database,
            "coverage pull --connection warehouse --store w.db",
        )
        .expect(1);
        run(
            &house,
            database,
            "coverage pull --connection lake --store l.db",
        )
        .expect(1);
        let pulled_from_postgres = checked_by_program(&house, "w.db");
        let pulled_from_duckdb = checked_by_program(&house, "l.db");

        assert_eq!(in_postgres.len() as u64, N_CONTRACTS);
        assert_same(&in_postgres, &in_duckdb);
        assert_same(&in_postgres, &pulled_from_postgres);
        assert_same(&in_postgres, &pulled_from_duckdb);
        let mut n_of: BTreeMap<&str, u64> = BTreeMap::new();
        for line in &in_postgres {
            *n_of.entry(line.rsplit('|').next().unwrap()).or_default() += 1;
        }
        assert_eq!(n_of.len(), 7, "{n_of:?}");
        assert!(n_of.values().all(|n| *n >= 20), "{n_of:?}");
    }
}

/// Says only what differs: a thousand lines twice are not read.
#[track_caller]
fn assert_same(left: &[String], right: &[String]) {
    let differ: Vec<_> = left
        .iter()
        .zip(right)
        .filter(|(a, b)| a != b)
        .take(5)
        .collect();
    assert!(differ.is_empty() && left.len() == right.len(), "{differ:?}");
}

/// A small ledger in both databases; the house and the name in PostgreSQL.
fn small<'a>(name: &'a str, rows: &str) -> (House, &'a str) {
    let house = connected();
    let script = format!(
        "INSERT INTO coverage_contracts (source, scope, max_source_lag_minutes, max_publication_gap_minutes)
           VALUES ('orders', 'DE', 120, 60), ('orders', 'FR', 120, 60);\n\
         INSERT INTO coverage_ledger (source, scope, publication_seq, run_id, source_complete_through, published_at)
           VALUES {rows};\n"
    );
    let database = postgres().database(name, &loose_tables(&house, "postgres"));
    postgres().run(database, &script);
    let lake = house.path("lake.duckdb");
    duckdb::run(&lake, &loose_tables(&house, "duckdb"));
    duckdb::run(&lake, &script);
    (house, database)
}

const DE: &str = "('orders', 'DE', 1, 'd1', '2026-02-28 11:00:00+00', '2026-02-28 11:05:00+00')";
const FR: &str = "('orders', 'FR', 1, 'f1', '2026-02-28 11:00:00+00', '2026-02-28 11:05:00+00')";
/// Complete after it was published.
const WRONG: &str = "('orders', 'FR', 2, 'f2', '2026-02-28 11:40:00+00', '2026-02-28 11:35:00+00')";

#[test]
fn pulling_again_changes_nothing_and_says_no_more() {
    let (house, database) = small("again", &[DE, FR, WRONG].join(", "));
    for connection in ["warehouse", "lake"] {
        let pull = format!(
            "coverage pull --connection {connection} --format json --store {connection}.db"
        );
        let log = format!("coverage log --format ndjson --store {connection}.db");
        let said = |ran: Ran| -> Value { serde_json::from_str(&ran.stdout).unwrap() };
        let first = said(run(&house, database, &pull).expect(1));
        assert_eq!(
            (&first["n_accepted"], &first["n_refused"]),
            (&Value::from(2), &Value::from(1))
        );
        assert_eq!(first["refused"][0]["reason"], "clock_order");
        let logged = house.run(&log).stdout;
        assert_eq!(logged.lines().count(), 3, "{logged}");
        assert!(logged.contains("\"reason\":\"clock_order\""), "{logged}");
        let again = said(run(&house, database, &pull).expect(1));
        assert_eq!(
            (&again["n_accepted"], &again["n_repeated"]),
            (&Value::from(0), &Value::from(2))
        );
        assert_eq!(again["imports"][0]["unchanged"], 2);
        assert_eq!(house.run(&log).stdout, logged);
        let store = format!("{connection}.db");
        assert_eq!(
            checked_by_program(&house, &store),
            ["orders|DE|healthy", "orders|FR|invalid_clock_order"]
        );
    }
}

#[test]
fn a_scope_is_healthy_again_when_its_ledger_is_mended() {
    let (house, database) = small("mended", &[DE, FR, WRONG].join(", "));
    let pull = "coverage pull --connection warehouse --store w.db";
    run(&house, database, pull).expect(1);
    postgres().run(
        database,
        "UPDATE coverage_ledger SET published_at = '2026-02-28 11:45:00+00' WHERE run_id = 'f2'",
    );
    run(&house, database, pull).expect(0);
    assert_eq!(
        checked_by_program(&house, "w.db"),
        ["orders|DE|healthy", "orders|FR|healthy"]
    );
    // A release that is told to the store itself follows those that were pulled.
    let told = house
        .run(
            "coverage publish --store w.db --source orders --scope FR --run-id f3 --complete-through \
             2026-02-28T11:50:00Z --published-at 2026-02-28T11:55:00Z --expect-seq 3",
        )
        .expect(0);
    assert!(told.stdout.contains("(sequence 3)"), "{told:?}");
}

#[test]
fn a_refused_newest_release_does_not_stop_the_next_one() {
    let (house, database) = small(
        "next",
        &[DE, FR, "('orders', 'FR', NULL, NULL, NULL, NULL)"].join(", "),
    );
    let pull = "coverage pull --connection warehouse --store w.db";
    run(&house, database, pull).expect(1);
    let check = checked_by_program(&house, "w.db");
    assert_eq!(check[1], "orders|FR|invalid_publication");
    postgres().run(
        database,
        "DELETE FROM coverage_ledger WHERE publication_seq IS NULL;
         INSERT INTO coverage_ledger (source, scope, publication_seq, run_id, source_complete_through, published_at)
           VALUES ('orders', 'FR', 2, 'f2', '2026-02-28 11:40:00+00', '2026-02-28 11:45:00+00')",
    );
    run(&house, database, pull).expect(0);
    let check = checked_by_program(&house, "w.db");
    assert_eq!(check[1], "orders|FR|healthy");
}

#[test]
fn what_cannot_be_pulled_is_said_and_nothing_is_stored() {
    let (house, database) = small("trouble", DE);
    let ran = run(&house, database, "coverage pull --connection warehous").expect(2);
    assert_eq!(
        ran.stderr,
        "error: no such connection: warehous\n\nhint: did you mean `warehouse`?\n"
    );
    let ran = run(
        &house,
        database,
        "coverage pull --connection warehouse --ledger nowhere",
    )
    .expect(2);
    assert_eq!(ran.stderr, "error: no table: nowhere\n");
    let ran = run(
        &house,
        database,
        "coverage pull --connection lake --ledger coverage_contracts",
    )
    .expect(2);
    assert_eq!(
        ran.stderr,
        "error: the query failed: no column publication_seq in coverage_contracts\n"
    );
    postgres().run(database, "DELETE FROM coverage_contracts");
    let ran = run(&house, database, "coverage pull --connection warehouse").expect(2);
    assert!(
        ran.stderr
            .starts_with("error: no contracts in the table: coverage_contracts\n"),
        "{ran:?}"
    );
    assert!(!house.path(".freshness").exists());
}
