//! Does the SQL for a warehouse say what the program says?
//!
//! What can be run is run, in a real PostgreSQL and a real DuckDB; the other
//! dialects are parsed by parsers that are not ours, and held against the
//! statement that was run.

mod house;

use std::fs;
use std::path::PathBuf;

use house::postgres::{Row, postgres};
use house::sqlglot::structures;
use house::{House, duckdb};
use serde_json::{Value, json};

const DIALECTS: [&str; 8] = [
    "bigquery",
    "snowflake",
    "databricks",
    "redshift",
    "postgres",
    "duckdb",
    "tsql",
    "clickhouse",
];

/// A database in which statements are run.
enum Database {
    Postgres(String),
    Duckdb(PathBuf),
}

impl Database {
    /// One of each kind, with the tables that are printed for it.
    fn both(house: &House, name: &str) -> [Database; 2] {
        let databases = [
            Database::Postgres(postgres().database(name, "").to_owned()),
            Database::Duckdb(house.path(&format!("{name}.duckdb"))),
        ];
        for database in &databases {
            database.run(&sql(house, database.dialect(), "ddl"));
        }
        databases
    }

    fn dialect(&self) -> &'static str {
        match self {
            Database::Postgres(_) => "postgres",
            Database::Duckdb(_) => "duckdb",
        }
    }

    #[track_caller]
    fn run(&self, script: &str) -> Vec<Row> {
        match self {
            Database::Postgres(name) => postgres().run(name, script),
            Database::Duckdb(file) => duckdb::run(file, script),
        }
    }

    /// Runs the printed insert with these values, then asks why; the answer.
    #[track_caller]
    fn publish(&self, house: &House, values: &Release<'_>) -> String {
        let printed = sql(house, self.dialect(), "publish");
        let (insert, why) = printed.split_once(";\n").unwrap();
        let why = why.trim_end().trim_end_matches(';');
        let values = values.literals();
        let given: Vec<String> = match self {
            Database::Postgres(_) => values.map(|(_, value)| value).to_vec(),
            Database::Duckdb(_) => values
                .map(|(name, value)| format!("{name} := {value}"))
                .to_vec(),
        };
        let given = given.join(", ");
        let before = self.n_releases();
        let answers = self.run(&format!(
            "PREPARE why AS {why};\nEXECUTE why({given});\n\
             PREPARE publish AS {insert};\nEXECUTE publish({given});\n"
        ));
        let ruling = answers[0][0].clone().unwrap();
        let is_new = u64::from(ruling == "accepted");
        assert_eq!(self.n_releases(), before + is_new, "{ruling}");
        ruling
    }

    fn n_releases(&self) -> u64 {
        let rows = self.run("SELECT CAST(count(*) AS VARCHAR) FROM coverage_ledger");
        rows[0][0].as_deref().unwrap().parse().unwrap()
    }

    /// `scope status` of each contract that the printed check shows.
    #[track_caller]
    fn check(&self, house: &House, flags: &str) -> Vec<String> {
        let check = sql(house, self.dialect(), &format!("check {flags}"));
        let mut lines: Vec<String> = self
            .run(&format!("SELECT scope, status FROM (\n{check}\n) checked"))
            .into_iter()
            .map(|row| {
                format!(
                    "{} {}",
                    row[0].as_deref().unwrap_or("-"),
                    row[1].as_ref().unwrap()
                )
            })
            .collect();
        lines.sort();
        lines
    }
}

/// What a writer gives.
#[derive(Clone, Copy, Default)]
struct Release<'a> {
    scope: &'a str,
    run_id: &'a str,
    through: &'a str,
    published: &'a str,
    rows: Option<i64>,
    reason: Option<&'a str>,
    expect: Option<i64>,
}

impl Release<'_> {
    fn literals(&self) -> [(&'static str, String); 9] {
        let text = |text: &str| match text {
            "" => "NULL".to_owned(),
            text => format!("'{}'", text.replace('\'', "''")),
        };
        let number = |n: Option<i64>| n.map_or_else(|| "NULL".to_owned(), |n| n.to_string());
        [
            ("source", "'orders'".to_owned()),
            ("scope", text(self.scope)),
            ("run_id", text(self.run_id)),
            ("source_complete_through", text(self.through)),
            ("published_at", text(self.published)),
            ("source_position", "NULL".to_owned()),
            ("row_count", number(self.rows)),
            ("regression_reason", text(self.reason.unwrap_or_default())),
            ("expect_seq", number(self.expect)),
        ]
    }

    /// The same as a command.
    fn command(&self) -> String {
        let mut command = format!("coverage publish --source orders --scope {}", self.scope);
        let rows = self.rows.map(|n| n.to_string()).unwrap_or_default();
        let expect = self.expect.map(|n| n.to_string()).unwrap_or_default();
        for (flag, value) in [
            ("--run-id", self.run_id),
            ("--complete-through", self.through),
            ("--published-at", self.published),
            ("--rows", &rows),
            ("--allow-regression", self.reason.unwrap_or_default()),
            ("--expect-seq", &expect),
        ] {
            if !value.is_empty() {
                command += &format!(" {flag} {value}");
            }
        }
        command
    }
}

/// What `coverage sql` prints.
#[track_caller]
fn sql(house: &House, dialect: &str, what: &str) -> String {
    let line = format!("coverage sql --dialect {dialect} --what {what}");
    house.run(&line).expect(0).stdout
}

/// Contracts of these scopes in the store and in both databases: a lag of two
/// hours, a gap of one, a minute of tolerance.
fn contracts(house: &House, databases: &[Database], scopes: &[&str]) {
    let mut csv = String::from(
        "source,scope,max_source_lag_minutes,max_publication_gap_minutes,skew_tolerance_minutes\n",
    );
    for scope in scopes {
        csv += &format!("orders,{scope},120,60,1\n");
        let insert = format!(
            "INSERT INTO coverage_contracts
               (source, scope, max_source_lag_minutes, max_publication_gap_minutes, skew_tolerance_minutes)
             VALUES ('orders', '{scope}', 120, 60, 1)"
        );
        databases
            .iter()
            .for_each(|database| drop(database.run(&insert)));
    }
    fs::write(house.path("contracts.csv"), csv).unwrap();
    house
        .run("coverage contracts import contracts.csv")
        .expect(0);
}

/// The reason of the program for the same release, or that it was accepted.
fn ruling_of_program(house: &House, release: &Release<'_>) -> String {
    let ran = house.run(&format!("{} --format json", release.command()));
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    let word = said["reason"]
        .as_str()
        .unwrap_or_else(|| said["outcome"].as_str().unwrap());
    word.to_owned()
}

/// `scope condition` of each contract of the store.
fn check_of_program(house: &House) -> Vec<String> {
    let ran = house.run("coverage check --format json");
    let said: Value = serde_json::from_str(&ran.stdout).unwrap();
    let scopes = said["scopes"].as_array().unwrap().iter();
    let mut lines: Vec<String> = scopes
        .map(|scope| {
            let word = |key: &str| scope[key].as_str().unwrap();
            format!("{} {}", word("scope"), word("condition"))
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn the_five_situations_have_one_status_in_the_program_and_in_both_databases() {
    let house = House::empty();
    let databases = Database::both(&house, "situations");
    let scopes = ["empty", "failed", "invalid", "missing", "republished"];
    contracts(&house, &databases, &scopes);
    let release = |scope, run_id, through, published| Release {
        scope,
        run_id,
        through,
        published,
        ..Release::default()
    };
    let yesterday = "2026-02-27T06:00:00Z";
    let releases = [
        // An interval in which nothing happened.
        Release {
            rows: Some(0),
            ..release(
                "empty",
                "e1",
                "2026-02-28T11:30:00Z",
                "2026-02-28T11:35:00Z",
            )
        },
        // Yesterday's data, and the same again just now.
        release("republished", "r1", yesterday, "2026-02-27T06:05:00Z"),
        release("republished", "r2", yesterday, "2026-02-28T11:59:00Z"),
        // The last one that came through; the next failed and says nothing.
        release(
            "failed",
            "f1",
            "2026-02-28T10:30:00Z",
            "2026-02-28T10:35:00Z",
        ),
    ];
    // Complete after it was published; and from tomorrow.
    let invalid = [
        (
            release(
                "invalid",
                "i1",
                "2026-02-28T11:30:00Z",
                "2026-02-28T11:20:00Z",
            ),
            "clock_order",
        ),
        (
            release(
                "invalid",
                "i2",
                "2026-02-28T11:30:00Z",
                "2026-03-01T12:00:00Z",
            ),
            "future",
        ),
    ];
    let told = releases.iter().map(|release| (release, "accepted"));
    for (release, ruling) in told.chain(invalid.iter().map(|(release, why)| (release, *why))) {
        assert_eq!(ruling_of_program(&house, release), ruling);
        for database in &databases {
            assert_eq!(database.publish(&house, release), ruling);
        }
    }
    let expected = [
        "empty healthy",
        "failed publication_gap",
        "invalid missing_publication",
        "missing missing_publication",
        "republished source_stale",
    ];
    assert_eq!(check_of_program(&house), expected);
    for database in &databases {
        assert_eq!(database.check(&house, ""), expected);
        assert_eq!(database.check(&house, "--only-unhealthy"), expected[1..]);
    }
    // A ledger that somebody writes without asking holds the invalid time.
    for database in &databases {
        database.run(
            "INSERT INTO coverage_ledger (source, scope, publication_seq, run_id, source_complete_through, published_at)
             VALUES ('orders', 'invalid', 1, 'i1', '2026-02-28 11:30:00+00', '2026-02-28 11:20:00+00')",
        );
        assert!(
            database
                .check(&house, "")
                .contains(&"invalid invalid_clock_order".to_owned())
        );
    }
}

#[test]
fn the_printed_insert_refuses_what_the_program_refuses() {
    let house = House::empty();
    let databases = Database::both(&house, "writers");
    contracts(&house, &databases, &["FR"]);
    let first = Release {
        scope: "FR",
        run_id: "r1",
        through: "2026-02-28T10:00:00Z",
        published: "2026-02-28T10:05:00Z",
        rows: Some(7),
        ..Release::default()
    };
    let second = Release {
        run_id: "r2",
        through: "2026-02-28T11:00:00Z",
        published: "2026-02-28T11:05:00Z",
        ..first
    };
    let cases = [
        (
            Release {
                scope: "IT",
                ..first
            },
            "unknown_scope",
        ),
        (
            Release {
                run_id: " ",
                ..first
            },
            "missing_field",
        ),
        (
            Release {
                published: "",
                ..first
            },
            "missing_field",
        ),
        (
            Release {
                through: "1980-01-01T00:00:00Z",
                ..first
            },
            "invalid_field",
        ),
        (
            Release {
                through: "2026-02-28T10:05:01Z",
                ..first
            },
            "clock_order",
        ),
        (
            Release {
                expect: Some(2),
                ..first
            },
            "skipped_sequence",
        ),
        (
            Release {
                published: "2026-02-28T12:01:01Z",
                ..first
            },
            "future",
        ),
        (first, "accepted"),
        (first, "repeated"),
        (
            Release {
                rows: Some(8),
                ..first
            },
            "run_reused",
        ),
        (
            Release {
                through: "2026-02-28T09:00:00Z",
                ..first
            },
            "run_reused",
        ),
        (
            Release {
                expect: Some(1),
                ..second
            },
            "reused_sequence",
        ),
        // A second of the tolerance is left.
        (
            Release {
                published: "2026-02-28T12:00:59Z",
                expect: Some(2),
                ..second
            },
            "accepted",
        ),
        (
            Release {
                run_id: "r3",
                ..first
            },
            "regression",
        ),
        (
            Release {
                run_id: "r3",
                reason: Some("taken-back"),
                ..first
            },
            "accepted",
        ),
        (
            Release {
                run_id: "r4",
                ..second
            },
            "accepted",
        ),
    ];
    for (release, ruling) in &cases {
        // A blank cannot be given on this command line.
        if release.run_id != " " {
            assert_eq!(ruling_of_program(&house, release), *ruling);
        }
        for database in &databases {
            assert_eq!(database.publish(&house, release), *ruling);
        }
    }
    let ledger = "SELECT CAST(publication_seq AS VARCHAR), run_id, regression_reason FROM coverage_ledger ORDER BY 1";
    for database in &databases {
        let rows: Vec<String> = database
            .run(ledger)
            .into_iter()
            .map(|row| {
                row.into_iter()
                    .map(Option::unwrap_or_default)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect();
        assert_eq!(rows, ["1 r1 ", "2 r2 ", "3 r3 taken-back", "4 r4 "]);
    }
}

#[test]
fn without_any_contract_nothing_is_healthy() {
    let house = House::empty();
    for database in Database::both(&house, "nothing") {
        assert_eq!(
            database.check(&house, "--only-unhealthy"),
            ["- invalid_contract"]
        );
    }
}

#[test]
fn the_statements_of_all_dialects_are_built_alike() {
    let house = House::empty();
    let mut asked = Vec::new();
    for dialect in DIALECTS {
        for command in ["coverage sql", "coverage sql --only-unhealthy", "sql"] {
            let line = format!("{command} --dialect {dialect} --format json");
            let said: Value = serde_json::from_str(&house.run(&line).expect(0).stdout).unwrap();
            for statement in said["statements"].as_array().unwrap() {
                let what = format!("{command} {}", statement["what"].as_str().unwrap());
                asked.push(json!({"dialect": dialect, "what": what, "sql": statement["sql"]}));
            }
        }
    }
    let found = structures(&json!(asked));
    assert_eq!(found.len(), DIALECTS.len() * 8);
    for answer in &found {
        assert_eq!(answer.get("error"), None, "{answer}");
        let same = found
            .iter()
            .find(|other| other["dialect"] == "postgres" && other["what"] == answer["what"])
            .unwrap();
        assert_eq!(answer["statements"], same["statements"], "{answer}");
    }
    let check = found
        .iter()
        .find(|answer| answer["what"] == "coverage sql check")
        .unwrap();
    let check = &check["statements"][0];
    let statuses = [
        "invalid_contract",
        "missing_publication",
        "invalid_publication",
        "invalid_clock_order",
        "source_stale",
        "publication_gap",
        "healthy",
    ];
    assert!(
        check["cases"]
            .as_array()
            .unwrap()
            .contains(&json!(statuses)),
        "{check}"
    );
    assert!(check["joins"].as_array().unwrap().contains(&json!("LEFT")));
    assert_eq!(
        check["tables"],
        json!(["coverage_contracts", "coverage_ledger"])
    );
}

#[test]
fn what_was_learned_from_is_shown_by_the_databases_alike() {
    let house = House::empty();
    let databases = [
        Database::Postgres(postgres().database("learned", "").to_owned()),
        Database::Duckdb(house.path("learned.duckdb")),
    ];
    let print = |database: &Database, what: &str| {
        let line = format!("sql --dialect {} --what {what}", database.dialect());
        house.run(&line).expect(0).stdout
    };
    for database in &databases {
        database.run(
            "CREATE TABLE arrivals (dataset_id VARCHAR, arrived_at TIMESTAMPTZ);
             INSERT INTO arrivals VALUES
               ('orders', '2026-02-23 06:00:30+00'), ('orders', '2026-02-23 09:00:00+00'),
               ('orders', '2026-03-01 07:00:00+01'), ('orders', NULL);
             CREATE TABLE thresholds (dataset_id VARCHAR, weekday INTEGER, threshold_minutes INTEGER);
             INSERT INTO thresholds VALUES ('orders', NULL, 360), ('orders', 7, 360), ('silent', NULL, 60);\n",
        );
        let select = format!(
            "SELECT CAST(cycle AS VARCHAR), CAST(CAST(delay_minutes AS DOUBLE PRECISION) AS VARCHAR),
                    CAST(weekday AS VARCHAR), CAST(n_arrivals AS VARCHAR)
             FROM (\n{}\n) f ORDER BY 1",
            print(database, "features")
        );
        let rows: Vec<String> = database.run(&select).into_iter().map(joined).collect();
        assert_eq!(
            rows,
            ["2026-02-23 360.5 1 2", "2026-03-01 360 7 1"].map(|row| row.replace(
                " 360 ",
                match database {
                    Database::Postgres(_) => " 360 ",
                    Database::Duckdb(_) => " 360.0 ",
                }
            ))
        );
        let select = format!(
            "SELECT dataset_id, CAST(weekday AS VARCHAR), CAST(n_cycles AS VARCHAR), CAST(n_late AS VARCHAR),
                    CAST(CAST(100 * lateness_rate AS INTEGER) AS VARCHAR)
             FROM (\n{}\n) r ORDER BY 1, 3",
            print(database, "rates")
        );
        let rows: Vec<String> = database.run(&select).into_iter().map(joined).collect();
        assert_eq!(
            rows,
            ["orders 7 1 0 0", "orders - 2 1 50", "silent - 0 0 -"]
        );
    }
}

fn joined(row: Row) -> String {
    let cells = row
        .into_iter()
        .map(|cell| cell.unwrap_or_else(|| "-".to_owned()));
    cells.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_dialect_or_table_that_is_none_is_answered_with_what_is_right() {
    let house = House::empty();
    let ran = house.run("coverage sql --dialect oracle").expect(2);
    for dialect in DIALECTS {
        assert!(ran.stderr.contains(dialect), "{}", ran.stderr);
    }
    let ran = house
        .run("coverage sql --dialect postgres --ledger ledger;drop")
        .expect(2);
    assert_eq!(
        ran.stderr,
        "error: not the name of a table that can be written in postgres: ledger;drop\n\n\
         hint: such as sales.ledger; a part that is no plain name stands in double quotes: \"my-project\".sales.ledger\n"
    );
    assert_eq!(ran.stdout, "");
}

#[test]
fn every_command_of_the_page_prints() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/coverage-sql.md");
    let page = fs::read_to_string(page).unwrap();
    let house = House::empty();
    let calls = page
        .lines()
        .filter_map(|line| line.strip_prefix("freshness "));
    let mut n = 0;
    for call in calls {
        assert!(!house.run(call).expect(0).stdout.is_empty(), "{call}");
        n += 1;
    }
    assert!(n >= 6, "{n} calls");
}
