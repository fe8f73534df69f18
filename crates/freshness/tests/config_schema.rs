//! Does the JSON Schema of `freshness.yaml` refuse what `config check` refuses?

mod house;

use std::fs;

use house::House;
use regex::Regex;
use serde_json::Value;

/// Does a value hold to a schema, by those words of JSON Schema that ours uses? Another
/// word fails the test, so that none is passed over.
fn holds(schema: &Value, value: &Value, root: &Value) -> bool {
    let Some(words) = schema.as_object() else {
        return schema != &Value::Bool(false);
    };
    let all = |of: &Value| {
        let of = of.as_array().unwrap().iter();
        of.map(|one| holds(one, value, root)).collect::<Vec<_>>()
    };
    let has = |name: &Value| value.get(name.as_str().unwrap()).is_some();
    let number = |of: &Value| of.as_f64().unwrap();
    words.iter().all(|(word, said)| match word.as_str() {
        "title" | "version" | "description" | "default" | "$schema" | "$defs" | "format" => true,
        "$ref" => {
            let name = said.as_str().unwrap().rsplit('/').next().unwrap();
            holds(&root["$defs"][name], value, root)
        }
        "type" => {
            let is = |kind: &Value| match kind.as_str().unwrap() {
                "null" => value.is_null(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_i64() || value.is_u64(),
                "number" => value.is_number(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                kind => panic!("{kind}"),
            };
            said.as_array()
                .map_or_else(|| is(said), |kinds| kinds.iter().any(is))
        }
        "enum" => said.as_array().unwrap().contains(value),
        "const" => said == value,
        "pattern" => {
            let found = |text: &str| Regex::new(said.as_str().unwrap()).unwrap().is_match(text);
            value.as_str().is_none_or(found)
        }
        "minLength" => value
            .as_str()
            .is_none_or(|it| it.len() as f64 >= number(said)),
        "maxLength" => value
            .as_str()
            .is_none_or(|it| it.len() as f64 <= number(said)),
        "minItems" => value
            .as_array()
            .is_none_or(|it| it.len() as f64 >= number(said)),
        "minimum" => value.as_f64().is_none_or(|it| it >= number(said)),
        "maximum" => value.as_f64().is_none_or(|it| it <= number(said)),
        "exclusiveMinimum" => value.as_f64().is_none_or(|it| it > number(said)),
        "exclusiveMaximum" => value.as_f64().is_none_or(|it| it < number(said)),
        "required" => !value.is_object() || said.as_array().unwrap().iter().all(has),
        "dependentRequired" => said.as_object().unwrap().iter().all(|(key, needed)| {
            value.get(key).is_none() || needed.as_array().unwrap().iter().all(has)
        }),
        "properties" => said
            .as_object()
            .unwrap()
            .iter()
            .all(|(key, of)| value.get(key).is_none_or(|value| holds(of, value, root))),
        "additionalProperties" => value.as_object().is_none_or(|keys| {
            let mut others = keys
                .iter()
                .filter(|(key, _)| schema["properties"].get(key).is_none());
            others.all(|(_, value)| holds(said, value, root))
        }),
        "items" => value
            .as_array()
            .is_none_or(|it| it.iter().all(|one| holds(said, one, root))),
        "anyOf" => all(said).contains(&true),
        "oneOf" => all(said).into_iter().filter(|it| *it).count() == 1,
        "not" => !holds(said, value, root),
        "if" => {
            let then = if holds(said, value, root) {
                "then"
            } else {
                "else"
            };
            schema.get(then).is_none_or(|then| holds(then, value, root))
        }
        "then" | "else" => true,
        word => panic!("the schema says {word}: {said}"),
    })
}

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
