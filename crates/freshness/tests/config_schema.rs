//! Does the JSON Schema of `freshness.yaml` refuse what `config check` refuses?

mod house;

use std::fs;

use house::House;
use house::json_schema::holds;
use serde_json::Value;

/// The schema and `config check` both say so.
#[track_caller]
fn check_both(cases: &[&str], is_sound: bool) {
    let house = House::empty();
    let schema: Value = serde_json::from_str(&house.run("config schema").expect(0).stdout).unwrap();
    for text in cases {
        fs::write(house.path("freshness.yaml"), text).unwrap();
        let checked = house.run("config check");
        assert_eq!(checked.code == Some(0), is_sound, "{text}: {checked:?}");
        let value: Value = serde_saphyr::from_str(text).unwrap();
        assert_eq!(
            holds(&schema, &value, &schema),
            is_sound,
            "the schema: {text}"
        );
    }
}

#[test]
fn what_the_reader_refuses_the_schema_refuses() {
    check_both(
        &[
            "lock_timeout: forever",
            "check: {max_model_age: 0h}",
            "check: {max_model_age: soon}",
            "check: {strict: perhaps}",
            "threads: 0",
            "threads: many",
            "format: xml",
            "nonsense: 1",
            "fit: {false_alarm_rate: 3}",
            "fit: {false_alarm_rate: 0}",
            "fit: {false_alarms_per_dataset_month: 101}",
            "fit: {seed: -1}",
            "connections: {w: {postgres: {}}}",
            "connections: {w: {postgres: {host: a}}}",
            "connections: {w: {postgres: {url_env: A, url_file: b}}}",
            "connections: {w: {postgres: {host: a, user: b, port: 0}}}",
            "connections: {w: {oracle: {path: a}}}",
            "connections: {w: {duckdb: {}}}",
            "connections: {w: {sqlite: {path: a}}}\nsources: {a: {query: {connection: w}}}",
            "connections: {w: {sqlite: {path: a}}}\nsources: {a: {query: {connection: w, sql: select 1, sql_file: b}}}",
            "connections: {w: {sqlite: {path: a}}}\nsources: {a: {query: {connection: w, sql: select 1, timeout: 0s}}}",
            "sources: {a: {query: {sql: select 1}}}",
            "sources: {a: {dbt: {targets: []}}}",
            "sources: {a: {arrivals: {files: []}}}",
            "sources: {a: {openlineage: {files: []}}}",
            "sources: {a: {delta: {tables: []}}}",
            "sources: {a: {files: {glob: '*.csv'}}}",
            "sources: {a: {}}",
            "sources: {a: {dbt: {targets: [.]}, arrivals: {files: [a.csv]}}}",
            "datasets: [{critical: true}]",
            "datasets: [{match: []}]",
            "datasets: [{match: a, critical: maybe}]",
            "datasets: [{match: a, false_alarm_rate: 0.1, false_alarms_per_dataset_month: 1}]",
            "teams: {a: {false_alarm_rate: 2}}",
            "teams: {a: {routes: [nowhere]}}",
            "teams: {a: {routes: ['slack:']}}",
            "rename: [{from: a}]",
            "maintenance: [{from: 2026-12-05T20:00:00Z, to: 2026-12-06T04:00:00Z, reason: x}]",
            "maintenance: [{match: a, from: 2026-12-05T20:00:00Z, to: 2026-12-06T04:00:00Z}]",
            "maintenance: [{match: a, from: 2026-12-05T20:00:00Z, to: 2026-12-06T04:00:00Z, reason: ''}]",
            "maintenance: [{match: a, from: '22:00', to: '23:00', reason: x}]",
            "maintenance: [{match: a, weekdays: Sun, from: '22:00', to: '23:00', reason: x}]",
            "maintenance: [{match: a, weekdays: Sun, timezone: UTC, from: soon, to: '23:00', reason: x}]",
            "schedule: {fit: sometimes}",
            "schedule: {check: '* * * *'}",
            "schedule: {check: 0s}",
        ],
        false,
    );
}

#[test]
fn what_the_reader_takes_the_schema_takes() {
    check_both(
        &[
            "{}",
            "lock_timeout: 0s",
            "check: {max_model_age: 1d 12h, strict: true}",
            "check: {max_model_age: PT36H}",
            "threads: 4\nformat: json\ncolor: never",
            "fit: {false_alarm_rate: 0.01, seed: 7}",
            "fit: {false_alarms_per_dataset_month: 100}",
            "connections: {w: {sqlite: {path: a}}}\nsources: {a: {query: {connection: w, sql: select 1, since: 10d, timeout: 5s, assume_zone: UTC}}}",
            "sources: {a: {dbt: {targets: [.]}}, b: {files: {glob: '*.csv', dataset: x, unchanged_for: 0s}}}",
            "datasets: [{match: a}, {match: [a, 'b*'], critical: true, calendar: business days US, tags: [x], false_alarm_rate: 0.1}]",
            "datasets: [{match: a, team: b}]\nteams: {b: {owner: ann, routes: ['slack:#a', 'env:HOOK']}}",
            "rename: [{from: '^a(.*)$', to: 'b$1'}]",
            "maintenance: [{match: '*', from: 2026-12-05T20:00:00Z, to: 2026-12-06T04:00:00+01:00, reason: x}]",
            "maintenance: [{tag: a, weekdays: 'Sat, Sun', timezone: Europe/Berlin, from: '22:00', to: '24:00', reason: x}]",
            "schedule: {timezone: Europe/Berlin, collect: 15m, fit: '30 6 * * mon-fri', check: '@hourly', report: never, report_out: site}",
        ],
        true,
    );
}
