//! Do the examples of docs/slo.md work, and does the JSON Schema know them?

use std::fs;
use std::path::{Path, PathBuf};

use house::House;
use house::json_schema::holds;
use serde_json::Value;

mod house;

fn page() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::read_to_string(root.join("docs/slo.md")).unwrap()
}

/// The YAML examples, each with the path in its first line.
fn examples() -> Vec<(String, String)> {
    let page = page();
    let blocks = page.split("```yaml\n").skip(1);
    let examples: Vec<(String, String)> = blocks
        .map(|block| {
            let text = block.split("```").next().unwrap();
            let path = text.lines().next().unwrap().strip_prefix("# ").unwrap();
            (path.to_owned(), text.to_owned())
        })
        .collect();
    assert_eq!(examples.len(), 4);
    examples
}

fn schema(house: &House, level: bool) -> Value {
    let line = if level {
        "slo schema --level"
    } else {
        "slo schema"
    };
    serde_json::from_str(&house.run(line).expect(0).stdout).unwrap()
}

fn follows(value: &Value, schema: &Value) -> bool {
    holds(schema, value, schema)
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

#[test]
fn the_examples_are_imported_together() {
    let house = House::imported();
    let mut paths: Vec<PathBuf> = Vec::new();
    for (path, text) in examples() {
        let path = house.path(&path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        paths.push(path);
    }
    let ran = house.run("import slo contracts").expect(0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
    let ran = house.run("slo show raw_orders").expect(0);
    assert!(
        ran.stdout.contains("\nat most 1h30m old\n"),
        "{}",
        ran.stdout
    );
    let ran = house.run("slo show fct_orders").expect(0);
    let words = "at most 24h old and source at most 2h old and by 07:30 Europe/Berlin (business days DE), \
                 customer_id 99.9 % filled, 100 to 10000000 rows, rows 0.5 to 2 times their weekday's median, \
                 0.99 of rows good, at most 0.01 set aside";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);
}

#[test]
fn the_commands_of_the_page_run() {
    let house = House::fitted();
    let page = page();
    let block = page
        .split("```sh\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    for command in block.lines() {
        house
            .run(command.strip_prefix("freshness ").unwrap())
            .expect(0);
    }
}

#[test]
fn the_schema_takes_the_examples() {
    let house = House::empty();
    for (path, text) in examples() {
        let is_level = path.rsplit('/').next().unwrap().starts_with('_');
        assert!(follows(&yaml(&text), &schema(&house, is_level)), "{path}");
    }
}

#[test]
fn the_schema_refuses_what_the_import_refuses() {
    let house = House::imported();
    let schema = schema(&house, false);
    let good = "dataset: a\nservice_levels: { freshness: { threshold: 1h30m, field: b } }\n";
    assert!(follows(&yaml(good), &schema));
    for (was, is) in [
        ("threshold", "treshold"),
        ("1h30m", "soon"),
        ("1h30m", "-1"),
        ("1h30m", "[1]"),
        ("field: b", "field: b, deadline: 25:00"),
        ("field: b", "field: b, severity: high"),
        ("freshness", "sla"),
        ("dataset", "datset"),
        (
            "{ freshness: { threshold: 1h30m, field: b } }",
            "{ availability: { threshold: 101, field: b } }",
        ),
        (
            "{ freshness: { threshold: 1h30m, field: b } }",
            "{ quality: [1] }",
        ),
        (
            "{ freshness: { threshold: 1h30m, field: b } }",
            "{ row_count: { min_rows: -1 } }",
        ),
    ] {
        let bad = good.replace(was, is);
        assert!(!follows(&yaml(&bad), &schema), "{bad}");
        fs::write(house.path("a.yaml"), &bad).unwrap();
        house.run("import slo a.yaml").expect(2);
    }
}

#[test]
fn every_key_of_the_schema_says_what_it_means() {
    fn described(schema: &Value) {
        for (key, says) in schema["properties"].as_object().into_iter().flatten() {
            let words = says["description"].as_str().unwrap_or_default();
            assert!(
                words.ends_with(['.', '?']) && words.len() > 10,
                "{key}: {words}"
            );
            described(says);
            for form in says["anyOf"].as_array().into_iter().flatten() {
                described(form);
            }
        }
    }
    let house = House::empty();
    described(&schema(&house, false));
    described(&schema(&house, true));
}
